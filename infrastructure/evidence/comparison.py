"""Compare the tree over events with signed checkpoints and with published tiles."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.checkpoint import Checkpoint, open_checkpoint
from sabot.infrastructure.evidence.merkle_tree import TreeHead, leaf_hash
from sabot.infrastructure.evidence.publishing import Published
from sabot.infrastructure.evidence.signed_note import VerifierKey
from sabot.infrastructure.evidence.tiles import WIDTH, TileFolder
from sabot.infrastructure.evidence.verification_result import Problem, Verification


class Known(Struct, frozen=True):
    """A checkpoint to compare with, and its origin in words.

    ``own`` is whether it is the last one that this machine signed.
    """

    checkpoint: Checkpoint
    source: str
    note: str = ""
    own: bool = False


def open_by_any(note: str, keys: Sequence[VerifierKey]) -> Checkpoint | None:
    """Return the checkpoint signed by one of the keys, or None."""
    for key in keys:
        try:
            return open_checkpoint(note, key).checkpoint
        except UntrustedLog:
            continue
    return None


def checkpoints_from_outside(
    keys: Sequence[VerifierKey], published: tuple[Published, Path] | None, earlier: str | None
) -> list[Known]:
    """Return a verifier's checkpoints from outside the database.

    Raises:
        UntrustedLog: none of the keys signed one of them.
    """
    known = []
    for note, source in (
        (published[0].note if published else None, "the published checkpoint"),
        (earlier, "the checkpoint that was kept"),
    ):
        if note is not None:
            checkpoint = open_by_any(note, keys)
            if checkpoint is None:
                raise UntrustedLog(f"{source} is not signed by the log's key")
            known.append(Known(checkpoint, f"{source} of {checkpoint.size} events", note))
    return known


def tiles_in(published: tuple[Published, Path] | None) -> TileFolder | None:
    """Return the tiles of a published directory."""
    return TileFolder(published[1], published[0].checkpoint.size) if published else None


Page = Sequence[tuple[int, str | None, bytes, Sequence[Any] | None]]
"""Index, stream, line, and the row if there is one, of events that follow each other."""


def compare(
    pages: Iterable[Page], known: Sequence[Known], tiles: TileFolder | None, result: Verification
) -> int:
    """Hash events in order, and compare the tree with each checkpoint and tile.

    Return the size of the largest checkpoint that holds, or 0.
    """
    tree = GrowingTree(known, result)
    where, changed = _Tiles(tiles) if tiles else None, _Changed(result)
    for page in pages:
        _check_indexes(page, tree.size + 1, result)
        leaves = [leaf_hash(line) for _, _, line, _ in page]
        if where:
            for (index, stream, _, row), leaf in zip(page, leaves, strict=True):
                if problem := where.differs(index, leaf, stream, row):
                    changed.add(problem)
        tree.append(leaves, [stream for _, stream, _, _ in page])
    tree.finish(tiles.size if tiles else 0)
    return tree.good


class _Changed:
    """Reports changed events; successive ones are one problem."""

    def __init__(self, result: Verification) -> None:
        self._result = result
        self._last: Problem | None = None

    def add(self, problem: Problem) -> None:
        """Report an event. It joins the last problem if it directly follows its events."""
        problems, last = self._result.problems, self._last
        index = problem.index or 0
        goes_on = last is not None and last is problems[-1] and not (last.column or problem.column)
        if last is None or not goes_on or (last.until or last.index) != index - 1:
            self._result.found(problem)
            self._last = problems[-1]
            return
        message = f"events {last.index} to {index} differ from the published events"
        problems[-1] = self._last = Problem(message, last.index, index)


def _check_indexes(page: Page, first: int, result: Verification) -> None:
    """Report the first gap in the indexes."""
    indexes = [index for index, _, _, _ in page]
    if result.problems or indexes == list(range(first, first + len(page))):
        return
    place, index = next((n, i) for n, i in enumerate(indexes, first) if n != i)
    result.found(Problem(f"event {place} is missing; event {index} follows", place))


class GrowingTree:
    """A tree that grows leaf by leaf, and is compared with each checkpoint at its size."""

    def __init__(self, known: Sequence[Known], result: Verification) -> None:
        self._tree = TreeHead()
        self._due = sorted(known, key=lambda each: each.checkpoint.size)
        self._result = result
        self.good = 0
        self._streams: set[str | None] = set()
        result.checkpoints = len(self._due)
        result.covered = self._due[-1].checkpoint.size if self._due else 0
        self._check_roots()

    @property
    def size(self) -> int:
        """The number of leaves."""
        return self._tree.size

    def append(self, leaves: Sequence[bytes], streams: Sequence[str | None]) -> None:
        """Append leaves, each with the stream of its event or None if that is unknown."""
        done = 0
        while done < len(leaves):
            wanted = self._due[0].checkpoint.size - self.size if self._due else len(leaves)
            self._tree.append(leaves[done : done + wanted])
            self._streams.update(streams[done : done + wanted])
            done += wanted
            self._check_roots()

    def finish(self, compared: int = 0) -> None:
        """Report checkpoints over more leaves than there are, and how many were compared.

        Args:
            compared: the largest number of leaves that were compared with tiles one by one.
        """
        size, result = self.size, self._result
        if self._due:
            last = self._due[-1]
            located = any(problem.index for problem in result.problems)
            whole = compared >= last.checkpoint.size and not located
            if located:
                reason = "events are missing"
            else:
                removed = "the end was cut off" if whole else "events were removed"
                reason = f"{removed}, or an old copy was restored"
            result.found(
                Problem(
                    f"{last.source} covers {last.checkpoint.size} events, but there are only "
                    f"{size}: {reason}",
                    (size if whole else self.good) + 1,
                    last.checkpoint.size,
                )
            )
        result.events = size
        result.covered = min(result.covered, size)

    def _check_roots(self) -> None:
        """Compare the tree with the checkpoints of its size. All of them must match."""
        false, matched = None, False
        while self._due and self._due[0].checkpoint.size == self.size:
            known = self._due.pop(0)
            if known.checkpoint.root != self._tree.root():
                false = false or known
            matched = True
        if false and not any(problem.index for problem in self._result.problems):
            self._report(false)
        elif matched and not false:
            self.good, self._streams = self.size, set()

    def _report(self, known: Known) -> None:
        """Report the leaves after the last checkpoint that is correct."""
        (name,) = self._streams if len(self._streams) == 1 else (None,)
        first, last = self.good + 1, self.size
        self._result.found(
            Problem(
                f"the events {first} to {last} differ from the signed events: {known.source} does "
                "not match them",
                first,
                last,
                name,
            )
        )


class _Tiles:
    """Compares leaves with published tiles."""

    def __init__(self, tiles: TileFolder) -> None:
        self._tiles = tiles
        self._number = -1
        self._hashes = b""

    def differs(
        self, index: int, leaf: bytes, stream: str | None, row: Sequence[Any] | None
    ) -> Problem | None:
        """Return a text on how an event differs from its tile, or None if it does not."""
        if index > self._tiles.size:
            return None
        number, place = divmod(index - 1, WIDTH)
        if number != self._number:
            self._number, self._hashes = number, self._tiles.tile(0, number)
        if self._hashes[place * 32 : place * 32 + 32] == leaf:
            return None
        column, was = self._column(number, place, row)
        told = f": {column} was {was}" if column else ""
        name = f" ({stream})" if stream else ""
        return Problem(
            f"event {index}{name} differs from the published event{told}",
            index,
            None,
            stream,
            column,
        )

    def _column(self, number: int, place: int, row: Sequence[Any] | None) -> tuple[str | None, str]:
        """Return the first column that differs from the published line, and its published value."""
        entries = self._tiles.entries(number)
        if entries is None or row is None:
            return None, ""
        line = entries[place]
        if leaf_hash(line) != self._hashes[place * 32 : place * 32 + 32]:
            return None, ""
        published = msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        for column, value in zip(log_event.c.keys(), row, strict=True):
            now = value if column == "payload" else msgspec.json.encode(value).decode()
            was = bytes(published["index" if column == "id" else column]).decode()
            if now != was:
                return column, was[:200]
        return None, ""
