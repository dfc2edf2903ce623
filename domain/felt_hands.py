"""Hands of one's own as the felt shows them: rejected cards are gone, first cards lie face down."""

from domain import facts as f
from domain.coup import Coup
from domain.facts.bank import CardRejected, HandsCalled
from domain.felt_coup import FeltCard, FeltHand, FeltOther
from domain.games.hands import Held, held
from domain.macao import MacaoRules, score_of
from domain.shoe import Shoe


def own_hands(shoe: Shoe, coup: Coup, rules: MacaoRules) -> tuple[FeltHand, tuple[FeltOther, ...]]:
    """Return the banker's hand, and the punters' in their turn."""
    *punters, banker = held(shoe, coup)
    others = (FeltOther(hand.who, hand.seat, _hand(shoe, coup, rules, hand)) for hand in punters)
    return _hand(shoe, coup, rules, banker), tuple(others)


def _hand(shoe: Shoe, coup: Coup, rules: MacaoRules, hand: Held) -> FeltHand:
    hidden = shoe.pack is not None and shoe.pack.cards.faces == "down"
    open_ = not hidden or coup.result_called is not None or coup.over
    turned = {
        event.fact.nth
        for event in coup.turned
        if isinstance(event.fact, f.CardTurned) and _is_of(event.fact, hand)
    }
    cards = tuple(
        FeltCard(
            drawn.card if open_ or nth > rules.dealt or nth in turned else None,
            drawn.place,
            drawn.back,
            drawn.face_up,
        )
        for nth, drawn in enumerate(_lying(coup, hand), 1)
    )
    faces = [card.card for card in cards if card.card is not None]
    if not faces or len(faces) < len(cards):
        return FeltHand(cards, None, called=_called(coup, hand))
    score = score_of(rules, faces)
    return FeltHand(cards, score.total, score.natural, _called(coup, hand), bust=score.bust)


def _is_of(fact: "f.CardDrawn | f.CardTurned | CardRejected", hand: Held) -> bool:
    return (fact.hand, fact.seat) == (hand.hand, hand.seat)


def _lying(coup: Coup, hand: Held) -> list[f.CardDrawn]:
    """Return the cards of a hand that were not rejected, in their order."""
    lying: list[f.CardDrawn] = []
    for event in coup.in_time:
        if isinstance(event.fact, f.CardDrawn) and _is_of(event.fact, hand):
            lying.append(event.fact)
        elif isinstance(event.fact, CardRejected) and _is_of(event.fact, hand) and lying:
            lying.pop()
    return lying


def _called(coup: Coup, hand: Held) -> int | None:
    event = coup.result_called
    if event is None or not isinstance(event.fact, HandsCalled):
        return None
    said = {(each.hand, each.seat): each.total for each in event.fact.totals}
    return said.get((hand.hand, hand.seat))
