"""A patron at a simulated table, during a shoe."""

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

    ``share`` is the share of bets settled in the patron's favour: a winning bet is paid twice, a
    losing one is left. ``dealer`` is the dealer who does it; empty for any dealer.
    """

    share: float
    dealer: str = ""


class Patron(Struct, frozen=True, kw_only=True):
    """A patron: name, habit, money and inclinations.

    ``bankroll`` is in minor units. ``sits_out`` is the share of coups without a bet.
    ``quits_ahead`` is the win at which the patron leaves (None: never). ``joins`` is the coup
    before which the patron sits down (0: present from the loading). ``holds`` is the probability of
    taking an offered shoe. A cheat has a ``channel``, and possibly a ``scheme`` that prepares the
    cards and a ``favour`` of the dealer's.

    In games in which patrons bank, ``bank`` is the number of units posted, ``retires`` the
    probability of giving up the bank after a win, ``raises`` the probability of raising it to cover
    the stakes, and ``banco`` the probability of calling banco. ``whim`` is the share of free
    choices made at random.
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
    """The table's main-bet limits and its wagers."""

    minimum: int
    maximum: int
    offered: frozenset[str]


class Sitter:
    """A patron during a shoe, with chips, memory and a random source."""

    def __init__(self, patron: Patron, rng: random.Random) -> None:
        """Create the patron with the full bankroll."""
        self.patron = patron
        self.bankroll = patron.bankroll
        self.mine: list[Played] = []
        self.rng = rng
        self.seated = patron.joins == 0

    @property
    def won(self) -> int:
        """The patron's win since the start, in minor units."""
        return self.bankroll - self.patron.bankroll

    def spot(
        self,
        coup: int,
        limits: TableLimits,
        outcomes: Sequence[Outcome],
        unseen: Sequence[int],
        felt: Sequence[OnFelt],
    ) -> Spot:
        """Return the information that the patron has now."""
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
        """Return the stakes that the patron wants, given those that a tie left on the layout."""
        if riding and self.patron.habit.rides:
            return riding
        if self.patron.sits_out and self.rng.random() < self.patron.sits_out:
            return NOTHING
        return self.patron.habit.stakes(spot, self.rng)

    def leaves(self, minimum: int) -> bool:
        """Return whether the patron leaves, having reached the goal or unable to bet."""
        goal = self.patron.quits_ahead
        return self.bankroll < minimum or (goal is not None and self.won >= goal)

    def settle(self, coup: Coup) -> None:
        """Add the result of a coup, once it is over."""
        stakes: dict[str, int] = {}
        net = 0
        for bet in coup.bets.values():
            if bet.patron == self.patron.name and not bet.withdrawn:
                stakes[bet.wager] = stakes.get(bet.wager, 0) + bet.amount
                net += bet.net
        if stakes:
            self.bankroll += net
            self.mine.append(Played(coup.number, stakes, net))
