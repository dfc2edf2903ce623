"""A recorded wager that a rule pack does not offer, and the wager that was probably meant."""

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from msgspec import Struct

from sabot.domain.values.suggestions import nearest

_OTHER_NAMES: Final = {
    "tie": ("draw", "égalité", "egalite", "standoff", "stand-off", "equal", "t"),
    "player": ("punto", "ponte", "p"),
    "banker": ("banco", "banque", "bank", "house", "b"),
}
"""Names that other programs use for the three main wagers."""


class UnknownWager(Struct, frozen=True):
    """A recorded wager that the rule pack does not offer.

    ``meant`` is the wager of the pack that was probably meant, or None.
    """

    wager: str
    pack: str
    meant: str | None

    def __str__(self) -> str:
        """Return a message with the wager and the probable one."""
        hint = f"; did you mean {self.meant!r}?" if self.meant is not None else ""
        return f"wager {self.wager!r} is not in {self.pack}{hint}"


@lru_cache(maxsize=256)
def unknown_wager(name: str, pack: str, offered: frozenset[str]) -> UnknownWager:
    """Return a wager that its rule pack does not offer.

    Results are cached: a log that has such a bet often has many.

    Args:
        name: the recorded wager.
        pack: the name of the rule pack.
        offered: the wagers of the pack.
    """
    return UnknownWager(name, pack, _meant(name, offered))


def _meant(name: str, offered: Iterable[str]) -> str | None:
    """Return the wager that a name probably means, or None.

    The name is a synonym or has a similar spelling.
    """
    known = name.casefold()
    for wager in offered:
        if known in _OTHER_NAMES.get(wager, ()):
            return wager
    return nearest(known, offered)
