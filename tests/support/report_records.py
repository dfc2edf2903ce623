"""Report records made from events without a log, and figures counted from the events alone."""

from collections import defaultdict

import msgspec

from sabot.domain import events as ev
from sabot.domain.audit.foreign_events import set_foreign_aside
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import fold
from sabot.domain.state.table_state import fold as fold_table
from sabot.domain.values.periods import Period
from sabot.infrastructure.reports.model import Money
from sabot.infrastructure.reports.records import Records, Scope
from tests.support.simulated_shoes import HONEST, streams

PACKS = (
    ("classic-8", 8), ("midi", 8), ("super-6", 8), ("ez-baccarat", 8), ("chemin-de-fer-france", 6),
    ("banque-list", 6), ("deux-tableaux-france", 6), ("macao-old", 2), ("victoria", 2),
)  # fmt: skip
"""A pack of each kind of game, with the number of its decks."""


def dealt(pack, *, coups=12, seed="reports"):
    """Return the events of a shoe of so many coups dealt by its pack."""
    (events,) = streams(HONEST, 1, seed, pack, coups=coups)
    return list(events)


def replaced(events, change):
    """Return the events with some payloads changed. ``change`` returns a payload, or None."""
    return [
        msgspec.structs.replace(event, payload=change(event.payload) or event.payload)
        for event in events
    ]


def records_of(*shoes, period=None, tables=(), **scope):
    """Return records of shoes, each given as a list of its events, and of tables."""
    folded = [set_foreign_aside(at_the_table(fold(each[0].stream, list(each)))) for each in shoes]
    known = [fold_table(each[0].stream, list(each)) for each in tables]
    for shoe in folded:
        shoe.at_table = next((table for table in known if table.name == shoe.table), None)
    scope = {name: frozenset(names) for name, names in scope.items()}
    return Records(
        Scope(period or Period(), **scope), tuple(folded), {each.name: each for each in known}
    )


class Counted:
    """The money of a shoe, counted from its events one by one. ``began`` are first cards."""

    def __init__(self, events):
        self.stakes, self.patrons, self.wagers = {}, {}, {}
        self.taken, self.paid = defaultdict(int), defaultdict(int)
        self.marked, self.kept, self.levy = defaultdict(int), defaultdict(int), defaultdict(int)
        self.void, self.banked, self.dealt = set(), set(), set()
        self.began, self.banker = {}, None
        for event in events:
            payload = event.payload
            key = getattr(payload, "coup", None), getattr(payload, "bet", None)
            if isinstance(payload, ev.CoupOpened | ev.CardDrawn):
                self.began.setdefault(payload.coup, event.at_us)
            if isinstance(payload, ev.CardDrawn) and payload.coup not in self.dealt:
                self.dealt.add(payload.coup)
                self.began[payload.coup] = event.at_us
            if isinstance(payload, ev.CoupOpened) and self.banker is not None:
                self.banked.add(payload.coup)
            self._stake(payload, key)
            self._money(payload, key)

    def _stake(self, payload, key):
        match payload:
            case ev.BetPlaced() | ev.BetCarried():
                self.stakes[key], self.patrons[key] = payload.amount, payload.patron
                self.wagers[key] = payload.wager
            case ev.BetChanged():
                self.stakes[key] = payload.amount
            case ev.BetWithdrawn():
                self.stakes[key] = 0
            case bank_ev.ExcessReturned():
                self.stakes[key] -= payload.amount
            case ev.CoupVoided(coup=coup):
                self.void.add(coup)
            case bank_ev.BankPosted():
                self.banker = payload.by
            case _:
                pass

    def _money(self, payload, key):
        match payload:
            case ev.BetTaken():
                self.taken[key] += payload.amount
            case ev.BetPaid():
                self.paid[key] += payload.amount
            case ev.CommissionMarked():
                self.marked[key] += payload.amount
            case ev.CommissionCollected(bet=bet) if bet is not None and not self.marked[key]:
                self.kept[key] += payload.amount
            case bank_ev.LevyTaken(coup=coup):
                self.levy[coup] += payload.amount
            case _:
                pass

    @property
    def handle(self):
        return sum(stake for (coup, _), stake in self.stakes.items() if coup not in self.void)

    def house(self, coups=None):
        """Return the casino's win: from bets against it, commission and levies."""
        won = 0
        for key, patron in self.patrons.items():
            if coups is not None and key[0] not in coups:
                continue
            assert patron
            won += self.marked[key] or self.kept[key]
            if key[0] not in self.banked:
                won += self.taken[key] - self.paid[key]
        return won + sum(n for coup, n in self.levy.items() if coups is None or coup in coups)


def table_named(report, key):
    """Return a table of a report."""
    return next(each for each in report.tables() if each.key == key)


def records(table):
    """Return the rows of a table as mappings from the keys of its columns."""
    keys = [column.key for column in table.columns]
    return [dict(zip(keys, row, strict=True)) for row in table.rows]


def total_of(table, key):
    """Return the sum of a column of money, by currency."""
    sums = defaultdict(int)
    for row in records(table):
        if isinstance(row[key], Money):
            sums[row[key].currency] += row[key].minor
    return dict(sums)
