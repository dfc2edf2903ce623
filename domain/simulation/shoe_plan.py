"""A shoe before it is dealt: what is decided in advance, and what only chance decides."""

import random
from typing import Final, get_args

from msgspec import Struct

from sabot.domain.events import Crew, Limit, Post
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.values.cards import FULL_DECK, Card

BACKS: Final = ("red", "blue", "green", "purple")
"""Colours of backs, as many as a pack asks for."""


class ShoePlan(Struct, frozen=True, kw_only=True):
    """A shoe before it is dealt.

    ``pack`` is the rule pack's text. ``start_us`` is the moment of its loading, in microseconds
    since 1970 (UTC). Without ``crew`` and ``backs`` there are those that the pack asks for.
    ``reliefs`` says before which coup somebody takes a post. ``shuffler`` is
    the serial of a machine; the cards are shuffled by hand without one. ``turned`` are the
    values whose backs lie turned, where the shoe reads its backs. ``order`` is that of cards
    that nobody shuffled; they are shuffled without one. ``known`` are the first and last place
    of cards whose order somebody knows (0 and 0: nobody). ``cutter`` is who cuts, by himself
    whoever has the lowest seat. ``early``: the first four cards of a
    coup lie face down on the felt before the bets close. ``coups``: it is taken out of play after
    so many (None: at its end, or where it has none after as many as eight decks have). ``sabot``
    is the number on the dealing shoe, ``seq`` the device's last number before this shoe,
    ``banked`` who held the shoe before last, where the game goes on from him.
    ``session`` is the day of the shoe, which of its sessions, and which shoe of it, where the
    pack numbers them.
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
    """Return the cards of whole decks in an order in which every order is equally likely."""
    cards = list(FULL_DECK) * decks
    rng.shuffle(cards)
    return cards


def crew_of(pack: RulePack) -> tuple[Crew, ...]:
    """Return somebody for every post that the pack's table has."""
    posts: tuple[Post, ...] = get_args(Post)
    needed = (post for post in posts if post in pack.table.posts)
    return tuple(Crew(post, f"crew-{number}") for number, post in enumerate(needed, 1))
