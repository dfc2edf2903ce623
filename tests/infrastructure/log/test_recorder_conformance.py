"""eventsourcing's own conformance tests, on every store that the log can be kept in.

Each of its cases becomes a class a store; where it names aggregates, once by text and once by
UUID.
"""

import threading
from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest
from eventsourcing.persistence import TrackingRecorder
from eventsourcing.tests import persistence as conformance
from eventsourcing.utils import Environment

from sabot.infrastructure.database.database import Database
from sabot.infrastructure.log.recorder import AggregateRecorder, Factory, Recorder
from tests.support.thorough import FULL


class OnAStore:
    fixture: str | None
    """What gives the store's URL; None for a database in memory."""
    originator: type[str] | type[UUID]
    recorder_class: type[Recorder] = Recorder

    @pytest.fixture(autouse=True)
    def store(self, request: pytest.FixtureRequest) -> Iterator[None]:
        self.url = request.getfixturevalue(self.fixture) if self.fixture else "sqlite://"
        self.database = Database.open(self.url)
        before = set(threading.enumerate())
        yield
        for thread in set(threading.enumerate()) - before:
            thread.join(10)  # a case leaves its readers to stop by themselves
        self.database.close()

    def new_originator_id(self) -> UUID | str:
        return uuid4() if self.originator is UUID else f"shoe/{uuid4()}"

    def create_recorder(self) -> Recorder:
        return self.recorder_class(self.database, originator=self.originator)


class Aggregate(OnAStore):
    base = conformance.AggregateRecorderTestCase
    recorder_class = AggregateRecorder


class Application(OnAStore):
    base = conformance.ApplicationRecorderTestCase

    def test_concurrent_no_conflicts(self) -> None:
        """By default a quarter of its batches, each of a quarter of its events."""
        with pytest.MonkeyPatch.context() as patch:
            if not FULL:
                patch.setattr(conformance, "range", lambda end: range(end // 4), raising=False)
            super().test_concurrent_no_conflicts()

    def test_subscribe(self) -> None:
        self.optional_test_insert_subscribe()


class Tracking(OnAStore):
    base = conformance.TrackingRecorderTestCase


class Process(OnAStore):
    base = conformance.ProcessRecorderTestCase


class NoInterleaving(OnAStore):
    base = conformance.NonInterleavingNotificationIDsBaseCase


class OwnRecorder(Recorder):
    """What an application may derive for its own views."""


class Factories(OnAStore):
    base = conformance.InfrastructureFactoryTestCase

    def setUp(self) -> None:
        self.env = Environment("Shoes")
        self.env["PERSISTENCE_MODULE"] = "sabot.infrastructure.log.recorder"
        self.env["SABOT_DATABASE_URL"] = self.url
        self.env["ORIGINATOR_ID_TYPE"] = "uuid" if self.originator is UUID else "text"
        super().setUp()

    def expected_factory_class(self) -> type[Factory]:
        return Factory

    def expected_aggregate_recorder_class(self) -> type[Recorder]:
        return AggregateRecorder

    def expected_application_recorder_class(self) -> type[Recorder]:
        return Recorder

    expected_tracking_recorder_class = expected_application_recorder_class
    expected_process_recorder_class = expected_application_recorder_class

    def tracking_recorder_subclass(self) -> type[TrackingRecorder]:
        return OwnRecorder


STORES = {"SQLiteFile": "sqlite_url", "SQLiteMemory": None, "PostgreSQL": "postgres_url"}

for _case in (Aggregate, Application, Tracking, Process, NoInterleaving, Factories):
    for _store, _fixture in STORES.items():
        for _originator in (str, UUID) if _case is not Tracking else (str,):
            _name = f"Test{_case.__name__}_{_store}_{_originator.__name__}"
            _own = {"fixture": _fixture, "originator": _originator}
            if _originator is UUID:  # how aggregates are named is nothing to writers at once
                _own["test_concurrent_no_conflicts"] = None
            if not FULL:  # it prints a rate and holds nothing
                _own["test_performance"] = None
            globals()[_name] = type(_name, (_case, _case.base), _own)
