"""No verb imports anything from the folder in which it is run.

The program is started as its installed script starts it: the script's folder is on the path of
modules, the current folder is not.
"""

import os
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SCRIPT = (
    "import sys\nfrom sabot.cli.main import run\nif __name__ == '__main__':\n    sys.exit(run())\n"
)
OURS = ("cli", "domain", "infrastructure")


def trap(path, caught):
    path.write_text(f"open({str(caught)!r}, 'a').write(__name__ + '\\n')\nraise SystemExit(99)\n")


@pytest.fixture
def folder(tmp_path):
    """A folder with a trap for each module of the standard library, of ours, and of others."""
    cwd, caught = tmp_path / "cwd", tmp_path / "caught"
    cwd.mkdir()
    others = {name for name in packages_distributions() if name.isidentifier()}
    for name in sorted(sys.stdlib_module_names | others | {"sitecustomize", "usercustomize"}):
        trap(cwd / f"{name}.py", caught)
    for name in OURS:
        (cwd / f"{name}.py").unlink(missing_ok=True)
        (cwd / name).mkdir()
        trap(cwd / name / "__init__.py", caught)
    return cwd


@pytest.fixture
def sabot(tmp_path):
    """The program, run in a folder; it may not import anything from there."""
    script = tmp_path / "bin" / "sabot"
    script.parent.mkdir()
    script.write_text(SCRIPT)

    def run(cwd, *arguments, flags=(), codes=(0,), **environment):
        done = subprocess.run(
            [sys.executable, *flags, script, *arguments],
            cwd=cwd,
            env=os.environ | {"PYTHONPATH": str(ROOT)} | environment,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        caught = tmp_path / "caught"
        assert not caught.exists(), f"{arguments}: {caught.read_text()}{done.stderr}"
        assert done.returncode in codes, f"{arguments}: {done.stdout}{done.stderr}"
        return done

    return run


def test_no_verb_imports_from_the_current_folder(folder, sabot):
    evening = ("--database", "evening.db")
    sabot(folder, "simulate", "--shoes", "4", "--seed", "1", *evening)
    alone = sabot(folder, "audit", *evening, "--format", "json", codes=(0, 1))
    shared = sabot(folder, "audit", "--workers", "2", *evening, "--format", "json", codes=(0, 1))
    assert shared.stdout == alone.stdout
    sabot(folder, "audit", *evening, "--format", "html", "--output", "a.html", codes=(0, 1))
    sabot(folder, "audit", *evening, "--format", "sarif", codes=(0, 1))
    sabot(folder, "detect", *evening, codes=(0, 1))
    sabot(folder, "detect", *evening, "--format", "html", "--output", "d.html", codes=(0, 1))
    sabot(folder, "export", *evening, "--output", "evening.jsonl")
    sabot(folder, "import", "evening.jsonl", "--database", "again.db")
    sabot(folder, "project", *evening)
    sabot(folder, "record", *evening)
    sabot(folder, "store", "info", *evening)
    for verb in ("shoes", "log"):
        sabot(folder, verb, *evening)
    for verb in ("odds", "packs", "rules", "--help", "--version"):
        sabot(folder, verb)


def test_workers_start_nothing_that_an_interpreter_without_environment_would_not(folder, sabot):
    """``python -E`` ignores what keeps a worker from the current folder: there is then none."""
    # an installed program is found without PYTHONPATH
    reach = f"import sys; sys.path.insert(1, {str(ROOT)!r})\n"
    script = folder.parent / "bin" / "sabot"
    script.write_text(reach + SCRIPT)
    evening = ("--database", "evening.db")
    sabot(folder, "simulate", "--shoes", "2", "--seed", "1", *evening)
    sabot(folder, "audit", "--workers", "2", *evening, flags=("-E",), codes=(0, 1))
    sabot(folder, "audit", "--workers", "2", *evening, flags=("-I",), codes=(0, 1))


def test_a_source_tree_that_is_not_installed_has_workers(tmp_path):
    """For development: the current folder is on the path because ``python -c`` was typed there."""
    url = str(tmp_path / "evening.db")
    for arguments in (
        ("simulate", "--shoes", "2", "--seed", "1", "--database", url),
        ("audit", "--workers", "2", "--database", url),
    ):
        done = subprocess.run(
            [sys.executable, "-c", "from sabot.cli.main import run; run()", *arguments],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode in (0, 1), done.stderr
