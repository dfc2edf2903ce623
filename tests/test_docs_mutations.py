"""Every kind of fault has counts, and docs/mutations.md has every rule.

Kinds without counts are injected by `python -m benchmarks.audit_mutations --add`. The page alone is
written by `--page`, which injects nothing. A few faults are injected again.
"""

import re

import pytest

from benchmarks.audit_evenings import evening_rows
from benchmarks.audit_given_up import KINDS as KINDS_GIVEN_UP
from benchmarks.audit_given_up import given_up_rows
from benchmarks.audit_kinds import KINDS, games_of
from benchmarks.audit_mutation_counts import COUNTS, GIVEN_UP, NO_FAULT, PAGE, Counts, shown_by
from benchmarks.audit_mutations import COUPS, cell_rows, clean, rows
from sabot.domain.audit import RULES, find_rule
from tests.faults.floor_faults import FLOOR_FAULTS
from tests.support.thorough import a_part, slow

TEXT = COUNTS.read_text(encoding="utf-8")
FOUND = Counts(TEXT)


def test_every_kind_of_fault_is_counted_and_all_of_them_are_found():
    kinds = FOUND.of("shoe")
    assert kinds.keys() == KINDS.keys()
    for name, count in kinds.items():
        by_game = dict(each.split(" ") for each in count.where.split(", "))
        assert by_game.keys() <= set(games_of(KINDS[name]))
        assert sum(map(int, by_game.values())) == count.injected == count.found > 0
        assert (count.missed, count.invented) == (0, 0)


def test_every_kind_of_fault_beyond_one_shoe_is_counted_and_all_of_them_are_found():
    kinds = FOUND.of("evening")
    assert kinds.keys() == FLOOR_FAULTS.keys()
    for count in kinds.values():
        assert count.injected == count.found > 0
        assert count.invented == 0


def test_no_count_is_of_a_kind_that_is_gone():
    assert FOUND.text() == TEXT


def test_the_page_is_that_of_the_counts():
    assert PAGE.read_text(encoding="utf-8") == FOUND.page()


def test_the_sum_is_that_of_the_rows():
    said = re.search(
        r"In all: ([0-9,]+) faults, ([0-9,]+) found, 0 missed, 0 findings", FOUND.page()
    )
    assert said is not None
    assert said[1] == said[2] == f"{sum(count.injected for count in FOUND):,}"


def test_every_rule_has_a_line_and_a_kind_of_fault_or_a_reason_for_none():
    page = FOUND.page().split("\n## Rules\n", 1)[1]
    lines = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    assert [line[1].strip("`") for line in lines[2:]] == [rule.code for rule in RULES]
    for rule, (number, _, injected, found, kinds) in zip(RULES, lines[2:], strict=True):
        assert number == rule.number
        assert kinds == shown_by(rule.code) or NO_FAULT[rule.code]
        assert kinds
        assert int(injected) == int(found)
    assert NO_FAULT.keys() <= {rule.code for rule in RULES}


def test_the_long_page_has_a_line_for_each_kind_of_fault():
    lines = FOUND.long_page().splitlines()
    for name, kind in (KINDS | FLOOR_FAULTS).items():
        (line,) = [line for line in lines if line.startswith(f"| `{name}` |")]
        assert f"| {kind.what} | `{kind.codes[0]}` |" in line


def test_every_cell_of_the_third_card_table_is_counted():
    cells = FOUND.of("cell").values()
    assert sum(int(count.where.removesuffix(" cells")) for count in cells) == 8 + 8 * 11
    assert all(count.injected == count.found for count in cells)


@slow
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


def test_the_counts_name_the_records_in_which_a_fault_is_not_seen():
    kinds = FOUND.of("shoe")
    assert "no order" in kinds["second-dealt"].unseen
    assert "no calls" in kinds["outcome-miscalled"].unseen
    assert "no bets" in kinds["winner-overpaid"].unseen
    assert "no numbers" in kinds["number-lost"].unseen
    assert kinds["banco-stood"].unseen == ""


@slow
def test_an_evening_that_went_wrong_is_found_again():
    for row in evening_rows(1, a_part(FLOOR_FAULTS.values(), of=31)):
        assert row.injected == row.found > 0
        assert row.invented == 0


@slow
def test_the_kinds_that_are_given_up_are_counted_as_they_are():
    some = a_part(KINDS_GIVEN_UP, of=3)  # one of late bets, the late third card, one in no coup
    told = {row.kind.name: row for row in given_up_rows(clean, COUPS, some)}
    counted = FOUND.of("given-up")
    assert {kind.name for kind in KINDS_GIVEN_UP} == counted.keys() == GIVEN_UP.keys()
    for name, row in told.items():
        assert (row.injected, row.found) == (counted[name].injected, counted[name].found)
        assert set(counted[name].unseen.split(", ")) - {""} == set(row.others)
    late_bets = [row for name, row in told.items() if name.startswith("late-bet-")]
    assert late_bets
    for row in late_bets:
        assert (row.found, set(row.others)) == (0, {find_rule("R412").code})
    assert told["third-card-after-close"].found == told["third-card-after-close"].injected
    unseen = [row for name, row in told.items() if name.endswith("-in-no-coup")]
    assert unseen
    for row in unseen:
        assert (row.injected > 0, row.found, row.others.total()) == (True, 0, 0)
