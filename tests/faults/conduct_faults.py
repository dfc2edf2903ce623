"""Departures from a pack's rules on care and conduct: cut, burns, seats, free hands."""

from collections.abc import Iterator

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.common import limit_for
from sabot.domain.procedure.dealing_order import NextAction, due_bets, due_move
from sabot.domain.procedure.seating import nearer_winner, patrons_clockwise
from sabot.domain.simulation.table import SimulatedTable
from tests.faults.fault import Events, FaultKind

_TWO = 2


def _paid_out_of_turn(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """Of two winners on one side, the farther one is paid first."""
    coup = table.shoe.current
    if coup is None or not isinstance(payload, ev.BetPaid):
        return None
    dues = due_bets(table.shoe, coup)
    for bet, what in reversed(dues):
        if what.kind == "pay" and not bet.settled and nearer_winner(table.shoe, dues, bet.number):
            move = due_move(table.shoe, coup, bet, what)
            return (move, payload) if move is not None else None
    return None


def _cleared_early(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = table.shoe.current
    moves = isinstance(due.payload, (ev.BetPaid, ev.BetTaken))
    if coup is None or not moves or not table.pack.settling.cards_stay:
        return None
    return (ev.CardsCleared(coup.number),)


def _uncovered(table: SimulatedTable, due: NextAction) -> Events | None:
    if due.expects != "close" or not table.pack.settling.covered:
        return None
    coup = table.shoe.current
    return (ev.CardsCleared(coup.number, covered=False),) if coup is not None else None


def _out_of_turn(table: SimulatedTable, due: NextAction) -> Events | None:
    """The second patron in turn is asked first."""
    if due.expects != "cut" or not isinstance(due.payload, ev.CutOffered) or table.shoe.cut_offers:
        return None
    asked = patrons_clockwise(table.shoe)
    return (ev.CutOffered(asked[1]),) if len(asked) >= _TWO else None


def _relieved_without_a_burn(table: SimulatedTable, due: NextAction) -> Events | None:
    crew = table.shoe.crew
    if due.expects != "coup" or due.payload is None or not table.pack.burn.relief:
        return None
    post: ev.Post = "caller" if "caller" in crew else "dealer"
    return (ev.CrewChanged(post, "a relief"), due.payload)


def _dead_without_a_burn(table: SimulatedTable, due: NextAction) -> Events | None:
    """All patrons leave the table and sit down again, and no card is burned."""
    shoe = table.shoe
    if due.expects != "coup" or not isinstance(due.payload, ev.CoupOpened) or not shoe.seats:
        return None
    if not table.pack.burn.dead_game or not shoe.coups or _last_tied(table):
        return None
    return _all_gone_and_back(table, due.payload)


def _last_tied(table: SimulatedTable) -> bool:
    return table.outcomes[-1:] == ["T"]


def _all_gone_and_back(table: SimulatedTable, opened: ev.CoupOpened) -> Iterator[ev.ShoeEvent]:
    seats = dict(table.shoe.seats)
    yield from (ev.PatronLeft(patron) for patron in seats.values())
    yield from (ev.PatronSeated(seat, patron) for seat, patron in seats.items())
    yield opened


def _two_bets_together(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A patron has two bets on the tie, each as large as the maximum."""
    coup = table.shoe.current
    if not isinstance(payload, ev.NoMoreBets) or coup is None or table.pack.limits.per != "patron":
        return None
    limit = limit_for(table.shoe, "tie")
    bet = next((b for b in coup.bets.values() if b.wager == "tie" and not b.withdrawn), None)
    if bet is None or limit is None:
        return None
    seat = getattr(bet.placed.payload, "seat", None)
    number = max(coup.bets) + 1
    return (
        ev.BetPlaced(coup.number, number, bet.patron, "tie", limit.maximum, seat), payload,
    )  # fmt: skip


def _accepted(
    table: SimulatedTable, payload: ev.ShoeEvent, how: str, *, back: bool
) -> Events | None:
    """A bet on the tie is raised above the maximum. Its excess may be returned after the call."""
    coup = table.shoe.current
    if not isinstance(payload, ev.NoMoreBets) or coup is None or table.pack.limits.accepted != how:
        return None
    limit = limit_for(table.shoe, "tie")
    bet = next((b for b in coup.bets.values() if b.wager == "tie" and not b.withdrawn), None)
    if bet is None or limit is None:
        return None
    raised = ev.BetChanged(coup.number, bet.number, limit.maximum + 1000)
    returned = bank_ev.ExcessReturned(coup.number, bet.number, 1000)
    return (raised, payload, returned) if back else (raised, payload)


def _cut_down(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return _accepted(table, payload, "in-full", back=True)


def _beyond_the_maximum(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return _accepted(table, payload, "capped", back=False)


def _free_late(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    dealt = any(coup.cards and not coup.free for coup in table.shoe.coups.values())
    if table.pack.free_hands_when != "shoe-start" or not dealt or _last_tied(table):
        return None
    return (replace(payload, free=True),) if isinstance(payload, ev.CoupOpened) else None


def _free_unasked(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if table.pack.free_hands_when != "on-request" or _last_tied(table):
        return None
    return (replace(payload, free=True),) if isinstance(payload, ev.CoupOpened) else None


def _two_at_a_seat(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeLoaded) or table.pack.table.per_seat is None:
        return None
    last = payload.seats[-1:]
    more = [ev.Seat(last[0].seat, f"guest-{n}") for n in range(table.pack.table.per_seat)]
    return (replace(payload, seats=(*payload.seats[:-1], *more, *last)),) if last else None


def _two_bet_on_a_seat(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup, most = table.shoe.current, table.pack.table.per_seat
    if not isinstance(payload, ev.NoMoreBets) or coup is None or most is None:
        return None
    lying = (bet for bet in coup.bets.values() if not bet.withdrawn)
    bet = next((b for b in lying if getattr(b.placed.payload, "seat", None)), None)
    if bet is None:
        return None
    seat, number = getattr(bet.placed.payload, "seat", None), max(coup.bets)
    stake = table.limits.minimum
    guests = (
        ev.BetPlaced(coup.number, number + n, f"guest-{n}", "tie", stake, seat)
        for n in range(1, most + 1)
    )
    return (*guests, payload)


def _no_bet_hand_left(table: SimulatedTable, due: NextAction) -> Events | None:
    """An exposed card makes the coup a no-bet hand, but its cards are removed undealt."""
    coup = table.shoe.current
    rulings = table.pack.rulings.get("card-exposed", ())
    if coup is None or due.expects != "card" or not coup.cards or "no-bet-hand" not in rulings:
        return None
    noted = ev.IrregularityNoted("card-exposed", "no-bet-hand", coup.number, table.floor)
    return (noted, ev.CoupVoided(coup.number, "card exposed", table.floor))


def _unauthorised(table: SimulatedTable, due: NextAction) -> int | None:
    """Return the current coup if Player stands and Banker must draw now."""
    coup = table.shoe.current
    if coup is None or due.expects != "card" or due.hand != "banker":
        return None
    stands = len(coup.player) == _TWO and len(coup.banker) == _TWO
    return coup.number if stands else None


def _kept_by_player(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = _unauthorised(table, due)
    if coup is None or "card-to-banker" not in table.pack.rulings.get("wrong-draw", ()):
        return None
    noted = ev.IrregularityNoted("wrong-draw", "card-to-banker", coup, table.floor)
    return (table.drawn("player"), noted)


def _given_over(table: SimulatedTable, due: NextAction) -> Events | None:
    coup = _unauthorised(table, due)
    if coup is None:
        return None
    return (table.drawn("player"), ev.CardReassigned(coup, "player", "banker"))


_CAPPED = "L207"

KINDS = (
    FaultKind(
        name="farther-paid-first",
        family="procedure",
        what="of two winners the one who sits farther from the dealer is paid first",
        codes=("E206",),
        alters=_paid_out_of_turn,
    ),
    FaultKind(
        name="cleared-early",
        family="procedure",
        what="the cards are cleared while bets wait to be settled",
        codes=("E207",),
        acts=_cleared_early,
    ),
    FaultKind(
        name="discards-open",
        family="procedure",
        what="the cards go to the discards uncovered",
        codes=("E208",),
        acts=_uncovered,
    ),
    FaultKind(
        name="cut-out-of-turn",
        family="procedure",
        what="the cut is offered to the second in turn",
        codes=("S310",),
        of_coup=False,
        acts=_out_of_turn,
    ),
    FaultKind(
        name="relief-without-burn",
        family="procedure",
        what="another deals, and no card is burned",
        codes=("S306",),
        of_coup=False,
        acts=_relieved_without_a_burn,
    ),
    FaultKind(
        name="dead-game-without-burn",
        family="procedure",
        what="all leave, sit down again, and no card is burned",
        codes=("S307",),
        of_coup=False,
        acts=_dead_without_a_burn,
    ),
    FaultKind(
        name="limit-got-round",
        family="procedure",
        what="two bets of a patron on the tie are more than one may be",
        codes=("L205",),
        alters=_two_bets_together,
    ),
    FaultKind(
        name="accepted-bet-cut-down",
        family="payout",
        what="an accepted bet above the maximum is cut down to it",
        codes=("L206", "L201"),
        alters=_cut_down,
    ),
    FaultKind(
        name="beyond-the-maximum",
        family="payout",
        what="an accepted bet above the maximum is settled in full, where it is capped",
        codes=(_CAPPED, "L201"),
        alters=_beyond_the_maximum,
    ),
    FaultKind(
        name="free-hand-late",
        family="procedure",
        what="a free hand is dealt once coups with bets were",
        codes=("B208", "B207"),
        alters=_free_late,
    ),
    FaultKind(
        name="free-hand-unasked",
        family="procedure",
        what="a free hand is dealt that nobody asked for",
        codes=("B209",),
        alters=_free_unasked,
    ),
    FaultKind(
        name="seat-shared",
        family="procedure",
        what="more patrons sit at a seat than share one",
        codes=("B210",),
        of_coup=False,
        alters=_two_at_a_seat,
    ),
    FaultKind(
        name="box-crowded",
        family="procedure",
        what="more patrons bet on a seat than share one",
        codes=("B211",),
        alters=_two_bet_on_a_seat,
    ),
    FaultKind(
        name="no-bet-hand-left",
        family="procedure",
        what="a coup is ruled a no-bet hand, and is not dealt to its end",
        codes=("I309",),
        acts=_no_bet_hand_left,
    ),
    FaultKind(
        name="card-kept-by-player",
        family="procedure",
        what="Player's card too many is ruled Banker's, and stays with Player",
        codes=("D106", "T101"),
        acts=_kept_by_player,
    ),
    FaultKind(
        name="card-given-over",
        family="procedure",
        what="Player's card too many is given to Banker, and nobody ruled so",
        codes=("D107",),
        acts=_given_over,
    ),
)
