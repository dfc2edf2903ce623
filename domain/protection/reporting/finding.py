"""A finding: a subject with significant evidence."""

from typing import Final, Literal

from msgspec import Struct

Key = tuple[str, ...]
"""A subject: its kind (patron, group, pair, dealer, under, late), then its names."""

Rests = Literal["theorem", "bound", "permutation", "model"]
"""The basis of a result's significance level. A model has no level."""

BASIS: Final[dict[str, Rests]] = {
    "next-card": "theorem",
    "whole-coup": "theorem",
    "first-four": "theorem",
    "late-change": "theorem",
    "late-bets": "theorem",
    "order-of-the-shoe": "bound",
    "backs-against-rank": "permutation",
    "backs-across-shoes": "permutation",
    "payments-cluster": "permutation",
    "side-bets": "model",
    "win-rate": "model",
}


class Finding(Struct, frozen=True):
    """A subject with significant evidence.

    ``log10_e`` is the current evidence; for an order, backs or payments, the negative logarithm of
    the p-value. ``first_alarm_coup`` is the coup of ``shoe`` at which the subject's own evidence
    first reached 1/alpha. ``interval`` is the 95 % confidence sequence of the edge, valid at any
    time. ``events`` are log indexes. ``key`` is the subject, empty for a shoe.
    """

    test: str
    rests: Rests
    subject: dict[str, str]
    shoe: str | None
    coup: int | None
    log10_e: float
    first_alarm_coup: int | None
    edge_estimate: float | None
    interval: tuple[float, float] | None
    explanation: str
    events: list[int] = []
    key: Key = ()
