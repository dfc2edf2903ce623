"""The table as surveillance sees it at a moment of a shoe.

It is computed from a `Shoe`, so from any prefix of its events. A face-down card is not revealed,
even if a device has already recorded its face.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Final, Literal

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.events import Crew, Limit, Seat
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.two_tableaux.tableaux import side_won
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card
from sabot.domain.views.coup_view import (
    BetState,
    FeltBet,
    FeltCard,
    FeltCoup,
    FeltHand,
    FeltOther,
    bet_state,
    called_outcome,
    dealt_outcome,
    faces_shown,
    felt_coup,
    own_hands,
    tableau_hands,
)

__all__ = [
    "BetState",
    "Felt",
    "FeltBank",
    "FeltBet",
    "FeltBurn",
    "FeltCard",
    "FeltCoup",
    "FeltHand",
    "FeltOther",
    "FeltResult",
    "Phase",
    "bet_state",
    "called_outcome",
    "dealt_outcome",
    "faces_shown",
    "felt_of",
]

RESULTS_SHOWN: Final = 30

Phase = Literal["empty", "preparing", "between", "betting", "dealing", "settling", "ended"]


class FeltResult(Struct, frozen=True):
    """The outcome of a coup: as called, or else by its cards. ``V`` is a void coup.

    With two tableaux each ``tableau`` has its own result: P if it won, B if the banker did.
    """

    coup: int
    outcome: Literal["P", "B", "T", "V"]
    tableau: Tableau | None = None


class FeltBurn(Struct, frozen=True):
    """The burned cards: the faces seen, and the number burned face down."""

    faces: tuple[Card, ...] = ()
    face_down: int = 0


class FeltBank(Struct, frozen=True):
    """A patron's bank: holder, and amount in minor units."""

    holder: str
    amount: int
    unlimited: bool = False


class Felt(Struct, frozen=True, kw_only=True):
    """The table at a moment of a shoe.

    ``index`` and ``version`` are those of the last event; ``at_us`` and ``recorded_us`` are its two
    times. ``coup`` is the coup in play, or the last one. ``loaded`` and ``left`` count cards.
    ``cut_card_behind`` is the number of cards behind the cut card, ``cut_card_at`` the number drawn
    before it appeared. ``due`` is the next step due.
    """

    shoe: str
    index: int | None
    version: int
    at_us: int | None
    recorded_us: int | None
    table: str | None
    phase: Phase
    pack: str | None
    title: str | None
    currency: str
    minor_units: int
    decks: int
    coup: FeltCoup | None = None
    seats: tuple[Seat, ...] = ()
    crew: tuple[Crew, ...] = ()
    limits: tuple[Limit, ...] = ()
    holder: str | None = None
    offered: str | None = None
    owed: dict[str, int] = {}
    bank: FeltBank | None = None
    burned: FeltBurn = FeltBurn()
    loaded: int = 0
    left: int = 0
    cut_card_behind: int | None = None
    cut_card_out: bool = False
    cut_card_at: int | None = None
    last_coup_called: bool = False
    results: tuple[FeltResult, ...] = ()
    due: str | None = None


def felt_of(shoe: Shoe, number: int | None = None) -> Felt:
    """Return the table view of a shoe after its events so far.

    ``number`` selects a coup other than the one in play. A number without a coup shows none.
    """
    last = shoe.history[-1] if shoe.history else None
    coup = shoe.coups.get(number) if number is not None else _coup_to_show(shoe)
    pack = shoe.pack
    behind, at = _cut_card(shoe)
    return Felt(
        shoe=shoe.name,
        index=last.index if last is not None else None,
        version=shoe.version,
        at_us=last.at_us if last is not None else None,
        recorded_us=last.recorded_us if last is not None else None,
        table=shoe.table,
        phase=_phase(shoe),
        pack=f"{pack.name} {pack.version}" if pack is not None else None,
        title=pack.title if pack is not None else None,
        currency=pack.money.currency if pack is not None else "",
        minor_units=pack.money.minor_units if pack is not None else 0,
        decks=shoe.decks,
        coup=_on_the_felt(shoe, coup) if coup is not None else None,
        seats=tuple(Seat(seat, shoe.seats[seat]) for seat in sorted(shoe.seats)),
        crew=tuple(Crew(post, person) for post, person in sorted(shoe.crew.items())),  # type: ignore[arg-type]
        limits=shoe.limits,
        holder=shoe.holder,
        offered=shoe.offered,
        owed={
            patron: shoe.owed_commission[patron]
            for patron in sorted(shoe.owed_commission)
            if shoe.owed_commission[patron]
        },
        bank=_bank(shoe),
        burned=_burned(shoe),
        loaded=shoe.size,
        left=_left(shoe),
        cut_card_behind=behind,
        cut_card_out=shoe.cut_card is not None,
        cut_card_at=at,
        last_coup_called=bool(shoe.last_coup_called),
        results=tuple(islice(_results(shoe), RESULTS_SHOWN))[::-1],
        due=_due(shoe),
    )


def _left(shoe: Shoe) -> int:
    """Return how many cards have left the shoe.

    A continuous shuffler takes the cards of a coup back.
    """
    if shoe.pack is None or not shoe.pack.endless:
        return len(shoe.left)
    return len(shoe.current.cards) if shoe.current is not None else 0


def _on_the_felt(shoe: Shoe, coup: Coup) -> FeltCoup:
    """Return a coup as it appears on the table, with tableaux or patrons' own hands."""
    view = felt_coup(shoe, coup)
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        return replace(view, others=tableau_hands(shoe, coup))
    rules = shoe.pack.macao if shoe.pack is not None else None
    if rules is None:
        return view
    banker, others = own_hands(shoe, coup, rules)
    return replace(view, banker=banker, others=others)


def _coup_to_show(shoe: Shoe) -> Coup | None:
    if shoe.current is not None:
        return shoe.current
    return next(reversed(shoe.coups.values()), None)


def _phase(shoe: Shoe) -> Phase:
    if shoe.ended is not None:
        return "ended"
    if shoe.loaded is None:
        return "empty" if not shoe.coups else "between"
    coup = shoe.current
    if coup is None:
        return "between" if shoe.coups else "preparing"
    if coup.result_called is not None:
        return "settling"
    return "dealing" if coup.cards or coup.no_more_bets is not None else "betting"


def _bank(shoe: Shoe) -> FeltBank | None:
    bank = shoe.bank
    return FeltBank(bank.holder, bank.amount, bank.unlimited) if bank is not None else None


def _burned(shoe: Shoe) -> FeltBurn:
    payloads = [event.payload for event in shoe.burned]
    faces = tuple(payload.card for payload in payloads if payload.card is not None)
    return FeltBurn(faces, len(payloads) - len(faces))


def _cut_card(shoe: Shoe) -> tuple[int | None, int | None]:
    placed = shoe.stop_cards[-1].payload if shoe.stop_cards else None
    out = shoe.cut_card.event.payload if shoe.cut_card is not None else None
    behind = placed.behind if placed is not None else None
    return behind, out.drawn if out is not None else None


def _results(shoe: Shoe) -> Iterator[FeltResult]:
    """Yield the outcomes of the coups, the last first."""
    for coup in reversed(shoe.coups.values()):
        if coup.voided is not None:
            yield FeltResult(coup.number, "V")
            continue
        if coup.result_called is None and coup.closed is None:
            continue
        for tableau in reversed(TABLEAUX):
            side = side_won(coup, tableau)
            if side is not None:
                yield FeltResult(coup.number, side, tableau)
        outcome = called_outcome(coup) or dealt_outcome(coup)
        if outcome is not None:
            yield FeltResult(coup.number, outcome)


def _due(shoe: Shoe) -> str | None:
    """Return the next step due. None if only coups are recorded, or the rules are unknown."""
    if shoe.pack is None or shoe.coverage != "whole":
        return None
    return next_action(shoe).text
