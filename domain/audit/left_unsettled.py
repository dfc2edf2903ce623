"""Rules of bets at the end of a coup: each is settled before it is closed, none once it is void."""

from domain.audit.charging import stands, with_moved_bets
from domain.audit.costing import too_much
from domain.audit.paying import about, unsettled, what_moved
from domain.audit.rule import Answer, Breach, CoupView, Gains, Rule, next_coup
from domain.audit.wording import money
from domain.coup import Bet
from domain.event import Event


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
    ruled = coup.going_back
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


def _left_behind(view: CoupView) -> Event | None:
    """Return the fact by which a coup that was dealt to its end, and never closed, was left."""
    if unsettled(view) or view.headless or view.coup.given_back:
        return None
    return next_coup(view.shoe, view.coup) or view.shoe.ended


def _not_moved(view: CoupView, bet: Bet) -> Gains:
    """Say what a bet that nobody settled cost."""
    reason = unsettled(view)
    if reason or view.cashier is None:
        return reason or "the rule pack cannot be read"
    due = view.due(bet, bet.amount)
    if due is None:
        return "the record's cards, or the pack, do not settle the wager"
    return ((bet.patron, too_much(bet, due)),)


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


RULES = (
    Rule(
        "bet-was-never-settled",
        "payout",
        "medium",
        "A coup is closed once every bet has been settled.",
        ("field-facts.md 3 A12", "the shoe's rule pack, wagers and commission"),
        on_coup=_not_settled,
    ),
    Rule(
        "voided-bet-was-settled",
        "payout",
        "medium",
        "A voided coup returns every bet.",
        ("field-facts.md 3 A9",),
        on_coup=_voided,
    ),
)
