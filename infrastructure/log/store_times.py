"""Steps back of the store's own clock, and devices whose events several logins sent."""

from itertools import chain
from typing import Final

from sabot.domain.audit.store_record import (
    CLOCK_TOLERANCE_US,
    ClockReturn,
    SharedDevice,
    StoreRecord,
)
from sabot.domain.events import MAX_INT
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.reader import LogReader

_MOST: Final = 100

# An event is behind if a second or more has gone by before on the store's clock. The first of a row
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


def store_record(log: LogReader, until: int | None = None) -> StoreRecord:
    """Return what is wrong with the clock and the logins of the store, up to an index.

    Up to a hundred steps back and a hundred logins are returned. The cost is that of reading two
    columns of each event.
    """
    last = MAX_INT if until is None else until
    tolerance = CLOCK_TOLERANCE_US
    found = log.database.fetch(_RETURNS, (last, tolerance, tolerance, _MOST))
    returns = (ClockReturn(_event(log, id_ - 1), _event(log, id_), back) for id_, back in found)
    return StoreRecord(tuple(returns), tuple(_shared(log, last)))


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
    """Return the event with an index, or the one before it if that is isolated."""
    while True:
        for event in chain.from_iterable(log.scan(after=index - 1, until=index)):
            return event
        index -= 1
