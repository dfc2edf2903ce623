"""The verbs of the program with their options, as the text of docs/verbs.md."""

import re
from collections.abc import Iterator
from typing import Any, Final

import typer

from sabot.cli.main import VERBS, build

_INTRODUCTION: Final = """\
# Verbs and options

This page lists every verb of `sabot` with its arguments and options. It is generated from the
program by `python -m tests.docs_text.write_verbs > docs/verbs.md`.

An argument is optional unless it is marked as required. Every verb has `--help`. Many have these
options too:

SHARED
A table or a page of text fits the width of the terminal. In a pipe a page has 80 columns. The
environment variable `COLUMNS` sets another width. A page is at most 100 columns wide.

Exit codes are in the [README](../README.md#a-tour).

In csv and tsv every verb uses the same column names: the titles of the tables in most cases, with
`_` for a blank. A cell has one value, with these exceptions:

- `payload` of `sabot log`, and `remarks` and `counts` of `sabot findings`, are JSON, since their
  keys depend on the row.
- Lists of texts are separated by `; `: `packs`, `decks`, the lists of `sabot rules` (such as
  `games`, `exceptions`, `reads` and `cites`) and `recalled` of `sabot packs`. The `pays` of `sabot
  odds` and the `wagers` of `sabot packs` are separated by `, `, and the cards of a hand by blanks.
- A list of events has two columns: `events_first` is the first event, `events_count` is their
  number. JSON has all of them.

JSON keys are kept for existing programs (`sabot schemas`) and differ from the columns as follows:

- A time in json is a number of microseconds, and its name ends in `_us`. In csv and tsv it is
  ISO 8601, and the name ends in `_at`, or is `at` or `recorded`.
- json nests objects and lists. csv and tsv have a column for each part, such as `money_house` or
  `interval_low`.
- Amounts in json are integers in minor units of the currency, with `minor_units` beside them. In
  csv and tsv they have a decimal point.
- The number of an event in the log is `event` in csv and tsv, and `index` in json, alone or at the
  end of a key: `first_event` is `first_index`.
- The columns `shoe` and `table` of a list of shoes are `name` and `table_name` in json.
  `requirement` of `sabot rules` is `why`, and `rule_packs` of `sabot odds` is `rules`.
- `reads` of `sabot rules` names the events that a finding lists, not all that the rule reads.
- `sabot show` writes the whole layout in json, and one line about it in csv and tsv.
"""
_SHARED: Final = ("--database URL", "-o, --output FILE", "--wide", "--zone ZONE")
"""Options that many verbs have with the same meaning; the verbs' tables only name them."""
_HEAD: Final = "| argument or option | meaning |\n| --- | --- |"
_BLANKS: Final = re.compile(r"\s+")
_HELP: Final = "--help"


def verbs_markdown() -> str:
    """Return docs/verbs.md whole."""
    group = typer.main.get_command(build())
    shared: dict[str, str] = {}
    parts: list[str] = []
    for panel in dict.fromkeys(verb.group for verb in VERBS):
        parts.append(f"## {panel}\n")
        for verb in VERBS:
            if verb.group == panel:
                command = group.commands[verb.name]  # type: ignore[attr-defined]
                parts += _command(command, f"sabot {verb.name}", shared)
    table = "\n".join([_HEAD, *(shared[name] for name in _SHARED)]) + "\n"
    return "\n".join([_INTRODUCTION.replace("SHARED\n", f"{table}\n"), *parts])


def _command(command: Any, name: str, shared: dict[str, str]) -> Iterator[str]:
    """Yield the section of a command, then those of its subcommands.

    Shared options are added to ``shared``, if their meaning is the same everywhere.
    """
    yield f"### {name}\n"
    yield f"{_prose(command.help)}\n"
    context = command.context_class(command, info_name=name)
    rows, named = [], []
    for shown, means in filter(
        None, (each.get_help_record(context) for each in command.get_params(context))
    ):
        row = f"| `{_escaped(shown)}` | {_prose(means)} |"
        if shown in _SHARED and shared.setdefault(shown, row) == row:
            named.append(f"`{shown.split()[-1 if ' ' not in shown else -2]}`")
        elif _HELP not in shown:
            rows.append(row)
    if rows:
        yield "\n".join([_HEAD, *rows]) + "\n"
    if named:
        yield f"Shared options: {', '.join(named)}.\n"
    for below in getattr(command, "commands", {}).values():
        yield from _command(below, f"{name} {below.name}", shared)


def _prose(text: str | None) -> str:
    paragraphs = (text or "").strip().split("\n\n")
    return _escaped("\n\n".join(_BLANKS.sub(" ", part.strip()) for part in paragraphs))


def _escaped(text: str) -> str:
    """Return a text that cannot end a cell of a table."""
    return text.replace("|", "\\|")
