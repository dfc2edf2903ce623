"""Summary tables beside a log on a disk without room for them."""

import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.faulty_log import recorded
from tests.support.thorough import a_part, slow

PROGRAM = """
import sys
from sabot.cli.console import guard
from sabot.cli.main import build
sys.exit(guard(build(), sys.argv[1:]))
"""


def limited() -> None:
    """Let no file grow beyond the index of a write-ahead log."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))


@slow
@pytest.mark.parametrize("verb", a_part(["tables", "shoes"], of=2))
def test_they_are_computed_in_memory_and_leave_no_files(verb: str, tmp_path: Path) -> None:
    path = tmp_path / "log.sabot"
    recorded(str(path))
    roomy = shutil.copy(path, tmp_path / "other.sabot")
    before = {each.name for each in tmp_path.iterdir()}
    done = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM, verb, "--database", str(log), "--format", "json"],
            capture_output=True,
            text=True,
            check=False,
            preexec_fn=limit,
        )
        for log, limit in ((path, limited), (roomy, None))
    ]
    assert [each.returncode for each in done] == [0, 0], done[0].stderr
    assert done[0].stdout == done[1].stdout
    left = {each.name for each in tmp_path.iterdir()} - before
    assert {name for name in left if "-views" in name} == {"other.sabot-views"}
