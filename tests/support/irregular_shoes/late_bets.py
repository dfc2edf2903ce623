"""Bets that were made after a card was seen, and accepted."""

from sabot.domain import events as ev
from tests.support.every_order import Deal
from tests.support.irregular_shoes.dealing import Bets, begin, bet, draw, play


def late_bet(deal: Deal, bets: Bets) -> None:
    """A bet after the first card is accepted, and recorded before that card."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    bet(deal, 1, bets(card))
    deal.tell(ev.IrregularityNoted("late-bet", "stand", 1))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)


def late_bet_noted_after(deal: Deal, bets: Bets) -> None:
    """A late bet, noted at the end of its coup."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    side = bets(card)
    bet(deal, 1, side)
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    if side:
        deal.tell(ev.IrregularityNoted("late-bet", "stand", 1))
    play(deal, 1, cards)


def _noted_after_close(deal: Deal, bets: Bets, coup: int | None) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    bet(deal, 1, bets(card))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)
    deal.tell(ev.IrregularityNoted("late-bet", "stand", coup))


def late_bet_noted_after_close(deal: Deal, bets: Bets) -> None:
    """A late bet, noted after its coup was closed."""
    _noted_after_close(deal, bets, 1)


def late_bet_noted_after_close_unnamed(deal: Deal, bets: Bets) -> None:
    """A late bet, noted after its coup was closed, in a note that names no coup."""
    _noted_after_close(deal, bets, None)


def _late_switch(deal: Deal, bets: Bets, *, closed: bool) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    bet(deal, 1, "banker")
    card = deal.draw()
    moved = bets(card) == "player"
    if moved:
        deal.tell(ev.BetWithdrawn(1, 1))
        bet(deal, 1, "player", 2)
    if moved and not closed:
        deal.tell(ev.IrregularityNoted("late-bet", "stand"))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)
    if moved and closed:
        deal.tell(ev.IrregularityNoted("late-bet", "stand"))


def late_switch(deal: Deal, bets: Bets) -> None:
    """After some first cards a Banker bet is moved to Player. Only those moves are noted."""
    _late_switch(deal, bets, closed=False)


def late_switch_noted_after_close(deal: Deal, bets: Bets) -> None:
    """A late bet, noted after its coup was closed."""
    _late_switch(deal, bets, closed=True)


def misdeal(deal: Deal, bets: Bets) -> None:
    """The first card is dealt before the bets, and the coup stands."""
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    card = deal.draw()
    deal.tell(ev.IrregularityNoted("misdeal", "stand", 1))
    bet(deal, 1, bets(card))
    deal.tell(ev.NoMoreBets(1))
    cards: list[str] = []
    draw(deal, 1, cards, "player", card)
    play(deal, 1, cards)
