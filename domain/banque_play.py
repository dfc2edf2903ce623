"""Where somebody chooses at baccarat banque, as `domain.strategy.banque` names it.

The strategy knows totals, third cards and shares; here they are read off a coup.
"""

from fractions import Fraction
from typing import Final

from domain.banking import standing
from domain.cards import VALUE, total
from domain.coup import Coup
from domain.strategy.banque import BanqueSolution, Five
from domain.strategy.banque_payoff import Place, Shown, banque_game
from domain.strategy.banque_solving import solve_banque
from domain.strategy.payoff import REPLACED
from domain.tableaux import cards_on, parts_of
from domain.wings import WINGS, Wing, natural

_HALF: Final = Fraction(1, 2)


def shown(coup: Coup, wing: Wing) -> Shown:
    """Return what a wing has shown by now; one that has not drawn stood."""
    cards = cards_on(coup, wing)
    if natural(cards):
        return "natural"
    return VALUE[cards[2]] if len(cards) > 2 else "stood"  # noqa: PLR2004 - a third card


def split_of(coup: Coup) -> Fraction:
    """Return right's share of what lies against the bank; a half where nothing does."""
    on = dict.fromkeys(WINGS, 0)
    for bet in standing(coup):
        for wing, amount in parts_of(bet).items():
            on[wing] += amount
    whole = sum(on.values())
    return Fraction(on["right"], whole) if whole else _HALF


def place_of(coup: Coup) -> Place:
    """Return where the banker is when he chooses."""
    own = total(coup.banker[:2])
    return Place((own,), shown(coup, "right"), shown(coup, "left"))


def five_of(coup: Coup, wing: Wing) -> Five:
    """Return where a wing is that has 5; right does not see more of left than a natural."""
    if wing == "left":
        return Five("left", shown(coup, "right"))
    return Five("right", "natural" if natural(cards_on(coup, "left")) else None)


def equilibrium(split: Fraction) -> BanqueSolution:
    """Return an equilibrium where everybody knows totals alone, and every card comes back.

    Raises:
        BadInput: none was found for this split.
    """
    return solve_banque(banque_game(REPLACED), split)
