"""Rules on dealing shoes.

Dealing shoes are numbered and rotate between tables. A statistical test shows whether a shoe is
used at one table too often (`shoe_not_rotated`). By its null hypothesis, the number of days on
which a shoe and a table meet is a sum of independent indicators with exact rational probabilities.
So its tail probability is exact. Multiplied by the number of pairs of shoe and table, it bounds the
chance that any pair meets so often (Bonferroni).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb, prod
from typing import NamedTuple, get_args

from msgspec import Struct, field

from sabot.domain.audit import floor_needs
from sabot.domain.audit.floor_view import (
    HOUR_US,
    Floor,
    ShoeSummary,
    of_one_kind_of_clock,
    time_of,
)
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import ShoeEvent, ShoeLoaded
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, ARRETE_2007_ART_58

ROTATION = RuleGroup(family="integrity", concerns="game")
_NO_NUMBER = "no dealing shoe has its number and its table on record"

# -- Shoes by their numbers ------------------------------------------------------------------------


def _by_number(floor: Floor) -> dict[str, list[ShoeSummary]]:
    """Return the loadings of each dealing shoe whose table is on record, in order."""
    found: dict[str, list[ShoeSummary]] = defaultdict(list)
    for shoe in _numbered_at_tables(floor):
        found[shoe.sabot or ""].append(shoe)
    return found


def _numbered_at_tables(floor: Floor) -> list[ShoeSummary]:
    return [shoe for shoe in floor.shoes if shoe.sabot is not None and shoe.table is not None]


@need("shoe", _NO_NUMBER)
def numbered_at_tables(floor: Floor) -> bool:
    """The record holds the number of a dealing shoe, and its table."""
    return bool(_numbered_at_tables(floor))


# -- Shoes that change tables ---------------------------------------------------------------------


class _Tie(NamedTuple):
    """A dealing shoe that one table used too often, with the chance of so many uses."""

    sabot: str
    table: str
    together: int
    days: int
    chance: Fraction
    level: Fraction


_Use = tuple[int, str, str]
"""A day, and the shoe and the table used together on it."""


def chance_of_meeting(uses: int, of_table: int, of_shoe: int) -> Fraction:
    """Return the chance that a shoe and a table meet on a day.

    Args:
        uses: the number of times any shoe was given to any table that day.
        of_table: the number of those uses at the table.
        of_shoe: the number of those uses of the shoe.
    """
    return 1 - Fraction(comb(uses - of_table, of_shoe), comb(uses, of_shoe))


def chance_of_so_many(chances: Sequence[Fraction], least: int) -> Fraction:
    """Return the exact chance that at least ``least`` of the independent events happen."""
    if least <= 0:
        return Fraction(1)
    # numerators over the product of all denominators; the last entry has all counts from `least`
    counts = [1] + [0] * least
    for chance in chances:
        hit, whole = chance.numerator, chance.denominator
        last = counts[least] * whole + counts[least - 1] * hit
        for count in range(least - 1, 0, -1):
            counts[count] = counts[count] * (whole - hit) + counts[count - 1] * hit
        counts[0] *= whole - hit
        counts[least] = last
    return Fraction(counts[least], prod(chance.denominator for chance in chances))


@need("rules", "the pack does not say when a shoe counts as tied to a table", "not-required")
def tie_stated(floor: Floor) -> bool:
    """The rule pack states the chance below which a shoe counts as tied to a table."""
    return any(shoe.custody.tie_chance is not None for shoe in _numbered_at_tables(floor))


@ROTATION.rule(
    "F605",
    "shoe-not-rotated",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    family="procedure",
    concerns="form",
    looks_at="floor",
    needs=(numbered_at_tables, tie_stated),
    breach_events=(ShoeLoaded,),
    breaks="""
        with custody.tie_chance = "1/1000"
        days 7 1:T1 2:T2 3:T3 4:T4
    """,
    keeps="""
        with custody.tie_chance = "1/1000"
        days 6 1:T1 2:T2 3:T3 4:T4
    """,
)
def shoe_not_rotated(floor: Floor) -> Iterator[Breach]:
    """No dealing shoe is at one table on more days than chance explains.

    For each pair of shoe and table, the rule counts the days on which the shoe was used at the
    table. It computes the chance of at least that many days if, on each day, the shoes in use had
    been assigned to the tables at random. All assignments of a day are equally likely, and the days
    are independent. This chance is multiplied by the number of pairs of shoe and table. The rule is
    broken if the product is at most the chance that the rule pack states. A loading is a use, even
    if no card was dealt. Several uses of a shoe at one table on one day are counted as one. Shoes
    without a number and a table on record are not counted. Only tables whose rule pack states a
    chance are checked, but the uses at all tables are part of the computation. A day begins at the
    hour that the rule pack states, by the clocks, without tolerance. No pair is judged if only some
    of the loadings that count have times of the table's clock. The finding shows every loading of
    the shoe at the table.
    """
    shoes = _numbered_at_tables(floor)
    if not of_one_kind_of_clock(shoe.loaded for shoe in shoes):
        raise floor_needs.clocks_apart()
    settings = {setting for shoe in shoes if (setting := _setting(shoe)) is not None}
    for level, hour in sorted(settings):
        judged = {shoe.table or "" for shoe in shoes if _setting(shoe) == (level, hour)}
        uses = {(_day(shoe, hour), shoe.sabot or "", shoe.table or "") for shoe in shoes}
        for tie in _ties(uses, judged, level):
            yield _tied(tie, shoes)


def _tied(tie: _Tie, shoes: list[ShoeSummary]) -> Breach:
    met = [shoe for shoe in shoes if (shoe.sabot, shoe.table) == (tie.sabot, tie.table)]
    return Breach(
        f"shoe no. {tie.sabot} is tied to table {tie.table}: together on {tie.together} of "
        f"{tie.days} days",
        f"shoes that change tables: with a chance above {tie.level} any two meet so often",
        f"exact chance at most 1 in {tie.chance.denominator // tie.chance.numerator}",
        tuple(event for shoe in met for event in shoe.loading),
        key=("tie", tie.sabot, tie.table),
    )


def _setting(shoe: ShoeSummary) -> tuple[Fraction, int] | None:
    """Return the level of chance for a tie and the hour at which days begin.

    A dealing shoe counts as tied to a table if the chance is below the level. None if the rule pack
    states no level.
    """
    chance = shoe.custody.tie_chance
    return None if chance is None else (Fraction(chance), shoe.custody.day_begins)


def _day(shoe: ShoeSummary, hour: int) -> int:
    return (shoe.begins - hour * HOUR_US) // (24 * HOUR_US)


def _ties(uses: Iterable[_Use], judged: set[str], level: Fraction) -> Iterator[_Tie]:
    """Yield the shoes tied to one of the judged tables.

    The chances take all tables into account.
    """
    days: dict[int, _Day] = defaultdict(_Day)
    met: dict[tuple[str, str], list[int]] = defaultdict(list)
    for day, sabot, table in sorted(uses):
        days[day].add(sabot, table)
        met[sabot, table].append(day)
    pairs = len({sabot for sabot, _ in met}) * len({table for _, table in met})
    for (sabot, table), together in sorted(met.items()):
        if table not in judged:
            continue
        # meeting on exactly these days is already likelier than the level
        if prod(days[day].chance(sabot, table) for day in together) * pairs > level:
            continue
        chances = [chance for day in days.values() if (chance := day.chance(sabot, table))]
        chance = chance_of_so_many(chances, len(together)) * pairs
        if chance <= level:
            yield _Tie(sabot, table, len(together), len(days), chance, level)


class _Day(Struct):
    """The uses of dealing shoes on one day, counted by shoe and by table."""

    uses: int = 0
    of_shoe: Counter[str] = field(default_factory=Counter)
    of_table: Counter[str] = field(default_factory=Counter)

    def add(self, sabot: str, table: str) -> None:
        self.uses += 1
        self.of_shoe[sabot] += 1
        self.of_table[table] += 1

    def chance(self, sabot: str, table: str) -> Fraction:
        return chance_of_meeting(self.uses, self.of_table[table], self.of_shoe[sabot])


# -- A shoe at two tables --------------------------------------------------------------------------


@each("later use of a dealing shoe", None, about="shoe")
def _loaded_after(floor: Floor) -> Sequence[tuple[ShoeSummary, ShoeSummary]]:
    """Return each pair of successive loadings of a dealing shoe.

    A loading without a recorded number or table is not checked. Each loading is compared with the
    one before it of the same number.
    """
    return [pair for _, shoes in sorted(_by_number(floor).items()) for pair in pairwise(shoes)]


@ROTATION.rule(
    "F606",
    "shoe-at-two-tables",
    sources=(ARRETE_2007_ART_58,),
    looks_at="floor",
    needs=(numbered_at_tables,),
    each=_loaded_after,
    breach_events=get_args(ShoeEvent),
    breaks="""
        shoe H-1 {"table": "T1", "sabot": "7"} open
        shoe H-2 shoe-loaded {"table": "T2", "sabot": "7"}
        shoe H-1 shoe-ended {"left": 410, "counted": 416, "reason": "withdrawn"}
    """,
    keeps="""
        shoe H-1 {"table": "T1", "sabot": "7"} open
        shoe H-1 shoe-ended {"left": 410, "counted": 416, "reason": "withdrawn"}
        shoe H-2 shoe-loaded {"table": "T2", "sabot": "7"}
    """,
)
def shoe_at_two_tables(_floor: Floor, pair: tuple[ShoeSummary, ShoeSummary]) -> Iterator[Breach]:
    """A dealing shoe is at one table at a time.

    A shoe is in use from its loading to its end, or to its last event if no end is on record. A
    loading at another table in that time, beyond the clock tolerance of the rule pack, is a breach.
    Two loadings at the same table are not compared. Two others are not judged if some, but not all,
    of three events have times of the table's clock: the loadings and the last event of the earlier
    use.
    """
    before, shoe = pair
    until = before.until
    if shoe.table == before.table or until is None:
        return
    if not of_one_kind_of_clock((before.loaded, shoe.loaded, until)):
        raise floor_needs.clocks_apart()
    if shoe.begins + shoe.tolerance_us < time_of(until):
        yield Breach(
            f"shoe no. {shoe.sabot} was loaded at {shoe.table} while it was being dealt at "
            f"{before.table}",
            "one shoe of each number",
            f"{before.name} went on after {shoe.name} was loaded",
            (*shoe.loading, until),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


RULES = (*ROTATION.rules,)
"""Every rule of this module."""
