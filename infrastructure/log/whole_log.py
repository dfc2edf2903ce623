"""The check of the complete log, which every verb that reads all of it makes first.

It finds missing events, a wrong head, versions of a stream that are missing or out of order, and
rows that are not events. It does not check signatures: `sabot verify` does, and finds a change that
is consistent in itself.
"""

from collections.abc import Sequence
from typing import Final

from sabot.domain.values.errors import NewerEvent, UntrustedLog
from sabot.infrastructure.evidence.stored_events import stored_events
from sabot.infrastructure.log.codec import StoredRow
from sabot.infrastructure.log.reader import LogReader

EVENTS_READ: Final = 500_000
"""Up to so many, a verb that lists summaries reads every event to check it: half a second."""

_GAPS: Final = (
    "SELECT stream FROM log_event GROUP BY stream"
    " HAVING count(*) <> max(version) OR min(version) < 1"
)


def check_log(log: LogReader) -> None:
    """Check that the log is complete and readable.

    Cost: about a microsecond per event.

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot.
        NewerEvent: an event was written by a newer version.
    """
    log.check()
    versions: dict[str, int] = {}
    odd: set[str] = set()
    for events in log.scan():
        for event in events:
            stream = event.stream
            due = versions[stream] = versions.get(stream, 0) + 1
            if event.version != due:
                odd.add(stream)
    logins_of(log)
    # reading a stream raises the error, unless an isolated event explains it
    for stream in sorted(odd):
        log.read(stream)


def logins_of(log: LogReader) -> set[str]:
    """Return the logins that sent the events.

    Events are read without their logins, so this is also the check that each login is text.

    Raises:
        UntrustedLog: a login is not text.
    """
    found = log.database.fetch("SELECT DISTINCT login FROM log_event")
    return {login for (login,) in found if login is not None}


def newer_events(log: LogReader) -> list[int]:
    """Return the indexes of events that a newer version wrote, without isolated ones."""
    isolated, newer = log.isolated(), list[int]()
    for page in stored_events(log.database, until=log.head()):
        rows = [StoredRow(*row) for row in page if row[0] not in isolated]
        try:
            log.check_rows(rows)
        except (NewerEvent, UntrustedLog):
            newer += [row.id for row in rows if _is_newer(log, row)]
    return newer


def _is_newer(log: LogReader, row: StoredRow) -> bool:
    try:
        log.check_rows([row])
    except NewerEvent:
        return True
    except UntrustedLog:
        pass
    return False


def check_streams_besides(log: LogReader, prefixes: Sequence[str]) -> None:
    """Check the streams that do not have these prefixes.

    The caller checks the head, reads the other streams, and checks the logins (`logins_of`).

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot.
        NewerEvent: an event was written by a newer version.
    """
    for each in log.streams():
        if not each.stream.startswith(tuple(prefixes)):
            log.read(each.stream)


def check_for_lists(log: LogReader) -> bool:
    """Check a log before its summary tables are shown. Return whether every event was read.

    In a long log the events are not read again. Only its indexes, its head and the number of events
    of each stream are checked.

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot.
        NewerEvent: an event was written by a newer version.
    """
    if log.head() <= EVENTS_READ:
        check_log(log)
        return True
    log.check()
    for (stream,) in log.database.fetch(_GAPS):
        log.read(stream)
    return False
