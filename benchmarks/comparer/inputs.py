"""Makes the inputs: golden shoes, examples, faults, partial records, devices, tests.

`freeze.py` runs this module. It uses the simulator, the faults, the examples and helpers of the
tests, which a refactoring may move. If it no longer runs, the frozen inputs still serve. Everything
is seeded, so the same program makes the same inputs.
"""

import os
import pickle
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import count, product
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec.structs import replace

from benchmarks.audit_clean import dealt
from benchmarks.audit_evenings import PACKS as EVENING_PACKS
from benchmarks.audit_evenings import evening
from benchmarks.audit_houses import House, houses
from benchmarks.audit_kinds import KINDS, OF_A_SHOE, games_of
from benchmarks.audit_mutations import LINEUP, NOT_BEFORE, RARE, WHERE_PATRONS_BANK
from benchmarks.audit_records import BANK_RECORDS, RECORDS
from benchmarks.comparer.cases import Case, Row
from sabot.domain.audit import find_rule
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.log.codec import row_of
from tests.audit.test_legal_shoes import PACKS as LEGAL_PACKS
from tests.faults import Fault, FaultKind
from tests.faults.floor_faults import FLOOR_FAULTS
from tests.faults.third_card_errors import cells
from tests.golden import test_banque, test_chemin, test_macao, test_playthroughs
from tests.support.coup_notation import START_US, events_of
from tests.support.floor_notation import Pit
from tests.support.legal_dealer import LegalDealer
from tests.support.rule_examples import deal as deal_example
from tests.support.three_devices import DEVICES, as_told

if TYPE_CHECKING:
    from multiprocessing.pool import Pool

WHOLE_EVERY: Final = 10
"""Of so many kinds of faults one is in a shoe that is dealt to its end; others end soon after."""
COUPS_AFTER: Final = 2
"""Coups that are dealt after the fault where a shoe ends soon after it."""
ALWAYS: Final = ("classic-8", "strict")
"""Houses of punto banco in which every kind of fault is; the others take turns."""
MOST_DEALT: Final = 5_000
"""Events of a shoe with a fault at most. One shoe that is to end soon never ends; it is dealt to
the end of its cards."""
RARE_SEEDS: Final = 20
"""Shoes of each house that are dealt at most until a rare kind of fault has an occasion."""
CELL_SEEDS: Final = 60
"""Shoes that are dealt at most until a cell of the tableau is needed."""
LEGAL_COUPS: Final = 24
"""Coups of a legal shoe; some partial records begin with coup 20."""
TOLD_COUPS: Final = 12
"""Coups of a shoe without a fault that three devices tell."""
BEGUN_LATE: Final = ("begun late", "coups, begun late")
LATE: Final = 21
"""The first coup in which something may go wrong, where the record begins with coup 20."""
AHEAD_US: Final = 10_000_000


def case(name: str, events: Iterable[RecordedEvent], *, floor: bool = False) -> Case:
    """Return a case of events. Times are cut to milliseconds to save space."""
    return Case(name, floor, [stored(_in_milliseconds(event)) for event in events])


def _in_milliseconds(event: RecordedEvent) -> RecordedEvent:
    at_us = None if event.at_us is None else event.at_us // 1000 * 1000
    return replace(event, at_us=at_us, recorded_us=event.recorded_us // 1000 * 1000)


def stored(event: RecordedEvent) -> Row:
    """Return an event as the log stores it.

    Raises:
        BadInput: the log does not store such an event.
    """
    row = row_of(event)
    assert row.version is not None
    assert row.recorded_us is not None
    return Row(
        event.index, row.event_id, row.stream, row.version, row.name, row.at_us, row.recorded_us,
        row.actor, row.device, row.seq, row.payload,
    )  # fmt: skip


# -- Golden shoes and examples --------------------------------------------------------------------


def golden(_pool: object) -> Iterator[Case]:
    """Yield every shoe of `tests/golden`."""
    for name, house in test_playthroughs.HOUSES.items():
        lines = (test_playthroughs.HERE / f"{name}.txt").read_text(encoding="utf-8").splitlines()
        cards = [card for line in lines if line.startswith("  ") for card in line.split()]
        yield case(f"golden/{name}", test_playthroughs.deal(name, house, cards).shoe.history)
    for name in test_chemin.HOUSES:
        yield _played(f"golden/{name}", test_chemin.Played, name, test_chemin.read(name))
    for name in test_banque.HOUSES:
        for nth, shoe in enumerate(test_banque.shoes_of(name), 1):
            yield _played(f"golden/{name}/{nth}", test_banque.Played, name, shoe)
    for name in test_macao.HOUSES:
        banked = None
        for nth, (cards, told) in enumerate(test_macao.packs_of(name), 1):
            coups = [line for line in told if line.startswith("coup ")]
            shoe = test_macao.deal(name, cards, coups, banked).shoe
            yield case(f"golden/{name}/{nth}", shoe.history)
            banked = shoe.last_holder


def _played(label: str, game: type, name: str, shoe: tuple[list[str], list[str]]) -> Case:
    cards, lines = shoe
    table = game(name, cards)
    for line in lines:
        table.follow(line)
    return case(label, table.felt.shoe.history)


def examples(_pool: object) -> Iterator[Case]:
    """Yield the example of every rule."""
    for code, text in EXAMPLES.items():
        if find_rule(code).of_the_floor:
            yield case(f"examples/{code}", Pit.of(text).events, floor=True)
        else:
            yield case(f"examples/{code}", deal_example(text).history)


# -- Faults ---------------------------------------------------------------------------------------


def faults(pool: "Pool") -> Iterator[Case]:
    """Yield each kind of fault under some packs of its games, each cell, and faulty evenings."""
    jobs = [
        (place, name, house.name)
        for place, (name, kind) in enumerate(KINDS.items())
        for house in _chosen(kind, place)
    ]
    seen = set()
    for each in filter(None, pool.imap(_fault_case, jobs, 8)):
        seen.add(each.name.split("/")[1])
        yield each
    rare = [name for name in KINDS if name not in seen]
    yield from filter(None, pool.imap(_rare_case, rare))
    yield from filter(None, pool.imap(_cell_case, [kind.name for kind in cells()], 4))
    yield from evenings()


def _houses_of(kind: FaultKind) -> list[House]:
    """Return the rule packs under which a kind of fault can happen."""
    every = list(houses(*games_of(kind)))
    if kind.name in OF_A_SHOE:
        return [house for house in every if not parse_pack(house.pack).endless]
    return every


def _chosen(kind: FaultKind, place: int) -> list[House]:
    """Return all packs of games with a patron's bank. Else classic-8, strict and one more."""
    every = _houses_of(kind)
    plain = [house for house in every if parse_pack(house.pack).game == "punto-banco"]
    ours = [house for house in plain if house.name in ALWAYS]
    others = [house for house in plain if house not in ours]
    in_turn = others[place % len(others)] if others else None
    return [h for h in every if h not in plain or h in ours or h is in_turn]


def _fault_case(job: tuple[int, str, str]) -> Case | None:
    place, name, house_name = job
    kind, house = KINDS[name], _house(house_name)
    short = place % WHOLE_EVERY != 0
    history = [] if short else faulty(kind, house, NOT_BEFORE[1], short=False)
    history = history or faulty(kind, house, short=short)
    return case(f"faults/{name}/{house_name}", history) if history else None


def _rare_case(name: str) -> Case | None:
    """Look for a rare occasion under all packs of a kind, and in more shoes."""
    kind = KINDS[name]
    for seed, house in product(range(RARE_SEEDS), _houses_of(kind)):
        if history := faulty(kind, house, seed=seed):
            return case(f"faults/{name}/{house.name}", history)
    return None


def faulty(
    kind: FaultKind, house: House, not_before: int = 1, seed: int = 0, *, short: bool = True
) -> list[RecordedEvent]:
    """Deal a shoe with a fault. Return nothing if the fault had no occasion to happen.

    Args:
        kind: the kind of fault.
        house: the rule pack.
        not_before: the first coup in which the fault may happen.
        seed: one more number of the seed.
        short: end the shoe soon after the fault, unless the kind shows only in the complete shoe.
    """
    ends = short and kind.name not in OF_A_SHOE
    stream = f"shoe/{house.name}-{kind.name}-{not_before}-{seed}"
    plan = ShoePlan(stream=stream, pack=house.pack, decks=house.decks, start_us=10**15)
    pack = parse_pack(house.pack)
    words = LINEUP if pack.game == "punto-banco" else RARE.get(kind.name, WHERE_PATRONS_BANK)
    patrons = parse_lineup(words, min(9, pack.table.seats))
    planted = Fault(kind, not_before)
    croupier = Dealer(plan, patrons, random.Random(stream), (planted,))
    history = []
    for event in croupier.deal():
        history.append(event)
        if len(history) > MOST_DEALT:
            return faulty(kind, house, not_before, seed, short=False) if ends else []
        if ends and planted.happened and croupier.plan is plan:
            now = planted.coup or max(croupier.shoe.coups, default=0)
            croupier.plan = replace(plan, coups=now + COUPS_AFTER)
    return history if planted.happened else []


def _cell_case(name: str) -> Case | None:
    kind = next(kind for kind in cells() if kind.name == name)
    house = _house("classic-8")
    dealt_wrong = (faulty(kind, house, 1, seed) for seed in range(1000, 1000 + CELL_SEEDS))
    history = next(filter(None, dealt_wrong), None)
    return case(f"faults/{name}/classic-8", history) if history else None


def _house(name: str) -> House:
    return next(house for house in houses() if house.name == name)


def evenings() -> Iterator[Case]:
    """Yield evenings of two tables: one without a fault, and one of each kind of floor fault.

    A floor fault involves several shoes or tables. Each is injected into an evening of the shortest
    shoes in which it has an occasion.
    """
    clean = {name: evening(name, 0) for name in EVENING_PACKS}
    by_size = sorted(clean.items(), key=lambda item: len(item[1]))
    for name, drafts in by_size:
        yield case(f"faults/evening/none/{name}", _logged(drafts), floor=True)
    for fault in FLOOR_FAULTS.values():
        told = ((name, fault.tampers(drafts)) for name, drafts in by_size)
        name, wrong = next(((name, wrong) for name, wrong in told if wrong), ("", None))
        if wrong is not None:
            yield case(f"faults/evening/{fault.name}/{name}", _logged(wrong), floor=True)


def _logged(drafts: Iterable[NewEvent]) -> Iterator[RecordedEvent]:
    versions: dict[str, int] = {}
    for index, draft in zip(count(1), drafts, strict=False):
        version = versions[draft.stream] = versions.get(draft.stream, 0) + 1
        at = draft.at_us or 0
        yield RecordedEvent(
            index,
            draft.stream,
            version,
            at,
            at,
            draft.actor,
            draft.device,
            draft.seq,
            draft.payload,
            position=version,
        )


# -- Partial records ------------------------------------------------------------------------------


def partial(pool: "Pool") -> Iterator[Case]:
    """Yield incomplete records of shoes. Each lacks one thing.

    The shoes are legal shoes of the independent dealer, clean shoes of the simulator where patrons
    bank, and a faulty shoe of every kind of fault under one pack of each of its games. Each comes
    as two or three kinds of records in turn.
    """
    for name, text in LEGAL_PACKS.items():
        whole = LegalDealer(text, f"{name} whole").deal(LEGAL_COUPS)
        yield case(f"partial/legal/{name}/whole", events_of(whole))
        told = events_of(LegalDealer(text, f"{name} partial", corrects=False).deal(LEGAL_COUPS))
        for record in RECORDS:
            yield case(f"partial/legal/{name}/{_slug(record.name)}", record.of(told))
    for house in houses("chemin-de-fer", "baccarat-banque", "macao", "victoria"):
        told = dealt(house, "partial", 0)
        for record in BANK_RECORDS:
            yield case(f"partial/simulated/{house.name}/{_slug(record.name)}", record.of(told))
    jobs = list(enumerate(KINDS))
    for cases in pool.imap(_partial_faults, jobs, 4):
        yield from cases


def _partial_faults(job: tuple[int, str]) -> list[Case]:
    place, name = job
    kind = KINDS[name]
    by_game = {parse_pack(house.pack).game: house for house in _houses_of(kind)}
    cases = []
    for game, house in by_game.items():
        records = RECORDS if game == "punto-banco" else BANK_RECORDS
        dealt_from: dict[int, list[RecordedEvent]] = {}
        for step in range(3):
            record = records[(place + step * 5) % len(records)]
            first = LATE if record.name in BEGUN_LATE else 1
            if first not in dealt_from:
                dealt_from[first] = faulty(kind, house, first, 2)
            history = dealt_from[first]
            label = f"partial/{name}/{house.name}/{_slug(record.name)}"
            if left := record.of(history) if history else []:
                cases.append(case(label, left))
    return cases


def _slug(name: str) -> str:
    return name.replace(",", "").replace(" ", "-")


# -- Several devices ------------------------------------------------------------------------------


def devices(pool: "Pool") -> Iterator[Case]:
    """Yield shoes recorded by three devices, each with its own clock: legal, simulated, faulty.

    In some of them the order of events is unknown. Events are closer together than the tolerance, a
    device has no clock or no numbers, or a clock has stopped or is ahead.
    """
    for name, text in LEGAL_PACKS.items():
        decoded_events = LegalDealer(_clocked(text), f"{name} told", corrects=False).deal(
            TOLD_COUPS
        )
        for variant in VARIANTS:
            rng = random.Random(f"legal/{name}/{variant}")
            told = told_by_devices(_paced(events_of(decoded_events), rng), variant, rng)
            yield case(f"devices/legal/{name}/{variant}", told)
    jobs = [*product(["clean"], [house.name for house in houses()], range(len(VARIANTS)))]
    jobs += [("faulty", name, place) for place, name in enumerate(KINDS)]
    for cases in pool.imap(_told_cases, jobs, 4):
        yield from cases


def _told_cases(job: tuple[str, str, int]) -> list[Case]:
    what, name, place = job
    if what == "clean":
        house = _clocked_house(_house(name))
        variant = VARIANTS[place]
        rng = random.Random(f"{name}/{variant}")
        told = told_by_devices(_first_coups(dealt(house, "told", 0)), variant, rng)
        return [case(f"devices/simulated/{name}/{variant}", told)]
    kind = KINDS[name]
    by_game = {parse_pack(house.pack).game: house for house in _houses_of(kind)}
    cases = []
    for house in map(_clocked_house, by_game.values()):
        history = faulty(kind, house, 1, 3)
        for variant in ("three", VARIANTS[1 + place % (len(VARIANTS) - 1)]):
            rng = random.Random(f"{name}/{house.name}/{variant}")
            told = told_by_devices(history, variant, rng)
            if told:
                cases.append(case(f"devices/{name}/{house.name}/{variant}", told))
    return cases


def _first_coups(history: Sequence[RecordedEvent]) -> list[RecordedEvent]:
    """Return the record up to the opening of the coup after `TOLD_COUPS`."""
    kept = []
    for event in history:
        if getattr(event.payload, "coup", None) == TOLD_COUPS + 1:
            break
        kept.append(event)
    return kept


def _clocked(text: str) -> str:
    return text if parse_pack(text).clocks else f"{text}\n[clocks]\ntolerance_ms = 250\n"


def _clocked_house(house: House) -> House:
    return house._replace(pack=_clocked(house.pack))


def _paced(events: Iterable[RecordedEvent], rng: random.Random) -> list[RecordedEvent]:
    """Return events with 50 ms to 2 s between one event and the next."""
    at_us, paced = START_US, []
    for event in events:
        at_us += rng.randint(50_000, 2_000_000)
        paced.append(replace(event, at_us=at_us, recorded_us=at_us))
    return paced


VARIANTS: Final = ("three", "fast", "chips-unclocked", "stopped", "ahead", "unnumbered")
"""Ways in which the devices tell it."""


def told_by_devices(
    history: Sequence[RecordedEvent], variant: str, rng: random.Random
) -> list[RecordedEvent]:
    """Return a shoe as recorded by three devices, in one of the `VARIANTS`."""
    if variant == "fast" and history:
        start = history[0].at_us or 0
        history = [
            replace(event, at_us=start + ((event.at_us or start) - start) // 10)
            for event in history
        ]
    by = DEVICES
    if variant == "ahead":
        by = tuple(
            replace(device, clock_us=AHEAD_US) if device.name == "card-reader" else device
            for device in DEVICES
        )
    told = as_told(history, rng, by)
    match variant:
        case "chips-unclocked":
            return [_of(event, "chip-reader", at_us=None) for event in told]
        case "unnumbered":
            return [_of(event, "terminal", seq=None) for event in told]
        case "stopped":
            return _stopped(told, len(told) // 3, len(told) // 3 + 40)
    return told


def _of(event: RecordedEvent, device: str, **change: object) -> RecordedEvent:
    return replace(event, **change) if event.device == device else event


def _stopped(told: list[RecordedEvent], first: int, last: int) -> list[RecordedEvent]:
    """Return events in which the card reader's clock stops for a while."""
    still: int | None = None
    changed = []
    for place, event in enumerate(told):
        if first <= place < last and event.device == "card-reader":
            still = event.at_us if still is None else still
            changed.append(replace(event, at_us=still))
        else:
            changed.append(event)
    return changed


# -- Shoes of the tests ---------------------------------------------------------------------------


CAPTURED_FROM: Final = ("tests/audit", "tests/games")
MOST_EVENTS: Final = 300
"""Events of a shoe of the tests at most; larger ones are of kinds that other classes have."""


def of_tests(_pool: object) -> Iterator[Case]:
    """Yield the shoes that the tests of the audit use, collected by `capture.py`."""
    root = Path(__file__).parents[2]
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "pytest", "-q", "-n", "2", "-p", "no:cacheprovider"]
        command += ["-p", "benchmarks.comparer.capture", "-m", "not hypothesis", *CAPTURED_FROM]
        environment = {**os.environ, "SABOT_CAPTURE_INTO": folder, "PYTHONPATH": str(root)}
        subprocess.run(command, cwd=root, env=environment, check=True, stdout=sys.stderr)
        caught: dict[tuple[Row, ...], str] = {}
        for path in Path(folder).iterdir():
            for rows, test in pickle.loads(path.read_bytes()).items():
                caught[rows] = min(caught.get(rows, test), test)
    numbers: Counter[str] = Counter()
    for rows, test in sorted(caught.items(), key=lambda item: (item[1], repr(item[0]))):
        numbers[test] += 1
        yield Case(f"{test}#{numbers[test]}", False, list(rows))


def rows_of(events: Sequence[RecordedEvent]) -> tuple[Row, ...]:
    """Return events as the log stores them, or nothing if it would refuse one of them."""
    try:
        return tuple(map(stored, events))
    except BadInput:
        return ()


MAKERS: Final = {
    "golden": golden,
    "examples": examples,
    "faults": faults,
    "partial": partial,
    "devices": devices,
    "tests": of_tests,
}
"""How the cases of each class are made."""
