"""What lies on the felt in a coup, as it is placed, changed and taken back."""

from msgspec import Struct

from domain.protection.sight import Stakes


class Laid(Struct):
    """The bets of a coup by number: patron, wager, amount; a copy of all is made when asked for.

    ``carried`` are patrons with a bet that a tie left there and that they may not take back.
    """

    bets: dict[int, tuple[str, str, int]] = {}
    carried: set[str] = set()
    copy: Stakes | None = None

    def put(self, bet: int, patron: str, wager: str, amount: int) -> None:
        """Lay a bet down, or lay it again at another amount."""
        self.bets[bet] = (patron, wager, amount)
        self.copy = None

    def of(self, patron: str) -> dict[str, int]:
        """Return a patron's stakes by wager."""
        mine: dict[str, int] = {}
        for owner, wager, amount in self.bets.values():
            if owner == patron and amount:
                mine[wager] = mine.get(wager, 0) + amount
        return mine

    def stakes(self) -> Stakes:
        """Return everybody's stakes as they lie now."""
        if self.copy is None:
            found: Stakes = {}
            for patron, wager, amount in self.bets.values():
                if amount:
                    mine = found.setdefault(patron, {})
                    mine[wager] = mine.get(wager, 0) + amount
            self.copy = found
        return self.copy
