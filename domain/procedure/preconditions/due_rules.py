"""The rule of the audit that an event breaks if it comes before the action that is due.

Each function returns the number of the rule. It is empty if no rule forbids that order.
"""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import (
    false_draw,
    hand_due,
    is_house,
    last_coup,
    shoe_passes,
)
from sabot.domain.procedure.next_action import Awaits, NextAction
from sabot.domain.procedure.patron_bank import bank_events_of, last_choice
from sabot.domain.procedure.preconditions.holder_requirements import (
    may_keep_after_draw,
    may_keep_shoe,
)
from sabot.domain.procedure.preconditions.settlement_requirements import is_within_last
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import BANKED
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FIRST_TWO, total

_Call = ev.TotalsCalled | ev.ResultCalled | bank_ev.HandsCalled

_OF_AWAITED: Final[dict[Awaits, str]] = {
    "shuffle": "S303",
    "cut": "S308",
    "stop-card": "S312",
    "burn-up": "S304",
    "bank": "K501",
    "settle": "E201",
}
_OF_EVENT: Final[dict[type, str]] = {
    ev.CutCardReached: "Z302",
    ev.LastCoupCalled: "Z303",
    ev.ResultCalled: "C105",
    ev.CommissionMarked: "P204",
    ev.CommissionCollected: "P204",
    bank_ev.BankCalled: "K507",
    bank_ev.HandGiven: "K507",
    bank_ev.LevyAnnounced: "Y501",
    bank_ev.TicketsDetached: "Y501",
    bank_ev.LevyTaken: "Y501",
    bank_ev.TicketsTorn: "Y504",
}
_EARLY: Final[dict[type, str]] = {
    ev.CutCardReached: "Z302",
    bank_ev.ExcessReturned: "K508",
    bank_ev.LevyAnnounced: "Y503",
}
_DIFFERING: Final[dict[type, str]] = {
    **_EARLY,
    bank_ev.BankCalled: "K503",
    bank_ev.LevyAnnounced: "Y501",
}
_SETTLING: Final = {"pay": "P201", "push": "P203", "take": "P202"}
_OF_BURN: Final = {"opening": "S304", "relief": "S306", "dead-game": "S307"}


def skipping(now: NextAction) -> str:
    """Return the rule that is broken if the action due is left out."""
    match now.payload:
        case ev.CardBurned(reason=reason):
            return _OF_BURN.get(reason, "")
        case due:
            return _OF_EVENT.get(type(due)) or _OF_AWAITED.get(now.expects, "")


def opening(shoe: Shoe, coup: ev.CoupOpened, now: NextAction) -> str:
    """Return the rule that a coup breaks if its opening is not due."""
    before, holder = shoe.coups.get(coup.coup - 1), shoe.holder
    if not is_within_last(coup.coup, last_coup(shoe)):
        return "Z301"
    if holder is not None and not is_house(shoe, holder):
        if before is not None and shoe_passes(shoe) and not may_keep_shoe(before):
            return "H501"
        if not may_keep_after_draw(false_draw(shoe)):
            return "H506"
    is_bankless = shoe.pack is not None and shoe.pack.game in BANKED and shoe.bank is None
    return skipping(now) or ("K501" if is_bankless else "")


def _has_two_hands(shoe: Shoe) -> bool:
    """Return whether the coup has a hand of Player and one of Banker."""
    return shoe.pack is None or not (shoe.pack.macao or shoe.pack.tableaux)


def _is_fixed(shoe: Shoe) -> bool:
    """Return whether the third-card table decides, and no patron."""
    return shoe.pack is None or shoe.pack.game == "punto-banco"


def _is_short(coup: Coup) -> bool:
    """Return whether Player or Banker lacks one of the first two cards."""
    return min(len(coup.player), len(coup.banker)) < FIRST_TWO


def _not_drawing(shoe: Shoe, coup: Coup, now: NextAction) -> str:
    """Return the rule that is broken if the coup is decided without the card due."""
    if _has_two_hands(shoe) and _is_short(coup):
        return "D102"
    if _is_fixed(shoe):
        return "T102" if now.hand == "player" else "T104"
    return "O502" if bank_events_of(coup).choices else ""


def coming_early(shoe: Shoe, early: ev.ShoeEvent, now: NextAction) -> str:
    """Return the rule that an event breaks if it is not due."""
    if not isinstance(early, _Call):
        return _EARLY.get(type(early), "")
    if shoe.current is None:
        return "R401"
    return _calling(shoe, shoe.current, early, now)


def differing(shoe: Shoe, other: ev.ShoeEvent) -> str:
    """Return the rule that an event breaks if it is due, but with other contents."""
    if isinstance(other, bank_ev.HandsCalled):
        return "O507" if shoe.pack is not None and shoe.pack.macao is not None else "W516"
    if isinstance(other, ev.TotalsCalled | ev.ResultCalled) and shoe.current is not None:
        return _miscalled(shoe.current, other)
    return _DIFFERING.get(type(other), "")


def settling(due: Due, move: ev.ShoeEvent) -> str:
    """Return the rule that a settlement breaks if it is not the one due to its bet."""
    is_commission = isinstance(move, ev.CommissionMarked | ev.CommissionCollected)
    return "P204" if is_commission else _SETTLING[due.kind]


def _calling(shoe: Shoe, coup: Coup, call: _Call, now: NextAction) -> str:
    if now.expects == "turn":
        return "D105" if _has_two_hands(shoe) else "K507"
    if not _has_two_hands(shoe):
        return _not_drawing(shoe, coup, now) if now.expects == "card" else ""
    if _is_short(coup) or now.expects == "choice":
        return "C104"
    if now.expects == "card" and isinstance(call, ev.ResultCalled):
        return _not_drawing(shoe, coup, now)
    return "" if isinstance(call, bank_ev.HandsCalled) else _miscalled(coup, call)


def _miscalled(coup: Coup, call: ev.TotalsCalled | ev.ResultCalled) -> str:
    if isinstance(call, ev.TotalsCalled):
        cards = (total(coup.player[:FIRST_TWO]), total(coup.banker[:FIRST_TWO]))
        return "" if (call.player, call.banker) == cards else "C101"
    result = result_of(coup.player, coup.banker)
    if call.outcome != result.outcome:
        return "C103"
    return "" if (call.player, call.banker) == (result.player, result.banker) else "C102"


def closing(shoe: Shoe, coup: Coup, now: NextAction) -> str:
    """Return the rule that the close of a coup breaks if it is not due."""
    return _not_drawing(shoe, coup, now) if now.expects == "card" else skipping(now)


def drawing(shoe: Shoe, coup: Coup, card: ev.CardDrawn, now: NextAction) -> str:
    """Return the rule that a card breaks if it is not due, or is due to another hand."""
    if coup.no_more_bets is None:
        return "B202"
    if type(now.payload) in (bank_ev.BankCalled, bank_ev.HandGiven, ev.CutCardReached):
        return skipping(now)
    if _has_two_hands(shoe):
        return _third_card(shoe, coup, card, now)
    if coup.result_called is not None:
        return "C106"
    return _out_of_turn(shoe, now)


def choosing(shoe: Shoe, choice: bank_ev.ChoiceMade, now: NextAction) -> str:
    """Return the rule that a choice breaks if it is not due."""
    if not _has_two_hands(shoe):
        return _out_of_turn(shoe, now)
    is_first = now.expects == "choice" and (now.hand, choice.hand) == ("player", "banker")
    return "T112" if is_first else ""


def _out_of_turn(shoe: Shoe, now: NextAction) -> str:
    if now.expects == "turn":
        return "K507"
    if shoe.pack is None or shoe.pack.tableaux is None:
        return "O505"
    return "W517" if now.expects == "settle" else "W515"


def _third_card(shoe: Shoe, coup: Coup, card: ev.CardDrawn, now: NextAction) -> str:
    held = len(coup.player if card.hand == "player" else coup.banker)
    if held > FIRST_TWO:
        return "T105"
    if _is_short(coup):
        return "D101"
    if not _is_fixed(shoe):
        return "T106" if last_choice(coup, card.hand) is None else "T108"
    due = hand_due(coup.player, coup.banker)
    if due == card.hand:
        return "D105" if now.expects == "turn" else ""
    if card.hand == "banker":
        return "T103" if due is None else "D101"
    return "T101"
