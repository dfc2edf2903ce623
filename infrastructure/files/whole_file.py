"""Write a file that appears only when it is complete, and survives a power cut.

Also the files of the user's cache.
"""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sabot.domain.values.errors import BadInput


@contextmanager
def whole_file(place: Path, *, mode: int = 0o600, replace: bool = True) -> Iterator[Path]:
    """Yield the path of a new, empty file beside a place. At the end it is moved to the place.

    By then, file and folder are on the disk. If the block fails, nothing has changed.

    Args:
        place: where the file appears. A symbolic link there is replaced, and not followed.
        mode: the permissions of the file, reduced by the umask of the process.
        replace: whether a file at the place may be replaced.

    Raises:
        BadInput: there is already a file, and it may not be replaced.
        OSError: the file cannot be written.
    """
    if not replace:
        _check_free(place)
    partial = place.with_name(f".{place.name}.{os.getpid()}.part")
    partial.unlink(missing_ok=True)
    _remove_left_over(place)
    os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode))
    try:
        yield partial
        _sync(partial)
        _put(partial, place, replace=replace)
    finally:
        partial.unlink(missing_ok=True)
    with suppress(OSError):  # a folder that cannot be read
        _sync(place.parent)


def _remove_left_over(place: Path) -> None:
    """Remove partial files of this place whose processes were killed."""
    form = re.compile(rf"\.{re.escape(place.name)}\.(\d+)\.part(-journal|-wal|-shm)?")
    with suppress(OSError):
        for each in place.parent.iterdir():
            if (found := form.fullmatch(each.name)) and not _lives(int(found[1])):
                each.unlink(missing_ok=True)


def _lives(process: int) -> bool:
    """Return whether a process exists, possibly another user's."""
    if os.name != "posix":
        return True  # elsewhere the signal 0 ends a process
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def private_folder(folder: Path) -> None:
    """Create a folder, and missing ones above it. Only their owner can use them.

    Raises:
        OSError: it cannot be created.
    """
    for each in (*reversed(folder.parents), folder):
        if not each.is_dir():
            each.mkdir(mode=0o700, exist_ok=True)


def write_whole(place: Path, data: bytes, *, mode: int = 0o644, replace: bool = True) -> None:
    """Write a file that appears only when it is complete. Missing folders are created."""
    place.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(place, mode=mode, replace=replace) as partial:
        partial.write_bytes(data)


def cache_folder(name: str) -> Path:
    """Return a folder of the user's cache (XDG_CACHE_HOME, ``~/.cache``), existing or not.

    Raises:
        RuntimeError: the user has no home.
    """
    chosen = os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else Path.home() / ".cache") / "sabot" / name


def read_own(place: Path) -> bytes:
    """Return the content of a file of this user.

    Raises:
        OSError: it cannot be read, or another user owns it.
    """
    with place.open("rb") as file:
        if os.fstat(file.fileno()).st_uid != os.geteuid():
            raise PermissionError(f"{place} belongs to another user")
        return file.read()


def remove_oldest(folder: Path, pattern: str, kept: int) -> None:
    """Remove all but the newest files of a folder whose names match a pattern."""
    files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in files[kept:]:
        file.unlink(missing_ok=True)


def _check_free(place: Path) -> None:
    if place.is_symlink() or place.exists():
        raise BadInput(f"{place} exists already; choose another name, or replace it with --force")


def _put(partial: Path, place: Path, *, replace: bool) -> None:
    """Move a file to its final place."""
    if replace:
        partial.replace(place)
        return
    try:
        place.hardlink_to(partial)  # unlike a renaming, this fails if a file has appeared meanwhile
    except FileExistsError:
        _check_free(place)
        raise
    except OSError:  # a file system without hard links
        _check_free(place)
        partial.rename(place)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
