"""The messages about late bets and late changes of bets."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.coup_notation import Felt

DRAWN = [ev.CardDrawn(1, "player", "4s"), ev.CardDrawn(1, "banker", "Kh")]


def message(late: ev.Event, *, bet: bool = True) -> str:
    """The message of a late event, 3.6 s after the call and after two cards."""
    felt = Felt(stream="shoe/H-1").ready()
    told = [ev.CoupOpened(1), *([ev.BetPlaced(1, 1, "ann", "player", 10000)] * bet)]
    at = 1_000_000
    for payload in told:
        felt.tell("", at, payload)
    felt.tell("", at, ev.NoMoreBets(1))
    for payload in DRAWN:
        felt.tell("", at + 1_000, payload)
    felt.tell("", at + 3_600, late)
    codes = ("past-posted-bet", "late-bet-change")
    (found,) = [one for one in audit_shoe(felt.shoe).findings if one.code in codes]
    return found.message


WHEN = 'after card 2 (Player 4♠, Banker K♥), 3.6 s after "no more bets"'


@pytest.mark.parametrize(
    ("late", "what"),
    [
        (ev.BetChanged(1, 1, 15000), "raised from 100.00 EUR to 150.00 EUR"),
        (ev.BetChanged(1, 1, 2550), "pinched from 100.00 EUR to 25.50 EUR"),
        (ev.BetWithdrawn(1, 1), "of 100.00 EUR withdrawn"),
    ],
)
def test_a_late_change_says_what_moved_and_when(late, what):
    assert message(late) == f"ann's bet on player {what} {WHEN}"


def test_a_past_posted_bet_says_its_amount_and_when():
    late = ev.BetPlaced(1, 1, "bob", "banker", 5000)
    assert message(late, bet=False) == f"bob's bet on banker of 50.00 EUR placed {WHEN}"
