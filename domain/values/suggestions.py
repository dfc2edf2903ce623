"""Suggestions for misspelt names."""

from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import islice
from typing import Final

from sabot.domain.values.errors import NotFound

_COMPARED: Final = 10_000
"""The most names that are compared; more would take seconds."""


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name with the most similar spelling. None otherwise.

    >>> nearest("Clasic-8", ["classic-6", "classic-8"]) 'classic-8'
    """
    folded = {each.casefold(): each for each in sorted(islice(known, _COMPARED), reverse=True)}
    near = get_close_matches(name[:200].casefold(), folded, n=1)
    return folded[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str], otherwise: str) -> str:
    """Return the question ``did you mean 'NAME'?``, or other advice if no name is similar."""
    near = nearest(name, known)
    return otherwise if near is None else f"did you mean {near!r}?"


def not_in_log(what: str, name: str, known: Iterable[str], advice: str | None = None) -> NotFound:
    """Return the error of a name that the log does not have.

    ``what`` is for example ``shoe``. Without ``advice`` it is the verb that lists such names.
    """
    hint = did_you_mean(name, known, advice or f"list them with: sabot {what}s")
    return NotFound(f"no {what} {name!r} in the log; {hint}")


def not_among(what: str, name: str, known: Sequence[str]) -> NotFound:
    """Return the error of a name that is not in a short list, with the whole list."""
    near = nearest(name, known)
    question = "" if near is None else f"did you mean {near!r}? "
    return NotFound(f"no {what} {name[:100]!r}; {question}choose one of {', '.join(known)}")
