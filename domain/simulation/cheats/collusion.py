"""A dealer who favours an accomplice.

Bets are overpaid, and losing bets not collected.
"""

import random
from collections.abc import Iterable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.patrons.patron import Favour
from sabot.domain.simulation.table import SimulatedTable


class Favours:
    """A repeated intervention in the settlement of one shoe."""

    def __init__(self, favours: dict[str, Favour], rng: random.Random) -> None:
        """Take the favours by patron."""
        self._favours = favours
        self._rng = rng

    def acts(self, table: SimulatedTable, due: NextAction) -> None:
        """Return None, because only the amounts of settlements are changed."""

    def alters(self, table: SimulatedTable, event: ev.ShoeEvent) -> Iterable[ev.ShoeEvent] | None:
        """Pay a favoured winner twice, or leave a favoured loser."""
        if not isinstance(event, ev.BetPaid | ev.BetTaken):
            return None
        coup = table.shoe.current
        assert coup is not None
        favour = self._favours.get(coup.bets[event.bet].patron)
        if favour is None or favour.dealer not in {"", table.floor}:
            return None
        if self._rng.random() >= favour.share:
            return None
        if isinstance(event, ev.BetPaid):
            return (replace(event, amount=2 * event.amount),)
        return (ev.BetPushed(event.coup, event.bet),)
