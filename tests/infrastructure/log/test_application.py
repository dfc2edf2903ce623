"""The log as an application of eventsourcing, on each store."""

import sys
from collections.abc import Iterator

import pytest
from eventsourcing.persistence import StoredEvent, Tracking
from eventsourcing.projection import ApplicationSubscription, Projection, ProjectionRunner

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.log.application import LogApplication, LogEvent
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.recorder import Recorder
from tests.support.thorough import slow

RECORDER = "sabot.infrastructure.log.recorder"


@pytest.fixture
def application(database_url: str, log: EventLog) -> Iterator[LogApplication]:
    log.append([
        NewEvent("shoe/H-1", ev.CoupOpened(1)),
        NewEvent("table/T1", ev.TableOpened(500)),
        NewEvent("shoe/H-1", ev.CardDrawn(1, "player", "4d")),
    ])  # fmt: skip
    with LogApplication({"SABOT_DATABASE_URL": database_url}) as made:
        yield made


@slow
def test_the_notification_log_is_the_log(application: LogApplication) -> None:
    section = application.notification_log["1,10"]
    assert [(n.id, n.originator_id, n.originator_version, n.topic) for n in section.items] == [
        (1, "shoe/H-1", 1, "coup-opened"),
        (2, "table/T1", 1, "table-opened"),
        (3, "shoe/H-1", 2, "card-drawn"),
    ]


def test_a_subscription_yields_events_of_todays_kinds(application: LogApplication) -> None:
    with ApplicationSubscription(application, gt=1) as subscription:
        assert next(subscription) == (
            LogEvent("table/T1", 1, ev.TableOpened(500)), Tracking("Sabot", 2),
        )  # fmt: skip
        assert next(subscription) == (
            LogEvent("shoe/H-1", 2, ev.CardDrawn(1, "player", "4d")), Tracking("Sabot", 3),
        )  # fmt: skip


def test_a_subscription_can_be_narrowed_to_topics(application: LogApplication) -> None:
    with ApplicationSubscription(application, topics=["card-drawn"]) as subscription:
        assert next(subscription)[1].notification_id == 3


def test_an_event_saved_by_the_application_is_one_of_the_log(
    application: LogApplication, log: EventLog
) -> None:
    (recording,) = application.save(LogEvent("table/T1", 2, ev.TableFilled(70)))
    assert recording.notification.id == 4
    (event,) = log.read("table/T1", after=1)
    assert event.payload == ev.TableFilled(70)
    assert log.append([NewEvent("table/T1", ev.TableClosed(570))])[0].version == 3


def test_an_event_that_the_log_cannot_keep_is_refused(
    application: LogApplication, log: EventLog
) -> None:
    with pytest.raises(BadInput):
        application.save(LogEvent("", 1, ev.CoupOpened(1)))
    assert log.head() == 3


def test_the_repository_reads_a_stream(application: LogApplication) -> None:
    found = application.repository.get("shoe/H-1", projector_func=lambda _, events: list(events))
    assert [event.originator_version for event in found] == [1, 2]


@pytest.mark.parametrize("topic", ["antigravity:geohash", "this:s", "tests.anyfacts:x", ""])
def test_a_topic_of_a_stored_row_is_never_imported(application: LogApplication, topic: str) -> None:
    module = topic.partition(":")[0]
    was_there = module in sys.modules
    row = StoredEvent("shoe/X", 1, topic, b'{"type":"coup-opened","coup":1}')
    application.recorder.insert_events([row])
    with pytest.raises(UntrustedLog, match="event 4"):
        application.mapper.to_domain_event(application.notification_log.select(4, 1)[0])
    with pytest.raises(UntrustedLog):
        list(application.events.get("shoe/X"))
    assert (module in sys.modules) == was_there


def test_a_state_that_is_no_event_is_not_trusted(application: LogApplication) -> None:
    for state in (b"{", b"\xff", b'{"type":"card-drawn","coup":1}'):
        row = StoredEvent("shoe/X", 1, "coup-opened", state)
        with pytest.raises(UntrustedLog):
            application.mapper.to_domain_event(row)


def test_the_setting_for_views_does_not_move_the_log(
    database_url: str, log: EventLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PERSISTENCE_MODULE", "eventsourcing.popo")
    log.append([NewEvent("table/T1", ev.TableOpened(500))])
    with LogApplication({"SABOT_DATABASE_URL": database_url}) as application:
        assert application.recorder.max_notification_id() == 1


class Fills(Projection[Recorder]):
    """Sums fills; its position is in the log's database."""

    topics = ("table-filled",)
    total = 0

    def process_event(self, event, tracking):
        self.total += event.payload.amount
        self.view.insert_tracking(tracking)


def _runner(url: str) -> ProjectionRunner:
    env = {"SABOT_DATABASE_URL": url, "PERSISTENCE_MODULE": RECORDER}
    return ProjectionRunner(
        application_class=LogApplication, projection_class=Fills, view_class=Recorder, env=env
    )


def test_a_runner_goes_on_where_its_position_is(database_url: str, log: EventLog) -> None:
    def fill(amount: int) -> int:
        return log.append([NewEvent("table/T1", ev.TableFilled(amount))])[0].index

    fill(100)
    with _runner(database_url) as runner:
        runner.wait(fill(20), timeout=10)
        assert runner.projection.total == 120
    runner.view.database.close()
    fill(3)
    with _runner(database_url) as runner:
        runner.wait(fill(4), timeout=10)
        assert runner.projection.total == 7
    runner.view.database.close()
