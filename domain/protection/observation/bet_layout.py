"""The bets on the layout during a coup."""

from collections.abc import Callable
from typing import Any, ClassVar

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.protection.observation.coup_timeline import Told
from sabot.domain.protection.observation.knowledge_at import Stood
from sabot.domain.protection.observation.observed_coup import Stakes


class BetLayout:
    """The bets of a coup by number: patron, wager, amount.

    ``carried`` are patrons with a bet left by a tie. ``closed`` is True after the call of no more
    bets. ``told`` has the recorded events about bets, each with its patron.
    """

    def __init__(self, coup: int) -> None:
        """Begin with an empty layout."""
        self.coup = coup
        self._stood = Stood()
        self.told = Told()
        self._copy: Stakes | None = None
        self._clear()

    def _clear(self) -> None:
        self.bets: dict[int, tuple[str, str, int]] = {}
        self.carried: set[str] = set()
        self.closed = False
        self._copy = None

    def take(self, event: RecordedEvent) -> str | None:
        """Process the next event about a bet. Return its patron, or None if no bet moved."""
        if self._stood.take(event):
            # the correction applies from now on; no chips moved at the table
            self.told.corrections.append(event)
            self._clear()
            for one in self._stood.now():
                self._take(one.payload)
            return None
        if type(event.payload) is ev.EventCorrected:
            return None
        self.told.versions.add(event.position)
        patron = self._take(event.payload)
        if patron is not None:
            self.told.bets[event.position] = patron, event
        return patron

    def _take(self, payload: ev.Event) -> str | None:
        take = self._ON.get(type(payload))
        # a correction may name another coup, or no bet at all
        if take is None or getattr(payload, "coup", None) != self.coup:
            return None
        return take(self, payload)

    def _placed(self, payload: ev.BetPlaced | ev.BetCarried) -> str | None:
        if payload.bet in self.bets:
            return None
        if type(payload) is ev.BetCarried:
            self.carried.add(payload.patron)
        return self._put(payload.bet, payload.patron, payload.wager, payload.amount)

    def _changed(self, payload: ev.BetChanged) -> str | None:
        return self._restake(payload.bet, payload.amount)

    def _withdrawn(self, payload: ev.BetWithdrawn) -> str | None:
        return self._restake(payload.bet, 0)

    def _restake(self, bet: int, amount: int) -> str | None:
        held = self.bets.get(bet)
        return None if held is None else self._put(bet, held[0], held[1], amount)

    def _put(self, bet: int, patron: str, wager: str, amount: int) -> str:
        self.bets[bet] = (patron, wager, amount)
        self._copy = None
        return patron

    def _no_more(self, _event: ev.NoMoreBets) -> None:
        self.closed = True

    _ON: ClassVar[dict[type, Callable[["BetLayout", Any], str | None]]] = {
        ev.BetPlaced: _placed,
        ev.BetCarried: _placed,
        ev.BetChanged: _changed,
        ev.BetWithdrawn: _withdrawn,
        ev.NoMoreBets: _no_more,
    }

    def of(self, patron: str) -> dict[str, int]:
        """Return a patron's stakes by wager."""
        return dict(self.stakes().get(patron, {}))

    def owners(self) -> dict[str, None]:
        """Return all patrons with a bet, withdrawn bets included."""
        return dict.fromkeys(patron for patron, _, _ in self.bets.values())

    def stakes(self) -> Stakes:
        """Return all current stakes. The result is cached until the next change."""
        if self._copy is None:
            found: Stakes = {}
            for patron, wager, amount in self.bets.values():
                if amount:
                    mine = found.setdefault(patron, {})
                    mine[wager] = mine.get(wager, 0) + amount
            self._copy = found
        return self._copy
