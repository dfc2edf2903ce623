"""The needs and subjects of rules beyond one shoe.

These rules check batches of cards, tables and the floor. `sabot.domain.audit.needs` has those of
the rules for a shoe.
"""

from collections.abc import Callable, Sequence
from typing import Final

from sabot.domain.audit.floor_view import NO_CLOCK, BatchView, ShoeSummary, TableView
from sabot.domain.audit.rule_group import Need, each, need
from sabot.domain.rules.pack_sections import Custody
from sabot.domain.timeline.evidence import Reason, Unknown, incomplete

View = BatchView | TableView

_CLOCKS_APART: Final = Reason("order-unknown", NO_CLOCK)
_NO_SHOE: Final = "no shoe was loaded with the batch"


@need("order", _CLOCKS_APART)
def clocks_comparable(view: View) -> bool:
    """The compared events all have times of the table's clock, or none of them has one."""
    return view.order_known


def clocks_apart() -> Unknown:
    """Return the `Unknown` to raise if only one of two events has a time of the table's clock."""
    return Unknown(_CLOCKS_APART)


def shoe_of_kept_bet(view: TableView, name: str) -> ShoeSummary:
    """Return the shoe of an abandoned bet, which may be of another table.

    Raises:
        Unknown: the shoe is not on record.
    """
    shoe = next((each for each in view.floor.shoes if each.name == name), None)
    if shoe is None:
        raise incomplete(f"shoe {name}, of which a bet was kept, is not on record")
    return shoe


# -- A batch of cards ------------------------------------------------------------------------------


@need("rules", "the pack does not say how cards are kept", "not-required")
def custody_stated(view: BatchView) -> bool:
    """The cards' rule pack has a section on custody."""
    if view.pack is None:
        raise incomplete("no shoe names the rule pack for the custody of the cards")
    return view.pack.custody is not None


def custody_says(what: str, states: Callable[[Custody], bool]) -> Need[BatchView]:
    """Return the need that the rule pack has a certain requirement on custody.

    Args:
        what: the requirement, as the end of a sentence: ``how often cards are counted``.
        states: a function that returns whether the pack has it.
    """
    unsaid = Reason("not-required", f"the pack does not say {what}")

    def missing(view: BatchView) -> Reason | None:
        return custody_stated.missing(view) or (None if states(view.custody) else unsaid)

    return Need("rules", f"the rule pack says {what}", missing)


@need("batch", "the record of the cards does not begin with their delivery")
def begins_with_delivery(view: BatchView) -> bool:
    """The record of the cards begins with their delivery."""
    batch = view.batch
    return batch.begins_with_delivery and not any(
        count.counted.position < batch.moves[0].position for count in batch.tallies
    )


@need("batch", "no delivery of the cards was recorded")
def delivered(view: BatchView) -> bool:
    """The record holds the delivery of the cards."""
    return bool(view.batch.received)


CLOCKED_WITH_A_DELIVERY: Final = (clocks_comparable, delivered)
"""The needs of rules on the time since the cards were delivered or counted."""


@need("shoe", _NO_SHOE, "nothing-to-check")
def loaded(view: BatchView) -> bool:
    """A shoe was loaded with the cards."""
    return bool(view.shoes)


@each("shoe", _NO_SHOE)
def shoes(view: BatchView) -> Sequence[ShoeSummary]:
    """Return each shoe that was loaded with the cards."""
    return view.shoes


# -- A table ---------------------------------------------------------------------------------------


@need("table", "no adoption of a rule pack was recorded")
def pack_adopted(view: TableView) -> bool:
    """The record holds the adoption of a rule pack at the table."""
    return bool(view.table.packs)
