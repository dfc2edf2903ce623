"""What ``pip install .`` installs: the code, and the data that it reads."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
ROOMS = ("domain", "infrastructure", "cli")


def test_the_wheel_is_the_code_and_the_data_that_it_reads(tmp_path: Path) -> None:
    source = tmp_path / "source"
    # elsewhere, so that nothing of an earlier build can slip in
    for room in ROOMS:
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", "__init__.py", "py.typed"):
        shutil.copy(ROOT / name, source)
    kept = {
        f"sabot/{path.relative_to(source).as_posix()}"
        for room in ROOMS
        for path in (source / room).rglob("*")
        if path.is_file()
    } | {"sabot/__init__.py", "sabot/py.typed"}
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(tmp_path), "."],
        check=True,
        cwd=source,
    )
    (wheel,) = tmp_path.glob("*.whl")
    inside = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name and not name.endswith("/")
    }
    assert inside == kept
