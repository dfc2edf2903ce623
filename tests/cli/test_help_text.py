"""The help names values by plain words."""

import re

import typer

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.support.for_each import for_each
from tests.support.thorough import slow


def commands(command, name=()):
    yield name
    for known in getattr(command, "commands", {}):
        yield from commands(command.commands[known], (*name, known))


@slow
@for_each("verb", list(commands(typer.main.get_command(build()))), ids=" ".join)
def test_no_help_names_a_type_of_python(verb, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert guard(build(), [*verb, "--help"]) == 0
    said = capsys.readouterr().out
    assert not re.search(r"<(bool|int|float|str|path)\b|list\[|range>", said)
    assert "[[" not in said
    assert "--help" in said


@slow
@for_each("verb", list(commands(typer.main.get_command(build()))), ids=" ".join)
def test_no_help_cuts_or_breaks_the_value_of_an_option_at_80_columns(verb, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert guard(build(), [*verb, "--help"]) == 0
    for line in capsys.readouterr().out.splitlines():
        assert not re.search(r"\w… *│$", line), line
        assert not re.search(r"<[\w-]+\|[^>]* ", line), line


def test_the_help_of_odds_lists_its_games_once_and_whole(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert guard(build(), ["odds", "--help"]) == 0
    arguments = capsys.readouterr().out.partition("Arguments")[2].partition("Options")[0]
    assert [arguments.count(game) for game in ("punto-banco;", "chemin-de-fer", "banque")] == [
        1
    ] * 3


def test_the_help_of_simulate_states_the_unit_of_stakes(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert guard(build(), ["simulate", "--help"]) == 0
    assert "unit and bankroll are in minor units" in " ".join(
        capsys.readouterr().out.replace("│", " ").split()
    )
