"""Rules of dealing shoes: they are numbered, and go from table to table.

Whether a shoe is tied to a table is asked of chance. Each day the shoes in use are held to have
been dealt out among that day's tables at random, every assignment as likely as any other, and
days to have nothing to do with each other. Then the number of days on which a shoe and a table
meet is a sum of independent draws whose chances are exact fractions, and so is the chance that
it be as high as it is or higher. Times the number of shoes and tables it bounds the chance that
any of them meet so often (Bonferroni).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import pairwise
from math import comb, prod

from msgspec import Struct, field

from sabot.domain.audit.floor_view import HOUR_US, Floor, ShoeSummary
from sabot.domain.audit.rule import Answer, Breach, Rule

_NO_NUMBER = "no dealing shoe has its number on record"
Use = tuple[int, str, str]
"""A day, and the shoe and the table that met on it."""


def chance_of_meeting(uses: int, of_table: int, of_shoe: int) -> Fraction:
    """Return the chance that a shoe and a table meet on a day, at least once.

    Args:
        uses: how many times any shoe was given to any table that day.
        of_table: how many of them were of the table.
        of_shoe: how many of them were of the shoe.
    """
    return 1 - Fraction(comb(uses - of_table, of_shoe), comb(uses, of_shoe))


def chance_of_so_many(chances: Sequence[Fraction], least: int) -> Fraction:
    """Return the chance that at least so many of independent events happen, exactly."""
    if least <= 0:
        return Fraction(1)
    # numerators over the product of all denominators; counts of `least` and more fall together
    counts = [1] + [0] * least
    for chance in chances:
        hit, whole = chance.numerator, chance.denominator
        last = counts[least] * whole + counts[least - 1] * hit
        for count in range(least - 1, 0, -1):
            counts[count] = counts[count] * (whole - hit) + counts[count - 1] * hit
        counts[0] *= whole - hit
        counts[least] = last
    return Fraction(counts[least], prod(chance.denominator for chance in chances))


def _tied(floor: Floor) -> Answer:
    numbered = [shoe for shoe in floor.shoes if shoe.sabot is not None and shoe.table is not None]
    if not numbered:
        return _NO_NUMBER
    settings = {setting for shoe in numbered if (setting := _setting(shoe)) is not None}
    if not settings:
        return "the pack does not say when a shoe counts as tied to a table"
    breaches: list[Breach] = []
    for level, hour in sorted(settings):
        judged = {shoe.table for shoe in numbered if _setting(shoe) == (level, hour)}
        uses = {(_day(shoe, hour), shoe.sabot or "", shoe.table or "") for shoe in numbered}
        breaches += _ties(uses, {table for table in judged if table}, level, numbered)
    return tuple(breaches)


def _setting(shoe: ShoeSummary) -> tuple[Fraction, int] | None:
    custody = shoe.custody
    if custody is None or custody.tie_chance is None:
        return None
    return Fraction(custody.tie_chance), custody.day_begins


def _day(shoe: ShoeSummary, hour: int) -> int:
    return (shoe.begins - hour * HOUR_US) // (24 * HOUR_US)


def _ties(
    uses: Iterable[Use], judged: set[str], level: Fraction, shoes: list[ShoeSummary]
) -> Iterator[Breach]:
    days: dict[int, _Day] = defaultdict(_Day)
    met: dict[tuple[str, str], list[int]] = defaultdict(list)
    for day, sabot, table in sorted(uses):
        days[day].add(sabot, table)
        met[sabot, table].append(day)
    pairs = len({sabot for sabot, _ in met}) * len({table for _, table in met})
    for (sabot, table), together in sorted(met.items()):
        if table not in judged:
            continue
        # all of these days is one way to meet as often: already likelier than the level
        if prod(days[day].chance(sabot, table) for day in together) * pairs > level:
            continue
        chances = [chance for day in days.values() if (chance := day.chance(sabot, table))]
        chance = chance_of_so_many(chances, len(together))
        if chance * pairs <= level:
            yield _breach(sabot, table, together, len(days), (chance * pairs, level), shoes)


class _Day(Struct):
    """How often each shoe and each table was in use on a day."""

    uses: int = 0
    of_shoe: Counter[str] = field(default_factory=Counter)
    of_table: Counter[str] = field(default_factory=Counter)

    def add(self, sabot: str, table: str) -> None:
        self.uses += 1
        self.of_shoe[sabot] += 1
        self.of_table[table] += 1

    def chance(self, sabot: str, table: str) -> Fraction:
        return chance_of_meeting(self.uses, self.of_table[table], self.of_shoe[sabot])


def _breach(  # noqa: PLR0913, PLR0917 - a tie is a shoe, a table, days and chances
    sabot: str,
    table: str,
    together: list[int],
    days: int,
    chances: tuple[Fraction, Fraction],
    shoes: list[ShoeSummary],
) -> Breach:
    chance, level = chances
    loaded = [shoe.loaded for shoe in shoes if (shoe.sabot, shoe.table) == (sabot, table)]
    return Breach(
        f"shoe no. {sabot} is tied to table {table}: together on {len(together)} of {days} days",
        f"shoes that change tables: a chance of more than {level} that any two meet so often",
        f"exact chance at most 1 in {chance.denominator // chance.numerator}",
        tuple(event for event in loaded if event is not None),
        key=("tie", sabot, table),
    )


def _two_tables(floor: Floor) -> Answer:
    numbered: dict[str, list[ShoeSummary]] = defaultdict(list)
    for shoe in floor.shoes:
        if shoe.sabot is not None and shoe.loaded is not None:
            numbered[shoe.sabot].append(shoe)
    if not numbered:
        return _NO_NUMBER
    return tuple(
        Breach(
            f"shoe no. {sabot} was loaded at {shoe.table} while it was being dealt at "
            f"{before.table}",
            "one shoe of each number",
            f"{before.name} went on after {shoe.name} was loaded",
            tuple(event for event in (shoe.loaded, before.last) if event is not None),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for sabot, uses in sorted(numbered.items())
        for before, shoe in pairwise(uses)
        if shoe.table != before.table and shoe.begins + _tolerance(shoe) < before.ends
    )


def _tolerance(shoe: ShoeSummary) -> int:
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    return 1000 * clocks.tolerance_ms if clocks is not None else 0


RULES = (
    Rule(
        "F605",
        "shoe-not-rotated",
        "procedure",
        "medium",
        "A shoe that always stands at the same table can be prepared for it.",
        ("field-facts.md 3 A24", "arrêté of 14 May 2007, arts 55-14, 58"),
        on_floor=_tied,
        by_clock=True,
    ),
    Rule(
        "F606",
        "shoe-at-two-tables",
        "integrity",
        "high",
        "Dealing shoes are numbered, and a number stands for one of them.",
        ("field-facts.md 3 A24", "arrêté of 14 May 2007, arts 55-14, 58"),
        on_floor=_two_tables,
        by_clock=True,
    ),
)
