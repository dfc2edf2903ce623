"""Sentences for the events of a patron's bank and of hands played by patrons."""

from collections.abc import Callable
from typing import Any, Final

from sabot.cli.text.words import Money, by, hand_of
from sabot.domain.events import bank as bank_ev


def _funds(payload: bank_ev.FundsProven, m: Money) -> str:
    where = f", held at {payload.held_at}" if payload.held_at else ""
    return f"{payload.by} proves funds of {m(payload.amount)}{where}"


def _banco(payload: bank_ev.BancoCalled, _m: Money) -> str:
    on = {None: "", "both": " à cheval"}.get(payload.on, f" on the {payload.on}")
    return f"{payload.patron} goes banco{' suivi' if payload.suivi else ''}{on}"


def _chosen(payload: bank_ev.ChoiceMade, _m: Money) -> str:
    does = "draws" if payload.choice == "draw" else "stands"
    return f"{hand_of(payload.hand, payload.seat)} {does}" + by(payload.by)


def _hands_called(payload: bank_ev.HandsCalled, _m: Money) -> str:
    said = [f"{hand_of(each.hand, each.seat)} {each.total}" for each in payload.totals]
    return "called: " + (", ".join(said) or "nothing")


def _levy(payload: bank_ev.LevyTaken, m: Money) -> str:
    ticket = f", ticket {payload.ticket}" if payload.ticket else ""
    return f"levy of {m(payload.amount)} taken from the bank{ticket}"


def _tickets(payload: bank_ev.TicketsDetached, m: Money) -> str:
    serials = f": {', '.join(payload.tickets)}" if payload.tickets else ""
    return f"tickets for {m(payload.amount)} detached{serials}"


TELL_BANK: Final[dict[type, Callable[[Any, Money], str]]] = {
    bank_ev.BankBid: lambda x, m: f"{x.by} bids {m(x.amount)} for the bank",
    bank_ev.BankListed: lambda x, _m: f"{x.by} asks for a place on the list for the bank",
    bank_ev.FundsProven: _funds,
    bank_ev.SessionCalled: lambda x, _m: f"session {x.session} of {x.day} called, shoe {x.shoe}",
    bank_ev.BankPosted: lambda x, m: f"{x.by} puts up a bank of {m(x.amount)}",
    bank_ev.BankRaised: lambda x, m: f"{x.by} adds {m(x.amount)} to the bank",
    bank_ev.BankWithdrawn: lambda x, m: f"{x.by} takes {m(x.amount)} out of the bank",
    bank_ev.BankCalled: lambda x, m: f"called: {m(x.amount)} in the bank",
    bank_ev.BankUnlimited: lambda x, _m: (
        f"{x.by} accepts all stakes: the bank has no limit from now on"
    ),
    bank_ev.BancoCalled: _banco,
    bank_ev.ExcessReturned: lambda x, m: f"{m(x.amount)} of bet {x.bet} goes back",
    bank_ev.HandGiven: lambda x, _m: f"{x.to} plays {hand_of(x.hand, None)}",
    bank_ev.ChoiceMade: _chosen,
    bank_ev.CardRejected: lambda x, _m: f"{hand_of(x.hand, x.seat)} rejects the card",
    bank_ev.HandsCalled: _hands_called,
    bank_ev.LevyTaken: _levy,
    bank_ev.LevyAnnounced: lambda x, m: f"levy of {m(x.amount)} announced, and set apart",
    bank_ev.TicketsDetached: _tickets,
    bank_ev.TicketsTorn: lambda _x, _m: "tickets of the levy torn",
}
"""The sentence for each event of `sabot.domain.events.bank`."""
