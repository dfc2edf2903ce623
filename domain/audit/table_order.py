"""Put the events of a shoe in their order at the table.

The audit uses this order. If the clocks of the devices give another order than the log
(`sabot.domain.timeline.ordering`), the state of the shoe is computed again in that order. Rules ask
`sabot.domain.timeline.evidence` which of two events came first.
"""

from functools import partial

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.coup_numbers import coups_told_apart, folded_again
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, answer_or_reason, settle
from sabot.domain.timeline.ordering import order_of


def at_the_table(shoe: Shoe) -> Shoe:
    """Return the shoe in the order of events at the table, with a number for each coup.

    The same shoe is returned if nothing changes: the recorded order is certain and equals that at
    the table, and no coup number was used twice or is out of place.
    """
    return coups_told_apart(_in_order(shoe))


def _in_order(shoe: Shoe) -> Shoe:
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    order = order_of(shoe.history, clocks)
    if order is None:
        return shoe
    ordered = replace(shoe, order=order)
    return ordered if order.as_recorded else folded_again(ordered, order.events)


def settle_ground(shoe: Shoe, coup: Coup | None, event: RecordedEvent) -> None:
    """Check that a settlement certainly came after its bet, and a turned card after its draw.

    Raises:
        Unknown: the order of the two events is not known.
    """
    if shoe.order is None or coup is None:
        return
    if isinstance(event.payload, ev.CardTurned):
        settle(shoe, [event], coup.cards)
        return
    bet = coup.bets.get(getattr(event.payload, "bet", None) or 0)
    settle(shoe, [bet.placed] if bet is not None else [], [event])


def bets_in_doubt(shoe: Shoe, coup: Coup) -> dict[int, Reason]:
    """Return the bets with events of unknown order.

    Such an event matched no bet when it was applied. The amounts paid and taken for the bet are
    then incomplete.

    Returns:
        the numbers of the bets, each with the reason.
    """
    if shoe.order is None or not coup.unmatched_events:
        return {}
    doubts = {
        getattr(event.payload, "bet", None) or 0: answer_or_reason(
            partial(settle_ground, shoe, coup, event)
        )
        for event in coup.unmatched_events
    }
    return {bet: reason for bet, reason in doubts.items() if reason is not None}
