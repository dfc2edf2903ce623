"""docs/mutations.md has every kind of fault, every rule and every check; a part of it is run again.

What has no row yet is written by `python -m benchmarks.audit_mutations --write docs/mutations.md`
(rules and checks alone, without injecting anything, by `--rules docs/mutations.md`).
"""

import re
from pathlib import Path

import pytest

from benchmarks.audit_mutations import cell_rows, rows
from benchmarks.audit_mutations_told import CHECKS
from domain.audit import RULES
from domain.simulation.faults import FAULTS

TOLD = (Path(__file__).parent.parent / "docs" / "mutations.md").read_text(encoding="utf-8")


def table(title: str) -> dict[str, list[str]]:
    """The rows of a section's table, by their first cells."""
    section = TOLD.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]
    lines = [line for line in section.splitlines() if line.startswith("| ")][2:]
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].strip("`"): row[1:] for row in cells}


def test_every_kind_of_fault_has_a_row_that_adds_up():
    kinds = table("Kinds of faults")
    assert kinds.keys() == FAULTS.keys()
    for name, (what, rule, injected, found, missed, _) in kinds.items():
        assert what == FAULTS[name].what
        assert rule.strip("`") == FAULTS[name].codes[0]
        assert int(injected) == int(found) + int(missed)
        assert int(injected) > 0


def test_every_rule_and_every_check_has_a_row():
    assert table("Rules").keys() == {rule.code for rule in RULES}
    checks = table("Checks")
    assert list(checks) == list(CHECKS) == [f"A{number}" for number in range(1, 28)]
    codes = {rule.code for rule in RULES}
    for what, rules in checks.values():
        assert what
        assert set(re.findall(r"`([^`]+)`", rules)) <= codes


def test_every_check_of_the_field_has_a_rule():
    """What regulators check (field-facts.md 3) is judged: each by one rule at least."""
    uncovered = [check for check, (_, rules) in table("Checks").items() if "`" not in rules]
    assert uncovered == []


def test_every_cell_of_the_tableau_is_counted():
    cells = table("Each cell of the tableau")
    assert sum(int(row[0]) for row in cells.values()) == 8 + 8 * 11


@pytest.mark.parametrize("name", ["stale-third-banco-stood", "bet-after-four-cards", "number-lost"])
def test_a_part_of_the_table_is_found_again(name):
    (row,) = rows([FAULTS[name]], 1, only_houses=1)
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
