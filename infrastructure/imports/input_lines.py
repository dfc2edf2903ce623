"""Read input lines of limited length, and collect the errors of a batch."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar

from msgspec import Struct

from sabot.domain.values.errors import BadInput, Conflict, SabotError
from sabot.infrastructure.files.text_input import BOM

MAX_LINE_BYTES: Final = 64 * 1024
MAX_MAPPED_BYTES: Final = 1024 * 1024
"""The longest line of a mapped file, which may be a whole shoe."""
MAX_ERRORS: Final = 20
_OTHERS: Final = 4
_VALUE: Final = re.compile(r"'[^']*'|[0-9]+")
"""The parts in which messages of the same mistake differ: quoted values and numbers."""

A = TypeVar("A")
B = TypeVar("B")

Complain = Callable[[SabotError], None]
"""A function that takes an error of one line, so that later lines are still read."""


class Readable(Protocol):
    """The functions of a binary file or pipe needed here."""

    def readline(self, size: int, /) -> bytes:
        """Read a line, up to ``size`` bytes."""


class _Mistake(Struct):
    """An error that may occur on many lines: the first one, and the values in the others."""

    first: SabotError
    lines: int = 0
    value: str = ""
    others: list[str] = []

    def __str__(self) -> str:
        """Return the first error, with the number of lines that have the same one."""
        if self.lines == 1:
            return str(self.first)
        also = f", also with {', '.join(self.others)}" if self.others else ""
        return f"{self.first} ({self.lines:,} lines{also})"


class Complaints:
    """The errors of a batch, each kind once, up to a limit of kinds.

    Errors that differ only in place, numbers and quoted values are of one kind.
    """

    def __init__(self, limit: int = MAX_ERRORS) -> None:
        self._limit = limit
        self._mistakes: dict[str, _Mistake] = {}

    def __len__(self) -> int:
        """Return the number of kinds of errors."""
        return len(self._mistakes)

    def add(self, error: SabotError) -> None:
        """Add an error.

        Raises:
            SabotError: the limit is reached; the message lists all errors.
        """
        message = error.message if isinstance(error, BadInput) else str(error)
        values = _VALUE.findall(message)
        value = next((each for each in values if each.startswith("'")), "")
        mistake = self._mistakes.setdefault(_VALUE.sub("*", message), _Mistake(error, value=value))
        mistake.lines += 1
        if value not in {mistake.value, *mistake.others} and len(mistake.others) < _OTHERS:
            mistake.others.append(value)
        if len(self._mistakes) >= self._limit:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise the collected errors as one.

        Raises:
            Conflict: all of them are conflicts with the log or within the batch.
            BadInput: at least one is invalid input.
        """
        mistakes = list(self._mistakes.values())
        if not mistakes:
            return
        every = [mistake.first for mistake in mistakes]
        kind = Conflict if all(isinstance(error, Conflict) for error in every) else BadInput
        lines = sum(mistake.lines for mistake in mistakes)
        if lines == 1 and not isinstance(every[0], BadInput):
            raise every[0]
        count = "1 error" if len(mistakes) == 1 else f"{len(mistakes)} errors"
        on = f" on {lines:,} lines" if lines > len(mistakes) else ""
        more = " (there may be more)" if len(mistakes) >= self._limit else ""
        end = f"{count}{on}{more}: nothing was imported; correct the input and try again"
        messages = (*map(str, mistakes), end)
        error = kind("\n".join(messages))
        error.lines = messages
        raise error


def numbered_lines(
    stream: Readable, name: str, complain: Complain, most: int = MAX_LINE_BYTES
) -> Iterator[tuple[int, bytes]]:
    """Yield each non-blank line with its number from 1. Line endings are removed.

    A byte order mark before the first line is dropped. A longer line than ``most`` bytes is
    reported and skipped, without being held in memory.

    Raises:
        BadInput: the file cannot be read further.
    """
    bound = most + 2
    number = 0
    while raw := _read(stream, bound, name):
        number += 1
        if number == 1 and raw.startswith(BOM):
            raw = raw[len(BOM) :]
        line = raw.rstrip(b"\r\n")
        if len(line) > most:
            while raw and not raw.endswith(b"\n"):
                raw = _read(stream, bound, name)
            complain(
                BadInput(
                    f"the line is longer than {most} bytes; "
                    "write one record a line, each line ended by a newline",
                    f"{name}:{number}",
                )
            )
        elif line.strip():
            yield number, line


def _read(stream: Readable, bound: int, name: str) -> bytes:
    try:
        return stream.readline(bound)
    except OSError as error:
        raise BadInput(f"cannot be read: {error.strerror}; nothing was imported", name) from error


def read_each(
    lines: Iterable[tuple[int, A]], read: Callable[[A], B], name: str, complain: Complain
) -> Iterator[tuple[int, B]]:
    """Parse each line. Report invalid ones with their line number and skip them."""
    for number, line in lines:
        try:
            made = read(line)
        except BadInput as error:
            complain(placed(error, name, number))
        else:
            yield number, made


def placed(error: BadInput, name: str, number: int) -> BadInput:
    """Return the error with its place: file, line and column, if known."""
    return error.at(f"{name}:{number}{error.where}")
