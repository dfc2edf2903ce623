"""Find recorded bets that no rule can settle.

Their wager is not in the rule pack of the shoe.
"""

from collections import Counter
from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from sabot.domain.state.shoe import Shoe
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


def unknown_wagers(shoe: Shoe) -> Counter[UnknownWager]:
    """Return the number of bets on each unknown wager.

    The shoe's rule pack does not offer these wagers. Empty if the pack cannot be read: a rule
    reports that.
    """
    pack = shoe.pack
    if pack is None:
        return Counter()
    offered = {wager.name for wager in pack.wagers}
    names = [
        bet.wager
        for coup in shoe.coups.values()
        for bet in coup.bets.values()
        if bet.wager not in offered
    ]
    return Counter(UnknownWager(name, pack.name, meant_wager(name, offered)) for name in names)


def meant_wager(name: str, offered: Iterable[str]) -> str | None:
    """Return the wager that a name probably means, or None.

    The name is a synonym or has a similar spelling.
    """
    known = name.casefold()
    for wager in offered:
        if known in _OTHER_NAMES.get(wager, ()):
            return wager
    return nearest(known, offered)
