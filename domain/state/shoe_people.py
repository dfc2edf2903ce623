"""What its people do to a shoe: its loading, seats, crew, limits, requests, who holds it."""

from typing import Final

from sabot.domain import events as f
from sabot.domain.events.envelope import Event
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.state.projection import Handler
from sabot.domain.state.shoe_state import Shoe, asked_now
from sabot.domain.values.errors import BadRulePack


def _shoe_loaded(shoe: Shoe, event: Event, fact: f.ShoeLoaded) -> None:
    if shoe.loaded is not None:
        shoe.strays.append(event)
        return
    shoe.loaded = event
    shoe.decks, shoe.scope, shoe.table = fact.decks, fact.scope, fact.table
    shoe.pack_text, shoe.limits = fact.pack, fact.limits
    shoe.seats = {seat.seat: seat.patron for seat in fact.seats}
    shoe.seatings = [(event, seat.seat, seat.patron) for seat in fact.seats]
    shoe.crew = {crew.post: crew.person for crew in fact.crew}
    shoe.staff = set(shoe.crew.values())
    shoe.last_holder = fact.banked
    try:
        shoe.pack = parse_pack(fact.pack)
    except BadRulePack as error:
        shoe.pack_fault = error.message


def _seated(shoe: Shoe, event: Event, fact: f.PatronSeated) -> None:
    shoe.seatings.append((event, fact.seat, fact.patron))
    shoe.seats[fact.seat] = fact.patron


def _moved(shoe: Shoe, event: Event, fact: f.PatronMoved) -> None:
    left = next((seat for seat, name in shoe.seats.items() if name == fact.patron), None)
    there = shoe.seats.get(fact.seat)
    if left is not None:
        del shoe.seats[left]
    if there is not None and there != fact.patron and left is not None:
        shoe.seatings.append((event, left, there))
        shoe.seats[left] = there
    shoe.seatings.append((event, fact.seat, fact.patron))
    shoe.seats[fact.seat] = fact.patron


def _left(shoe: Shoe, event: Event, fact: f.PatronLeft) -> None:
    shoe.leavings.append((event, fact.patron, shoe.owed.get(fact.patron, 0)))
    shoe.seats = {seat: name for seat, name in shoe.seats.items() if name != fact.patron}


def _crew_changed(shoe: Shoe, _event: Event, fact: f.CrewChanged) -> None:
    if fact.person is None:
        shoe.crew.pop(fact.post, None)
    else:
        shoe.crew[fact.post] = fact.person
        shoe.staff.add(fact.person)


def _limits_changed(shoe: Shoe, event: Event, fact: f.LimitsChanged) -> None:
    shoe.limits_changed.append(event)
    shoe.limits = fact.limits


def _request_made(shoe: Shoe, event: Event, fact: f.RequestMade) -> None:
    shoe.requests.append(event)
    # a request before a coup is opened must not open it
    if fact.coup is not None and fact.coup in shoe.coups:
        shoe.coups[fact.coup].events.append(event)


def _shoe_offered(shoe: Shoe, event: Event, fact: f.ShoeOffered) -> None:
    shoe.shoe_moves.append(event)
    shoe.offers.append((event, asked_now(shoe)))
    shoe.offered = fact.to
    if fact.amount is None:
        shoe.match = None


def _shoe_refused(shoe: Shoe, event: Event, fact: f.ShoeRefused) -> None:
    shoe.shoe_moves.append(event)
    (shoe.refused if shoe.match is None else shoe.unmatched).append(fact.by)
    shoe.offered = None


def _shoe_taken(shoe: Shoe, event: Event, fact: f.ShoeTaken) -> None:
    shoe.shoe_moves.append(event)
    shoe.holder, shoe.offered, shoe.refused, shoe.unmatched = fact.by, None, [], []
    shoe.taken_after = max(shoe.coups, default=0)


def _shoe_passed(shoe: Shoe, event: Event, fact: f.ShoePassed) -> None:
    shoe.shoe_moves.append(event)
    shoe.holder, shoe.last_holder = None, fact.by
    shoe.match = None
    if shoe.bank is not None:
        # whoever gives up a bank of his own will leaves it to be had for what he took out of it
        shoe.match = shoe.bank.withdrawn_last if fact.reason == "chosen" else None
        shoe.bank = None


HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    f.ShoeLoaded: _shoe_loaded,
    f.ShoeOffered: _shoe_offered,
    f.ShoeTaken: _shoe_taken,
    f.ShoeRefused: _shoe_refused,
    f.ShoePassed: _shoe_passed,
    f.PatronSeated: _seated,
    f.PatronMoved: _moved,
    f.PatronLeft: _left,
    f.CrewChanged: _crew_changed,
    f.LimitsChanged: _limits_changed,
    f.RequestMade: _request_made,
}
