"""The attacks of docs/evidence.md are found with the messages shown there."""

import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.faulty_log import sabot
from tests.support.thorough import slow

TOLD = (Path(__file__).parent.parent / "docs/evidence.md").read_text()
EXAMPLES = TOLD.partition("**Example attacks.**")[2].partition("**Kills and power cuts.**")[0]
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", EXAMPLES, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("store", ["sqlite", "postgresql"])
def test_the_page_says_what_the_tampering_corpus_counted(store: str) -> None:
    page = Path(__file__).parent.parent / f"benchmarks/counts/tampering.{store}.tsv"
    rows = [line.split("\t") for line in page.read_text().splitlines()[1:]]
    cases = sum(int(number) for *_, number in rows)
    assert f"{cases:,} cases on SQLite and {cases:,} on PostgreSQL" in " ".join(TOLD.split())
    missed = {kind for kind, _, result, _ in rows if result in {"not found", "no checkpoint"}}
    assert missed == {"end cut off", "actor changed, its checkpoints removed"}
    wrongly = sum(int(number) for _, _, result, number in rows if result == "elsewhere")
    assert wrongly == 4
    assert "Four changes were found, but located wrongly" in " ".join(TOLD.split())


def change(log: str, statements: str) -> None:
    """Drop the triggers, run statements, and create the triggers again."""
    with closing(sqlite3.connect(log)) as connection:
        triggers = connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type = 'trigger'"
        ).fetchall()
        drops = [f"DROP TRIGGER {name}" for name, _ in triggers]
        connection.executescript(";\n".join(drops) + f";\n{statements}")
        for _, text in triggers:
            connection.execute(text)
        connection.commit()


def in_shell(commands: str) -> None:
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-euc", commands], env={**os.environ, "PATH": path}, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@slow
def test_each_attack_is_found_as_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (_, made), *attacks = BLOCKS
    in_shell(made)
    assert sabot("verify", "--database", "old.sabot") == 0
    told = re.sub(r"^sabot/\w+", "sabot/5d3f…", capsys.readouterr().err)
    assert f"$ sabot verify --database copy.sabot\n{told}```" in TOLD
    shutil.copy("demo.sabot", "log.sabot")
    kinds = [kind for kind, _ in attacks]
    assert kinds == ["sql", "text"] * 3 + ["sh", "text"]
    for (kind, attack), (_, messages) in zip(attacks[::2], attacks[1::2], strict=True):
        shutil.copy("log.sabot", "demo.sabot")
        if kind == "sql":
            change("demo.sabot", attack)
        else:
            in_shell(attack)
        words = ("--database", "demo.sabot", "--published", "public", "--format", "json")
        assert sabot("verify", *words) == 3, attack
        found = json.loads(capsys.readouterr().out)["problems"]
        assert [each["message"] for each in found] == messages.splitlines(), attack
        assert sabot("verify", "--database", "demo.sabot") == 3, attack
        shutil.copy("demo.sabot", "elsewhere.sabot")
        assert sabot("verify", "--database", "elsewhere.sabot") == (
            3 if "UPDATE log_event" in attack else 0
        )
        capsys.readouterr()
