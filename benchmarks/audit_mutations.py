"""Inject every known kind of fault into clean shoes, and count how many the audit finds.

    python -m benchmarks.audit_mutations [--full] [--only KIND …] [--write | --add]
    python -m benchmarks.audit_mutations --page | --long FILE

Each kind of fault (`tests.faults`) is injected into simulated shoes of every rule pack of every
game in which it can happen (`benchmarks.audit_houses`). It is injected from the first coup on under
one pack and from the twelfth on under the next. ``--full`` does this three times. Faults of
corrections are injected under two packs of each game.

A fault counts as found if its rule has a finding, and if one of the rules of its kind has a finding
on its coup. A finding of another kind counts as invented. Some of the shoes are then audited as
incomplete records (`benchmarks.audit_records`), which shows what a record must hold for the fault
to be found. Faults that involve several shoes or tables are injected into evenings
(`benchmarks.audit_evenings`). Kinds that the audit has given up are counted apart
(`benchmarks.audit_given_up`).

``--write`` writes the counts and docs/mutations.md. ``--add`` injects only the kinds without
counts. ``--page`` and ``--long`` inject nothing and write a page from the counts:
docs/mutations.md, with a line for each rule, or a page with a line for each kind of fault.
"""

import argparse
import random
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from itertools import product
from pathlib import Path

from benchmarks.audit_evenings import evening_rows
from benchmarks.audit_given_up import given_up_rows
from benchmarks.audit_houses import House, houses
from benchmarks.audit_kinds import KINDS, OF_A_SHOE, games_of
from benchmarks.audit_mutation_counts import COUNTS, PAGE, Counts
from benchmarks.audit_trials import Row, Trial
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import GameName, parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from tests.faults import CORRECTION_FAULTS, Fault, FaultKind
from tests.faults.third_card_errors import cells

LINEUP = "flat:side=player,flat:unit=5000,flat,tie-lover,edge-sorter"
WHERE_PATRONS_BANK = "flat:side=player,flat:unit=5000,flat:unit=7500,trend,flat:unit=10000"
NOT_BEFORE = (1, 12)
MOST_LACKING = 1
"""Shoes of a kind in a game that are audited as records that lack something, too."""
RARE = {"banco-a-fourth-time": "flat:9:banco=0.3:bankroll=90000000:retires=0:raises=1"}
"""Who plays where a kind of fault has hardly an occasion else."""
COUPS = 24
"""Coups of a shoe whose steps are told out of their order, where it need not be dealt to its end.
"""
MOST_SEEDS = 60
"""Shoes that are dealt at most until a cell of the tableau is needed."""


def trial(house: House, kind: FaultKind, not_before: int, seed: int) -> Trial | None:
    """Deal a shoe with a fault. Return None if the fault had no occasion to happen."""
    game = parse_pack(house.pack).game
    planted = Fault(kind, not_before)
    if kind.retells is not None:
        for coups in (COUPS,) if kind.name in CORRECTION_FAULTS else (COUPS, None):
            stream, history = clean(house, seed, coups)
            told = kind.retells(history, not_before)
            if told is not None:
                planted.coup = told.coup
                return Trial(game, kind, planted, stream, told.history)
        return None
    stream = f"shoe/{house.name}-{kind.name}-{not_before}-{seed}"
    words = LINEUP if game == "punto-banco" else RARE.get(kind.name, WHERE_PATRONS_BANK)
    history = _dealt(house, stream, words, planted)
    return Trial(game, kind, planted, stream, history) if planted.happened else None


@cache
def clean(house: House, seed: int, coups: int | None) -> tuple[str, list[RecordedEvent]]:
    """Deal a shoe without a fault. Return its stream and its events."""
    stream = f"shoe/{house.name}-{seed}-{coups}"
    words = LINEUP if parse_pack(house.pack).game == "punto-banco" else WHERE_PATRONS_BANK
    return stream, _dealt(house, stream, words, coups=coups)


def _dealt(
    house: House, stream: str, words: str, *faults: Fault, coups: int | None = None
) -> list[RecordedEvent]:
    plan = ShoePlan(stream=stream, pack=house.pack, decks=house.decks, start_us=10**15, coups=coups)
    patrons = parse_lineup(words, min(9, parse_pack(house.pack).table.seats))
    return list(Dealer(plan, patrons, random.Random(stream), faults).deal())


def rows(kinds: Iterable[FaultKind], seeds: int, *, only_houses: int = 99) -> Iterator[Row]:
    """Inject each kind of fault under every rule pack of its games.

    The fault happens from the first coup on under one pack and from the twelfth on under the next.
    """
    for kind in kinds:
        tried = list(houses(*games_of(kind)))
        if kind.name in OF_A_SHOE:
            tried = [each for each in tried if not parse_pack(each.pack).endless]
        tried = tried[-only_houses:]
        row = Row(kind)
        lacking: Counter[GameName] = Counter()
        for seed, (place, house) in product(range(seeds), enumerate(tried)):
            if kind.name in CORRECTION_FAULTS and row.games[parse_pack(house.pack).game] > 1:
                continue  # they take long: one early and one late in each game will do
            not_before = NOT_BEFORE[(place + seed) % 2]
            went_wrong = trial(house, kind, not_before, seed)
            if went_wrong is None and not_before > 1:
                went_wrong = trial(house, kind, 1, seed)
            if went_wrong is None:
                continue
            row.take(went_wrong)
            if lacking[went_wrong.game] < MOST_LACKING:
                lacking[went_wrong.game] += 1
                row.take_lacking(went_wrong)
        if not row.injected:  # a rare occasion needs more shoes
            _seek(row, tried[0], 1)
        yield row


def cell_rows(most: int, only: Collection[str] = ()) -> Iterator[Row]:
    """Reverse each cell of the third-card table, in so many shoes in which the cell decides."""
    house = next(house for house in houses("punto-banco") if house.name == "classic-8")
    for kind in cells():
        if only and kind.name not in only:
            continue
        row = Row(kind)
        _seek(row, house, most)
        yield row


def _seek(row: Row, house: House, most: int) -> None:
    for seed in range(1000, 1000 + MOST_SEEDS * most):
        went_wrong = trial(house, row.kind, 1, seed)
        if went_wrong is not None:
            row.take(went_wrong)
        if row.injected == most:
            return


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--only", nargs="*", choices=sorted(KINDS), metavar="KIND")
    writes = parser.add_mutually_exclusive_group()
    writes.add_argument("--write", action="store_true", help="write the counts and the page")
    writes.add_argument("--add", action="store_true", help="inject only kinds without counts")
    writes.add_argument("--page", action="store_true", help="inject nothing, write the page")
    writes.add_argument(
        "--long", type=Path, metavar="FILE", help="inject nothing, write a line for each kind"
    )
    asked = parser.parse_args()
    if asked.page or asked.long:
        counts = Counts(COUNTS.read_text())
        (asked.long or PAGE).write_text(counts.long_page() if asked.long else counts.page())
        return
    counts = Counts(COUNTS.read_text() if asked.add else "")
    names = [name for name in asked.only or KINDS if name not in counts.of("shoe")]
    bad, injected = 0, 0
    for row in rows((KINDS[name] for name in names), 3 if asked.full else 1):
        counts.add_kind(row)
        bad += _told(row)
        injected += row.injected
        if asked.write or asked.add:
            COUNTS.write_text(counts.text())
    if not asked.only and not counts.of("cell"):
        in_cells = list(cell_rows(5 if asked.full else 1))
        counts.add_cells(in_cells)
        bad += sum(_told(row) for row in in_cells)
        injected += sum(row.injected for row in in_cells)
    if not asked.only:
        for each in evening_rows(2 if asked.full else 1):
            counts.add_evening(each)
            bad += each.injected - each.found + each.invented + (not each.injected)
            injected += each.injected
        for given_up in given_up_rows(clean, COUPS):
            counts.add_given_up(given_up)
    print(f"{injected:,} faults, {bad} missed, invented or never injected")
    if asked.write or asked.add:
        COUNTS.write_text(counts.text())
        PAGE.write_text(counts.page())
    sys.exit(1 if bad else 0)


def _told(row: Row) -> int:
    """Print the counts of a kind. Return the number of wrong results."""
    said = f"{row.kind.name:<28} {row.injected:>4} injected {row.found:>4} found"
    print(said, *row.missed[:3], *row.invented, flush=True)
    return row.injected - row.found + row.invented.total() + (not row.injected)


if __name__ == "__main__":
    main()
