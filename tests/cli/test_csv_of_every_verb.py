"""CSV of every verb: amounts with a decimal point, and cards as people write them."""

import csv
import io
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.infrastructure.reports.kinds import KINDS
from tests.support.looked_once import look_once
from tests.support.thorough import a_part

if TYPE_CHECKING:
    from sabot.cli.columns import Column

OF_CASES = {"incident", "detection-case"}
"""The reports on one finding or patron."""
VERBS = (
    ("tables",), ("shoes",), ("patrons",), ("ledger", "p-3301"), ("commission",), ("cards",),
    ("cards", "PU-3300"), ("log", "--last", "300"), ("show", "B1-20260314-1"), ("show", "P7"),
    ("audit",), ("findings",), ("explain", "B1-20260314-1", "5"), ("rules",), ("packs",),
    ("packs", "--keys"), ("odds",), ("odds", "banque"), ("odds", "chemin-de-fer"), ("schemas",),
    ("simulate", "--habits"), ("detect", "--shoe", "P7-20260314-1"), ("project",),
    ("store", "info"),
    *(("report", kind.name) for kind in KINDS if kind.name not in OF_CASES),
)  # fmt: skip
AMOUNTS = re.compile(
    r"amount|bankroll|bought|chips.*|closing|collected|commission|credits|drop.*|estimated_win|fills"
    r"|handle|house|levy|limit.*|marked|money_(house|patron)|opening|owed.*|paid|result.*|stake.*"
    r"|taken|at_once|bank_won|win|won|due|shown"
)
"""The names of columns of amounts; a few of them hold a word in other lists."""
COUNTS = {("card-inventory", "marked")}
"""Columns with such a name that hold a number of cards."""


@pytest.fixture(autouse=True)
def log(evening: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SABOT_DATABASE_URL", evening)
    look_once(monkeypatch)


def rows(verb: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    capsys.readouterr()
    assert guard(build(), [*verb, "--format", "csv"]) < 2
    return list(csv.DictReader(io.StringIO(capsys.readouterr().out)))


def amounts(row: dict[str, str]) -> Iterator[tuple[str, str]]:
    return ((name, cell) for name, cell in row.items() if cell and AMOUNTS.fullmatch(name))


@pytest.mark.parametrize("verb", a_part(VERBS, of=2), ids=" ".join)
def test_no_amount_is_an_integer_of_minor_units_and_no_column_called_index(verb, capsys):
    for row in rows(verb, capsys):
        assert not [name for name in row if re.fullmatch(r"(.*_)?index", name)]
        for name, cell in amounts(row):
            number = re.fullmatch(r"-?[0-9]+", cell)
            assert not number or (verb[-1], name) in COUNTS, (name, cell)


ABBREVIATED = {
    "currency": "",
    "player_wins": "P",
    "banker_wins": "B",
    "ties": "T",
    "differs": "",
}
SHOWN_OTHERWISE = {
    "log10_e": "evidence",
    "stream": "shoe",
    "money": "over/short",
    "won": "won on bets",
    "rests": "error rate from",
    "shown": "recorded",
}
"""A power instead of its logarithm, a shoe instead of its stream, one amount instead of all.

The other titles are clearer than the name in CSV, which is permanent.
"""


@pytest.mark.parametrize("verb", [verb for verb in VERBS if verb[0] != "report"], ids=" ".join)
def test_a_column_has_one_name_in_tables_and_in_csv(verb, capsys, monkeypatch):
    columns: list[Column] = []
    monkeypatch.setattr(
        "sabot.cli.table_text.write_table", lambda shown, *_, **_kw: columns.extend(shown)
    )
    assert guard(build(), [*verb, "--format", "table"]) < 2
    names = ABBREVIATED | SHOWN_OTHERWISE
    for column in columns:
        known = names.get(column.key) if column.title is not None else None
        assert column.heading in (known, column.csv_name.replace("_", " "))


def test_an_event_is_named_event_and_a_list_of_them_by_the_first_and_their_number(capsys):
    (first, *_) = rows(("audit",), capsys)
    assert (first["events_first"], first["events_count"]) == ("149", "6")
    assert {"first_event", "last_event"} <= rows(("shoes",), capsys)[0].keys()
    (event,) = rows(("log", "--last", "1"), capsys)
    assert event["name"] in event["payload"]


def test_the_table_of_a_coup_has_its_stakes_and_cards(capsys):
    (row,) = rows(("show", "B1-20260314-1", "--coup", "5"), capsys)
    assert (row["player"], row["banker"]) == ("J♠ 4♦ 9♦", "5♦ 8♥")
    assert (row["bets"], row["staked"], row["currency"]) == ("4", "700.00", "EUR")
