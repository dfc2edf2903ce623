"""Every list on a terminal of 80 columns: it fits, and no name in it is cut or wrapped."""

import json
import re
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.cli.output import Column, Format, amount_column, emit, with_amounts

LISTS = (
    # the verb, and the keys of its names
    (("tables",), ("table", "shoe", "currency")),
    (("shoes",), ("name", "table_name", "pack", "currency")),
    (("patrons",), ("patron", "currency")),
    (("ledger", "p-3301"), ("kind", "currency")),
    (("commission",), ("name", "patron", "currency")),
    (("cards",), ("batch",)),
    (("cards", "PU-3300"), ()),
    (("log", "--last", "40"), ("stream",)),
    (("audit",), ("severity",)),
    (("findings",), ("state", "severity")),
    (("rules",), ("number", "code", "severity")),
    (("packs",), ("pack",)),
    (("odds", "--rules", "macau"), ("wager",)),
    (("simulate", "--habits"), ("habit",)),
)


@pytest.fixture(scope="module")
def evening(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("lists") / "demo.sabot"
    guard(build(), ["demo", "--database", str(path)])
    return str(path)


@pytest.fixture(autouse=True)
def terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # rich takes the output for a terminal
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")


def lines(capsys: pytest.CaptureFixture[str]) -> list[str]:
    return re.sub(r"\x1b\[[0-9;]*m", "", capsys.readouterr().out).splitlines()


@pytest.mark.parametrize(("verb", "names"), LISTS, ids=" ".join)
def test_a_list_fits_and_its_names_are_whole(verb, names, evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    capsys.readouterr()
    guard(build(), [*verb, "--format", "jsonl"])
    records = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert records
    guard(build(), [*verb, "--format", "table"])
    shown = lines(capsys)
    assert max(map(len, shown)) <= 80
    words = {word for line in shown for word in line.split()}
    for record in records:
        for name in names:
            value = str(record[name]).removeprefix("shoe/")
            assert value in words or f"shoe/{value}" in words or value in str(shown), (name, value)


def test_all_columns_are_shown_with_wide(evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    guard(build(), ["tables", "--format", "table"])
    said = capsys.readouterr()
    assert "drop" not in said.out
    assert said.err.endswith("--wide shows all\n")
    guard(build(), ["tables", "--format", "table", "--wide"])
    said = capsys.readouterr()
    assert "drop" in said.out
    assert said.err == ""


def test_columns_are_left_out_by_rank_and_sentences_wrap(capsys):
    columns = (
        Column("patron"),
        Column("table", rank=1),
        Column("what", wraps=True),
        amount_column("stake"),
        Column("remark", rank=2),
    )
    row = {"patron": "p-1031", "table": "B1", "stake": 1250050, "minor_units": 2,
           "what": "placed after the call of no more bets and after both hands were dealt",
           "remark": "seen by the supervisor on the second camera"}  # fmt: skip
    emit([with_amounts(row, "stake")], columns, Format.TABLE)
    assert [line.rstrip() for line in lines(capsys)] == [
        "",
        " patron   table   what                                                    stake",
        " ──────────────────────────────────────────────────────────────────────────────",
        " p-1031   B1      placed after the call of no more bets and after     12,500.50",
        "                  both hands were dealt",
        "",
    ]


def test_a_file_has_all_columns(evening, monkeypatch, tmp_path: Path):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    path = tmp_path / "tables.txt"
    guard(build(), ["tables", "--format", "table", "-o", str(path)])
    heading = path.read_text().partition("─")[0]
    assert "drop" in heading
    assert "handle" in heading


@pytest.mark.parametrize(
    ("zone", "shown"),
    [("UTC", "2026-03-14T19:35:36Z"), ("Europe/Paris", "2026-03-14T20:35:36+01:00")],
)
def test_times_show_their_zone(zone, shown, evening, monkeypatch, capsys):
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    guard(build(), ["shoes", "--format", "table", "--wide", "--zone", zone])
    assert shown in capsys.readouterr().out
    monkeypatch.setenv("SABOT_TIMEZONE", zone)
    guard(build(), ["shoes", "--format", "table", "--wide"])
    assert shown in capsys.readouterr().out


def test_an_unknown_zone_is_refused(evening, capsys):
    assert guard(build(), ["shoes", "--database", evening, "--zone", "Europe/Nowhere"]) == 2
    assert "--zone 'Europe/Nowhere' is unknown; write for example" in capsys.readouterr().err
