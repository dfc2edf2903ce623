"""The input files of an import: paths, and standard input as ``-``."""

import codecs
import io
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Final

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.files.text_input import check_is_text, open_file
from sabot.infrastructure.imports.input_lines import MAX_LINE_BYTES, Readable

STDIN: Final = "-"


class Peeked:
    """A stream whose first line can be inspected before it is read.

    Attributes:
        name: the file's name.
        first: the first line.
        taken: the number of bytes that were read, without the inspection.
    """

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self.name = name
        self.taken = 0
        self._stream = stream
        try:
            self.first = stream.readline(MAX_LINE_BYTES + 2)
        except OSError as error:
            raise BadInput(f"it cannot be read: {error.strerror}", name) from error
        check_is_text(self.first, name)
        self._again = self.first

    def readline(self, size: int, /) -> bytes:
        """Read a line, up to ``size`` bytes."""
        line, self._again = self._again[:size], self._again[size:]
        if len(line) < size and not line.endswith(b"\n"):
            line += self._stream.readline(size - len(line))
        self.taken += len(line)
        return line


class Recoded:
    """A stream that converts another encoding to UTF-8."""

    def __init__(self, stream: Readable, name: str, encoding: str) -> None:
        self._stream, self._name, self._encoding = stream, name, encoding
        self._decoder = codecs.getincrementaldecoder(encoding)()
        self._ready = b""
        self._ended = False
        self._lines = 0

    def readline(self, size: int, /) -> bytes:
        """Read a line, up to ``size`` bytes.

        Raises:
            BadInput: the bytes are not of the encoding.
        """
        while b"\n" not in self._ready and len(self._ready) < size and not self._ended:
            data = self._stream.readline(size)
            self._ended = not data
            try:
                self._ready += self._decoder.decode(data, final=self._ended).encode()
            except UnicodeError:
                raise BadInput(
                    f"the text is not {self._encoding}; name its encoding in the mapping",
                    f"{self._name}:{self._lines + 1}",
                ) from None
        end = self._ready.find(b"\n", 0, size) + 1 or min(size, len(self._ready))
        line, self._ready = self._ready[:end], self._ready[end:]
        self._lines += line.endswith(b"\n")
        return line


def check_names(names: Sequence[str]) -> None:
    """Check that standard input is named at most once.

    Raises:
        BadInput: standard input is named twice.
    """
    if names.count(STDIN) > 1:
        raise BadInput("- is standard input, and can be read only once; name it once")


def size_of(names: Sequence[str]) -> int | None:
    """Return the number of bytes of all files. None if it is unknown before reading."""
    try:
        return None if STDIN in names else sum(Path(name).stat().st_size for name in names)
    except (OSError, ValueError):
        return None  # opening the file says what is wrong


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
    with open_file(name) as stream:
        yield Peeked(stream, name)
