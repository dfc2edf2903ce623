"""Judges how far Player and Banker bets lay apart: what the house stands to lose in a coup.

Rules of the limits: how much a bet may be, and how the limits themselves may stand.

Rules of stakes beyond the limits: what a patron has in all, and a bet that was accepted.
"""

from itertools import accumulate
from typing import Final

from sabot.domain.audit.checks.bets_at_close import (
    Staked,
    close_in_doubt,
    lying,
    staked_ever,
    staked_in_time,
)
from sabot.domain.audit.completeness import may_be_the_bank
from sabot.domain.audit.findings import blaming
from sabot.domain.audit.late_change_reversals import stake_before
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Doubt, Rule
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.audit.table_order import DOUBTFUL, doubt_among
from sabot.domain.audit.wording import money
from sabot.domain.events import MAX_INT, Limit, LimitsChanged, ShoeLoaded, TableOpened
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import limits_on
from sabot.domain.procedure.patron_bank import claimant
from sabot.domain.procedure.two_tableaux.banco_claims import banco_claimants
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import (
    limits_changed,
    limits_in_force,
    limits_set,
    tells_limits,
)

_SIDES: Final = {"player": 1, "banker": -1}


def _unjudged(view: CoupView) -> str | None:
    if view.shoe.scope == "coups":
        return "the record may lack bets"
    if not view.coup.bets:
        return "the coup has no bets"
    if view.open and view.coup.bets_closed is None:
        return "the bets are still open"
    return None


def too_far_apart(view: CoupView) -> Answer:
    """Judge the difference between Player and Banker bets as they lay when they were closed."""
    shoe = view.shoe
    most = shoe.pack.limits.differential if shoe.pack is not None else None
    if most is None:
        return "the pack caps no table differential"
    reason = _unjudged(view)
    if reason is not None:
        return reason
    staked = staked_in_time(shoe, view.coup)
    sums, late = _sums(staked), _sums(staked_ever(view.coup))
    if all(abs(each["player"] - each["banker"]) <= most for each in (sums, late)):
        return NO_BREACH
    doubtful = close_in_doubt(shoe, view.coup)
    apart = sums["player"] - sums["banker"]
    if doubtful is not None or abs(apart) <= most:
        return doubtful or NO_BREACH
    event, by = _exceeded(staked, most)
    breach = Breach(
        f"Player and Banker bets differ by {money(shoe, abs(apart))}",
        f"a table differential of {money(shoe, most)} at most",
        f"player {money(shoe, sums['player'])}, banker {money(shoe, sums['banker'])}",
        tuple(bet.placed for bet, _ in lying(staked).values()),
        done=event,
    )
    return (blaming(shoe, breach, by.patron),)


def _sums(staked: Staked) -> dict[str, int]:
    """Return what lay on either side, in minor units."""
    bets = lying(staked).values()
    return {side: sum(stake for bet, stake in bets if bet.wager == side) for side in _SIDES}


def _exceeded(staked: Staked, most: int) -> tuple[RecordedEvent, Bet]:
    """Return the event from which on the bets were too far apart on one side, and its bet."""
    steps = (_SIDES.get(bet.wager, 0) * _step(event, bet) for event, bet in staked)
    beyond = [(apart > most) - (apart < -most) for apart in accumulate(steps)]
    place = len(beyond) - 1
    while place and beyond[place - 1] == beyond[-1]:
        place -= 1
    return staked[place]


def _step(event: RecordedEvent, bet: Bet) -> int:
    """Return by how much an event raised a stake, or lowered it (negative)."""
    return stake_after(event) - stake_before(bet, event)


WHICH: Final = (
    f"the order of the bet and of the limits that its table tells of{DOUBTFUL}"
    "two records, whose clocks do not settle it"
)
"""Why nobody knows which limits stood."""

_MAY_BE_THE_BANK: Final = "the stake may have been all that the bank held, which is not told"


def _of_the_bank(shoe: Shoe, coup: Coup, bet: Bet) -> bool:
    """Tell whether a stake is as large as a bank has it: a banco, or what a tie holds."""
    if coup.banked is None:
        return False
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        # the half of who goes bank from the other side is no more his choice
        return bet.carried or any(
            bet.patron == taker.patron for taker in banco_claimants(shoe, coup)
        )
    return bet.carried or bet.patron == claimant(shoe, coup)


def _made_elsewhere(bet: Bet) -> bool:
    """Tell whether the record does not hold the coup in which a carried bet was made."""
    return bet.carried and bet.staked is bet.placed


def _limits(view: CoupView) -> Answer:
    coup, shoe = view.coup, view.shoe
    if not coup.bets:
        return "the coup has no bets"
    if shoe.scope == "coups":
        return "the record may lack changes of limits"
    banked = coup.banked is not None
    judged = [
        (bet, limits_on(shoe, bet))
        for bet in coup.bets.values()
        if not (bet.withdrawn or (banked and _of_the_bank(shoe, coup, bet)) or _made_elsewhere(bet))
    ]
    if all(limits == (None,) for _, limits in judged):
        return none_told(shoe)
    if view.open and coup.bets_closed is None:
        return "the bets are still open"
    answer: list[Breach | Doubt] = []
    for bet, limits in judged:
        doubtful = (
            None if shoe.order is None else doubt_among(shoe, (bet.staked,), shoe.limits_changed)
        )
        outside = [limit for limit in limits if limit is not None and not keeps(bet, limit)]
        if doubtful is not None:
            answer.append(Doubt(doubtful))
        elif outside:
            answer.append(_outside(view, bet, outside, sure=len(outside) == len(limits)))
    return tuple(answer)


def _outside(view: CoupView, bet: Bet, limits: list[Limit], *, sure: bool) -> Breach | Doubt:
    shoe = view.shoe
    if not sure:
        return Doubt(WHICH)
    if may_be_the_bank(shoe, view.coup, bet):
        return Doubt(_MAY_BE_THE_BANK)
    return Breach(
        f"{bet.patron} staked {money(shoe, bet.amount)} on {bet.wager}",
        _range(shoe, limits[-1]) + _as_told(shoe, bet),
        money(shoe, bet.amount),
        (bet.placed, *bet.changes),
        done=bet.staked,
    )


def _as_told(shoe: Shoe, bet: Bet) -> str:
    """Say where limits stand that the shoe's own record does not tell of."""
    if bet.limits or tells_limits(shoe, bet.staked) or limits_in_force(shoe, bet.staked) == ((),):
        return ""
    return f", by the record of table {shoe.table}"


def keeps(bet: Bet, limit: Limit | None) -> bool:
    """Tell whether a bet keeps a limit, as it was accepted; it does where there is none."""
    return limit is None or limit.minimum <= bet.amount + bet.returned <= limit.maximum


def none_told(shoe: Shoe) -> str:
    """Say why a bet is held against no limits."""
    elsewhere = shoe.at_table is not None and shoe.at_table.limits_told.events
    return "the record gives no limits" + (" for that time" if elsewhere else "")


def _range(shoe: Shoe, limit: Limit) -> str:
    if limit.maximum == MAX_INT:
        return f"{money(shoe, limit.minimum)} at least"
    return f"{money(shoe, limit.minimum)} to {money(shoe, limit.maximum)}"


def _stood(shoe: Shoe) -> list[tuple[RecordedEvent, Limit]]:
    """Every limit that stood at the table, with the event that set it."""
    own = [event for event in (shoe.loaded, *shoe.limits_changed) if event is not None]
    return [
        (event, limit)
        for event in (*own, *limits_set(shoe))
        if isinstance(event.payload, (ShoeLoaded, LimitsChanged, TableOpened))
        for limit in event.payload.limits
    ]


def _ratio(shoe: Shoe) -> Answer:
    ratios = shoe.pack.limits.ratios if shoe.pack is not None else ()
    if not ratios:
        return "the pack ties no maximum to the minimum"
    stood = _stood(shoe)
    if not stood:
        return none_told(shoe)
    times = ", ".join(map(str, ratios))
    return tuple(
        Breach(
            f"limits of {_range(shoe, limit)} were set",
            f"a maximum of {times} times the minimum",
            _range(shoe, limit),
            (event,),
        )
        for event, limit in stood
        if limit.maximum not in [ratio * limit.minimum for ratio in ratios]
    )


def _displayed(shoe: Shoe) -> Answer:
    if shoe.pack is None or not shoe.pack.limits.displayed:
        return "the pack does not ask that changes be displayed"
    said = [
        (event, event.payload.displayed)
        for event in events_of(LimitsChanged, (*shoe.limits_changed, *limits_changed(shoe)))
        if event.payload.displayed is not None
    ]
    if not said:
        return "no change of limits says whether it was displayed"
    return tuple(
        Breach("the limits changed unseen", "changes are displayed", "not displayed", (event,))
        for event, displayed in said
        if not displayed
    )


LIMIT_RULES = (
    Rule(
        "L201",
        "bet-outside-limits",
        "procedure",
        "medium",
        "Limits are those in force when the stake was made, or was changed last.",
        ("field-facts.md 3 A14", "Md. 36.05.03.14(C)"),
        on_coup=_limits,
    ),
    Rule(
        "L202",
        "table-differential-exceeded",
        "procedure",
        "medium",
        "The difference between Player and Banker bets is what the house stands to lose.",
        ("field-facts.md 3 A14 (NSW)",),
        on_coup=too_far_apart,
    ),
    Rule(
        "L203",
        "limit-ratio-not-permitted",
        "procedure",
        "low",
        "The maximum is one of the multiples of the minimum that the law names.",
        ("field-facts.md 3 A14", "arrêté of 14 May 2007"),
        on_shoe=_ratio,
    ),
    Rule(
        "L204",
        "limit-change-not-displayed",
        "procedure",
        "low",
        "Patrons are shown the limits that they bet by.",
        ("field-facts.md 3 A14",),
        on_shoe=_displayed,
    ),
)


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
                    done=max((bet.staked for bet in some), key=lambda event: event.position),
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


PATRON_TOTAL_RULES = (
    Rule(
        "L205",
        "combined-bets-above-limit",
        "procedure",
        "medium",
        "A maximum that several bets get round is none.",
        (*_CITES, "arrêté of 14 May 2007"),
        on_coup=_together,
    ),
    Rule(
        "L206",
        "accepted-bet-reduced",
        "payout",
        "medium",
        "A bet that the house accepted binds it: it cannot lose on it less than it would win.",
        (*_CITES, "Md. COMAR 36.05.03.14(C)"),
        on_coup=_cut_down,
    ),
    Rule(
        "L207",
        "excess-over-limit-not-returned",
        "payout",
        "medium",
        "Where bets count as far as the maximum alone, the rest is neither won nor lost.",
        (*_CITES,),
        on_coup=_not_capped,
    ),
)


RULES = (
    *LIMIT_RULES,
    *PATRON_TOTAL_RULES,
)
"""Every rule of this family."""
