"""Find steps back of the store's clock, and devices whose events several logins sent."""

from collections.abc import Iterator
from itertools import chain
from typing import Final

import msgspec

from sabot.domain.audit.store_record import (
    CLOCK_TOLERANCE_US,
    ClockReturn,
    SharedDevice,
    StoreRecord,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.reader import LogReader

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

_OTHER_LOGINS: Final = """
    SELECT EXISTS (
      SELECT 1 FROM log_event WHERE id <= ? AND login <> (
        SELECT login FROM log_event WHERE login IS NOT NULL AND id <= ? ORDER BY id LIMIT 1))
"""

_PAGE: Final = 100_000
_TIMES: Final = {
    # read by index, as the check of the order confirms
    True: "SELECT group_concat(stored_us) FROM log_event WHERE id > ? AND id <= ?",
    False: "SELECT string_agg(stored_us::text, ',' ORDER BY id) FROM log_event"
    " WHERE id > ? AND id <= ?",
}
_decode: Final = msgspec.json.Decoder(list[int]).decode


def store_record(log: LogReader, until: int | None = None) -> StoreRecord:
    """Return the errors of the store's clock and logins, up to an index.

    Up to a hundred steps back and a hundred logins are returned. Cost: two columns of each event
    are read.
    """
    last = log.head() if until is None else until
    returns = [] if _is_steady(log, last) else _returns(log, last)
    ((has_others,),) = log.database.fetch(_OTHER_LOGINS, (last, last))
    return StoreRecord(tuple(returns), tuple(_shared(log, last)) if has_others else ())


def _is_steady(log: LogReader, last: int) -> bool:
    """Return whether the store's clock never went back.

    In most logs it never did. This check is several times faster than the search for the events
    with a step back.
    """
    clock, query = 0, _TIMES[log.database.is_sqlite]
    for after in range(0, last, _PAGE):
        ((joined,),) = log.database.fetch(query, (after, min(after + _PAGE, last)))
        times = [clock, *_decode(f"[{joined or ''}]")]
        if times != sorted(times):
            return False
        clock = times[-1]
    return True


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
