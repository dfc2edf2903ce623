"""Find the event that dealt a card, or that left a hand without its card.

A hand that should have drawn misses its card when another event comes first: a card for the other
hand, or the call of the result. The staff on duty at that event are responsible.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from functools import partial
from itertools import product
from typing import Final, NamedTuple

from sabot.domain.audit.coup_view import CoupView, next_coup, third_cards_due
from sabot.domain.events import (
    BetPaid,
    BetPushed,
    BetTaken,
    CardDrawn,
    CardReassigned,
    CoupClosed,
    Hand,
    ResultCalled,
)
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.games import game_of
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.state.coup_state import Coup
from sabot.domain.timeline.evidence import before, surely
from sabot.domain.values.cards import FIRST_TWO

Settlement = RecordedEvent[BetTaken | BetPaid | BetPushed]
"""An event that settles a bet."""
_SIDES: Final[tuple[Hand, Hand]] = ("player", "banker")
_GOES_ON: Final = (
    CardDrawn, CardReassigned, ResultCalled, BetPaid, BetPushed, BetTaken, CoupClosed,
)  # fmt: skip
"""Events that continue a coup after the last card of a hand."""


class Lying(NamedTuple):
    """A card in a hand, with the events that brought it there.

    ``drawn`` and ``given`` are these events: the draw, and the moves to another hand, latest first.
    """

    drawn: RecordedEvent[CardDrawn]
    given: tuple[RecordedEvent[CardReassigned], ...] = ()


def hands_at(coup: Coup, until: RecordedEvent | None = None) -> defaultdict[str, list[Lying]]:
    """Return the cards that each hand had just before an event, in order.

    Cards that were burned at any time are left out.

    Args:
        coup: the coup.
        until: the event; None for the end of the coup.
    """
    hands: defaultdict[str, list[Lying]] = defaultdict(list)
    moves: list[RecordedEvent] = [*coup.cards, *coup.reassigned]
    for event in sorted(moves, key=lambda event: event.position):
        if until is not None and event.position >= until.position:
            break
        if is_of(event, CardDrawn):
            hands[event.payload.hand].append(Lying(event))
        elif is_of(event, CardReassigned) and hands[event.payload.hand]:
            card = hands[event.payload.hand].pop()
            hands[event.payload.to].append(Lying(card.drawn, (event, *card.given)))
    return hands


def events_of_card(coup: Coup, hand: Hand, nth: int) -> tuple[RecordedEvent, ...]:
    """Return the events that brought a card to its hand, the latest first.

    ``nth`` is the place of the card in the hand, from 1.
    """
    held = hands_at(coup)[hand]
    if nth <= len(held):
        return (*held[nth - 1].given, held[nth - 1].drawn)
    return tuple(coup.reassigned[:1] or coup.cards[:1])


def paid_before_cards(view: CoupView, wager: str | None) -> list[Settlement]:
    """Return the settlements of a wager that surely came before the last hand had two cards."""
    held: Counter[Hand] = Counter()
    last: RecordedEvent | None = None
    for card in view.coup.cards:
        held[card.payload.hand] += 1
        last = card if held[card.payload.hand] <= FIRST_TWO else last
    moves = (move for bet in view.coup.bets.values() if bet.wager == wager for move in bet.moves)
    return [move for move in moves if last and surely(partial(before, view, move, last))]


def cards_behind_call(
    view: CoupView, is_called: Callable[[Result], bool]
) -> Sequence[RecordedEvent]:
    """Return the cards that show a wrong call.

    A third card that was drawn against the table explains the call if the call fits the hands
    without it. If it does not, it is left out: the call is then a fault of its own.

    Args:
        view: the view of the coup.
        is_called: returns whether the call fits a result.
    """
    coup, undue = view.coup, _drawn_against_table(view)
    player, banker = (
        [coup.hand(hand), coup.hand(hand)[:FIRST_TWO]] if hand in undue else [coup.hand(hand)]
        for hand in _SIDES
    )
    if any(is_called(result_of(*hands)) for hands in product(player, banker)):
        return coup.cards
    third = [event for hand in undue for event in events_of_card(coup, hand, FIRST_TWO + 1)]
    return [card for card in coup.cards if card not in third]


def _drawn_against_table(view: CoupView) -> list[Hand]:
    """Return the hands of punto banco whose third card was not due."""
    if game_of(view.shoe.pack).name != "punto-banco":
        return []
    due = third_cards_due(view)
    return [hand for hand in _SIDES if len(view.coup.hand(hand)) > FIRST_TWO and not due[hand]]


def passed_over(view: CoupView, hand: Hand) -> RecordedEvent:
    """Return the event that came where the third card of a hand was due."""
    coup = view.coup
    since = _position_of_second_cards(coup) if hand == "player" else coup.cards[-1].position
    behind = (
        event
        for event in coup.events
        if event.position > since
        and isinstance(event.payload, _GOES_ON)
        and not _is_card_for(event, hand)
    )
    then = min(behind, key=lambda event: event.position, default=None)
    return then or next_coup(view.shoe, coup) or view.shoe.ended or coup.cards[-1]


def _position_of_second_cards(coup: Coup) -> int:
    """Return the position of the event after which both hands have two cards."""
    firsts = (
        card
        for side in ("player", "banker")
        for card in [each for each in coup.cards if each.payload.hand == side][:FIRST_TWO]
    )
    return max(card.position for card in firsts)


def _is_card_for(event: RecordedEvent, hand: Hand) -> bool:
    """Return whether an event is a draw for a hand."""
    return isinstance(event.payload, CardDrawn) and event.payload.hand == hand
