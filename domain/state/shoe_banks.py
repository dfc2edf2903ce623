"""What a patron's bank does to a shoe: put up, raised, called, paid out of and given up."""

from typing import Final

from sabot.domain.events import bank as k
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.projection import Handler
from sabot.domain.state.shoe_bets import bet_of
from sabot.domain.state.shoe_state import Shoe, banked_of


def _bank_posted(shoe: Shoe, event: RecordedEvent, payload: k.BankPosted) -> None:
    shoe.bank = Bank(payload.by, event, shoe.match, payload.amount, put_in=payload.amount)
    shoe.banks.append(shoe.bank)
    shoe.match = None


def _bank_raised(shoe: Shoe, event: RecordedEvent, payload: k.BankRaised) -> None:
    if shoe.bank is None:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.raised(event, payload.amount)
    if payload.coup is not None:
        coup = shoe.coup(payload.coup)
        coup.events.append(event)
        banked_of(shoe, coup).raised.append(event)


def _bank_withdrawn(shoe: Shoe, event: RecordedEvent, payload: k.BankWithdrawn) -> None:
    if shoe.bank is None:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.withdrawn(event, payload.amount)


def _bank_unlimited(shoe: Shoe, event: RecordedEvent, payload: k.BankUnlimited) -> None:
    if shoe.bank is None or shoe.bank.holder != payload.by:
        shoe.unmatched_events.append(event)
        return
    shoe.bank.unlimited = True
    shoe.bank.moves.append(event)
    if payload.coup is not None:
        coup = shoe.coup(payload.coup)
        coup.events.append(event)
        banked_of(shoe, coup).unlimited = True


def _bank_called(shoe: Shoe, event: RecordedEvent, payload: k.BankCalled) -> None:
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    banked_of(shoe, coup).called = event


def _excess_returned(shoe: Shoe, event: RecordedEvent, payload: k.ExcessReturned) -> None:
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    banked_of(shoe, shoe.coup(payload.coup)).excess.append(event)
    if bet is not None:
        bet.returned += payload.amount
        bet.amount = max(0, bet.amount - payload.amount)
        bet.withdrawn = bet.withdrawn or not bet.amount


def _levy_taken(shoe: Shoe, event: RecordedEvent, payload: k.LevyTaken) -> None:
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    banked_of(shoe, coup).levies.append(event)
    if shoe.bank is not None:
        shoe.bank.levied(event, payload.amount)


def _card_rejected(shoe: Shoe, event: RecordedEvent, payload: k.CardRejected) -> None:
    coup = shoe.coup(payload.coup)
    coup.events.append(event)
    hand = coup.hand(payload.hand, payload.seat)
    if hand:
        banked_of(shoe, coup).rejected.append((event, hand.pop()))
    else:
        coup.unmatched_events.append(event)


def _banked_in(where: str) -> Handler[Shoe]:
    """Keep the event in one of the lists of its coup; nothing else follows from it."""

    def keep(
        shoe: Shoe, event: RecordedEvent, payload: "k.BancoCalled | k.HandGiven | k.ChoiceMade"
    ) -> None:
        coup = shoe.coup(payload.coup)
        coup.events.append(event)
        getattr(banked_of(shoe, coup), where).append(event)

    return keep


HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    k.BankPosted: _bank_posted,
    k.BankRaised: _bank_raised,
    k.BankWithdrawn: _bank_withdrawn,
    k.BankCalled: _bank_called,
    k.BankUnlimited: _bank_unlimited,
    k.BancoCalled: _banked_in("claims"),
    k.ExcessReturned: _excess_returned,
    k.HandGiven: _banked_in("given"),
    k.ChoiceMade: _banked_in("choices"),
    k.CardRejected: _card_rejected,
    k.LevyTaken: _levy_taken,
    k.LevyAnnounced: _banked_in("announced"),
    k.TicketsDetached: _banked_in("tickets"),
    k.TicketsTorn: _banked_in("torn"),
}
