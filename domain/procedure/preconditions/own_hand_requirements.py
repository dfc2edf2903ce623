"""Requirements of separate hands of patrons, for dealing and audit."""

from sabot.domain.procedure.macao import least_bank
from sabot.domain.procedure.own_hands import OwnHand
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe


def is_card_due(hand: OwnHand, rules: MacaoRules) -> bool:
    """Return whether a hand is due a card: one of its first, or one that it asked for."""
    return len(hand.cards) < rules.dealt + hand.asked


def may_ask(hand: OwnHand, rules: MacaoRules) -> bool:
    """Return whether a hand may ask for a card."""
    return not hand.stood and hand.may_draw(rules)


def may_reject(hand: OwnHand, rules: MacaoRules) -> bool:
    """Return whether a hand may reject its last card: a ten or a face."""
    return hand.may_reject(rules)


def plays_own_hand(player: str | None, by: str | None) -> bool:
    """Return whether a patron decides their own hand. Unknown persons count as the same."""
    return None in (player, by) or player == by


def is_on_own_hand(patron: str, seat: int | None, first: Bet | None) -> bool:
    """Return whether a stake is on a hand that no other patron has staked on."""
    return seat is not None and (first is None or first.patron == patron)


def bank_goes_to(patron: str, due: str | None) -> bool:
    """Return whether a bank is offered to the patron who is due to get it."""
    return due in (None, patron)


def is_least_bank(shoe: Shoe, amount: int) -> bool:
    """Return whether a bank has the least amount that the game requires."""
    return amount >= least_bank(shoe)
