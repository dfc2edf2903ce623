"""Events of a batch of decks, from delivery to destruction.

The decks of a batch are received, prepared, issued and destroyed together. Their stream is
``cards/<batch>``; a shoe names its batch when it is loaded. Counts are whole decks, except counts
of defects, which are single cards (sources: NJAC_13_69E_1_18, NYCRR_9_5322_15).
"""

from typing import Annotated, Literal

from msgspec import Meta

from sabot.domain.events.base import EventBase
from sabot.domain.values.scalars import Count, Name, Words

Decks = Annotated[int, Meta(ge=1, le=100_000)]
Purpose = Literal["use", "evidence", "destruction"]


class CardsReceived(EventBase, frozen=True, tag="cards-received"):
    """The house received sealed decks from a maker or a dealer in cards.

    ``seals`` are the seals of the boxes.
    """

    source: Name
    decks: Decks
    by: Name
    backs: tuple[Name, ...] = ()
    seals: tuple[Name, ...] = ()
    delivery: Name | None = None


class CardsPreshuffled(EventBase, frozen=True, tag="cards-preshuffled"):
    """A dealer preshuffled the decks by machine under supervision.

    ``model``, ``serial`` and ``receipt`` are printed by the machine. ``recording`` names the video
    recording, which is kept for ``kept_days``.
    """

    by: Name
    supervisor: Name | None = None
    model: Name | None = None
    serial: Name | None = None
    receipt: Name | None = None
    recording: Name | None = None
    kept_days: Count | None = None


class CardsSealed(EventBase, frozen=True, tag="cards-sealed"):
    """Decks were sealed for use, as evidence or for destruction.

    ``seal`` is the number of the seal.
    """

    seal: Name
    by: Name
    purpose: Purpose = "use"


class SealOpened(EventBase, frozen=True, tag="seal-opened"):
    """A seal was opened. ``seal`` is the number read from it."""

    seal: Name
    by: Name
    intact: bool = True


class CardsIssued(EventBase, frozen=True, tag="cards-issued"):
    """The decks were issued to a table."""

    table: Name
    by: Name
    to: Name | None = None


class CardsReturned(EventBase, frozen=True, tag="cards-returned"):
    """The decks were returned from the table."""

    by: Name
    table: Name | None = None


class CardsSorted(EventBase, frozen=True, tag="cards-sorted"):
    """The decks were sorted and inspected for marks after play.

    They are in the maker's order again. ``missing``, ``extra`` and ``marked`` count cards.
    """

    by: Name
    missing: Count = 0
    extra: Count = 0
    marked: Count = 0


class CardsFoundBad(EventBase, frozen=True, tag="cards-found-bad"):
    """Missing, extra, marked or damaged cards were found.

    ``missing``, ``extra`` and ``marked`` count cards.
    """

    by: Name
    missing: Count = 0
    extra: Count = 0
    marked: Count = 0
    detail: Words = ""


class DefectReported(EventBase, frozen=True, tag="defect-reported"):
    """Bad cards were reported to surveillance or an authority."""

    to: Name
    by: Name


class CardsCounted(EventBase, frozen=True, tag="cards-counted"):
    """The decks of the batch were counted, wherever they were.

    ``reconciliation`` is the daily count, ``stock`` the count of all cards of the house.
    """

    decks: Annotated[int, Meta(ge=0, le=100_000)]
    by: Name
    kind: Literal["reconciliation", "stock"] = "reconciliation"


class CardsDestroyed(EventBase, frozen=True, tag="cards-destroyed"):
    """Decks were destroyed, or cancelled for further play.

    ``decks`` is their number; None means all decks of the batch.
    """

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
"""The events that occur only in a batch's stream; `sabot.domain.events.CardBatchEvent` has all."""
