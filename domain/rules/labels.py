"""The names of hands, wagers, pay conditions, games, irregularities and rulings in messages.

Rule packs and events store short names such as ``banker-wins``. Messages use these labels.
"""

from typing import Final

from sabot.domain.rules.wagers import Odds, PayLine, Wager
from sabot.domain.values.scalars import Irregularity, Ruling

_WAGERS: Final = {
    "left": "the left tableau",
    "right": "the right tableau",
    "cheval": "both tableaux",
    "hand": "the hand",
    "dragon-bonus-player": "Player Dragon Bonus",
    "dragon-bonus-banker": "Banker Dragon Bonus",
}
"""Wagers whose labels do not follow from their names."""

_HANDS: Final = {
    "player": "Player",
    "banker": "Banker",
    "left": "the left tableau",
    "right": "the right tableau",
}

_IRREGULARITIES: Final[dict[Irregularity, str]] = {
    "wrong-draw": "a wrong draw",
    "card-exposed": "an exposed card",
    "card-face-up": "a card face up in the shoe",
    "card-off-the-table": "a card off the table",
    "misdeal": "a misdeal",
    "too-few-cards": "too few cards",
    "shuffler-fault": "a fault of the shuffler",
    "late-bet": "a late bet",
    "wrong-payment": "a wrong payment",
    "wrong-call": "a wrong call",
    "abandoned-bet": "an abandoned bet",
    "other": "another irregularity",
}

_RULINGS: Final[dict[Ruling, str]] = {
    "none": "no ruling",
    "void": "void the coup",
    "play-on": "play on",
    "burn-card": "burn a card",
    "restore-card": "restore the card",
    "return-bets": "return the bets",
    "stand": "let it stand",
    "no-bet-hand": "deal on without bets",
    "card-to-banker": "give the card to Banker",
    "other": "another measure",
}

CONDITION_LABELS: Final[dict[str, str]] = {
    "player-wins": "Player wins",
    "banker-wins": "Banker wins",
    "tie": "tie",
    "tie-on-6": "tie on 6",
    "banker-wins-on-6": "Banker wins on 6",
    "banker-wins-on-two-card-6": "Banker wins on a two-card 6",
    "banker-wins-on-three-card-6": "Banker wins on a three-card 6",
    "banker-wins-on-three-card-7": "Banker wins on a three-card 7",
    "player-wins-on-three-card-8": "Player wins on a three-card 8",
    "player-pair": "Player pair",
    "banker-pair": "Banker pair",
    "either-pair": "at least one pair",
    "perfect-pair": "at least one perfect pair",
    "two-perfect-pairs": "two perfect pairs",
    "four-cards": "four cards",
    "five-or-six-cards": "five or six cards",
    "player-wins-on-natural": "Player wins on a natural",
    "banker-wins-on-natural": "Banker wins on a natural",
    "naturals-tie": "tie of naturals",
    **{f"player-wins-by-{margin}": f"Player wins by {margin}" for margin in range(1, 10)},
    **{f"banker-wins-by-{margin}": f"Banker wins by {margin}" for margin in range(1, 10)},
    "wing-wins": "the tableau wins",
    "wing-ties": "the tableau ties",
    "hand-wins": "the hand wins",
    "hand-wins-with-pair": "the hand wins with a pair",
    "hand-wins-on-natural-9": "the hand wins with a natural 9",
    "hand-wins-on-natural-8": "the hand wins with a natural 8",
    "hand-ties": "the hands are equal",
}
"""Each condition of the games in words."""


def wager_label(name: str) -> str:
    """Return the label of a wager.

    >>> wager_label("banker"), wager_label("dragon-7"), wager_label("left")
    ('Banker', 'Dragon 7', 'the left tableau')
    """
    return _WAGERS.get(name) or name.replace("-", " ").title()


def hand_label(hand: str, seat: int | None = None) -> str:
    """Return the label of a hand, with the seat of a patron's own hand.

    >>> hand_label("banker"), hand_label("right"), hand_label("patron", 3)
    ('Banker', 'the right tableau', 'the hand at seat 3')
    """
    return _HANDS.get(hand, f"the {hand} hand") if seat is None else f"the hand at seat {seat}"


def irregularity_label(kind: Irregularity) -> str:
    """Return an irregularity in words.

    >>> irregularity_label("card-exposed")
    'an exposed card'
    """
    return _IRREGULARITIES[kind]


def ruling_label(ruling: Ruling) -> str:
    """Return a ruling in words.

    >>> ruling_label("burn-card")
    'burn a card'
    """
    return _RULINGS[ruling]


def game_label(game: str) -> str:
    """Return the name of a game.

    >>> game_label("chemin-de-fer")
    'chemin de fer'
    """
    return game.replace("-", " ")


def condition_label(name: str) -> str:
    """Return a pay condition in words."""
    return CONDITION_LABELS.get(name) or name.replace("-", " ")


def percent_label(share: float, form: str = ".2%") -> str:
    """Return a share in percent, for example ``4.93 %``."""
    return f"{share:{form}}".replace("%", " %")


def odds_label(pays: Odds) -> str:
    """Return odds in words.

    >>> odds_label("8:1"), odds_label("push")
    ('8 to 1', 'push')
    """
    return pays.replace(":", " to ")


def payout_label(wager: Wager, line: PayLine) -> str:
    """Return what a wager pays on a line, as ``Tie pays 8 to 1``.

    The condition is added where the wager has several lines that pay, and where the stake is
    pushed.
    """
    name, condition = wager_label(wager.name), condition_label(line.on)
    if line.pays == "push":
        return "on a tie the bet is pushed" if line.on == "tie" else f"{name} pushes: {condition}"
    several = sum(each.pays != "push" for each in wager.lines) > 1
    return f"{name} pays {odds_label(line.pays)}" + (f" ({condition})" if several else "")
