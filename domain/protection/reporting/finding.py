"""A finding: whose evidence stands, by which test, and on what its level rests."""

from typing import Final, Literal

from msgspec import Struct

Key = tuple[str, ...]
"""A subject: its kind (patron, group, pair, dealer, under, late), then who it is."""

Rests = Literal["theorem", "bound", "permutation", "model"]
"""On what a result's level rests; a model has none."""

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
    """A subject whose evidence stands.

    ``log10_e`` is the evidence now, for an order, backs or payments the negative logarithm of the
    chance. ``first_alarm_coup`` is the coup of ``shoe`` at which the subject's own evidence first
    reached 1/alpha. ``interval`` is of the edge, at 95 % and valid at any time. ``events`` are
    places in the log. ``key`` is the subject as the engine has it, empty for a shoe.
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
