"""Rules of stakes beyond the limits: what a patron has in all, and a bet that was accepted."""

from domain.audit.rule import Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_among
from domain.audit.wording import money
from domain.coup import Bet
from domain.facts import Limit
from domain.procedure import limit_on

_CITES = ("field-facts.md 3 A14",)


def _together(view: CoupView) -> Answer:
    shoe, coup = view.shoe, view.coup
    if shoe.pack is None or shoe.pack.limits.per != "patron":
        return "the pack limits each bet by itself"
    bets = [bet for bet in coup.bets.values() if not bet.withdrawn]
    if not bets:
        return "the coup has no bets"
    if view.open and coup.bets_closed is None:
        return "the bets are still open"
    if all(limit_on(bet.wager, bet.limits, shoe.pack) is None for bet in bets):
        return "the record gives no limits"
    doubtful = doubt_among(shoe, [bet.placed for bet in bets], shoe.limits_changed)
    if doubtful is not None:
        return doubtful
    sums: dict[tuple[str, str], list[Bet]] = {}
    for bet in bets:
        sums.setdefault((bet.patron, bet.wager), []).append(bet)
    return tuple(
        Breach(
            f"{patron} had {money(shoe, total)} on {wager} in {len(some)} bets",
            f"{money(shoe, limit.maximum)} at most for all that a patron has on a wager",
            money(shoe, total),
            tuple(bet.placed for bet in some),
            patron=patron,
            done=max((bet.staked for bet in some), key=lambda event: event.version),
            key=("together", patron, wager),
        )
        for (patron, wager), some in sums.items()
        if len(some) > 1
        and (limit := limit_on(wager, some[-1].limits, shoe.pack)) is not None
        and (total := sum(bet.amount + bet.returned for bet in some)) > limit.maximum
        and all(bet.amount + bet.returned <= limit.maximum for bet in some)
    )


def _beyond(view: CoupView) -> list[tuple[Bet, Limit]]:
    """Return the settled bets that were outside the limits when they were accepted."""
    judged = [
        (bet, limit_on(bet.wager, bet.limits, view.shoe.pack))
        for bet in view.coup.bets.values()
        if bet.moves and not bet.pushed
    ]
    return [
        (bet, limit)
        for bet, limit in judged
        if limit is not None and not limit.minimum <= bet.amount + bet.returned <= limit.maximum
    ]


def _accepted(view: CoupView, how: str) -> list[tuple[Bet, Limit]] | str:
    pack = view.shoe.pack
    if pack is None or pack.limits.accepted is None:
        return "the pack does not say how a bet outside the limits is settled that was accepted"
    if pack.limits.accepted != how:
        said = "in full" if how != "in-full" else "as far as the maximum"
        return f"the pack has such bets settled {said}"
    if view.coup.voided is not None:
        return "the coup was voided"
    return _beyond(view) or "no bet outside the limits was settled"


def _cut_down(view: CoupView) -> Answer:
    bets = _accepted(view, "in-full")
    if isinstance(bets, str):
        return bets
    return tuple(
        Breach(
            f"{bet.patron}'s accepted bet on {bet.wager} was cut down",
            f"settled in full: {money(view.shoe, bet.amount + bet.returned)}",
            f"{money(view.shoe, bet.returned)} of it went back",
            (bet.placed, *bet.moves),
            stake=bet.amount + bet.returned,
            patron=bet.patron,
            key=("bet", bet.number),
        )
        for bet, _ in bets
        if bet.returned
    )


def _not_capped(view: CoupView) -> Answer:
    bets = _accepted(view, "capped")
    if isinstance(bets, str):
        return bets
    return tuple(
        Breach(
            f"{bet.patron}'s bet on {bet.wager} was settled beyond the maximum",
            f"what lies above {money(view.shoe, limit.maximum)} goes back",
            f"settled as {money(view.shoe, bet.amount)}",
            (bet.placed, *bet.moves),
            stake=limit.maximum,
            patron=bet.patron,
            key=("bet", bet.number),
        )
        for bet, limit in bets
        if bet.amount > limit.maximum
    )


RULES = (
    Rule(
        "patrons-bets-together-were-above-the-limit",
        "procedure",
        "medium",
        "A maximum that several bets get round is none.",
        (*_CITES, "arrêté of 14 May 2007"),
        on_coup=_together,
    ),
    Rule(
        "accepted-bet-was-cut-down",
        "payout",
        "medium",
        "A bet that the house accepted binds it: it cannot lose on it less than it would win.",
        (*_CITES, "Md. COMAR 36.05.03.14(C)"),
        on_coup=_cut_down,
    ),
    Rule(
        "excess-over-the-limit-was-not-returned",
        "payout",
        "medium",
        "Where bets count as far as the maximum alone, the rest is neither won nor lost.",
        (*_CITES,),
        on_coup=_not_capped,
    ),
)
