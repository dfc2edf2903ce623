"""The rows of one shoe, kept up fact by fact.

A row is made of what the shoe's facts say of its own coup, bet or patron; what it takes from
elsewhere is in the notes. So it does not matter where a batch of facts ends.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from domain import facts as f
from domain.banking import bank_won, banked, levied
from domain.cards import Card, total
from domain.corrections import effective
from domain.coup import Bet, Coup
from domain.event import Event
from domain.felt import bet_state, called, came, felt_of
from domain.shoe import Shoe, apply
from domain.tableaux import cards_on, side_won
from domain.wings import WINGS
from infrastructure.readmodels.rows import (
    BetRow,
    Changes,
    CommissionRow,
    CoupRow,
    FeltRow,
    Row,
    ShoeRow,
    clean,
    cleaned,
    fit,
)
from infrastructure.readmodels.shoe_notes import CoupNote, ShoeNotes

_WINS: Final = {"P": "player_wins", "B": "banker_wins", "T": "ties"}
_MONEY: Final = ("bets", "handle", "taken", "paid", "commission", "bank_won", "levy")
_MOVED: Final = ("taken", "paid", "bank_won")
"""What a coup moved of it stays moved, though it was voided afterwards."""


class ShoeBook:
    """A shoe, and the rows that have changed since they were last asked for."""

    def __init__(self, stream: str) -> None:
        """Begin a shoe without facts."""
        self._fold(stream, [])
        self._anew = False

    @property
    def version(self) -> int:
        """The version of the last fact."""
        return self.shoe.version

    @property
    def size(self) -> int:
        """How many facts it holds in memory."""
        return len(self.shoe.history)

    @property
    def over(self) -> bool:
        """Whether few facts are still to come."""
        return self.shoe.ended is not None

    def add(self, events: Iterable[Event]) -> None:
        """Add facts that go on from the last; a correction makes every row anew."""
        added = list(events)
        if any(type(event.fact) is f.FactCorrected for event in added):
            self._fold(self.shoe.stream, [*self.shoe.history, *added])
            return
        self.shoe.history += added
        for event in added:
            apply(self.shoe, event)
            self.notes.see(self.shoe, event)

    def changes(self) -> Changes:
        """Return the rows that have changed since the last time, and forget that they have."""
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

    def _fold(self, stream: str, history: list[Event]) -> None:
        """Begin anew with a history in which something was corrected."""
        self.shoe, self.notes = Shoe(stream, history), ShoeNotes()
        self._counted: dict[int, CoupRow] = {}
        self._totals = dict.fromkeys((*_WINS.values(), *_MONEY, "voids", "free_hands"), 0)
        self._anew = True
        for event in effective(history):
            apply(self.shoe, event)
            self.notes.see(self.shoe, event)

    def _count(self, row: CoupRow | None, sign: int) -> None:
        """Add a coup to the shoe's totals, or take it out; of a void one what it moved."""
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
        said = coup.result_called.fact if coup.result_called is not None else None
        result = said if isinstance(said, f.ResultCalled) else f.ResultCalled(coup.number)
        right, left = (cards_on(coup, wing) for wing in WINGS)
        over = said is not None or coup.closed is not None
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
            called=called(coup),
            came=came(coup),
            bets=len(bets),
            handle=fit(sum([bet.amount for bet in bets])),
            taken=fit(sum([bet.taken for bet in bets])),
            paid=fit(sum([bet.paid for bet in bets])),
            commission=fit(sum([bet.commission for bet in bets])),
            irregularities=len(coup.irregularities),
            bank_won=fit(bank_won(coup) if banked(coup).banker is not None else 0),
            levy=fit(levied(coup)),
            right_hand=" ".join(right) or None,
            left_hand=" ".join(left) or None,
            right_total=_total(right),
            left_total=_total(left),
            right_came=side_won(coup, "right") if over else None,
            left_came=side_won(coup, "left") if over else None,
        )

    def _bet_row(self, coup: int, bet: Bet) -> BetRow:
        note, placed = self.notes.bets[coup, bet.number], bet.placed.fact
        assert isinstance(placed, f.BetPlaced | f.BetCarried)
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
        loaded = shoe.loaded.fact if shoe.loaded is not None else None
        by_pack = loaded if isinstance(loaded, f.ShoeLoaded) else None
        marked = sum([note.marked for note in notes.commissions.values()])
        collected = sum([note.collected for note in notes.commissions.values()])
        return ShoeRow(
            stream=shoe.stream,
            name=shoe.name,
            table_name=cleaned(shoe.table),
            state="ended" if shoe.ended else "in play" if shoe.coups else "loaded",
            scope=shoe.scope,
            pack=pack.name if pack is not None else None,
            pack_version=pack.version if pack is not None else None,
            pack_sha256=by_pack.pack_sha256 if by_pack is not None else None,
            currency=pack.money.currency if pack is not None else None,
            batch=cleaned(by_pack.batch) if by_pack is not None else None,
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
