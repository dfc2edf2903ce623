"""How simulated patrons with hidden knowledge bet.

The knowledge comes from a channel (`sabot.domain.simulation.cheats.knowledge`). A scheme prepares
the cards for the channel (`sabot.domain.simulation.cheats.schemes`). This module decides how cheats
use the knowledge in their bets, and how they hide it.

Source: the public cases that docs/protection.md lists.
"""

import random
from typing import ClassVar, Final

from sabot.domain.simulation.patrons.habits import Ask, Habit, Moment, Spot, Stakes, side_of

BLOCK: Final = 10
"""Number of consecutive coups in which an intermittent cheat is either active or inactive."""
_EARLY_COUPS: Final = 12
_ASKS: Final = 0.4


class Knower(Habit, frozen=True, kw_only=True):
    """Bets by the channel's information, and hides it.

    ``camouflage`` is the share of coups with a random bet. ``works`` is the share of blocks of ten
    coups in which the scheme is active. ``spread`` multiplies the unit on known coups. The members
    of a team may take turns: the cheat then uses the information in coups whose number is ``turn``
    modulo ``team``, the size of the team. In other coups, and without information, the bet is
    random.
    """

    camouflage: float = 0.0
    works: float = 1.0
    spread: int = 1
    turn: int = 0
    team: int = 1

    rides: ClassVar[bool] = False

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake by the information, or at random when hiding or without information."""
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
    """Return the wager that the information favours, or an empty text.

    Information about a class favours Player if the card is in the class, else Banker.
    """
    if isinstance(knows, bool):
        return "player" if knows else "banker"
    return knows if isinstance(knows, str) else ""


class EdgeSorter(Knower, frozen=True, kw_only=True):
    """Reads sorted backs, after requests that make the backs readable.

    If ``silent``, a spotter at the table makes the requests instead.
    """

    silent: bool = False

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:
        """Return the edge sorter's requests, which make the backs readable.

        They ask to keep the decks, to use the shuffler, and then to turn "lucky" cards end for end.
        """
        return () if self.silent else _sorting(spot.coup, rng)


class Spotter(Habit, frozen=True, kw_only=True):
    """Bets the minimum at random, and makes requests that help an edge sorter."""

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:
        """Stake the table's minimum."""
        return {side_of("random", rng): spot.minimum}

    def asks(self, spot: Spot, rng: random.Random) -> tuple[Ask, ...]:
        """Return the requests that an edge sorter makes, such as to keep the decks."""
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
    """Bets at random in time, and changes bets too late.

    ``share`` is the share of coups with an attempt. ``moment`` is when it is made. At ``third``,
    with four cards open and the coup undecided, the bet moves to the side that the channel
    indicates. At ``result``, with the winner known, a winning bet is doubled (capping) or a losing
    bet taken down (pinching).
    """

    moment: Moment = "third"
    share: float = 0.5

    def stakes(self, spot: Spot, rng: random.Random) -> Stakes:  # noqa: ARG002 - what he knows comes later
        """Stake the unit on a random side."""
        return {side_of("random", rng): self.unit}

    def late(self, moment: Moment, wins: str, stakes: Stakes, rng: random.Random) -> Stakes | None:
        """Return the new stakes, or None to leave them unchanged."""
        if moment != self.moment or not wins or rng.random() >= self.share:
            return None
        if moment == "third":
            main = wins if wins in {"player", "banker"} else ""
            return {main: self.unit} if main and main not in stakes else None
        return {wager: 2 * amount for wager, amount in stakes.items() if wager == wins}
