"""Checks at macao and victoria: separate hands against a lasting bank.

Each function returns the reason with the next step, or None. `sabot.domain.procedure.preconditions`
calls them.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import next_holder
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.macao import is_exhausted, least_bank, least_stake, rules_of
from sabot.domain.procedure.own_hands import OwnHand, banker_of, bet_at, hands_in_turn
from sabot.domain.procedure.preconditions import (
    bank_events,
    bet_events,
    card_events,
    people_events,
    settlement_events,
)
from sabot.domain.procedure.preconditions.bank_requirements import (
    covers,
    is_banker,
    is_his_bank,
    may_stake,
)
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.own_hand_requirements import (
    bank_goes_to,
    is_card_due,
    is_least_bank,
    is_on_own_hand,
    may_ask,
    may_reject,
    plays_own_hand,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe

OfHand = ev.CardDrawn | bank_ev.ChoiceMade | bank_ev.CardRejected
"""An event that concerns one hand of a coup."""


# -- Stakes -------------------------------------------------------------------------------------


def _bet(shoe: Shoe, payload: ev.BetPlaced) -> Violation | None:
    """Refuse a stake that is not on the patron's own hand or exceeds the bank.

    Each hand has one stake, and the banker has none.
    """
    reason = bet_events.check_bet(shoe, payload)
    coup = coup_at(shoe, payload.coup)
    if reason is not None or isinstance(coup, str):
        return reason
    if not may_stake(banker_of(shoe, coup), payload.patron):
        return Violation(f"{payload.patron} holds the bank and cannot bet against it", "K511")
    return _hand(shoe, coup, payload) or _covered(shoe, coup, payload.amount)


def _hand(shoe: Shoe, coup: Coup, payload: ev.BetPlaced) -> Violation | None:
    """Refuse a stake on a hand that is missing, of another patron, or already staked on."""
    lying, seat = bet_at(coup, payload.seat), payload.seat
    rule = "" if is_on_own_hand(payload.patron, seat, lying) else "O508"
    if seat is None:
        return Violation("each patron stakes on a hand of their own; name the seat", rule)
    if seat not in shoe.seats:
        return Violation(f"nobody sits at {seat}; seat {payload.patron} first")
    if lying is None:
        return None
    return Violation(f"seat {seat} has a stake already, bet {lying.number}; change that bet", rule)


def _change(shoe: Shoe, payload: "ev.BetChanged | ev.BetWithdrawn") -> Violation | None:
    reason = bet_events.check_change(shoe, payload)
    coup = coup_at(shoe, payload.coup)
    if reason is not None or isinstance(coup, str) or isinstance(payload, ev.BetWithdrawn):
        return reason
    return _covered(shoe, coup, payload.amount - coup.bets[payload.bet].amount)


def _covered(shoe: Shoe, coup: Coup, more: int) -> Violation | None:
    """Refuse a stake that brings the total above the bank."""
    bank = shoe.bank
    if bank is None or bank.unlimited:
        return None
    staked = sum(bet.amount for bet in coup.bets.values() if not bet.withdrawn)
    if covers(bank.amount, staked + more):
        return None
    amounts = (bank.amount, staked, max(0, bank.amount - staked))
    held, bet, left = (format_money(shoe, amount) for amount in amounts)
    said = f"{bet} of the bank's {held} is covered already; stake {left} at most, or raise the bank"
    return Violation(said, "K502")


def _open(shoe: Shoe, payload: ev.CoupOpened) -> Violation | None:
    if payload.free:
        return Violation("there are no free hands at this table; open the coup for stakes")
    return card_events.open_coup(shoe, payload)


# -- Choices ------------------------------------------------------------------------------------


def _choice(shoe: Shoe, payload: bank_ev.ChoiceMade) -> Violation | None:
    """Refuse a choice by the wrong person, out of turn, or for a finished hand."""
    hand, rules = _hand_of(shoe, payload), rules_of(shoe.pack)
    if hand is not None and rules is not None:
        if payload.choice == "draw" and not may_ask(hand, rules):
            said = f"the hand has {len(hand.cards)} cards, the most it may have; it stands"
            return Violation(
                "the hand stood and takes no more cards" if hand.stood else said, "O503"
            )
        if not plays_own_hand(hand.who, payload.by):
            return Violation(f"the hand is {hand.who}'s, not {payload.by}'s", "O506")
    return _out_of_turn(shoe, payload)


def _draw(shoe: Shoe, payload: ev.CardDrawn) -> Violation | None:
    """Refuse a card that the hand did not ask for."""
    hand, rules = _hand_of(shoe, payload), rules_of(shoe.pack)
    if hand is not None and rules is not None and not is_card_due(hand, rules):
        said = f"{hand.who} has not asked for a card; {next_action(shoe).text}"
        return Violation(said, "O501")
    return card_events.check_draw(shoe, payload)


def _reject(shoe: Shoe, payload: bank_ev.CardRejected) -> Violation | None:
    """Refuse to reject a card that is not a ten or face card just drawn."""
    hand, rules = _hand_of(shoe, payload), rules_of(shoe.pack)
    if hand is not None and rules is not None and not may_reject(hand, rules):
        now = next_action(shoe).text
        said = f"only a ten or face that was just drawn may be rejected; {now}"
        return Violation(said, "O504")
    return _out_of_turn(shoe, payload)


def _out_of_turn(shoe: Shoe, payload: OfHand) -> Violation | None:
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    now = next_action(shoe)
    if now.expects != "choice" or (now.hand, now.seat) != _of(payload):
        return Violation(f"that hand has nothing to decide now; {now.text}", "O505")
    return None


def _of(payload: OfHand) -> tuple[ev.Hand, int | None]:
    return payload.hand, payload.seat


def _hand_of(shoe: Shoe, payload: OfHand) -> OwnHand | None:
    """Return the hand in play that an event concerns. None otherwise."""
    coup = coup_at(shoe, payload.coup)
    hands = () if isinstance(coup, str) else hands_in_turn(shoe, coup)
    return next((hand for hand in hands if (hand.hand, hand.seat) == _of(payload)), None)


# -- The bank -----------------------------------------------------------------------------------


def _post(shoe: Shoe, payload: bank_ev.BankPosted) -> Violation | None:
    if not is_his_bank(payload.by, (shoe.holder,)):
        said = f"the bank is {shoe.holder or 'nobody'}'s; offer it to {payload.by} first"
        return Violation(said, "K505")
    if shoe.bank is not None:
        return Violation(
            f"a bank of {format_money(shoe, shoe.bank.amount)} is on the table; add to it instead",
            "K517",
        )
    if is_least_bank(shoe, payload.amount):
        return None
    least, given = format_money(shoe, least_bank(shoe)), format_money(shoe, payload.amount)
    return Violation(f"a bank is {least} at least, not {given}", "O511")


def _raise(shoe: Shoe, payload: bank_ev.BankRaised) -> Violation | None:
    another = bank_events.check_banker(shoe, payload.by)
    if another is not None:
        return another
    coup = shoe.current
    if coup is not None and coup.no_more_bets is not None:
        return Violation("the stakes are made; add to the bank once the coup is closed", "K506")
    if payload.coup != (coup.number if coup is not None else None):
        if coup is None:
            return Violation("no coup is open; leave its number out", "R401")
        return Violation(f"coup {coup.number} is open; give its number")
    return None if payload.amount else Violation("give the amount that is added")


def _withdraw(shoe: Shoe, payload: bank_ev.BankWithdrawn) -> Violation | None:
    bank = shoe.bank
    if bank is None or not is_banker(bank, payload.by):
        return bank_events.check_banker(shoe, payload.by)
    if shoe.current is not None:
        said = f"coup {shoe.current.number} is open; the bank is taken out between coups"
        return Violation(said, "O509")
    if payload.amount != bank.amount:
        said = f"the banker takes the whole bank, {format_money(shoe, bank.amount)}"
        return Violation(said, "K516")
    if not is_exhausted(shoe) and bank.amount >= least_stake(shoe):
        return Violation("the banker keeps the bank until the pack is dealt out", "O509")
    return None


def _offer(shoe: Shoe, payload: ev.ShoeOffered) -> Violation | None:
    heir = next_holder(shoe)
    if not bank_goes_to(payload.to, heir):
        return Violation(f"the bank goes to the left: offer it to {heir}", "O510")
    return people_events.check_holder(shoe, payload)


def _pass(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    reason = people_events.pass_on(shoe, payload)
    bank = shoe.bank
    if reason is not None:
        return reason
    if bank is not None and bank.amount > 0:
        said = (
            f"{format_money(shoe, bank.amount)} is left in the bank; {bank.holder} takes it first"
        )
        return Violation(said, "K517")
    if payload.reason == "pack-ended" and not is_exhausted(shoe):
        return Violation("the pack is not dealt out; the banker keeps the bank", "O509")
    return None


def _leave(shoe: Shoe, payload: ev.PatronLeft) -> Violation | None:
    bank = shoe.bank
    if bank is not None and bank.holder == payload.patron:
        return Violation(
            f"{payload.patron} has the bank until the pack is dealt out; it goes to nobody else"
        )
    return people_events.check_leaving(shoe, payload)


def _end(shoe: Shoe, payload: ev.ShoeEnded) -> Violation | None:
    bank = shoe.bank
    if shoe.current is None and bank is not None and bank.amount > 0:
        said = (
            f"{format_money(shoe, bank.amount)} is left in the bank; {bank.holder} takes it first"
        )
        return Violation(said, "K517")
    return settlement_events.check_end(shoe, payload)


CHECKS: Final[Mapping[type, Callable[[Shoe, Any], Violation | None]]] = {
    ev.CoupOpened: _open,
    ev.BetPlaced: _bet,
    ev.BetChanged: _change,
    ev.BetWithdrawn: _change,
    ev.ShoeOffered: _offer,
    ev.ShoeTaken: bank_events.CHECKS[ev.ShoeTaken],
    ev.ShoePassed: _pass,
    ev.ShoeEnded: _end,
    ev.PatronLeft: _leave,
    ev.CardDrawn: _draw,
    bank_ev.ChoiceMade: _choice,
    bank_ev.CardRejected: _reject,
    bank_ev.HandsCalled: settlement_events.as_prompted,
    bank_ev.BankPosted: _post,
    bank_ev.BankRaised: _raise,
    bank_ev.BankUnlimited: bank_events.CHECKS[bank_ev.BankUnlimited],
    bank_ev.BankWithdrawn: _withdraw,
}
"""Checks at macao and victoria that replace the general ones."""
