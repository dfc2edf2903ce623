"""Handlers for a patron's bank: posting, raising, calls, withdrawals and levies."""

from collections.abc import Callable
from typing import Final, TypeVar

from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import BankedCoup
from sabot.domain.state.projection import Handler, Handlers
from sabot.domain.state.shoe_bets import bet_of
from sabot.domain.state.shoe_state import Shoe, banked_of, coup_in_play

C = TypeVar(
    "C",
    bound=bank_ev.BancoCalled
    | bank_ev.HandGiven
    | bank_ev.ChoiceMade
    | bank_ev.LevyAnnounced
    | bank_ev.TicketsDetached
    | bank_ev.TicketsTorn,
)
"""Type of the events that a banked coup stores unchanged."""


def _bank_posted(shoe: Shoe, event: RecordedEvent[bank_ev.BankPosted]) -> None:
    payload = event.payload
    shoe.bank = Bank(payload.by, event, shoe.match, payload.amount, put_in=payload.amount)
    shoe.banks.append(shoe.bank)
    shoe.match = None


def _bank_raised(shoe: Shoe, event: RecordedEvent[bank_ev.BankRaised]) -> None:
    payload = event.payload
    if shoe.bank is None:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.raised(event, payload.amount)
    coup = coup_in_play(shoe) if payload.coup is None else shoe.coup(payload.coup)
    if coup is not None:
        coup.events.append(event)
        banked_of(shoe, coup).raised.append(event)


def _bank_withdrawn(shoe: Shoe, event: RecordedEvent[bank_ev.BankWithdrawn]) -> None:
    if shoe.bank is None:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.withdrawn(event, event.payload.amount)


def _bank_unlimited(shoe: Shoe, event: RecordedEvent[bank_ev.BankUnlimited]) -> None:
    payload = event.payload
    if shoe.bank is None or shoe.bank.holder != payload.by:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.unlimited = True
    shoe.bank.moves.append(event)
    if payload.coup is not None:
        coup = shoe.coup(payload.coup)
        coup.events.append(event)
        banked_of(shoe, coup).unlimited = True


def _bank_called(shoe: Shoe, event: RecordedEvent[bank_ev.BankCalled]) -> None:
    coup = shoe.coup(event.payload.coup)
    coup.events.append(event)
    banked_of(shoe, coup).called = event


def _excess_returned(shoe: Shoe, event: RecordedEvent[bank_ev.ExcessReturned]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    banked_of(shoe, shoe.coup(payload.coup)).excess.append(event)
    if bet is not None:
        bet.returned += payload.amount
        bet.amount = max(0, bet.amount - payload.amount)
        bet.withdrawn = bet.withdrawn or not bet.amount


def _levy_taken(shoe: Shoe, event: RecordedEvent[bank_ev.LevyTaken]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    banked_of(shoe, coup).levies.append(event)
    if shoe.bank is not None:
        shoe.bank.levied(event, payload.amount)


def _card_rejected(shoe: Shoe, event: RecordedEvent[bank_ev.CardRejected]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    hand = coup.hand(payload.hand, payload.seat)
    if hand:
        banked_of(shoe, coup).rejected.append((event, hand.pop()))
    else:
        coup.unmatched_events.append(event)


def _banked_in(where: Callable[[BankedCoup], list[RecordedEvent[C]]]) -> Handler[Shoe, C]:
    """Return a handler that appends the event to one of its coup's lists."""

    def keep(shoe: Shoe, event: RecordedEvent[C]) -> None:
        coup = shoe.coup(event.payload.coup)
        coup.events.append(event)
        where(banked_of(shoe, coup)).append(event)

    return keep


HANDLERS: Final = Handlers[Shoe]()
HANDLERS.on(bank_ev.BankPosted, _bank_posted)
HANDLERS.on(bank_ev.BankRaised, _bank_raised)
HANDLERS.on(bank_ev.BankWithdrawn, _bank_withdrawn)
HANDLERS.on(bank_ev.BankCalled, _bank_called)
HANDLERS.on(bank_ev.BankUnlimited, _bank_unlimited)
HANDLERS.on(bank_ev.BancoCalled, _banked_in(lambda banked: banked.claims))
HANDLERS.on(bank_ev.ExcessReturned, _excess_returned)
HANDLERS.on(bank_ev.HandGiven, _banked_in(lambda banked: banked.given))
HANDLERS.on(bank_ev.ChoiceMade, _banked_in(lambda banked: banked.choices))
HANDLERS.on(bank_ev.CardRejected, _card_rejected)
HANDLERS.on(bank_ev.LevyTaken, _levy_taken)
HANDLERS.on(bank_ev.LevyAnnounced, _banked_in(lambda banked: banked.announced))
HANDLERS.on(bank_ev.TicketsDetached, _banked_in(lambda banked: banked.tickets))
HANDLERS.on(bank_ev.TicketsTorn, _banked_in(lambda banked: banked.torn))
