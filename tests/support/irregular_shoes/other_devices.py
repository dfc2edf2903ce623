"""Exposed cards that another device than that of the coup records, after the coup."""

from sabot.domain import events as ev
from tests.support.every_order import Deal
from tests.support.irregular_shoes.dealing import Bets, begin, bet, draw, play


def _exposed(deal: Deal, bets: Bets, *, burned: bool) -> str:
    begin(deal)
    card = deal.draw()
    deal.tell(ev.CoupOpened(1))
    bet(deal, 1, bets(card))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    if not burned:
        draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)
    return card


def burn_recorded_after(deal: Deal, bets: Bets) -> None:
    """An exposed card is burned before the coup, and recorded after it."""
    card = _exposed(deal, bets, burned=True)
    deal.tell(ev.CardBurned(card, reason="fault"), device="other", second=1)


def burn_recorded_in_next(deal: Deal, bets: Bets) -> None:
    """An exposed card is burned before the coup, and recorded once the next one is open."""
    card = _exposed(deal, bets, burned=True)
    deal.tell(ev.CoupOpened(2))
    deal.tell(ev.CardBurned(card, reason="fault"), device="other", second=1)


def exposure_noted_in_next(deal: Deal, bets: Bets) -> None:
    """The first card is exposed before the bets, and noted after the next coup was opened."""
    _exposed(deal, bets, burned=False)
    deal.tell(ev.CoupOpened(2))
    deal.tell(ev.IrregularityNoted("card-exposed", "stand"), device="other", second=2)


def exposure_named_in_next(deal: Deal, bets: Bets) -> None:
    """The first card is exposed before the bets. A later note names the coup."""
    _exposed(deal, bets, burned=False)
    deal.tell(ev.CoupOpened(2))
    deal.tell(ev.IrregularityNoted("card-exposed", "stand", 1))


def late_bet_named_in_next(deal: Deal, bets: Bets) -> None:
    """A late bet is accepted, and noted after the next coup was opened."""
    _exposed(deal, bets, burned=False)
    deal.tell(ev.CoupOpened(2))
    deal.tell(ev.IrregularityNoted("late-bet", "stand", 1))
