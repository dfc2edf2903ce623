"""A harmful fault of the shuffler ends the coup, and bets are returned.

Source: NSW_MINI_BACCARAT_RULE_12 (12.4).
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from tests.support.audited import codes
from tests.support.coup_notation import Felt

RETURN = ev.IrregularityNoted("shuffler-fault", "return-bets", 1, "sue")
FAILED = ev.ShufflerFailed(fault="jam", disadvantage=True, coup=1)
HARMLESS = ev.ShufflerFailed(fault="jam", disadvantage=False, coup=1)
VOID = ev.CoupVoided(1, "the shuffler jammed", "sue")
BACK = (ev.BetPushed(1, 1), ev.CoupClosed(1))
CALLED = ev.ResultCalled(1, 9, 8, "P")

NOT_NOTED = "unreported-shuffler-fault"
NO_REASON = "unjustified-void"
WENT_ON = "play-after-shuffler-fault"


def after(cards: str, *then: ev.Event) -> Shoe:
    """A bet of 5.00 on Player, some cards, and what happened then; another coup follows."""
    felt = Felt("nsw", crew=(ev.Crew("dealer", "ann"),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1), ev.NoMoreBets(1))
    return felt.cards(cards).put(*then).coup("P 4 5  B K 8", 2).shoe


@pytest.mark.parametrize("back", [ev.BetPushed(1, 1), ev.BetWithdrawn(1, 1)])
@pytest.mark.parametrize("cards", ["> P 4  B K", "P 4 5  B K 8"])
def test_a_coup_that_ended_on_a_fault_and_whose_bets_went_back_was_ended_as_is_due(cards, back):
    assert codes(after(cards, FAILED, RETURN, back, ev.CoupClosed(1))) == []


def test_a_coup_of_which_a_bet_stays_did_not_end():
    """It is closed on two cards, and nobody called a result."""
    found = codes(after("> P 4  B K", FAILED, RETURN, ev.CoupClosed(1)))
    assert {WENT_ON, "coup-short-of-cards", "result-not-called"} <= set(found)
    assert "ruling-not-carried-out" in found


def test_bets_that_went_back_without_a_ruling_end_no_coup():
    assert WENT_ON in codes(after("> P 4  B K", FAILED, *BACK))


def test_the_fault_is_the_reason_of_a_void_that_nobody_noted():
    assert codes(after("> P 4  B K", FAILED, VOID)) == [NOT_NOTED]
    assert codes(after("> P 4  B K", FAILED, RETURN, VOID)) == []


@pytest.mark.parametrize(
    "shoe",
    [
        # nobody was worse off
        after("> P 4  B K", HARMLESS, VOID),
        # Player had won by then
        after("P 4 5  B K 8", CALLED, FAILED, VOID),
        # the coup went on until he had won
        after("P 4 5  B K 8", FAILED, CALLED, VOID),
    ],
    ids=["harmless", "behind the result", "not at once"],
)
def test_a_fault_is_no_reason_where_it_did_not_end_the_coup(shoe):
    assert NO_REASON in codes(shoe)


def test_a_fault_is_no_reason_where_cards_were_dealt_on():
    felt = Felt("nsw").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1), ev.NoMoreBets(1))
    felt.cards("> P 4  B K").put(FAILED).cards("> P 5  B 8").put(VOID)
    assert NO_REASON in codes(felt.shoe)
