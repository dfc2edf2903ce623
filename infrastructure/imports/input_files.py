"""The input files of an import: paths, and standard input as ``-``."""

import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import BinaryIO, Final

from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.imports.input_lines import MAX_LINE_BYTES
from sabot.infrastructure.text_input import open_file

STDIN: Final = "-"


class Peeked:
    """A stream whose first line can be inspected and is still read."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self._stream = stream
        try:
            self.first = stream.readline(MAX_LINE_BYTES + 2)
        except OSError as error:
            raise BadInput(f"it cannot be read: {error.strerror}", name) from error
        self._again = self.first

    def readline(self, size: int, /) -> bytes:
        """Read a line, up to ``size`` bytes."""
        if self._again:
            line, self._again = self._again[:size], self._again[size:]
            return line
        return self._stream.readline(size)


def check_names(names: Sequence[str]) -> None:
    """Check that standard input is named at most once.

    Raises:
        BadInput: standard input is named twice.
    """
    if names.count(STDIN) > 1:
        raise BadInput("- is standard input, and can be read only once; name it once")


@contextmanager
def opened(name: str) -> Iterator[Peeked]:
    """Open a file, or standard input as ``-``.

    Raises:
        NotFound: there is no such file.
        BadInput: it is not a regular file, or cannot be opened or read.
    """
    if name == STDIN:
        yield Peeked(sys.stdin.buffer if sys.stdin is not None else io.BytesIO(), "standard input")
        return
    try:
        stream = open_file(name)
    except BadInput as error:
        hint = "; to read a pipe, give - for standard input" if "pipe" in error.message else ""
        raise BadInput(f"{error.message}{hint}; nothing was taken in", name) from error
    except NotFound as error:
        raise NotFound(f"{error}; nothing was taken in") from error
    with stream:
        yield Peeked(stream, name)
