"""Seating at a table, and the distance of seats from the dealer.

Seats are numbered counter-clockwise from the dealer's right, so the last seat is at the dealer's
left. Several patrons may share a seat.
"""

from collections.abc import Sequence

from sabot.domain.events import PatronLeft
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe


def seats_at(shoe: Shoe, before: int | None = None) -> dict[int, list[str]]:
    """Return the patrons at each seat before a version of the stream (None: now).

    A patron has at most one seat.
    """
    moves = [(event.position, seat, patron) for event, seat, patron in shoe.seatings]
    moves += [(event.position, 0, patron) for event, patron, _ in shoe.leavings]
    seats: dict[int, list[str]] = {}
    for version, seat, patron in sorted(moves, key=lambda move: move[0]):
        if before is not None and version >= before:
            break
        for others in seats.values():
            if patron in others:
                others.remove(patron)
        if seat:
            seats.setdefault(seat, []).append(patron)
    return {seat: patrons for seat, patrons in seats.items() if patrons}


def left_table(
    shoe: Shoe, patron: str, before: int | None = None
) -> RecordedEvent[PatronLeft] | None:
    """Return the event by which a patron had left the table and not come back to a seat, or None.

    Args:
        shoe: the shoe.
        patron: the patron.
        before: a position of the record (None: now).
    """
    left = None
    for event, who, _ in shoe.leavings:
        if who == patron and (before is None or event.position < before):
            left = event
    if left is None:
        return None
    came = (event.position for event, _, who in shoe.seatings if who == patron)
    back = any(left.position < each and (before is None or each < before) for each in came)
    return None if back else left


def seat_of(shoe: Shoe, bet: Bet) -> int | None:
    """Return the seat of a bet: its own, or else its patron's, or None."""
    payload = bet.placed.payload
    if payload.seat is not None:
        return payload.seat
    seats = seats_at(shoe, bet.placed.position)
    return next((seat for seat, patrons in seats.items() if bet.patron in patrons), None)


def from_the_dealer(shoe: Shoe, seat: int) -> tuple[int, int]:
    """Return a seat's side (0 right, 1 left) and distance from the dealer.

    If one dealer pays alone, there are no sides and every seat is on side 0.
    """
    table = shoe.pack.table if shoe.pack is not None else None
    most = max(table.seats if table is not None else seat, seat)
    right, left = seat, most + 1 - seat
    two_pay = table is not None and "payer-2" in table.posts
    return (int(left < right) if two_pay else 0), min(right, left)


def nearest_first(shoe: Shoe, dues: Sequence[tuple[Bet, Due]]) -> list[tuple[Bet, Due]]:
    """Return bets in order of settlement, nearest winners first if the pack says so.

    Winners without a seat are paid last.
    """
    if shoe.pack is None or shoe.pack.settling.winners is None:
        return list(dues)
    winners = [pair for pair in dues if pair[1].kind == "pay"]
    winners.sort(key=lambda pair: _away(shoe, pair[0]))
    return [*(pair for pair in dues if pair[1].kind != "pay"), *winners]


def nearer_winner(shoe: Shoe, dues: Sequence[tuple[Bet, Due]], number: int) -> Bet | None:
    """Return a winner who must be paid before a bet. None if the pack sets no order."""
    if shoe.pack is None or shoe.pack.settling.winners is None:
        return None
    paid = next((bet for bet, _ in dues if bet.number == number), None)
    seat = seat_of(shoe, paid) if paid is not None else None
    for bet, due in dues if seat is not None else ():
        other = seat_of(shoe, bet) if due.kind == "pay" and not bet.settled else None
        if other is not None and seat is not None:
            (side, away), (his, far) = from_the_dealer(shoe, other), from_the_dealer(shoe, seat)
            if side == his and away < far:
                return bet
    return None


def _away(shoe: Shoe, bet: Bet) -> tuple[int, int, int]:
    seat = seat_of(shoe, bet)
    if seat is None:
        return (1, 0, bet.number)
    return (0, from_the_dealer(shoe, seat)[1], bet.number)


def patrons_clockwise(shoe: Shoe, before: int | None = None) -> list[str]:
    """Return the seated patrons clockwise from the dealer's left: the last seat first."""
    seats = seats_at(shoe, before)
    return [patron for seat in sorted(seats, reverse=True) for patron in seats[seat]]


def next_to_cut(shoe: Shoe) -> str | None:
    """Return the patron who is offered the cut next.

    None if the pack does not require the offer, or if all have been asked.
    """
    if shoe.pack is None or shoe.pack.cut.offered is None:
        return None
    offered = [getattr(event.payload, "to", None) for event in shoe.cut_offers]
    return next((patron for patron in patrons_clockwise(shoe) if patron not in offered), None)


def may_cut(shoe: Shoe) -> str | None:
    """Return the patron who was offered the cut and has not answered yet, or None."""
    last = shoe.cut_offers[-1].payload if shoe.cut_offers else None
    return getattr(last, "to", None)
