"""The help names values by plain words."""

import re

import pytest
import typer

from sabot.cli.console import guard
from sabot.cli.main import build


def commands(command, name=()):
    yield name
    for known in getattr(command, "commands", {}):
        yield from commands(command.commands[known], (*name, known))


@pytest.mark.parametrize("verb", list(commands(typer.main.get_command(build()))), ids=" ".join)
def test_no_help_names_a_type_of_python(verb, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    assert guard(build(), [*verb, "--help"]) == 0
    said = capsys.readouterr().out
    assert not re.search(r"<(bool|int|float|str|path)\b|list\[|range>", said)
    assert "--help" in said
