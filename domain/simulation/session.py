"""Many shoes at a table, each reproducible by itself.

A shoe rests on the seed, its number and the plan alone: patrons come back to each shoe with
the bankroll they had at first. So any of a million shoes can be dealt again without the others.
"""

import random
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct

from domain.event import Draft, Event
from domain.facts import Limit
from domain.simulation.clock import COUP_S
from domain.simulation.croupier import Croupier
from domain.simulation.patrons import Patron
from domain.simulation.plan import ShoePlan

_SECOND_US: Final = 1_000_000
_PAUSE_S: Final = 1800
"""Seconds between shoes beyond the dealing: preparing, counting, and what runs late."""
_CARDS_A_COUP: Final = 4.9


class Session(Struct, frozen=True, kw_only=True):
    """Shoes of one rule pack at one table, one after the other, from a moment on.

    ``pack`` is the pack's text; ``start_us`` the loading of the first shoe, in microseconds
    since 1970 (UTC).
    """

    pack: str
    decks: int
    table: str
    patrons: tuple[Patron, ...]
    start_us: int
    seed: str
    limits: tuple[Limit, ...] = (Limit(2500, 500_000),)


def deal_shoe(session: Session, number: int) -> Iterator[Event]:
    """Deal shoe ``number`` (from 1) of a session."""
    # no element of the seed enters a fact: it would show the cards to come
    rng = random.Random(f"{session.seed}/{session.table}/{number}")
    return Croupier(plan_of(session, number), session.patrons, rng).deal()


def plan_of(session: Session, number: int) -> ShoePlan:
    """Return the plan of shoe ``number`` (from 1): its name, and when it is loaded."""
    coups = 52 * session.decks / _CARDS_A_COUP
    slot_us = int((coups * COUP_S + _PAUSE_S) * _SECOND_US)
    start_us = session.start_us + (number - 1) * slot_us
    day = datetime.fromtimestamp(start_us // _SECOND_US, UTC).strftime("%Y%m%d")
    name = f"{session.table}-{day}-{number}"
    return ShoePlan(
        stream=f"shoe/{name}",
        pack=session.pack,
        decks=session.decks,
        start_us=start_us,
        table=session.table,
        device=f"simulator/{name}",
        limits=session.limits,
    )


def draft_of(event: Event) -> Draft:
    """Return an event as it is sent to the log, which gives it its own index and clock."""
    return Draft(
        stream=event.stream,
        fact=event.fact,
        at_us=event.at_us,
        actor=event.actor,
        device=event.device,
        seq=event.seq,
    )
