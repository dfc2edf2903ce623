"""Words that the rules of the audit share: amounts as people read them."""

from domain.audit.floor import ShoeTrace
from domain.money import spelled
from domain.shoe import Shoe


def money(shoe: Shoe | ShoeTrace, minor: int) -> str:
    """Write an amount of minor units in the currency of the shoe's pack: ``1,250.00 EUR``.

    Where the pack cannot be read there are two decimals, and no currency is named.
    """
    if shoe.pack is None:
        return spelled(minor)
    return f"{spelled(minor, shoe.pack.money.minor_units)} {shoe.pack.money.currency}"
