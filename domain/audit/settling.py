"""Rules of the order of settlement: after the result, losers first, before the coup is closed."""

from operator import attrgetter
from typing import Final

from domain.audit.ceasing import ceased
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_among
from domain.coup import Bet
from domain.event import Event
from domain.facts import BetPaid, BetTaken, TotalsCalled, name_of
from domain.tableaux import alone_natural

_VERSION: Final = attrgetter("version")


def _unjudged(view: CoupView) -> str | None:
    if view.shoe.scope == "coups":
        return "the record does not give the order of payments"
    if not view.coup.bets:
        return "the coup has no bets"
    if view.coup.given_back and view.coup.going_back:
        return "its bets went back on a ruling"
    return "the coup was voided" if view.coup.voided is not None else None


def _after_the_call(view: CoupView) -> list[Bet]:
    """Return the bets that are settled once the result is called.

    What went back on a ruling waits for no result. At two tableaux a wing that alone has a natural
    is paid before the other is played on (field-facts.md 1.2). What moved for a bet that no longer
    stood had no time to come.
    """
    coup, at_once = view.coup, alone_natural(view.coup)
    return [
        bet
        for bet in coup.bets.values()
        if bet.wager != at_once and not _went_back(view, bet) and ceased(coup, bet) is None
    ]


def _went_back(view: CoupView, bet: Bet) -> bool:
    """Tell whether a bet was given back as somebody ruled."""
    ruled = bool(view.coup.irregularities) and bet.number in view.coup.going_back
    return ruled and not (bet.paid or bet.taken)


def _moves(view: CoupView) -> list[Event]:
    return [move for bet in _after_the_call(view) for move in bet.moves]


def _of_losers_and_winners(view: CoupView) -> tuple[list[Event], list[Event]]:
    """Return the takes of bets that lost, and the payments of bets that won.

    What is taken back of a payment is no loser's take, and what a loser was paid by mistake no
    winner's payment. Where the cards do not say who won, what he kept in the end does.
    """
    due = {bet.number: due.kind for bet, due in view.dues if due is not None}
    taken: list[Event] = []
    paid: list[Event] = []
    for bet in _after_the_call(view):
        gain = bet.paid - bet.taken
        kind = due.get(bet.number) or ("pay" if gain > 0 else "take" if gain < 0 else "push")
        if kind == "take":
            taken += [move for move in bet.moves if type(move.fact) is BetTaken]
        elif kind == "pay":
            paid += [move for move in bet.moves if type(move.fact) is BetPaid]
    return taken, paid


def _in_order(view: CoupView) -> bool:
    """Tell whether no bet is taken behind a payment, by the order of the bets' own facts."""
    first_paid = last_taken = 0
    for bet in view.coup.bets.values():
        for move in bet.moves:
            kind = type(move.fact)
            if kind is BetTaken:
                last_taken = max(last_taken, move.version)
            elif kind is BetPaid and (not first_paid or move.version < first_paid):
                first_paid = move.version
    return 0 < last_taken < first_paid


def _losers_first(view: CoupView) -> Answer:
    reason = _unjudged(view)
    if reason:
        return reason
    if view.shoe.order is None and _in_order(view):
        return CLEAN
    taken, paid = _of_losers_and_winners(view)
    if not paid or not taken:
        return "the coup did not both take and pay"
    doubtful = doubt_among(view.shoe, paid, taken)
    if doubtful is not None:
        return doubtful
    first_paid, last_taken = min(paid, key=_VERSION), max(taken, key=_VERSION)
    if last_taken.version < first_paid.version:
        return CLEAN
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
    calls = [call for call in view.coup.calls if not isinstance(call.fact, TotalsCalled)]
    called, moves = next(iter(calls), None), _moves(view)
    if called is None or not moves:
        return "the result was not called" if called is None else "no bet of the coup was settled"
    doubtful = doubt_among(view.shoe, moves, (called,))
    if doubtful is not None:
        return doubtful
    early = [move for move in moves if move.version < called.version]
    if not early:
        return CLEAN
    return tuple(
        Breach(
            f"bet {getattr(move.fact, 'bet', '')} was settled before the result was called",
            "the result is called, then the bets are settled",
            f"{name_of(move.fact)} before {name_of(called.fact)}",
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
            f"{name_of(move.fact)} after {name_of(closed.fact)}",
            (move, closed),
            patron=bet.patron,
        )
        for bet, move in first
        if move.version > closed.version
    )


RULES = (
    Rule(
        "winner-was-paid-before-losers-were-taken",
        "procedure",
        "low",
        "Losing bets are taken first, so that no loser's chips pass for a winner's.",
        ("field-facts.md 3 A13", "arrêté of 14 May 2007"),
        on_coup=_losers_first,
    ),
    Rule(
        "bet-was-settled-before-the-result",
        "procedure",
        "medium",
        "Bets are settled by the result that is called on the cards, not by one foreseen.",
        ("field-facts.md 3 A13", "seed S1: the result is announced, and winning bets are paid"),
        on_coup=_before_the_result,
    ),
    Rule(
        "bet-was-settled-after-the-close",
        "procedure",
        "medium",
        "A coup is closed once every bet has been settled: the next bets lie on the same felt.",
        ("field-facts.md 3 A13 (cards stay until paid)", "arrêté of 14 May 2007"),
        on_coup=_after_the_close,
    ),
)
