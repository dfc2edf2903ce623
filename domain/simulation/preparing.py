"""What the dealer does before the first coup: he loads, shuffles, cuts, burns."""

from typing import TYPE_CHECKING, Literal

from msgspec.structs import replace

from domain import facts as f
from domain.dealing import Prompt
from domain.rulepack import pack_sha256
from domain.seating import may_cut
from domain.simulation.plan import BACKS

if TYPE_CHECKING:
    from domain.simulation.croupier import Croupier

Facts = tuple[f.ShoeFact, ...]


def loading(croupier: "Croupier") -> Facts:
    """Load the shoe, with those who sit and stand there."""
    plan = croupier.plan
    sitting = ((croupier.seat_of(s.patron), s.patron.name) for s in croupier.sitters if s.seated)
    seats = sorted((seat, name) for seat, name in sitting if seat is not None)
    return (
        f.ShoeLoaded(
            plan.decks,
            plan.pack,
            pack_sha256(plan.pack),
            table=plan.table,
            batch=plan.batch,
            backs=plan.backs or BACKS[: croupier.pack.cards.backs or 0],
            limits=plan.limits,
            crew=croupier.crew,
            seats=tuple(f.Seat(seat, name) for seat, name in seats),
            sabot=plan.sabot,
            banked=plan.banked,
        ),
    )


def prepare(croupier: "Croupier", due: Prompt) -> Facts:
    """Shuffle, cut, place the stop card, burn."""
    match due.awaits:
        case "shuffle":
            serial = croupier.plan.shuffler
            method: Literal["hand", "machine", "continuous"] = "machine" if serial else "hand"
            method = "continuous" if croupier.pack.endless else method
            return (f.ShoeShuffled(croupier.floor, method, serial),)
        case "cut" if isinstance(due.fact, f.CutOffered):
            return (due.fact,)
        case "cut":
            asked = may_cut(croupier.shoe)
            if asked is not None and croupier.plan.cutter not in (None, asked):
                return (f.CutRefused(asked),)
            depth = croupier.rng.randint(20, croupier.shoe.size - 20)
            first = next((croupier.shoe.seats[seat] for seat in sorted(croupier.shoe.seats)), None)
            cutter = asked or croupier.plan.cutter or first or croupier.floor
            return (f.ShoeCut(cutter, depth), croupier.bound())
        case "stop-card":
            end = croupier.pack.end
            assert end.stop_card_least is not None
            most = end.stop_card_most or end.stop_card_least
            return (f.StopCardPlaced(croupier.rng.randint(end.stop_card_least, most)),)
        case _:
            burned = croupier.burned(face_up=due.awaits == "burn-up")
            reason = due.fact.reason if isinstance(due.fact, f.CardBurned) else "opening"
            return (replace(burned, reason=reason),)
