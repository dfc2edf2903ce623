"""Lines of a file or pipe, bounded, and the errors that a batch of them collects."""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, Protocol, TypeVar

from sabot.domain.values.errors import BadInput, Conflict, SabotError

MAX_LINE_BYTES: Final = 64 * 1024
MAX_ERRORS: Final = 20

A = TypeVar("A")
B = TypeVar("B")

BOM: Final = b"\xef\xbb\xbf"

Complain = Callable[[SabotError], None]
"""Takes an error of one line, so that the lines after it are still read."""


class Readable(Protocol):
    """A binary file or pipe, as far as it is needed here."""

    def readline(self, size: int, /) -> bytes:
        """Read a line, or as many bytes of it."""


class Complaints:
    """The errors of a batch: as many as a person can use at once, then the end."""

    def __init__(self, limit: int = MAX_ERRORS) -> None:
        self._limit = limit
        self._errors: list[SabotError] = []

    def __len__(self) -> int:
        """How many there are."""
        return len(self._errors)

    def add(self, error: SabotError) -> None:
        """Keep an error.

        Raises:
            SabotError: there are as many as are shown at once; it tells all of them.
        """
        self._errors.append(error)
        if len(self._errors) >= self._limit:
            self.raise_if_any()

    def raise_if_any(self) -> None:
        """Raise what was collected as one error.

        Raises:
            Conflict: the log, or the batch itself, has other content at those places.
            BadInput: something among them cannot be read.
        """
        errors = self._errors
        if not errors:
            return
        kind = Conflict if all(isinstance(error, Conflict) for error in errors) else BadInput
        if len(errors) == 1 and not isinstance(errors[0], BadInput):
            raise errors[0]
        told = "\n".join(str(error) for error in errors)
        more = " (there may be more)" if len(errors) >= self._limit else ""
        count = "1 error" if len(errors) == 1 else f"{len(errors)} errors"
        raise kind(f"{told}\n{count}{more}: nothing was taken in; mend the input and give it again")


def numbered_lines(stream: Readable, name: str, complain: Complain) -> Iterator[tuple[int, bytes]]:
    """Yield each line that is not blank, without its ending, with its number from 1.

    A byte order mark before the first line is dropped. A line longer than 64 KiB is
    complained of and skipped, without ever being held whole.

    Raises:
        BadInput: the file cannot be read on.
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
    """Read each line; what is bad input is complained of, at its line, and left out."""
    for number, line in lines:
        try:
            made = read(line)
        except BadInput as error:
            complain(placed(error, name, number))
        else:
            yield number, made


def placed(error: BadInput, name: str, number: int) -> BadInput:
    """Return the error at its place: a file, a line and, where known, a column."""
    return error.at(f"{name}:{number}{error.where}")
