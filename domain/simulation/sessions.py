"""Many shoes at a table. Each can be dealt again without the others.

A shoe depends only on the seed, its number and the plan: patrons begin each shoe with their initial
bankroll. So any of a million shoes can be dealt again without the others. In a game in which the
bank continues from one pack to the next, a shoe depends on the last banker too.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.events import Crew, Limit, Post
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation.cheats.schemes import Making, Order
from sabot.domain.simulation.dealer import Dealer
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.simulation.shoe_plan import ShoePlan
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.simulation.table_clock import COUP_S

_SECOND_US: Final = 1_000_000
_PAUSE_S: Final = 1800
"""Seconds between shoes beyond the dealing: preparation, counting and delays."""
_CARDS_A_COUP: Final = 4.9
_COUPS_A_TURN: Final = 20
"""Number of coups before a dealer is relieved."""


class Session(Struct, frozen=True, kw_only=True):
    """Consecutive shoes of one rule pack at one table.

    ``pack`` is the pack's text; ``start_us`` is the loading of the first shoe, in microseconds
    since 1970 (UTC). If there are several ``dealers``, they take turns at the table.
    """

    pack: str
    decks: int
    table: str
    patrons: tuple[Patron, ...]
    start_us: int
    seed: str
    limits: tuple[Limit, ...] = (Limit(2500, 500_000),)
    dealers: tuple[str, ...] = ()


def deal_shoes(session: Session, shoes: int) -> Iterator[list[RecordedEvent]]:
    """Deal this many shoes of a session. A bank continues if the game allows it."""
    banked: str | None = None
    for number in range(1, shoes + 1):
        croupier = _croupier(session, _plan(session, number, banked), number)
        yield list(croupier.deal())
        banked = goes_on_from(croupier.table)


def goes_on_from(table: SimulatedTable) -> str | None:
    """Return the last banker, if the next pack continues from that patron, else None.

    At macao the bank passes to the left of the patron who held it when the pack was dealt out.
    """
    shoe = table.shoe
    return None if table.pack.macao is None else shoe.holder or shoe.last_holder


def deal_shoe(session: Session, number: int, banked: str | None = None) -> Iterator[RecordedEvent]:
    """Deal shoe ``number`` (from 1) of a session. ``banked`` is the last banker before it."""
    return _croupier(session, _plan(session, number, banked), number).deal()


def _plan(session: Session, number: int, banked: str | None) -> ShoePlan:
    return replace(plan_of(session, number), banked=banked)


def _croupier(session: Session, plan: ShoePlan, number: int) -> Dealer:
    # no part of the seed enters an event, since it would reveal the coming cards
    rng = random.Random(f"{session.seed}/{session.table}/{number}")
    return Dealer(plan, session.patrons, rng)


def plan_of(session: Session, number: int) -> ShoePlan:
    """Return the plan of shoe ``number`` with its schemes. Numbers begin at 1."""
    plan = _honest_plan(session, number)

    def before() -> Order:
        earlier = _croupier(session, _honest_plan(session, number - 1), number - 1).table
        return earlier.order.ahead(earlier.order.left)

    def dice(name: str) -> random.Random:
        return random.Random(f"{session.seed}/{session.table}/{name}")

    # a shared scheme is prepared once, for the first of its patrons
    schemes = {patron.scheme: patron.name for patron in reversed(session.patrons)}
    for scheme, patron in schemes.items():
        if scheme is not None:
            plan = scheme.prepared(Making(plan, patron, number, before, dice))
    # each shoe has new cards unless a scheme keeps the old ones
    return replace(plan, batch=plan.batch or plan.stream.removeprefix("shoe/"))


def _honest_plan(session: Session, number: int) -> ShoePlan:
    """Return the plan of a shoe before any scheme."""
    coups = 52 * session.decks / _CARDS_A_COUP
    slot_us = int((coups * COUP_S + _PAUSE_S) * _SECOND_US)
    start_us, called = _slot(session, number, slot_us)
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
        reliefs=_reliefs(session.pack, session.dealers, int(coups * 1.5)),
        session=called,
    )


def _slot(session: Session, number: int, slot_us: int) -> tuple[int, tuple[str, int, int]]:
    """Return when a shoe is loaded, and its place in a session.

    The place is day, session and shoe number, if the pack numbers them.
    """
    rule = parse_pack(session.pack).tableaux
    shoes = (rule.shoes if rule is not None else None) or 1
    sessions = rule.sessions if rule is not None else None
    if sessions is None:
        start_us = session.start_us + (number - 1) * slot_us
        return start_us, (_day(start_us), 1, 1)
    day, of_day = divmod(number - 1, sessions * shoes)
    first_us = session.start_us + day * 86_400 * _SECOND_US
    nth, shoe = divmod(of_day, shoes)
    return first_us + of_day * slot_us, (_day(first_us), nth + 1, shoe + 1)


def _day(moment_us: int) -> str:
    return datetime.fromtimestamp(moment_us // _SECOND_US, UTC).strftime("%Y-%m-%d")


def _reliefs(pack: str, dealers: Sequence[str], coups: int) -> tuple[tuple[int, Crew], ...]:
    """Return the changes of dealer: each deals a fixed number of coups."""
    post: Post = "caller" if "caller" in parse_pack(pack).table.posts else "dealer"
    return tuple(
        (coup, Crew(post, dealers[turn % len(dealers)]))
        for turn, coup in enumerate(range(1, coups, _COUPS_A_TURN))
        if dealers
    )


def draft_of(event: RecordedEvent) -> NewEvent:
    """Return an event in the form in which it is sent to the log.

    The log assigns index and log clock.
    """
    return NewEvent(
        stream=event.stream,
        payload=event.payload,
        at_us=event.at_us,
        actor=event.actor,
        device=event.device,
        seq=event.seq,
    )
