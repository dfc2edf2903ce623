"""Events of people at the table: seats, crew, limits and patrons' requests."""

from typing import Literal

from sabot.domain.events.base import EventBase
from sabot.domain.values.scalars import Amount, Name, Number, Part, Words

Post = Literal["dealer", "caller", "payer-1", "payer-2", "supervisor"]

PassReason = Literal["lost", "chosen", "ruling", "left", "pack-ended"]
"""Reason for which the shoe was passed."""
RequestKind = Literal[
    "turn-card", "keep-decks", "shuffler", "dealer", "seat", "guest", "free-hand", "other"
]
"""Kinds of requests by patrons."""


class Limit(Part, frozen=True):
    """The table's limits for a wager, in minor units.

    ``wager`` is None for every wager without limits of its own.
    """

    minimum: Amount
    maximum: Amount
    wager: Name | None = None


class Crew(Part, frozen=True):
    """A person who works at a post of the table."""

    post: Post
    person: Name


class Seat(Part, frozen=True):
    """A patron at a seat. Seats are numbered counter-clockwise from the dealer's right."""

    seat: Number
    patron: Name


class ShoeOffered(EventBase, frozen=True, tag="shoe-offered"):
    """The shoe was offered to a patron to deal.

    ``amount`` is the bank that the patron must match to take it.
    """

    to: Name
    amount: Amount | None = None


class ShoeTaken(EventBase, frozen=True, tag="shoe-taken"):
    """A patron, or the dealer, took the shoe."""

    by: Name


class ShoeRefused(EventBase, frozen=True, tag="shoe-refused"):
    """A patron refused the shoe."""

    by: Name


class ShoePassed(EventBase, frozen=True, tag="shoe-passed"):
    """The holder gave up the shoe.

    The reason ``pack-ended`` means that all cards were dealt.
    """

    by: Name
    reason: PassReason = "lost"


class PatronSeated(EventBase, frozen=True, tag="patron-seated"):
    """A patron sat down."""

    seat: Number
    patron: Name


class PatronMoved(EventBase, frozen=True, tag="patron-moved"):
    """A patron moved to another seat. A patron already there took the vacated seat."""

    patron: Name
    seat: Number


class PatronLeft(EventBase, frozen=True, tag="patron-left"):
    """A patron left the table."""

    patron: Name


class CrewChanged(EventBase, frozen=True, tag="crew-changed"):
    """A person took a post at the table, or left it vacant (None)."""

    post: Post
    person: Name | None


class LimitsChanged(EventBase, frozen=True, tag="limits-changed"):
    """The table's limits changed; they replace all earlier limits."""

    limits: tuple[Limit, ...]
    displayed: bool | None = None


class RequestMade(EventBase, frozen=True, tag="request-made"):
    """A patron made a request that can affect the cards."""

    patron: Name
    kind: RequestKind
    granted: bool | None = None
    detail: Words = ""
    coup: Number | None = None
