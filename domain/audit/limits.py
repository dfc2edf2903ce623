"""Rules of the limits: how much a bet may be, and how the limits themselves may stand."""

from typing import Final

from domain.at_table import limits_changed, limits_set, limits_when, tells_limits
from domain.audit.apart import too_far_apart
from domain.audit.lacking import may_be_the_bank
from domain.audit.rule import Answer, Breach, CoupView, Doubt, Rule
from domain.audit.timing import DOUBTFUL, doubt_among
from domain.audit.wording import money
from domain.banking import claimant
from domain.coup import Bet, Coup
from domain.event import Event
from domain.facts import MAX_INT, Limit, LimitsChanged, ShoeLoaded, TableOpened
from domain.procedure import limits_on
from domain.shoe import Shoe
from domain.wing_players import takers_of

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
        return bet.carried or any(bet.patron == taker.patron for taker in takers_of(shoe, coup))
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
    if bet.limits or tells_limits(shoe, bet.staked) or limits_when(shoe, bet.staked) == ((),):
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


def _stood(shoe: Shoe) -> list[tuple[Event, Limit]]:
    """Every limit that stood at the table, with the fact that set it."""
    own = [event for event in (shoe.loaded, *shoe.limits_changed) if event is not None]
    return [
        (event, limit)
        for event in (*own, *limits_set(shoe))
        if isinstance(event.fact, (ShoeLoaded, LimitsChanged, TableOpened))
        for limit in event.fact.limits
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
        (event, event.fact.displayed)
        for event in (*shoe.limits_changed, *limits_changed(shoe))
        if isinstance(event.fact, LimitsChanged) and event.fact.displayed is not None
    ]
    if not said:
        return "no change of limits says whether it was displayed"
    return tuple(
        Breach("the limits changed unseen", "changes are displayed", "not displayed", (event,))
        for event, displayed in said
        if not displayed
    )


RULES = (
    Rule(
        "bet-was-outside-the-limits",
        "procedure",
        "medium",
        "Limits are those in force when the stake was made, or was changed last.",
        ("field-facts.md 3 A14", "Md. 36.05.03.14(C)"),
        on_coup=_limits,
    ),
    Rule(
        "table-differential-was-exceeded",
        "procedure",
        "medium",
        "The difference between Player and Banker bets is what the house stands to lose.",
        ("field-facts.md 3 A14 (NSW)",),
        on_coup=too_far_apart,
    ),
    Rule(
        "limits-are-out-of-proportion",
        "procedure",
        "low",
        "The maximum is one of the multiples of the minimum that the law names.",
        ("field-facts.md 3 A14", "arrêté of 14 May 2007"),
        on_shoe=_ratio,
    ),
    Rule(
        "change-of-limits-was-not-displayed",
        "procedure",
        "low",
        "Patrons are shown the limits that they bet by.",
        ("field-facts.md 3 A14",),
        on_shoe=_displayed,
    ),
)
