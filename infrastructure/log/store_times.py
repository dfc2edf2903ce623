"""Find steps back of the store's clock, and devices whose events several logins sent."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

from sabot.domain.audit.store_record import (
    CLOCK_TOLERANCE_US,
    ClockReturn,
    SharedDevice,
    StoreRecord,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.reader import LogReader
from sabot.infrastructure.log.whole_log import logins_of

_MOST: Final = 100

# An event is behind if an earlier event's time is later by more than a second. The first of a row
# of such events is a step back.
_RETURNS: Final = """
    WITH timed AS (
      SELECT id, stored_us, max(stored_us) OVER (ORDER BY id) - stored_us AS behind
      FROM log_event WHERE stored_us IS NOT NULL AND id <= ?
    ), steps AS (
      SELECT id, behind, lag(behind, 1, 0) OVER (ORDER BY id) AS before FROM timed
    )
    SELECT id, behind FROM steps WHERE behind > ? AND before <= ? ORDER BY id LIMIT ?
"""
_LOGINS: Final = """
    SELECT device, login, min(id) AS first FROM log_event
    WHERE device <> '' AND seq IS NOT NULL AND login IS NOT NULL AND source IS NULL AND id <= ?
    GROUP BY device, login ORDER BY first
"""

_STEPS_BACK: Final = {
    # each database compares events with the ones before them in its fastest way
    True: """
      SELECT EXISTS (
        SELECT 1 FROM log_event AS earlier JOIN log_event AS later ON later.id = earlier.id + 1
        WHERE later.id <= ? AND coalesce(later.stored_us, 0) < coalesce(earlier.stored_us, 0))
    """,
    False: """
      SELECT EXISTS (
        SELECT 1 FROM (
          SELECT coalesce(stored_us, 0) AS later_us,
            lag(coalesce(stored_us, 0)) OVER (ORDER BY id) AS earlier_us
          FROM log_event WHERE id <= ?
        ) AS timed WHERE later_us < earlier_us)
    """,
}


def store_record(log: LogReader, until: int | None = None) -> StoreRecord:
    """Return the errors of the store's clock and logins, up to an index.

    Up to a hundred steps back and a hundred logins are returned. Cost: two columns of each event
    are read, which takes about a third of a microsecond.

    Raises:
        UntrustedLog: a login is not text.
    """
    last = log.head() if until is None else until
    # in most logs the clock never went back, and the search for the events takes longer
    ((stepped,),) = log.database.fetch(_STEPS_BACK[log.database.is_sqlite], (last,))
    returns = _returns(log, last) if stepped else ()
    return StoreRecord(tuple(returns), tuple(_shared(log, last)) if len(logins_of(log)) > 1 else ())


def _returns(log: LogReader, last: int) -> Iterator[ClockReturn]:
    tolerance = CLOCK_TOLERANCE_US
    for index, back in log.database.fetch(_RETURNS, (last, tolerance, tolerance, _MOST)):
        yield ClockReturn(_event(log, index - 1), _event(log, index), back)


def _shared(log: LogReader, last: int) -> list[SharedDevice]:
    firsts: dict[str, tuple[int, str]] = {}
    shared: list[SharedDevice] = []
    for device, login, first in log.database.fetch(_LOGINS, (last,)):
        index, owner = firsts.setdefault(device, (first, login))
        if owner != login and len(shared) < _MOST:
            events = _event(log, index), _event(log, first)
            shared.append(SharedDevice(device, events[0], owner, events[1], login))
    return shared


def _event(log: LogReader, index: int) -> RecordedEvent:
    """Return the event with an index. If it is isolated, return the one before it."""
    while True:
        for event in chain.from_iterable(log.scan(after=index - 1, until=index)):
            return event
        index -= 1
