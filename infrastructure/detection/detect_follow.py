"""Running detection on a growing log.

It reports an alarm when the coup after it begins, or the shoe ends. The detection's state is a
projection. It is stored in a file of the user's cache, one for each log, plan and scope, together
with its log position. It is not stored in the database, where another session of the same login
could change it, and so silence all alarms. A restart reads the events of the shoes in play up to
that position and continues with identical results, as if never stopped. A file of another version
of the program is ignored, and a missing one costs a reading of the whole log.
"""

import hashlib
import logging
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final

import msgspec

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
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.detection.detect_run import Asked, follow_log
from sabot.infrastructure.files.whole_file import (
    cache_folder,
    private_folder,
    read_own,
    remove_oldest,
    write_whole,
)
from sabot.infrastructure.log.codec import row_sha256
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.whole_log import check_log
from sabot.infrastructure.version import source_sha256

KEEP_EVERY: Final = 2000
"""Number of events between two saves of the state; at most this many are read again."""

MOST_STATES: Final = 100
"""Number of states whose files are kept: those saved last."""


_log: Final = logging.getLogger("sabot")


class Kept(msgspec.Struct):
    """A stored state.

    Attributes:
        program: hash of the program that computed it.
        event: hash of the event at its position.
        following: the state.
    """

    program: str
    event: str
    following: Following


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
        self._warned = False
        self._freed = freed
        self._counting = counting
        self._log = log
        self._asked = asked
        self._keep_every = keep_every
        self._told: set[tuple[str, tuple[str, ...]]] = set()
        self._counts: set[tuple[str, str]] = set()
        self._kept_at = 0
        self._name = f"{log.origin.replace('/', '-')}-{_hash_of(asked, log.database)[:32]}.state"
        self._follower = Follower(asked.plan, asked.scope)

    def begin(self, advance: Callable[[int], None] = lambda _: None) -> Report:
        """Resume the stored state and return the report.

        The log is read up to the index of the request.

        Raises:
            UntrustedLog: an event is missing, out of order, or not written by Sabot; or the event
                at the stored position is missing or another one.
        """
        check_log(self._log)
        kept = self._load()
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

    def _file(self) -> Path:
        """Return the file of the state, existing or not."""
        return cache_folder("detections") / self._name

    def _load(self) -> Following | None:
        """Return the stored state. One that cannot be read, or of another user, is ignored.

        Raises:
            UntrustedLog: the log has no such event at its position.
        """
        try:
            kept = msgspec.msgpack.decode(read_own(self._file()), type=Kept)
        except (OSError, RuntimeError, msgspec.MsgspecError, ValueError):
            return None
        if kept.program != source_sha256():
            return None
        position, until = kept.following.position, self._asked.until
        if position > until:
            why = f"the log ends at {until}"
        elif kept.event != self._event(position):
            why = "the log has another event there"
        else:
            return kept.following
        raise UntrustedLog(
            f"the tests of foreknowledge have seen event {position}, {why}: events were removed or "
            "changed, or an old copy was put in its place; if this is meant to be, remove "
            f"{self._file()}"
        )

    def _event(self, position: int) -> str:
        """Return the hash of an event, an empty text before the first."""
        return row_sha256(self._log.stored(position)) if position else ""

    def _keep(self) -> None:
        """Save the state with its position."""
        following = self._follower.kept
        self._kept_at = following.position
        kept = Kept(source_sha256(), self._event(following.position), following)
        try:
            path = self._file()
            private_folder(path.parent)
            write_whole(path, msgspec.msgpack.encode(kept), mode=0o600)
            remove_oldest(path.parent, "*.state", MOST_STATES)
        except (OSError, RuntimeError) as error:
            if not self._warned:
                _log.warning("sabot: the progress of --follow is not saved: %s", error)
            self._warned = True


def _hash_of(asked: Asked, database: Database) -> str:
    """Return a hash of a plan, a scope and the place of a log. A copy of a log has another hash."""
    place = str(Path(str(database)).absolute()) if database.is_sqlite else str(database)
    encoded = msgspec.json.encode((asked.plan, asked.scope, place), order="deterministic")
    return hashlib.sha256(encoded).hexdigest()


def _mark(finding: Finding) -> tuple[str, tuple[str, ...]]:
    subject = tuple(f"{kind} {name}" for kind, name in finding.subject.items())
    return (finding.key[0] if finding.key else finding.test, subject)
