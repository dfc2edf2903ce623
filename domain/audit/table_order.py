"""The order at the table: what the auditor judges by.

A shoe is folded again in the order that its devices' clocks tell
(`sabot.domain.timeline.ordering`), where that is not the order in which the events came.
Rules ask `sabot.domain.timeline.evidence` which of two events came first.
"""

from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, apply
from sabot.domain.timeline.evidence import Reason, Unknown, settle
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


def _ground_in_doubt(shoe: Shoe, coup: Coup, event: RecordedEvent) -> Reason | None:
    try:
        settle_ground(shoe, coup, event)
    except Unknown as unknown:
        return unknown.reason
    return None


def bets_in_doubt(shoe: Shoe, coup: Coup) -> dict[int, Reason]:
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
