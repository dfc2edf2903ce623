"""What rules need of a record, and what they are asked about one by one.

A rule names them (`sabot.domain.audit.rule_group`). From them follow the sentence that says why a
rule was not applied, and what is not judged where a record has no cards, bets, calls or seats.
"""

from collections.abc import Callable, Sequence
from typing import Final

from sabot.domain.audit import table_order
from sabot.domain.audit.completeness import COUPS_ALONE, NO_BETS
from sabot.domain.audit.rule import (
    NO_CARDS,
    NO_PACK,
    STARTS_BEFORE_RECORD,
    CoupView,
)
from sabot.domain.audit.rule_group import Need, each, need
from sabot.domain.events import Hand
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason

# -- The rule pack --------------------------------------------------------


def pack_says(what: str, states: Callable[[RulePack], object]) -> Need[CoupView]:
    """Need the rule pack of a coup's shoe to say something.

    Args:
        what: what it says, as the end of a sentence: ``how a wrong draw is ruled on``.
        states: returns what it says; None, False or nothing where it does not.
    """

    def missing(view: CoupView) -> Reason | None:
        return _unsaid(view.shoe, what, states)

    return Need("rules", f"the rule pack says {what}", missing)


def shoe_pack_says(what: str, states: Callable[[RulePack], object]) -> Need[Shoe]:
    """Need the rule pack of a shoe to say something; see `pack_says`."""

    def missing(shoe: Shoe) -> Reason | None:
        return _unsaid(shoe, what, states)

    return Need("rules", f"the rule pack says {what}", missing)


def _unsaid(shoe: Shoe, what: str, states: Callable[[RulePack], object]) -> Reason | None:
    if shoe.pack is None:
        return NO_PACK
    return None if states(shoe.pack) else Reason("not-required", f"the pack does not say {what}")


@need("rules", "not-required")
def pack_readable(view: CoupView) -> str | None:
    """The rule pack can be read."""
    return NO_PACK.text if view.cashier is None else None


@need("rules", "not-required")
def shoe_pack_readable(shoe: Shoe) -> str | None:
    """The rule pack can be read."""
    return NO_PACK.text if shoe.pack is None else None


@need("rules")
def pack_named(view: CoupView) -> str | None:
    """The record names the rule pack."""
    loaded = view.shoe.loaded
    named = loaded is None or getattr(loaded.payload, "pack_named", True)
    return None if named else "the record names no rules"


# -- What the record holds of a coup --------------------------------------------------------


@need("shoe")
def whole_record(view: CoupView) -> str | None:
    """The record holds the events of the shoe, and not its coups alone."""
    return COUPS_ALONE if view.shoe.scope == "coups" else None


@need("shoe")
def whole_shoe(shoe: Shoe) -> str | None:
    """The record holds the events of the shoe, and not its coups alone."""
    return COUPS_ALONE if shoe.scope == "coups" else None


@need("bets", "nothing-to-check")
def has_bets(view: CoupView) -> str | None:
    """The coup has bets."""
    return None if view.coup.bets else NO_BETS


@need("cards")
def has_cards(view: CoupView) -> str | None:
    """The record holds cards of the coup."""
    return None if view.coup.cards else NO_CARDS


@need("cards")
def from_first_card(view: CoupView) -> str | None:
    """The record holds the beginning of the coup."""
    return STARTS_BEFORE_RECORD if view.starts_before_record else None


@need("cards", "nothing-to-check")
def card_drawn(view: CoupView) -> str | None:
    """A card was drawn."""
    return None if view.coup.cards else "no card was drawn"


@need("cards", "nothing-to-check")
def all_dealt(view: CoupView) -> str | None:
    """Each hand has its first two cards."""
    return None if view.dealt else "a hand has fewer than two cards"


@need("play", "nothing-to-check")
def not_voided(view: CoupView) -> str | None:
    """The coup was not voided."""
    return "the coup was voided" if view.coup.voided is not None else None


@need("order", "order-unknown")
def third_cards_known(view: CoupView) -> str | None:
    """It is known which card of a hand was its third."""
    return table_order.hands_in_doubt(view)


# -- When a breach is told --------------------------------------------------------


@need("play", "not-due")
def result_called(view: CoupView) -> str | None:
    """The result was called, or the coup was left."""
    return "the coup is still in play" if view.in_play else None


@need("play", "not-due")
def coup_over(view: CoupView) -> str | None:
    """The coup was closed, voided or left."""
    return "the coup is still in play" if view.open else None


@need("play", "not-due")
def bets_closed(view: CoupView) -> str | None:
    """The bets were closed: by the call, or by the first card."""
    return "the bets are still open" if view.coup.bets_closed is None else None


# -- What a rule is asked about one by one --------------------------------------------------------

SIDES: Final[tuple[Hand, ...]] = ("player", "banker")
"""The two hands of a coup at one table."""


@each("bet", NO_BETS, about="bets")
def bets(view: CoupView) -> Sequence[Bet]:
    """Return each bet of a coup, whatever became of it."""
    return list(view.coup.bets.values())


@each("hand", NO_CARDS, "record-incomplete", "cards")
def hands(view: CoupView) -> Sequence[Hand]:
    """Return each hand of a coup that has cards."""
    return [hand for hand in SIDES if view.coup.hand(hand)]
