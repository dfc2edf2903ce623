"""Who comes to a table, and who leaves it, between coups."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from domain import facts as f
from domain.coup import Coup
from domain.procedure import staying_bets
from domain.simulation import banque

if TYPE_CHECKING:
    from domain.simulation.croupier import Croupier


def comings(croupier: "Croupier", number: int) -> Iterator[f.ShoeFact]:
    """Reliefs of the crew, and patrons who sit down."""
    for coup, crew in croupier.plan.reliefs:
        if coup == number:
            yield f.CrewChanged(crew.post, crew.person)
    for sitter in croupier.sitters:
        if sitter.patron.joins == number:
            sitter.seated = True
            seat = croupier.seat_of(sitter.patron)
            if seat is not None:
                yield f.PatronSeated(seat, sitter.patron.name)


def goings(croupier: "Croupier", number: int) -> Iterator[f.ShoeFact]:
    """Patrons who leave: what they owe is collected, and the shoe goes on without them."""
    least = min((limit.minimum for limit in croupier.shoe.limits), default=1)
    for sitter in croupier.sitters:
        name = sitter.patron.name
        if not sitter.seated or not sitter.leaves(least) or croupier.banks(name):
            continue
        if any(bet.patron == name for bet in staying_bets(croupier.shoe, Coup(number))):
            continue
        if croupier.banks(name) or banque.holds_back(croupier, name, number):
            continue
        sitter.seated = False
        yield from croupier.collected(name)
        if croupier.shoe.holder == name:
            yield f.ShoePassed(name, "left")
        if name in croupier.shoe.seats.values():
            yield f.PatronLeft(name)
