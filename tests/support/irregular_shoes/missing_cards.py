"""Cards that were seen but are missing from the record, or that are recorded twice."""

from sabot.domain import events as ev
from tests.support.every_order import HANDS, VALUE_OF, Deal
from tests.support.irregular_shoes.dealing import Bets, begin, bet, draw, play


def _unrecorded(deal: Deal, bets: Bets, told: int) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    cards = [deal.draw() for _ in HANDS]
    for hand, card in list(zip(HANDS, cards, strict=True))[:told]:
        deal.tell(ev.CardDrawn(1, hand, card))
    deal.tell(ev.ResultCalled(1, "player"))
    deal.tell(ev.CoupClosed(1))
    high = sum(VALUE_OF[card] > 0 for card in cards[told:])
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets("K" if 2 * high > 4 - told else "9"))
    deal.tell(ev.NoMoreBets(2))
    for hand in HANDS:
        draw(deal, 2, [], hand)
    deal.tell(ev.CoupClosed(2))


def outcome_only_coup(deal: Deal, bets: Bets) -> None:
    """The first coup is recorded by its outcome alone. The patron counts its cards."""
    _unrecorded(deal, bets, 0)


def coup_short_of_cards(deal: Deal, bets: Bets) -> None:
    """The first coup lacks its last two cards on record. The patron counts them."""
    _unrecorded(deal, bets, 2)


def _twice(deal: Deal, bets: Bets, faces: int, *, kept: int) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    for hand in HANDS[:faces]:
        draw(deal, 1, cards, hand)
    deal.tell(ev.CoupVoided(1))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(cards[faces - kept]))
    deal.tell(ev.NoMoreBets(2))
    again: list[str] = []
    for place, card in enumerate(cards[faces - kept :]):
        draw(deal, 2, again, HANDS[place], card)
    play(deal, 2, again)


def recorded_twice(deal: Deal, bets: Bets) -> None:
    """The first card of a voided coup is kept, and recorded as the first of the next."""
    _twice(deal, bets, 1, kept=1)


def two_recorded_twice(deal: Deal, bets: Bets) -> None:
    """Two cards of a voided coup are kept, and recorded in the next."""
    _twice(deal, bets, 2, kept=2)


def second_recorded_twice(deal: Deal, bets: Bets) -> None:
    """The second card of a voided coup is kept, and recorded as the first of the next."""
    _twice(deal, bets, 2, kept=1)
