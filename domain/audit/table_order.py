"""The order at the table: what the auditor judges by.

A shoe is folded again in the order that its devices' clocks tell
(`sabot.domain.timeline.ordering`), where that is not the order in which the events came. A rule
whose verdict rests on the order of two events asks `why_order_unknown` first.
"""

from collections.abc import Iterable
from itertools import pairwise, product
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.rule import CoupView
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, apply
from sabot.domain.timeline.evidence import Unknown, order_unknown, settle
from sabot.domain.timeline.ordering import order_of

DOUBTFUL: Final = " is doubtful: "
"""What stands in every reason why nobody knows the order of two events."""

_FOUR: Final = 4
"""The cards that both hands are dealt first."""


def at_the_table(shoe: Shoe) -> Shoe:
    """Return the shoe with its events in their order at the table.

    That is the shoe given, where its events came in that order and nothing of it is in doubt.
    """
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    order = order_of(shoe.history, clocks)
    if order is None:
        return shoe
    if order.as_recorded:
        return replace(shoe, order=order)
    again = Shoe(shoe.stream)
    again.history, again.order = shoe.history, order
    again.seqs_in_other_streams, again.corrections = shoe.seqs_in_other_streams, shoe.corrections
    again.at_table = shoe.at_table
    for event in order.events:
        apply(again, event)
    return again


def why_order_unknown(shoe: Shoe, one: RecordedEvent, other: RecordedEvent) -> str | None:
    """Say why nobody knows which of two events came first; None where it is known."""
    reason = order_unknown(shoe, one, other)
    return None if reason is None else reason.text


def doubt_among(
    shoe: Shoe, some: Iterable[RecordedEvent], others: Iterable[RecordedEvent]
) -> str | None:
    """Say why nobody knows which came first, for the first such pair of one and one other."""
    if shoe.order is None:
        return None
    pairs = product(some, list(others))
    return next(filter(None, (why_order_unknown(shoe, one, other) for one, other in pairs)), None)


def doubt_in_row(shoe: Shoe, events: Iterable[RecordedEvent]) -> str | None:
    """Say why nobody knows the order of events that follow one another."""
    if shoe.order is None:
        return None
    rows = pairwise(events)
    return next(filter(None, (why_order_unknown(shoe, one, other) for one, other in rows)), None)


def settle_ground(shoe: Shoe, coup: Coup | None, event: RecordedEvent) -> None:
    """Make sure that it is known whether the bet, or the card, of an event came before it.

    Raises:
        Unknown: it is not.
    """
    if shoe.order is None or coup is None:
        return
    if isinstance(event.payload, ev.CardTurned):
        settle(shoe, [event], coup.cards)
        return
    bet = coup.bets.get(getattr(event.payload, "bet", None) or 0)
    settle(shoe, [bet.placed] if bet is not None else [], [event])


def _ground_in_doubt(shoe: Shoe, coup: Coup, event: RecordedEvent) -> str | None:
    try:
        settle_ground(shoe, coup, event)
    except Unknown as unknown:
        return unknown.reason.text
    return None


def bets_in_doubt(shoe: Shoe, coup: Coup) -> dict[int, str]:
    """Say of the bets that events may speak of which came to the log before them, why nobody knows.

    Such an event found no bet: what was paid and taken is not all reckoned to it.
    """
    if shoe.order is None or not coup.unmatched_events:
        return {}
    doubts = {
        getattr(event.payload, "bet", None) or 0: _ground_in_doubt(shoe, coup, event)
        for event in coup.unmatched_events
    }
    return {bet: reason for bet, reason in doubts.items() if reason is not None}


def hands_in_doubt(view: CoupView) -> str | None:
    """Say why nobody knows which card of a hand was the third, where nobody does."""
    if view.shoe.order is None:
        return None
    hands: dict[str, list[RecordedEvent]] = {"player": [], "banker": []}
    for event in view.coup.cards:
        hands.setdefault(event.payload.hand, []).append(event)
    in_rows = (doubt_in_row(view.shoe, hand) for hand in hands.values())
    return next(filter(None, in_rows), None) or close_in_doubt(view)


def close_in_doubt(view: CoupView) -> str | None:
    """Say why nobody knows whether a third card that was due came before its coup was closed.

    It is then in its hand: had it come behind the close, the hand had stood.
    """
    closed, drawn = view.coup.closed, view.coup.cards[_FOUR:]
    if view.shoe.order is None or closed is None or not drawn:
        return None
    due = {
        "player": player_draws(view.player_total, view.banker_total),
        "banker": banker_draws(view.player_total, view.banker_total, view.player_third),
    }
    thirds = [card for card in drawn if due.get(card.payload.hand)]
    return doubt_among(view.shoe, thirds, (closed,))
