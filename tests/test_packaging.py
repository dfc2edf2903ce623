"""``pip install .`` installs the code and its data files."""

import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parent.parent
ROOMS = ("domain", "infrastructure", "cli")
ROOT_FILES = ("__init__.py", "py.typed")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built elsewhere, so that nothing of an earlier build can slip in."""
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"
    for room in ROOMS:
        shutil.copytree(ROOT / room, source / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", *ROOT_FILES):
        shutil.copy(ROOT / name, source)
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), "."],
        check=True,
        cwd=source,
    )
    (built,) = folder.glob("*.whl")
    return built


def test_the_wheel_is_the_code_and_the_data_that_it_reads(wheel: Path) -> None:
    kept = {
        f"sabot/{path.relative_to(ROOT).as_posix()}"
        for room in ROOMS
        for path in (ROOT / room).rglob("*")
        if path.is_file() and not {"__pycache__", "deployment"} & set(path.parts)
    }
    inside = {
        name
        for name in zipfile.ZipFile(wheel).namelist()
        if ".dist-info/" not in name and not name.endswith("/")
    }
    assert inside == kept | {f"sabot/{name}" for name in ROOT_FILES}


def test_the_wheel_works_without_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    """Its packs, migrations and templates are found where it is installed."""
    zipfile.ZipFile(wheel).extractall(tmp_path / "site")
    program = (
        "import sys; sys.path.insert(0, 'site')\n"
        "import sabot\n"
        "with sabot.open('new.sabot') as log:\n"
        "    log.append([sabot.NewEvent('shoe/H-1', sabot.shoe_loaded())])\n"
        "    print(sabot.__file__, len(sabot.audit(log).findings))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True, cwd=tmp_path
    )
    assert "site" in ran.stdout.split()[0]


def test_the_lock_file_has_every_dependency_with_hashes() -> None:
    """Whoever changes a dependency compiles the lock file again. Its first lines tell how."""
    lock = (ROOT / "infrastructure" / "deployment" / "requirements.lock").read_text()
    pinned = r"^([a-z0-9-]+)==([^ ]+)(?: ;[^\\]*)? \\\n    --hash=sha256:"
    versions = dict(re.findall(pinned, lock, re.MULTILINE))
    assert len(versions) == sum(line[:1].isalpha() for line in lock.splitlines())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for text in (*project["dependencies"], *project["optional-dependencies"]["pdf"]):
        needed = Requirement(text)
        assert needed.specifier.contains(versions[needed.name]), text
