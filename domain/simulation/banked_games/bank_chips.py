"""How simulated patrons bank: what they put up, and what it does to their chips."""

from collections.abc import Iterable

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.simulation.patrons.patron import Sitter


def bank_put_up(sitters: Iterable[Sitter], due: ev.ShoeEvent) -> ev.ShoeEvent:
    """Answer what is due of a bank: a banker puts up half of his chips, or the least there is."""
    if not isinstance(due, bank_ev.BankPosted):
        return due
    half = next((s.bankroll // 2 for s in sitters if s.patron.name == due.by), 0)
    return bank_ev.BankPosted(due.by, max(due.amount, half - half % 100))


def move_chips(sitters: Iterable[Sitter], payload: ev.Event) -> None:
    """Move a banker's chips into his bank, and out of it."""
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
