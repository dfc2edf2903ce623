"""Running detection on a growing log.

It reports an alarm when the coup after it begins, or the shoe ends. The detection's state is a
projection. It is stored in ``rm_protection``, one row for each plan and scope, together with its
log position in one transaction. A restart reads the events of the shoes in play up to that position
and continues with identical results, as if never stopped. A row written by another version of the
program is ignored.
"""

import hashlib
import threading
from collections.abc import Callable, Iterator
from typing import Final

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import insert as insert_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_sqlite

from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.detection.follower import Follower, Following, Stale
from sabot.domain.protection.detection.subjects import strangers
from sabot.domain.protection.reporting.detection_report import (
    AdvantagePlay,
    Report,
    advantage_play,
    build_report,
    by_evidence,
)
from sabot.domain.protection.reporting.finding import Finding
from sabot.domain.protection.shoe_tests.p_value_findings import by_chance
from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database.schema import rm_protection
from sabot.infrastructure.detection.detect_run import Asked, follow_log
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.whole_log import check_log
from sabot.infrastructure.version import source_sha256

KEEP_EVERY: Final = 2000
"""Number of events between two saves of the state; at most this many are read again."""


class DetectionFollower:
    """Follows a log, and reports each finding once."""

    def __init__(
        self,
        log: EventLog,
        asked: Asked,
        *,
        keep_every: int = KEEP_EVERY,
        freed: Callable[[str], None] = lambda _: None,
        counting: Callable[[AdvantagePlay], None] = lambda _: None,
    ) -> None:
        """Take the log and the request.

        Args:
            log: the log to follow.
            asked: the request; its ``until`` is the current head of the log.
            keep_every: number of events between two saves of the state.
            freed: called with each reported finding that a correction removes.
            counting: called once for each patron who begins to count cards for a side bet, when
                the shoe that shows it ends.
        """
        self._freed = freed
        self._counting = counting
        self._log = log
        self._asked = asked
        self._keep_every = keep_every
        self._told: set[tuple[str, tuple[str, ...]]] = set()
        self._counts: set[tuple[str, str]] = set()
        self._kept_at = 0
        self._name = _name_of(asked)
        self._follower = Follower(asked.plan, asked.scope)

    def begin(self, advance: Callable[[int], None] = lambda _: None) -> Report:
        """Resume the stored state and return the report.

        The log is read up to the index of the request.

        Raises:
            UntrustedLog: an event is missing, out of order, or not written by Sabot; or the log
                ends before the stored position.
        """
        check_log(self._log)
        until = self._asked.until
        kept, position = self._load()
        if position > until:
            raise UntrustedLog(
                f"the tests of foreknowledge have seen event {position}, the log ends at "
                f"{until}: events were removed, or an old copy was put in its place"
            )
        if kept is None or not self._goes_on(kept, advance):
            self._follower = follow_log(self._log, self._asked, advance=advance)
        self._keep()
        found = self.report()
        self._told = {_mark(finding) for finding in found.findings}
        self._counts = {(play.patron, play.wager) for play in found.advantage_play}
        return found

    @property
    def position(self) -> int:
        """The last log index that was processed."""
        return self._follower.kept.position

    def strangers(self) -> list[tuple[str, str]]:
        """List the patrons named in advance who were at no table so far."""
        return strangers(self._follower.kept.state)

    def report(self) -> Report:
        """Return the report. Whole-shoe tests of shoes in play are not included."""
        return build_report(self._follower.kept.state)

    def follow(self, stop: threading.Event | None = None) -> Iterator[list[Finding]]:
        """Yield new findings, batch by batch, as the log grows.

        Save the state at the end.

        Raises:
            UntrustedLog: an event is missing, or was not written by Sabot.
        """
        try:
            for events in self._log.follow(self._follower.kept.position, stop=stop):
                before = self._size()
                self._take(events)
                self._tell_counting(before)
                new = [one for one in self._since(before) if _mark(one) not in self._told]
                self._told.update(map(_mark, new))
                if new:
                    yield new
                if self._follower.kept.position - self._kept_at >= self._keep_every:
                    self._keep()
        finally:
            if self._follower.kept.position > self._kept_at:
                self._keep()

    def _tell_counting(self, before: tuple[int, int]) -> None:
        """Report new advantage play if a shoe has ended. ``before`` is as in `_since`."""
        if self._size()[1] == before[1]:
            return
        for play in advantage_play(self._follower.kept.state.shoes):
            if (play.patron, play.wager) not in self._counts:
                self._counts.add((play.patron, play.wager))
                self._counting(play)

    def _since(self, before: tuple[int, int]) -> Iterator[Finding]:
        """Yield the findings that may be new.

        ``before`` are the numbers of coups and of shoes that had ended before.
        """
        state = self._follower.kept.state
        coups, shoes = self._size()
        if coups != before[0]:
            yield from by_evidence(state)
        if shoes != before[1]:
            yield from by_chance(state.shoes, state.plan.alpha)

    def _size(self) -> tuple[int, int]:
        state = self._follower.kept.state
        return state.coups, state.shoes.shoes

    def _take(self, events: list[RecordedEvent]) -> None:
        try:
            self._follower.take(events)
        except Stale:
            # an ended coup was corrected: repeat the detection with the events as they stand now
            asked = msgspec.structs.replace(self._asked, until=events[-1].index)
            self._follower = follow_log(self._log, asked)
            stands = {_mark(finding) for finding in self.report().findings}
            for kind, subject in sorted(self._told - stands):
                self._freed(f"{kind}: {', '.join(subject)}")
            self._told &= stands

    def _goes_on(self, kept: Following, advance: Callable[[int], None]) -> bool:
        """Continue from a stored state with later events.

        Return False if this is impossible.
        """
        shoes = {
            stream: [event for event in self._log.read(stream) if event.index <= kept.position]
            for stream in kept.open
        }
        try:
            self._follower = Follower.again(kept, shoes)
            for events in self._log.scan(after=kept.position, until=self._asked.until):
                self._follower.take(events)
                advance(len(events))
        except Stale:
            return False
        return True

    # -- Stored state ---------------------------------------------------------------------------

    def _login(self) -> sa.ColumnElement[str]:
        """Return the login to which a stored state belongs.

        On PostgreSQL nobody can change the state of another login.
        """
        if self._log.database.is_sqlite:
            return sa.literal("")
        return sa.literal_column("session_user", sa.Text)

    def _load(self) -> tuple[Following | None, int]:
        """Return the stored state and its log position. A state that cannot be read is ignored."""
        query = sa.select(rm_protection.c.state, rm_protection.c.last_id).where(
            rm_protection.c.asked == self._name,
            rm_protection.c.login == self._login(),
            rm_protection.c.program == source_sha256(),
        )
        with self._log.database.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None, 0
        try:
            return msgspec.msgpack.decode(row.state, type=Following), int(row.last_id)
        except (msgspec.MsgspecError, TypeError, ValueError):
            return None, 0

    def _keep(self) -> None:
        """Save the state with its position.

        Nothing is saved if the log is open for reading only.
        """
        self._kept_at = self._follower.kept.position
        database = self._log.database
        if database.read_only:
            return
        row = {
            "asked": self._name,
            "login": self._login(),
            "program": source_sha256(),
            "last_id": self._kept_at,
            "state": msgspec.msgpack.encode(self._follower.kept),
        }
        insert = insert_sqlite if database.is_sqlite else insert_postgresql
        statement = insert(rm_protection).values(row)
        statement = statement.on_conflict_do_update(
            index_elements=list(rm_protection.primary_key),
            set_={key: statement.excluded[key] for key in row if key not in {"asked", "login"}},
        )
        with database.writing() as connection:
            connection.execute(statement)


def _name_of(asked: Asked) -> str:
    """Return a hash that identifies a plan and a scope."""
    encoded = msgspec.json.encode((asked.plan, asked.scope), order="deterministic")
    return hashlib.sha256(encoded).hexdigest()


def _mark(finding: Finding) -> tuple[str, tuple[str, ...]]:
    subject = tuple(f"{kind} {name}" for kind, name in finding.subject.items())
    return (finding.key[0] if finding.key else finding.test, subject)
