"""Patron rating: buy-in, handle, theoretical and actual win, and two screens for advantage play."""

from collections import Counter
from collections.abc import Iterator
from math import log
from typing import Final

from msgspec import Struct, field

from sabot.domain import events as ev
from sabot.domain.protection.observation.watcher import observe_shoe
from sabot.domain.protection.shoe_tests.side_bets import SideBets, side_bets_of
from sabot.domain.values.cards import VALUE
from sabot.infrastructure.reports.dealer import patrons_in
from sabot.infrastructure.reports.expectation import Exposure
from sabot.infrastructure.reports.model import Column, Report, Row, Table, Value
from sabot.infrastructure.reports.records import (
    Currency,
    Played,
    Records,
    coups_of,
    coups_played,
    currency_of,
    money_in,
    named_wager,
    times_of,
)

KIND: Final = "patron-rating"
TITLE: Final = "Patron rating"

_COLUMNS: Final = (
    Column("patron", "patron"),
    Column("shoes", "shoes", "count"),
    Column("coups", "coups", "count"),
    Column("hours", "hours", "number"),
    Column("bought", "chips bought", "money"),
    Column("handle", "handle", "money"),
    Column("average", "average per coup", "money"),
    Column("expected", "theoretical win", "money"),
    Column("won", "house won", "money"),
    Column("z", "z", "number"),
    Column("g", "G statistic (Player/Banker bet vs first card)", "number"),
    Column("counting", "side bets, z", "number"),
)
_HANDLE: Final = (
    Column("patron", "patron"),
    Column("wager", "wager"),
    Column("bets", "bets", "count"),
    Column("handle", "handle", "money"),
    Column("expected", "theoretical win", "money"),
    Column("won", "house won", "money"),
)
_HOUR_US: Final = 3_600_000_000
_SIXES_TO_NINES: Final = range(6, 10)
"""The first cards that favour Player; the others favour Banker."""
Key = tuple[str, Currency]


class Play(Struct):
    """A patron's play in one currency.

    ``us`` is the time from the first to the last coup with a bet, in each shoe, in microseconds.
    ``handle`` is the total stake in coups that were not void, in minor units. ``sides`` counts
    coups with a stake on one side only, by the side and whether the first card was 6 to 9.
    """

    shoes: dict[str, tuple[int, int]] = field(default_factory=dict)
    coups: int = 0
    handle: int = 0
    exposure: Exposure = field(default_factory=Exposure)
    sides: Counter[tuple[str, bool]] = field(default_factory=Counter)

    @property
    def us(self) -> int:
        """The time at the table."""
        return sum(last - first for first, last in self.shoes.values())


def patron_rating(records: Records) -> Report:
    """Return the rating of each patron who bet in a period, and the handle by wager."""
    plays: dict[Key, Play] = {}
    for played in coups_played(records):
        for patron in patrons_in(played):
            _add(plays.setdefault((patron, played.currency), Play()), played, patron)
    bought, counting = _bought(records), _counting(records)
    rating = Table(
        "patrons",
        "Patrons",
        _COLUMNS,
        tuple(
            _row(key, play, bought.get(key, 0), counting.get(key[0]))
            for key, play in sorted(plays.items())
        ),
        empty="No bet was placed in this period.",
        notes=(
            (
                "Theoretical win is each stake times the exact house edge of its wager, for the "
                "bets that were settled. z measures the patron's win: standard deviations above "
                "its mean."
            ),
            (
                "G compares the hand that the patron bet on with the first card that followed (6 "
                'to 9, or another). It is above 3.84 for one of twenty honest patrons. "Side '
                'bets, z" tells whether side bets were worth more in coups with the bet than in '
                "coups without, given the cards seen. Neither figure has a bound on false alarms; "
                "the tests of `sabot detect` have one."
            ),
        ),
    )
    handle = Table(
        "wagers",
        "Handle by wager",
        _HANDLE,
        tuple(_by_wager(records)),
        empty="No bet was placed in this period.",
    )
    return Report(KIND, TITLE, (rating, handle))


def _add(play: Play, played: Played, patron: str) -> None:
    first, _last = play.shoes.get(played.shoe.name, (played.first_us, 0))
    play.shoes[played.shoe.name] = (first, played.last_us)
    play.coups += 1
    if played.coup.voided is None:
        bets = played.coup.bets.values()
        play.handle += sum(bet.amount for bet in bets if bet.patron == patron and not bet.withdrawn)
    play.exposure.add(played.shoe, played.coup, patron=patron)
    side, cards = _side(played, patron), played.coup.cards
    if side is not None and cards:
        high = VALUE[cards[0].payload.card] in _SIXES_TO_NINES
        play.sides[side, high] += 1


def _side(played: Played, patron: str) -> str | None:
    """Return the side with more of the patron's stakes. None if both are equal."""
    stakes: Counter[str] = Counter()
    for bet in played.coup.bets.values():
        if bet.patron == patron and not bet.withdrawn:
            stakes[bet.wager] += bet.amount
    difference = stakes["player"] - stakes["banker"]
    if not difference:
        return None
    return "player" if difference > 0 else "banker"


def g_statistic(counts: Counter[tuple[str, bool]]) -> float | None:
    """Return the G statistic of a table of side by class of the first card.

    It is twice the log likelihood ratio. None if one side or one class never occurred.
    """
    sides, classes, total = Counter[str](), Counter[bool](), sum(counts.values())
    for (side, high), many in counts.items():
        sides[side] += many
        classes[high] += many
    if len(sides) <= 1 or len(classes) <= 1:
        return None
    terms = (
        many * log(many * total / (sides[side] * classes[high]))
        for (side, high), many in counts.items()
        if many
    )
    return max(0.0, 2 * sum(terms))


def _row(key: Key, play: Play, bought: int, counting: SideBets | None) -> Row:
    (patron, currency), exposure = key, play.exposure
    z = exposure.z
    expected: Value = money_in(currency, exposure.expected) if exposure.handle else None
    won: Value = money_in(currency, exposure.won) if exposure.handle else None
    return (
        patron,
        len(play.shoes),
        play.coups,
        play.us / _HOUR_US,
        money_in(currency, bought),
        money_in(currency, play.handle),
        money_in(currency, play.handle // play.coups),
        expected,
        won,
        None if z is None else -z,
        g_statistic(play.sides),
        counting.z if counting is not None and counting.on.coups > 1 else None,
    )


def _bought(records: Records) -> dict[Key, int]:
    """Return the value of chips that patrons bought in the period, by patron and currency."""
    found: dict[Key, int] = {}
    decimals = dict(map(currency_of, records.shoes))
    for table in records.tables.values():
        times = times_of(table.history)
        for session in table.sessions:
            currency = session.currency or ""
            for move in session.moves:
                payload = move.payload
                if isinstance(payload, ev.ChipsBought) and records.scope.covers(times[move.index]):
                    key = (payload.patron, (currency, decimals.get(currency, 2)))
                    found[key] = found.get(key, 0) + payload.amount
    return found


def _counting(records: Records) -> dict[str, SideBets]:
    """Return, for each patron, the side bet that follows its expectation most closely."""
    found: dict[tuple[str, str], SideBets] = {}
    for shoe in records.shoes:
        numbers = {played.coup.number for played in coups_of(shoe, records.scope)}
        if not numbers or shoe.loaded is None:
            continue
        seen = observe_shoe(shoe)
        coups = [coup for coup in seen.coups if coup.number in numbers]
        for bets in side_bets_of(shoe, seen, coups):
            key = (bets.patron, bets.wager)
            if key in found:
                found[key].add(bets)
            else:
                found[key] = bets
    best: dict[str, SideBets] = {}
    for (patron, _wager), bets in sorted(found.items(), key=lambda each: each[0]):
        if patron not in best or bets.z > best[patron].z:
            best[patron] = bets
    return best


def _by_wager(records: Records) -> Iterator[Row]:
    found: dict[tuple[str, str, Currency], Exposure] = {}
    for played in coups_played(records):
        pairs = {(bet.patron, bet.wager) for bet in played.coup.bets.values() if not bet.withdrawn}
        for patron, wager in sorted(pairs):
            each = found.setdefault((patron, wager, played.currency), Exposure())
            each.add(played.shoe, played.coup, patron=patron, wager=wager)
    for (patron, wager, currency), each in sorted(found.items(), key=lambda one: one[0]):
        yield (
            patron,
            named_wager(wager),
            each.bets,
            money_in(currency, each.handle + each.unvalued),
            money_in(currency, each.expected) if each.handle else None,
            money_in(currency, each.won) if each.handle else None,
        )
