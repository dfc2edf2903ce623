"""Amounts of money as text."""

from typing import Protocol

from sabot.domain.events import MAX_INT, Limit
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.values.money import format_amount


class HasRulePack(Protocol):
    """A shoe, or a summary of one. ``pack`` is None where the rule pack cannot be read."""

    @property
    def pack(self) -> RulePack | None:
        """The rule pack in force."""


def format_money(shoe: HasRulePack, minor: int) -> str:
    """Format minor units in the currency of a shoe's pack.

    For example ``1,250.00 EUR``. Where the pack cannot be read, use two decimals and no currency.
    """
    if shoe.pack is None:
        return format_amount(minor)
    return f"{format_amount(minor, shoe.pack.money.minor_units)} {shoe.pack.money.currency}"


def beyond_limits(shoe: HasRulePack, amount: int, least: int, most: int | None) -> str:
    """Return which limit an amount breaks.

    For example ``below the minimum of 5.00 EUR``. Empty if it breaks none.
    """
    if amount < least:
        return f"below the minimum of {format_money(shoe, least)}"
    if most is not None and amount > most:
        return f"above the maximum of {format_money(shoe, most)}"
    return ""


def format_limit(shoe: HasRulePack, limit: Limit) -> str:
    """Format the range of a limit. A maximum of `MAX_INT` means that there is none."""
    least = format_money(shoe, limit.minimum)
    if limit.maximum == MAX_INT:
        return f"{least} at least"
    return f"{least} to {format_money(shoe, limit.maximum)}"
