"""Facts of a shoe before its first coup and at its end: cards, order, cut, burn, holder."""

from typing import Annotated, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase
from sabot.domain.events.people import Crew, Limit, Seat
from sabot.domain.values.cards import Card
from sabot.domain.values.scalars import Count, Digest, Name, Number, Words

EndOfShoe = Literal["cut-card", "withdrawn", "fault", "too-few-cards", "closing"]

BurnReason = Literal["opening", "relief", "dead-game", "ruling", "fault", "other"]
"""Why a card was burned."""


class ShoeLoaded(EventBase, frozen=True, tag="shoe-loaded", rename={"coverage": "scope"}):
    """Decks went into a shoe at a table, under a rule pack whose whole text is kept here.

    ``coverage``, the key ``scope``, says what the record claims to hold: ``whole`` is everything
    that happened, so that what is absent did not happen; ``coups`` is coups alone (another's
    record), so that nothing follows from what is absent. ``pack_named`` is False where the record
    named no rules and the classic ones were taken. ``sabot`` is the number on the dealing shoe
    itself. ``banked`` is who held the shoe, or banked, last in the shoe before at this table, where
    the game goes on from him; without it the game begins anew.
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
    """Somebody looked the cards over, faces and backs, or let a machine do it.

    ``model``, ``serial`` and ``receipt`` are what the machine printed.
    """

    by: Name
    found: Words = ""
    model: Name | None = None
    serial: Name | None = None
    receipt: Name | None = None


class ShoeShuffled(EventBase, frozen=True, tag="shoe-shuffled"):
    """The cards were shuffled by hand, or by a machine of that serial."""

    by: Name
    method: Literal["hand", "machine", "continuous"] = "hand"
    serial: Name | None = None
    turned: bool | None = None


class OrderCommitted(EventBase, frozen=True, tag="order-committed"):
    """The salted hash of the order of the cards in the shoe, which nobody has seen.

    SHA-256 over ``salt`` (hex), a newline, and the cards separated by spaces, first to leave
    first. `OrderOpened` shows salt and order once the shoe has ended.
    """

    sha256: Digest
    cards: Count


class CutOffered(EventBase, frozen=True, tag="cut-offered"):
    """The cards were offered to a patron, who may cut them."""

    to: Name


class CutRefused(EventBase, frozen=True, tag="cut-refused"):
    """A patron let the cut go by."""

    by: Name


class CutterNamed(EventBase, frozen=True, tag="cutter-named"):
    """Whoever banks named who cuts the cards."""

    by: Name
    cutter: Name


class ShoeCut(EventBase, frozen=True, tag="shoe-cut"):
    """Somebody cut the cards, so many from the front."""

    by: Name
    depth: Count | None = None


class StopCardPlaced(EventBase, frozen=True, tag="stop-card-placed"):
    """The cut card went into the shoe with so many cards behind it."""

    behind: Count


class CardBurned(EventBase, frozen=True, tag="card-burned"):
    """A card left the shoe for the discards without being dealt; a face-down one shows no face.

    ``relief``: since another dealer took over; ``dead-game``: since nobody had sat at the table.
    """

    card: Card | None = None
    place: Number | None = None
    reason: BurnReason = "opening"
    coup: Number | None = None


class CutCardReached(EventBase, frozen=True, tag="cut-card-reached"):
    """The cut card came to the mouth of the shoe; ``drawn`` cards had left the shoe before."""

    drawn: Count | None = None
    coup: Number | None = None


class LastCoupCalled(EventBase, frozen=True, tag="last-coup-called"):
    """The dealer announced that this coup, or the next, is the last of the shoe."""

    coup: Number | None = None


class OrderOpened(EventBase, frozen=True, tag="order-opened"):
    """The order that `OrderCommitted` had bound, with its salt."""

    salt: Annotated[str, Meta(pattern="^([0-9a-f]{2}){16,64}$", max_length=128)]
    order: tuple[Card, ...]


class ShoeEnded(EventBase, frozen=True, tag="shoe-ended"):
    """The shoe was taken out of play; ``left`` cards remained, ``counted`` of all were counted.

    ``faces`` lists the remaining cards, where somebody counted them by face.
    """

    left: Count | None = None
    counted: Count | None = None
    faces: tuple[Card, ...] = ()
    reason: EndOfShoe = "cut-card"
