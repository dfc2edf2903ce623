"""Commands in messages, completed with --database so that they can be copied unchanged."""

import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from sabot.infrastructure.database.database_urls import shown_text

VERBS: Final = (
    "tables", "shoes", "patrons", "ledger", "commission", "cards", "log", "show", "replay", "odds",
    "audit", "findings show", "findings ack", "findings comment", "findings dispute",
    "findings resolve", "findings runs", "findings", "report", "explain", "detect", "verify",
    "deal", "record", "import", "simulate", "export", "project", "evidence init",
    "evidence checkpoint", "evidence set-aside", "evidence publish", "evidence prove",
    "names list", "names set", "names erase", "store migrate", "store secure", "store info",
    "store check", "store backup", "store restore", "store isolate", "store accesses",
)  # fmt: skip
"""The verbs that take the log with --database. A verb stands after its subcommands."""

# not `sabot verify FILE`, nor a command that has the option, makes a draft or shows help
_COMMAND: Final = re.compile(
    rf"\bsabot (?>{'|'.join(VERBS)})(?![\w-])(?!(?<=verify) [^-])"
    r"(?! [^`\n]*--(?:database|draft|help))"
)
_OPTION: Final = ContextVar("_OPTION", default="")


@contextmanager
def hints_for(arguments: Sequence[str]) -> Iterator[None]:
    """Complete the commands in messages with the --database of this command line."""
    before = _OPTION.set(_database_option(arguments))
    try:
        yield
    finally:
        _OPTION.reset(before)


def with_database(message: str) -> str:
    """Return a message whose commands read the log of this command line.

    >>> with hints_for(["shoes", "--database", "a.db"]):
    ...     with_database("list them with: sabot shoes; see `sabot packs`, `sabot verify`")
    'list them with: sabot shoes --database a.db; see `sabot packs`, `sabot verify --database a.db`'
    """
    option = _OPTION.get()
    return _COMMAND.sub(lambda command: command[0] + option, message) if option else message


def _database_option(arguments: Sequence[str]) -> str:
    """Return the option --database as it was given, for use in hints.

    A password is left out. If a URL may contain one elsewhere, the whole URL is left out.
    """
    for place, argument in enumerate(arguments):
        name, equals, value = argument.partition("=")
        if name == "--database":
            url = shown_text(value if equals else "".join(arguments[place + 1 : place + 2]))
            option = [f"{name}={url}"] if equals else [name, url]
            return f" {shlex.join(option)}" if url else ""
    return ""
