"""Find the wrong calls that a bet's settlement followed.

A dealer who settles bets by a wrong call makes one error: the call. The finding about the payment
shows the call, so that it names the finding about the call as its explanation.
"""

from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.checks.bank.own_hand_turns import miscalled_hand
from sabot.domain.audit.checks.bank.tableaux_hands import miscalled_tableau
from sabot.domain.audit.checks.calls import miscalled_final_totals, miscalled_result
from sabot.domain.audit.coup_view import CoupView, excess_moved
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import Outcome, ResultCalled
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.wagers import WAGER_ON
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.values.cards import Card

WRONG_CALLS: Final = tuple(
    map(code_of, (miscalled_result, miscalled_final_totals, miscalled_hand, miscalled_tableau))
)
"""The rules on calls of which a breach may lead to wrong settlements."""

_WINS: Final = {wager: outcome for outcome, wager in WAGER_ON.items()}
"""The outcome with which each wager wins that depends on the outcome alone."""

_CARDS: Final[tuple[Card, ...]] = ("0", "A", "2", "3", "4", "5", "6", "7", "8", "9")
"""A card of each value."""


def calls_followed(view: CoupView, bet: Bet, due: Due) -> list[RecordedEvent]:
    """Return the wrong calls of a coup by which a bet was settled, though not as due."""
    wrong: list[RecordedEvent] = [
        call for call in view.wrong_result_calls if _fits_outcome(bet, call.payload.outcome)
    ]
    if excess_moved(bet, due):
        wrong += [call for call in view.coup.calls if _fits_totals(view, call, bet)]
    return wrong


def _fits_outcome(bet: Bet, called: Outcome | None) -> bool:
    """Return whether a bet was paid, taken or pushed as the called outcome requires."""
    wins, moved = _WINS.get(bet.wager), bet.paid - bet.taken
    if wins is None or wins == called:
        return wins is not None and moved > 0
    return moved == 0 if called == "T" else moved < 0


def _fits_totals(view: CoupView, call: RecordedEvent, bet: Bet) -> bool:
    """Return whether a bet was settled exactly by the called totals of the hands."""
    due: Due | None = None
    if is_of(call, HandsCalled):
        dues = game_of(view.shoe.pack).due_bets(view.shoe, _as_called(view.coup, call.payload))
        due = next((due for each, due in dues if each.number == bet.number), None)
    elif is_of(call, ResultCalled) and view.cashier is not None:
        said = {"player": call.payload.player, "banker": call.payload.banker}
        named = {hand: total for hand, total in said.items() if total is not None}
        due = view.cashier.due(bet.wager, replace(view.result, **named), bet.amount)
    return due is not None and not excess_moved(bet, due)


def _as_called(coup: Coup, call: HandsCalled) -> Coup:
    """Return a coup whose hands have as many cards, and the totals that were called."""
    said = {(each.hand, each.seat): each.total for each in call.totals}
    hands = {
        key: _cards_of(said[key], len(cards)) if key in said else cards
        for key, cards in {("banker", None): coup.banker, **coup.others}.items()
    }
    return replace(coup, banker=hands.pop(("banker", None)), others=hands)


def _cards_of(total: int, number: int) -> list[Card]:
    """Return this number of cards, with the given total or the nearest lower one."""
    values = [max(0, min(9, total - 9 * nth)) for nth in range(number)]
    return [_CARDS[value] for value in values]
