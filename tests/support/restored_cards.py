"""A coup in which a card went to the wrong hand."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt

RESTORE = ev.IrregularityNoted("wrong-draw", "restore-card", 1, "sue")

TO_BANKER = ev.CardReassigned(1, "player", "banker", "sue")

PACK = pack_text("classic-8") + '\n[rulings]\nwrong-draw = ["void", "restore-card", "burn-card"]\n'


def sorted_codes(shoe: Shoe) -> list[str]:
    return sorted(found.code for found in audit_shoe(shoe).findings)


def dealt(cards: str, *between: ev.Event, more: str = "", result: tuple[int, int]) -> Felt:
    """A coup of one bet of 5.00 on Player: its cards, what happened then, more cards, and its end.

    The result is called, and settled by the call.
    """
    felt = Felt(PACK, crew=(ev.Crew("caller", "ann"),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards(cards).put(*between)
    if more:
        felt.cards(more)
    return ended(felt, *result)


def ended(felt: Felt, player_total: int, banker_total: int) -> Felt:
    """Call the result, and settle by it."""
    outcome = "P" if player_total > banker_total else "B" if banker_total > player_total else "T"
    move = {"P": ev.BetPaid(1, 1, 500), "B": ev.BetTaken(1, 1, 500), "T": ev.BetPushed(1, 1)}
    felt.put(ev.ResultCalled(1, player_total, banker_total, outcome), move[outcome])
    return felt.put(ev.CoupClosed(1))


WRONG_THIRD = "> P K  B 2  P 6  B 3  P 3"
"""Player stands on six, and is given the three that Banker draws to five: eight."""
