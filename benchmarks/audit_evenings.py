"""Inject faults that involve several shoes or tables, and count the findings of the audit."""

import random
from collections.abc import Iterable, Iterator
from itertools import count
from typing import Final

from msgspec import Struct

from benchmarks.audit_houses import strict
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.floor_corrections import summary_with_corrections
from sabot.domain.audit.floor_view import floor_of
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation.evening import Evening, ShoeOfEvening, TablePlan, together
from sabot.domain.simulation.patrons.habits import Flat
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from sabot.infrastructure.rule_packs import shipped
from tests.faults.floor_fault import FloorFault
from tests.faults.floor_faults import FLOOR_FAULTS

KEPT: Final = """
abandoned_bets = "kept"

[custody]
inspected = true
issued = true
put_back = true
receipt = true
free_supervisor = true
recording_days = 7
table_hours = 24
count_hours = 24
stock_days = 92
report_minutes = 15
shoes = 1
tie_chance = "1/1000"

[approval]
authority = "DICJ"
notice_days = 3
"""
"""What a pack may ask of the keeping of cards and tables, all of it."""

OPENS_US: Final = 1_767_297_600_000_000
PACKS: Final = ("mini", "classic-8", "macao-later", "deux-tableaux-france-open")


class EveningRow(Struct):
    """The counts of one kind of fault that involves several shoes or tables."""

    kind: FloorFault
    injected: int = 0
    found: int = 0
    invented: int = 0


def evening(name: str, seed: int) -> list[NewEvent]:
    """Deal an evening of two tables with two shoes each."""
    pack = strict(shipped()[name], KEPT)
    rules = parse_pack(pack)
    return together([
        Evening(
            TablePlan(
                table=f"T{number}",
                pack=pack,
                decks=min(rules.cards.decks),
                opens_us=OPENS_US,
                inventory=10_000_000,
                limits=(ev.Limit(1000, 100_000),),
                crew=(ev.Crew("dealer", "dora"), ev.Crew("supervisor", f"sue-{number}")),
                patrons=tuple(
                    Patron(name=f"p{number}-{seat}", seat=seat, habit=Flat(), bankroll=1_000_000)
                    for seat in range(1, 2 if rules.game == "punto-banco" else 5)
                ),
                shoes=tuple(
                    ShoeOfEvening(sabot=str(2 * number - n), session=("2026-01-01", 2 - n, 1))
                    for n in (1, 0)
                ),
                day="20260101",
            ),
            random.Random(f"{name}/{seed}/{number}"),
        )
        for number in (1, 2)
    ])  # fmt: skip


def audited(drafts: list[NewEvent]) -> set[str]:
    """Return the rule codes of all findings, of shoes and of the floor."""
    streams: dict[str, list[RecordedEvent]] = {}
    for index, draft in zip(count(1), drafts, strict=False):
        mine = streams.setdefault(draft.stream, [])
        at = draft.at_us or 0
        mine.append(
            RecordedEvent(index, draft.stream, len(mine) + 1, at, at, draft.actor, draft.device,
                  draft.seq, draft.payload, position=len(mine) + 1)
        )  # fmt: skip
    shoes = [fold_shoe(*pair) for pair in streams.items() if pair[0].startswith("shoe/")]
    batches = [fold_batch(*pair) for pair in streams.items() if pair[0].startswith("cards/")]
    tables = [fold_table(*pair) for pair in streams.items() if pair[0].startswith("table/")]
    for shoe in shoes:
        shoe.at_table = next((table for table in tables if table.name == shoe.table), None)
    floor = audit_floor(floor_of(batches, tables, map(summary_with_corrections, shoes)))
    found = [*floor.findings, *(each for shoe in shoes for each in audit_shoe(shoe).findings)]
    return {each.code for each in found}


def evening_rows(
    seeds: int, kinds: Iterable[FloorFault] = tuple(FLOOR_FAULTS.values())
) -> Iterator[EveningRow]:
    """Inject each of these kinds into clean evenings.

    Raises:
        AssertionError: an evening has findings before a fault is injected.
    """
    clean = [evening(name, seed) for name in PACKS for seed in range(seeds)]
    for drafts in clean:
        assert not audited(drafts), "an evening is not clean before anything goes wrong"
    for kind in kinds:
        row = EveningRow(kind)
        for drafts in clean:
            told = kind.tampers(drafts)
            if told is None:
                continue
            codes = audited(told)
            row.injected += 1
            row.found += kind.codes[0] in codes
            row.invented += len(codes - set(kind.codes))
        yield row
