"""Late corrections of commission: what each patron gave, was charged and owed.

A Banker bet of 25.00 wins 25.00 and owes 1.25. All amounts are worked out by hand beside each. What
all findings together give a patron is what he has by the corrected record, less what was due by the
first.
"""

from collections import Counter

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.coup_notation import Felt

WON = "P 4 3  B K 8"
MARKED = ev.CommissionMarked(1, 1, 125)
FIRST, SECOND = (ev.CommissionCollected(who, 125, 1, bet) for bet, who in ((1, "p1"), (2, "p2")))


def corrected(felt: Felt, was: ev.Event, instead: ev.Event | None, by: str = "rita") -> Felt:
    """Correct an event after the coup."""
    version = next(event.position for event in felt.events if event.payload == was)
    return felt.put(ev.EventCorrected(version, "misread", by, instead))


def gains(felt: Felt) -> dict[str, int]:
    """Return what each patron got too much, by all findings together."""
    total: Counter[str] = Counter()
    for finding in audit_shoe(felt.shoe).findings:
        total.update(finding.money.patrons)
    return {patron: gain for patron, gain in total.items() if gain}


def by_themselves(felt: Felt) -> list[str]:
    """Return the numbers of the findings that no other explains."""
    return [each.number for each in audit_shoe(felt.shoe).findings if each.explained_by is None]


def two_winners() -> Felt:
    """P1 and p2 have 25.00 each on Banker; the commission is collected with the payments."""
    felt = (
        Felt("classic-4")
        .ready()
        .put(ev.CoupOpened(1), bet := ev.BetPlaced(1, 1, "p1", "banker", 2500))
    )
    felt.put(replace(bet, bet=2, patron="p2"), ev.NoMoreBets(1)).cards(WON)
    felt.put(ev.ResultCalled(1, 7, 8, "B"), ev.BetPaid(1, 1, 2500), FIRST)
    return felt.put(ev.BetPaid(1, 2, 2500), SECOND, ev.CoupClosed(1))


def test_collected_commission_is_given_to_another_patron():
    """By the corrected record p2 gave the commission of both."""
    felt = two_winners()
    assert by_themselves(felt) == []
    corrected(felt, FIRST, replace(FIRST, patron="p2"))
    assert by_themselves(felt) == ["R413"]
    assert gains(felt) == {"p1": 125, "p2": -125}


def test_a_bet_and_its_commission_are_given_to_another_patron():
    """The 23.75 that p1 won are p3's."""
    felt = two_winners()
    placed = ev.BetPlaced(1, 1, "p1", "banker", 2500)
    corrected(
        corrected(felt, placed, replace(placed, patron="p3")), FIRST, replace(FIRST, patron="p3")
    )
    assert by_themselves(felt) == ["R413"]
    assert gains(felt) == {"p1": -2375, "p3": 2375}


def test_commission_that_names_no_bet_is_corrected():
    """P1 gave 0.25 by the corrected record, 1.00 too little."""
    felt = Felt("classic-4").ready().coup(f"p1 banker 2500 | {WON} | B 7-8 | 1 pay 2500")
    felt.put(given := ev.CommissionCollected("p1", 125, 1)).coup("P 4 5  B K 8")
    assert by_themselves(felt) == []
    corrected(felt, given, replace(given, amount=25))
    assert by_themselves(felt) == ["R413"]
    assert gains(felt) == {"p1": 100}


def one_mark(mark: int, now: int, collected: int, *, ended: bool = True) -> Felt:
    """P1's mark is corrected after the coup; then commission is collected, and the shoe ends."""
    felt = Felt("midi").ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 2500))
    felt.put(ev.NoMoreBets(1)).cards(WON).put(ev.ResultCalled(1, 7, 8, "B"), ev.BetPaid(1, 1, 2500))
    felt.put(marked := replace(MARKED, amount=mark), ev.CoupClosed(1))
    corrected(felt, marked, replace(marked, amount=now) if now else None)
    if collected:
        felt.put(ev.CommissionCollected("p1", collected))
    return felt.put(ev.ShoeEnded(reason="withdrawn")) if ended else felt


@pytest.mark.parametrize(
    ("mark", "now", "collected", "gain"),
    [
        (125, 25, 25, 100),
        (125, 25, 125, 0),
        (125, 25, 0, 125),
        (125, 0, 0, 125),
        (125, 0, 125, 0),
        (125, 225, 225, -100),
        (125, 225, 125, 0),
        # the first mark was wrong
        (25, 125, 125, 0),
        (25, 125, 25, 100),
        (225, 125, 125, 0),
        (25, 75, 75, 50),
    ],
)
def test_a_mark_is_corrected_before_commission_is_collected(mark, now, collected, gain):
    """1.25 were due: what was collected less is the patron's gain, whatever was marked."""
    felt = one_mark(mark, now, collected)
    assert "R413" in by_themselves(felt)
    assert gains(felt) == ({"p1": gain} if gain else {})


def test_while_the_shoe_lasts_the_corrected_mark_is_what_the_patron_owes():
    assert gains(one_mark(125, 25, 0, ended=False)) == {"p1": 100}


@pytest.mark.parametrize("collected_from", ["p1", "p2"])
def test_a_bet_with_a_mark_is_given_to_another_patron(collected_from):
    """The 25.00 are p2's; what was collected is still the one's who gave it."""
    felt = (
        Felt("midi").ready().put(ev.CoupOpened(1), bet := ev.BetPlaced(1, 1, "p1", "banker", 2500))
    )
    felt.put(ev.NoMoreBets(1)).cards(WON).put(ev.ResultCalled(1, 7, 8, "B"), ev.BetPaid(1, 1, 2500))
    felt.put(MARKED, ev.CoupClosed(1))
    corrected(felt, bet, replace(bet, patron="p2"))
    felt.put(ev.CommissionCollected(collected_from, 125), ev.ShoeEnded(reason="withdrawn"))
    assert by_themselves(felt) == ["R413"]
    won = {"p1": 0, "p2": 2500}
    won[collected_from] -= 125
    assert gains(felt) == {"p1": won["p1"] - 2375, "p2": won["p2"]}
