"""A coup as it appears on the table: hands, calls and bets.

Cards that lie face down are not revealed, and rejected cards are omitted. In games with more than
two hands the patrons' own hands are shown, or both tableaux with their players and outcomes.
"""

from collections import Counter
from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import (
    CardDrawn,
    CardTurned,
    Hand,
    Outcome,
    ResultCalled,
)
from sabot.domain.events.bank import CardRejected, HandsCalled
from sabot.domain.events.envelope import is_of
from sabot.domain.procedure.own_hands import OwnHand, hands_in_turn
from sabot.domain.procedure.patron_bank import given_to
from sabot.domain.procedure.two_tableaux.tableaux import outcome_at
from sabot.domain.rules.macao_hands import MacaoRules, score_of
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.rules.tableau_hands import Outcome as TableauOutcome
from sabot.domain.rules.third_card_table import is_natural
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FIRST_TWO, Card, total

BetState = Literal["stands", "withdrawn", "taken", "paid", "pushed"]


class FeltCard(Struct, frozen=True):
    """A card on the table. ``card`` is None while the card is face down."""

    card: Card | None
    place: int | None = None
    back: Literal["straight", "turned"] | None = None
    face_up: bool = False


class FeltHand(Struct, frozen=True):
    """A hand.

    ``total`` is None if it has no cards, or a card that was not shown. ``bust`` marks a total over
    nine in a game in which that loses.
    """

    cards: tuple[FeltCard, ...] = ()
    total: int | None = None
    natural: bool = False
    called: int | None = None
    bust: bool = False


class FeltOther(Struct, frozen=True):
    """A patron's own hand, or a tableau's hand.

    ``patron`` is its owner or player. ``outcome`` is the tableau's outcome against the banker, once
    decided.
    """

    patron: str
    seat: int | None
    hand: FeltHand
    tableau: Tableau | None = None
    outcome: TableauOutcome | None = None


class FeltBet(Struct, frozen=True):
    """A bet and its settlement; amounts in minor units."""

    bet: int
    patron: str
    wager: str
    amount: int
    seat: int | None = None
    carried: bool = False
    changed: bool = False
    state: BetState = "stands"
    paid: int = 0
    taken: int = 0
    marked: int = 0
    collected: int = 0


class FeltCoup(Struct, frozen=True):
    """A coup on the table.

    ``called`` is the outcome that the dealer announced. ``outcome`` is the outcome of the cards,
    once the hands are complete. ``others`` are the hands of patrons or tableaux, in turn.
    """

    number: int
    state: Literal["open", "closed", "voided"] = "open"
    free: bool = False
    player: FeltHand = FeltHand()
    banker: FeltHand = FeltHand()
    called: Outcome | None = None
    outcome: Outcome | None = None
    bets: tuple[FeltBet, ...] = ()
    others: tuple[FeltOther, ...] = ()


def felt_coup(shoe: Shoe, coup: Coup) -> FeltCoup:
    """Return a coup as it appears on the table."""
    shown = faces_shown(shoe, coup)
    done = coup.result_called is not None or coup.over or any(b.settled for b in coup.bets.values())
    return FeltCoup(
        coup.number,
        "voided" if coup.voided else "closed" if coup.closed else "open",
        coup.free,
        hand_shown(coup, "player", shown),
        hand_shown(coup, "banker", shown),
        called_outcome(coup),
        dealt_outcome(coup) if done else None,
        tuple(_bet(shoe, bet) for bet in coup.bets.values()),
    )


def faces_shown(shoe: Shoe, coup: Coup) -> set[tuple[Hand, int]]:
    """Return the face-up cards of a coup.

    Each is a hand and a place in it from 1. If the rule pack deals face down, each of the first
    four cards shows once it is turned, and at the latest when the totals are called, since many
    records omit the turning. A third card is always face up, since later play depends on it.
    """
    places = [(hand, nth) for hand, nth, _card in _drawn(coup)]
    face_down = shoe.pack is not None and shoe.pack.cards.faces == "down"
    called_out = coup.totals_called or coup.result_called
    if not face_down or called_out is not None or coup.over:
        return set(places)
    turned = {(turn.hand, turn.nth) for turn in _turns(coup)}
    return {place for place in places if place in turned or place[1] > FIRST_TWO}


def _turns(coup: Coup) -> Iterator[CardTurned]:
    for event in coup.turned:
        yield event.payload


def _drawn(coup: Coup) -> Iterator[tuple[Hand, int, CardDrawn]]:
    count: Counter[tuple[Hand, int | None]] = Counter()
    for event in coup.cards:
        hand = (event.payload.hand, event.payload.seat)
        count[hand] += 1
        yield event.payload.hand, count[hand], event.payload


def hand_shown(coup: Coup, side: Hand, shown: set[tuple[Hand, int]]) -> FeltHand:
    """Return a hand of a coup with the cards that are face up."""
    cards = tuple(
        FeltCard(
            drawn.card if (hand, nth) in shown else None, drawn.place, drawn.back, drawn.face_up
        )
        for hand, nth, drawn in _drawn(coup)
        if hand == side
    )
    faces = [card.card for card in cards if card.card is not None]
    known = bool(cards) and len(faces) == len(cards)
    points = total(faces) if known else None
    natural = points is not None and len(cards) == FIRST_TWO and is_natural(points)
    return FeltHand(cards, points, natural, _called_total(coup, side))


def _called_total(coup: Coup, side: Hand) -> int | None:
    """Return the total last called for a hand."""
    for event in (coup.result_called, coup.totals_called):
        if event is None:
            continue
        if isinstance(event.payload, HandsCalled):
            return next((each.total for each in event.payload.totals if each.hand == side), None)
        called = event.payload.player if side == "player" else event.payload.banker
        if called is not None:
            return called
    return None


def _bet(shoe: Shoe, bet: Bet) -> FeltBet:
    payload = bet.placed.payload
    seat = payload.seat
    if seat is None:
        seat = next((s for s, patron in shoe.seats.items() if patron == bet.patron), None)
    return FeltBet(
        bet.number,
        bet.patron,
        bet.wager,
        bet.amount,
        seat,
        bet.carried,
        bool(bet.changes),
        bet_state(bet),
        bet.paid,
        bet.taken,
        bet.marked,
        bet.collected,
    )


def bet_state(bet: Bet) -> BetState:
    """Return the state of a bet."""
    if bet.paid:
        return "paid"
    if bet.taken:
        return "taken"
    if bet.pushed:
        return "pushed"
    return "withdrawn" if bet.withdrawn else "stands"


def dealt_outcome(coup: Coup) -> Outcome | None:
    """Return the outcome of a coup's cards. None before each hand has two."""
    if len(coup.player) < FIRST_TWO or len(coup.banker) < FIRST_TWO:
        return None
    player_total, banker_total = total(coup.player), total(coup.banker)
    if player_total == banker_total:
        return "T"
    return "P" if player_total > banker_total else "B"


def called_outcome(coup: Coup) -> Outcome | None:
    """Return the outcome that the dealer announced, or None."""
    event = coup.result_called
    return event.payload.outcome if event and is_of(event, ResultCalled) else None


def own_hands(shoe: Shoe, coup: Coup, rules: MacaoRules) -> tuple[FeltHand, tuple[FeltOther, ...]]:
    """Return the banker's hand, and the punters' hands in turn."""
    *punters, banker = hands_in_turn(shoe, coup)
    others = (FeltOther(hand.who, hand.seat, _hand(shoe, coup, rules, hand)) for hand in punters)
    return _hand(shoe, coup, rules, banker), tuple(others)


def _hand(shoe: Shoe, coup: Coup, rules: MacaoRules, hand: OwnHand) -> FeltHand:
    hidden = shoe.pack is not None and shoe.pack.cards.faces == "down"
    open_ = not hidden or coup.result_called is not None or coup.over
    turned = {event.payload.nth for event in coup.turned if _is_of(event.payload, hand)}
    cards = tuple(
        FeltCard(
            drawn.card if open_ or nth > rules.dealt or nth in turned else None,
            drawn.place,
            drawn.back,
            drawn.face_up,
        )
        for nth, drawn in enumerate(_cards_in_hand(coup, hand), 1)
    )
    faces = [card.card for card in cards if card.card is not None]
    if not faces or len(faces) < len(cards):
        return FeltHand(cards, None, called=_called(coup, hand))
    score = score_of(rules, faces)
    return FeltHand(cards, score.total, score.natural, _called(coup, hand), bust=score.bust)


def _is_of(payload: "ev.CardDrawn | ev.CardTurned | CardRejected", hand: OwnHand) -> bool:
    return (payload.hand, payload.seat) == (hand.hand, hand.seat)


def _cards_in_hand(coup: Coup, hand: OwnHand) -> list[ev.CardDrawn]:
    """Return a hand's cards in order, without rejected ones."""
    lying: list[ev.CardDrawn] = []
    for event in coup.in_time:
        match event.payload:
            case ev.CardDrawn() if _is_of(event.payload, hand):
                lying.append(event.payload)
            case CardRejected() if _is_of(event.payload, hand) and lying:
                lying.pop()
            case _:
                pass
    return lying


def _called(coup: Coup, hand: OwnHand) -> int | None:
    event = coup.result_called
    if event is None or not is_of(event, HandsCalled):
        return None
    totals = {(each.hand, each.seat): each.total for each in event.payload.totals}
    return totals.get((hand.hand, hand.seat))


def tableau_hands(shoe: Shoe, coup: Coup) -> tuple[FeltOther, ...]:
    """Return the hands of both tableaux, the right one first.

    Outcomes are included once the hands are called, or the coup is closed.
    """
    shown = faces_shown(shoe, coup)
    done = coup.result_called is not None or coup.closed is not None
    return tuple(
        FeltOther(
            given_to(coup, tableau) or "",
            None,
            hand_shown(coup, tableau, shown),
            tableau,
            outcome_at(coup, tableau) if done else None,
        )
        for tableau in TABLEAUX
    )
