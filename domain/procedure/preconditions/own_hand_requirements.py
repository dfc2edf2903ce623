"""Requirements of separate hands of patrons, for dealing and audit."""

from sabot.domain.procedure.macao import least_bank
from sabot.domain.procedure.own_hands import OwnHand
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.rules.sources import (
    CASINO_ITALIANI_ONLINE_MACAO,
    HOUSE_CONVENTION,
    PRAVILA_KART_MACAO_1_TO_11,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe


@requirement("O501", WIKIPEDIA_BACCARAT_MACAO, CASINO_ITALIANI_ONLINE_MACAO)
def is_card_due(hand: OwnHand, rules: MacaoRules) -> bool:
    """A hand gets no card beyond its first ones unless it asked for it."""
    return len(hand.cards) < rules.dealt + hand.asked


@requirement("O503", WIKIPEDIA_BACCARAT_MACAO)
def may_ask(hand: OwnHand, rules: MacaoRules) -> bool:
    """A hand that stood, that went bust, or that holds the most cards allowed asks for no more."""
    return not hand.stood and hand.may_draw(rules)


@requirement("O504", WIKIPEDIA_BACCARAT_MACAO, PRAVILA_KART_MACAO_1_TO_11)
def may_reject(hand: OwnHand, rules: MacaoRules) -> bool:
    """A hand may reject a ten or a face that it has just drawn, and no other card."""
    return hand.may_reject(rules)


@requirement("O506", PRAVILA_KART_MACAO_1_TO_11, CASINO_ITALIANI_ONLINE_MACAO)
def plays_own_hand(player: str | None, by: str | None) -> bool:
    """Each patron decides for the patron's own hand, and the banker for the banker's hand."""
    return None in (player, by) or player == by


@requirement("O508", CASINO_ITALIANI_ONLINE_MACAO)
def is_on_own_hand(patron: str, seat: int | None, first: Bet | None) -> bool:
    """Each patron stakes on the hand at the patron's own seat, and that hand is dealt."""
    return seat is not None and (first is None or first.patron == patron)


@requirement("O510", WIKIPEDIA_BACCARAT_MACAO)
def bank_goes_to(patron: str, due: str | None) -> bool:
    """A bank is offered to the patron on the banker's left, and to the next if it is refused."""
    return due in (None, patron)


@requirement("O511", HOUSE_CONVENTION)
def is_least_bank(shoe: Shoe, amount: int) -> bool:
    """A bank is at least the rule pack's minimum bank and the table's minimum stake."""
    return amount >= least_bank(shoe)
