"""Record events that a device sends as lines.

Each event is acknowledged once it is durable. Waiting lines are committed together, so that a fast
sender is not limited to one commit per event, and a slow one gets an answer at once. Answers are in
the order of the lines. A device's event does not depend on anything that was read, so it is
appended whatever others write at the same time. A line is refused if it is not a valid event, if
its shoe was never loaded, or if its identity belongs to another event.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Final, Protocol

from msgspec import Struct

from sabot.domain.events import ShoeLoaded
from sabot.domain.events.envelope import AppendResult, NewEvent
from sabot.domain.values.errors import BadInput, ContentConflict, SabotError
from sabot.infrastructure.imports.input_lines import MAX_LINE_BYTES
from sabot.infrastructure.imports.record_line import RecordLines

SHOE: Final = "shoe/"
_REMEMBERED: Final = 100_000

ReadChunk = Callable[[], bytes]
"""Waits for bytes and returns those available; empty at the end."""
Numbered = tuple[int, bytes]
Read = tuple[int, NewEvent | SabotError]
"""A line's number, and its event or the reason for which it was refused."""


class Log(Protocol):
    """The functions of the log that recording needs."""

    def versions(self, streams: Collection[str]) -> dict[str, int]:
        """Return the version of each of these streams that has an event."""

    def append(self, drafts: Sequence[NewEvent]) -> list[AppendResult]:
        """Append events in one commit. Return once they are durable."""


class Answer(Struct, frozen=True):
    """The answer to a line: the receipt, or the reason why it was refused."""

    line: int
    receipt: AppendResult | None
    error: str = ""


def _shoe_begun_by(draft: NewEvent) -> set[str]:
    """Return the stream of the shoe that an event loads, or an empty text."""
    return {draft.stream} if isinstance(draft.payload, ShoeLoaded) else set()


class Recording:
    """Records lines in the log, a group at a time."""

    def __init__(
        self,
        log: Log,
        *,
        actor: str = "",
        packs: Mapping[str, str] | None = None,
        expects_first: bool = False,
    ) -> None:
        """Take the log.

        Args:
            log: the log.
            actor: the person responsible for lines that name nobody.
            packs: the texts of rule packs by name, beside the shipped ones.
            expects_first: whether the log is empty and new to the devices. Its first event must
                then not have a device number above 1, because the events before it would be
                missing.
        """
        self._log = log
        self._lines = RecordLines(packs)
        self._actor = actor
        self._expects_first = expects_first
        self._begun: set[str] = set()

    def take(self, lines: Sequence[Numbered], *, stop_at_refusal: bool = False) -> list[Answer]:
        """Commit a group of lines and answer each, in order.

        The lines may be of several senders, each with its own numbers.

        With ``stop_at_refusal`` the first refused line gets the last answer, and no later line is
        recorded.

        Raises:
            SabotError: the log failed; lines without an answer are not acknowledged.
        """
        read = [(number, self._read(line)) for number, line in lines]
        self._look_up({draft.stream for _, draft in read if isinstance(draft, NewEvent)})
        if stop_at_refusal:
            read = self._up_to_refusal(read)
        answers: list[Answer] = []
        for answer in self._committed(read):
            answers.append(answer)
            if stop_at_refusal and answer.receipt is None:
                break
        return answers

    def _committed(self, read: Sequence[Read]) -> Iterator[Answer]:
        """Commit lines together. If that fails, try each half.

        A single line may prevent the commit.
        """
        try:
            yield from self._commit(read)
        except (ContentConflict, BadInput) as error:
            if len(read) == 1:
                yield Answer(read[0][0], None, str(error))
                return
            half = len(read) // 2
            yield from self._committed(read[:half])
            yield from self._committed(read[half:])

    def _up_to_refusal(self, read: Sequence[Read]) -> list[Read]:
        begun: set[str] = set()
        for place, (_, draft) in enumerate(read, 1):
            if (
                isinstance(draft, SabotError)
                or not self._has_shoe(draft, begun)
                or (place == 1 and self._begins_late(draft))
            ):
                return list(read[:place])
            begun |= _shoe_begun_by(draft)
        return list(read)

    def _read(self, line: bytes) -> NewEvent | SabotError:
        try:
            if len(line) > MAX_LINE_BYTES:
                return BadInput(
                    f"the line is longer than {MAX_LINE_BYTES} bytes; send an event a line"
                )
            return self._lines.read(line, self._actor)
        except BadInput as error:
            # the answer has the line number, so the place is only a column
            column = error.where.removeprefix(":")
            return BadInput(f"column {column}: {error.message}") if column else error

    def _commit(self, read: Sequence[Read]) -> list[Answer]:
        begun: set[str] = set()
        fit: list[NewEvent] = []
        # by the place in the group: lines of several senders may have the same number
        refused: dict[int, str] = {}
        for place, (_, draft) in enumerate(read):
            if isinstance(draft, SabotError):
                refused[place] = str(draft)
            elif not fit and self._begins_late(draft):
                refused[place] = (
                    f"the log is new, and device {draft.device!r} is at number {draft.seq}: its "
                    "earlier events are in another log. Check --database; give --new to begin a "
                    "log here"
                )
            elif self._has_shoe(draft, begun):
                fit.append(draft)
                begun |= _shoe_begun_by(draft)
            else:
                refused[place] = (
                    f"there is no shoe {draft.stream.removeprefix(SHOE)!r}; "
                    "its first event is shoe-loaded"
                )
        receipts = iter(self._log.append(fit) if fit else ())
        self._expects_first = self._expects_first and not fit
        self._remember(begun)
        return [
            Answer(number, None, refused[place])
            if place in refused
            else Answer(number, next(receipts))
            for place, (number, _) in enumerate(read)
        ]

    def _begins_late(self, draft: NewEvent) -> bool:
        """Return whether an empty log would begin with an event that is not its device's first."""
        return self._expects_first and (draft.seq or 0) > 1

    def _has_shoe(self, draft: NewEvent, begun: set[str]) -> bool:
        """Return whether the event's shoe was loaded in the log or earlier in this group.

        The event may also load the shoe itself, or belong to no shoe. ``begun`` are the shoes that
        this group loads.
        """
        stream = draft.stream
        return (
            not stream.startswith(SHOE)
            or stream in self._begun
            or stream in begun | _shoe_begun_by(draft)
        )

    def _look_up(self, streams: set[str]) -> None:
        unknown = {s for s in streams if s.startswith(SHOE)} - self._begun
        if unknown:
            self._remember(set(self._log.versions(unknown)))

    def _remember(self, begun: set[str]) -> None:
        # forgotten streams are looked up again
        if len(self._begun) + len(begun) > _REMEMBERED:
            self._begun.clear()
        self._begun |= begun


class LineGroups:
    """Groups arriving lines: each group has the lines available. Memory use is bounded.

    Lines that are too long are truncated. A truncated line still exceeds the limit, so its reader
    refuses it.
    """

    def __init__(self) -> None:
        self._rest = b""
        self._number = 0

    def read(self, read_chunk: ReadChunk) -> Iterator[list[Numbered]]:
        """Yield the complete lines of each chunk, and what is left at the end."""
        while chunk := read_chunk():
            if group := list(self.split(chunk)):
                yield group
        if group := self.rest():
            yield group

    def rest(self) -> list[Numbered]:
        """Return the last line, if it has no newline."""
        return [(self._number + 1, self._rest.removesuffix(b"\r"))] if self._rest.strip() else []

    def split(self, chunk: bytes) -> Iterator[Numbered]:
        """Yield the lines that a chunk completes."""
        *whole, rest = chunk.split(b"\n")
        for line in whole:
            text = (self._rest + line[: MAX_LINE_BYTES + 2]).removesuffix(b"\r")
            self._rest = b""
            self._number += 1
            if text.strip():
                yield self._number, text[: MAX_LINE_BYTES + 1]
        self._rest = (self._rest + rest)[: MAX_LINE_BYTES + 1]
