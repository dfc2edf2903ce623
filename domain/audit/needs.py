"""What rules need of a record, and what they are asked about one by one.

A rule names them (`sabot.domain.audit.rule_group`). From them follow the sentence that says why a
rule was not applied, and what is not judged where a record has no cards, bets, calls or seats.
"""

from collections.abc import Callable, Sequence
from typing import Final, Protocol

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
from sabot.domain.rules.third_card_table import banco_draws, punto_draws
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, Unknown, in_sequence, settle

SIDES: Final[tuple[Hand, ...]] = ("player", "banker")
"""The two hands of a coup at one table."""

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


@need("rules", NO_PACK)
def pack_readable(view: CoupView) -> bool:
    """The rule pack can be read."""
    return view.cashier is not None


@need("rules", NO_PACK)
def shoe_pack_readable(shoe: Shoe) -> bool:
    """The rule pack can be read."""
    return shoe.pack is not None


@need("rules", "the record names no rules")
def pack_named(view: CoupView) -> bool:
    """The record names the rule pack."""
    loaded = view.shoe.loaded
    return loaded is None or loaded.payload.pack_named


@need("rules", "the record names no rules")
def shoe_pack_named(shoe: Shoe) -> bool:
    """The record names the rule pack."""
    return shoe.loaded is None or shoe.loaded.payload.pack_named


# -- What the record holds of a coup --------------------------------------------------------


@need("shoe", COUPS_ALONE)
def whole_record(view: CoupView) -> bool:
    """The record holds the events of the shoe, and not its coups alone."""
    return view.shoe.scope != "coups"


@need("shoe", COUPS_ALONE)
def whole_shoe(shoe: Shoe) -> bool:
    """The record holds the events of the shoe, and not its coups alone."""
    return shoe.scope != "coups"


@need("bets", NO_BETS, "nothing-to-check")
def has_bets(view: CoupView) -> bool:
    """The coup has bets."""
    return bool(view.coup.bets)


@need("cards", NO_CARDS)
def has_cards(view: CoupView) -> bool:
    """The record holds cards of the coup."""
    return bool(view.coup.cards)


@need("cards", STARTS_BEFORE_RECORD)
def from_first_card(view: CoupView) -> bool:
    """The record holds the beginning of the coup."""
    return not view.starts_before_record


@need("cards", "no card was drawn", "nothing-to-check")
def card_drawn(view: CoupView) -> bool:
    """A card was drawn."""
    return bool(view.coup.cards)


@need("cards", "a hand has fewer than two cards", "nothing-to-check")
def all_dealt(view: CoupView) -> bool:
    """Each hand has its first two cards."""
    return view.dealt


@need("play", "the coup was voided", "nothing-to-check")
def not_voided(view: CoupView) -> bool:
    """The coup was not voided."""
    return view.coup.voided is None


@need("order")
def third_cards_known(view: CoupView) -> bool:
    """It is known which card of a hand was its third, and that it came before the close."""
    coup = view.coup
    if view.order is not None:
        for hand in SIDES:
            in_sequence(view, [card for card in coup.cards if card.payload.hand == hand])
        if coup.closed is not None:
            due = {
                "player": punto_draws(view.punto, view.banco),
                "banker": banco_draws(view.punto, view.banco, view.third),
            }
            # a third card that was due, and came after the close, is in no hand
            thirds = [card for card in coup.cards[4:] if due.get(card.payload.hand)]
            settle(view, thirds, [coup.closed])
    return True


# -- What the record holds of a shoe --------------------------------------------------------


@need("shoe", "the record does not begin with the loading of the shoe")
def loading_on_record(shoe: Shoe) -> bool:
    """The record holds the loading of the shoe."""
    return shoe.loaded is not None


@need("shoe", "the record may lack burned cards")
def burns_on_record(shoe: Shoe) -> bool:
    """The record holds the burned cards, and not the coups alone."""
    return shoe.scope != "coups"


@need("shoe", "no stop card was recorded")
def stop_card_on_record(shoe: Shoe) -> bool:
    """The record tells where the stop card went in."""
    return bool(shoe.stop_cards)


@need("cards", "no card has left the shoe", "nothing-to-check")
def card_left_shoe(shoe: Shoe) -> bool:
    """A card has left the shoe."""
    return bool(shoe.left)


@need("play", "the shoe has not ended", "not-due")
def shoe_ended(shoe: Shoe) -> bool:
    """The shoe has ended."""
    return shoe.ended is not None


# -- What the record holds of several streams ------------------------------------------------


class _OfSeveralStreams(Protocol):
    """What is judged by the clocks of several streams: a batch of cards, a table, the floor."""

    @property
    def doubt(self) -> str:
        """Why the order of what happened in them is not known; empty where it is."""
        ...


@need("order")
def clocks_of_one_kind(view: _OfSeveralStreams) -> bool:
    """All events have a clock of the table, or none has: else their order is not known."""
    if view.doubt:
        raise Unknown(Reason("order-unknown", view.doubt))
    return True


# -- When a breach is told --------------------------------------------------------


@need("play", "the coup is still in play", "not-due")
def result_called(view: CoupView) -> bool:
    """The result was called, or the coup was left."""
    return not view.in_play


@need("play", "the coup is still in play", "not-due")
def coup_over(view: CoupView) -> bool:
    """The coup was closed, voided or left."""
    return not view.open


@need("play", "the bets are still open", "not-due")
def bets_closed(view: CoupView) -> bool:
    """The bets were closed: by the call, or by the first card."""
    return view.coup.bets_closed is not None


# -- What a rule is asked about one by one --------------------------------------------------------


@each("bet", NO_BETS, about="bets")
def bets(view: CoupView) -> Sequence[Bet]:
    """Return each bet of a coup, whatever became of it."""
    return list(view.coup.bets.values())


@each("hand", NO_CARDS, "record-incomplete", "cards")
def hands(view: CoupView) -> Sequence[Hand]:
    """Return each hand of a coup that has cards."""
    return [hand for hand in SIDES if view.coup.hand(hand)]
