"""Nash equilibrium of baccarat banque between the banker and the two tableaux.

With two tableaux the game has three players. The banker may win from one tableau and lose to the
other, so no player has a minimax value. The solution is a Nash equilibrium: no player can gain by
changing their own play alone. Ethier and Lee 2015 prove that one exists; there may be others, and
none is claimed to be the best. `sabot.domain.odds.optimal_play.banque_solver` finds it;
``BanqueSolution.regret`` proves it, independently of the search.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cached_property
from typing import Final

from msgspec import Struct

from sabot.domain.odds.optimal_play.banque_game import (
    THIRDS,
    BanqueGame,
    Form,
    Place,
    Shown,
    Tableau,
    Terms,
)
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import Worth
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.values.errors import BadInput


class Five(Struct, frozen=True, gc=False):
    """A tableau's position with a total of 5, including what the other tableau has shown.

    Right plays first: its ``sees`` is ``natural`` if left has a natural, otherwise None.
    """

    tableau: Tableau
    sees: Shown | None


RIGHT: Final = Five("right", None)
RIGHT_ALONE: Final = Five("right", "natural")
LEFT_ALONE: Final = Five("left", "natural")
FIVES: Final = (RIGHT, RIGHT_ALONE, *(Five("left", shown) for shown in THIRDS), LEFT_ALONE)
"""Every position in which a tableau may choose."""


class BanqueSolution:
    """An equilibrium: probabilities of drawing and the resulting values.

    ``split`` is right's share of the total stakes.
    """

    def __init__(
        self,
        game: BanqueGame,
        split: Fraction,
        fives: Mapping[Five, Fraction],
        banker: Mapping[Place, Fraction],
    ) -> None:
        """Store the probabilities of drawing of all three players."""
        self.game = game
        self.split = split
        self.fives = dict(fives)
        self.banker = dict(banker)

    def value(self, tableau: Tableau) -> Fraction:
        """Return a tableau's average win per unit staked on it."""
        won = sum(
            (
                (1 - self.banker[place]) * stand.at(*chances)
                + self.banker[place] * draw.at(*chances)
                for place, terms in self.game.places.items()
                for stand, draw in [won_by(terms, tableau)]
                for chances in [self._chances(place)]
            ),
            Fraction(self.game.ended[tableau]),
        )
        return won / self.game.total

    @property
    def bank(self) -> Fraction:
        """The banker's average win per unit on both tableaux."""
        return -(self.split * self.value("right") + (1 - self.split) * self.value("left"))

    @cached_property
    def regret(self) -> dict[str, Fraction]:
        """By how much a best response could improve each player. It is 0 in an equilibrium.

        The players are ``right``, ``left`` and ``banker``. A tableau's gain is in units staked on
        it; the banker's is in units staked on both.
        """
        regret = {"right": Fraction(0), "left": Fraction(0), "banker": Fraction(0)}
        for five, chance in self.fives.items():
            gain = self.gain(five)
            regret[five.tableau] += max(gain, Fraction(0)) - chance * gain
        for place, terms in self.game.places.items():
            stand, draw = (self._bank_wins(terms, place, drawing) for drawing in (False, True))
            chance = self.banker[place]
            regret["banker"] += max(stand, draw) - (1 - chance) * stand - chance * draw
        return {who: each / self.game.total for who, each in regret.items()}

    def gain(self, five: Five) -> Fraction:
        """Return how much a tableau gains by drawing on 5 instead of standing.

        It is summed over all card sequences.
        """
        won = Fraction(0)
        for place, terms in seen_from(five, self.game):
            chance, other = self.banker[place], self._other(five, place)
            stand, draw = won_by(terms, five.tableau)
            won += (1 - chance) * stand.slope(five.tableau, other)
            won += chance * draw.slope(five.tableau, other)
        return won

    def worth(self, place: Place) -> Worth:
        """Return the banker's values of standing and of drawing, against the tableaux' play.

        They are in units staked on both tableaux together, and include the loss on a natural
        already paid.

        Raises:
            BadInput: there is no such place, or no coup reaches it.
        """
        terms = self.game.places.get(place)
        reach = terms.reach.at(*self._chances(place)) if terms else Fraction(0)
        if terms is None or not reach:
            raise BadInput(f"no coup comes to the banker's {place.name} there; nobody chooses")
        return Worth(
            draw=self._bank_wins(terms, place, drawing=True) / reach,
            stand=self._bank_wins(terms, place, drawing=False) / reach,
            reach=reach / self.game.total,
        )

    def loss(self, place: Place | Five, choice: Choice) -> Fraction:
        """Return the average cost of a choice.

        It is conditional on reaching the place, and 0 for the best choice. A tableau's cost is in
        units staked on it, the banker's in units staked on both together.

        Raises:
            BadInput: there is no such place, or no coup reaches it.
        """
        if isinstance(place, Place):
            worth = self.worth(place)
            return worth.best - worth.of(choice)
        if place not in self.fives:
            raise BadInput(f"{place.tableau} has nothing to choose there")
        reach = sum(
            (
                terms.reach.slope(place.tableau, self._other(place, at))
                for at, terms in seen_from(place, self.game)
                if isinstance(at.right if place.tableau == "right" else at.left, int)
            ),
            Fraction(0),
        )
        if not reach:
            raise BadInput(f"no coup comes to {place.tableau}'s 5 there; nobody chooses")
        gain = self.gain(place) / reach
        return max(Fraction(0), gain if choice == "stand" else -gain)

    def _chances(self, place: Place) -> tuple[Fraction, Fraction]:
        """Return with which probabilities right and left draw on 5 in a place."""
        right = RIGHT_ALONE if place.left == "natural" else RIGHT
        return self.fives[right], self.fives[Five("left", place.right)]

    def _other(self, five: Five, place: Place) -> Fraction:
        right, left = self._chances(place)
        return left if five.tableau == "right" else right

    def _bank_wins(self, terms: Terms, place: Place, drawing: bool) -> Fraction:
        chances = self._chances(place)
        right, left = (
            won_by(terms, tableau)[drawing].at(*chances) for tableau in ("right", "left")
        )
        return -(self.split * right + (1 - self.split) * left)


def won_by(terms: Terms, tableau: Tableau) -> tuple[Form, Form]:
    """Return a tableau's win for each choice of the banker: stand, then draw."""
    if tableau == "right":
        return terms.right_stand, terms.right_draw
    return terms.left_stand, terms.left_draw


def seen_from(five: Five, game: BanqueGame) -> Iterator[tuple[Place, Terms]]:
    """Yield the banker's places that can follow a tableau's choice on 5."""
    for place, terms in game.places.items():
        if five.tableau == "left":
            led = place.right == five.sees and place.left != "natural"
        else:
            led = place.right != "natural" and (place.left == "natural") == (five == RIGHT_ALONE)
        if led:
            yield place, terms
