"""Table limits as typed by users: MIN-MAX in units of the currency."""

from sabot.cli.deal.parser import amount_of
from sabot.domain.events import MAX_INT, Limit
from sabot.domain.values.errors import BadInput


def read_limits(text: str, minor_units: int) -> Limit:
    """Return limits such as ``25-5000`` or ``12.50-500``. Without a maximum: ``25-``.

    Args:
        text: the typed text.
        minor_units: the number of decimals of the currency.

    Raises:
        BadInput: the text does not give limits.
    """
    least, dash, most = text.partition("-")
    if not dash:
        raise BadInput(f"--limits {text!r} is not MIN-MAX; write for example 25-5000 or 25-")
    limit = Limit(amount_of(least, minor_units), amount_of(most, minor_units) if most else MAX_INT)
    if not 0 < limit.minimum <= limit.maximum:
        raise BadInput(
            f"--limits {text!r}: the minimum is 0 or above the maximum; write for example 25-5000"
        )
    return limit
