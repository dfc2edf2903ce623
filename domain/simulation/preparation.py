"""The dealer's steps before the first coup: loading, shuffle, cut, burn."""

from typing import Literal

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.procedure.seating import may_cut
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.simulation.shoe_plan import BACKS
from sabot.domain.simulation.table import SimulatedTable

Events = tuple[ev.ShoeEvent, ...]


def loading_event(table: SimulatedTable) -> Events:
    """Return the loading of the shoe, with the seated patrons and the crew."""
    plan = table.plan
    sitting = ((table.seat_of(s.patron), s.patron.name) for s in table.sitters if s.seated)
    seats = sorted((seat, name) for seat, name in sitting if seat is not None)
    return (
        ev.ShoeLoaded(
            plan.decks,
            plan.pack,
            pack_sha256(plan.pack),
            table=plan.table,
            batch=plan.batch,
            backs=plan.backs or BACKS[: table.pack.cards.backs or 0],
            limits=plan.limits,
            crew=table.crew,
            seats=tuple(ev.Seat(seat, name) for seat, name in seats),
            sabot=plan.sabot,
            banked=plan.banked,
        ),
    )


def prepare(table: SimulatedTable, due: NextAction) -> Events:
    """Return the next events of the preparation: shuffle, cut, cut card or burn."""
    match due.expects:
        case "shuffle":
            serial = table.plan.shuffler
            method: Literal["hand", "machine", "continuous"] = "machine" if serial else "hand"
            method = "continuous" if table.pack.endless else method
            return (ev.ShoeShuffled(table.floor, method, serial),)
        case "cut":
            return _cut(table, due)
        case "stop-card":
            end = table.pack.end
            assert end.stop_card_least is not None
            most = end.stop_card_most or end.stop_card_least
            return (ev.StopCardPlaced(table.rng.randint(end.stop_card_least, most)),)
        case _:
            burned = table.burned(face_up=due.expects == "burn-up")
            reason = due.payload.reason if isinstance(due.payload, ev.CardBurned) else "opening"
            return (replace(burned, reason=reason),)


def _cut(table: SimulatedTable, due: NextAction) -> Events:
    """Return the next events of the cut: an offer, a refusal, or the cut.

    After the cut comes the commitment to the card order.
    """
    if isinstance(due.payload, ev.CutOffered):
        return (due.payload,)
    asked = may_cut(table.shoe)
    if asked is not None and table.plan.cutter not in (None, asked):
        return (ev.CutRefused(asked),)
    depth = table.rng.randint(20, table.shoe.size - 20)
    first = next((table.shoe.seats[seat] for seat in sorted(table.shoe.seats)), None)
    cutter = asked or table.plan.cutter or first or table.floor
    return (ev.ShoeCut(cutter, depth), table.bound())
