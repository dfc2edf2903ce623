"""Rules of betting: when a bet may be made, on what, and how much."""

from collections.abc import Callable

from domain.audit.costing import gains_of_lateness
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.coup import Bet, Coup
from domain.event import Event
from domain.facts import (
    BetChanged,
    BetWithdrawn,
    Limit,
    LimitsChanged,
    ShoeLoaded,
)
from domain.procedure import limit_on
from domain.shoe import Shoe

_COUPS_ALONE = "the record holds coups alone"
_FactsOf = Callable[[Bet], tuple[Event, ...]]


def _card_before_call(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return _COUPS_ALONE
    coup = view.coup
    if not coup.cards:
        return "no card was drawn"
    if coup.free:
        return "a free hand takes no bets"
    first = coup.cards[0]
    call = coup.no_more_bets
    if call is not None and call.version < first.version:
        return CLEAN
    shown = "was never called" if call is None else "was called after it"
    return (
        Breach(
            f"a card was drawn, and no more bets {shown}",
            "no more bets is called before the first card",
            f"no more bets {shown}",
            (first, *([call] if call else [])),
        ),
    )


def _closed_at(coup: Coup) -> int | None:
    """Return the version of the fact that closed the bets: the call, or the first card."""
    closing = [event.version for event in (coup.no_more_bets, *coup.cards[:1]) if event is not None]
    return min(closing, default=None)


def _late_bet(view: CoupView) -> Answer:
    return _late(view, "was placed", lambda bet: (bet.placed,))


def _late_change(view: CoupView) -> Answer:
    return _late(view, "was changed or withdrawn", lambda bet: tuple(bet.changes))


def _late(view: CoupView, what: str, facts_of: _FactsOf) -> Answer:
    if view.shoe.scope == "coups":
        return _COUPS_ALONE
    coup = view.coup
    if not coup.bets:
        return "the coup has no bets"
    closed = _closed_at(coup)
    if closed is None:
        return "the bets are still open"
    late = [
        (bet, event)
        for bet in coup.bets.values()
        for event in facts_of(bet)
        if event.version > closed
    ]
    return tuple(
        Breach(
            f"{bet.patron}'s bet on {bet.wager} {what} after the bets were closed",
            "bets stand from the call of no more bets, or from the first card",
            f"{bet.patron}'s bet {what} after it",
            (event,),
            money=gains_of_lateness(view, bet, closed),
            patron=bet.patron,
            key=("bet", bet.number, *_change_key(event)),
        )
        for bet, event in late
    )


def _change_key(event: Event) -> tuple[str | int, ...]:
    """Tell one late change of a bet from another."""
    if isinstance(event.fact, BetChanged):
        return ("changed", event.fact.amount)
    return ("withdrawn",) if isinstance(event.fact, BetWithdrawn) else ()


def _offered(view: CoupView) -> Answer:
    if not view.coup.bets:
        return "the coup has no bets"
    if view.cashier is None:
        return "the rule pack cannot be read"
    loaded = view.shoe.loaded
    if loaded is not None and not getattr(loaded.fact, "pack_named", True):
        return "the record names no rules"
    cashier = view.cashier
    strange: list[Bet] = [bet for bet in view.coup.bets.values() if not cashier.offers(bet.wager)]
    return tuple(
        Breach(
            f"{bet.patron} bet on {bet.wager}, which this table does not offer",
            "wagers: " + ", ".join(wager.name for wager in cashier.pack.wagers),
            bet.wager,
            (bet.placed,),
        )
        for bet in strange
    )


def _limits(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.bets:
        return "the coup has no bets"
    pack = view.shoe.pack
    judged = [
        (bet, limit_on(bet.wager, bet.limits, pack))
        for bet in coup.bets.values()
        if not bet.withdrawn
    ]
    if all(limit is None for _, limit in judged):
        return "the record gives no limits"
    if view.open and _closed_at(coup) is None:
        return "the bets are still open"
    return tuple(
        Breach(
            f"{bet.patron} staked {bet.amount} on {bet.wager}",
            f"{limit.minimum} to {limit.maximum}",
            str(bet.amount),
            (bet.placed, *bet.changes),
        )
        for bet, limit in judged
        if limit is not None and not limit.minimum <= bet.amount <= limit.maximum
    )


def _differential(view: CoupView) -> Answer:
    pack = view.shoe.pack
    most = pack.limits.differential if pack is not None else None
    if most is None:
        return "the pack caps no table differential"
    bets = [bet for bet in view.coup.bets.values() if not bet.withdrawn]
    if not bets:
        return "the coup has no bets"
    if view.open and _closed_at(view.coup) is None:
        return "the bets are still open"
    player = sum(bet.amount for bet in bets if bet.wager == "player")
    banker = sum(bet.amount for bet in bets if bet.wager == "banker")
    if abs(player - banker) <= most:
        return CLEAN
    return (
        Breach(
            f"Player and Banker bets differ by {abs(player - banker)}",
            f"a table differential of {most} at most",
            f"player {player}, banker {banker}",
            tuple(bet.placed for bet in bets),
        ),
    )


def _free_hand(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.free:
        return "the coup is no free hand"
    return tuple(
        Breach(
            f"{bet.patron} bet {bet.amount} on a free hand",
            "nobody bets on a free hand",
            f"{bet.amount} on {bet.wager}",
            (bet.placed,),
        )
        for bet in coup.bets.values()
        if not bet.withdrawn
    )


def _free_hands(shoe: Shoe) -> Answer:
    if shoe.pack is None or shoe.pack.free_hands is None:
        return "the pack does not say how many free hands"
    free = [coup for coup in shoe.coups.values() if coup.free and coup.opened is not None]
    if not free:
        return "no free hand was dealt"
    most = shoe.pack.free_hands
    return tuple(
        Breach(
            f"free hand {nth} of the shoe",
            f"{most} free hands at most",
            f"{len(free)} free hands",
            (coup.opened,) if coup.opened is not None else (),
            coup.number,
        )
        for nth, coup in enumerate(free, start=1)
        if nth > most
    )


def _seats(shoe: Shoe) -> Answer:
    if shoe.pack is None:
        return "the rule pack cannot be read"
    if not shoe.seatings:
        return "the record seats nobody"
    most = shoe.pack.table.seats
    return tuple(
        Breach(
            f"{patron} was seated at {seat}",
            f"seats 1 to {most}",
            f"seat {seat}",
            (event,),
        )
        for event, seat, patron in shoe.seatings
        if seat > most
    )


def _stood(shoe: Shoe) -> list[tuple[Event, Limit]]:
    """Every limit that stood at the table, with the fact that set it."""
    facts = [event for event in (shoe.loaded, *shoe.limits_changed) if event is not None]
    return [
        (event, limit)
        for event in facts
        if isinstance(event.fact, (ShoeLoaded, LimitsChanged))
        for limit in event.fact.limits
    ]


def _ratio(shoe: Shoe) -> Answer:
    ratios = shoe.pack.limits.ratios if shoe.pack is not None else ()
    if not ratios:
        return "the pack ties no maximum to the minimum"
    stood = _stood(shoe)
    if not stood:
        return "the record gives no limits"
    times = ", ".join(map(str, ratios))
    return tuple(
        Breach(
            f"limits of {limit.minimum} to {limit.maximum} were set",
            f"a maximum of {times} times the minimum",
            f"{limit.minimum} to {limit.maximum}",
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
        for event in shoe.limits_changed
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
        "card-was-drawn-before-no-more-bets",
        "procedure",
        "high",
        "No card leaves the shoe for a hand while bets are open.",
        ("field-facts.md 3 A6", "58 Pa. Code 627a.8(b)"),
        on_coup=_card_before_call,
    ),
    Rule(
        "bet-was-placed-late",
        "procedure",
        "high",
        "A bet placed after the call, or after a card, may know what it bets on.",
        ("field-facts.md 3 A6, 4 (past-posting)",),
        on_coup=_late_bet,
    ),
    Rule(
        "bet-was-changed-late",
        "procedure",
        "high",
        "A stake raised, lowered or withdrawn after the call may know what it bets on.",
        ("field-facts.md 3 A6, 4 (capping, pinching)",),
        on_coup=_late_change,
    ),
    Rule(
        "wager-is-not-offered",
        "procedure",
        "medium",
        "A table takes the wagers of its rule pack and no others.",
        ("field-facts.md 3 A27",),
        on_coup=_offered,
    ),
    Rule(
        "bet-was-outside-the-limits",
        "procedure",
        "medium",
        "Limits are those in force when the bet was placed.",
        ("field-facts.md 3 A14", "Md. 36.05.03.14(C)"),
        on_coup=_limits,
    ),
    Rule(
        "table-differential-was-exceeded",
        "procedure",
        "medium",
        "The difference between Player and Banker bets is what the house stands to lose.",
        ("field-facts.md 3 A14 (NSW)",),
        on_coup=_differential,
    ),
    Rule(
        "free-hand-took-a-bet",
        "procedure",
        "medium",
        "A free hand is dealt without wagers.",
        ("field-facts.md 3 A15", "Qld r. 11A"),
        on_coup=_free_hand,
    ),
    Rule(
        "too-many-free-hands",
        "procedure",
        "low",
        "Free hands are numbered by the pack.",
        ("field-facts.md 3 A15",),
        on_shoe=_free_hands,
    ),
    Rule(
        "seat-is-not-there",
        "procedure",
        "low",
        "A table has so many seats and no more.",
        ("field-facts.md 3 A16", "58 Pa. Code 627a"),
        on_shoe=_seats,
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
