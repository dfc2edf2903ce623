"""Events in words, for the messages of findings."""

from collections.abc import Sequence
from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import name_of
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import HasRulePack, format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import format_card

_NOUNS: Final = {
    "bet-placed": "the placing of the bet",
    "bet-carried": "the carrying of the bet",
    "bet-changed": "the change of the bet",
    "bet-withdrawn": "the withdrawal of the bet",
    "bet-taken": "the taking of the bet",
    "bet-paid": "the payment of the bet",
    "bet-pushed": "the push of the bet",
    "no-more-bets": 'the call "no more bets"',
    "card-drawn": "the drawing of a card",
    "totals-called": "the call of the totals",
    "result-called": "the call of the result",
    "hands-called": "the call of the hands",
    "coup-opened": "the opening of the coup",
    "coup-closed": "the close of the coup",
    "coup-voided": "the void of the coup",
    "shoe-ended": "the end of the shoe",
}
"""The nouns for events that messages compare. Others follow from the type."""


def name_stake(shoe: HasRulePack, patron: str, amount: int, wager: str) -> str:
    """Return a stake in words, for example ``ann's 10.00 EUR on Banker``."""
    return f"{patron}'s {format_money(shoe, amount)} on {wager_label(wager)}"


def event_noun(payload: ev.Event) -> str:
    """Return an event as a noun.

    For example ``the call of the result``, or ``the event bank-posted`` for a type without a noun.
    """
    name = name_of(payload)
    return _NOUNS.get(name) or f"the event {name}"


def event_in_words(shoe: Shoe, payload: ev.Event) -> str:
    """Return an event with its patron, amount, wager and card where it has them.

    For example ``ann's 10.00 EUR on Banker`` or ``9♣ to Player``.
    """
    match payload:
        case ev.CardDrawn():
            return f"{format_card(payload.card)} to {hand_label(payload.hand, payload.seat)}"
        case ev.CardBurned(card=card) if card is not None:
            return f"{format_card(card)} burned"
        case ev.BetPlaced() | ev.BetCarried():
            return name_stake(shoe, payload.patron, payload.amount, payload.wager)
        case _:
            details = _details(shoe, payload)
            noun = event_noun(payload)
            return (noun.removesuffix(" of the bet") if details else noun) + details


def _details(shoe: Shoe, payload: ev.Event) -> str:
    """Return the bet and the amount of an event, or the person and the amount. Or nothing."""
    amount = getattr(payload, "amount", None)
    joint = "to" if isinstance(payload, ev.BetChanged) else "of"
    money = f" {joint} {format_money(shoe, amount)}" if isinstance(amount, int) else ""
    number = getattr(payload, "bet", None)
    if number is None:
        who = getattr(payload, "patron", None) or getattr(payload, "by", None)
        return money + (f" by {who}" if isinstance(who, str) else "")
    bet = _bet_of(shoe, payload, number)
    if bet is None:
        return f"{money} for bet {number}, which is not on record"
    return f"{money} for {name_stake(shoe, bet.patron, bet.amount, bet.wager)}"


def _bet_of(shoe: Shoe, payload: ev.Event, number: int) -> Bet | None:
    coup = shoe.coups.get(getattr(payload, "coup", None) or 0)
    return coup.bets.get(number) if coup is not None else None


def faces_of(cards: Sequence[ev.CardDrawn]) -> str:
    """Return cards by hand, for example ``Player 9♣ K♣, Banker K♣ 2♣``."""
    hands: dict[str, list[str]] = {}
    for card in cards:
        label = hand_label(card.hand, card.seat)
        hands.setdefault(label, []).append(format_card(card.card))
    return ", ".join(f"{hand} {' '.join(faces)}" for hand, faces in hands.items())
