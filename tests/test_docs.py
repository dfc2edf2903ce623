"""The pages of docs/ match the program."""

import re
from pathlib import Path
from typing import Any

import typer

from sabot.cli.main import build
from sabot.domain.rules.macao_hands import CONDITIONS as HAND_CONDITIONS
from sabot.domain.rules.tableau_hands import CONDITIONS as TABLEAU_CONDITIONS
from sabot.domain.rules.wagers import CONDITIONS

DOCS = Path(__file__).parent.parent / "docs"


def test_every_condition_is_told() -> None:
    told = (DOCS / "rule-packs.md").read_text()
    listed = set(
        re.findall(r"`([a-z0-9-]+)`", told[told.index("Conditions:") : told.index("## Sources")])
    )
    for side in ("player", "banker"):
        listed |= {f"{side}-wins-by-{margin}" for margin in range(1, 10)}
    assert {*CONDITIONS, *HAND_CONDITIONS, *TABLEAU_CONDITIONS} == listed - {"-9"}


def test_every_command_of_running_sabot_exists() -> None:
    """Each verb is one of the program, and has the options that stand behind it."""
    told = (DOCS / "running.md").read_text()
    commands = re.findall(r"^sabot (.*)$", told, re.MULTILINE)
    commands += re.findall(r"`sabot ([^`]+)`", told)
    commands += re.findall(r"^  docker compose run .* migrate \\\n *(.*)$", told, re.MULTILINE)
    assert len(commands) > 30
    for words in (command.split() for command in commands):
        command: Any = typer.main.get_command(build())
        while words and hasattr(command, "commands"):
            command = command.commands[words.pop(0)]
        options = {name for option in command.params for name in option.opts}
        assert {word for word in words if word.startswith("--")} <= options, words
