"""Decide whether a card drawn after the close of its coup belongs to a hand.

The cards on the table decide a coup when it is closed. A card that was certainly drawn after the
close belongs to no hand, even if the hand should have drawn. So a wrong stand remains a wrong
stand.

There are two exceptions, because a close may be recorded by mistake, or too early. First, if the
order of card and close is unknown, the card belongs to its hand. Second, a close does not decide a
coup in which no bet is settled and no result is called. A card that a hand still waits for then
belongs to that hand. The second exception ends if a result is called later that is right only
without the card.
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
    """Return whether a card came after its coup's close and belongs to no hand."""
    closed = coup.closed
    if closed is None or shoe.coverage == "coups" or not _came_after_close(shoe, closed, drawn):
        # a record without the full sequence does not give the order of the cards
        return False
    payload = drawn.payload
    if len(coup.hand(payload.hand, payload.seat)) < _first_card_count(shoe):
        return False
    return not _hand_is_waiting(shoe, coup, payload) or (
        _is_decided(coup) and _is_known(closed, drawn)
    )


def _thirds_after_close(shoe: Shoe, coup: Coup) -> list[RecordedEvent[CardDrawn]]:
    """Return the third cards that were surely drawn after the close of their coup."""
    closed = coup.closed
    if closed is None:
        return []
    return [
        card
        for card in coup.cards[2 * FIRST_TWO :]
        if card.position > closed.position
        and _came_after_close(shoe, closed, card)
        and _is_known(closed, card)
    ]


def leave_behind(shoe: Shoe, coup: Coup, call: ResultCalled) -> None:
    """Remove third cards drawn after the close if the called result does not include them.

    It does not if the call is right for the cards before the close and wrong for all cards.
    """
    if coup.result_called is not None or coup.reassigned:
        return
    thirds = _thirds_after_close(shoe, coup)
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
    """Return whether a called result is right for the given cards."""
    result = result_of(player, banker)
    right = (result.player, result.banker, result.outcome)
    return all(
        said in (None, due)
        for said, due in zip((call.player, call.banker, call.outcome), right, strict=True)
    )


def _came_after_close(shoe: Shoe, closed: RecordedEvent, drawn: RecordedEvent) -> bool:
    """Return whether a card is known to have come after a close recorded before it.

    Sequence numbers decide for one device, clocks for two. If the pack states a clock tolerance,
    the order of two devices is unknown until the events are put in table order.
    """
    if drawn.device == closed.device:
        return drawn.seq is None or closed.seq is None or drawn.seq > closed.seq
    if shoe.order is None and shoe.pack is not None and shoe.pack.clocks is not None:
        return False
    return (shoe.order or _AS_THEY_CAME).why_unknown(closed, drawn) is None


def _is_known(closed: RecordedEvent, drawn: RecordedEvent) -> bool:
    """Return whether sequence numbers or clocks show which of two events came first.

    The order of recording alone is not enough.
    """
    return drawn.device == closed.device or None not in (drawn.at_us, closed.at_us)


def _is_decided(coup: Coup) -> bool:
    """Return whether the close decided the coup.

    It did not if the coup has bets, none was settled and no result was called. It does not decide a
    no-bet hand either, which is over once its cards are dealt.
    """
    ruled = coup.refund_ruling
    if ruled is not None and ruled.payload.ruling == "no-bet-hand":
        return False
    bets = [bet for bet in coup.bets.values() if not bet.withdrawn]
    return coup.result_called is not None or not bets or any(bet.moves for bet in bets)


def _first_card_count(shoe: Shoe) -> int:
    """Return how many cards a hand receives before any choice or drawing rule."""
    macao = shoe.pack.macao if shoe.pack is not None else None
    return macao.dealt if macao is not None else FIRST_TWO


def _hand_is_waiting(shoe: Shoe, coup: Coup, payload: CardDrawn) -> bool:
    """Return whether a hand still needs a card that it asked for or that is due."""
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
    """Return whether the drawing rules require a third card, if no choice was recorded."""
    banker_total = total(coup.banker[:FIRST_TWO])
    if payload.hand != "banker":
        return player_draws(total(cards), banker_total)
    third = total(coup.player[FIRST_TWO : FIRST_TWO + 1]) if len(coup.player) > FIRST_TWO else None
    return len(coup.player) >= FIRST_TWO and banker_draws(
        total(coup.player[:FIRST_TWO]), banker_total, third
    )
