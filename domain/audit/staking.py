"""Rules of stakes beyond the limits: what a patron has in all, and a bet that was accepted."""

from domain.audit.limits import WHICH, keeps, none_told
from domain.audit.rule import Answer, Breach, CoupView, Doubt, Rule
from domain.audit.timing import doubt_among
from domain.audit.wording import money
from domain.coup import Bet
from domain.facts import Limit
from domain.procedure import limits_on

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
    if all(limits_on(shoe, bet) == (None,) for bet in bets):
        return none_told(shoe)
    doubtful = doubt_among(shoe, [bet.placed for bet in bets], shoe.limits_changed)
    if doubtful is not None:
        return doubtful
    sums: dict[tuple[str, str], list[Bet]] = {}
    for bet in bets:
        sums.setdefault((bet.patron, bet.wager), []).append(bet)
    answer: list[Breach | Doubt] = []
    for (patron, wager), some in sums.items():
        limits = limits_on(shoe, some[-1]) if len(some) > 1 else ()
        above = [limit for limit in limits if limit is not None and _above(some, limit)]
        if above and len(above) < len(limits):
            answer.append(Doubt(WHICH))
        elif above:
            total = sum(bet.amount + bet.returned for bet in some)
            answer.append(
                Breach(
                    f"{patron} had {money(shoe, total)} on {wager} in {len(some)} bets",
                    f"{money(shoe, above[-1].maximum)} at most for all that a patron has on a "
                    "wager",
                    money(shoe, total),
                    tuple(bet.placed for bet in some),
                    patron=patron,
                    done=max((bet.staked for bet in some), key=lambda event: event.version),
                    key=("together", patron, wager),
                )
            )
    return tuple(answer)


def _above(bets: list[Bet], limit: Limit) -> bool:
    """Tell whether bets are together above a maximum that each of them keeps."""
    stakes = [bet.amount + bet.returned for bet in bets]
    return sum(stakes) > limit.maximum and all(stake <= limit.maximum for stake in stakes)


def _beyond(view: CoupView) -> list[tuple[Bet, Limit | None]]:
    """Return the settled bets that were outside the limits when they were accepted.

    The limit is None where nobody knows which of several stood then, and one was not kept.
    """
    judged = [
        (bet, limits_on(view.shoe, bet))
        for bet in view.coup.bets.values()
        if bet.moves and not bet.pushed
    ]
    return [
        (bet, limits[0] if len(limits) == 1 else None)
        for bet, limits in judged
        if not all(keeps(bet, limit) for limit in limits)
    ]


def _accepted(view: CoupView, how: str) -> list[tuple[Bet, Limit | None]] | str:
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
        if limit is not None
        else Doubt(WHICH)
        for bet, limit in bets
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
        if limit is not None
        else Doubt(WHICH)
        for bet, limit in bets
        if limit is None or bet.amount > limit.maximum
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
