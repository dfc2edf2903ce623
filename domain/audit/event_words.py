"""Events in words, for the messages of findings."""

from collections.abc import Sequence
from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.card_batch import CardsSealed
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.labels import hand_label, wager_label
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.money_text import HasRulePack, format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import format_card


def name_stake(shoe: HasRulePack, patron: str, amount: int, wager: str) -> str:
    """Return a stake in words, for example ``ann's 10.00 EUR on Banker``."""
    return f"{patron}'s {format_money(shoe, amount)} on {wager_label(wager)}"


def name_bet(shoe: HasRulePack, bet: Bet) -> str:
    """Return a bet in words: patron, amount and wager."""
    return name_stake(shoe, bet.patron, bet.amount, bet.wager)


def event_in_words(shoe: Shoe, payload: ev.Event) -> str:
    """Return an event with its patron, amount, wager and card where it has them.

    For example ``ann's 10.00 EUR on Banker``, ``9♣ to Player`` or ``the collection of commission
    (0.25 EUR, ann)``.
    """
    match payload:
        case ev.CardDrawn():
            said = f"{format_card(payload.card)} to {hand_label(payload.hand, payload.seat)}"
        case ev.CardTurned():
            hand = hand_label(payload.hand, payload.seat)
            said = f"the turning of card {payload.nth} of {hand}"
        case bank_ev.ChoiceMade():
            said = f"the choice to {payload.choice} for {hand_label(payload.hand, payload.seat)}"
        case ev.CardBurned(card=card) if card is not None:
            said = f"{format_card(card)} burned"
        case ev.BetPlaced() | ev.BetCarried():
            said = name_stake(shoe, payload.patron, payload.amount, payload.wager)
        case _:
            noun, number = event_noun(payload), getattr(payload, "bet", None)
            if number is None:
                return noun + _details(shoe, payload)
            noun = noun.removesuffix(" of the bet").removesuffix(" of part")
            said = noun + _of_bet(shoe, payload, number)
    return said


def _details(shoe: Shoe, payload: ev.Event) -> str:
    """Return the amount, the hand and the person of an event, in parentheses."""
    amount, hand = getattr(payload, "amount", None), getattr(payload, "hand", None)
    who = getattr(payload, "patron", None) or getattr(payload, "by", None)
    said = [
        format_money(shoe, amount) if isinstance(amount, int) else "",
        hand_label(hand, getattr(payload, "seat", None)) if isinstance(hand, str) else "",
        who if isinstance(who, str) else "",
    ]
    told = ", ".join(filter(None, said))
    return f" ({told})" if told else ""


def _of_bet(shoe: Shoe, payload: ev.Event, number: int) -> str:
    """Return the amount of an event and the bet that it is about."""
    amount = getattr(payload, "amount", None)
    joint = "to" if isinstance(payload, ev.BetChanged) else "of"
    money = f" {joint} {format_money(shoe, amount)}" if isinstance(amount, int) else ""
    bet = _bet_of(shoe, payload, number)
    if bet is None:
        return f"{money} for bet {number}, which is not on record"
    return f"{money} for {name_stake(shoe, bet.patron, bet.amount, bet.wager)}"


def _bet_of(shoe: Shoe, payload: ev.Event, number: int) -> Bet | None:
    coup = shoe.coups.get(getattr(payload, "coup", None) or 0)
    return coup.bets.get(number) if coup is not None else None


_TWICE: Final[dict[type, str]] = {
    ev.CoupOpened: "opened",
    ev.CoupClosed: "closed",
    ev.CoupVoided: "voided",
}


def unmatched_in_words(shoe: Shoe, coup: Coup | None, payload: ev.Event) -> str:
    """Return how an event of a shoe does not fit the events before it."""
    said = event_in_words(shoe, payload)
    if coup is None:
        return f"{said} {_unmatched_of_shoe(shoe, payload)}"
    name, number = shoe.coup_name(coup.number), getattr(payload, "bet", None)
    if number is not None and number not in coup.bets:
        return f"{_done_to(shoe, payload, number)} in {name}, and nobody placed it"
    match payload:
        case ev.BetPlaced() | ev.BetCarried():
            first = event_in_words(shoe, coup.bets[payload.bet].placed.payload)
            twice = f"bet number {number} was used twice in {name}"
            return f"{twice}: {said} has the number of {first}"
        case ev.CoupOpened() | ev.CoupClosed() | ev.CoupVoided():
            return f"{name} was {_TWICE[type(payload)]} twice"
        case ev.BetWithdrawn():
            reason = "the bet had been withdrawn already"
        case _:
            reason = "the hand did not have the card"
    return f"{said} in {name}: {reason}"


def unmatched_of_batch(payload: ev.Event) -> str:
    """Return how an event of a batch of cards does not fit the events before it."""
    does_not_fit = "refers to something never recorded"
    if isinstance(payload, CardsSealed):
        does_not_fit = f"repeats seal {payload.seal}, which is closed already"
    return f"{event_noun(payload)} {does_not_fit}"


def _unmatched_of_shoe(shoe: Shoe, payload: ev.Event) -> str:
    match payload:
        case bank_ev.BankUnlimited() | bank_ev.BankRaised() | bank_ev.BankWithdrawn():
            bank = _bank_before(shoe, payload)
            if bank is None:
                return "came without a bank on record"
            if bank.holder == payload.by:
                return f"came after {bank.holder}'s bank had been given up"
            return f"came from somebody else than {bank.holder}, who banked last"
        case ev.ShoeLoaded() | ev.ShoeEnded() | ev.CutCardReached():
            return "was recorded twice"
        case _:
            return "is not an event of a shoe"


def _bank_before(shoe: Shoe, payload: ev.Event) -> Bank | None:
    """Return the last bank that was put up before an unmatched event, or None."""
    at = next(event.position for event in shoe.unmatched_events if event.payload is payload)
    put_up = [bank for bank in shoe.banks if bank.posted.position < at]
    return put_up[-1] if put_up else None


_DONE: Final[dict[type, str]] = {
    ev.BetPaid: "{money} was paid for {bet}",
    ev.BetTaken: "{money} was taken for {bet}",
    ev.BetPushed: "{bet} was pushed",
    ev.BetWithdrawn: "{bet} was withdrawn",
    ev.BetChanged: "{bet} was changed to {money}",
    ev.CommissionMarked: "commission of {money} was marked for {bet}",
    ev.CommissionCollected: "commission of {money} was collected from {who} for {bet}",
    bank_ev.ExcessReturned: "{money} was returned of {bet}",
}


def _done_to(shoe: Shoe, payload: ev.Event, number: int) -> str:
    """Return what an event did to a bet that is not on record, naming the bet by its number."""
    done = _DONE.get(type(payload), f"{event_noun(payload).removesuffix(' of the bet')} of {{bet}}")
    money = format_money(shoe, getattr(payload, "amount", 0))
    who = getattr(payload, "patron", "nobody")
    return done.format(money=money, bet=f"bet {number}", who=who)


def faces_of(cards: Sequence[ev.CardDrawn]) -> str:
    """Return cards by hand, for example ``Player 9♣ K♣, Banker K♣ 2♣``."""
    hands: dict[str, list[str]] = {}
    for card in cards:
        label = hand_label(card.hand, card.seat)
        hands.setdefault(label, []).append(format_card(card.card))
    return ", ".join(f"{hand} {' '.join(faces)}" for hand, faces in hands.items())
