"""Files that appear when they are complete."""

import os
import subprocess
import sys
from pathlib import Path

from sabot.infrastructure.files.whole_file import private_folder, whole_file


def test_partial_files_of_killed_processes_are_removed(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    gone = [f".out.json.{ended.pid}.part", f".out.json.{ended.pid}.part-journal"]
    kept = [f".out.json.{os.getppid()}.part", f".other.json.{ended.pid}.part", ".out.json.x.part"]
    for name in (*gone, *kept):
        (tmp_path / name).touch()
    with whole_file(tmp_path / "out.json") as partial:
        partial.write_text("{}")
    assert sorted(each.name for each in tmp_path.iterdir()) == sorted([*kept, "out.json"])


def test_folders_are_private_whatever_the_umask(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        private_folder(tmp_path / "a" / "b")
        private_folder(tmp_path / "a" / "b")
    finally:
        os.umask(before)
    modes = [(tmp_path / name).stat().st_mode & 0o777 for name in ("a", "a/b")]
    assert modes == [0o700, 0o700]
