"""What must be written down as a shoe's facts go by, since the shoe itself moves on.

Who dealt a coup, who sat where when he bet, what the clock said, and each movement of money in
its order: all of it is taken at the fact that makes it.
"""

from collections.abc import Callable
from typing import Any, Final

from msgspec import Struct

from domain import facts as f
from domain.banking import bank_won, banked, levied
from domain.coup import Bet
from domain.event import Event
from domain.facts import bank as k
from domain.shoe import Shoe
from domain.shoe.bets import settles_marks
from infrastructure.readmodels.rows import LedgerRow, clean, cleaned


class CoupNote(Struct):
    """A coup's first and last facts, and who dealt when it was first named."""

    first_index: int
    first_us: int
    dealer: str | None
    holder: str | None
    last_index: int = 0
    last_us: int = 0


class BetNote(Struct, frozen=True, gc=False):
    """When a bet was placed, and from which seat."""

    us: int
    seat: int | None


class CommissionNote(Struct):
    """A patron's commission so far."""

    at_once: int = 0
    marked: int = 0
    collected: int = 0
    last_index: int = 0


class ShoeNotes(Struct):
    """The notes of a shoe, and which coups and patrons they have touched since last asked."""

    clock: int | None = None
    first_us: int | None = None
    last_us: int = 0
    ended_us: int | None = None
    coups: dict[int, CoupNote] = {}
    bets: dict[tuple[int, int], BetNote] = {}
    commissions: dict[str, CommissionNote] = {}
    ledger: list[LedgerRow] = []
    coups_touched: set[int] = set()
    patrons_touched: set[str] = set()

    def see(self, shoe: Shoe, event: Event) -> None:
        """Write down what is so now that a fact has taken effect on the shoe."""
        if event.at_us is not None:
            self.clock = event.at_us
        now = event.recorded_us if self.clock is None else self.clock
        self.last_us = now
        if self.first_us is None:
            self.first_us = now
        if event is shoe.ended:
            self.ended_us = now
        number = getattr(event.fact, "coup", None)
        if number is not None and number in shoe.coups:
            self._see_coup(shoe, number, event.index, now)
        look = _LOOK.get(type(event.fact))
        if look is not None:
            look(self, shoe, event, event.fact, now)

    def forget(self) -> None:
        """Forget what was touched, and the entries that have been written."""
        self.ledger = []
        self.coups_touched.clear()
        self.patrons_touched.clear()

    def _see_coup(self, shoe: Shoe, number: int, index: int, now: int) -> None:
        self.coups_touched.add(number)
        note = self.coups.get(number)
        if note is None:
            dealer = shoe.crew.get("dealer") or shoe.crew.get("caller")
            note = self.coups[number] = CoupNote(index, now, dealer, shoe.holder)
        note.last_index, note.last_us = index, now

    def see_bet(
        self, shoe: Shoe, event: Event, fact: "f.BetPlaced | f.BetCarried", now: int
    ) -> None:
        """A bet lies on the felt: note the clock, and the seat."""
        if shoe.coups[fact.coup].bets[fact.bet].placed is event:
            seats = shoe.seats.items()
            seat = fact.seat or next((seat for seat, name in seats if name == fact.patron), None)
            self.bets[fact.coup, fact.bet] = BetNote(now, seat)

    def see_move(
        self,
        shoe: Shoe,
        event: Event,
        fact: "f.BetTaken | f.BetPaid | f.BetPushed | f.CommissionMarked",
        now: int,
    ) -> None:
        """A bet was settled, or owes commission."""
        bet = shoe.coups[fact.coup].bets.get(fact.bet)
        patron = bet.patron if bet is not None else None
        match fact:
            case f.BetTaken(amount=amount):
                self._enter(event, now, "taken", patron, bet, (-amount, -amount, 0))
            case f.BetPaid(amount=amount):
                self._enter(event, now, "paid", patron, bet, (amount, amount, 0))
            case f.BetPushed():
                self._enter(event, now, "pushed", patron, bet, (0, 0, 0))
            case f.CommissionMarked(amount=amount):
                self._enter(event, now, "commission-marked", patron, bet, (0, -amount, amount))
                if patron is not None:
                    self._commission(patron, event.index).marked += amount

    def see_collection(
        self, shoe: Shoe, event: Event, fact: f.CommissionCollected, now: int
    ) -> None:
        """Commission was collected: at once, or of what was marked (as `Shoe.owed` has it)."""
        coup = None if fact.coup is None else shoe.coups.get(fact.coup)
        bet = None if coup is None or fact.bet is None else coup.bets.get(fact.bet)
        note, amount = self._commission(fact.patron, event.index), fact.amount
        if settles_marks(shoe, fact):
            note.collected += amount
            self._enter(event, now, "commission-collected", fact.patron, bet, (-amount, 0, -amount))
        else:
            note.at_once += amount
            self._enter(event, now, "commission-kept", fact.patron, bet, (-amount, -amount, 0))

    def see_bank(
        self,
        _shoe: Shoe,
        event: Event,
        fact: "k.BankPosted | k.BankRaised | k.BankWithdrawn",
        now: int,
    ) -> None:
        """Chips went from a banker's rack into his bank, or out of it."""
        out = isinstance(fact, k.BankWithdrawn)
        chips = fact.amount if out else -fact.amount
        kind = "bank-taken-out" if out else "bank-put-in"
        self._enter(event, now, kind, fact.by, None, (chips, 0, 0))

    def see_close(self, shoe: Shoe, event: Event, fact: f.CoupClosed, now: int) -> None:
        """A coup is over: what its bank won is its banker's, after the levy."""
        coup = shoe.coups[fact.coup]
        banker = banked(coup).banker
        if banker is not None and coup.closed is event:
            result = bank_won(coup) - levied(coup)
            self._enter(event, now, "bank-result", banker, None, (0, result, 0))

    def _commission(self, patron: str, index: int) -> CommissionNote:
        patron = clean(patron)
        self.patrons_touched.add(patron)
        note = self.commissions.setdefault(patron, CommissionNote())
        note.last_index = index
        return note

    def _enter(  # noqa: PLR0913, PLR0917 - what an entry is made of
        self,
        event: Event,
        now: int,
        kind: str,
        patron: str | None,
        bet: Bet | None,
        moved: tuple[int, int, int],
    ) -> None:
        """Enter a movement: to the patron's chips, to his result, to what he owes."""
        coup, number = getattr(event.fact, "coup", None), getattr(event.fact, "bet", None)
        wager = cleaned(bet.wager) if bet is not None else None
        self.ledger.append(
            LedgerRow(
                event.index, event.stream, now, cleaned(patron), kind, coup, number, wager, *moved
            )
        )


# Most facts leave no note but the clock; a table finds those that do faster than a match.
_LOOK: Final[dict[type, Callable[[ShoeNotes, Shoe, Event, Any, int], None]]] = {
    f.BetPlaced: ShoeNotes.see_bet,
    f.BetCarried: ShoeNotes.see_bet,
    f.BetTaken: ShoeNotes.see_move,
    f.BetPaid: ShoeNotes.see_move,
    f.BetPushed: ShoeNotes.see_move,
    f.CommissionMarked: ShoeNotes.see_move,
    f.CommissionCollected: ShoeNotes.see_collection,
    f.CoupClosed: ShoeNotes.see_close,
    k.BankPosted: ShoeNotes.see_bank,
    k.BankRaised: ShoeNotes.see_bank,
    k.BankWithdrawn: ShoeNotes.see_bank,
}
