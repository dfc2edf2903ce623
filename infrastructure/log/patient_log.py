"""Open a log, and append to it, while its database may be restarted.

If a connection is lost during an append, it is unknown whether the events were committed. Once the
database is back, they are looked up in the log, and only missing ones are appended again. An event
of a device is found by its identity. Other events are found by their content and their time of
recording, which no other append of this process has.
"""

import errno
import math
import threading
import time
from collections.abc import Callable, Collection, Sequence
from typing import Final, TypeVar

import sqlalchemy as sa

from sabot.domain.events.envelope import AppendResult, NewEvent
from sabot.domain.values.errors import BadInput, ConnectionLost, Unavailable
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database_urls import database_url
from sabot.infrastructure.database.driver_errors import NOT_SAVED
from sabot.infrastructure.database.engines import server_is_down
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.log.append import Clock, utc_us
from sabot.infrastructure.log.codec import StoredRow, row_of
from sabot.infrastructure.log.event_log import EventLog

PAUSE_SECONDS: Final = 0.5
"""Between two attempts to reach the database."""
REMIND_SECONDS: Final = 60
"""Between two messages while it cannot be reached."""
CHANGED_SECONDS: Final = 10
"""Between two messages with different reasons."""

_SENT: Final = ("event_id", "stream", "name", "at_us", "actor", "device", "seq", "payload")
"""The columns that the sender of an event states."""

T = TypeVar("T")
Tell = Callable[[str], None]


def wait_for(
    database: Database, error: ConnectionLost, tell: Tell, stop: threading.Event | None = None
) -> None:
    """Wait until the database can be reached again.

    Args:
        database: the database.
        error: the error of the lost connection.
        tell: a function that takes the messages.
        stop: ends the waiting once it is set.

    Raises:
        ConnectionLost: the waiting was ended.
    """
    _retry(database.renew, error, tell, stop)


def open_when_reached(open_log: Callable[[], T], name: str | None, tell: Tell) -> T:
    """Open a log. Wait while its PostgreSQL server is down, or does not take connections yet.

    Args:
        open_log: opens the log.
        name: the location of the log, as in `database_url`.
        tell: a function that takes the messages.

    Raises:
        BadInput: the log cannot be opened for another reason, for instance a wrong password.
    """
    url = database_url(name)

    def once() -> T:
        try:
            return open_log()
        except BadInput as error:
            if server_is_down(url):
                raise Unavailable(str(error)) from error
            raise

    def attempt() -> T:
        try:
            return once()
        except BadInput:
            if url.drivername == "sqlite":
                raise
            return once()  # it may have begun to take connections just after the first time

    try:
        return attempt()
    except Unavailable as error:
        return _retry(attempt, error, tell)


def _retry(
    attempt: Callable[[], T], error: Unavailable, tell: Tell, stop: threading.Event | None = None
) -> T:
    """Repeat an attempt to reach the database until it succeeds, and return its result."""
    stop = stop or threading.Event()
    reason = str(error).removesuffix(NOT_SAVED)
    told, said = -math.inf, reason
    while True:
        after = REMIND_SECONDS if said == reason else CHANGED_SECONDS
        if time.monotonic() - told >= after:
            tell(f"{reason}; waiting for it, nothing unconfirmed is lost")
            told, said = time.monotonic(), reason
        if stop.wait(PAUSE_SECONDS):
            raise error
        try:
            result = attempt()
        except Unavailable as again:
            reason = str(again).removesuffix(NOT_SAVED)
        else:
            tell("the database is back; going on")
            return result


def wait_for_files(error: OSError, tell: Tell, stop: threading.Event | None = None) -> None:
    """Wait a moment if there are too many open files; raise any other error.

    Raises:
        Unavailable: the waiting was ended.
        OSError: it is another error.
    """
    if error.errno not in {errno.EMFILE, errno.ENFILE}:
        raise error
    tell(f"{error.strerror}; waiting until some are closed, nothing unconfirmed is lost")
    if (stop or threading.Event()).wait(PAUSE_SECONDS):
        raise Unavailable(f"{error.strerror}{NOT_SAVED}") from error


class PatientLog:
    """A recording log that waits for its restarting database, and for files to be closed.

    Args:
        log: the log.
        tell: a function that takes the messages while the database cannot be reached.
        stop: ends the waiting with the error once it is set.
        clock: the log's clock.
    """

    def __init__(
        self,
        log: EventLog,
        tell: Tell,
        *,
        stop: threading.Event | None = None,
        clock: Clock = utc_us,
    ) -> None:
        self._stop = stop
        self._log = log
        self._tell = tell
        self._clock = clock
        self._now = 0
        self._told = -math.inf
        self._last = self._patiently(log.head)
        self._patiently(log.database.renew)

    def is_empty(self) -> bool:
        """Return whether the log has no event, as far as this process knows."""
        return not self._last

    def versions(self, streams: Collection[str]) -> dict[str, int]:
        """Return the version of each of these streams that has an event."""
        return self._patiently(lambda: self._log.versions(streams))

    def append(self, drafts: Sequence[NewEvent]) -> list[AppendResult]:
        """Append events in one commit. Return once they are durable.

        Raises:
            SabotError: as `EventLog.append`, except that a restart, or the closing of files, is
                waited for.
        """
        self._now = now = max(self._clock(), self._now + 1)
        receipts: dict[int, AppendResult] = {}
        while len(receipts) < len(drafts):
            due = [place for place in range(len(drafts)) if place not in receipts]
            try:
                made = self._log.append([drafts[place] for place in due], now=now)
            except (ConnectionLost, OSError) as error:
                self._wait(error)
                receipts |= self._patiently(lambda: self._recorded(drafts, now))
            else:
                receipts |= dict(zip(due, made, strict=True))
        self._last = max(self._last, *(receipt.index for receipt in receipts.values()))
        return [receipts[place] for place in range(len(drafts))]

    def _recorded(self, drafts: Sequence[NewEvent], now: int) -> dict[int, AppendResult]:
        """Return the results of those events that are in the log, by their place in the list."""
        e = log_event.c
        query = sa.select(log_event).where(e.id > self._last, e.recorded_us == now).order_by(e.id)
        with self._log.database.reading() as connection:
            rows = [StoredRow(*row) for row in connection.execute(query)]
        waiting = {place: row_of(draft) for place, draft in enumerate(drafts)}
        found: dict[int, AppendResult] = {}
        for row in rows:
            for place, sent in waiting.items():
                if all(getattr(sent, name) == getattr(row, name) for name in _SENT):
                    found[place] = AppendResult(row.id, row.stream, row.version)
                    del waiting[place]
                    break
        return found

    def _patiently(self, do: Callable[[], T]) -> T:
        while True:
            try:
                return do()
            except (ConnectionLost, OSError) as error:
                self._wait(error)

    def _wait(self, error: ConnectionLost | OSError) -> None:
        if isinstance(error, ConnectionLost):
            wait_for(self._log.database, error, self._tell, self._stop)
        else:
            wait_for_files(error, self._tell_seldom, self._stop)

    def _tell_seldom(self, text: str) -> None:
        if time.monotonic() - self._told >= REMIND_SECONDS:
            self._told = time.monotonic()
            self._tell(text)
