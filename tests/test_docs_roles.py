"""The commands on the pages by role exist, with their options."""

import os
import re
import shlex
import subprocess
import sys
from contextvars import copy_context
from pathlib import Path

import pytest
import typer

from sabot.cli.main import build
from tests.support.faulty_log import FOUND, recorded
from tests.support.thorough import slow

ROLES = sorted((Path(__file__).parent.parent / "docs" / "roles").glob("*.md"))


def commands(page):
    """The command lines of a page's shell blocks, without comments and redirections."""
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    lines = [line.partition("<")[0] for block in blocks for line in block.splitlines()]
    return [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("sabot ")]


@slow
def test_the_commands_for_integrators_run_as_they_stand(tmp_path):
    """The page makes the files that it reads, and writes into a log of its own."""
    page = next(each for each in ROLES if each.stem == "integrator")
    blocks = re.findall(r"```sh\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    recorded(str(tmp_path / "demo.sabot"))
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    known = {**os.environ, "PATH": path, "SABOT_DATABASE_URL": "demo.sabot"}
    before = (tmp_path / "demo.sabot").read_bytes()
    for block in blocks:
        shell = ["sh", "-c", block]
        ran = subprocess.run(
            shell, cwd=tmp_path, env=known, capture_output=True, text=True, check=False, timeout=60
        )
        assert ran.returncode < 2, ran.stderr
    assert (tmp_path / "demo.sabot").read_bytes() == before


@pytest.mark.parametrize("page", ROLES, ids=[page.stem for page in ROLES])
def test_every_command_is_understood(page):
    command, words = typer.main.get_command(build()), []
    for line in commands(page):
        name, found, words = command.resolve_command(None, line)
        while getattr(found, "commands", None) and words and words[0] in found.commands:
            name, found = words[0], found.commands[words[0]]
            words = words[1:]
        # options keep what was asked for in context variables
        copy_context().run(found.make_context, name, words)


def test_the_programs_for_python_developers_run(capsys, monkeypatch, tmp_path):
    page = next(each for each in ROLES if each.stem == "python-developer")
    monkeypatch.chdir(tmp_path)
    recorded("demo.sabot")
    known = {}
    for block in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
        exec(block, known)
    out = capsys.readouterr().out.splitlines()
    assert len([line for line in out if " H-1 " in line]) == len(FOUND)
    assert f"Unresolved findings {len(FOUND)}" in out
    assert "Unresolved findings" in (tmp_path / "shift.html").read_text(encoding="utf-8")


def test_every_page_is_linked_in_the_readme():
    readme = (ROLES[0].parents[2] / "README.md").read_text(encoding="utf-8")
    assert len(ROLES) == 6
    assert all(f"(docs/roles/{page.name})" in readme for page in ROLES)
