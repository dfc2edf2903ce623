"""Suggestions for misspelt names."""

from collections.abc import Iterable
from difflib import get_close_matches


def nearest(name: str, known: Iterable[str]) -> str | None:
    """Return the known name that is spelt most like a name, or None.

    >>> nearest("clasic-8", ["classic-6", "classic-8"])
    'classic-8'
    """
    folded = {each.casefold(): each for each in sorted(known, reverse=True)}
    near = get_close_matches(name[:200].casefold(), folded, n=1)
    return folded[near[0]] if near else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return the question ``did you mean 'NAME'?``, or an empty text if no name is near."""
    near = nearest(name, known)
    return "" if near is None else f"did you mean {near!r}?"
