"""A card too many, which becomes the first card of the next coup."""

from sabot.domain import events as ev
from sabot.domain.values.scalars import Irregularity
from tests.support.every_order import HANDS, VALUE_OF, Deal
from tests.support.irregular_shoes.dealing import Bets, begin, bet, draw


def _excess(
    deal: Deal,
    bets: Bets,
    *,
    drawn: bool,
    named: bool,
    before: bool,
    kind: Irregularity = "wrong-draw",
) -> None:
    begin(deal)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    note = ev.IrregularityNoted(kind, "stand", 1 if named else None)
    if before:
        deal.tell(note)
    cards: list[str] = []
    for hand in HANDS:
        draw(deal, 1, cards, hand)
    card = deal.draw()
    if drawn:
        deal.tell(ev.CardDrawn(1, "banker", card))
    if not before:
        deal.tell(note)
    deal.tell(ev.CoupClosed(1))
    deal.tell(ev.CoupOpened(2))
    bet(deal, 2, bets(card))
    deal.tell(ev.NoMoreBets(2))
    cards = []
    draw(deal, 2, cards, "player", card)
    for hand in HANDS[1:]:
        draw(deal, 2, cards, hand)
    deal.tell(ev.CoupClosed(2))


def excess_card(deal: Deal, bets: Bets) -> None:
    """A card too many becomes the first of the next coup; the wrong draw is noted."""
    _excess(deal, bets, drawn=False, named=True, before=False)


def excess_card_noted_first(deal: Deal, bets: Bets) -> None:
    """A card too many becomes the first of the next coup; the note comes before its cards."""
    _excess(deal, bets, drawn=False, named=True, before=True)


def excess_card_unnamed_coup(deal: Deal, bets: Bets) -> None:
    """A card too many becomes the first of the next coup; the note names no coup."""
    _excess(deal, bets, drawn=False, named=False, before=False)


def excess_card_in_both(deal: Deal, bets: Bets) -> None:
    """A card too many is recorded in its coup, and as the first of the next one."""
    _excess(deal, bets, drawn=True, named=True, before=False)


def wrong_call_excess_card(deal: Deal, bets: Bets) -> None:
    """A card too many is drawn on a wrong call, which is noted as such."""
    _excess(deal, bets, drawn=False, named=True, before=False, kind="wrong-call")


def _in_both(deal: Deal, bets: Bets, *, between: bool) -> None:
    begin(deal)
    note = ev.IrregularityNoted("wrong-draw", "stand", 1)
    deal.tell(ev.CoupOpened(1))
    deal.tell(ev.NoMoreBets(1))
    seen: list[str] = []
    for hand in HANDS:
        draw(deal, 1, seen, hand)
    card = deal.draw()
    deal.tell(ev.CardDrawn(1, "banker", card))
    deal.tell(ev.CoupClosed(1))
    if between:
        deal.tell(note)
    deal.tell(ev.CoupOpened(2))
    deal.tell(ev.NoMoreBets(2))
    draw(deal, 2, seen, "player", card)
    for hand in HANDS[1:]:
        draw(deal, 2, seen, hand)
    if not between:
        deal.tell(note)
    deal.tell(ev.CoupClosed(2))
    high = sum(VALUE_OF[one] > 0 for one in seen)
    deal.tell(ev.CoupOpened(3))
    bet(deal, 3, bets("K" if 2 * high >= len(seen) else "9"))
    deal.tell(ev.NoMoreBets(3))
    draw(deal, 3, [], "player")
    deal.tell(ev.CoupVoided(3))


def excess_card_in_both_noted_between(deal: Deal, bets: Bets) -> None:
    """An excess card is recorded in two coups, and noted between them. A count bets on coup 3."""
    _in_both(deal, bets, between=True)


def excess_card_in_both_noted_in_next(deal: Deal, bets: Bets) -> None:
    """An excess card is recorded in two coups, and noted after the cards of the second."""
    _in_both(deal, bets, between=False)
