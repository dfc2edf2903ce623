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

from tests.support.faulty_log import clean_shoe, recorded
from tests.support.thorough import slow

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
    """The program, run in a folder. It may not import anything from there."""
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


EVENING = ("--database", "evening.db")
AUDIT = ("audit", *EVENING, "--format", "json")
VERBS = (
    ("simulate", "--shoes", "1", "--seed", "1", "--database", "other.db"),
    (*AUDIT, "--output", "alone.json"),
    (*AUDIT, "--output", "shared.json", "--workers", "2"),
    ("audit", *EVENING, "--format", "html", "--output", "a.html"),
    ("audit", *EVENING, "--format", "sarif"),
    ("detect", *EVENING),
    ("detect", *EVENING, "--format", "html", "--output", "d.html"),
    ("export", *EVENING, "--output", "evening.jsonl"),
    ("import", "evening.jsonl", "--database", "again.db"),
    ("project", *EVENING),
    ("record", *EVENING),
    ("store", "info", *EVENING),
    ("shoes", *EVENING),
    ("log", *EVENING),
    *((verb,) for verb in ("odds", "packs", "rules", "--help", "--version")),
)
ALL_VERBS = f"""\
import sys
from sabot.cli.main import run
if __name__ == "__main__":
    for arguments in {VERBS!r}:
        sys.argv[1:] = arguments
        try:
            code = run()
        except SystemExit as ended:
            code = ended.code
        if code not in (0, 1):
            sys.exit(f"{{arguments}}: {{code}}")
"""


def two_shoes(path):
    """Record shoes in which nothing is wrong."""
    recorded(str(path), clean_shoe("H-1"), clean_shoe("H-2"))


@slow
def test_no_verb_imports_from_the_current_folder(folder, sabot):
    two_shoes(folder / "evening.db")
    # one program runs them: what a verb imports first is looked for where its own would look
    (folder.parent / "bin" / "sabot").write_text(ALL_VERBS)
    sabot(folder)
    assert (folder / "shared.json").read_bytes() == (folder / "alone.json").read_bytes()


@slow
def test_workers_start_nothing_that_an_interpreter_without_environment_would_not(folder, sabot):
    """``python -E`` ignores what keeps a worker from the current folder: there is then none."""
    # an installed program is found without PYTHONPATH
    reach = f"import sys; sys.path.insert(1, {str(ROOT)!r})\n"
    script = folder.parent / "bin" / "sabot"
    script.write_text(reach + SCRIPT)
    two_shoes(folder / "evening.db")
    sabot(folder, "audit", "--workers", "2", *EVENING, flags=("-E",))
    sabot(folder, "audit", "--workers", "2", *EVENING, flags=("-I",))


@slow
def test_a_source_tree_that_is_not_installed_has_workers(tmp_path):
    """For development: the current folder is on the path because ``python -c`` was typed there."""
    two_shoes(tmp_path / "evening.db")
    program = "from sabot.cli.main import run; run()"
    audit = ("audit", "--workers", "2", "--database", str(tmp_path / "evening.db"))
    done = subprocess.run(
        [sys.executable, "-c", program, *audit],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
