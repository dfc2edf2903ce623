"""Coups that were not dealt, or were dealt wrongly and ruled on."""

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card
from tests.support.audited import codes_and_coups, finished
from tests.support.coup_notation import Felt, loaded, shoe_of


def undealt(*payloads: ev.Event) -> Shoe:
    """A coup is opened, then this; the next is dealt."""
    felt = Felt().ready().put(ev.CoupOpened(1), *payloads)
    return felt.coup("p1 tie 500 | P 4 5  B K 8", 2).shoe


BURNED = ev.CardBurned("9", 7, "ruling", 1)


def wrong_draw(*ruled: ev.Event, rules: str = "classic-8", rest: str = "> B 2") -> Shoe:
    """Player has six and is given a nine, card 7 of the shoe; then what is ruled, then the rest."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 2  B K  P 4  B 5  P 9").put(*ruled)
    return finished(felt.cards(rest) if rest else felt)


NOTED = ev.IrregularityNoted("wrong-draw", "burn-card", 1, "sue")


def placed(*places: int) -> Shoe:
    hands = ("player", "banker", "player", "banker")
    payloads = [
        ev.CardDrawn(7, hand, card, place)
        for hand, card, place in zip(hands, "4K58", places, strict=True)
    ]
    return shoe_of([loaded(coverage="coups"), ev.CoupOpened(7), *payloads, ev.CoupClosed(7)])


def no_bet_hand(*back: ev.Event, then: tuple[ev.Event, ...] = ()) -> Shoe:
    """A card is seen too soon, the bets go back on the ruling, the cards are played out."""
    felt = Felt("ez-baccarat").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards("> P 4  B K")
    felt.put(ev.IrregularityNoted("card-exposed", "no-bet-hand", 1, by="sue"), *back)
    felt.cards("> P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"), *then, ev.CoupClosed(1))
    return felt.coup("P 4 5  B K 8", 2).shoe


def taken_back(kind, back, *, late=False, after=()):
    """Player wins: p2, alone on Banker, takes his 500 back upon a ruling; perhaps p3 was late."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "banker", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(*[ev.BetPlaced(1, 2, "p3", "player", 500)] if late else [])
    felt.put(ev.IrregularityNoted(kind, "return-bets", 1, by="sue"), back)
    felt.put(*[ev.BetWithdrawn(1, 2)] if late else [], *after, ev.CoupClosed(1))
    return codes_and_coups(felt.shoe)


def drawn(felt: Felt, hand: ev.Hand, card: Card = "9c", coup: int = 1) -> Felt:
    """One more card, from its place in the shoe."""
    return felt.put(ev.CardDrawn(coup, hand, card, len(felt.shoe.left) + 1))
