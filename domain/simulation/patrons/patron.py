"""A patron at a simulated table, and what the dealer keeps of him while a shoe lives."""

import random
from collections.abc import Sequence

from msgspec import Struct

from sabot.domain.events import Outcome
from sabot.domain.simulation.cheats.knowledge import Channel
from sabot.domain.simulation.cheats.schemes import Scheme
from sabot.domain.simulation.patrons.habits import NOTHING, Habit, OnFelt, Played, Spot, Stakes
from sabot.domain.state.coup_state import Coup


class Favour(Struct, frozen=True):
    """How a dealer favours a patron.

    ``share`` is the share of his bets of which he has more than is due: a winning one is paid
    twice, a losing one is left. ``dealer`` is who does it; without a name, whoever deals.
    """

    share: float
    dealer: str = ""


class Patron(Struct, frozen=True, kw_only=True):
    """Who plays how.

    ``bankroll`` is in minor units. ``sits_out`` is the share of coups without a bet;
    ``quits_ahead`` what he wants to win before he leaves (None: he stays). ``joins`` is the
    coup before which he sits down (0: he is there when the shoe is loaded). ``holds`` is how
    likely he takes the shoe when it is offered. A cheat has a ``channel``, and perhaps a
    ``scheme`` that prepares the cards for him and a ``favour`` of the dealer's.

    Where patrons bank, ``bank`` is how many units he puts up, ``retires`` how likely he gives
    the bank up after a coup that it won, ``raises`` how likely he raises it to cover the stakes,
    ``banco`` how likely he goes bank. ``whim`` is the share of free choices that he tosses a coin
    for.
    """

    name: str
    seat: int
    habit: Habit
    bankroll: int = 1_000_000
    channel: Channel | None = None
    scheme: Scheme | None = None
    favour: Favour | None = None
    sits_out: float = 0.0
    quits_ahead: int | None = None
    joins: int = 0
    holds: float = 0.8
    bank: int = 4
    retires: float = 0.2
    raises: float = 0.5
    banco: float = 0.05
    whim: float = 0.0


class TableLimits(Struct, frozen=True):
    """What stands at the table for every patron: its limits on the main bets, and its wagers."""

    minimum: int
    maximum: int
    offered: frozenset[str]


class Sitter:
    """A patron in a shoe: his chips, his memory and his own random source."""

    def __init__(self, patron: Patron, rng: random.Random) -> None:
        """Seat him with his bankroll."""
        self.patron = patron
        self.bankroll = patron.bankroll
        self.mine: list[Played] = []
        self.rng = rng
        self.seated = patron.joins == 0

    @property
    def won(self) -> int:
        """What he is ahead (or behind, negative) since he sat down, in minor units."""
        return self.bankroll - self.patron.bankroll

    def spot(
        self,
        coup: int,
        limits: TableLimits,
        outcomes: Sequence[Outcome],
        unseen: Sequence[int],
        felt: Sequence[OnFelt],
    ) -> Spot:
        """Return what he could know now."""
        return Spot(
            coup=coup,
            outcomes=outcomes,
            unseen=unseen,
            bankroll=self.bankroll,
            won=self.won,
            minimum=limits.minimum,
            maximum=limits.maximum,
            offered=limits.offered,
            felt=felt,
            mine=self.mine,
        )

    def wants(self, spot: Spot, riding: Stakes) -> Stakes:
        """Say what shall lie on the felt for him, given what a tie left there."""
        if riding and self.patron.habit.rides:
            return riding
        if self.patron.sits_out and self.rng.random() < self.patron.sits_out:
            return NOTHING
        return self.patron.habit.stakes(spot, self.rng)

    def leaves(self, minimum: int) -> bool:
        """Tell whether he has had enough, or has no stake left."""
        goal = self.patron.quits_ahead
        return self.bankroll < minimum or (goal is not None and self.won >= goal)

    def settle(self, coup: Coup) -> None:
        """Take in what a coup brought him, once it is over."""
        stakes: dict[str, int] = {}
        net = 0
        for bet in coup.bets.values():
            if bet.patron == self.patron.name and not bet.withdrawn:
                stakes[bet.wager] = stakes.get(bet.wager, 0) + bet.amount
                net += bet.net
        if stakes:
            self.bankroll += net
            self.mine.append(Played(coup.number, stakes, net))
