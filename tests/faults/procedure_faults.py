"""Departures from the procedure: preparing the shoe, and the order of a coup."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.common import burn_due, opening_burn
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_BURN = ("S304",)


def _first_coup(table: SimulatedTable) -> Events:
    """Open the first coup without the steps before it. A patron who deals takes the shoe first."""
    if table.pack.table.shoe == "patron":
        seats = table.shoe.seats
        holder = seats[min(seats)] if seats else table.floor
        yield from (ev.ShoeOffered(holder), ev.ShoeTaken(holder))
    yield ev.CoupOpened(1)


def _no_burn(table: SimulatedTable, due: NextAction) -> Events | None:
    burning = due.expects in ("burn-up", "burn-down") and not table.shoe.left
    return _first_coup(table) if burning else None


def _short_burn(table: SimulatedTable, due: NextAction) -> Events | None:
    """The last card of the burn stays in the shoe."""
    if due.expects != "burn-down":
        return None
    asked = burn_due(table.shoe)
    burned = len(opening_burn(table.shoe))
    if asked is None or asked.cards is None or not 0 < asked.cards - burned <= 1:
        return None
    return _first_coup(table)


def _long_burn(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.CoupOpened) or payload.coup != 1:
        return None
    return (table.burned(face_up=False), payload)


def _burn_unseen(table: SimulatedTable, due: NextAction) -> Events | None:
    return (table.burned(face_up=False),) if due.expects == "burn-up" else None


def _burned_unasked(table: SimulatedTable, due: NextAction) -> Events | None:
    """A third card is due, but the dealer burns the next card first without a reason."""
    coup = table.shoe.current
    if due.expects != "card" or coup is None or len(coup.cards) < 4:
        return None
    return (replace(table.burned(face_up=False), reason="other"),)


def _out_of_order(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if due.hand != "banker" or coup is None or len(coup.cards) != 1:
        return None
    return (table.drawn("player"),)


def _closed_unfinished(table: SimulatedTable, due: NextAction) -> Events | None:
    """The dealer stops after three cards, returns the bets and goes on."""
    coup = table.shoe.current
    if due.expects != "card" or coup is None or len(coup.cards) != 3:
        return None
    bets = [bet.number for bet in coup.bets.values() if not bet.withdrawn]
    return (*(ev.BetPushed(coup.number, bet) for bet in bets), ev.CoupClosed(coup.number))


def _one_back(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeLoaded) or not table.pack.cards.backs:
        return None
    return (replace(payload, backs=payload.backs[:1] * len(payload.backs)),)


def _as_it_came(_table: SimulatedTable, due: NextAction) -> Events | None:
    return _first_coup(_table) if due.expects == "shuffle" else None


def _in_mid_shoe(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The dealer shuffles before a coup, and goes on dealing."""
    shoe = table.shoe
    if not isinstance(payload, ev.CoupOpened) or not shoe.coups or table.pack.endless:
        return None
    return None if shoe.cut_card is not None else (ev.ShoeShuffled(table.floor), payload)


def _voided_for_nothing(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    if coup is None or type(due.payload) is not ev.ResultCalled:
        return None
    return (ev.CoupVoided(coup.number),)


def _face_up(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (replace(payload, face_up=True),) if isinstance(payload, ev.CardDrawn) else None


KINDS = (
    FaultKind(
        name="voided-for-nothing",
        family="procedure",
        what="a coup is voided when its cards lie there, and nobody says why",
        codes=("I305",),
        acts=_voided_for_nothing,
    ),
    FaultKind(
        name="face-up-passed-over",
        family="procedure",
        what="a card lies face up in the shoe, and is dealt as if it did not",
        codes=("I302",),
        alters=_face_up,
    ),
    FaultKind(
        name="dealt-as-it-came",
        family="procedure",
        what="nobody shuffles, cuts or burns, and no cut card is placed",
        codes=("S303", "S308", "S312", *_BURN),
        of_coup=False,
        acts=_as_it_came,
    ),
    FaultKind(
        name="shuffled-in-mid-shoe",
        family="procedure",
        what="what is left of the shoe is shuffled between two coups, and nobody says why",
        codes=("S315",),
        of_coup=False,
        alters=_in_mid_shoe,
    ),
    FaultKind(
        name="backs-alike",
        family="procedure",
        what="all cards have the same backs where the pack asks for several",
        codes=("S302",),
        alters=_one_back,
    ),
    FaultKind(
        name="no-burn",
        family="procedure",
        what="no card is burned before the first coup",
        codes=_BURN,
        acts=_no_burn,
    ),
    FaultKind(
        name="short-burn",
        family="procedure",
        what="one card too few is burned",
        codes=_BURN,
        acts=_short_burn,
    ),
    FaultKind(
        name="long-burn",
        family="procedure",
        what="one card too many is burned",
        codes=_BURN,
        alters=_long_burn,
    ),
    FaultKind(
        name="burn-unseen",
        family="procedure",
        what="the first card is burned face down, and nobody knows how many should follow",
        codes=_BURN,
        acts=_burn_unseen,
    ),
    FaultKind(
        name="burned-unasked",
        family="procedure",
        what="a card is burned before a third one is dealt, and nothing asks for it",
        codes=("S305",),
        acts=_burned_unasked,
    ),
    FaultKind(
        name="dealt-out-of-order",
        family="procedure",
        what="the second card goes to the Player hand",
        codes=("D101",),
        acts=_out_of_order,
    ),
    FaultKind(
        name="closed-unfinished",
        family="procedure",
        what="a coup is closed on three cards",
        codes=("D102", "C105"),
        acts=_closed_unfinished,
    ),
)
