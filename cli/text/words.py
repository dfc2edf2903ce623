"""Words shared by several kinds of sentences, and messages to standard error."""

import contextlib
import sys
from collections.abc import Callable

from sabot.cli.hints import with_database
from sabot.domain.events import Hand
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.values.money import format_amount as money
from sabot.domain.values.safe_text import printable, to_json

__all__ = ["money", "printable", "to_json"]


def say(message: str) -> None:
    """Write a message to standard error. Its commands get the option --database of this run.

    On a terminal, lines break between words.
    """
    if sys.stderr is None:
        return
    with contextlib.suppress(OSError, ValueError):
        lines = with_database(message).split("\n")
        if sys.stderr.isatty():
            from sabot.cli.text.pages import terminal_width, wrapped  # noqa: PLC0415 - imports rich

            width = terminal_width(sys.stderr)
            lines = [part for line in lines for part in wrapped(line, width)]
        sys.stderr.write("\n".join(map(printable, lines)) + "\n")


def counted(number: int, what: str) -> str:
    """Return a number with its noun.

    >>> counted(1, "shoe"), counted(12197, "event")
    ('1 shoe', '12,197 events')
    """
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def wager_shown(wager: object) -> str:
    """Return the label of a wager as a cell of a table, empty if there is none."""
    return wager_label(wager) if isinstance(wager, str) else ""


Money = Callable[[int], str]
"""A function that writes an amount in minor units in the currency of a pack."""


def by(person: str | None) -> str:
    """Return `` by NAME``, or an empty text if no person is named."""
    return f" by {person}" if person else ""


def in_coup(coup: int | None) -> str:
    """Return ``, in coup N``, or an empty text if no coup is named."""
    return f", in coup {coup}" if coup is not None else ""


def hand_of(hand: Hand, seat: int | None) -> str:
    """Return the name of a hand, with the seat of a patron's own hand."""
    return hand_label(hand, seat)
