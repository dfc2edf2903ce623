"""Burned cards whose faces were seen."""

from sabot.domain import events as ev
from sabot.domain.events.shoe import BurnReason
from tests.support.every_order import HANDS, VALUE_OF, Deal
from tests.support.irregular_shoes.dealing import Bets, begin, bet, draw, play


def burn_unnamed(deal: Deal, bets: Bets) -> None:
    """The opening burn is shown, but recorded without its face."""
    begin(deal)
    burned = deal.draw()
    deal.tell(ev.CardBurned(None, 1, "opening"))
    deal.tell(ev.CoupOpened(1))
    bet(deal, 1, bets(burned))
    deal.tell(ev.NoMoreBets(1))
    play(deal, 1, [])


def relief_unnamed(deal: Deal, bets: Bets) -> None:
    """A new dealer burns a card face up, and it is recorded without its face."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.CoupVoided(1))
    deal.tell(ev.CrewChanged("dealer", "dana"))
    burned = deal.draw()
    deal.tell(ev.CardBurned(None, None, "relief"))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(burned))
    deal.tell(ev.NoMoreBets(2))
    play(deal, 2, [])


def second_burn_unnamed(deal: Deal, bets: Bets) -> None:
    """A second card is burned face up at the opening, which the pack does not ask for."""
    begin(deal)
    deal.tell(ev.CardBurned(deal.draw()))
    burned = deal.draw()
    deal.tell(ev.CardBurned(None))
    deal.tell(ev.CoupOpened(1))
    bet(deal, 1, bets(burned))
    deal.tell(ev.NoMoreBets(1))
    play(deal, 1, [])


def _back_in_play(deal: Deal, bets: Bets, reason: BurnReason, *, opened: bool = False) -> None:
    begin(deal)
    burned = deal.draw()
    if opened:
        deal.tell(ev.CoupOpened(1))
    deal.tell(ev.CardBurned(burned, reason=reason))
    if not opened:
        deal.tell(ev.CoupOpened(1))
    bet(deal, 1, bets(burned))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", burned)
    play(deal, 1, cards)


def opening_burn_back_in_play(deal: Deal, bets: Bets) -> None:
    """The card burned at the opening is dealt as the first card, and nobody notes it."""
    _back_in_play(deal, bets, "opening")


def relief_burn_back_in_play(deal: Deal, bets: Bets) -> None:
    """A card that a new dealer burned is dealt as the first card, and nobody notes it."""
    _back_in_play(deal, bets, "relief")


def faulty_burn_back_in_play(deal: Deal, bets: Bets) -> None:
    """A card burned after the coup was opened is dealt as its first card, without a note."""
    _back_in_play(deal, bets, "fault", opened=True)


def ruled_burn_back_in_play(deal: Deal, bets: Bets) -> None:
    """A card too many is burned, is dealt as the first of the next coup, and nobody notes it."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    for hand in HANDS:
        draw(deal, 1, cards, hand)
    burned = deal.draw()
    deal.tell(ev.CardBurned(burned, reason="ruling", coup=1))
    deal.tell(ev.CoupClosed(1))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(burned))
    deal.tell(ev.NoMoreBets(2))
    cards = []
    draw(deal, 2, cards, "player", burned)
    for hand in HANDS[1:]:
        draw(deal, 2, cards, hand)
    deal.tell(ev.CoupClosed(2))


def burn_back_in_play_counted(deal: Deal, bets: Bets) -> None:
    """A burned card comes back into play, and the patron bets on coup 2 by a count."""
    begin(deal)
    burned = deal.draw()
    deal.tell(ev.CardBurned(burned))
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", burned)
    play(deal, 1, cards)
    high = sum(VALUE_OF[card] > 0 for card in cards)
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets("K" if 2 * high >= len(cards) else "9"))
    deal.tell(ev.NoMoreBets(2))
    draw(deal, 2, [], "player")
    deal.tell(ev.CoupVoided(2))
