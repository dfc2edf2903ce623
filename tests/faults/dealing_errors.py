"""Cards that are recorded or dealt wrongly: swapped, recorded twice, misread, one too many."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.values.cards import RANKS, total
from tests.faults.draw_faults import result_call, two_each
from tests.faults.fault import Events, FaultKind

_NOT_COMMITTED = "R409"
_TOO_MANY_COPIES = "N301"
_ADD_UP = "N303"


def _misread(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The reader takes a card for the next rank of its suit, and the hands are dealt by that."""
    if not isinstance(payload, ev.CardDrawn):
        return None
    rank = RANKS[(RANKS.index(payload.card[0]) + 1) % len(RANKS)]
    return (replace(payload, card=rank + payload.card[1:]),)


def _suit_misread(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CardDrawn):
        return None
    suit = {"c": "d", "d": "h", "h": "s", "s": "c"}[payload.card[1]]
    return (replace(payload, card=payload.card[0] + suit),)


def _told_twice(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The first card of a coup is recorded twice. The dealer goes on as if two had come."""
    coup = table.shoe.current
    if not isinstance(payload, ev.CardDrawn) or coup is None or coup.cards:
        return None
    return (payload, payload)


def _thirds_swapped(table: SimulatedTable, due: NextAction) -> Events | None:
    """Banker, which must draw in any case, gets its third card before Player."""
    coup = two_each(table)
    if coup is None or due.expects != "card" or due.hand != "player" or total(coup.banker) > 2:
        return None

    def dealt() -> Events:
        yield table.drawn("banker")
        yield table.drawn("player")
        yield result_call(coup)

    return dealt()


def _one_over(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeEnded) or payload.left is None or payload.counted is None:
        return None
    return (replace(payload, left=payload.left + 1, counted=payload.counted + 1),)


def _foreign_card(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """All cards are removed at the end, and there is one more than the decks hold."""
    if not isinstance(payload, ev.ShoeEnded):
        return None

    def turned_out() -> Events:
        while table.order.left:
            yield replace(table.burned(face_up=True), reason="other")
        yield ev.CardBurned(None, table.gone + 1, "other")
        yield replace(payload, left=0, counted=table.gone + 1)

    return turned_out()


KINDS = (
    FaultKind(
        name="rank-misread",
        family="integrity",
        what="the reader takes a card for the next rank, and the hand is dealt by that",
        codes=(_NOT_COMMITTED, _TOO_MANY_COPIES),
        alters=_misread,
    ),
    FaultKind(
        name="suit-misread",
        family="integrity",
        what="the reader takes a card for another suit",
        codes=(_NOT_COMMITTED, _TOO_MANY_COPIES),
        alters=_suit_misread,
    ),
    FaultKind(
        name="card-told-twice",
        family="procedure",
        what="the first card of a coup is told twice, and dealt on as if two had come",
        codes=(
            "D103",
            "D101",
            _ADD_UP,
            _NOT_COMMITTED,
            _TOO_MANY_COPIES,
        ),
        alters=_told_twice,
    ),
    FaultKind(
        name="thirds-swapped",
        family="procedure",
        what="Banker's third card is dealt before Player's",
        codes=("D101",),
        acts=_thirds_swapped,
    ),
    FaultKind(
        name="one-card-over",
        family="composition",
        what="one card too many is counted at the end",
        codes=(_ADD_UP,),
        alters=_one_over,
    ),
    FaultKind(
        name="foreign-card-in-shoe",
        family="composition",
        what="the shoe holds a card more than its decks, which shows when it is turned out",
        codes=("N302", _ADD_UP),
        of_coup=False,
        alters=_foreign_card,
    ),
)
