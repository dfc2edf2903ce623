"""Cards that come when their coup is closed: which of them are of its hands all the same.

A coup that is closed is over on the cards that lay there: what comes surely behind the close is in
none of its hands, be it due to one or not. So a wrong stand stays one, whatever is drawn later.

But a close may be a slip of the hand, or reach the log before a card that was in time. Where
nobody knows which of the two came first, the card is its hand's. And where the close decided
nothing, since bets lay there and no result was called, a card that a hand still waited for is the
hand's: the coup went on. Unless the result is then called, behind the close, on what lay there
before it: so it was over after all.
"""

from typing import Final

from sabot.domain.events import CardDrawn, ResultCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.coup_result import result_of
from sabot.domain.rules.third_card_table import banker_draws, player_draws
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe_state import Shoe
from sabot.domain.timeline.ordering import Order
from sabot.domain.values.cards import FIRST_TWO, Card, total

_AS_THEY_CAME: Final = Order([], {}, as_recorded=True)


def is_late(shoe: Shoe, coup: Coup, drawn: RecordedEvent[CardDrawn]) -> bool:
    """Tell whether a card came behind the close of its coup, and is in none of its hands."""
    closed = coup.closed
    if closed is None or shoe.coverage == "coups" or not _came_after_close(shoe, closed, drawn):
        # a record of coups alone does not give the order of the cards
        return False
    payload = drawn.payload
    if len(coup.hand(payload.hand, payload.seat)) < _first_card_count(shoe):
        return False
    return not _hand_is_waiting(shoe, coup, payload) or (
        _is_decided(coup) and _is_known(closed, drawn)
    )


def leave_behind(shoe: Shoe, coup: Coup, call: ResultCalled) -> None:
    """Take third cards that came behind the close off their hands, if the result leaves them out.

    It does where it is called rightly on the cards that lay there, and wrongly on all.
    """
    closed = coup.closed
    if closed is None or coup.result_called is not None or coup.reassigned:
        return
    thirds = [
        card
        for card in coup.cards[2 * FIRST_TWO :]
        if card.position > closed.position
        and _came_after_close(shoe, closed, card)
        and _is_known(closed, card)
    ]
    hands = [card.payload.hand for card in thirds]
    player = coup.player[: len(coup.player) - hands.count("player")]
    banker = coup.banker[: len(coup.banker) - hands.count("banker")]
    if not thirds or shoe.coverage == "coups" or min(len(player), len(banker)) < FIRST_TWO:
        return
    if _is_of(call, player, banker) and not _is_of(call, coup.player, coup.banker):
        coup.player[:], coup.banker[:] = player, banker
        coup.cards[:] = [card for card in coup.cards if card not in thirds]
        coup.late += thirds


def _is_of(call: ResultCalled, player: list[Card], banker: list[Card]) -> bool:
    """Tell whether a result is called as the cards have it."""
    result = result_of(player, banker)
    right = (result.player, result.banker, result.outcome)
    return all(
        said in (None, due)
        for said, due in zip((call.player, call.banker, call.outcome), right, strict=True)
    )


def _came_after_close(shoe: Shoe, closed: RecordedEvent, drawn: RecordedEvent) -> bool:
    """Tell whether a card came behind a close that was told before it, as far as anybody knows.

    Of one device its numbers tell; of two their clocks, and where the pack says what these are
    worth nobody knows before the events are put in their order at the table.
    """
    if drawn.device == closed.device:
        return drawn.seq is None or closed.seq is None or drawn.seq > closed.seq
    if shoe.order is None and shoe.pack is not None and shoe.pack.clocks is not None:
        return False
    return (shoe.order or _AS_THEY_CAME).why_unknown(closed, drawn) is None


def _is_known(closed: RecordedEvent, drawn: RecordedEvent) -> bool:
    """Tell whether more than their coming to the log tells which of the two came first."""
    return drawn.device == closed.device or None not in (drawn.at_us, closed.at_us)


def _is_decided(coup: Coup) -> bool:
    """Tell whether a coup was over with its close.

    It was not where bets lay there that nobody had moved, nor called a result for; nor is a no-bet
    hand before its cards are dealt to the end.
    """
    ruled = coup.refund_ruling
    if ruled is not None and ruled.payload.ruling == "no-bet-hand":
        return False
    bets = [bet for bet in coup.bets.values() if not bet.withdrawn]
    return coup.result_called is not None or not bets or any(bet.moves for bet in bets)


def _first_card_count(shoe: Shoe) -> int:
    """Return how many cards a hand is dealt before anybody chooses, or the tableau does."""
    macao = shoe.pack.macao if shoe.pack is not None else None
    return macao.dealt if macao is not None else FIRST_TWO


def _hand_is_waiting(shoe: Shoe, coup: Coup, payload: CardDrawn) -> bool:
    """Tell whether a hand waits for one card more: it was asked for, or is due."""
    cards = coup.hand(payload.hand, payload.seat)
    said = [
        event.payload.choice
        for event in (coup.banked.choices if coup.banked is not None else ())
        if (event.payload.hand, event.payload.seat) == (payload.hand, payload.seat)
    ]
    if said:
        return said.count("draw") > len(cards) - _first_card_count(shoe)
    plain = shoe.pack is None or shoe.pack.macao is None
    return plain and len(cards) == FIRST_TWO and _third_is_due(coup, payload, cards)


def _third_is_due(coup: Coup, payload: CardDrawn, cards: list[Card]) -> bool:
    """Tell whether a third card is due by the tableau, where nobody told what was chosen."""
    banker_total = total(coup.banker[:FIRST_TWO])
    if payload.hand != "banker":
        return player_draws(total(cards), banker_total)
    third = total(coup.player[FIRST_TWO : FIRST_TWO + 1]) if len(coup.player) > FIRST_TWO else None
    return len(coup.player) >= FIRST_TWO and banker_draws(
        total(coup.player[:FIRST_TWO]), banker_total, third
    )
