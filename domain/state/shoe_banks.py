"""What a patron's bank does to a shoe: put up, raised, called, paid out of and given up."""

from collections.abc import Callable
from typing import Final, TypeVar

from sabot.domain.events import bank as k
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import BankedCoup
from sabot.domain.state.projection import Handler, Handlers
from sabot.domain.state.shoe_bets import bet_of
from sabot.domain.state.shoe_state import Shoe, banked_of

C = TypeVar(
    "C",
    bound=k.BancoCalled
    | k.HandGiven
    | k.ChoiceMade
    | k.LevyAnnounced
    | k.TicketsDetached
    | k.TicketsTorn,
)
"""What a coup that a patron banks keeps as it comes."""


def _bank_posted(shoe: Shoe, event: RecordedEvent[k.BankPosted]) -> None:
    payload = event.payload
    shoe.bank = Bank(payload.by, event, shoe.match, payload.amount, put_in=payload.amount)
    shoe.banks.append(shoe.bank)
    shoe.match = None


def _bank_raised(shoe: Shoe, event: RecordedEvent[k.BankRaised]) -> None:
    payload = event.payload
    if shoe.bank is None:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.raised(event, payload.amount)
    if payload.coup is not None:
        coup = shoe.coup(payload.coup)
        coup.events.append(event)
        banked_of(shoe, coup).raised.append(event)


def _bank_withdrawn(shoe: Shoe, event: RecordedEvent[k.BankWithdrawn]) -> None:
    if shoe.bank is None:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.withdrawn(event, event.payload.amount)


def _bank_unlimited(shoe: Shoe, event: RecordedEvent[k.BankUnlimited]) -> None:
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


def _bank_called(shoe: Shoe, event: RecordedEvent[k.BankCalled]) -> None:
    coup = shoe.coup(event.payload.coup)
    coup.events.append(event)
    banked_of(shoe, coup).called = event


def _excess_returned(shoe: Shoe, event: RecordedEvent[k.ExcessReturned]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    banked_of(shoe, shoe.coup(payload.coup)).excess.append(event)
    if bet is not None:
        bet.returned += payload.amount
        bet.amount = max(0, bet.amount - payload.amount)
        bet.withdrawn = bet.withdrawn or not bet.amount


def _levy_taken(shoe: Shoe, event: RecordedEvent[k.LevyTaken]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    banked_of(shoe, coup).levies.append(event)
    if shoe.bank is not None:
        shoe.bank.levied(event, payload.amount)


def _card_rejected(shoe: Shoe, event: RecordedEvent[k.CardRejected]) -> None:
    payload = event.payload
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    hand = coup.hand(payload.hand, payload.seat)
    if hand:
        banked_of(shoe, coup).rejected.append((event, hand.pop()))
    else:
        coup.unmatched_events.append(event)


def _banked_in(where: Callable[[BankedCoup], list[RecordedEvent[C]]]) -> Handler[Shoe, C]:
    """Keep the event in one of the lists of its coup; nothing else follows from it."""

    def keep(shoe: Shoe, event: RecordedEvent[C]) -> None:
        coup = shoe.coup(event.payload.coup)
        coup.events.append(event)
        where(banked_of(shoe, coup)).append(event)

    return keep


HANDLERS: Final = Handlers[Shoe]()
HANDLERS.on(k.BankPosted, _bank_posted)
HANDLERS.on(k.BankRaised, _bank_raised)
HANDLERS.on(k.BankWithdrawn, _bank_withdrawn)
HANDLERS.on(k.BankCalled, _bank_called)
HANDLERS.on(k.BankUnlimited, _bank_unlimited)
HANDLERS.on(k.BancoCalled, _banked_in(lambda banked: banked.claims))
HANDLERS.on(k.ExcessReturned, _excess_returned)
HANDLERS.on(k.HandGiven, _banked_in(lambda banked: banked.given))
HANDLERS.on(k.ChoiceMade, _banked_in(lambda banked: banked.choices))
HANDLERS.on(k.CardRejected, _card_rejected)
HANDLERS.on(k.LevyTaken, _levy_taken)
HANDLERS.on(k.LevyAnnounced, _banked_in(lambda banked: banked.announced))
HANDLERS.on(k.TicketsDetached, _banked_in(lambda banked: banked.tickets))
HANDLERS.on(k.TicketsTorn, _banked_in(lambda banked: banked.torn))
