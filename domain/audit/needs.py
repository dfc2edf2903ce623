"""The needs and subjects of rules.

A need is a condition that the record must meet before a rule can be applied. If it is not met, the
need gives the reason. A rule names its needs in its declaration (`sabot.domain.audit.rule_group`).
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

from sabot.domain.audit.completeness import (
    BETS_MISSING,
    COUPS_ALONE,
    COUPS_MISSING,
    NO_BANK,
    NO_BETS,
    NO_CARDS,
    NO_CHOICES,
    NO_PACK,
    NO_SEATS,
    STARTS_BEFORE_RECORD,
    bank_lacks_bets,
    bets_missing,
    choices_missing,
    coups_missing,
    seats_unknown,
)
from sabot.domain.audit.coup_view import CoupView, third_cards_due
from sabot.domain.audit.rule_group import Each, Need, each, missing_unless, need
from sabot.domain.events import Hand
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.rules.labels import game_label
from sabot.domain.rules.rule_pack import GameName, RulePack
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, answered, in_sequence, incomplete, settle

View = TypeVar("View")

SIDES: Final[tuple[Hand, ...]] = ("player", "banker")
"""The Player and Banker hands of a coup."""

# -- Combined needs --------------------------------------------------------------------------------


def present(subjects: Each[View, Any]) -> Need[View]:
    """Return the need that a rule has at least one subject to check."""
    missing = missing_unless(subjects.of, subjects.none)
    return Need(subjects.about or "play", f"there is at least one {subjects.name}", missing)


def together(*asked: Need[View]) -> Need[View]:
    """Return a need that combines several needs. They are checked in order."""

    def missing(view: View) -> Reason | None:
        return next(filter(None, (each.missing(view) for each in asked)), None)

    return Need(asked[0].about, " ".join(each.states for each in asked), missing)


# -- The rule pack ---------------------------------------------------------------------------------


def of_shoe(asked: Need[Shoe]) -> Need[CoupView]:
    """Convert a need of a shoe into a need of the shoe's coups."""

    def missing(view: CoupView) -> Reason | None:
        return asked.missing(view.shoe)

    return Need(asked.about, asked.states, missing, of_shoe=asked.missing)


def shoe_pack_says(what: str, states: Callable[[RulePack], object]) -> Need[Shoe]:
    """Return the need that the rule pack of a shoe has a provision.

    Args:
        what: the provision, as the end of a sentence: ``how a wrong draw is ruled on``.
        states: a function that returns the provision; None, False or empty if the pack has none.
    """
    unsaid = Reason("not-required", f"the pack does not say {what}")

    def missing(shoe: Shoe) -> Reason | None:
        if shoe.pack is None:
            return NO_PACK
        return None if states(shoe.pack) else unsaid

    return Need("rules", f"the rule pack says {what}", missing)


def pack_says(what: str, states: Callable[[RulePack], object]) -> Need[CoupView]:
    """Return the need that the rule pack of a coup has a provision. See `shoe_pack_says`."""
    return of_shoe(shoe_pack_says(what, states))


@need("rules", NO_PACK)
def shoe_pack_readable(shoe: Shoe) -> bool:
    """The rule pack can be read."""
    return shoe.pack is not None


@need("rules", "the record names no rules")
def shoe_pack_named(shoe: Shoe) -> bool:
    """The record names the rule pack."""
    return shoe.loaded is None or shoe.loaded.payload.pack_named


pack_readable: Final = of_shoe(shoe_pack_readable)
pack_named: Final = of_shoe(shoe_pack_named)


# -- The record of a coup --------------------------------------------------------------------------


@need("shoe", COUPS_ALONE)
def not_coups_alone(shoe: Shoe) -> bool:
    """The record holds all events of the shoe, not only its coups."""
    return shoe.coverage != "coups"


record_not_coups_alone: Final = of_shoe(not_coups_alone)


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
    coup = view.coup
    if view.shoe.coverage == "coups" and coup.result_called is not None and not coup.cards:
        raise incomplete(NO_CARDS)
    return view.dealt


@need("play", "the coup was voided", "nothing-to-check")
def not_voided(view: CoupView) -> bool:
    """The coup was not voided."""
    return view.coup.voided is None


@need("play", "the coup was not voided", "nothing-to-check")
def voided(view: CoupView) -> bool:
    """The coup was voided."""
    return view.coup.voided is not None


@need("order")
def order_of_hands_known(view: CoupView) -> bool:
    """It is known which cards each hand has.

    The order of its cards is known, which of them it rejected, and that they came before the close.
    """
    if view.order is not None:
        rejected = [event for event, _ in bank_events_of(view.coup).rejected]
        for hand in dict.fromkeys((*SIDES, *(card.payload.hand for card in view.coup.cards))):
            in_sequence(view, [card for card in view.coup.cards if card.payload.hand == hand])
        settle(view, rejected, view.coup.cards)
        settle_third_cards(view)
    return True


def settle_third_cards(view: CoupView) -> None:
    """Check that it is known which third cards came before the close.

    Only third cards that were due are checked. A card drawn after the close belongs to no hand.

    Raises:
        Unknown: the order of one of them and the close is not known.
    """
    closed = view.coup.closed
    if view.order is not None and closed is not None:
        due = third_cards_due(view)
        settle(view, [card for card in view.coup.cards[4:] if due.get(card.payload.hand)], [closed])


@need("order", "the record does not give the order of the cards")
def cards_in_order(view: CoupView) -> bool:
    """The record holds the cards of the coup in the order in which they were dealt."""
    return view.shoe.coverage != "coups"


# -- The record of a shoe --------------------------------------------------------------------------


@need("shoe", "the record does not begin with the loading of the shoe")
def loading_on_record(shoe: Shoe) -> bool:
    """The record holds the loading of the shoe."""
    return shoe.loaded is not None


@need("shoe", "the record may lack burned cards")
def burns_on_record(shoe: Shoe) -> bool:
    """The record holds all events of the shoe, including burned cards."""
    return shoe.coverage != "coups"


@need("cards", "no card has left the shoe", "nothing-to-check")
def card_left_shoe(shoe: Shoe) -> bool:
    """A card has left the shoe."""
    return bool(shoe.left)


@need("cards", NO_CARDS)
def card_on_record(shoe: Shoe) -> bool:
    """The record holds cards that left the shoe."""
    return bool(shoe.left)


@need("shoe", "the shoe has not ended", "not-due")
def shoe_over(shoe: Shoe) -> bool:
    """The shoe has ended."""
    return shoe.ended is not None


# -- When a breach is reported ---------------------------------------------------------------------


@need("play", "the coup has not been called or closed", "not-due")
def called_closed_or_followed(view: CoupView) -> bool:
    """The result was called, the coup was closed or voided, or another coup began."""
    return not view.in_play


@need("play", "the coup is still in play", "not-due")
def coup_over(view: CoupView) -> bool:
    """The coup was closed or voided, another coup began, or the shoe ended."""
    return not view.open


@need("play", "the bets are still open", "not-due")
def bets_closed(view: CoupView) -> bool:
    """The bets were closed by "no more bets" or by the first card."""
    return view.coup.bets_closed is not None


@need("play", "the bets are still open", "not-due")
def betting_over(view: CoupView) -> bool:
    """The bets were closed, or the coup ended without a close of bets."""
    return view.coup.bets_closed is not None or not view.open


@need("play", "the coup has not been closed", "not-due")
def coup_closed(view: CoupView) -> bool:
    """The coup was closed."""
    return view.coup.closed is not None


# -- The subjects of rules -------------------------------------------------------------------------


@each("bet", NO_BETS, about="bets")
def bets(view: CoupView) -> Sequence[Bet]:
    """Return all bets of a coup, withdrawn and returned ones too."""
    return list(view.coup.bets.values())


@each("hand", NO_CARDS, "record-incomplete", "cards")
def hands(view: CoupView) -> Sequence[Hand]:
    """Return each hand of a coup that has cards."""
    return [hand for hand in SIDES if view.coup.hand(hand)]


# -- The record of a patron's bank -----------------------------------------------------------------


def only_at(
    games: GameName | tuple[GameName, ...], *asked: Need[CoupView]
) -> tuple[Need[CoupView], ...]:
    """Return needs that are checked at some games only. At other games they count as met.

    Args:
        games: the game, or the games.
        asked: the needs.
    """
    there: tuple[str, ...] = (games,) if isinstance(games, str) else games

    def limited(at_game: Need[CoupView]) -> Need[CoupView]:
        def missing(view: CoupView) -> Reason | None:
            return at_game.missing(view) if game_of(view.shoe.pack).name in there else None

        states = f"at {' or '.join(map(game_label, there))}: {at_game.states}"
        return Need(at_game.about, states, missing, at_game.of_shoe, there)

    return tuple(map(limited, asked))


@need("shoe", NO_BANK)
def bank_recorded(view: CoupView) -> bool:
    """The record gives the amount of the bank at the beginning of the coup."""
    return bank_events_of(view.coup).bank is not None


@need("shoe", NO_BANK)
def banker_recorded(view: CoupView) -> bool:
    """The record names the banker."""
    return bank_events_of(view.coup).banker is not None


@need("shoe", BETS_MISSING)
def earlier_bets_recorded(view: CoupView) -> bool:
    """The record holds the bets of every earlier coup against the bank."""
    return not bank_lacks_bets(view.shoe, bank_events_of(view.coup).nth, view.coup)


BANK_KNOWN: Final = (bank_recorded, record_not_coups_alone, earlier_bets_recorded)
"""The needs of a rule that uses the amount of a coup's bank."""


@need("bets", NO_BETS, "nothing-to-check")
def bets_recorded(view: CoupView) -> bool:
    """The record holds bets of the coup, or the coup was voided, or no card was dealt."""
    return not bets_missing(view.coup)


STAKES_KNOWN: Final = (*BANK_KNOWN, bets_recorded, bets_closed)
"""The needs of a rule that compares the stakes of a coup with its bank."""


@need("seats")
def seats_known(view: CoupView) -> bool:
    """The record gives the seats, and no coup is missing in which they may have changed."""
    answered(seats_unknown(view.shoe, view.coup))
    return True


@need("seats", NO_SEATS)
def shoe_seats_known(shoe: Shoe) -> bool:
    """The record gives the seats of the patrons."""
    return not seats_unknown(shoe)


@need("shoe", COUPS_MISSING)
def every_coup_recorded(shoe: Shoe) -> bool:
    """The record holds every coup of the shoe."""
    return not coups_missing(shoe)


@need("shoe", NO_BANK)
def bank_put_up(shoe: Shoe) -> bool:
    """A patron put up a bank."""
    return bool(shoe.banks)


@need("shoe", NO_CHOICES)
def choices_recorded(view: CoupView) -> bool:
    """The record holds a choice to draw or to stand, in this coup or another of the shoe."""
    return not choices_missing(view.shoe, view.coup)


@need("play", "no choice was made", "nothing-to-check")
def choice_made(view: CoupView) -> bool:
    """In the coup, a hand chose to draw or to stand."""
    return bool(bank_events_of(view.coup).choices)


@need("order")
def events_in_sequence(view: CoupView) -> bool:
    """The order of all events of the coup is known."""
    in_sequence(view, view.coup.events)
    return True


@need("order")
def choices_in_sequence(view: CoupView) -> bool:
    """The order of the choices in the coup is known."""
    in_sequence(view, bank_events_of(view.coup).choices)
    return True
