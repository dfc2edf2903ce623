"""A step of the build that writes into the package from which commit it was built.

pyproject.toml names it. `sabot.infrastructure.version` reads the file.
"""

import os
import subprocess
from pathlib import Path

from setuptools.command.build_py import build_py


class BuildWithCommit(build_py):
    """Copies the modules as setuptools does, then writes ``infrastructure/commit.txt``.

    The commit is that of the environment variable SABOT_COMMIT, or else that of the git checkout.
    The file is empty if there is neither, as in an unpacked archive.
    """

    def run(self) -> None:
        """Copy the modules and write the file. An editable installation needs no file."""
        super().run()
        if not self.editable_mode:
            target = Path(self.build_lib, "sabot", "infrastructure", "commit.txt")
            target.write_text(os.environ.get("SABOT_COMMIT") or _of_checkout(), encoding="ascii")

    def get_source_files(self) -> list[str]:
        """Return the files of a source distribution, this one among them."""
        files: list[str] = super().get_source_files()  # type: ignore[no-untyped-call]
        return [*files, "infrastructure/deployment/build_commit.py"]


def _of_checkout() -> str:
    # an archive may be unpacked inside another repository
    if not Path(".git").exists():
        return ""
    command = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return ""
