"""The rows of one shoe in the summary tables, updated event by event.

A row depends on the events of its own coup, bet or patron. It also depends on notes taken from
earlier events: the dealer of a coup, a patron's seat at the time of a bet, the clock, and each
movement of money in order. So it does not matter where a batch of events ends.
"""

from collections.abc import Callable, Iterable
from typing import Any, Final

import msgspec
from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.patron_bank import bank_events_of, bank_won, levy_charged
from sabot.domain.procedure.two_tableaux.tableaux import cards_on, side_won
from sabot.domain.rules.tableau_hands import TABLEAUX
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe, apply
from sabot.domain.state.shoe_bets import settles_marks
from sabot.domain.values.cards import Card, total
from sabot.domain.views.table_view import bet_state, called_outcome, dealt_outcome, felt_of
from sabot.infrastructure.projections.rows import (
    BetRow,
    Changes,
    CommissionRow,
    CoupRow,
    FeltRow,
    LedgerRow,
    Row,
    ShoeRow,
    clean,
    cleaned,
    fit,
)


class CoupNote(Struct):
    """The first and last event of a coup, and the dealer at the first event."""

    first_index: int
    first_us: int
    dealer: str | None
    holder: str | None
    last_index: int = 0
    last_us: int = 0


class BetNote(Struct, frozen=True, gc=False):
    """The time and the seat of a bet."""

    us: int
    seat: int | None


class CommissionNote(Struct):
    """A patron's commission so far."""

    at_once: int = 0
    marked: int = 0
    collected: int = 0
    last_index: int = 0


class ShoeNotes(Struct):
    """The notes on a shoe, and the coups and patrons that changed since the last query."""

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

    def see(self, shoe: Shoe, event: RecordedEvent) -> None:
        """Take notes of an event just applied to the shoe."""
        if event.at_us is not None:
            self.clock = event.at_us
        now = event.recorded_us if self.clock is None else self.clock
        self.last_us = now
        if self.first_us is None:
            self.first_us = now
        if event is shoe.ended:
            self.ended_us = now
        number = getattr(event.payload, "coup", None)
        if number is not None and number in shoe.coups:
            self._see_coup(shoe, number, event.index, now)
        look = _LOOK.get(type(event.payload))
        if look is not None:
            look(self, shoe, event, event.payload, now)

    def forget(self) -> None:
        """Clear the lists of changes and the written ledger entries."""
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
        self, shoe: Shoe, event: RecordedEvent, payload: "ev.BetPlaced | ev.BetCarried", now: int
    ) -> None:
        """Note the time and the seat of a bet."""
        if shoe.coups[payload.coup].bets[payload.bet].placed is event:
            seats = shoe.seats.items()
            seat = payload.seat or next(
                (seat for seat, name in seats if name == payload.patron), None
            )
            self.bets[payload.coup, payload.bet] = BetNote(now, seat)

    def see_move(
        self,
        shoe: Shoe,
        event: RecordedEvent,
        payload: "ev.BetTaken | ev.BetPaid | ev.BetPushed | ev.CommissionMarked",
        now: int,
    ) -> None:
        """Add a settlement, or marked commission, to the ledger."""
        bet = shoe.coups[payload.coup].bets.get(payload.bet)
        patron = bet.patron if bet is not None else None
        match payload:
            case ev.BetTaken(amount=amount):
                self._enter(event, now, "taken", patron, bet, (-amount, -amount, 0))
            case ev.BetPaid(amount=amount):
                self._enter(event, now, "paid", patron, bet, (amount, amount, 0))
            case ev.BetPushed():
                self._enter(event, now, "pushed", patron, bet, (0, 0, 0))
            case ev.CommissionMarked(amount=amount):
                self._enter(event, now, "commission-marked", patron, bet, (0, -amount, amount))
                if patron is not None:
                    self._commission(patron, event.index).marked += amount

    def see_collection(
        self, shoe: Shoe, event: RecordedEvent, payload: ev.CommissionCollected, now: int
    ) -> None:
        """Add collected commission to the ledger, charged at once or marked before."""
        coup = None if payload.coup is None else shoe.coups.get(payload.coup)
        bet = None if coup is None or payload.bet is None else coup.bets.get(payload.bet)
        note, amount = self._commission(payload.patron, event.index), payload.amount
        if settles_marks(shoe, payload):
            note.collected += amount
            self._enter(
                event, now, "commission-collected", payload.patron, bet, (-amount, 0, -amount)
            )
        else:
            note.at_once += amount
            self._enter(event, now, "commission-kept", payload.patron, bet, (-amount, -amount, 0))

    def see_bank(
        self,
        _shoe: Shoe,
        event: RecordedEvent,
        payload: "bank_ev.BankPosted | bank_ev.BankRaised | bank_ev.BankWithdrawn",
        now: int,
    ) -> None:
        """Add a banker's chips to the ledger, put into the bank or taken out."""
        out = isinstance(payload, bank_ev.BankWithdrawn)
        chips = payload.amount if out else -payload.amount
        kind = "bank-taken-out" if out else "bank-put-in"
        self._enter(event, now, kind, payload.by, None, (chips, 0, 0))

    def see_close(self, shoe: Shoe, event: RecordedEvent, payload: ev.CoupClosed, now: int) -> None:
        """Add the bank's win in a closed coup, less the levy, to its banker's ledger."""
        coup = shoe.coups[payload.coup]
        banker = bank_events_of(coup).banker
        if banker is not None and coup.closed is event:
            result = bank_won(coup) - levy_charged(coup)
            self._enter(event, now, "bank-result", banker, None, (0, result, 0))

    def _commission(self, patron: str, index: int) -> CommissionNote:
        patron = clean(patron)
        self.patrons_touched.add(patron)
        note = self.commissions.setdefault(patron, CommissionNote())
        note.last_index = index
        return note

    def _enter(  # noqa: PLR0913, PLR0917 - what an entry is made of
        self,
        event: RecordedEvent,
        now: int,
        kind: str,
        patron: str | None,
        bet: Bet | None,
        moved: tuple[int, int, int],
    ) -> None:
        """Add a ledger entry: the changes of a patron's chips, win and commission owed."""
        coup, number = getattr(event.payload, "coup", None), getattr(event.payload, "bet", None)
        wager = cleaned(bet.wager) if bet is not None else None
        self.ledger.append(
            LedgerRow(
                event.index, event.stream, now, cleaned(patron), kind, coup, number, wager, *moved
            )
        )


# Most events need no note except the clock; a lookup finds the others faster than a match.
_LOOK: Final[dict[type, Callable[[ShoeNotes, Shoe, RecordedEvent, Any, int], None]]] = {
    ev.BetPlaced: ShoeNotes.see_bet,
    ev.BetCarried: ShoeNotes.see_bet,
    ev.BetTaken: ShoeNotes.see_move,
    ev.BetPaid: ShoeNotes.see_move,
    ev.BetPushed: ShoeNotes.see_move,
    ev.CommissionMarked: ShoeNotes.see_move,
    ev.CommissionCollected: ShoeNotes.see_collection,
    ev.CoupClosed: ShoeNotes.see_close,
    bank_ev.BankPosted: ShoeNotes.see_bank,
    bank_ev.BankRaised: ShoeNotes.see_bank,
    bank_ev.BankWithdrawn: ShoeNotes.see_bank,
}


_WINS: Final = {"P": "player_wins", "B": "banker_wins", "T": "ties"}
_MONEY: Final = ("bets", "handle", "taken", "paid", "commission", "bank_won", "levy")
_MOVED: Final = ("taken", "paid", "bank_won")
"""Money of a coup that counts as moved even if the coup was voided afterwards."""


class ShoeBook:
    """A shoe, with rows changed since the last query."""

    def __init__(self, stream: str) -> None:
        """Create the book of a shoe without events."""
        self._fold(stream, [])
        self._anew = False

    @property
    def version(self) -> int:
        """The version of the last event."""
        return self.shoe.version

    @property
    def size(self) -> int:
        """The number of events in memory."""
        return len(self.shoe.history)

    @property
    def over(self) -> bool:
        """Whether the shoe has ended, so that few further events are expected."""
        return self.shoe.ended is not None

    def add(self, events: Iterable[RecordedEvent]) -> None:
        """Apply the next events; a correction recomputes every row."""
        added = list(events)
        if any(type(event.payload) is ev.EventCorrected for event in added):
            self._fold(self.shoe.stream, [*self.shoe.history, *added])
            return
        self.shoe.history += added
        for event in added:
            apply(self.shoe, event)
            self.notes.see(self.shoe, event)

    def changes(self) -> Changes:
        """Return the rows changed since the last call, and reset the changes."""
        rows: list[Row] = []
        for number in sorted(self.notes.coups_touched):
            coup = self.shoe.coups[number]
            row = self._coup_row(coup, self.notes.coups[number])
            self._count(self._counted.get(number), -1)
            self._count(row, 1)
            self._counted[number] = row
            rows.append(row)
            rows += [self._bet_row(number, bet) for bet in coup.bets.values()]
        rows += self.notes.ledger
        rows += [self._commission_row(patron) for patron in sorted(self.notes.patrons_touched)]
        if self.shoe.history:
            rows += (self._shoe_row(), self._felt_row())
        changes = Changes(self.shoe.stream, self._anew, rows)
        self._anew = False
        self.notes.forget()
        return changes

    def _fold(self, stream: str, history: list[RecordedEvent]) -> None:
        """Compute the shoe again from a corrected history."""
        self.shoe, self.notes = Shoe(stream, history), ShoeNotes()
        self._counted: dict[int, CoupRow] = {}
        self._totals = dict.fromkeys((*_WINS.values(), *_MONEY, "voids", "free_hands"), 0)
        self._anew = True
        for event in apply_corrections(history):
            apply(self.shoe, event)
            self.notes.see(self.shoe, event)

    def _count(self, row: CoupRow | None, sign: int) -> None:
        """Add a coup to the shoe's totals, or subtract it.

        A void coup counts only with the money that moved.
        """
        if row is None:
            return
        totals = self._totals
        totals["free_hands"] += sign * row.free
        if row.state == "voided":
            totals["voids"] += sign
            for name in _MOVED:
                totals[name] += sign * getattr(row, name)
            return
        outcome = row.called or row.came
        if outcome is not None and row.state == "closed":
            totals[_WINS[outcome]] += sign
        for name in _MONEY:
            totals[name] += sign * getattr(row, name)

    def _coup_row(self, coup: Coup, note: CoupNote) -> CoupRow:
        bets = [bet for bet in coup.bets.values() if not bet.withdrawn]
        call = coup.result_called.payload if coup.result_called is not None else None
        result = call if isinstance(call, ev.ResultCalled) else ev.ResultCalled(coup.number)
        right, left = (cards_on(coup, tableau) for tableau in TABLEAUX)
        over = call is not None or coup.closed is not None
        return CoupRow(
            stream=self.shoe.stream,
            coup=coup.number,
            state="voided" if coup.voided else "closed" if coup.closed else "open",
            free=int(coup.free),
            first_index=note.first_index,
            last_index=note.last_index,
            first_us=note.first_us,
            last_us=note.last_us,
            dealer=cleaned(note.dealer),
            holder=cleaned(note.holder),
            player=" ".join(coup.player) or None,
            banker=" ".join(coup.banker) or None,
            player_total=_total(coup.player),
            banker_total=_total(coup.banker),
            player_called=result.player,
            banker_called=result.banker,
            called=called_outcome(coup),
            came=dealt_outcome(coup),
            bets=len(bets),
            handle=fit(sum([bet.amount for bet in bets])),
            taken=fit(sum([bet.taken for bet in bets])),
            paid=fit(sum([bet.paid for bet in bets])),
            commission=fit(sum([bet.commission for bet in bets])),
            irregularities=len(coup.irregularities),
            bank_won=fit(bank_won(coup) if bank_events_of(coup).banker is not None else 0),
            levy=fit(levy_charged(coup)),
            right_hand=" ".join(right) or None,
            left_hand=" ".join(left) or None,
            right_total=_total(right),
            left_total=_total(left),
            right_came=side_won(coup, "right") if over else None,
            left_came=side_won(coup, "left") if over else None,
        )

    def _bet_row(self, coup: int, bet: Bet) -> BetRow:
        note, placed = self.notes.bets[coup, bet.number], bet.placed.payload
        last = (bet.moves or bet.changes or [bet.placed])[-1]
        return BetRow(
            stream=self.shoe.stream,
            coup=coup,
            bet=bet.number,
            patron=clean(bet.patron),
            wager=clean(bet.wager),
            seat=note.seat,
            state=bet_state(bet),
            carried=int(bet.carried),
            placed=placed.amount,
            amount=bet.amount,
            placed_index=bet.placed.index,
            placed_us=note.us,
            last_index=last.index,
            paid=fit(bet.paid),
            taken=fit(bet.taken),
            marked=fit(bet.marked),
            collected=fit(bet.collected),
            net=fit(bet.net),
        )

    def _commission_row(self, patron: str) -> CommissionRow:
        note = self.notes.commissions[patron]
        return CommissionRow(
            stream=self.shoe.stream,
            patron=patron,
            at_once=fit(note.at_once),
            marked=fit(note.marked),
            collected=fit(note.collected),
            owed=fit(note.marked - note.collected),
            last_index=note.last_index,
        )

    def _felt_row(self) -> FeltRow:
        felt = msgspec.json.encode(felt_of(self.shoe)).decode()
        return FeltRow(self.shoe.stream, self.shoe.history[-1].index, felt)

    def _shoe_row(self) -> ShoeRow:
        shoe, notes = self.shoe, self.notes
        first, last, pack = shoe.history[0], shoe.history[-1], shoe.pack
        loaded = shoe.loaded.payload if shoe.loaded is not None else None
        marked = sum([note.marked for note in notes.commissions.values()])
        collected = sum([note.collected for note in notes.commissions.values()])
        return ShoeRow(
            stream=shoe.stream,
            name=shoe.name,
            table_name=cleaned(shoe.table),
            state="ended" if shoe.ended else "in play" if shoe.coups else "loaded",
            scope=shoe.coverage,
            pack=pack.name if pack is not None else None,
            pack_version=pack.version if pack is not None else None,
            pack_sha256=loaded.pack_sha256 if loaded is not None else None,
            currency=pack.money.currency if pack is not None else None,
            batch=cleaned(loaded.batch) if loaded is not None else None,
            minor_units=pack.money.minor_units if pack is not None else 2,
            decks=shoe.decks,
            version=last.version,
            first_index=first.index,
            last_index=last.index,
            first_us=notes.first_us or 0,
            last_us=notes.last_us,
            ended_index=shoe.ended.index if shoe.ended is not None else None,
            ended_us=notes.ended_us,
            coups=len(shoe.coups),
            cards_out=len(shoe.left),
            cards_burned=len(shoe.burned),
            marked=fit(marked),
            collected=fit(collected),
            owed=fit(marked - collected),
            requests=len(shoe.requests),
            irregularities=len(shoe.irregularities),
            corrections=len(shoe.corrections),
            **{name: fit(amount) for name, amount in self._totals.items()},
        )


def _total(hand: list[Card]) -> int | None:
    return total(hand) if hand else None
