"""Keep the findings that do not depend on an unknown order of events.

The clocks of several devices may allow more than one order of a shoe's events. A rule that compares
the places of two events then sees only one of these orders. So a shoe with findings is audited
again in the other orders (`sabot.domain.timeline.ordering.Order.others`). A finding that is missing
in one of them depends on an unknown order: the check is reported as not made. A shoe without
findings is not audited again. For such a shoe, only the rules that ask for an order report that it
is unknown.

Cost: two more audits for each device, of the coups with findings, in shoes whose order of events is
not certain.
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
    shoe: Shoe, found: Collection[Finding], audit: Audit
) -> Iterator[tuple[Finding, Reason]]:
    """Yield the findings that are missing in another possible order, each with the reason.

    Args:
        shoe: the shoe, with its events in their order at the table.
        found: the findings in this order.
        audit: a function that returns the findings in another order.
    """
    if shoe.order is None or not found:
        return
    left = list(found)
    for order in shoe.order.others():
        coups = {each.coup for each in left if each.coup is not None}
        there = audit(_in_order(shoe, order), coups)
        known = {each.fingerprint for each in there} | set(map(_said, there))
        missing = [each for each in left if known.isdisjoint((each.fingerprint, _said(each)))]
        for each in missing:
            yield each, _why(shoe, order, each)
            left.remove(each)


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
