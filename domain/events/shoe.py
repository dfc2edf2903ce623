"""Events of a shoe, from its loading to its end."""

from typing import Annotated, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase
from sabot.domain.events.people import Crew, Limit, Seat
from sabot.domain.values.cards import Card
from sabot.domain.values.scalars import Count, Digest, Name, Number, Words

EndOfShoe = Literal["cut-card", "withdrawn", "fault", "too-few-cards", "closing"]

BurnReason = Literal["opening", "relief", "dead-game", "ruling", "fault", "other"]
"""Reason for which a card was burned."""


class ShoeLoaded(EventBase, frozen=True, tag="shoe-loaded", rename={"coverage": "scope"}):
    """Decks were loaded into a shoe under a rule pack.

    ``pack`` is the full text of the pack. ``coverage`` (key ``scope``) is the extent of the record.
    ``whole`` means that everything was recorded, so what is not on record did not happen. An
    exception is a step of the coup, such as a call or the turn of a card, that no coup of the shoe
    has on record. ``coups`` means that only coups were recorded, so a missing event proves nothing.
    ``pack_named`` is False if the record named no rule pack and the classic pack was assumed.
    ``sabot`` is the number of the dealing shoe. ``banked`` is the last holder or banker of the
    previous shoe at this table, if play continues from there; without it the game begins anew.
    """

    decks: Annotated[int, Meta(ge=1, le=100)]
    pack: Annotated[str, Meta(max_length=40_000)]
    pack_sha256: Digest
    table: Name | None = None
    coverage: Literal["whole", "coups"] = "whole"
    pack_named: bool = True
    batch: Name | None = None
    backs: tuple[Name, ...] = ()
    limits: tuple[Limit, ...] = ()
    crew: tuple[Crew, ...] = ()
    seats: tuple[Seat, ...] = ()
    sabot: Name | None = None
    banked: Name | None = None


class CardsInspected(EventBase, frozen=True, tag="cards-inspected"):
    """A person or machine inspected the cards' fronts and backs.

    ``model``, ``serial`` and ``receipt`` are printed by the machine.
    """

    by: Name
    found: Words = ""
    model: Name | None = None
    serial: Name | None = None
    receipt: Name | None = None


class ShoeShuffled(EventBase, frozen=True, tag="shoe-shuffled"):
    """The cards were shuffled by hand or by a machine.

    ``serial`` is the machine's serial number.
    """

    by: Name
    method: Literal["hand", "machine", "continuous"] = "hand"
    serial: Name | None = None
    turned: bool | None = None


class OrderCommitted(EventBase, frozen=True, tag="order-committed"):
    """The salted hash of the card order was published.

    The order is still secret. The hash is SHA-256 over ``salt`` (hex), a newline, and the cards
    separated by spaces, first to leave first. `OrderOpened` reveals salt and order once the shoe
    has ended.
    """

    sha256: Digest
    cards: Count


class CutOffered(EventBase, frozen=True, tag="cut-offered"):
    """The cards were offered to a patron to cut."""

    to: Name


class CutRefused(EventBase, frozen=True, tag="cut-refused"):
    """A patron declined to cut."""

    by: Name


class CutterNamed(EventBase, frozen=True, tag="cutter-named"):
    """The banker named the person to cut the cards."""

    by: Name
    cutter: Name


class ShoeCut(EventBase, frozen=True, tag="shoe-cut"):
    """The cards were cut, ``depth`` cards from the front."""

    by: Name
    depth: Count | None = None


class StopCardPlaced(EventBase, frozen=True, tag="stop-card-placed"):
    """The cut card was inserted with ``behind`` cards behind it."""

    behind: Count


class CardBurned(EventBase, frozen=True, tag="card-burned"):
    """A card went from the shoe to the discards undealt.

    ``card`` is None if it was burned face down. The reason ``relief`` is a change of dealer;
    ``dead-game`` is a table that had no patrons.
    """

    card: Card | None = None
    place: Number | None = None
    reason: BurnReason = "opening"
    coup: Number | None = None


class CutCardReached(EventBase, frozen=True, tag="cut-card-reached"):
    """The cut card appeared. ``drawn`` cards had left the shoe before it."""

    drawn: Count | None = None
    coup: Number | None = None


class LastCoupCalled(EventBase, frozen=True, tag="last-coup-called"):
    """The dealer announced that this coup, or the next one, is the last of the shoe."""

    coup: Number | None = None


class OrderOpened(EventBase, frozen=True, tag="order-opened"):
    """The order committed by `OrderCommitted` was revealed, with its salt."""

    salt: Annotated[str, Meta(pattern="^([0-9a-f]{2}){16,64}$", max_length=128)]
    order: tuple[Card, ...]


class ShoeEnded(EventBase, frozen=True, tag="shoe-ended"):
    """The shoe was taken out of play.

    ``counted`` is the number of all cards counted. ``faces`` lists the remaining cards, if they
    were counted by face.
    """

    left: Count | None = None
    counted: Count | None = None
    faces: tuple[Card, ...] = ()
    reason: EndOfShoe = "cut-card"
