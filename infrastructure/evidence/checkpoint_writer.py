"""Write signed checkpoints as a log grows.

A checkpoint is due at the close of each coup and shoe, five seconds after an event without a
checkpoint, and when the log is closed. Coups that close within a hundredth of a second after a
checkpoint, as in an import, share the next one. It costs the hashing of the events since the last
one, one signature and one row. On SQLite it is part of the transaction that appends; on PostgreSQL
it follows the commit. So no checkpoint covers events that could still be lost.

Only a process that has the log's signing key writes checkpoints. A new log gets a key of its own,
outside the database. A log with events but without a key is left alone until `sabot evidence init`.

The last checkpoint that was signed is in a file beside the key (`signed_heads.py`). Each new
checkpoint extends it. A log that does not contain it is not signed until a person sets that
checkpoint aside.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from time import monotonic, time_ns
from typing import Any, Final, overload

import sqlalchemy as sa
from sqlalchemy.engine import Connection

from sabot.domain.events import MAX_INT
from sabot.domain.values.errors import BadInput, SabotError, Unavailable, UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.database.driver_errors import NOT_SAVED
from sabot.infrastructure.database.schema import log_event, log_head
from sabot.infrastructure.evidence.checkpoint import sign_checkpoint
from sabot.infrastructure.evidence.checkpoint_table import (
    add_checkpoint,
    add_key,
    is_newest,
    newest_tree,
    stored_keys,
)
from sabot.infrastructure.evidence.event_line import event_line
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.signed_heads import SignedHead, SignedHeads, place_of
from sabot.infrastructure.evidence.signed_note import SigningKey
from sabot.infrastructure.evidence.signing_keys import create_key, load_key
from sabot.infrastructure.evidence.stored_events import stored_events, stored_events_in

SECONDS = 5.0
"""So long after an event its checkpoint is due."""
APART_SECONDS = 0.01
"""So long after a checkpoint the next one is written at the earliest."""
CLOSES: Final = frozenset(("coup-closed", "shoe-ended"))
SOON_SECONDS: Final = 0.1
"""So long after a coup its checkpoint is written, if another was too close."""
_OTHER_KEY: Final = (
    "the log is not signed: the signing key of this machine is not the one in the database, which "
    "may have been replaced; run `sabot verify` with --key"
)
_AT_ONCE: Final = 2000
"""Events that are hashed at most while other writers wait."""

Stored = Sequence[Sequence[Any]]
"""Rows of ``log_event``, column by column."""

Clock = Callable[[], int]
"""Microseconds since 1970 (UTC)."""


def _utc_us() -> int:
    return time_ns() // 1000


def _head(connection: Connection) -> tuple[str, int]:
    """Return the log's name and number of events.

    Raises:
        UntrustedLog: the row with the head of the log is missing.
    """
    origin, head = _of_head(connection, sa.select(log_head.c.origin, log_head.c.last_id))
    return origin, head


def _of_head(connection: Connection, query: "sa.Select[Any]") -> tuple[Any, ...]:
    """Return the row of a query on the head of the log.

    Raises:
        UntrustedLog: the row with the head of the log is missing.
    """
    found = connection.execute(query).first()
    if found is None:
        raise UntrustedLog("the log has lost its head, the row with the number of its events")
    return tuple(found)


_ENDS: Final = sa.select(
    log_head.c.last_id,
    sa.select(sa.func.coalesce(sa.func.min(log_event.c.id), 1)).scalar_subquery(),
    sa.select(sa.func.coalesce(sa.func.max(log_event.c.id), 0)).scalar_subquery(),
)


def _checked_head(connection: Connection) -> int:
    """Return the number of events, after checking that it is the index of the last one.

    Raises:
        UntrustedLog: the head and the events disagree.
    """
    head, first, last = _of_head(connection, _ENDS)
    if (first, last) != (1, head):
        raise UntrustedLog(
            f"the log has events from index {first} to {last}, but its head says {head}; somebody "
            "changed one of them, so the log is not signed: run `sabot verify`"
        )
    return int(head)


class CheckpointWriter:
    """Writes the checkpoints of one open log. Threads may share it.

    Attributes:
        problem: the reason why this process writes no checkpoints; empty if it does.
        tell: called with the problem when the log is closed and its last events are not signed,
            unless this machine has no key.
    """

    def __init__(self, database: Database, *, clock: Clock = _utc_us) -> None:
        self.problem = ""
        self.tell: Callable[[str], None] = lambda _problem: None
        self._failed = False
        self._database = database
        self._clock = clock
        self._origin = ""
        self._key: SigningKey | None = None
        self._since = 0
        self._stored_key = False
        self._looked = False
        self._waits = False
        self._tree = TreeHead()  # at the newest checkpoint
        self._grown = TreeHead()  # with the events committed since that checkpoint
        self._uncommitted: tuple[Stored, TreeHead, str] = ((), TreeHead(), "")
        self._heads: SignedHeads | None = None
        self._behind = False
        self._refused: tuple[object, UntrustedLog] | None = None
        self._written = -APART_SECONDS
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._soon = threading.Event()
        self._thread: threading.Thread | None = None

    # -- When one is due ----------------------------------------------------------------------

    def appended(self, rows: Stored, names: Sequence[str], connection: Connection) -> None:
        """On SQLite, write the checkpoint that is due after these events, in their transaction.

        Args:
            rows: the events as they are stored, which are the last ones of the log.
            names: the kinds of the events.
            connection: the open transaction.
        """
        first, last = rows[0][0], rows[-1][0]
        if CLOSES.isdisjoint(names) or not self._ready(first):
            return
        # who writes a checkpoint in another thread may be waiting for this transaction to end
        if self._is_early() or not self._lock.acquire(blocking=False):
            self._wait(soon=True)
            return
        try:
            tree = self._before(first, connection)
            if tree is None or last - tree.size > _AT_ONCE + len(rows):
                self._wait(soon=True)
                return
            self._grow(tree, stored_events_in(connection, after=tree.size, until=first - 1))
            self._grow(tree, rows)
            self._uncommitted = (rows, tree, self._store(connection, tree))
        except UntrustedLog as error:
            self._refuse(error)
        finally:
            self._lock.release()

    def committed(self, names: Iterable[str], first: int, rows: Stored = ()) -> None:
        """Handle events that were committed; on PostgreSQL write the checkpoint that is now due.

        Args:
            names: the kinds of the events.
            first: the index of the first of them.
            rows: the events as they are stored, if that is known.
        """
        if not self._ready(first):
            return
        self._behind |= first <= self._tree.size
        if rows and self._lock.acquire(blocking=False):
            try:
                self._keep(rows)
            finally:
                self._lock.release()
        if CLOSES.isdisjoint(names):
            self._wait()
        elif not self._database.is_sqlite:
            # in a row of many coups the thread reads and hashes while the server commits
            if self._is_early() or self._soon.is_set():
                self._wait(soon=True)
            else:
                self.try_write()

    def _is_early(self) -> bool:
        return monotonic() - self._written < APART_SECONDS

    def _keep(self, rows: Stored) -> None:
        """Hash committed events now, so that the next checkpoint need not read them."""
        written, tree, note = self._uncommitted
        if written is rows:
            self._is_stored(tree, note)
            self._waits = False
        elif self._grown.size == rows[0][0] - 1:
            self._grow(self._grown, rows)

    def try_write(self) -> None:
        """Try to write a checkpoint. If that fails, recording continues and it is tried later."""
        try:
            self.write()
        except (Unavailable, UntrustedLog) as error:
            self._refuse(error)

    def _refuse(self, error: SabotError) -> None:
        reason = str(error).removesuffix(NOT_SAVED)  # the events are
        self.problem, self._failed = f"the newest events have no checkpoint: {reason}", True
        self._wait()

    def write(self) -> int:
        """Write a checkpoint of all committed events, unless there is one.

        Returns:
            the number of events that it covers, or 0 if this process writes none.

        Raises:
            Unavailable: the database failed.
            UntrustedLog: an event is missing or cannot be read.
        """
        if not self._ready(0):
            return 0
        with self._lock:
            self._waits = False
            newest = tree = self._trusted()[0]
            if self._database.is_sqlite or self._behind or not self._tree.size:
                with self._database.reading() as connection:
                    head = _checked_head(connection)
                    newest = tree = self._newest(connection)
                self._behind = False
                if newest.size < self._grown.size <= head:
                    tree = self._grown.copy()
            before = newest.size
            for rows in stored_events(self._database, after=tree.size, until=MAX_INT):
                self._grow(tree, rows)
            if tree.size > before:
                # the key is stored with the first checkpoint, or not at all
                database = self._database
                begin = database.appending if self._stored_key else database.writing
                with begin() as connection:
                    note = self._store(connection, tree)
                self._is_stored(tree, note)
            return tree.size

    def close(self, seconds: float | None = None) -> None:
        """Write a last checkpoint if due, and stop.

        If that fails, `problem` says why. The next process that has the key writes it.

        Args:
            seconds: how long to wait at most for a checkpoint that is being written; None waits
                until it is written or fails.
        """
        self._stop.set()
        self._soon.set()
        thread, busy = self._thread, False
        if thread is not None:
            busy = not self._lock.acquire(blocking=False)
            if not busy:
                self._lock.release()
            thread.join(seconds)
        if thread is not None and thread.is_alive():
            self.problem, self._failed = "the newest events have no checkpoint", True
        else:
            self._thread = None
            # if the one in progress failed, another attempt may take just as long
            if self._waits and not (busy and (self._failed or seconds)):
                self.try_write()
            if self._heads is not None:
                self._heads.sync()
        if self._failed:
            self.tell(self.problem)

    def _wait(self, *, soon: bool = False) -> None:
        """Start a thread that writes a checkpoint after some seconds or hundredths of a second."""
        self._waits = True
        if soon:
            self._soon.set()
        if self._thread is None and not self._stop.is_set():
            self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
            self._thread.start()

    def _run(self) -> None:
        while not self._stop.is_set():
            if self._soon.wait(SECONDS):
                self._stop.wait(SOON_SECONDS)
                self._soon.clear()
            if self._waits and not self._stop.is_set():
                self.try_write()

    # -- The tree -----------------------------------------------------------------------------

    def _before(self, first: int, connection: Connection) -> TreeHead | None:
        """Return a tree from which the tree of all events before an index can grow.

        It covers all of these events, or those up to a checkpoint. None if the rest is too long to
        compute at once.
        """
        trusted, kept = self._trusted()
        if self._grown.size == first - 1 and (kept is None or kept.size <= self._tree.size):
            return self._grown.copy()
        if trusted.size >= first:
            return None
        newest = self._newest(connection, most=_AT_ONCE)
        if newest and newest.size < self._grown.size < first:
            return self._grown.copy()
        return newest

    def _trusted(self) -> tuple[TreeHead, SignedHead | None]:
        """Return the tree of the last checkpoint that this process or machine signed, and its file.

        The tree is empty if there is none.
        """
        kept = self._heads.last() if self._heads else None
        if kept is None or kept.set_aside or kept.size <= self._tree.size:
            return self._tree.copy(), kept
        return kept.tree, kept

    @overload
    def _newest(self, connection: Connection) -> TreeHead: ...

    @overload
    def _newest(self, connection: Connection, *, most: int) -> TreeHead | None: ...

    def _newest(self, connection: Connection, *, most: int = MAX_INT) -> TreeHead | None:
        """Return the tree of the newest checkpoint: stored, or signed by this machine.

        None if more events than ``most`` would have to be read to compare both.

        Raises:
            UntrustedLog: the log does not contain what this machine has signed.
        """
        assert self._key is not None
        trusted, kept = self._trusted()
        if is_newest(connection, trusted):
            return trusted
        stored = newest_tree(connection, self._key.verifier)
        if kept is not None and kept.set_aside:
            self._tree, self._grown = TreeHead(), TreeHead()
            return stored
        small, large = sorted((trusted, stored), key=lambda tree: tree.size)
        if not trusted.size or (small.size, small.root()) == (large.size, large.root()):
            return stored
        if large.size - small.size > most:
            return None
        return self._continued(connection, small, large, trusted, kept)

    def _continued(
        self, connection: Connection, small: TreeHead, large: TreeHead, trusted: TreeHead,
        kept: SignedHead | None,
    ) -> TreeHead:  # fmt: skip
        """Return the larger of two trees, after checking that the events continue the smaller."""
        what = (small.size, small.root(), large.size, large.root(), _head(connection)[1])
        if self._refused is not None and self._refused[0] == what:
            raise self._refused[1]
        tree = small.copy()
        for after in range(small.size, large.size, _AT_ONCE):
            until = min(large.size, after + _AT_ONCE)
            rows = stored_events_in(connection, after=after, until=until)
            if tree.size != after or not rows:
                break
            self._grow(tree, rows)
        if tree.root() == large.root():
            return large
        where = kept.place if kept is not None and kept.size == trusted.size else self._database
        error = UntrustedLog(
            f"this log of {what[-1]} events does not contain the checkpoint of {trusted.size} "
            f"events that this machine signed for {where}: an old copy is in its place, or events "
            "were changed. The log is not signed. Run `sabot verify`; if it is as it should be, "
            f"`sabot evidence set-aside {trusted.size} --by NAME --note REASON` records why it is "
            "signed again"
        )
        self._refused = (what, error)
        raise error

    def _grow(self, tree: TreeHead, rows: Sequence[Sequence[Any]]) -> None:
        indexes = [row[0] for row in rows]
        if indexes != list(range(tree.size + 1, tree.size + 1 + len(rows))):
            raise UntrustedLog(
                f"events after {tree.size} are missing, so no checkpoint is written; run "
                "`sabot verify`"
            )
        origin = self._origin
        tree.append([leaf_hash(event_line(row, origin)) for row in rows])

    def _store(self, connection: Connection, tree: TreeHead) -> str:
        """Sign a tree and store the checkpoint. Return it."""
        assert self._key is not None
        now = self._clock()
        if not self._stored_key:
            add_key(connection, self._key.verifier, since=self._since, now_us=now)
        note = sign_checkpoint(self._origin, tree, self._key)
        if not add_checkpoint(connection, tree, note, now_us=now):
            self.problem = (
                f"the checkpoint of {tree.size} events in the database is not the one that this "
                "process signed; run `sabot verify`"
            )
        self._written = monotonic()
        return note

    def _is_stored(self, tree: TreeHead, note: str) -> None:
        """Remember the tree and the key of a checkpoint that was committed."""
        self._tree, self._grown, self._stored_key = tree, tree.copy(), True
        self._failed = False
        if self._heads is not None:
            self._heads.keep(tree, note)

    # -- The key ------------------------------------------------------------------------------

    def _ready(self, first: int) -> bool:
        """Return whether this process writes checkpoints.

        A new log gets a signing key first.

        Args:
            first: the index of an event that it appended. If this is 1, the log is new.
        """
        if not self._looked:
            with self._lock:
                if not self._looked:
                    self._looked = self._look(new=first == 1)
        return self._key is not None

    def _look(self, *, new: bool) -> bool:
        """Look for the log's signing key. Return False if the database cannot be read now."""
        if self._database.read_only or self._database.url.database == MEMORY:
            return True
        try:
            with self._database.reading() as connection:
                self._origin, _ = _head(connection)
            known = {stored.verifier_key for stored in stored_keys(self._database)}
            key = load_key(self._origin)
            if key is None and new and not known:
                key = create_key(self._origin)
        except SabotError as error:
            self.problem = f"the log is not signed: {error}"
            self._failed = not isinstance(error, Unavailable)
            return self._failed
        if key is None:
            self.problem = "this machine does not have the log's signing key"
        elif known and str(key.verifier) not in known:
            self.problem, self._failed = _OTHER_KEY, True
        else:
            self._key = key
            self._heads = SignedHeads(key.verifier, place_of(self._database))
            self._stored_key = bool(known)
        return True

    def adopt(self) -> SigningKey:
        """Create a signing key for a log that has none, and write its first checkpoint.

        Raises:
            BadInput: the log already has a key, or the key cannot be written.
        """
        with self._lock:
            self._looked = True
            with self._database.reading() as connection:
                _, last = _head(connection)
            self._look(new=True)
            if self._key is None:
                raise BadInput(self.problem or "a log in memory has no signing key")
            if self._stored_key:
                raise BadInput(f"the log has a signing key already: {self._key.verifier}")
            self._since = last
            self.write()
            return self._key
