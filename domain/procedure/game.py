"""What a game is: the one shape in which every game here is described."""

from abc import ABC, abstractmethod
from typing import ClassVar

from sabot.domain import events as ev
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


class Game(ABC):
    """A game: what is due at its table, and what it owes. See `sabot.domain.procedure.games`."""

    name: ClassVar[GameName]
    hands: ClassVar[tuple[ev.Hand, ...]]

    @abstractmethod
    def in_coup(self, shoe: Shoe, coup: Coup) -> NextAction:
        """Say what is due while this coup is open."""

    def before_cards(self, shoe: Shoe) -> NextAction | None:  # noqa: ARG002 - most games ask nothing
        """Say what is due before the cards are shuffled, or cut; None: nothing is."""
        return None

    def before_coup(self, shoe: Shoe) -> NextAction | None:  # noqa: ARG002 - most games ask nothing
        """Say what is due before the next coup may be opened; None: nothing is."""
        return None

    def before_end(self, shoe: Shoe) -> NextAction | None:  # noqa: ARG002 - most games ask nothing
        """Say what is due before the shoe, which deals no other coup, is taken out."""
        return None

    @abstractmethod
    def draws(self, shoe: Shoe, coup: Coup) -> bool:
        """Tell whether a hand goes to the shoe for a card now."""

    @abstractmethod
    def due_bets(self, shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
        """Return the bets that stand, with what is due to each, in the order of settling."""

    @abstractmethod
    def is_dealt(self, shoe: Shoe, coup: Coup) -> bool:
        """Tell whether every hand of the coup has the cards that come first."""

    @abstractmethod
    def due(self, shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a bet, had it this stake; None: record or pack do not say."""
