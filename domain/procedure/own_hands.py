"""Separate hands at macao and victoria: their turns and their possible actions.

The cards go clockwise from the banker's left, the banker last (WIKIPEDIA_BACCARAT_MACAO). Seats are
numbered counter-clockwise. Each punter in turn draws until standing or unable to draw, and the
banker plays last.
"""

from collections.abc import Iterator
from typing import Literal

from msgspec import Struct

from sabot.domain.events import Hand
from sabot.domain.events.bank import ChoiceMade
from sabot.domain.rules.macao_hands import MacaoRules, Score, score_of
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import VALUE, Card

Step = Literal["card", "choice", "done"]


class OwnHand(Struct, frozen=True):
    """A separate hand: its holder, cards and decisions.

    ``asked`` counts the cards asked for, ``rejected`` the cards rejected. ``stood`` is True once
    the holder declined further cards.
    """

    hand: Hand
    seat: int | None
    who: str
    cards: tuple[Card, ...]
    asked: int
    stood: bool
    rejected: int

    def score(self, rules: MacaoRules) -> Score:
        """Return the score of the hand."""
        return score_of(rules, self.cards)

    def may_reject(self, rules: MacaoRules) -> bool:
        """Return whether the last card, a ten or face just drawn, may be rejected."""
        drew = self.asked and len(self.cards) == rules.dealt + self.asked
        return bool(rules.reject and drew and not self.stood and VALUE[self.cards[-1]] == 0)

    def may_draw(self, rules: MacaoRules) -> bool:
        """Return whether the hand may take another card."""
        most = rules.most_cards
        return not self.score(rules).bust and (most is None or len(self.cards) < most)

    def step(self, rules: MacaoRules) -> Step:
        """Return what the hand may do after its first cards."""
        if self.score(rules).bust:
            return "done"
        if len(self.cards) < rules.dealt + self.asked and self.may_draw(rules):
            return "card"
        if self.stood or not (self.may_draw(rules) or self.may_reject(rules)):
            return "done"
        return "choice"


def seat_of(bet: Bet) -> int | None:
    """Return the seat of the hand on which a bet is placed, or None if not recorded."""
    payload = bet.placed.payload
    return payload.seat


def bet_at(coup: Coup, seat: int | None) -> Bet | None:
    """Return the first open bet on a seat's hand."""
    standing = (bet for bet in coup.bets.values() if not bet.withdrawn and seat_of(bet) == seat)
    return next(standing, None) if seat is not None else None


def in_turn(shoe: Shoe, coup: Coup) -> list[int]:
    """Return the seats with a hand, in turn.

    Seats already dealt to keep the order of their first cards.
    """
    staked = {seat_of(bet) for bet in coup.bets.values() if not bet.withdrawn}
    dealt: list[int] = []
    for event in coup.cards:
        payload = event.payload
        if payload.hand == "patron" and payload.seat is not None:
            dealt += [payload.seat] * (payload.seat not in dealt)
    waiting = {seat for seat in staked if seat is not None and seat not in dealt}
    return [*dealt, *seats_clockwise(waiting, banker_seat(shoe, coup))]


def seats_clockwise(seats: set[int], after: int | None) -> list[int]:
    """Return seats in clockwise order (falling numbers), beginning left of seat ``after``.

    If ``after`` is None, the highest number comes first.
    """
    down = sorted(seats, reverse=True)
    if after is None:
        return down
    return [seat for seat in down if seat < after] + [seat for seat in down if seat >= after]


def banker_of(shoe: Shoe, coup: Coup) -> str | None:
    """Return the banker of a coup."""
    return (coup.banked.banker if coup.banked is not None else None) or shoe.holder


def banker_seat(shoe: Shoe, coup: Coup) -> int | None:
    """Return the banker's seat at the start of the coup."""
    banker = banker_of(shoe, coup)
    began = coup.events[0].position if coup.events else shoe.version
    sat = [seat for event, seat, name in shoe.seatings if name == banker and event.position < began]
    return sat[-1] if sat else None


def hands_in_turn(shoe: Shoe, coup: Coup) -> list[OwnHand]:
    """Return the hands of a coup, the banker's last."""
    hands = [
        _own_hand(coup, "patron", seat, _punter(shoe, coup, seat)) for seat in in_turn(shoe, coup)
    ]
    return [*hands, _own_hand(coup, "banker", None, banker_of(shoe, coup) or "banker")]


def _punter(shoe: Shoe, coup: Coup, seat: int) -> str:
    bet = bet_at(coup, seat)
    return bet.patron if bet is not None else shoe.seats.get(seat, f"seat {seat}")


def _own_hand(coup: Coup, hand: Hand, seat: int | None, who: str) -> OwnHand:
    mine = [
        payload for payload in decisions_of(coup) if (payload.hand, payload.seat) == (hand, seat)
    ]
    thrown = coup.banked.rejected if coup.banked is not None else []
    return OwnHand(
        hand,
        seat,
        who,
        tuple(cards_of(coup, hand, seat)),
        sum(payload.choice == "draw" for payload in mine),
        any(payload.choice == "stand" for payload in mine),
        sum((e.payload.hand, e.payload.seat) == (hand, seat) for e, _ in thrown),
    )


def decisions_of(coup: Coup) -> Iterator[ChoiceMade]:
    """Yield the decisions of a coup, in order."""
    for event in coup.banked.choices if coup.banked is not None else ():
        yield event.payload


def cards_of(coup: Coup, hand: Hand, seat: int | None) -> list[Card]:
    """Return the cards of a hand, empty if it has none, without changing the coup."""
    if hand == "banker":
        return coup.banker
    return coup.player if hand == "player" else coup.others.get((hand, seat), [])
