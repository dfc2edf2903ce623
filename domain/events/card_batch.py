"""Facts about cards beyond one shoe: a batch of decks from its delivery to its destruction.

A batch is so many decks that are received, prepared, issued and destroyed together; its stream
is ``cards/<batch>``, and a shoe names it when it is loaded. Where an event says how many, it counts
whole decks, but for a defect, which is of single cards (sources: NJ_69E_1_18, NY_5322_15).
"""

from typing import Annotated, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase
from sabot.domain.values.scalars import Count, Name, Words

Decks = Annotated[int, Meta(ge=1, le=100_000)]
Purpose = Literal["use", "evidence", "destruction"]


class CardsReceived(EventBase, frozen=True, tag="cards-received"):
    """Decks came to the house from a maker or dealer in cards, in boxes with these seals."""

    source: Name
    decks: Decks
    by: Name
    backs: tuple[Name, ...] = ()
    seals: tuple[Name, ...] = ()
    delivery: Name | None = None


class CardsPreshuffled(EventBase, frozen=True, tag="cards-preshuffled"):
    """A dealer shuffled the decks by machine before they were issued, under a supervisor's eye.

    ``model``, ``serial`` and ``receipt`` are what the machine printed; ``recording`` names the
    picture that was taken of it, which is kept for ``kept_days``.
    """

    by: Name
    supervisor: Name | None = None
    model: Name | None = None
    serial: Name | None = None
    receipt: Name | None = None
    recording: Name | None = None
    kept_days: Count | None = None


class CardsSealed(EventBase, frozen=True, tag="cards-sealed"):
    """The decks were closed up under a numbered seal: for use, as evidence, or to be destroyed."""

    seal: Name
    by: Name
    purpose: Purpose = "use"


class SealOpened(EventBase, frozen=True, tag="seal-opened"):
    """The seal was broken by somebody who may; ``seal`` is the number that he read on it."""

    seal: Name
    by: Name
    intact: bool = True


class CardsIssued(EventBase, frozen=True, tag="cards-issued"):
    """The decks went out to a table."""

    table: Name
    by: Name
    to: Name | None = None


class CardsReturned(EventBase, frozen=True, tag="cards-returned"):
    """The decks came back from the table that they were issued to."""

    by: Name
    table: Name | None = None


class CardsSorted(EventBase, frozen=True, tag="cards-sorted"):
    """After the game the decks were put back in the maker's order, and looked over for marks.

    So many cards were missing, too many, or marked.
    """

    by: Name
    missing: Count = 0
    extra: Count = 0
    marked: Count = 0


class CardsFoundBad(EventBase, frozen=True, tag="cards-found-bad"):
    """Somebody found cards missing, too many, or marked or damaged; so many of each."""

    by: Name
    missing: Count = 0
    extra: Count = 0
    marked: Count = 0
    detail: Words = ""


class DefectReported(EventBase, frozen=True, tag="defect-reported"):
    """What was found bad was reported to surveillance, the regulator or the police."""

    to: Name
    by: Name


class CardsCounted(EventBase, frozen=True, tag="cards-counted"):
    """The decks of the batch were counted, wherever they lay.

    ``reconciliation`` is the count of the day, ``stock`` the count of all cards of the house.
    """

    decks: Annotated[int, Meta(ge=0, le=100_000)]
    by: Name
    kind: Literal["reconciliation", "stock"] = "reconciliation"


class CardsDestroyed(EventBase, frozen=True, tag="cards-destroyed"):
    """Decks were destroyed, or cancelled so that nobody can play with them; None: all of them."""

    by: Name
    witness: Name | None = None
    method: Literal["destroyed", "cancelled"] = "destroyed"
    decks: Decks | None = None


OnlyCardBatchEvent = (
    CardsReceived
    | CardsPreshuffled
    | CardsSealed
    | SealOpened
    | CardsIssued
    | CardsReturned
    | CardsSorted
    | CardsFoundBad
    | DefectReported
    | CardsCounted
    | CardsDestroyed
)
"""The events of a batch that no other stream has; `sabot.domain.events.CardsFact` holds all."""
