"""Facts of people at the table: seats, crew, limits and what a patron asks for."""

from typing import Literal

from sabot.domain.events.base import EventBase
from sabot.domain.values.scalars import Amount, Name, Number, Part, Words

Post = Literal["dealer", "caller", "payer-1", "payer-2", "supervisor"]

PassReason = Literal["lost", "chosen", "ruling", "left", "pack-ended"]
"""Why the shoe was given up."""
RequestKind = Literal[
    "turn-card", "keep-decks", "shuffler", "dealer", "seat", "guest", "free-hand", "other"
]
"""What patrons ask for."""


class Limit(Part, frozen=True):
    """The least and most that a table takes on a wager (None: on any wager without its own)."""

    minimum: Amount
    maximum: Amount
    wager: Name | None = None


class Crew(Part, frozen=True):
    """Who stands at a post."""

    post: Post
    person: Name


class Seat(Part, frozen=True):
    """Who sits where; seats are numbered from the dealer's right, counter-clockwise."""

    seat: Number
    patron: Name


class ShoeOffered(EventBase, frozen=True, tag="shoe-offered"):
    """The shoe was offered to a patron, who may hold and deal it.

    ``amount`` is the bank that he has to match to take it over.
    """

    to: Name
    amount: Amount | None = None


class ShoeTaken(EventBase, frozen=True, tag="shoe-taken"):
    """A patron (or the dealer) took the shoe and deals from now on."""

    by: Name


class ShoeRefused(EventBase, frozen=True, tag="shoe-refused"):
    """A patron let the shoe go by."""

    by: Name


class ShoePassed(EventBase, frozen=True, tag="shoe-passed"):
    """The holder gave the shoe up; ``pack-ended``: the cards were dealt out."""

    by: Name
    reason: PassReason = "lost"


class PatronSeated(EventBase, frozen=True, tag="patron-seated"):
    """A patron sat down."""

    seat: Number
    patron: Name


class PatronMoved(EventBase, frozen=True, tag="patron-moved"):
    """A patron went to another place; whoever sat there took the place that he left."""

    patron: Name
    seat: Number


class PatronLeft(EventBase, frozen=True, tag="patron-left"):
    """A patron left the table."""

    patron: Name


class CrewChanged(EventBase, frozen=True, tag="crew-changed"):
    """Somebody took a post, or left it empty."""

    post: Post
    person: Name | None


class LimitsChanged(EventBase, frozen=True, tag="limits-changed"):
    """The table's limits from now on; they replace all limits before."""

    limits: tuple[Limit, ...]
    displayed: bool | None = None


class RequestMade(EventBase, frozen=True, tag="request-made"):
    """A patron asked for something that prepares the cards: evidence, long before any bet."""

    patron: Name
    kind: RequestKind
    granted: bool | None = None
    detail: Words = ""
    coup: Number | None = None
