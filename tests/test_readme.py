"""The README's tour, command by command, on the demo evening."""

import json
import os
import re
import shlex
import sys
from pathlib import Path

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.support.looked_once import look_once
from tests.support.thorough import slow

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()
COUP = {"shoe": "H-1", "coup": 1, "player": ["4d", "Qs"], "banker": ["Th", "8c"]}
FACT = {"stream": "table/T9", "fact": {"type": "table-opened", "inventory": 1000}}


def tour() -> list[str]:
    """Every line of the README's shell blocks that calls the program, without its remark."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    lines = [line.split("  #")[0].strip() for block in blocks for line in block.splitlines()]
    return [line for line in lines if line.startswith("sabot ")]


def test_the_tour_shows_every_kind_of_user_something() -> None:
    verbs = {line.split()[1] for line in tour()}
    assert {"replay", "audit", "export", "deal", "record", "odds"} <= verbs


def _is_shown(said: str) -> None:
    """Hold the README's excerpt of a case against what the program says."""
    (excerpt,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    for part in excerpt.strip("\n").split("\n\n"):
        assert part in said


@slow
def test_the_tour_can_be_walked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    look_once(monkeypatch)
    (tmp_path / "coups.jsonl").write_text(json.dumps(COUP) + "\n")
    (tmp_path / "reader.jsonl").write_text(json.dumps(FACT) + "\n")
    (casino,) = re.findall(
        r"```toml\n(casino.*?)```", (ROOT / "docs/audit.md").read_text(), re.DOTALL
    )
    (tmp_path / "casino.toml").write_text(casino)
    assert guard(build(), ["demo"]) == 0
    monkeypatch.setenv("SABOT_DATABASE_URL", "demo.sabot")
    monkeypatch.setenv("COLUMNS", "100")
    for line in tour():
        words, _, given = line.partition("<")
        if "--shift" in words:
            monkeypatch.setenv("SABOT_CONFIG", "casino.toml")
        with (tmp_path / given.strip() if given else Path(os.devnull)).open() as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            code = guard(build(), shlex.split(words)[1:])
        said = capsys.readouterr()
        # an evening with mistakes and a cheat ends with findings
        verbs = ("sabot audit", "sabot detect", "sabot report shift-audit")
        finds = words.startswith(verbs) or words == "sabot findings"
        assert code in ((1,) if finds else (0,)), (line, code, said.err)
        if "detect --patron" in words:
            _is_shown(said.out)
        assert said.out or said.err or "-o" in words, line


def test_the_first_screen_claims_no_more_than_holds() -> None:
    """Append-only is enforced by triggers and roles. A holder of all rights can still change it."""
    opening = " ".join(README.split("## See it work")[0].split())
    assert "nobody can change" not in README
    assert "append-only log. Database triggers reject any update or deletion of an event" in opening
    assert "The owner of the database could still bypass both" in opening
