"""The files that ``--output`` names: complete files, pipes and devices."""

import contextlib
import io
import stat
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, TextIO, cast

from sabot.cli.settings import FORCE
from sabot.cli.text.words import say
from sabot.domain.values.errors import BadInput, SabotError
from sabot.infrastructure.files.text_input import is_sqlite, main_file
from sabot.infrastructure.files.whole_file import whole_file

_STREAMS: Final = {
    *(("/", "dev", name) for name in ("stdout", "stderr", "fd", "tty", "null")),
    ("/", "proc", "self"),
}
"""Where the name of a file is that of a stream of the process."""


@contextlib.contextmanager
def open_output(output: str, endings: Sequence[str] = ()) -> Iterator[TextIO]:
    """Open the output: ``-`` is standard output. A file appears only when it is complete.

    An existing file is replaced with ``--force`` only, and keeps its permissions. A symbolic link
    is then replaced, and not followed. A new file can be read by its owner alone. A pipe or a
    device is written to directly.

    Args:
        output: a file's path, or ``-``.
        endings: the extensions that the file may have, besides none; any, if empty.

    Raises:
        BadInput: the text is not the name of a file, its extension is another one, or the file
            exists.
        SabotError: the output cannot be written.
    """
    if output == "-":
        if sys.stdout is None:
            raise SabotError("standard output is closed; use --output FILE")
        yield cast("TextIO", _Writing(sys.stdout, "standard output"))
        return
    if endings:
        check_ending(output, endings)
    with _replacing(output) as target:
        with _write_errors(output):
            stream = target.open("w", encoding="utf-8", newline="")
        try:
            yield cast("TextIO", _Writing(stream, output))
            with _write_errors(output):
                stream.close()
        finally:
            with contextlib.suppress(OSError):
                stream.close()


def write_bytes(output: str, data: bytes) -> None:
    """Write a binary output, which appears only when complete. ``-`` is standard output.

    Raises:
        SabotError: the output cannot be written.
        BadInput: standard output is a terminal, or the output is not the name of a file.
    """
    if output != "-":
        with _replacing(output) as target, _write_errors(output):
            target.write_bytes(data)
        return
    if sys.stdout is None or sys.stdout.isatty():
        raise BadInput("this format is not text; write it to a file with --output FILE")
    with _write_errors("standard output"):
        sys.stdout.flush()
        sys.stdout.buffer.write(data)


@contextlib.contextmanager
def _replacing(output: str) -> Iterator[Path]:
    """Yield the path to write to. The file gets its name when the block ends without an error.

    A message then says that it was written, or replaced.

    A pipe or a device is written to directly.
    """
    if not output or "\0" in output:
        raise BadInput(
            f"--output {output!r} is not a file name; give a path, or - for standard output"
        )
    there = Path(output).is_file()
    with contextlib.ExitStack() as stack:
        with _write_errors(output):
            path = _path_to_write(output, stack)
        yield path
        with _write_errors(output):
            stack.close()
    if Path(output).is_file() and not _is_stream(output):
        say(f"sabot: {'replaced' if there else 'wrote'} {output}")


def _path_to_write(output: str, stack: contextlib.ExitStack) -> Path:
    """Return the file to write. The stack gives it its name once it is complete."""
    given = Path(output)
    # /dev/stdout may lead to a file, which must be written in place rather than replaced
    # another link to a pipe is replaced as one to a file is: its reader may be a stranger
    special = given.exists() and not given.is_file() and not given.is_symlink()
    if _is_stream(output) or special:
        return given
    place = given.absolute()
    _spare_a_log(given.resolve())
    path = stack.enter_context(whole_file(place, replace=FORCE.get()))
    if place.is_file() and not place.is_symlink():
        path.chmod(stat.S_IMODE(place.stat().st_mode))
    return path


def _is_stream(output: str) -> bool:
    return Path(output).parts[:3] in _STREAMS


def _spare_a_log(path: Path) -> None:
    """Refuse to overwrite a database, which may be the log being read."""
    base = main_file(path)
    if base.is_file() and is_sqlite(base):
        raise BadInput(
            f"--output {path} is a database and would be overwritten; choose another file"
        )


class _Writing(io.TextIOBase):
    """A stream that distinguishes its own write failures from failures of the records."""

    def __init__(self, stream: TextIO, name: str) -> None:
        self._stream = stream
        self._name = name

    @property
    def encoding(self) -> str:  # type: ignore[override] # a plain attribute in the stubs
        return self._stream.encoding

    def write(self, text: str) -> int:
        with _write_errors(self._name):
            return self._stream.write(text)

    def flush(self) -> None:
        with _write_errors(self._name):
            self._stream.flush()

    def close(self) -> None:
        """Do nothing: `open_output` closes the stream, and the end of this object flushes none."""

    def isatty(self) -> bool:
        return self._stream.isatty()

    def fileno(self) -> int:
        return self._stream.fileno()


@contextlib.contextmanager
def _write_errors(name: str) -> Iterator[None]:
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise SabotError(
            f"cannot write {name}: {error.strerror or error}; choose another --output"
        ) from error


def check_ending(
    output: str, allowed: Sequence[str], otherwise: str = "", option: str = "--output"
) -> str:
    """Return the extension of a file, one of those allowed, or nothing.

    Raises:
        BadInput: it is another one.
    """
    suffix = Path(output).suffix.lower()
    suffix = ".html" if suffix == ".htm" else suffix
    if suffix and suffix not in allowed:
        listed = ", ".join(allowed)
        raise BadInput(
            f"{option} {output}: unknown extension {suffix}; allowed: {listed}{otherwise}"
        )
    return suffix
