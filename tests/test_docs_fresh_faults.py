"""docs/fresh-faults.md has every fault of `benchmarks.fresh_faults`, and faults are found once."""

import pytest

from benchmarks.fresh_fault_kinds import FAULTS
from benchmarks.fresh_fault_reasons import REASONS
from benchmarks.fresh_faults import PAGE, counted
from tests.support.thorough import a_part, slow

ROWS = {
    cells[0]: cells[1:]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and not line.startswith(("| fault", "| ---"))
    for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
}


def test_every_fault_is_on_the_page_with_a_reason_where_one_finding_is_not_all():
    assert list(ROWS) == list(FAULTS)
    for name, (shoes, found, once, why) in ROWS.items():
        assert 0 < int(shoes) >= int(found) >= int(once), name
        assert bool(why) == (int(once) < int(shoes)), name


@slow
@pytest.mark.parametrize("name", a_part([each for each in FAULTS if each not in REASONS], of=7))
def test_a_fault_is_found_and_told_once_unless_the_page_says_why_not(name):
    count = counted(name)
    assert count.shoes == count.found == count.once > 0
