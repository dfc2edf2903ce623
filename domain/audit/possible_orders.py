"""Find what depends on an unknown order of events.

The clocks of several devices may allow more than one order of a shoe's events. A rule that compares
the places of two events then sees only one of these orders. So the shoe is audited again in the
other orders (`sabot.domain.timeline.ordering.Order.others`). A finding that is missing in one of
them depends on an unknown order, and so does a check that finds a breach in one of them only. Both
are reported as checks that were not made.

Cost: for each other order, the state of the shoe is computed again, and the coups are audited that
have findings or in which events changed places. If an event outside coups changed its place, all
coups are audited. There are at most two other orders for each device, fewer if a shoe has more than
eight devices, and none if the order of all events is known.
"""

from collections.abc import Callable, Collection, Iterator

from msgspec.structs import replace

from sabot.domain.audit.coup_numbers import coups_told_apart, folded_again
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, order_unknown
from sabot.domain.timeline.ordering import Order

Audit = Callable[[Shoe, Collection[int]], list[Finding]]
"""Returns the findings on a shoe and on its coups with these recorded numbers."""

_UNKNOWN = Reason("order-unknown", "the order of events of several devices is doubtful")


def depend_on_order(
    shoe: Shoe, coups: Collection[int], found: Collection[Finding], audit: Audit
) -> Iterator[tuple[Finding, Reason]]:
    """Yield the findings that only some of the possible orders have, each with the reason.

    Args:
        shoe: the shoe, with its events in their order at the table.
        coups: the numbers of the audited coups.
        found: the findings in this order.
        audit: a function that returns the findings in another order.
    """
    left = list(found)
    for order in shoe.order.others() if shoe.order is not None else ():
        chosen = {each.coup for each in left if each.coup is not None}
        chosen |= _moved(shoe, order, coups)
        there = audit(_in_order(shoe, order), chosen)
        missing = _not_in(there, left)
        for each in (*missing, *_not_in(found, there)):
            yield each, _why(shoe, order, each)
        left = [each for each in left if each not in missing]


def _moved(shoe: Shoe, other: Order, coups: Collection[int]) -> set[int]:
    """Return those of some coups for which an event has another place in another order.

    An event outside coups, for example of a patron who leaves, may matter to each of them.
    """
    assert shoe.order is not None
    pairs = zip(shoe.order.events, other.events, strict=True)
    moved = {getattr(one.payload, "coup", None) for one, there in pairs if one.index != there.index}
    return set(coups) if None in moved else {coup for coup in coups if coup in moved}


def _not_in(some: Collection[Finding], findings: Collection[Finding]) -> list[Finding]:
    """Return findings that an audit in another order did not make."""
    known = {each.fingerprint for each in some} | set(map(_said, some))
    return [each for each in findings if known.isdisjoint((each.fingerprint, _said(each)))]


def _said(finding: Finding) -> tuple[object, ...]:
    """Return what a finding says, without the event that shows it."""
    return finding.code, finding.coup, finding.patron, finding.message, finding.observed


def _in_order(shoe: Shoe, order: Order) -> Shoe:
    """Return the state of a shoe after its events in another order."""
    other = replace(shoe, order=order, recorded_numbers={})
    return set_foreign_aside(coups_told_apart(folded_again(other, order.events)))


def _why(shoe: Shoe, other: Order, finding: Finding) -> Reason:
    """Return two events, one of them of a finding, that changed places in another order."""
    assert shoe.order is not None
    places = {event.index: event.position for event in other.events}
    for one in shoe.order.events:
        if one.index not in finding.events:
            continue
        for event in shoe.order.events:
            now, then = one.position < event.position, places[one.index] < places[event.index]
            if now != then and (reason := order_unknown(shoe, one, event)) is not None:
                return reason
    return _UNKNOWN
