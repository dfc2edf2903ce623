"""Find recorded bets that no rule can settle, because the rule pack lacks their wager."""

from collections import Counter

from sabot.domain.rules.unknown_wager import UnknownWager, unknown_wager
from sabot.domain.state.shoe import Shoe


def unknown_wagers(shoe: Shoe) -> Counter[UnknownWager]:
    """Return the number of bets on each wager that the shoe's rule pack does not offer.

    Empty if the pack cannot be read; a rule reports that.
    """
    pack = shoe.pack
    if pack is None:
        return Counter()
    offered = frozenset(wager.name for wager in pack.wagers)
    names = [
        bet.wager
        for coup in shoe.coups.values()
        for bet in coup.bets.values()
        if bet.wager not in offered
    ]
    return Counter(unknown_wager(name, pack.name, offered) for name in names)
