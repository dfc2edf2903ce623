"""Arrivals, reliefs and departures between coups."""

from collections.abc import Iterator

from sabot.domain import events as ev
from sabot.domain.procedure.common import staying_bets
from sabot.domain.simulation.banked_games import banque_play
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup


def plan_arrivals(table: SimulatedTable, number: int) -> Iterator[ev.ShoeEvent]:
    """Yield reliefs of the crew, and patrons who sit down."""
    for coup, crew in table.plan.reliefs:
        if coup == number:
            yield ev.CrewChanged(crew.post, crew.person)
    for sitter in table.sitters:
        if sitter.patron.joins == number:
            sitter.seated = True
            seat = table.seat_of(sitter.patron)
            if seat is not None:
                yield ev.PatronSeated(seat, sitter.patron.name)


def plan_departures(table: SimulatedTable, number: int) -> Iterator[ev.ShoeEvent]:
    """Yield departures, with the commission collected and the shoe passed on before."""
    least = min((limit.minimum for limit in table.shoe.limits), default=1)
    for sitter in table.sitters:
        name = sitter.patron.name
        if not sitter.seated or not sitter.leaves(least) or table.banks(name):
            continue
        if any(bet.patron == name for bet in staying_bets(table.shoe, Coup(number))):
            continue
        if table.banks(name) or banque_play.holds_back(table, name, number):
            continue
        sitter.seated = False
        yield from table.collected(name)
        if table.shoe.holder == name:
            yield ev.ShoePassed(name, "left")
        if name in table.shoe.seats.values():
            yield ev.PatronLeft(name)
