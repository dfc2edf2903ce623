"""Chips of simulated bankers and their banks."""

from collections.abc import Iterable

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.simulation.patrons.patron import Sitter


def bank_put_up(sitters: Iterable[Sitter], due: ev.ShoeEvent) -> ev.ShoeEvent:
    """Return the event in which a simulated banker puts up a bank.

    The bank is half the bankroll, or the amount due if that is larger.
    """
    if not isinstance(due, bank_ev.BankPosted):
        return due
    half = next((s.bankroll // 2 for s in sitters if s.patron.name == due.by), 0)
    return bank_ev.BankPosted(due.by, max(due.amount, half - half % 100))


def move_chips(sitters: Iterable[Sitter], payload: ev.Event) -> None:
    """Move a banker's chips into the bank or out of it, as an event says."""
    for sitter in sitters:
        match payload:
            case (
                bank_ev.BankPosted(by=name, amount=amount)
                | bank_ev.BankRaised(by=name, amount=amount)
            ):
                gain = -amount
            case bank_ev.BankWithdrawn(by=name, amount=amount):
                gain = amount
            case _:
                return
        if sitter.patron.name == name:
            sitter.bankroll += gain
