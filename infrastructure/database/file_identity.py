"""Which file a path names, and which files this process has open."""

import os
import sys
from pathlib import Path
from typing import Final

Identity = tuple[int, int]
"""The device and the inode of a file, which stay the same when it is renamed."""

_DESCRIPTORS: Final = {"linux": Path("/proc/self/fd"), "darwin": Path("/dev/fd")}
"""Folders in which a system lists the open files of the current process."""


def identity(path: Path) -> Identity | None:
    """Return the identity of the file at a path. None if there is none or it is inaccessible."""
    try:
        found = path.stat()
    except (OSError, ValueError):  # a NUL byte is part of no name
        return None
    return found.st_dev, found.st_ino


def identity_of(descriptor: int) -> Identity | None:
    """Return the identity of an open file. None if it is closed."""
    try:
        found = os.fstat(descriptor)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def open_files() -> dict[Identity, int] | None:
    """Return a descriptor of each open file of this process. None if the system lists none."""
    folder = _DESCRIPTORS.get(sys.platform)
    if folder is None or not folder.is_dir():
        return None
    found = {}
    for entry in folder.iterdir():
        descriptor = int(entry.name)
        if (file := identity_of(descriptor)) is not None:  # it may be closed since it was listed
            found[file] = descriptor
    return found
