"""``pip install .`` installs the code and its data files."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from tests.support.thorough import only_full, slow

ROOT = Path(__file__).parent.parent
ROOMS = ("domain", "infrastructure", "cli")
ROOT_FILES = ("__init__.py", "py.typed")
VERSION = "from sabot.infrastructure.version import program_version; print(program_version())"


def _source(folder: Path) -> Path:
    """Copy what is built elsewhere, so that nothing of an earlier build can slip in."""
    for room in ROOMS:
        shutil.copytree(ROOT / room, folder / room, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE", *ROOT_FILES):
        shutil.copy(ROOT / name, folder)
    return folder


def _build(source: Path, folder: Path) -> Path:
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "-w", str(folder), "."],
        check=True,
        cwd=source,
        env={key: value for key, value in os.environ.items() if key != "SABOT_COMMIT"},
    )
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of an unpacked archive, which has no .git."""
    folder = tmp_path_factory.mktemp("wheel")
    return _build(_source(folder / "source"), folder)


@slow
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
    built = {"sabot/infrastructure/commit.txt"}
    assert inside == kept | {f"sabot/{name}" for name in ROOT_FILES} | built


@slow
def test_the_wheel_works_without_the_source_tree(wheel: Path, tmp_path: Path) -> None:
    """Its packs, migrations and templates are found where it is installed.

    The wheel of an archive says that its commit is unknown.
    """
    program = (
        f"{VERSION}\n"
        "import sabot\n"
        "with sabot.open('new.sabot') as log:\n"
        "    log.append([sabot.NewEvent('shoe/H-1', sabot.shoe_loaded())])\n"
        "    print(sabot.__file__, len(sabot.audit(log).findings))\n"
    )
    version, told = _run_in(wheel, tmp_path, program).splitlines()
    assert version.endswith("(commit unknown)")
    assert "site" in told.split()[0]


@only_full
def test_a_wheel_of_a_clone_knows_its_commit(tmp_path: Path) -> None:
    source = _source(tmp_path / "source")

    def git(*arguments: str) -> str:
        command = ["git", "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
        ran = subprocess.run(command, check=True, capture_output=True, text=True, cwd=source)
        return ran.stdout.strip()

    git("init")
    git("add", ".")
    git("commit", "-m", "all")
    told = _run_in(_build(source, tmp_path), tmp_path, VERSION)
    assert told.endswith(f"(commit {git('rev-parse', '--short=12', 'HEAD')})")


def _run_in(wheel: Path, folder: Path, program: str) -> str:
    """Unpack a wheel in a folder, run a program with it there, and return what it prints."""
    zipfile.ZipFile(wheel).extractall(folder / "site")
    ran = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, 'site')\n{program}"],
        check=True, capture_output=True, text=True, cwd=folder,
    )  # fmt: skip
    return ran.stdout.strip()


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
