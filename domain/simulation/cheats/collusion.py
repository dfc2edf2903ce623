"""A simulated dealer who favours an accomplice by overpaying bets and leaving losing ones."""

import random
from collections.abc import Iterable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.patrons.patron import Favour
from sabot.domain.simulation.table import SimulatedTable


class Favours:
    """Changes the settlement of one shoe in favour of some patrons."""

    def __init__(self, favours: dict[str, Favour], rng: random.Random) -> None:
        """Take the favours of the dealer, by patron."""
        self._favours = favours
        self._rng = rng

    def acts(self, table: SimulatedTable, due: NextAction) -> None:
        """Return None, because favours change only the amounts of settlements."""

    def alters(self, table: SimulatedTable, event: ev.ShoeEvent) -> Iterable[ev.ShoeEvent] | None:
        """Return a double payment for a favoured winner, or nothing for a favoured loser."""
        match event:
            case ev.BetPaid() if self._is_favoured(table, event):
                return (replace(event, amount=2 * event.amount),)
            case ev.BetTaken() if self._is_favoured(table, event):
                return (ev.BetPushed(event.coup, event.bet),)
            case _:
                return None

    def _is_favoured(self, table: SimulatedTable, event: ev.BetPaid | ev.BetTaken) -> bool:
        """Return whether the dealer favours the patron in this settlement."""
        coup = table.shoe.current
        assert coup is not None
        favour = self._favours.get(coup.bets[event.bet].patron)
        if favour is None or favour.dealer not in {"", table.floor}:
            return False
        return self._rng.random() < favour.share
