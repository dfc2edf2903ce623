"""docs/mutations.md has every kind of fault, rule and source; a part of it is run again.

What has no row yet is written by `python -m benchmarks.audit_mutations --add docs/mutations.md`
(rules and sources alone, without injecting anything, by `--rules docs/mutations.md`).
"""

import re
from pathlib import Path

import pytest

from benchmarks.audit_evenings import evening_rows
from benchmarks.audit_kinds import KINDS, games_of
from benchmarks.audit_mutations import cell_rows, rows
from benchmarks.audit_mutations_told import NO_FAULT, rules_by_source, shown_by
from sabot.domain.audit import RULES
from tests.faults.floor_faults import FLOOR_FAULTS
from tests.support.thorough import a_part

TOLD = (Path(__file__).parent.parent / "docs" / "mutations.md").read_text(encoding="utf-8")


def table(title: str) -> dict[str, list[str]]:
    """The rows of a section's table, by their first cells."""
    section = TOLD.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_kind_of_fault_has_a_row_and_all_of_them_are_found():
    kinds = table("Kinds of faults")
    assert kinds.keys() == KINDS.keys()
    for name, (what, rule, games, injected, found, missed, invented, _) in kinds.items():
        assert what == KINDS[name].what
        assert rule.strip("`") == KINDS[name].codes[0]
        by_game = dict(each.split(" ") for each in games.split(", "))
        assert by_game.keys() <= set(games_of(KINDS[name]))
        assert sum(map(int, by_game.values())) == int(injected) == int(found) > 0
        assert (missed, invented) == ("0", "0")


def test_every_kind_of_fault_beyond_one_shoe_has_a_row_and_all_of_them_are_found():
    kinds = table("Beyond one shoe")
    assert kinds.keys() == FLOOR_FAULTS.keys()
    for name, (what, rule, injected, found, missed, invented) in kinds.items():
        assert (what, rule.strip("`")) == (FLOOR_FAULTS[name].what, FLOOR_FAULTS[name].codes[0])
        assert int(injected) == int(found) > 0
        assert (missed, invented) == ("0", "0")


def test_the_sum_is_that_of_the_rows():
    said = re.search(r"In all: ([0-9,]+) faults, ([0-9,]+) found, 0 missed, 0 findings", TOLD)
    assert said is not None
    rows = [row[3] for row in table("Kinds of faults").values()]
    rows += [row[1] for row in table("Each cell of the tableau").values()]
    rows += [row[2] for row in table("Beyond one shoe").values()]
    assert said[1] == said[2] == f"{sum(map(int, rows)):,}"


def test_every_rule_is_broken_by_a_kind_of_fault_or_says_why_by_none():
    shown = table("Rules")
    for rule in RULES:
        said = shown_by(rule.code) or NO_FAULT[rule.code]
        assert said
        assert shown[rule.code][-1] == said
    assert NO_FAULT.keys() <= {rule.code for rule in RULES}


def test_every_rule_and_every_source_has_a_row():
    assert table("Rules").keys() == {rule.code for rule in RULES}
    sources = table("Sources")
    assert sources.keys() == {cite for rule in RULES for cite in rule.cites}
    for cite, (codes,) in sources.items():
        assert re.findall(r"`([^`]+)`", codes) == rules_by_source()[cite]


def test_every_cell_of_the_tableau_is_counted():
    cells = table("Each cell of the tableau")
    assert sum(int(row[0]) for row in cells.values()) == 8 + 8 * 11


@pytest.mark.parametrize(
    "name",
    [
        "stale-third-banco-stood",
        "bet-after-four-cards",
        "number-lost",
        "bystander-chooses",
        "drew-on",
    ],
)
def test_a_part_of_the_table_is_found_again(name):
    (row,) = rows([KINDS[name]], 1, only_houses=1)
    assert row.injected > 0
    assert (row.found, row.missed, row.invented.total()) == (row.injected, [], 0)


def test_a_few_cells_read_the_other_way_are_found():
    few = ("punto-5", "banco-3-8", "banco-6-6", "banco-5--")
    for row in cell_rows(1, only=few):
        assert (row.injected, row.found, row.missed) == (1, 1, [])


def test_what_a_fault_needs_to_be_seen_is_told():
    kinds = table("Kinds of faults")
    assert "no order" in kinds["second-dealt"][-1]
    assert "no calls" in kinds["outcome-miscalled"][-1]
    assert "no bets" in kinds["winner-overpaid"][-1]
    assert "no numbers" in kinds["number-lost"][-1]
    assert kinds["banco-stood"][-1] == ""


def test_an_evening_that_went_wrong_is_found_again():
    for row in evening_rows(1, a_part(FLOOR_FAULTS.values(), of=7)):
        assert row.injected == row.found > 0
        assert row.invented == 0
