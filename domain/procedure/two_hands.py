"""Base of games with a Player and a Banker hand, settled by pay lines."""

from collections.abc import Sequence
from typing import ClassVar, Final

from sabot.domain import events as ev
from sabot.domain.procedure.game import Game
from sabot.domain.procedure.seating import nearest_first
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.payouts import Due, cashier_for
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

_ORDER: Final = {"take": 0, "push": 1, "pay": 2}


class TwoHands(Game):
    """A game with bets on the Player and Banker hands, whoever banks."""

    rulings: ClassVar[frozenset[ev.Ruling]] = frozenset(("card-to-banker",))

    def due_bets(self, shoe: Shoe, coup: Coup) -> list[tuple[Bet, Due]]:
        """Return what is due to each bet by the pack's pay lines."""
        if shoe.pack is None:
            return []
        cashier = cashier_for(shoe.pack_text)
        result = result_of(coup.player, coup.banker)
        standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
        due = [(bet, cashier.due(bet.wager, result, bet.amount)) for bet in standing]
        known = [(bet, what) for bet, what in due if what is not None]
        return nearest_first(shoe, _losers_first(known))

    def is_dealt(self, shoe: Shoe, coup: Coup) -> bool:  # noqa: ARG002 - the cards alone tell
        """Return whether both hands have two cards."""
        return len(coup.player) > 1 and len(coup.banker) > 1

    def due(self, shoe: Shoe, coup: Coup, bet: Bet, stake: int) -> Due | None:
        """Return what is due to a stake by the pack's pay lines."""
        if shoe.pack is None:
            return None
        result = result_of(coup.player, coup.banker)
        return cashier_for(shoe.pack_text).due(bet.wager, result, stake)


def _losers_first(due: Sequence[tuple[Bet, Due]]) -> list[tuple[Bet, Due]]:
    """Return bets sorted into losers, pushes and winners.

    Source: losers are taken before winners are paid (ARRETE_2007_ART_55_14).
    """
    return sorted(due, key=lambda pair: (_ORDER[pair[1].kind], pair[0].number))
