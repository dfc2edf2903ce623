"""Rules of the order of settlement: after the result, losers first, before the coup is closed.

Rules of settling at the table: who is paid first, and where the cards are meanwhile.

Rules of bets at the end of a coup: each is settled before it is closed, none once it is void.
"""

from operator import attrgetter
from typing import Final

from sabot.domain.audit.ceased_bets import ceased
from sabot.domain.audit.checks.commission import stands, with_moved_bets
from sabot.domain.audit.checks.payments import about, unsettled, what_moved
from sabot.domain.audit.costs import excess_moved
from sabot.domain.audit.rule import (
    NO_BREACH,
    Answer,
    Breach,
    CoupView,
    MoneyEffect,
    Rule,
    next_coup,
)
from sabot.domain.audit.table_order import doubt_among, doubt_in_row
from sabot.domain.audit.wording import money
from sabot.domain.events import BetPaid, BetTaken, ResultCalled, name_of
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of, first_of
from sabot.domain.procedure.seating import from_the_dealer, seat_of
from sabot.domain.procedure.two_tableaux.tableaux import alone_natural
from sabot.domain.state.coup_state import Bet

_POSITION: Final = attrgetter("position")


def _unjudged(view: CoupView) -> str | None:
    if view.shoe.scope == "coups":
        return "the record does not give the order of payments"
    if not view.coup.bets:
        return "the coup has no bets"
    if view.coup.fully_refunded and view.coup.refunded_bets:
        return "its bets went back on a ruling"
    return "the coup was voided" if view.coup.voided is not None else None


def _after_the_call(view: CoupView) -> list[Bet]:
    """Return the bets that are settled once the result is called.

    What went back on a ruling waits for no result. At two tableaux a wing that alone has a natural
    is paid before the other is played on (field-facts.md 1.2). What moved for a bet that no longer
    stood had no time to come.
    """
    return [bet for bet in _await_the_call(view) if ceased(view.coup, bet) is None]


def _await_the_call(view: CoupView) -> list[Bet]:
    coup, at_once = view.coup, alone_natural(view.coup)
    return [bet for bet in coup.bets.values() if bet.wager != at_once and not _went_back(view, bet)]


def _went_back(view: CoupView, bet: Bet) -> bool:
    """Tell whether a bet was given back as somebody ruled."""
    ruled = bool(view.coup.irregularities) and bet.number in view.coup.refunded_bets
    return ruled and not (bet.paid or bet.taken)


def _moves(view: CoupView) -> list[RecordedEvent]:
    """Return what was settled, of bets that ceased to stand what was settled while they stood."""
    stand = [move for bet in _after_the_call(view) for move in bet.moves]
    gone = [(bet, ceased(view.coup, bet)) for bet in _await_the_call(view)]
    early = [
        move
        for bet, how in gone
        if how is not None
        for move in bet.moves
        if move.position < how.event.position
    ]
    return [*stand, *early]


def _of_losers_and_winners(view: CoupView) -> tuple[list[RecordedEvent], list[RecordedEvent]]:
    """Return the takes of bets that lost, and the payments of bets that won.

    What is taken back of a payment is no loser's take, and what a loser was paid by mistake no
    winner's payment. Where the cards do not say who won, what he kept in the end does.
    """
    due = {bet.number: due.kind for bet, due in view.dues if due is not None}
    taken: list[RecordedEvent] = []
    paid: list[RecordedEvent] = []
    for bet in _after_the_call(view):
        gain = bet.paid - bet.taken
        kind = due.get(bet.number) or ("pay" if gain > 0 else "take" if gain < 0 else "push")
        if kind == "take":
            taken += [move for move in bet.moves if type(move.payload) is BetTaken]
        elif kind == "pay":
            paid += [move for move in bet.moves if type(move.payload) is BetPaid]
    return taken, paid


def _in_order(view: CoupView) -> bool:
    """Tell whether no bet is taken behind a payment, by the order of the bets' own events."""
    first_paid = last_taken = 0
    for bet in view.coup.bets.values():
        for move in bet.moves:
            kind = type(move.payload)
            if kind is BetTaken:
                last_taken = max(last_taken, move.position)
            elif kind is BetPaid and (not first_paid or move.position < first_paid):
                first_paid = move.position
    return 0 < last_taken < first_paid


def _losers_first(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    if view.shoe.order is None and _in_order(view):
        return NO_BREACH
    taken, paid = _of_losers_and_winners(view)
    if not paid or not taken:
        return "the coup did not both take and pay"
    doubtful = doubt_among(view.shoe, paid, taken)
    if doubtful is not None:
        return doubtful
    first_paid, last_taken = min(paid, key=_POSITION), max(taken, key=_POSITION)
    if last_taken.position < first_paid.position:
        return NO_BREACH
    return (
        Breach(
            "a winner was paid before every loser was taken",
            "losers are taken first, then winners are paid",
            "a payment before a take",
            (first_paid, last_taken),
        ),
    )


def _before_the_result(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    calls = events_of((ResultCalled, HandsCalled), view.coup.calls)
    called, moves = next(iter(calls), None), _moves(view)
    if called is None or not moves:
        return "the result was not called" if called is None else "no bet of the coup was settled"
    doubtful = doubt_among(view.shoe, moves, (called,))
    if doubtful is not None:
        return doubtful
    early = [move for move in moves if move.position < called.position]
    if not early:
        return NO_BREACH
    return tuple(
        Breach(
            f"bet {getattr(move.payload, 'bet', '')} was settled before the result was called",
            "the result is called, then the bets are settled",
            f"{name_of(move.payload)} before {name_of(called.payload)}",
            (move, called),
        )
        for move in early
    )


def _after_the_close(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    closed = view.coup.closed
    if closed is None:
        return "the coup has not been closed"
    first = [
        (bet, bet.moves[0])
        for bet in view.coup.bets.values()
        if bet.moves and not bet.withdrawn and not _went_back(view, bet)
    ]
    if not first:
        return "no bet of the coup was settled"
    doubtful = doubt_among(view.shoe, [move for _, move in first], (closed,))
    if doubtful is not None:
        return doubtful
    return tuple(
        Breach(
            f"{bet.patron}'s bet on {bet.wager} was settled when the coup was closed",
            "every bet on the felt is taken, paid or pushed before the coup is closed",
            f"{name_of(move.payload)} after {name_of(closed.payload)}",
            (move, closed),
            patron=bet.patron,
        )
        for bet, move in first
        if move.position > closed.position
    )


SETTLEMENT_RULES = (
    Rule(
        "E205",
        "winners-paid-before-losers-taken",
        "procedure",
        "low",
        "Losing bets are taken first, so that no loser's chips pass for a winner's.",
        ("field-facts.md 3 A13", "arrêté of 14 May 2007"),
        on_coup=_losers_first,
    ),
    Rule(
        "E203",
        "settlement-before-result",
        "procedure",
        "medium",
        "Bets are settled by the result that is called on the cards, not by one foreseen.",
        ("field-facts.md 3 A13", "seed S1: the result is announced, and winning bets are paid"),
        on_coup=_before_the_result,
    ),
    Rule(
        "E204",
        "settlement-after-coup-close",
        "procedure",
        "medium",
        "A coup is closed once every bet has been settled: the next bets lie on the same felt.",
        ("field-facts.md 3 A13 (cards stay until paid)", "arrêté of 14 May 2007"),
        on_coup=_after_the_close,
    ),
)


_CITES = ("field-facts.md 3 A13", "arrêté of 14 May 2007")


def _order_unjudged(view: CoupView) -> str | None:
    if view.shoe.pack is None:
        return "the rule pack cannot be read"
    if view.shoe.scope == "coups":
        return "the record does not give the order of payments"
    return "the coup was voided" if view.coup.voided is not None else None


def _nearest_first(view: CoupView) -> Answer:
    reason = _order_unjudged(view)
    if reason or view.shoe.pack is None:
        return reason or ""
    if view.shoe.pack.settling.winners is None:
        return "the pack does not say which winner is paid first"
    # what a loser was paid by mistake is no winner's payment
    due = {bet.number: due.kind for bet, due in view.dues if due is not None}
    paid = [
        (move, seat, bet)
        for bet in view.coup.bets.values()
        if due.get(bet.number, "pay") == "pay"
        and ceased(view.coup, bet) is None
        and (move := _first_payment(bet)) is not None
        and (seat := seat_of(view.shoe, bet)) is not None
    ]
    if len(paid) < 2:  # noqa: PLR2004 - one before another
        return "not two winners who sit were paid"
    doubtful = doubt_in_row(view.shoe, [move for move, _, _ in paid])
    if doubtful is not None:
        return doubtful
    farthest: dict[int, tuple[int, RecordedEvent, Bet]] = {}
    for move, seat, bet in sorted(paid, key=lambda each: each[0].position):
        side, away = from_the_dealer(view.shoe, seat)
        before = farthest.get(side)
        if before is not None and away < before[0]:
            return (_sooner(before, move, seat, bet),)
        farthest[side] = (away, move, bet)
    return ()


def _first_payment(bet: Bet) -> RecordedEvent | None:
    return first_of(BetPaid, bet.moves)


def _sooner(
    before: tuple[int, RecordedEvent, Bet], move: RecordedEvent, seat: int, bet: Bet
) -> Breach:
    _, early, other = before
    return Breach(
        f"{other.patron} was paid before {bet.patron}, who sits nearer to the dealer",
        f"{bet.patron} at seat {seat} is paid first",
        f"{other.patron}'s payment before his",
        (early, move),
        patron=bet.patron,
        key=("bet", bet.number),
    )


def _cleared(view: CoupView) -> Answer:
    reason = _order_unjudged(view)
    if reason is None and not (view.shoe.pack and view.shoe.pack.settling.cards_stay):
        reason = "the pack does not say how long the cards lie there"
    gone = view.coup.cleared or view.coup.closed
    if reason or gone is None:
        return reason or "the cards have not been cleared"
    moves = [
        move
        for bet in view.coup.bets.values()
        if ceased(view.coup, bet) is None
        for move in events_of((BetPaid, BetTaken), bet.moves)
    ]
    if not moves:
        return "no bet of the coup was taken or paid"
    doubtful = doubt_among(view.shoe, moves, (gone,))
    if doubtful is not None:
        return doubtful
    late = [move for move in moves if move.position > gone.position]
    said = f"{len(late)} of {len(moves)} settled after it"
    return tuple(
        Breach(
            f"the cards were cleared, and bet {late[0].payload.bet} was settled then",
            "the cards lie there until the last bet is settled",
            said,
            (gone, *late),
            key=("cleared",),
        )
        for _ in late[:1]
    )


def _covered(view: CoupView) -> Answer:
    if view.shoe.pack is None or not view.shoe.pack.settling.covered:
        return "the pack does not ask that discards be covered"
    cleared = view.coup.cleared
    payload = cleared.payload if cleared is not None else None
    if payload is None or payload.covered is None or cleared is None:
        return "the record does not say whether the discards were covered"
    if payload.covered:
        return ()
    return (
        Breach(
            "the cards went to the discards uncovered",
            "discards are covered",
            "uncovered",
            (cleared,),
            key=("cleared",),
        ),
    )


PAYING_ORDER_RULES = (
    Rule(
        "E206",
        "payment-out-of-turn",
        "procedure",
        "low",
        "Payments that go outwards from the dealer can be followed by everybody.",
        ("field-facts.md 3 A13", "arrêté of 14 May 2007: nearest first"),
        on_coup=_nearest_first,
    ),
    Rule(
        "E207",
        "cards-cleared-before-settlement",
        "procedure",
        "medium",
        "As long as the cards lie there a payment can be held against them.",
        _CITES,
        on_coup=_cleared,
    ),
    Rule(
        "E208",
        "uncovered-discards",
        "procedure",
        "low",
        "Cards that can be read in the discards can be counted, and brought back.",
        _CITES,
        on_coup=_covered,
    ),
)


def _not_settled(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.bets:
        return "the coup has no bets"
    if view.shoe.scope == "coups":
        return "the record may lack payments"
    if coup.voided is not None:
        return "the coup was voided"
    end = coup.closed or _left_behind(view)
    if end is None:
        return "the coup has not been closed"
    ruled = coup.refunded_bets
    waiting = [
        bet
        for bet in coup.bets.values()
        if not bet.moves and not bet.withdrawn and bet.number not in ruled
    ]
    return tuple(
        Breach(
            f"{about(view.shoe, bet)} was never settled",
            "every bet on the felt is taken, paid or pushed before the coup is closed",
            "nothing was done to it",
            (bet.placed, end),
            money=_not_moved(view, bet),
        )
        for bet in waiting
    )


def _left_behind(view: CoupView) -> RecordedEvent | None:
    """Return the event by which a coup that was dealt to its end, and never closed, was left."""
    if unsettled(view) or view.starts_before_record or view.coup.fully_refunded:
        return None
    return next_coup(view.shoe, view.coup) or view.shoe.ended


def _not_moved(view: CoupView, bet: Bet) -> MoneyEffect:
    """Say what a bet that nobody settled cost."""
    reason = unsettled(view)
    if reason or view.cashier is None:
        return reason or "the rule pack cannot be read"
    due = view.due(bet, bet.amount)
    if due is None:
        return "the record's cards, or the pack, do not settle the wager"
    return ((bet.patron, excess_moved(bet, due)),)


def _voided(view: CoupView) -> Answer:
    coup = view.coup
    if coup.voided is None:
        return "the coup was not voided"
    stay, collected = stands(view), with_moved_bets(view)
    moved = {
        bet.number: bet.net - collected.get(bet.number, 0) - stay.get(bet.number, 0)
        for bet in coup.bets.values()
    }
    return tuple(
        Breach(
            f"{about(view.shoe, bet)} was settled in a voided coup",
            f"{money(view.shoe, stay[bet.number])}: a natural that was paid at once stands"
            if bet.number in stay
            else "a voided coup returns every bet",
            what_moved(view.shoe, bet),
            (bet.placed, *bet.moves, coup.voided),
            money=((bet.patron, moved[bet.number]),),
        )
        for bet in coup.bets.values()
        if moved[bet.number]
    )


UNSETTLED_RULES = (
    Rule(
        "E201",
        "unsettled-bet",
        "payout",
        "medium",
        "A coup is closed once every bet has been settled.",
        ("field-facts.md 3 A12", "the shoe's rule pack, wagers and commission"),
        on_coup=_not_settled,
    ),
    Rule(
        "E202",
        "voided-bet-settled",
        "payout",
        "medium",
        "A voided coup returns every bet.",
        ("field-facts.md 3 A9",),
        on_coup=_voided,
    ),
)


RULES = (
    *SETTLEMENT_RULES,
    *PAYING_ORDER_RULES,
    *UNSETTLED_RULES,
)
"""Every rule of this family."""
