"""Amounts in records: minor units for machines, decimals for people."""

from collections.abc import Mapping

from cli.money import money
from cli.output import Column


class Amount(int):
    """Minor units that know how many decimals their currency has."""

    minor_units: int = 2

    @classmethod
    def of(cls, minor: int, minor_units: int) -> "Amount":
        """Return the amount of a currency with so many decimals."""
        amount = cls(minor)
        amount.minor_units = minor_units
        return amount


def amount_column(key: str, title: str = "", *, in_table: bool = True) -> Column:
    """Return a column of amounts: an empty cell where one is not known, a loss in red."""
    return Column(key, title, right=True, show=_shown, style=_style, in_table=in_table)


def with_amounts(record: Mapping[str, object], *keys: str) -> dict[str, object]:
    """Return the record with such of its numbers as amounts, by its own ``minor_units``."""
    units = record.get("minor_units")
    decimals = units if isinstance(units, int) else 2
    return {**record} | {
        key: Amount.of(value, decimals) for key in keys if isinstance(value := record.get(key), int)
    }


def _shown(value: object) -> str:
    return money(value, value.minor_units) if isinstance(value, Amount) else ""


def _style(value: object) -> str:
    return "red" if isinstance(value, int) and value < 0 else ""
