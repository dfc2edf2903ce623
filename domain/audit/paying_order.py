"""Rules of settling at the table: who is paid first, and where the cards are meanwhile."""

from domain.audit.ceasing import ceased
from domain.audit.rule import Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_among, doubt_in_row
from domain.coup import Bet
from domain.event import Event
from domain.facts import BetPaid, BetTaken, CardsCleared
from domain.seating import from_the_dealer, seat_of

_CITES = ("field-facts.md 3 A13", "arrêté of 14 May 2007")


def _unjudged(view: CoupView) -> str | None:
    if view.shoe.pack is None:
        return "the rule pack cannot be read"
    if view.shoe.scope == "coups":
        return "the record does not give the order of payments"
    return "the coup was voided" if view.coup.voided is not None else None


def _nearest_first(view: CoupView) -> Answer:
    reason = _unjudged(view)
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
    farthest: dict[int, tuple[int, Event, Bet]] = {}
    for move, seat, bet in sorted(paid, key=lambda each: each[0].version):
        side, away = from_the_dealer(view.shoe, seat)
        before = farthest.get(side)
        if before is not None and away < before[0]:
            return (_sooner(before, move, seat, bet),)
        farthest[side] = (away, move, bet)
    return ()


def _first_payment(bet: Bet) -> Event | None:
    return next((move for move in bet.moves if isinstance(move.fact, BetPaid)), None)


def _sooner(before: tuple[int, Event, Bet], move: Event, seat: int, bet: Bet) -> Breach:
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
    reason = _unjudged(view)
    if reason is None and not (view.shoe.pack and view.shoe.pack.settling.cards_stay):
        reason = "the pack does not say how long the cards lie there"
    gone = view.coup.cleared or view.coup.closed
    if reason or gone is None:
        return reason or "the cards have not been cleared"
    moves = [
        move
        for bet in view.coup.bets.values()
        if ceased(view.coup, bet) is None
        for move in bet.moves
        if isinstance(move.fact, (BetPaid, BetTaken))
    ]
    if not moves:
        return "no bet of the coup was taken or paid"
    doubtful = doubt_among(view.shoe, moves, (gone,))
    if doubtful is not None:
        return doubtful
    late = [move for move in moves if move.version > gone.version]
    said = f"{len(late)} of {len(moves)} settled after it"
    return tuple(
        Breach(
            f"the cards were cleared, and bet {getattr(late[0].fact, 'bet', '')} was settled then",
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
    fact = cleared.fact if cleared is not None else None
    if not isinstance(fact, CardsCleared) or fact.covered is None or cleared is None:
        return "the record does not say whether the discards were covered"
    if fact.covered:
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


RULES = (
    Rule(
        "winner-was-paid-out-of-turn",
        "procedure",
        "low",
        "Payments that go outwards from the dealer can be followed by everybody.",
        ("field-facts.md 3 A13", "arrêté of 14 May 2007: nearest first"),
        on_coup=_nearest_first,
    ),
    Rule(
        "cards-were-cleared-before-the-bets-were-settled",
        "procedure",
        "medium",
        "As long as the cards lie there a payment can be held against them.",
        _CITES,
        on_coup=_cleared,
    ),
    Rule(
        "discards-were-not-covered",
        "procedure",
        "low",
        "Cards that can be read in the discards can be counted, and brought back.",
        _CITES,
        on_coup=_covered,
    ),
)
