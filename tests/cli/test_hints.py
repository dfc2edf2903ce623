"""Commands in messages can be typed as they stand."""

import pytest
import typer

from sabot.cli.hints import VERBS, hints_for, with_database
from sabot.cli.main import build
from sabot.cli.text.words import say
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.table import TableOpened
from sabot.infrastructure.log.event_log import EventLog
from tests.support.faulty_log import recorded, sabot


def verbs_with_database(command, name):
    below = getattr(command, "commands", {})
    for known in below:
        yield from verbs_with_database(below[known], f"{name} {known}".strip())
    if any("--database" in parameter.opts for parameter in command.params):
        yield name


def test_every_verb_on_a_log_is_completed():
    # the demo makes a file of its own
    assert set(verbs_with_database(typer.main.get_command(build()), "")) - {"demo"} == set(VERBS)


@pytest.mark.parametrize(
    ("message", "completed"),
    [
        ("`sabot audit` checks the whole log", "`sabot audit -D` checks the whole log"),
        ("run `sabot evidence checkpoint`", "run `sabot evidence checkpoint -D`"),
        ("sabot tables, sabot shoes", "sabot tables -D, sabot shoes -D"),
        ("with: sabot findings --all", "with: sabot findings -D --all"),
        ("`sabot store check --views`", "`sabot store check -D --views`"),
        ("run `sabot verify` with --key", "run `sabot verify -D` with --key"),
        ("`sabot verify b.zip` checks it", "`sabot verify b.zip` checks it"),
        ("see: sabot findings show --help", "see: sabot findings show --help"),
        ("`sabot rules` lists them", "`sabot rules` lists them"),
        ("sabot deal H-1 --database x.db", "sabot deal H-1 --database x.db"),
    ],
)
def test_commands_of_a_message_read_the_same_log(message, completed):
    with hints_for(["shoes", "--database", "my log.db"]):
        assert with_database(message) == completed.replace("-D", "--database 'my log.db'")
    assert with_database(message) == message


def test_the_command_of_a_note_names_the_log(capsys):
    with hints_for(["--database=a.db"]):
        say("`sabot audit`")
    assert capsys.readouterr().err == "`sabot audit --database=a.db`\n"


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("tables --json", "there is no option --json; write --format json"),
        ("audit --sarif", "there is no option --sarif; write --format sarif"),
        ("detect --sarif", "No such option: --sarif"),
        (
            "audit --shoe H-1",
            "there is no option --shoe; write the shoe alone: sabot audit ",
        ),
        ("tables --shoe H-1", "No such option: --shoe"),
        ("explain H-1 five", "COUP is a number, 1 to 4; not 'five'"),
        ("log --shoe T1", "no shoe 'T1'; a table has this name: --table T1"),
        ("show H-1 --at 9pm", "a time of day is written as 21:15"),
        ("findings show zzz", "needs its first 6 characters; list them with: sabot findings"),
    ],
)
def test_an_error_says_what_to_write(words, told, capsys, sqlite_url):
    recorded(sqlite_url)
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("table/T1", TableOpened(1000))])
    assert sabot(*words.split(), "--database", sqlite_url) == 2
    assert told in capsys.readouterr().err


@pytest.mark.parametrize("verb", ["audit", "findings", "detect"])
def test_the_line_on_the_signature_names_the_command_that_checks_it(verb, capsys, sqlite_url):
    recorded(sqlite_url)
    sabot(verb, "--database", sqlite_url)
    said = capsys.readouterr().err.splitlines()
    (line,) = [line for line in said if line.startswith("record: signed up to event ")]
    assert line.endswith(f"; check it with: sabot verify --database {sqlite_url}")


def test_a_page_says_what_is_signed_and_has_no_command_for_one_database(capsys, sqlite_url):
    recorded(sqlite_url)
    for page in (("report", "coup-journal"), ("audit", "--format", "html")):
        sabot(*page, "--database", sqlite_url)
        shown = " ".join(capsys.readouterr().out.split())
        assert "signed up to event " in shown
        assert "sabot verify" not in shown
