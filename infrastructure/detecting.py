"""Who knew the next card, straight from the log: its facts in their order, by one engine."""

from collections.abc import Callable

from msgspec import Struct

from domain.errors import NotFound
from domain.protection.detection import Listener, Plan
from domain.protection.findings import Report, report
from domain.protection.following import PREFIX, Follower, Instead, Scope, instead_of
from infrastructure.log import EventLog


def corrections(log: EventLog, until: int) -> dict[str, Instead]:
    """Say of each stream what its corrections up to an index put in place of its facts."""
    streams = {
        event.stream
        for events in log.scan(until=until, prefix=PREFIX, names=["fact-corrected"])
        for event in events
    }
    return {
        stream: instead_of([event for event in log.read(stream) if event.index <= until])
        for stream in sorted(streams)
    }


class Asked(Struct, frozen=True):
    """What is asked of a log, up to which index."""

    plan: Plan
    scope: Scope
    until: int


def follow_log(
    log: EventLog,
    asked: Asked,
    *,
    advance: Callable[[int], None] = lambda _: None,
    listen: Listener | None = None,
) -> Follower:
    """Take in a log, from its beginning up to an index; ``advance`` is told how many facts.

    Raises:
        UntrustedLog: events are missing from the log, at its end perhaps.
    """
    log.check()
    follower = Follower(
        asked.plan,
        asked.scope,
        instead=corrections(log, asked.until),
        known=asked.until,
        listen=listen,
    )
    shoes = sorted(PREFIX + name for name in asked.scope.shoes)
    for events in log.scan(until=asked.until, prefix=PREFIX, streams=shoes or None):
        follower.take(events)
        advance(len(events))
    follower.kept.position = asked.until
    return follower


def report_of(follower: Follower) -> Report:
    """Return what stands, with the shoes in play."""
    return report(follower.kept.state, follower.tests())


def check_names(log: EventLog, scope: Scope) -> None:
    """Refuse shoes and tables that the log does not have.

    Raises:
        NotFound: it has no such shoe or table.
    """
    for name in sorted(scope.shoes):
        if not log.version(PREFIX + name):
            raise NotFound(f"there is no shoe {name!r} in the log; `sabot shoes` lists them")
    if not scope.tables:
        return
    tables = {
        getattr(event.fact, "table", None)
        for events in log.scan(prefix=PREFIX, names=["shoe-loaded"])
        for event in events
    }
    for name in sorted(scope.tables):
        if name not in tables:
            raise NotFound(f"no shoe in the log was dealt at {name!r}; `sabot shoes` lists them")
