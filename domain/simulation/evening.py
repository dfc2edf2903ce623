"""Evening at a table: opening, buy-ins, shoes, count and closing.

The table's own events are consistent: buy-ins go into the drop box, and only bets, fills and
credits change the tray, so win and hold can be computed from them.
"""

import random
from collections.abc import Iterator, Sequence
from datetime import date, timedelta
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.bank import LevyTaken
from sabot.domain.events.envelope import NewEvent
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.simulation.card_room import CardRoom, off_by
from sabot.domain.simulation.dealer import Dealer
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.simulation.sessions import draft_of, goes_on_from
from sabot.domain.simulation.shoe_plan import BACKS, ShoePlan
from sabot.domain.simulation.table import Intervention

_SECOND_US: Final = 1_000_000
_BETWEEN_SHOES_S: Final = 600
_DAY_US: Final = 86_400 * _SECOND_US
_NOTICE_DAYS: Final = 60
"""Days between the notice of its rules to the authority and the evening, if required."""


class ShoeOfEvening(Struct, frozen=True, kw_only=True):
    """The plan of one shoe: its planned mistakes, and when the crew changes.

    Without ``batch`` it has a batch of its own. ``sabot`` is the number of the dealing shoe.
    ``session`` is its day, session and shoe number, if the pack numbers them.
    """

    interventions: tuple[Intervention, ...] = ()
    reliefs: tuple[tuple[int, ev.Crew], ...] = ()
    batch: str | None = None
    sabot: str | None = None
    shuffler: str | None = None
    turned: frozenset[int] | None = None
    session: tuple[str, int, int] = ("2026-01-01", 1, 1)


class TablePlan(Struct, frozen=True, kw_only=True):
    """The plan of a table's evening.

    Money is in minor units, times are in microseconds since 1970 (UTC).
    """

    table: str
    pack: str
    decks: int
    opens_us: int
    inventory: int
    limits: tuple[ev.Limit, ...]
    crew: tuple[ev.Crew, ...]
    patrons: tuple[Patron, ...]
    shoes: tuple[ShoeOfEvening, ...]
    day: str
    approved_by: str = "compliance"


class Evening:
    """Deals a table's evening, and keeps account of tray and drop box."""

    def __init__(self, plan: TablePlan, rng: random.Random) -> None:
        """Take the plan of the evening."""
        self.plan = plan
        self.stream = f"table/{plan.table}"
        self._rng = rng
        self._tray = plan.inventory
        self._drop = 0
        self._crew = {each.post: each for each in plan.crew}
        self._chips: dict[str, int] = {}
        self._banked: str | None = None
        self._rooms: dict[str, CardRoom] = {}
        self._now_us = plan.opens_us
        self._seq = 0

    def deal(self) -> list[NewEvent]:
        """Return every event of the evening in order of time."""
        drafts = [*self._opening()]
        for number, shoe in enumerate(self.plan.shoes, 1):
            drafts += self._shoe(number, shoe)
        drafts += self._closing()
        for room in self._rooms.values():
            room.destroy(self._now_us)
            drafts += room.drafts
        return sorted(drafts, key=lambda draft: draft.at_us or 0)

    def _opening(self) -> Iterator[NewEvent]:
        plan = self.plan
        pack = parse_pack(plan.pack)
        yield self._event(
            ev.TableOpened(plan.inventory, pack.title, pack.money.currency, plan.crew, plan.limits)
        )
        digest = pack_sha256(plan.pack)
        adopted = ev.RulePackAdopted(pack.name, pack.version, digest, plan.approved_by)
        if pack.approval is not None:
            notice_day = plan.opens_us // _DAY_US - _NOTICE_DAYS
            adopted = replace(
                adopted,
                authority=pack.approval.authority,
                approval=f"{pack.approval.authority}-1",
                noticed=str(date(1970, 1, 1) + timedelta(days=notice_day)),
            )
        yield self._event(adopted)

    def _shoe(self, number: int, shoe: ShoeOfEvening) -> list[NewEvent]:
        drafts = [*self._refill(), *self._buy_ins()]
        plan = self.plan
        room = self._room(shoe.batch or f"{plan.table}-{plan.day}-{number}")
        croupier = Dealer(
            self._plan_of(number, shoe, room.batch),
            [replace(who, bankroll=self._chips[who.name]) for who in plan.patrons],
            self._rng,
            shoe.interventions,
        )
        table = croupier.table
        events = list(croupier.deal())
        for event in events:
            drafts.append(draft_of(event))
            self._tray += _into_the_tray(event.payload, banked=bool(table.shoe.banks))
        self._banked = goes_on_from(table)
        off = off_by(events)
        if off:
            room.miscounted(off, table.floor, table.clock.now_us + 60 * _SECOND_US)
        for sitter in table.sitters:
            self._chips[sitter.patron.name] = sitter.bankroll
        for coup, crew in shoe.reliefs:
            moment = table.shoe.coups[coup].events[0].at_us
            drafts.append(self._event(ev.CrewChanged(crew.post, crew.person), at_us=moment))
            self._crew[crew.post] = crew
        self._now_us = table.clock.now_us + _BETWEEN_SHOES_S * _SECOND_US
        return drafts

    def _plan_of(self, number: int, shoe: ShoeOfEvening, batch: str) -> ShoePlan:
        """Return the plan of a shoe that is loaded one minute after the evening's current time."""
        plan = self.plan
        return ShoePlan(
            stream=f"shoe/{plan.table}-{plan.day}-{number}",
            pack=plan.pack,
            decks=plan.decks,
            start_us=self._now_us + 60 * _SECOND_US,
            table=plan.table,
            device=f"shoe-reader/{plan.table}-{plan.day}-{number}",
            limits=plan.limits,
            crew=tuple(self._crew.values()),
            reliefs=shoe.reliefs,
            batch=batch,
            sabot=shoe.sabot,
            shuffler=shoe.shuffler,
            turned=shoe.turned,
            session=shoe.session,
            banked=self._banked,
        )

    def _room(self, batch: str) -> CardRoom:
        """Return the custody record of a batch.

        A new batch is first issued to the table.
        """
        room = self._rooms.get(batch)
        if room is None:
            plan = self.plan
            backs = BACKS[: parse_pack(plan.pack).cards.backs or 0]
            room = self._rooms[batch] = CardRoom(batch, plan.decks, backs)
            room.issue(plan.table, "pit", self._now_us)
        return room

    def _buy_ins(self) -> Iterator[NewEvent]:
        """Yield the buy-ins of patrons with too few chips for the evening.

        The money goes into the drop box.
        """
        for who in self.plan.patrons:
            have = self._chips.get(who.name, 0)
            if have < who.bankroll // 4:
                bought = who.bankroll - have // 10_000 * 10_000
                self._chips[who.name] = have + bought
                self._tray -= bought
                self._drop += bought
                yield self._event(ev.ChipsBought(who.name, bought))

    def _refill(self) -> Iterator[NewEvent]:
        """Fill a low tray, or send a credit from a full one."""
        usual = self.plan.inventory
        needed = sum(who.bankroll for who in self.plan.patrons if who.name not in self._chips)
        if self._tray - needed < usual // 2:
            fill = usual - (self._tray - needed) // 100_000 * 100_000
            self._tray += fill
            yield self._event(ev.TableFilled(fill, f"F-{self.plan.table}-{self._seq + 1}"))
        elif self._tray > 2 * usual:
            credit = (self._tray - usual) // 100_000 * 100_000
            self._tray -= credit
            yield self._event(ev.CreditSent(credit, f"C-{self.plan.table}-{self._seq + 1}"))

    def _closing(self) -> Iterator[NewEvent]:
        yield self._event(ev.TableClosed(self._tray))
        yield self._event(ev.DropCounted(self._drop, "count room"))

    def _event(self, payload: ev.TableEvent, at_us: int | None = None) -> NewEvent:
        """Return an event of the table. Without a time, it happens some seconds later."""
        self._seq += 1
        if at_us is None:
            self._now_us += int((20 + 40 * self._rng.random()) * _SECOND_US)
            at_us = self._now_us
        device = f"pit/{self.plan.table}-{self.plan.day}"
        return NewEvent(self.stream, payload, at_us, "pit", device, self._seq)


def _into_the_tray(payload: ev.Event, *, banked: bool) -> int:
    """Return the change of the tray in minor units.

    If a patron is the banker (``banked``), stakes go to the bank, and only the levy goes to the
    house.
    """
    match payload:
        case LevyTaken(amount=amount):
            return amount
        case ev.BetTaken() | ev.BetPaid() if banked:
            return 0
        case ev.BetTaken(amount=amount) | ev.CommissionCollected(amount=amount):
            return amount
        case ev.BetPaid(amount=amount):
            return -amount
        case _:
            return 0


def together(evenings: Sequence[Evening]) -> list[NewEvent]:
    """Deal several tables' evenings in parallel, in order of time."""
    drafts = [draft for evening in evenings for draft in evening.deal()]
    return sorted(drafts, key=lambda draft: draft.at_us or 0)
