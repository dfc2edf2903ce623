"""Rules of seats: how many patrons share one, or a box."""

from sabot.domain.audit.checks.bets_at_close import close_in_doubt, lying, staked_in_time
from sabot.domain.audit.rule import Answer, Breach, CoupView, Rule
from sabot.domain.procedure.seating import seat_of, sitting
from sabot.domain.state.shoe import Shoe

_NOT_SAID = "the pack does not say how many patrons share a seat"


def _at_a_seat(shoe: Shoe) -> Answer:
    most = shoe.pack.table.per_seat if shoe.pack is not None else None
    if most is None:
        return _NOT_SAID
    if not shoe.seatings:
        return "the record seats nobody"
    # several may sit down by one event: all that were there when the shoe was loaded, two who swap
    taken = {(event.position, seat): event for event, seat, _ in shoe.seatings}
    return tuple(
        Breach(
            f"{len(patrons)} patrons sat at seat {seat}",
            f"{most} at most",
            ", ".join(patrons),
            (event,),
            patron=patrons[-1],
            key=("seat", seat, patrons[-1]),
        )
        for (version, seat), event in taken.items()
        if len(patrons := sitting(shoe, version + 1).get(seat, [])) > most
    )


def _on_a_seat(view: CoupView) -> Answer:
    most = view.shoe.pack.table.per_seat if view.shoe.pack is not None else None
    if most is None:
        return _NOT_SAID
    if not view.coup.bets:
        return "the coup has no bets"
    if len({bet.patron for bet in view.coup.bets.values()}) > most:
        doubtful = close_in_doubt(view.shoe, view.coup)
        if doubtful is not None and _may_crowd(view, most):
            return doubtful
    bets = [bet for bet, _ in lying(staked_in_time(view.shoe, view.coup)).values()]
    if not bets:
        return "no bet lay there when the bets were closed"
    at: dict[int, dict[str, int]] = {}
    for bet in sorted(bets, key=lambda bet: bet.placed.position):
        seat = bet.placed.payload.seat or seat_of(view.shoe, bet)
        if seat is not None:
            at.setdefault(seat, {}).setdefault(bet.patron, bet.number)
    if not at:
        return "the record does not give the seats of the bets"
    return tuple(
        _crowded(view, seat, patrons, most) for seat, patrons in at.items() if len(patrons) > most
    )


def _may_crowd(view: CoupView, most: int) -> bool:
    """Tell whether more patrons than may ever bet on one seat, in time or late."""
    at: dict[int | None, set[str]] = {}
    for bet in view.coup.bets.values():
        seat = bet.placed.payload.seat or seat_of(view.shoe, bet)
        at.setdefault(seat, set()).add(bet.patron)
    return any(len(patrons) > most for seat, patrons in at.items() if seat is not None)


def _crowded(view: CoupView, seat: int, patrons: dict[str, int], most: int) -> Breach:
    """Say that more patrons bet on a seat than may; who came last, beyond them, is one too many."""
    placed = tuple(view.coup.bets[bet].placed for bet in patrons.values())
    return Breach(
        f"{len(patrons)} patrons bet on seat {seat}",
        f"{most} at most",
        ", ".join(patrons),
        placed,
        patron=list(patrons)[most],
        key=("seat", seat),
        done=placed[most],
    )


RULES = (
    Rule(
        "B210",
        "excess-patrons-at-seat",
        "procedure",
        "low",
        "A box has room for so many, whose chips can be told apart.",
        ("field-facts.md 3 A16", "arrêté of 14 May 2007: 7 boxes of 3 players"),
        on_shoe=_at_a_seat,
    ),
    Rule(
        "B211",
        "excess-bettors-on-seat",
        "procedure",
        "low",
        "Whose a payment is must be plain from where it lies.",
        ("field-facts.md 3 A16", "arrêté of 14 May 2007: 7 boxes of 3 players"),
        on_coup=_on_a_seat,
    ),
)
