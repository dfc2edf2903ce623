"""Handlers for people: loading, seats, crew, limits, requests and the shoe holder."""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.state.projection import Handlers
from sabot.domain.state.shoe_state import Shoe, asked_now
from sabot.domain.values.errors import BadRulePack


def _shoe_loaded(shoe: Shoe, event: RecordedEvent[ev.ShoeLoaded]) -> None:
    payload = event.payload
    if shoe.loaded is not None:
        shoe.unmatched_events.append(event)
        return
    shoe.loaded = event
    shoe.decks, shoe.coverage, shoe.table = payload.decks, payload.coverage, payload.table
    shoe.pack_text, shoe.limits = payload.pack, payload.limits
    shoe.seats = {seat.seat: seat.patron for seat in payload.seats}
    shoe.seatings = [(event, seat.seat, seat.patron) for seat in payload.seats]
    shoe.crew = {crew.post: crew.person for crew in payload.crew}
    shoe.staff = set(shoe.crew.values())
    shoe.last_holder = payload.banked
    try:
        shoe.pack = parse_pack(payload.pack)
    except BadRulePack as error:
        shoe.pack_fault = error.message


def _seated(shoe: Shoe, event: RecordedEvent[ev.PatronSeated]) -> None:
    payload = event.payload
    shoe.seatings.append((event, payload.seat, payload.patron))
    shoe.seats[payload.seat] = payload.patron


def _moved(shoe: Shoe, event: RecordedEvent[ev.PatronMoved]) -> None:
    payload = event.payload
    left = next((seat for seat, name in shoe.seats.items() if name == payload.patron), None)
    there = shoe.seats.get(payload.seat)
    if left is not None:
        del shoe.seats[left]
    if there is not None and there != payload.patron and left is not None:
        shoe.seatings.append((event, left, there))
        shoe.seats[left] = there
    shoe.seatings.append((event, payload.seat, payload.patron))
    shoe.seats[payload.seat] = payload.patron


def _left(shoe: Shoe, event: RecordedEvent[ev.PatronLeft]) -> None:
    payload = event.payload
    shoe.leavings.append((event, payload.patron, shoe.owed_commission.get(payload.patron, 0)))
    shoe.vacated |= {name: seat for seat, name in shoe.seats.items() if name == payload.patron}
    shoe.seats = {seat: name for seat, name in shoe.seats.items() if name != payload.patron}
    if shoe.offered == payload.patron:
        shoe.offered = None


def crew_changed(shoe: Shoe, event: RecordedEvent[ev.CrewChanged]) -> None:
    """Assign a person to a post, or vacate the post."""
    payload = event.payload
    if payload.person is None:
        shoe.crew.pop(payload.post, None)
    else:
        shoe.crew[payload.post] = payload.person
        shoe.staff.add(payload.person)


def _limits_changed(shoe: Shoe, event: RecordedEvent[ev.LimitsChanged]) -> None:
    shoe.limits_changed.append(event)
    shoe.limits = event.payload.limits


def _request_made(shoe: Shoe, event: RecordedEvent[ev.RequestMade]) -> None:
    payload = event.payload
    shoe.requests.append(event)
    # a request before the opening of a coup must not create the coup
    if payload.coup is not None and payload.coup in shoe.coups:
        shoe.coups[payload.coup].events.append(event)


def _shoe_offered(shoe: Shoe, event: RecordedEvent[ev.ShoeOffered]) -> None:
    payload = event.payload
    shoe.shoe_moves.append(event)
    shoe.offers.append((event, asked_now(shoe)))
    shoe.offered = payload.to
    if payload.amount is None:
        shoe.match = None


def _shoe_refused(shoe: Shoe, event: RecordedEvent[ev.ShoeRefused]) -> None:
    shoe.shoe_moves.append(event)
    if shoe.offered not in (None, event.payload.by):
        return  # the offer to another patron stands
    (shoe.refused if shoe.match is None else shoe.unmatched).append(event.payload.by)
    shoe.offered = None


def _shoe_taken(shoe: Shoe, event: RecordedEvent[ev.ShoeTaken]) -> None:
    shoe.shoe_moves.append(event)
    shoe.holder, shoe.offered, shoe.refused, shoe.unmatched = event.payload.by, None, [], []
    shoe.taken_after = max(shoe.coups, default=0)


def _passed_already(shoe: Shoe) -> bool:
    """Return whether nobody has taken the shoe, and no coup has begun, since it was passed."""
    moves = (
        e for e in reversed(shoe.shoe_moves) if is_of(e, ev.ShoeTaken) or is_of(e, ev.ShoePassed)
    )
    last = next(moves, None)
    if last is None or not is_of(last, ev.ShoePassed) or shoe.bank is not None:
        return False
    coup = next(reversed(shoe.coups.values()), None)
    return coup is None or not coup.events or coup.events[0].position < last.position


def _shoe_passed(shoe: Shoe, event: RecordedEvent[ev.ShoePassed]) -> None:
    payload, again = event.payload, _passed_already(shoe)
    shoe.shoe_moves.append(event)
    if again:
        return  # nobody has the shoe who could pass it
    shoe.holder, shoe.last_holder = None, payload.by
    rule = shoe.pack.bank if shoe.pack is not None else None
    shoe.match = None
    if shoe.bank is not None:
        # a banker who passes the bank by choice leaves it for the amount withdrawn
        if payload.reason == "chosen" and rule is not None and rule.takeover == "match":
            shoe.match = shoe.bank.withdrawn_last
        shoe.bank = None


HANDLERS: Final = Handlers[Shoe]()
HANDLERS.on(ev.ShoeLoaded, _shoe_loaded)
HANDLERS.on(ev.ShoeOffered, _shoe_offered)
HANDLERS.on(ev.ShoeTaken, _shoe_taken)
HANDLERS.on(ev.ShoeRefused, _shoe_refused)
HANDLERS.on(ev.ShoePassed, _shoe_passed)
HANDLERS.on(ev.PatronSeated, _seated)
HANDLERS.on(ev.PatronMoved, _moved)
HANDLERS.on(ev.PatronLeft, _left)
HANDLERS.on(ev.CrewChanged, crew_changed)
HANDLERS.on(ev.LimitsChanged, _limits_changed)
HANDLERS.on(ev.RequestMade, _request_made)
