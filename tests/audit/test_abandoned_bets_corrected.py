"""The money of an abandoned bet is told once, however shoe and slip are corrected.

P1 wins 5.00 with 5.00 on Player and leaves the 10.00 on the layout. Two minutes after the shoe has
ended, its record is corrected. The house is off by what it kept beyond or below these 10.00.
"""

import json

import pytest

from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.floor_view import floor_of
from sabot.domain.state.table_state import fold as fold_table
from tests.support.floor_notation import Pit

BET, PAYMENT, LEFT = 8, 16, 18
"""The versions of three events of the shoe."""
PAID = {"type": "bet-paid", "coup": 1, "bet": 1}
STAKED = {"type": "bet-placed", "coup": 1, "bet": 1, "patron": "p1", "wager": "player"}


def found_in(kept: int | None, *corrections: tuple[int, dict[str, object] | None]) -> list[Finding]:
    """The findings of the shoe, then those of its table."""
    slip = {"slip": "A-1", "amount": kept, "shoe": "H-1", "coup": 1, "bet": 1}
    steps = [
        'with abandoned_bets = "kept"',
        'shoe H-1 {"table": "T1"} open',
        'shoe H-1 bet-abandoned {"coup": 1, "bet": 1}',
        *([] if kept is None else [f"table T1 abandoned-kept {json.dumps(slip)}"]),
        'shoe H-1 shoe-ended {"left": 410, "reason": "withdrawn"}',
        "+2m",
    ]
    for version, instead in corrections:
        corrected = {"version": version, "reason": "misread", "by": "carl", "instead": instead}
        steps.append(f"shoe H-1 fact-corrected {json.dumps(corrected)}")
    pit = Pit.of("\n".join(['table T1 table-opened {"inventory": 100000}', *steps]))
    (shoe,) = pit.shoes()
    audit = audit_shoe(shoe)
    tables = [fold_table("table/T1", pit.streams["table/T1"])]
    return [*audit.findings, *audit_floor(floor_of([], tables, [audit.trace])).findings]


def own(found: list[Finding]) -> list[str]:
    return sorted(each.number for each in found if each.explained_by is None)


@pytest.mark.parametrize("paid", [0, 1000, None])
@pytest.mark.parametrize("kept", [0, 500, 1500, 2000, None])
def test_a_wrong_slip_and_a_corrected_payment(kept, paid):
    instead = None if paid is None else {**PAID, "amount": paid}
    for taken_back in ([], [(LEFT, None)]):
        found = found_in(kept, (PAYMENT, instead), *taken_back)
        assert sum(each.money.house or 0 for each in found) == 1000 - (kept or 0)


@pytest.mark.parametrize(
    ("stake", "paid", "house"),
    [
        (500, 1000, 0),
        (500, 0, 0),
        # as corrected p1 staked 5.00 more, and got the same 10.00: a win of 5.00 less than was due
        (1000, 1000, 500),
    ],
)
def test_a_right_slip_that_corrections_make_wrong_follows_from_them(stake, paid, house):
    corrections = [(PAYMENT, {**PAID, "amount": paid})]
    if stake != 500:
        corrections.append((BET, {**STAKED, "amount": stake}))
    found = found_in(1000, *corrections)
    assert own(found) == ["R413"]
    assert sum(each.money.house or 0 for each in found) == house


@pytest.mark.parametrize("kept", [1500, None])
def test_a_corrected_payment_explains_the_finding_on_its_slip(kept):
    """A slip that is missing by either record (F607) also stands by itself."""
    found = found_in(kept, (PAYMENT, {**PAID, "amount": 1000}))
    assert own(found) == (["R413"] if kept else ["F607", "R413"])
    assert {each.number for each in found} >= {"P201", "R418"}
