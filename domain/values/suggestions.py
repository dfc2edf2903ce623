"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches
from itertools import islice
from typing import Final

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
