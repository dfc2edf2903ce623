"""The identity of this program: version, commit, and a hash of the source code of its rules."""

import hashlib
import subprocess
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shutil import which
from typing import Final

_COMMIT: Final = "commit.txt"
"""The file that the build writes; see deployment/build_commit.py."""
_ASK_GIT: Final = ("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*")


@cache
def program_version() -> str:
    """Return the version and the commit, as in ``sabot 0.1.0 (commit 0123456789ab)``.

    A commit ends with ``-dirty`` if the source code was changed since.
    """
    try:
        version = metadata.version("sabot")
    except metadata.PackageNotFoundError:
        version = "from a source tree"
    return f"sabot {version} (commit {_of_checkout() or _of_build() or 'unknown'})"


def _of_checkout() -> str:
    """Return the commit of the git checkout that the program runs from, or an empty text."""
    root = Path(__file__).parent.parent
    git = which("git")
    if git is None or not (root / ".git").exists():
        return ""
    told = subprocess.run(  # noqa: S603 - a fixed command
        [git, "-C", str(root), *_ASK_GIT], capture_output=True, text=True, check=False
    )
    return told.stdout.strip()


def _of_build() -> str:
    """Return the commit from which the program was built, or an empty text."""
    with suppress(FileNotFoundError):
        return (files("sabot.infrastructure") / _COMMIT).read_text(encoding="ascii").strip()
    return ""


@cache
def source_sha256() -> str:
    """Return the SHA-256, in hex, of the source code of `domain`, which includes all rules.

    It covers all files in the order of their paths: the path, a newline, the length in bytes, a
    newline, and the bytes.
    """
    digest = hashlib.sha256()
    for path, entry in sorted(_sources(files("sabot.domain"), "domain"), key=lambda pair: pair[0]):
        text = entry.read_bytes().replace(b"\r\n", b"\n")
        digest.update(f"{path}\n{len(text)}\n".encode())
        digest.update(text)
    return digest.hexdigest()


def _sources(folder: Traversable, path: str) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    for entry in folder.iterdir():
        if entry.is_dir():
            found += _sources(entry, f"{path}/{entry.name}")
        elif entry.name.endswith(".py"):
            found.append((f"{path}/{entry.name}", entry))
    return found
