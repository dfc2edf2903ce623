"""Texts that rules share: amounts of money and settlements of bets."""

from collections.abc import Callable

from sabot.domain.audit.floor_view import ShoeSummary
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import format_amount


def format_money(shoe: Shoe | ShoeSummary, minor: int) -> str:
    """Format minor units in the currency of a shoe's pack.

    For example ``1,250.00 EUR``. Where the pack cannot be read, use two decimals and no currency.
    """
    if shoe.pack is None:
        return format_amount(minor)
    return f"{format_amount(minor, shoe.pack.money.minor_units)} {shoe.pack.money.currency}"


def bare_money(shoe: Shoe | ShoeSummary, minor: int) -> str:
    """Format an amount of minor units without its currency: ``1,250.00``."""
    return format_amount(minor, shoe.pack.money.minor_units if shoe.pack is not None else 2)


def describe_settlement(bet: Bet, spell: Callable[[int], str]) -> str:
    """Return text for a bet's settlement. ``spell`` formats an amount."""
    said = []
    if bet.paid or (not bet.taken and not bet.pushed):
        after = " after commission" if bet.after_commission else ""
        said.append(f"paid {spell(bet.paid)}{after}")
    if bet.taken:
        said.append(f"taken {spell(bet.taken)}")
    if bet.pushed:
        said.append("pushed")
    if bet.commission:
        said.append(f"commission {spell(bet.commission)} {'marked' if bet.marked else 'kept'}")
    return ", ".join(said)
