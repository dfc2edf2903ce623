"""The identity of this program: its version, and a hash of the source code of its rules."""

import hashlib
import json
import subprocess
from contextlib import suppress
from functools import cache
from importlib import metadata
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from shutil import which
from typing import Final

_DIGITS: Final = 12


@cache
def program_version() -> str:
    """Return the program's version, or text saying that it runs from a source tree."""
    try:
        return f"sabot {metadata.version('sabot')}"
    except metadata.PackageNotFoundError:
        return "sabot from a source tree"


def commit() -> str | None:
    """Return the first digits of the git commit from which the program was installed or runs.

    None if neither the installation nor a git checkout records it.
    """
    with suppress(metadata.PackageNotFoundError):
        origin = json.loads(metadata.distribution("sabot").read_text("direct_url.json") or "{}")
        if known := origin.get("vcs_info", {}).get("commit_id"):
            return str(known)[:_DIGITS]
    root = Path(__file__).parent.parent
    if not (root / ".git").exists():
        return None
    git = which("git")
    if git is None:
        return None
    told = subprocess.run(  # noqa: S603 - a fixed command
        [git, "-C", str(root), "rev-parse", f"--short={_DIGITS}", "HEAD"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    return told.stdout.strip() or None


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
