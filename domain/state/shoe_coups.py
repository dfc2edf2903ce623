"""Handlers for coups: opening, cards, calls, faults, voids and the close."""

from collections.abc import Sequence
from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.projection import Handlers
from sabot.domain.state.shoe_state import CutCard, Shoe, banked_of, coup_in_play
from sabot.domain.timeline.ordering import Order
from sabot.domain.values.cards import FIRST_TWO, VALUE

_AS_RECORDED: Final = Order([], {}, as_recorded=True)


def _coup_opened(shoe: Shoe, event: RecordedEvent[ev.CoupOpened]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    shoe.current = coup
    if coup.opened is None:
        coup.opened, coup.free = event, payload.free
    else:
        coup.unmatched_events.append(event)
    if shoe.bank is not None:
        banked_of(shoe, coup)


def _no_more_bets(shoe: Shoe, event: RecordedEvent[ev.NoMoreBets]) -> None:
    number = event.payload.coup
    coup = shoe.coups.get(number) or shoe.coup(number)
    coup.events.append(event)
    if coup.no_more_bets is None:
        coup.no_more_bets = event


def _card_burned(shoe: Shoe, event: RecordedEvent[ev.CardBurned]) -> None:
    payload = event.payload
    shoe.burned.append(event)
    coup = shoe.current if payload.coup is None else shoe.coup(payload.coup)
    if coup is None:
        shoe.left.append(event)
        return
    drawn = drawn_before(shoe.left, coup, payload)
    if drawn is not None or payload.coup is not None:
        coup.events.append(event)
    if drawn is None:
        shoe.left.append(event)
    else:
        shoe.burned_off_hands.add(event.position)
        _take_off(coup, drawn, event)


def drawn_before(
    left: Sequence[RecordedEvent], coup: Coup, payload: ev.CardBurned
) -> RecordedEvent[ev.CardDrawn] | None:
    """Return the event that drew a card burned later.

    None if the card was still in the shoe. The draw has the same place in the shoe as the burned
    card. If a ruling burned the card and the burn gives no place, it is the last card out of the
    shoe, provided that this card belongs to the coup and has the same face. Source: a wrong card is
    burned (ARRETE_2007_ART_55_14).
    """
    for drawn in reversed([*coup.cards, *coup.late]):
        card = drawn.payload
        if payload.place is not None:
            same = card.place == payload.place
            if same and (payload.card is None or VALUE[payload.card] == VALUE[card.card]):
                return drawn
        elif payload.card is not None and payload.reason == "ruling":
            return drawn if drawn is left[-1] and card.card == payload.card else None
    return None


def _take_off(
    coup: Coup, drawn: RecordedEvent[ev.CardDrawn], burned: RecordedEvent[ev.CardBurned]
) -> None:
    """Remove a burned card from the hand to which it was dealt."""
    coup.removed_cards.append((drawn, burned))
    if drawn in coup.late:
        coup.late.remove(drawn)
        return
    payload = drawn.payload
    of_hand = [
        event
        for event in coup.cards
        if (event.payload.hand, event.payload.seat) == (payload.hand, payload.seat)
    ]
    hand = coup.hand(payload.hand, payload.seat)
    nth = of_hand.index(drawn)
    if nth < len(hand):
        del hand[nth]
    coup.cards.remove(drawn)


def _card_drawn(shoe: Shoe, event: RecordedEvent[ev.CardDrawn]) -> None:
    payload = event.payload
    coup = shoe.coups.get(payload.coup) or shoe.coup(payload.coup)
    coup.events.append(event)
    shoe.left.append(event)
    if coup.closed is not None and _is_late(shoe, coup, coup.closed, event):
        coup.late.append(event)
        return
    coup.cards.append(event)
    if payload.hand == "player":
        coup.player.append(payload.card)
    elif payload.hand == "banker":
        coup.banker.append(payload.card)
    else:
        coup.hand(payload.hand, payload.seat).append(payload.card)


def _is_late(
    shoe: Shoe, coup: Coup, closed: RecordedEvent, drawn: RecordedEvent[ev.CardDrawn]
) -> bool:
    """Return whether a card came after the close that decided its coup, and is in no hand.

    The cards on the table decide a coup when it is closed, so a later card does not correct a wrong
    stand. The close decides nothing if it came too early: the hand lacks its first cards, or the
    coup has bets, none was settled and no result was called. It does not decide a no-bet hand,
    which is over once its cards are dealt.
    """
    macao = shoe.pack.macao if shoe.pack is not None else None
    hand = coup.hand(drawn.payload.hand, drawn.payload.seat)
    if len(hand) < (FIRST_TWO if macao is None else macao.dealt):
        return False
    ruled = coup.refund_ruling
    if ruled is not None and ruled.payload.ruling == "no-bet-hand":
        return False
    bets = [bet for bet in coup.bets.values() if not bet.withdrawn]
    decided = coup.result_called is not None or not bets or any(bet.moves for bet in bets)
    return decided and shoe.coverage == "whole" and _came_after(shoe, closed, drawn)


def _came_after(shoe: Shoe, closed: RecordedEvent, drawn: RecordedEvent) -> bool:
    """Return whether a card is known to have come after a close that was recorded before it.

    Sequence numbers decide for one device, clocks for two. If the pack states a clock tolerance,
    the order of two devices is unknown until the events are put in table order.
    """
    if drawn.device == closed.device:
        return drawn.seq is None or closed.seq is None or drawn.seq > closed.seq
    if drawn.at_us is None or closed.at_us is None:
        return False
    if shoe.order is None and shoe.pack is not None and shoe.pack.clocks is not None:
        return False
    return (shoe.order or _AS_RECORDED).why_unknown(closed, drawn) is None


def _card_turned(shoe: Shoe, event: RecordedEvent[ev.CardTurned]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    if payload.nth > _dealt_to(coup, payload) and shoe.coverage == "whole" and shoe.left:
        coup.unmatched_events.append(event)
    else:
        coup.turned.append(event)


def _dealt_to(coup: Coup, turned: ev.CardTurned) -> int:
    """Return how many cards a hand was dealt, including cards removed later.

    If the event gives no seat in a game in which each patron has a hand, the cards of all these
    hands count.
    """
    hand, seat = turned.hand, turned.seat
    held = len(coup.player) if hand == "player" else len(coup.banker) if hand == "banker" else 0
    if turned.nth <= held:
        return held
    drawn = (*coup.cards, *coup.late, *(each for each, _ in coup.removed_cards))
    payloads = [each.payload for each in drawn]
    mine = [
        each
        for each in payloads
        if each.hand == hand and (seat is None or each.seat in (None, seat))
    ]
    return max(held, len(mine))


def _totals_called(shoe: Shoe, event: RecordedEvent[ev.TotalsCalled]) -> None:
    coup = shoe.coup(event.payload.coup)
    coup.events.append(event)
    coup.calls.append(event)
    coup.totals_called = event


def _result_called(shoe: Shoe, event: RecordedEvent[ev.ResultCalled | bank_ev.HandsCalled]) -> None:
    payload = event.payload
    coup = shoe.coups.get(payload.coup) or shoe.coup(payload.coup)
    coup.events.append(event)
    coup.calls.append(event)
    coup.result_called = event


def _coup_closed(shoe: Shoe, event: RecordedEvent[ev.CoupClosed]) -> None:
    number = event.payload.coup
    coup = shoe.coups.get(number) or shoe.coup(number)
    coup.events.append(event)
    if coup.closed is not None:
        coup.unmatched_events.append(event)
        return
    coup.closed = event
    if shoe.current is coup:
        shoe.current = None
    if shoe.bank is not None and coup.banked is not None:
        shoe.bank.coups += 1


def _coup_voided(shoe: Shoe, event: RecordedEvent[ev.CoupVoided]) -> None:
    coup = shoe.coup(event.payload.coup)
    coup.events.append(event)
    if coup.voided is not None:
        coup.unmatched_events.append(event)
        return
    coup.voided = event
    if shoe.current is coup:
        shoe.current = None
    if shoe.bank is not None and coup.banked is not None and not coup.bets:
        # without bets, the coup still counts as played by the banker
        shoe.bank.coups += 1


def _irregularity(shoe: Shoe, event: RecordedEvent[ev.IrregularityNoted]) -> None:
    payload = event.payload
    shoe.irregularities.append(event)
    coup = coup_in_play(shoe) if payload.coup is None else shoe.coup(payload.coup)
    if coup is not None:
        coup.events.append(event)
        coup.irregularities.append(event)


def _shuffler_failed(shoe: Shoe, event: RecordedEvent[ev.ShufflerFailed]) -> None:
    payload = event.payload
    shoe.shuffler_faults.append(event)
    # the shuffler works during any coup, so its fault must not create one
    coup = coup_in_play(shoe) if payload.coup is None else shoe.coups.get(payload.coup)
    if coup is not None:
        coup.events.append(event)


def _cut_card_reached(shoe: Shoe, event: RecordedEvent[ev.CutCardReached]) -> None:
    if shoe.cut_card is not None:
        shoe.unmatched_events.append(event)
        return
    begun = max((coup.number for coup in shoe.coups.values() if coup.events), default=0)
    shoe.cut_card = CutCard(event, _in_play_at(shoe, event.payload), begun)


def _in_play_at(shoe: Shoe, payload: ev.CutCardReached) -> int | None:
    """Return the coup in which the cut card appeared. None if between coups.

    It is the coup of the next card after the cut card, even if that card was recorded earlier.
    """
    shown = payload.drawn
    if shoe.stop_cards and shoe.decks:
        shown = shoe.size - shoe.stop_cards[-1].payload.behind
    if shown is not None and 0 <= shown < len(shoe.left):
        met = shoe.left[shown].payload.coup
        if met is not None and (payload.drawn == shown or met == max(shoe.coups)):
            return met
    latest = max(shoe.coups, default=0)
    if shoe.current is None:
        # the coup just over or the next one; a device cannot know a later one
        return payload.coup if payload.coup is not None and payload.coup <= latest + 1 else None
    told = shoe.current.number if payload.coup is None else payload.coup
    return min(told, shoe.current.number)


def _shoe_ended(shoe: Shoe, event: RecordedEvent[ev.ShoeEnded]) -> None:
    if shoe.ended is None:
        shoe.ended = event
    else:
        shoe.unmatched_events.append(event)


HANDLERS: Final = Handlers[Shoe]()
HANDLERS.on(ev.CardBurned, _card_burned)
HANDLERS.on(ev.CoupOpened, _coup_opened)
HANDLERS.on(ev.NoMoreBets, _no_more_bets)
HANDLERS.on(ev.CardDrawn, _card_drawn)
HANDLERS.on(ev.CardTurned, _card_turned)
HANDLERS.on(ev.TotalsCalled, _totals_called)
HANDLERS.on(ev.ResultCalled, _result_called)
HANDLERS.on(ev.CoupClosed, _coup_closed)
HANDLERS.on(ev.CoupVoided, _coup_voided)
HANDLERS.on(ev.ShufflerFailed, _shuffler_failed)
HANDLERS.on(ev.IrregularityNoted, _irregularity)
HANDLERS.on(ev.CutCardReached, _cut_card_reached)
HANDLERS.on(ev.ShoeEnded, _shoe_ended)
HANDLERS.on(bank_ev.HandsCalled, _result_called)
