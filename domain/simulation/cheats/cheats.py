"""Patrons who know more than the felt shows: what they do with it.

What they know comes through their channel (`sabot.domain.simulation.cheats.knowledge`), what
prepares the cards for it is a scheme (`sabot.domain.simulation.cheats.schemes`). Here is how they
bet on it, and hide it.

Source: the public cases that docs/protection.md lists.
"""

import random
from typing import ClassVar, Final

from sabot.domain.simulation.patrons.habits import Ask, Habit, Moment, Spot, Stakes, side_of

BLOCK: Final = 10
"""Coups in a row for which who plays now and then is at work, or is not."""
_EARLY_COUPS: Final = 12
_ASKS: Final = 0.4


class Knower(Habit, frozen=True, kw_only=True):
    """Bets as his channel tells him, and hides it.

    ``camouflage`` is the share of coups that he plays by whim, here and there; ``works`` the
    share of blocks of ten coups in which the scheme is at work at all. ``spread`` multiplies
    the unit where he knows. Of a ``team`` who take turns, he bets on what he knows at every
    team-th coup, the ``turn``-th, and by whim at the others. What he knows nothing of he plays
    by whim too.
    """

    camouflage: float = 0.0
    works: float = 1.0
    spread: int = 1
    turn: int = 0
    team: int = 1

    rides: ClassVar[bool] = False

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake by what he knows, or by whim where he hides it or knows nothing."""
        wager = read_signal(spot.knows)
        hides = rng.random() < self.camouflage
        if hides or wager not in spot.offered or not self._at_work(spot.coup):
            return {side_of("random", rng): self.unit}
        return {wager: self.unit * self.spread}

    def _at_work(self, coup: int) -> bool:
        block = (coup - 1) // BLOCK
        on = int((block + 1) * self.works + 1e-9) > int(block * self.works + 1e-9)
        return on and coup % self.team == self.turn % self.team


def read_signal(knows: object) -> str:
    """Return the wager that what is known speaks for: its class means Player, else Banker."""
    if isinstance(knows, bool):
        return "player" if knows else "banker"
    return knows if isinstance(knows, str) else ""


class EdgeSorter(Knower, frozen=True, kw_only=True):
    """Reads backs that were turned for him: before he bets he asks for what makes them readable.

    ``silent`` where a spotter at the table does the asking.
    """

    silent: bool = False

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:
        """Ask for the same decks and the machine, then to have lucky cards turned."""
        return () if self.silent else _sorting(spot.coup, rng)


class Spotter(Habit, frozen=True, kw_only=True):
    """Bets the least by whim, and makes the requests by which others profit."""

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake the table's minimum."""
        return {side_of("random", rng): spot.minimum}

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:
        """Ask for what prepares the backs."""
        return _sorting(spot.coup, rng)


def _sorting(coup: int, rng: random.Random) -> tuple[Ask, ...]:
    if coup == 1:
        return (
            Ask("keep-decks", "the same cards for the whole session"),
            Ask("shuffler", "the automatic shuffler, which turns no card"),
        )
    if coup <= _EARLY_COUPS and rng.random() < _ASKS:
        return (Ask("turn-card", "a lucky card, turned end for end before it is discarded"),)
    return ()


class LateMover(Habit, frozen=True, kw_only=True):
    """Bets by whim in time, and once more when it is too late.

    ``share`` is the share of coups at which he tries. ``moment`` is when: ``third``, once four
    cards lie open and the coup is not decided, and then he changes sides by what his channel
    tells him; ``result``, when the winner is plain, and then he doubles a bet that won (caps) or
    takes down one that lost (pinches).
    """

    moment: Moment = "third"
    share: float = 0.5

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002 - what he knows comes later
        """Stake the unit on a whim."""
        return {side_of("random", rng): self.unit}

    def late(self, moment: Moment, wins: str, stakes: Stakes, rng: random.Random) -> Stakes | None:
        """Return what shall lie on the felt now; None leaves it."""
        if moment != self.moment or not wins or rng.random() >= self.share:
            return None
        if moment == "third":
            main = wins if wins in {"player", "banker"} else ""
            return {main: self.unit} if main and main not in stakes else None
        return {wager: 2 * amount for wager, amount in stakes.items() if wager == wins}
