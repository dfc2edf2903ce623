"""The plan of a shoe before it is dealt."""

import random
from typing import Final, get_args

from msgspec import Struct

from sabot.domain.events import Crew, Limit, Post
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.values.cards import FULL_DECK, Card

BACKS: Final = ("red", "blue", "green", "purple")
"""Colours of backs, used as many as a pack requires."""


class ShoePlan(Struct, frozen=True, kw_only=True):
    """The plan of a shoe before it is dealt.

    ``pack`` is the rule pack's text. ``start_us`` is the time of its loading, in microseconds since
    1970 (UTC). ``crew`` and ``backs`` default to those that the pack requires. ``reliefs`` are
    changes of crew, each with the coup before which it happens. ``shuffler`` is the serial number
    of a machine; without it the cards are shuffled by hand. ``turned`` are the values whose backs
    are turned, if the shoe reads backs. ``order`` is the order of an unshuffled shoe; without it
    the cards are shuffled. ``known`` are the first and last place of cards in known order (0 and 0:
    none). ``cutter`` is the patron who cuts, by default the one at the lowest seat.

    ``early`` is True if the first four cards of a coup are dealt face down before the bets close.
    ``coups`` is the number of coups after which the shoe is taken out of play. None means its end;
    an endless shoe then ends after as many coups as eight decks give. ``sabot`` is the number of
    the dealing shoe. ``seq`` is the device's last sequence number before this shoe. ``banked`` is
    the last holder of the previous shoe, if the game continues from there. ``session`` is the
    shoe's day, session and number, if the pack numbers them.
    """

    stream: str
    pack: str
    decks: int
    start_us: int
    table: str | None = None
    device: str = "simulator"
    limits: tuple[Limit, ...] = (Limit(2500, 500_000),)
    crew: tuple[Crew, ...] = ()
    reliefs: tuple[tuple[int, Crew], ...] = ()
    batch: str | None = None
    sabot: str | None = None
    backs: tuple[str, ...] = ()
    shuffler: str | None = None
    turned: frozenset[int] | None = None
    order: tuple[Card, ...] | None = None
    known: tuple[int, int] = (0, 0)
    cutter: str | None = None
    early: bool = False
    free_hands: int = 0
    coups: int | None = None
    seq: int = 0
    banked: str | None = None
    session: tuple[str, int, int] = ("2026-01-01", 1, 1)


def shuffle_cards(decks: int, rng: random.Random) -> list[Card]:
    """Return full decks in a uniformly random order."""
    cards = list(FULL_DECK) * decks
    rng.shuffle(cards)
    return cards


def crew_of(pack: RulePack) -> tuple[Crew, ...]:
    """Return a person for every post of the pack."""
    posts: tuple[Post, ...] = get_args(Post)
    needed = (post for post in posts if post in pack.table.posts)
    return tuple(Crew(post, f"crew-{number}") for number, post in enumerate(needed, 1))
