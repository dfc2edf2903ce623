"""Run the detection over a log, from its first event to its last."""

from collections.abc import Callable, Iterator

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.detection import Listener
from sabot.domain.protection.detection.follower import PREFIX, Follower, Scope
from sabot.domain.protection.detection.subjects import Plan, Protection
from sabot.domain.protection.observation.knowledge_at import CorrectedView, at_place, instead_of
from sabot.domain.protection.observation.late_notes import irregularity_of
from sabot.domain.protection.observation.watcher import patron_of
from sabot.domain.protection.reporting.case_file import (
    Case,
    OnRecord,
    Recorder,
    SettledMoney,
    case_of,
    cases_of,
    settled_money,
)
from sabot.domain.protection.reporting.detection_report import Report, build_report
from sabot.domain.protection.shoe_tests.side_bets import SideBets
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.values.errors import NotFound
from sabot.domain.values.suggestions import did_you_mean, not_in_log
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_shoes import tables_of_shoes
from sabot.infrastructure.log.whole_log import check_log

_OF_EARLIER_COUPS = ["fact-corrected", "irregularity-noted", "card-burned"]
"""The names of events that may concern a coup before the one in play."""
_OF_PRESENCE = ["bet-placed", "bet-carried", "patron-seated", "patron-moved", "fact-corrected"]
"""The names of events that show a patron at a table."""


def corrections(log: EventLog, until: int) -> dict[str, CorrectedView]:
    """Return, for each stream, the corrections and late irregularities up to an index."""
    streams = {
        event.stream
        for events in log.scan(until=until, prefix=PREFIX, names=_OF_EARLIER_COUPS)
        for event in events
        if isinstance(event.payload, ev.EventCorrected) or irregularity_of(event.payload)
    }
    return {
        stream: instead_of([event for event in log.read(stream) if event.index <= until])
        for stream in sorted(streams)
    }


class Asked(Struct, frozen=True):
    """A detection request: plan, scope and last index."""

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
    """Run the detection over a log, up to an index.

    ``advance`` is called with each number of events.

    Raises:
        UntrustedLog: an event is missing, out of order, or not written by Sabot. If shoes are
            named, this concerns only their events.
    """
    if asked.scope.shoes:
        log.check()
    else:
        check_log(log)
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


class Looked(Struct, frozen=True):
    """A detection request with its result.

    The side bets are sorted by z score, the highest first.
    """

    asked: Asked
    state: Protection
    report: Report
    side_bets: list[SideBets]


def look(log: EventLog, asked: Asked, advance: Callable[[int], None] = lambda _: None) -> Looked:
    """Run the detection over a log, including shoes in play.

    Raises:
        UntrustedLog: events are missing from the log, possibly at its end.
    """
    follower = follow_log(log, asked, advance=advance)
    state, tests = follower.look(), follower.tests()
    side_bets = sorted(
        tests.side_bets.values(), key=lambda bets: (-bets.z, bets.patron, bets.wager)
    )
    return Looked(asked, state, build_report(state, tests), side_bets)


def check_scope(log: EventLog, scope: Scope) -> None:
    """Check that the log has the shoes and tables of a scope.

    Raises:
        NotFound: the log lacks a shoe or table.
    """
    for name in sorted(scope.shoes):
        if not log.version(PREFIX + name):
            known = (each.stream.removeprefix(PREFIX) for each in log.streams(PREFIX))
            raise not_in_log("shoe", name, known)
    if not scope.tables:
        return
    tables = {
        str(table)
        for events in log.scan(prefix=PREFIX, names=["shoe-loaded"])
        for event in events
        if (table := getattr(event.payload, "table", None)) is not None
    }
    for name in sorted(scope.tables):
        if name not in tables:
            hint = did_you_mean(name, tables, "list them with: sabot shoes")
            raise NotFound(f"no shoe in the log was dealt at {name!r}; {hint}")


def check_names(log: EventLog, asked: Asked, patron: str | None = None) -> None:
    """Check that the log has the shoes and tables of a request, and that its patrons were there.

    This takes much less time than the detection.

    Raises:
        NotFound: the log lacks one of them.
    """
    check_scope(log, asked.scope)
    named = [("--patron", patron)] if patron is not None else []
    named += [("--watch", watched) for watched in asked.plan.watched]
    named += [(f"--group {name}", one) for name, of in asked.plan.groups.items() for one in of]
    if not named:
        return
    played: dict[str, set[str]] = {}
    for events in log.scan(until=asked.until, prefix=PREFIX, names=_OF_PRESENCE):
        for event in events:
            if present := patron_of(event.payload):
                played.setdefault(present, set()).add(event.stream)
    tables = tables_of_shoes(log)
    for option, name in named:
        streams = played.get(name)
        if streams is None:
            hint = did_you_mean(name, played, "list them with: sabot patrons")
            raise NotFound(f"{option}: patron {name!r} was at no table; {hint}")
        _check_scope(asked.scope, option, name, {one: tables.get(one) for one in sorted(streams)})


def _check_scope(scope: Scope, option: str, name: str, played: dict[str, str | None]) -> None:
    shoes = {stream.removeprefix(PREFIX): table for stream, table in played.items()}
    if any(scope.has_shoe(shoe, table) for shoe, table in shoes.items()):
        return
    if scope.tables:
        where = f"at {', '.join(sorted({table or 'no table' for table in shoes.values()}))}"
    else:
        where = f"in {', '.join(shoes)}"
    raise NotFound(
        f"{option}: {name} played only {where}; name that in --table or --shoe, or leave them out"
    )


def cases(
    log: EventLog,
    looked: Looked,
    patron: str | None = None,
    advance: Callable[[int], None] = lambda _: None,
) -> list[Case]:
    """Read the log again. Return case files, of all findings or of one patron."""
    findings = looked.report.findings
    wanted = cases_of(looked.state, findings, patron)
    if not wanted:
        return []
    recorder = Recorder(wanted)
    follow_log(log, looked.asked, advance=advance, listen=recorder.hear)
    noted = _holding(log, looked.asked, ["request-made", "shoe-cut"])
    patrons = {patron for members in wanted.values() for patron in members}
    on_record = OnRecord(noted, _settled(log, looked.asked, patrons))
    return [case_of(looked.state, key, recorder, findings, on_record) for key in wanted]


def _settled(log: EventLog, asked: Asked, patrons: set[str]) -> SettledMoney:
    """Return the money of patrons in the coups in scope, as they were settled."""
    streams = {
        event.stream
        for events in log.scan(until=asked.until, prefix=PREFIX, names=["bet-placed"])
        for event in events
        if isinstance(event.payload, ev.BetPlaced) and event.payload.patron in patrons
    }
    return settled_money(_coups(log, asked, sorted(streams)))


def _coups(log: EventLog, asked: Asked, streams: list[str]) -> Iterator[tuple[Shoe, Coup]]:
    for stream in streams:
        shoe = fold(stream, [one for one in log.read(stream) if one.index <= asked.until])
        if asked.scope.has_shoe(shoe.name, shoe.table):
            for coup in shoe.coups.values():
                if coup.events and asked.scope.has_event(coup.events[0]):
                    yield shoe, coup


def _holding(log: EventLog, asked: Asked, names: list[str]) -> list[RecordedEvent]:
    """Return the events of some kinds, with corrections applied."""
    instead = corrections(log, asked.until)
    found: list[RecordedEvent] = []
    for events in log.scan(until=asked.until, prefix=PREFIX, names=names):
        for event in events:
            found += at_place(event, instead.get(event.stream, CorrectedView()))
    return found
