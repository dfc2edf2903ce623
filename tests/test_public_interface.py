"""The names of ``import sabot``, the modules it loads, and the installed packages."""

import subprocess
import sys
import tomllib
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from types import ModuleType

import pytest

import sabot
from tests.support.thorough import slow

ROOT = Path(__file__).parent.parent
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
HEAVY = ("sqlalchemy", "psycopg", "alembic", "typer", "rich", "textual", "eventsourcing", "numpy")
PACKAGES: list[str] = PYPROJECT["tool"]["setuptools"]["packages"]


def _loaded(program: str, folder: Path) -> set[str]:
    """Run a program in a new interpreter. Return the heavy libraries that it loaded."""
    told = f"{program}\nimport sys\nprint(*({HEAVY} & sys.modules.keys()))".replace(
        f"{HEAVY}", f"set({HEAVY})"
    )
    ran = subprocess.run(
        [sys.executable, "-c", told], check=True, capture_output=True, text=True, cwd=folder
    )
    return set(ran.stdout.splitlines()[-1].split())


def test_importing_sabot_loads_no_library(tmp_path: Path) -> None:
    assert _loaded("import sabot; dir(sabot)", tmp_path) == set()


@slow
def test_importing_the_domain_loads_no_library(tmp_path: Path) -> None:
    domain = [name for name in PACKAGES if name.startswith("sabot.domain")]
    assert len(domain) > 20
    assert _loaded("\n".join(f"import {name}" for name in domain), tmp_path) == set()


def test_odds_and_roads_load_no_database(tmp_path: Path) -> None:
    program = "import sabot\nsabot.odds(rules=['classic-8'])\nsabot.roads('BPT')"
    assert _loaded(program, tmp_path) == set()


@slow
def test_opening_a_log_on_sqlite_loads_no_command_line_and_no_other_driver(tmp_path: Path) -> None:
    loaded = _loaded("import sabot\nsabot.open('x.sabot').close()", tmp_path)
    assert "sqlalchemy" in loaded
    assert not loaded & {"typer", "rich", "textual", "numpy", "psycopg"}


@pytest.mark.parametrize("name", sabot.__all__)
def test_a_public_name_is_there_and_documented(name: str) -> None:
    found = getattr(sabot, name)
    assert name in dir(sabot)
    assert name in (sabot.__doc__ or "") or issubclass(found, sabot.SabotError)
    own = found.__doc__ if isinstance(found, ModuleType) else getdoc(found)
    assert own, name
    # msgspec and dataclasses write a signature where a class has no docstring
    assert not own.startswith(f"{name}("), name


def test_the_list_of_names_is_the_table() -> None:
    assert list(sabot.__all__) == sorted(sabot._PLACES)
    for module, attribute in sabot._PLACES.values():
        assert not attribute or hasattr(import_module(module), attribute)


def test_a_name_that_is_not_there_is_told() -> None:
    with pytest.raises(AttributeError, match="module 'sabot' has no attribute 'opne'"):
        assert sabot.opne


def test_the_packages_are_the_folders() -> None:
    folders = {
        ".".join(("sabot", *path.parent.relative_to(ROOT).parts))
        for room in ("cli", "domain", "infrastructure")
        for path in (ROOT / room).rglob("__init__.py")
    }
    assert sorted(PACKAGES) == PACKAGES
    assert set(PACKAGES) == folders | {"sabot"}


def test_a_shoe_that_is_not_there_is_told(tmp_path: Path) -> None:
    with sabot.open(tmp_path / "new.sabot") as log:
        for ask in (sabot.fold_shoe, sabot.audit):
            with pytest.raises(sabot.NotFound, match="H-9"):
                ask(log, "H-9")
        with pytest.raises(sabot.NotFound):
            sabot.detect(log, shoes=["H-9"])
        with pytest.raises(sabot.NotFound, match="p-8"):
            sabot.detect(log, groups={"team": ["p-8"]})
        with pytest.raises(sabot.BadInput, match="alpha"):
            sabot.detect(log, alpha=1)


def test_a_group_is_checked_before_the_detection(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sabot.infrastructure.api.look", lambda *_: pytest.fail("it ran"))
    with sabot.open(tmp_path / "new.sabot") as log, pytest.raises(sabot.NotFound, match="p-8"):
        sabot.detect(log, groups={"team": ["p-8"]})


def test_a_log_that_is_only_read_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(sabot.BadInput, match="no log"):
        sabot.open(tmp_path / "none.sabot", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_odds_and_roads_refuse_what_makes_no_sense() -> None:
    with pytest.raises(sabot.BadInput, match="one of them"):
        sabot.odds(8, values=[1] * 10)
    with pytest.raises(sabot.BadInput):
        sabot.odds(0)
    with pytest.raises(sabot.NotFound):
        sabot.odds(rules=["no-such-pack"])
    with pytest.raises(sabot.BadInput, match="outcome 3 is 'X'"):
        sabot.roads("BPX")
    assert sabot.roads("").bead_plate == ()
