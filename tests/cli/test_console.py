"""Exit codes, errors and help, and the same content in every format."""

import contextlib
import csv
import errno
import io
import json
import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer

from sabot.cli.console import ExitCode, Terminated, Verbs, guard, open_log, printable, progress, say
from sabot.cli.main import VERBS, build
from sabot.cli.output import Column, Format, amount_column, emit, with_amounts
from sabot.cli.settings import FORCE
from sabot.cli.text.words import to_json
from sabot.domain.values import errors
from tests.support.for_each import for_each
from tests.support.thorough import slow

COLUMNS = (
    Column("shoe"),
    Column("net", right=True),
    Column("odd", show=lambda value: f"<{value}>"),
    Column("seen"),
)
ROWS = (
    {"shoe": "H-1", "net": -2500, "odd": True, "seen": ["Th", "4d"]},
    {"shoe": "=1+1", "net": 0.25, "odd": False, "seen": None},
    {"shoe": "a\tb\\c\nd\x1b[2J\u202e", "net": None, "odd": None, "seen": {"k": 1}},
)


def written(form, capsys, rows=ROWS):
    emit(rows, COLUMNS, form)
    return capsys.readouterr().out


def test_tsv_is_a_line_a_record_and_can_be_read_back(capsys):
    lines = written(Format.TSV, capsys).splitlines()
    assert lines == [
        "shoe\tnet\todd\tseen",
        "H-1\t-2500\ttrue\tTh; 4d",
        "'=1+1\t0.25\tfalse\t",
        r"a\tb\\c\nd\x1b[2J\u202e" + '\t\t\t{"k":1}',
    ]


@pytest.mark.parametrize(("form", "separator"), [(Format.TSV, "\t"), (Format.CSV, ",")])
def test_cells_have_one_value_with_decimals_and_iso_times(form, separator, capsys):
    columns = (
        Column("name", "shoe", name="shoe"),
        Column("at", in_table=False),
        Column("at_us"),
        Column("first_us", "from"),
        amount_column("won"),
        Column("money", parts=("house", "currency")),
    )
    money = {"house": -8005, "patron": 8005, "currency": "EUR", "minor_units": 2}
    row = {"name": "H-1", "at": "1970-01-01T00:00:01Z", "at_us": 1_000_000, "first_us": 1_500_000,
           "won": 123456700, "minor_units": 2, "money": money}  # fmt: skip
    emit([with_amounts(row, "won"), {"name": "H-2"}], columns, form)
    rows = [line.split(separator) for line in capsys.readouterr().out.splitlines()]
    assert rows == [
        ["shoe", "at", "first_at", "won", "money_house", "money_currency"],
        ["H-1", "1970-01-01T00:00:01Z", "1970-01-01T00:00:01.5Z", "1234567.00", "-80.05", "EUR"],
        ["H-2", "", "", "", "", ""],
    ]


def test_a_fraction_is_a_number_and_no_formula(capsys):
    emit([{"shoe": "-679568/53094899"}, {"shoe": "-1/2+A1"}], (Column("shoe"),), Format.TSV)
    assert capsys.readouterr().out.splitlines()[1:] == ["-679568/53094899", "'-1/2+A1"]


def test_csv_is_no_formula_and_a_negative_number_stays_one(capsys):
    rows = list(csv.reader(io.StringIO(written(Format.CSV, capsys))))
    assert rows[1] == ["H-1", "-2500", "true", "Th; 4d"]
    assert rows[2][0] == "'=1+1"


@pytest.mark.parametrize("form", [Format.CSV, Format.TSV])
@for_each(
    "start",
    [
        *("=", "+", "-", "@", "\u2212", "\t", "\r", " =", "\u3000\u00a0@"),
        *("\uff1d", "\uff0b", "\uff0d", "\uff20"),  # fullwidth
        *("\ufe62", "\ufe63", "\ufe66", "\ufe6b"),  # small
        *("\u207a", "\u207b", "\u207c", "\u208a", "\u208b", "\u208c"),  # raised and lowered
        *("\u2a75", "\u2003\ufe62", "\ufeff=", "\u200b\uff0b", "\u2060 @"),
    ],
)
def test_no_cell_is_a_formula(start, form, capsys):
    emit([{"shoe": start + "x"}, {"shoe": [start + "x", "y"]}], (Column("shoe"),), form)
    for line in capsys.readouterr().out.splitlines()[1:]:
        assert line.strip('"').startswith("'")


@pytest.mark.parametrize("form", [Format.CSV, Format.TSV])
@pytest.mark.parametrize(
    "text", ["x=1", "\u00e9 +1", "\uff21\uff1d1", "1+1", "\u24b6", "-1.5e-3", "\u3000x"]
)
def test_a_cell_that_begins_otherwise_is_left_alone(text, form, capsys):
    emit([{"shoe": text}], (Column("shoe"),), form)
    assert capsys.readouterr().out.splitlines()[1] == text


@pytest.mark.parametrize("text", ['"=1"', '" =1+1"', '"\t=1"', '"'])
def test_no_cell_of_tsv_begins_with_a_quotation_mark(text, capsys):
    """Programs that read TSV take the marks off, and take a lone one as the begin of many lines."""
    emit([{"shoe": text}], (Column("shoe"),), Format.TSV)
    assert capsys.readouterr().out.splitlines()[1].startswith("'\"")


def test_tsv_is_no_formula_and_a_negative_number_stays_one(capsys):
    rows = [line.split("\t") for line in written(Format.TSV, capsys).splitlines()]
    assert rows[1][:2] == ["H-1", "-2500"]
    assert rows[2][0] == "'=1+1"


def test_json_and_jsonl_carry_the_values_themselves(capsys):
    want = [dict(row) for row in ROWS]
    text = written(Format.JSON, capsys)
    assert json.loads(text) == want
    assert "\u202e" not in text
    assert "\x1b" not in text
    assert [json.loads(line) for line in written(Format.JSONL, capsys).splitlines()] == want


def test_json_of_nothing_is_an_empty_array(capsys):
    assert json.loads(written(Format.JSON, capsys, rows=())) == []


def test_json_writes_the_document_where_there_is_one(capsys):
    emit(ROWS, COLUMNS, Format.JSON, document={"shoes": 1, "rows": []})
    assert json.loads(capsys.readouterr().out) == {"shoes": 1, "rows": []}


def test_json_refuses_what_is_no_number():
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json(float("nan"))


def test_table_in_a_pipe_is_never_cut(capsys):
    wide = {"shoe": "x" * 300, "net": 1, "odd": "y" * 200, "seen": "z"}
    out = written(Format.TABLE, capsys, rows=[wide])
    assert "x" * 300 in out
    assert "<" + "y" * 200 + ">" in out
    assert "\x1b" not in out


def test_table_shows_control_characters_and_markup_as_text(capsys):
    out = written(Format.TABLE, capsys, rows=[{"shoe": "[red]x[/red]\x1b]0;t\x07\u202e"}])
    assert r"[red]x[/red]\x1b]0;t\x07\u202e" in out


def test_the_default_in_a_pipe_is_tsv(capsys):
    assert written(None, capsys) == written(Format.TSV, capsys)


@pytest.mark.parametrize("form", list(Format))
def test_the_same_records_give_the_same_bytes(form, capsys):
    assert written(form, capsys) == written(form, capsys)


def test_a_file_is_written_whole_and_by_its_suffix(tmp_path):
    path = tmp_path / "shoes.json"
    emit(ROWS, COLUMNS, output=str(path))
    assert json.loads(path.read_text(encoding="utf-8"))[0]["shoe"] == "H-1"
    assert [entry.name for entry in tmp_path.iterdir()] == ["shoes.json"]


def test_a_file_keeps_its_old_content_where_the_records_fail(tmp_path):
    path = tmp_path / "shoes.tsv"
    path.write_text("old")

    def failing() -> Iterator[dict[str, object]]:
        yield {"shoe": "H-1"}
        raise errors.UntrustedLog("the log ends in the middle; restore it")

    FORCE.set(True)
    with pytest.raises(errors.UntrustedLog):
        emit(failing(), COLUMNS, output=str(path))
    FORCE.set(False)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("output", ["", "a\0b", "no/such/folder/x.tsv", "."])
def test_an_output_that_cannot_be_written_is_said(output, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(errors.SabotError):
        emit(ROWS, COLUMNS, output=output)
    assert list(tmp_path.iterdir()) == []


def test_a_surrogate_never_reaches_a_stream():
    assert printable("\ud800") == r"\ud800"
    assert to_json("\ud800") == r'"\ud800"'
    assert printable("\U000e0041") == r"\U000e0041"


# --- exit codes


def program(outcome) -> typer.Typer:
    app = typer.Typer(cls=Verbs)

    @app.callback()
    def _top() -> None:
        """Stand for the program."""

    @app.command()
    def verb(_number: int = 0) -> None:
        if isinstance(outcome, BaseException):
            raise outcome

    return app


@pytest.mark.parametrize(
    ("outcome", "code"),
    [
        (None, 0),
        (typer.Exit(ExitCode.FINDINGS), 1),
        (errors.BadInput("no; do so"), 2),
        (errors.BadCard("no; do so"), 2),
        (errors.BadRulePack("no; do so"), 2),
        (errors.Refused("no; do so"), 2),
        (errors.NotFound("no; do so"), 2),
        (errors.VersionConflict("no; do so"), 2),
        (errors.ContentConflict("no; do so"), 2),
        (errors.UntrustedLog("no; do so"), 3),
        (ValueError("a defect"), 70),
        (RecursionError("a defect"), 70),
        (OSError(5, "a defect"), 70),
        (KeyboardInterrupt(), 130),
        (EOFError(), 130),
        (Terminated(), 143),
        (BrokenPipeError(), 141),
    ],
)
def test_exit_codes(outcome, code, capsys):
    assert guard(program(outcome), ["verb"]) == code
    said = capsys.readouterr()
    assert said.out == ""
    assert "Traceback" not in said.err
    if code in (2, 3):
        assert said.err == "sabot: no; do so\n"
    if code == 70:
        assert "a defect" in said.err
        assert "SABOT_TRACEBACK=1" in said.err
    if code in (0, 1, 141):
        assert said.err == ""


def test_a_full_disk_is_no_defect(capsys):
    assert guard(program(OSError(errno.ENOSPC, "no space left", "out.json")), ["verb"]) == 2
    assert capsys.readouterr().err == (
        "sabot: the system refused out.json: no space left; the output is incomplete\n"
    )


@pytest.mark.parametrize(
    "arguments",
    [["nonesuch"], ["verb", "--nonesuch"], ["verb", "---number", "x"], ["verb", "extra"]],
)
def test_usage_errors_are_2(arguments, capsys):
    assert guard(program(None), arguments) == 2
    assert capsys.readouterr().err.startswith("sabot: ")


def test_the_traceback_is_there_for_who_asks(monkeypatch, capsys):
    monkeypatch.setenv("SABOT_TRACEBACK", "1")
    assert guard(program(ValueError("a defect")), ["verb"]) == 70
    assert "Traceback" in capsys.readouterr().err


def test_a_message_cannot_drive_the_terminal(capsys):
    say("shoe \x1b[2J\u202e of\nmany")
    assert capsys.readouterr().err == "shoe \\x1b[2J\\u202e of\nmany\n"


def test_progress_is_silent_where_nobody_looks(capsys, monkeypatch):
    monkeypatch.setattr("sabot.cli.console.PROGRESS_AFTER_S", 0.0)
    with progress("auditing", total=2) as advance:
        advance(1)
    assert capsys.readouterr().err == ""


def test_progress_is_drawn_on_a_terminal_after_its_delay(monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setenv("TERM", "xterm")
    for delay, drawn in ((0.0, True), (60.0, False)):
        monkeypatch.setattr("sabot.cli.console.PROGRESS_AFTER_S", delay)
        screen = Terminal()
        monkeypatch.setattr(sys, "stderr", screen)
        with progress("auditing shoes", total=2) as advance:
            advance(1)
        assert ("auditing shoes" in screen.getvalue()) is drawn


# --- the real program


def commands():
    """Every verb of the program, with its command line."""
    waiting = [((), typer.main.get_command(build()))]
    while waiting:
        words, command = waiting.pop()
        yield words, command
        for name, below in getattr(command, "commands", {}).items():
            waiting.append(((*words, name), below))


of_every_verb = for_each(
    ("words", "command"),
    list(commands()),
    ids=lambda value: " ".join(value) or "sabot" if isinstance(value, tuple) else "",
)


class TestEveryVerb:
    @of_every_verb
    def test_it_and_all_its_options_have_help(self, words, command):
        assert (command.help or "").strip(), words
        for parameter in command.params:
            assert (getattr(parameter, "help", None) or "").strip(), (words, parameter.name)

    @of_every_verb
    def test_help_is_shown(self, words, command, capsys):
        assert guard(build(), [*words, "--help"]) == 0
        assert "Usage" in capsys.readouterr().out

    @of_every_verb
    def test_an_unknown_option_is_a_usage_error(self, words, command, capsys):
        assert guard(build(), [*words, "--no-such-option"]) == 2
        said = capsys.readouterr()
        assert "Traceback" not in said.err
        assert "--no-such-option" in said.err
        assert said.out == ""

    @of_every_verb
    def test_a_value_of_the_wrong_kind_is_a_usage_error(self, words, command, capsys):
        for parameter in command.params:
            kind = parameter.type_descriptor
            if not parameter.opts[0].startswith("--") or not (
                kind.is_choice or kind.annotation in (int, float)
            ):
                continue
            assert guard(build(), [*words, parameter.opts[0], "\x1b[2Jx"]) == 2, parameter.name
            assert "\x1b" not in capsys.readouterr().err


@for_each("verb", VERBS, ids=lambda verb: verb.name)
def test_the_list_of_verbs_says_what_each_says_itself(verb):
    command = typer.main.get_command(build()).commands[verb.name]
    assert command.help.split("\n\n")[0].replace("\n", " ") == verb.summary
    assert command.name == verb.name
    assert command.rich_help_panel == verb.group


def test_help_lists_every_verb_in_its_group(capsys):
    assert guard(build(), ["--help"]) == 0
    shown = capsys.readouterr().out
    groups = list(dict.fromkeys(verb.group for verb in VERBS))
    assert groups == ["Look", "Audit", "Record", "Administer"]
    for group, after in zip(groups, [*groups[1:], "Exit codes"], strict=True):
        part = shown.partition(f"─ {group} ─")[2].partition(after)[0]
        listed = re.findall(r"^│ ([a-z]+) +[A-Z]", part, re.MULTILINE)
        assert listed == [verb.name for verb in VERBS if verb.group == group]


@slow
def test_help_and_version_import_no_verb():
    code = (
        "import sys; from sabot.cli.console import guard; from sabot.cli.main import build;"
        "guard(build(), [sys.argv[1]]);"
        "print([name for name in sys.modules if name.startswith(('sabot.cli.verbs', 'sqlalch'))])"
    )
    for option in ("--help", "--version"):
        done = subprocess.run(
            [sys.executable, "-c", code, option], capture_output=True, text=True, check=True
        )
        assert done.stdout.endswith("[]\n")


def sabot(*arguments, **options):
    return subprocess.run(
        [sys.executable, "-c", "from sabot.cli.main import run; run()", *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **options,
    )


@pytest.mark.parametrize("database", ["postgresql://u:hush@h/d", "a.db"])
@pytest.mark.parametrize("library", ["sqlalchemy", "msgspec", "typer"])
def test_a_library_that_cannot_be_imported_is_told(tmp_path, library, database):
    (tmp_path / f"{library}.py").write_text("raise ImportError('cut short')")
    program = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); import sabot.cli.start as s; s.run()"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "verify", "--database", database],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (70, "")
    assert done.stderr == (
        "sabot: the installation is broken: ImportError: cut short; install Sabot again\n"
    )


@slow
@pytest.mark.parametrize(
    ("lost", "arguments"),
    [
        ("packs", ["packs"]),
        ("schemas", ["schemas"]),
        ("migrations", ["store", "migrate", "--database", "new.db"]),
    ],
)
def test_a_lost_file_of_the_program_is_told(tmp_path, lost, arguments):
    root = Path(__file__).parents[2]
    for room in ("cli", "domain", "infrastructure"):
        shutil.copytree(root / room, tmp_path / "sabot" / room)
    shutil.copy(root / "__init__.py", tmp_path / "sabot")
    shutil.rmtree(tmp_path / "sabot" / "infrastructure" / lost)
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys; sys.path.insert(0, '.'); from sabot.cli.start import run; run()",
            *arguments,
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 70
    assert done.stderr.splitlines()[-1].startswith(
        "sabot: the installation is broken: FileNotFoundError: "
    )


@slow
def test_without_a_verb_the_help_goes_to_stderr():
    done = sabot()
    assert (done.returncode, done.stdout) == (2, "")
    assert "Usage" in done.stderr


def test_version():
    done = sabot("--version")
    assert done.returncode == 0
    assert done.stdout.startswith("sabot ")


def test_the_version_tells_the_commit():
    done = sabot("--version")
    root = Path(__file__).parent.parent.parent
    head = subprocess.run(
        ["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    ).stdout.strip()
    if not head:
        pytest.skip("this is no git checkout")
    told = re.fullmatch(r"sabot \S+ \(commit ([0-9a-f]{12,})(-dirty)?\)\n", done.stdout)
    assert told is not None
    assert head.startswith(told[1])


@pytest.mark.parametrize("name", ["a.xlsx", "a.txt", "a.json.gz"])
def test_an_unknown_extension_is_refused(name, tmp_path, capsys):
    assert guard(build(), ["odds", "-o", str(tmp_path / name)]) == 2
    said = capsys.readouterr().err
    assert "allowed: .tsv, .json, .jsonl, .csv; or give --format" in said
    assert list(tmp_path.iterdir()) == []
    assert guard(build(), ["odds", "-o", str(tmp_path / name), "--format", "csv"]) == 0


def test_a_format_that_a_verb_lacks_is_not_offered(tmp_path, capsys):
    assert guard(build(), ["detect", "-o", str(tmp_path / "a.sarif")]) == 2
    said = capsys.readouterr().err
    assert "unknown extension .sarif; allowed: .tsv, .json, .jsonl, .csv, .html;" in said


def test_a_hint_can_be_typed_as_it_stands(tmp_path, capsys):
    path = str(tmp_path / "my log.db")
    with open_log(path, create=True):
        pass
    assert guard(build(), ["ledger", "ann", "--database", path]) == 2
    said = capsys.readouterr().err
    (command,) = re.findall(r"(sabot patrons --database '[^']+')", said)
    assert guard(build(), shlex.split(command)[1:]) == 0
    assert guard(build(), ["ledger", "ann", f"--database={path}"]) == 2
    assert "sabot patrons '--database=" in capsys.readouterr().err


@pytest.mark.parametrize("group", ["names", "store", "evidence"])
def test_a_missing_command_is_named(group, capsys):
    assert guard(build(), [group]) == 2
    assert f"sabot: a command is missing\nsee: sabot {group} --help" in capsys.readouterr().err


@slow
def test_completion_is_offered():
    done = sabot(
        env={
            **os.environ,
            "_SABOT_COMPLETE": "complete_bash",
            "COMP_WORDS": "sabot --ver",
            "COMP_CWORD": "1",
        }
    )
    assert done.stdout.strip() == "--version"


def test_a_verb_that_only_looks_makes_no_log(tmp_path):
    missing = tmp_path / "mistyped.db"
    with pytest.raises(errors.SabotError), open_log(str(missing), read_only=True):
        pass
    assert list(tmp_path.iterdir()) == []


def test_a_log_is_made_where_a_verb_records(tmp_path):
    path = tmp_path / "table.db"
    with open_log(str(path), create=True):
        pass
    assert path.exists()


RUN = "from sabot.cli.main import run; run()"


def on_a_terminal(code, *arguments, **environment):
    """Run Python code with its standard output on a terminal. Return what that shows."""
    ours, its = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=its,
        stderr=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "COLUMNS": "60"} | environment,
    ) as program:
        os.close(its)
        shown = b""
        with contextlib.suppress(OSError):  # Linux ends a terminal that nobody holds with EIO
            while part := os.read(ours, 65536):
                shown += part
        assert program.wait(timeout=60) == 0
    os.close(ours)
    return shown.decode()


@slow
def test_a_terminal_is_given_a_table_within_its_width():
    shown = on_a_terminal(RUN, "odds", "--rules", "macau", NO_COLOR="1")
    lines = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in shown.splitlines()]
    assert "─────" in shown
    assert max(map(len, lines[1:])) <= 60
    assert "1.0579 %" in shown


@slow
def test_no_color_is_honoured():
    """Colours are SGR 30 to 49 and 90 to 107; bold is none."""
    code = (
        "from sabot.cli.console import Column, Format, emit;"
        "emit([{'severity': 'high'}], [Column('severity', style='bold red')], Format.TABLE)"
    )
    colour = re.compile(r"\x1b\[(?:\d+;)*(?:3[0-9]|4[0-9]|9[0-7]|10[0-7])(?:;\d+)*m")
    assert colour.search(on_a_terminal(code))
    assert not colour.search(on_a_terminal(code, NO_COLOR="1"))


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("audit --workers 0", "give a number of at least 1"),
        ("log --coup x", "give a whole number"),
        ("simulate --limits 100-25", "write for example 25-5000"),
        ("deal --seat 99=ann", "give a seat from 1 to 14"),
        ("store restore {text}", "{text}: it is neither a backup nor the export of a log"),
    ],
)
def test_a_wrong_value_is_answered_with_what_to_write(line, said, tmp_path, monkeypatch, capsys):
    text = tmp_path / "notes.txt"
    text.write_text("hello\n", encoding="utf-8")
    monkeypatch.setenv("SABOT_DATABASE_URL", str(tmp_path / "new.sabot"))
    assert guard(build(), [word.format(text=text) for word in line.split()]) == ExitCode.BAD_INPUT
    assert said.format(text=text) in capsys.readouterr().err
