"""What a patron's bank does to a shoe: put up, raised, called, paid out of and given up."""

from typing import Final

from sabot.domain.events import bank as k
from sabot.domain.events.envelope import Event
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.projection import Handler
from sabot.domain.state.shoe_bets import bet_of
from sabot.domain.state.shoe_state import Shoe, banked_of


def _bank_posted(shoe: Shoe, event: Event, fact: k.BankPosted) -> None:
    shoe.bank = Bank(fact.by, event, shoe.match, fact.amount, put_in=fact.amount)
    shoe.banks.append(shoe.bank)
    shoe.match = None


def _bank_raised(shoe: Shoe, event: Event, fact: k.BankRaised) -> None:
    if shoe.bank is None:
        shoe.strays.append(event)
        return
    shoe.bank.raised(event, fact.amount)
    if fact.coup is not None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        banked_of(shoe, coup).raised.append(event)


def _bank_withdrawn(shoe: Shoe, event: Event, fact: k.BankWithdrawn) -> None:
    if shoe.bank is None:
        shoe.strays.append(event)
        return
    shoe.bank.withdrawn(event, fact.amount)


def _bank_unlimited(shoe: Shoe, event: Event, fact: k.BankUnlimited) -> None:
    if shoe.bank is None or shoe.bank.holder != fact.by:
        shoe.strays.append(event)
        return
    shoe.bank.unlimited = True
    shoe.bank.moves.append(event)
    if fact.coup is not None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        banked_of(shoe, coup).unlimited = True


def _bank_called(shoe: Shoe, event: Event, fact: k.BankCalled) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    banked_of(shoe, coup).called = event


def _excess_returned(shoe: Shoe, event: Event, fact: k.ExcessReturned) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    banked_of(shoe, shoe.coup(fact.coup)).excess.append(event)
    if bet is not None:
        bet.returned += fact.amount
        bet.amount = max(0, bet.amount - fact.amount)
        bet.withdrawn = bet.withdrawn or not bet.amount


def _levy_taken(shoe: Shoe, event: Event, fact: k.LevyTaken) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    banked_of(shoe, coup).levies.append(event)
    if shoe.bank is not None:
        shoe.bank.levied(event, fact.amount)


def _card_rejected(shoe: Shoe, event: Event, fact: k.CardRejected) -> None:
    coup = shoe.coup(fact.coup)
    coup.events.append(event)
    hand = coup.hand(fact.hand, fact.seat)
    if hand:
        banked_of(shoe, coup).rejected.append((event, hand.pop()))
    else:
        coup.strays.append(event)


def _banked_in(where: str) -> Handler[Shoe]:
    """Keep the fact in one of the lists of its coup; nothing else follows from it."""

    def keep(shoe: Shoe, event: Event, fact: "k.BancoCalled | k.HandGiven | k.ChoiceMade") -> None:
        coup = shoe.coup(fact.coup)
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
