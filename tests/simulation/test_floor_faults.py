"""Evenings without faults are clean, and only the injected fault is found."""

import random
from collections import Counter
from itertools import count

import pytest

from benchmarks.audit_mutation_counts import NO_FAULT
from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.engine import FloorAudit, audit_floor
from sabot.domain.audit.floor_corrections import summary_with_corrections
from sabot.domain.audit.floor_view import floor_of
from sabot.domain.audit.rulebook import FLOOR_RULES
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.simulation.evening import Evening, ShoeOfEvening, TablePlan, together
from sabot.domain.simulation.patrons.habits import Flat
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.state.batch_state import fold as fold_batch
from sabot.domain.state.shoe import fold as fold_shoe
from sabot.domain.state.table_state import fold as fold_table
from sabot.infrastructure.rule_packs import pack_text
from tests.faults import fault
from tests.faults.floor_faults import FLOOR_FAULTS
from tests.support.for_each import for_each
from tests.support.thorough import slow

CUSTODY = """
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
"""
APPROVAL = """
[approval]
authority = "DICJ"
notice_days = 3
"""
STRICT = f'abandoned_bets = "kept"\n{pack_text("mini")}{CUSTODY}{APPROVAL}'
OF_THE_STORE = set(NO_FAULT)
"""Rules on what a store adds to events; `tests.infrastructure.log.test_store_times` breaks them."""
OPENS_US = 1_767_297_600_000_000
SHOES = (ShoeOfEvening(sabot="1"), ShoeOfEvening(sabot="2"))


def evening(
    *tables: tuple[ShoeOfEvening, ...], pack: str = STRICT, decks: int = 3, patrons: int = 1
) -> list[NewEvent]:
    """Deal an evening of short shoes at tables side by side."""
    return together([
        Evening(
            TablePlan(
                table=f"T{number}",
                pack=pack,
                decks=decks,
                opens_us=OPENS_US,
                inventory=10_000_000,
                limits=(ev.Limit(1000, 100_000),),
                crew=(ev.Crew("dealer", "dora"), ev.Crew("supervisor", f"sue-{number}")),
                patrons=tuple(
                    Patron(name=f"p{number}-{seat}", seat=seat, habit=Flat(), bankroll=1_000_000)
                    for seat in range(1, patrons + 1)
                ),
                shoes=shoes,
                day="20260101",
            ),
            random.Random(number),
        )
        for number, shoes in enumerate(tables, 1)
    ])  # fmt: skip


def numbered(drafts: list[NewEvent]) -> dict[str, list[RecordedEvent]]:
    """Make events of drafts, as the log would."""
    streams: dict[str, list[RecordedEvent]] = {}
    for index, draft in zip(count(1), drafts, strict=False):
        mine = streams.setdefault(draft.stream, [])
        at = draft.at_us
        assert at is not None
        mine.append(
            RecordedEvent(index, draft.stream, len(mine) + 1, at, at, draft.actor, draft.device,
                  draft.seq, draft.payload, position=len(mine) + 1)
        )  # fmt: skip
    return streams


def audited(drafts: list[NewEvent]) -> tuple[set[str], FloorAudit]:
    """Return the codes of what is found, in shoes and beyond, and the audit of the floor."""
    streams = numbered(drafts)

    def of(prefix):
        return [pair for pair in streams.items() if pair[0].startswith(prefix)]

    shoes = [fold_shoe(*pair) for pair in of("shoe/")]
    floor = audit_floor(
        floor_of(
            [fold_batch(*pair) for pair in of("cards/")],
            [fold_table(*pair) for pair in of("table/")],
            map(summary_with_corrections, shoes),
        )
    )
    found = [*floor.findings, *(each for shoe in shoes for each in audit_shoe(shoe).findings)]
    return {each.code for each in found}, floor


@pytest.fixture(scope="module")
def clean() -> list[NewEvent]:
    return evening(SHOES, tuple(ShoeOfEvening(sabot=str(n)) for n in (3, 4)))


@pytest.fixture(scope="module")
def going_on() -> list[NewEvent]:
    """Two shoes of a game that goes on from one to the next."""
    return evening(SHOES, pack=pack_text("macao-later"), decks=2, patrons=4)


def test_an_evening_whose_bank_goes_on_is_clean(going_on):
    codes, floor = audited(going_on)
    assert codes == set()
    results = {verdict.code: verdict.result for verdict in floor.verdicts}
    assert results["wrong-first-banker"] == "pass"


def test_an_evening_is_clean_by_a_pack_that_asks_for_everything(clean):
    codes, floor = audited(clean)
    assert codes == set()
    assert (floor.batches, floor.tables) == (4, 2)
    idle = [each for each in floor.verdicts if each.result == "not-applicable"]
    assert {each.code for each in idle} > OF_THE_STORE
    # there is nothing to judge where nothing of the kind happened
    assert Counter(reason for each in idle for reason in each.reasons) == {
        "no bad card was found": 1,
        "no bad card was found, and none were sealed as evidence": 1,
        "no bet was abandoned": 1,
        "no abandoned bet was kept for its owner": 1,
        "nobody claimed an abandoned bet": 1,
        "no shoe names a first banker": 1,
        "no shoe of the table gives its session": 1,
        "no two shoes of the same cards give their session, or no new cards were needed": 1,
        "no event was corrected": 1,
        "the record does not give the game of the table": 1,
        "the record lacks the store's own clock and logins": len(OF_THE_STORE),
    }


@pytest.fixture(scope="module")
def sessions() -> list[NewEvent]:
    """A shoe of each of two sessions of a day."""
    of_day = (ShoeOfEvening(sabot=str(n), session=("2026-01-01", n, 1)) for n in (1, 2))
    pack = pack_text("deux-tableaux-france-open")
    return evening(tuple(of_day), pack=pack, decks=6, patrons=4)


def test_an_evening_of_two_sessions_is_clean(sessions):
    codes, floor = audited(sessions)
    assert codes == set()
    results = {verdict.code: verdict.result for verdict in floor.verdicts}
    assert results["repeated-session-shoe"] == "pass"


@slow
@for_each("name", FLOOR_FAULTS)
def test_the_audit_finds_it_and_nothing_else(name, clean, going_on, sessions):
    kind = FLOOR_FAULTS[name]
    told = kind.tampers(clean) or kind.tampers(going_on) or kind.tampers(sessions)
    assert told is not None
    codes, _ = audited(told)
    assert kind.codes[0] in codes
    assert codes <= set(kind.codes)


def test_every_rule_beyond_a_shoe_has_a_fault():
    codes = {each.code for each in FLOOR_RULES}
    assert {kind.codes[0] for kind in FLOOR_FAULTS.values()} == codes - OF_THE_STORE


@for_each("name", FLOOR_FAULTS)
def test_a_fault_names_rules_that_exist(name):
    kind = FLOOR_FAULTS[name]
    assert find_rule(kind.codes[0]).family == kind.family
    assert set(kind.codes) <= {each.code for each in RULES}


@for_each("name", FLOOR_FAULTS)
def test_an_evening_without_room_for_a_fault_is_left_alone(name):
    assert FLOOR_FAULTS[name].tampers([]) is None


def test_a_card_short_is_noted_of_its_batch_and_reported():
    drafts = evening((ShoeOfEvening(interventions=(fault("one-card-short"),)),))
    codes, floor = audited(drafts)
    assert codes == {"card-count-mismatch"}
    results = {verdict.code: verdict.result for verdict in floor.verdicts}
    assert results["unreported-miscount"] == "pass"
    assert results["unreported-bad-cards"] == "pass"
