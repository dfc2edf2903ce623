"""The interface that every game implements."""

from abc import ABC, abstractmethod
from typing import ClassVar

from sabot.domain import events as ev
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


class Game(ABC):
    """A game: the next action at its table, and what is due to each bet.

    See `sabot.domain.procedure.games`.
    """

    name: ClassVar[GameName]
    hands: ClassVar[tuple[ev.Hand, ...]]
    events: ClassVar[frozenset[type[ev.Event]]]
    rulings: ClassVar[frozenset[ev.Ruling]] = frozenset()

    @abstractmethod
    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Return the next action while this coup is open."""

    def before_cards(self, shoe: Shoe) -> NextAction | None:  # noqa: ARG002 - most games ask nothing
        """Return the action due before the shuffle or the cut. None otherwise."""
        return None

    def before_coup(self, shoe: Shoe) -> NextAction | None:  # noqa: ARG002 - most games ask nothing
        """Return the action due before the next coup may be opened, or None."""
        return None

    def before_end(self, shoe: Shoe) -> NextAction | None:  # noqa: ARG002 - most games ask nothing
        """Return the action due before a finished shoe is removed. None otherwise."""
        return None

    @abstractmethod
    def draws(self, shoe: Shoe, coup: Coup) -> bool:
        """Return whether a hand is due a card now."""

    @abstractmethod
    def due_bets(self, shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
        """Return the open bets with the amounts due to them, in order of settlement."""

    @abstractmethod
    def is_dealt(self, shoe: Shoe, coup: Coup) -> bool:
        """Return whether every hand has its first cards."""

    @abstractmethod
    def due(self, shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a bet of this stake. None if it cannot be determined."""
