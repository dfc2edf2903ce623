"""Bounded input lines, and the collected errors of a batch."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar

from sabot.domain.values.errors import BadInput, Conflict, SabotError
from sabot.infrastructure.text_input import BOM

MAX_LINE_BYTES: Final = 64 * 1024
MAX_ERRORS: Final = 20

A = TypeVar("A")
B = TypeVar("B")

Complain = Callable[[SabotError], None]
"""Takes an error of one line, so that later lines are still read."""


class Readable(Protocol):
    """The part of a binary file or pipe that is needed here."""

    def readline(self, size: int, /) -> bytes:
        """Read a line, up to ``size`` bytes."""


class Complaints:
    """The errors of a batch, up to a limit."""

    def __init__(self, limit: int = MAX_ERRORS) -> None:
        self._limit = limit
        self._errors: list[SabotError] = []

    def __len__(self) -> int:
        """Return the number of errors."""
        return len(self._errors)

    def add(self, error: SabotError) -> None:
        """Add an error.

        Raises:
            SabotError: the limit is reached; the message lists all errors.
        """
        self._errors.append(error)
        if len(self._errors) >= self._limit:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise the collected errors as one.

        Raises:
            Conflict: all of them are conflicts with the log or within the batch.
            BadInput: at least one is invalid input.
        """
        errors = self._errors
        if not errors:
            return
        kind = Conflict if all(isinstance(error, Conflict) for error in errors) else BadInput
        if len(errors) == 1 and not isinstance(errors[0], BadInput):
            raise errors[0]
        messages = "\n".join(str(error) for error in errors)
        more = " (there may be more)" if len(errors) >= self._limit else ""
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        raise kind(
            f"{messages}\n{count}{more}: nothing was taken in; mend the input and give it again"
        )


def numbered_lines(stream: Readable, name: str, complain: Complain) -> Iterator[tuple[int, bytes]]:
    """Yield each non-blank line with its number from 1. Line endings are removed.

    A byte order mark before the first line is dropped. A line longer than 64 KiB is reported and
    skipped, without being held in memory.

    Raises:
        BadInput: the file cannot be read further.
    """
    bound = MAX_LINE_BYTES + 2
    number = 0
    while raw := _read(stream, bound, name):
        number += 1
        if number == 1 and raw.startswith(BOM):
            raw = raw[len(BOM) :]
        line = raw.rstrip(b"\r\n")
        if len(line) > MAX_LINE_BYTES:
            while raw and not raw.endswith(b"\n"):
                raw = _read(stream, bound, name)
            complain(
                BadInput(
                    f"the line is longer than {MAX_LINE_BYTES} bytes; "
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
        raise BadInput(f"cannot be read: {error.strerror}; nothing was taken in", name) from error


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
    """Return the error with its place: file, line and, if known, column."""
    return error.at(f"{name}:{number}{error.where}")
