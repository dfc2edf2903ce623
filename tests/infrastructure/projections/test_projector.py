"""The read models of a log are the same after a rebuild, a kill or a race."""

import random
import threading

import msgspec
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.database.schema import metadata, rm_tracking
from sabot.infrastructure.log.codec import NAMES, StoredRow
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.projections import projector as projector_module
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.views_schema import FOLLOWER, rm_shoe
from tests.support import three_tables
from tests.support.thorough import FULL, slow

DRAFTS = three_tables.drafts()


@pytest.fixture(scope="module")
def expected():
    """What the read models of the evening come to, built at once in memory."""
    with EventLog.open(":memory:", clock=lambda: 7) as log:
        three_tables.fill(log, DRAFTS)
        for _taken in Projector(log, batch=10**6).catch_up():
            pass
        return three_tables.dump(log)


@pytest.fixture
def evening_log(database_url):
    with EventLog.open(database_url, clock=lambda: 7) as log:
        three_tables.fill(log, DRAFTS)
        yield log


def catch_up(projector, until=None):
    return sum(projector.catch_up(until))


def test_the_evening_has_something_in_every_table(expected):
    assert all(expected.values())
    corrections = list(rm_shoe.c.keys()).index("corrections")
    assert sum(row[corrections] for row in expected["rm_shoe"]) > 3


def test_both_stores_come_to_the_same_rows_at_once(evening_log, expected):
    assert catch_up(Projector(evening_log)) == len(DRAFTS)
    assert three_tables.dump(evening_log) == expected


def test_followed_in_batches_of_any_size_is_rebuilt_from_nothing(evening_log, expected):
    rng = random.Random(5)
    while catch_up(Projector(evening_log, batch=rng.choice((1, 7, 60, 400))), rng.randrange(900)):
        pass
    projector = Projector(evening_log, batch=97, events_in_memory=rng.choice((1, 300)))
    catch_up(projector)
    assert three_tables.dump(evening_log) == expected
    projector.rebuild()
    assert not any(three_tables.dump(evening_log).values())
    catch_up(projector)
    assert three_tables.dump(evening_log) == expected


@slow
@settings(
    max_examples=25 if FULL else 8, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(st.integers(1, 400), min_size=1, max_size=12), st.integers(1, 2000))
def test_batches_at_random(expected, sizes, memory):
    with EventLog.open(":memory:", clock=lambda: 7) as log:
        position = 0
        projector = Projector(log, events_in_memory=memory)
        for size in (*sizes, len(DRAFTS)):
            three_tables.fill(log, DRAFTS[position : position + size])
            position = min(position + size, len(DRAFTS))
            catch_up(projector)
            assert projector.position() == position
        assert three_tables.dump(log) == expected


@slow
def test_a_follower_that_dies_in_the_middle_of_a_batch_leaves_nothing_half_done(
    evening_log, expected, monkeypatch
):
    """It dies before, between and after the rows, and goes on; or another takes over."""
    rng, write = random.Random(2), projector_module.write
    deaths = 0

    class Death(Exception):
        """A kill between two statements."""

    def dying(connection, changes):
        nonlocal deaths
        if rng.random() < 0.6:
            deaths += 1
            write(connection, changes[: rng.randrange(len(changes) + 1)])
            raise Death
        write(connection, changes)

    monkeypatch.setattr(projector_module, "write", dying)
    projector = Projector(evening_log, batch=50)
    while projector.position() < len(DRAFTS):
        before = three_tables.dump(evening_log), projector.position()
        try:
            next(projector.catch_up())
        except Death:
            assert (three_tables.dump(evening_log), projector.position()) == before
            if rng.random() < 0.5:
                projector = Projector(evening_log, batch=50)
    assert deaths > 5
    assert three_tables.dump(evening_log) == expected


@slow
def test_many_followers_at_once_write_each_batch_once(evening_log, expected):
    taken, failures = [], []

    def work(seed):
        try:
            projector = Projector(evening_log, batch=random.Random(seed).choice((5, 11, 23)))
            taken.append(catch_up(projector))
        except BaseException as error:  # noqa: BLE001 - told to the test
            failures.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert sum(taken) == len(DRAFTS)
    assert three_tables.dump(evening_log) == expected


def test_a_batch_that_another_follower_has_just_written_is_not_written_again(
    evening_log, expected, monkeypatch
):
    slow, quick = Projector(evening_log, batch=100), Projector(evening_log, batch=90)
    bring_forward = slow._bring_forward

    def overtaken(events):
        changes = bring_forward(events)
        if events[0].index < 300:
            quick_took.append(catch_up(quick, events[-1].index - 50))
        return changes

    quick_took = []
    monkeypatch.setattr(slow, "_bring_forward", overtaken)
    slow_took = catch_up(slow)
    assert len(quick_took) > 3
    assert sum(quick_took) + slow_took == len(DRAFTS)
    assert three_tables.dump(evening_log) == expected


def test_a_follower_goes_on_rightly_after_another_took_its_turn(evening_log, expected):
    one, other = Projector(evening_log, batch=40), Projector(evening_log, batch=70)
    for until in range(100, len(DRAFTS) + 100, 100):
        catch_up(one if until % 200 else other, until)
    catch_up(one)
    assert three_tables.dump(evening_log) == expected


def test_a_follower_goes_on_rightly_after_a_rebuild_behind_its_back(evening_log, expected):
    one = Projector(evening_log, batch=40)
    catch_up(one, 300)
    other = Projector(evening_log)
    other.rebuild()
    catch_up(other, 300)
    catch_up(one)
    assert three_tables.dump(evening_log) == expected


def test_the_log_is_followed_as_it_grows(database_url, expected):
    stop = threading.Event()
    told = []
    with EventLog.open(database_url, clock=lambda: 7) as log, EventLog.open(database_url) as mine:

        def follow():
            for taken in Projector(mine).follow(stop):
                told.append(taken)
                if sum(told) >= len(DRAFTS):
                    stop.set()

        thread = threading.Thread(target=follow)
        thread.start()
        three_tables.fill(log, DRAFTS, batch=90)
        thread.join(60)
        stop.set()
        assert not thread.is_alive()
        assert sum(told) == len(DRAFTS)
        assert three_tables.dump(log) == expected


@pytest.mark.parametrize("position", [len(DRAFTS) + 1, 2**63 - 1, -1, -(2**63)])
def test_a_position_that_the_log_does_not_have_is_the_fault_of_the_tables(evening_log, position):
    projector = Projector(evening_log)
    catch_up(projector)
    with evening_log.database.writing() as connection:
        connection.execute(
            sa.update(rm_tracking)
            .where(rm_tracking.c.follower == FOLLOWER)
            .values(last_id=position)
        )
    told = f"summary tables are wrong: they state event {position} .*`sabot project --rebuild`"
    with pytest.raises(BadInput, match=told):
        catch_up(Projector(evening_log))
    Projector(evening_log).rebuild()
    catch_up(Projector(evening_log))
    assert Projector(evening_log).position() == len(DRAFTS)


def test_a_log_that_lost_an_event_is_not_trusted(evening_log):
    off = {
        "sqlite": "DROP TRIGGER log_event_stays",
        "postgresql": "ALTER TABLE log_event DISABLE TRIGGER log_event_keeps",
    }
    with evening_log.database.writing() as connection:
        connection.exec_driver_sql(off[connection.dialect.name])
        connection.exec_driver_sql("DELETE FROM log_event WHERE id = 100")
    projector = Projector(evening_log, batch=30)
    with pytest.raises(UntrustedLog, match=r"event 100 .*missing"):
        catch_up(projector)
    assert projector.position() == 90


def test_other_streams_are_passed_over(log):
    log.append(
        [NewEvent("cards/B-1", ev.CardsInspected("sue")), NewEvent("elsewhere", ev.NoMoreBets(1))]
    )
    assert catch_up(Projector(log)) == 2
    assert not any(three_tables.dump(log).values())


def test_the_largest_numbers_and_the_worst_names_reach_either_store(log):
    name = "x\0\u202e\x1b名" + "y" * 90
    payloads = [
        ev.BetPlaced(ev.MAX_INT, ev.MAX_INT, name, name, ev.MAX_INT, ev.MAX_INT),
        *[ev.BetPaid(ev.MAX_INT, ev.MAX_INT, ev.MAX_INT)] * 1100,
        ev.CommissionMarked(ev.MAX_INT, ev.MAX_INT, ev.MAX_INT),
    ]
    log.restore(  # a former version took the NUL
        [
            StoredRow(number, None, "shoe/x", number, NAMES[type(payload)], None, 1, "", "", None,
                      msgspec.json.encode(payload, order="sorted").decode(), 1, "x")
            for number, payload in enumerate(payloads, 1)
        ],
        origin="sabot/former",
    )  # fmt: skip
    catch_up(Projector(log))
    rows = three_tables.dump(log)
    assert rows["rm_bet"][0][3] == name.replace("\0", "␀")
    assert rows["rm_shoe"][0][log_column("rm_shoe", "paid")] == 2**63 - 1
    assert msgspec.json.decode(rows["rm_felt"][0][2])["coup"]["bets"][0]["patron"] == name


def log_column(table, column):
    return list(metadata.tables[table].columns.keys()).index(column)
