"""Rules of betting: when a bet may be made, by whom, and on what.

Rules of free hands: when they are dealt, and who asked for them.
"""

from collections.abc import Callable
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.late_change_reversals import reversals, stake_before, undoing_in_doubt
from sabot.domain.audit.rule import (
    NO_BREACH,
    STARTS_BEFORE_RECORD,
    Answer,
    Breach,
    CoupView,
    Doubt,
    Rule,
    may_lack_opening,
)
from sabot.domain.audit.table_order import doubt, doubt_among
from sabot.domain.audit.wording import money
from sabot.domain.events import BetChanged, BetWithdrawn
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_sections import FreeHands
from sabot.domain.state.coup_state import Bet, Coup, is_of_late_bets
from sabot.domain.state.shoe import Shoe

LATE: Final = ("bet-was-placed-late", "bet-was-changed-late")
"""Rules whose findings bear all that a late bet, or a late change of one, moved."""

_EventsOf = Callable[[Bet], tuple[RecordedEvent, ...]]


def _uncalled(view: CoupView) -> str | None:
    """Say why nobody can know whether no more bets was called before the first card."""
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if not view.coup.cards:
        return "no card was drawn"
    if view.coup.free:
        return "a free hand takes no bets"
    if view.coup.no_more_bets is None and may_lack_opening(view.shoe, view.coup):
        return STARTS_BEFORE_RECORD
    return None


def _card_before_call(view: CoupView) -> Answer:
    reason = _uncalled(view)
    if reason is not None:
        return reason
    first, call = view.coup.cards[0], view.coup.no_more_bets
    doubtful = doubt(view.shoe, first, call) if call is not None else None
    if doubtful is not None:
        return doubtful
    if call is not None and call.position < first.position:
        return NO_BREACH
    shown = "was never called" if call is None else "was called after it"
    return (
        Breach(
            f"a card was drawn, and no more bets {shown}",
            "no more bets is called before the first card",
            f"no more bets {shown}",
            (first, *([call] if call else [])),
        ),
    )


def closing(coup: Coup) -> list[RecordedEvent]:
    """Return the events each of which closes the bets: the call, and the first card."""
    return [event for event in (coup.no_more_bets, *coup.cards[:1]) if event is not None]


def _late_bet(view: CoupView) -> Answer:
    return _late(view, "was placed", lambda bet: (bet.placed,))


def _late_change(view: CoupView) -> Answer:
    unsure = _ruling_in_doubt(view) or undoing_in_doubt(view.shoe, view.coup)
    if unsure is not None:
        return unsure
    return _late(view, "was changed or withdrawn", lambda bet: _changes(view, bet))


def _changes(view: CoupView, bet: Bet) -> tuple[RecordedEvent, ...]:
    """Return the changes of a bet, but those by which a late one went back on a ruling."""
    changes = _while_it_stood(view.coup, bet)
    if len(changes) < 2:  # noqa: PLR2004 - one is late, another undoes it
        return changes
    closed = closing(view.coup)
    back = reversals(view.coup, bet, lambda event: _lateness(view.shoe, event, closed) is not None)
    return tuple(event for event in changes if event.position not in back)


def _ruling_in_doubt(view: CoupView) -> str | None:
    """Say why nobody knows whether a bet that was taken back went back on a ruling."""
    ruled = view.coup.refund_ruling
    if ruled is None or view.shoe.order is None:
        return None
    bets = [bet for bet in view.coup.bets.values() if any(map(_takes_back, bet.changes))]
    back = [event for bet in bets for event in bet.changes if _takes_back(event)]
    placed = [bet.placed for bet in bets] if is_of_late_bets(ruled.payload) else []
    return doubt_among(view.shoe, back, [ruled]) or doubt_among(
        view.shoe, placed, closing(view.coup)
    )


def _while_it_stood(coup: Coup, bet: Bet) -> tuple[RecordedEvent, ...]:
    """Return the changes of a bet before it was settled: what a tie or a void leaves is its own.

    Whether it may be taken up then is the pack's to say, and no matter of being late. Nor is a
    bet late that was withdrawn on a ruling by which it goes back; a ruling on late bets lets
    nobody take his back where none was late.
    """
    over = [event.position for event in (*bet.moves, coup.voided, coup.closed) if event is not None]
    last = min(over, default=None)
    changes = tuple(event for event in bet.changes if last is None or event.position < last)
    ruled = coup.refund_ruling if changes else None
    if ruled is None or not (bet.number in coup.refunded_bets or coup.voided is not None):
        return changes
    return tuple(
        event for event in changes if event.position < ruled.position or not _takes_back(event)
    )


def _takes_back(event: RecordedEvent) -> bool:
    """Tell whether a bet was taken off the felt, whole."""
    match event.payload:
        case BetWithdrawn():
            return True
        case BetChanged(amount=amount):
            return not amount
        case _:
            return False


def _late(view: CoupView, what: str, events_of: _EventsOf) -> Answer:
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    coup = view.coup
    if not coup.bets:
        return "the coup has no bets"
    closed = coup.bets_closed
    if closed is None:
        return "the bets are still open"
    payloads = [(bet, event) for bet in coup.bets.values() for event in events_of(bet)]
    doubts: list[Doubt] = []
    late = [(bet, event) for bet, event in payloads if event.position > closed]
    if view.shoe.order is None:
        if not late:
            return NO_BREACH
    else:
        late = []
        for bet, event in payloads:
            judged = _lateness(view.shoe, event, closing(coup))
            if judged == "late":
                late.append((bet, event))
            elif judged is not None:
                doubts.append(Doubt(judged))
        if doubts and len(doubts) == len(payloads):
            return doubts[0].reason
    return (
        *[
            Breach(
                f"{bet.patron}'s bet on {bet.wager} {what} after the bets were closed",
                "bets stand from the call of no more bets, or from the first card",
                f"{bet.patron}'s bet {what} after it",
                (event,),
                stake=stake_before(bet, event),
                patron=bet.patron,
                key=("bet", bet.number, *_change_key(event)),
            )
            for bet, event in late
        ],
        *doubts,
    )


def _lateness(shoe: Shoe, event: RecordedEvent, closed: list[RecordedEvent]) -> str | None:
    """Return ``late`` for what surely came after the bets were closed; else the doubt, if any.

    One of the events that close the bets is enough to be late; to be in time, an event must have
    come before all of them.
    """
    doubtful = None
    for closes in closed:
        unsure = doubt(shoe, event, closes)
        if unsure is None and event.position > closes.position:
            return "late"
        doubtful = doubtful or unsure
    return doubtful


def _change_key(event: RecordedEvent) -> tuple[str | int, ...]:
    """Tell one late change of a bet from another."""
    match event.payload:
        case BetChanged(amount=amount):
            return ("changed", amount)
        case BetWithdrawn():
            return ("withdrawn",)
        case _:
            return ()


def _offered(view: CoupView) -> Answer:
    if not view.coup.bets:
        return "the coup has no bets"
    if view.cashier is None:
        return "the rule pack cannot be read"
    loaded = view.shoe.loaded
    if loaded is not None and not loaded.payload.pack_named:
        return "the record names no rules"
    cashier = view.cashier
    strange: list[Bet] = [bet for bet in view.coup.bets.values() if not cashier.offers(bet.wager)]
    return tuple(
        Breach(
            f"{bet.patron} bet on {bet.wager}, which this table does not offer",
            "wagers: " + ", ".join(wager.name for wager in cashier.pack.wagers),
            bet.wager,
            (bet.placed,),
            stake=0,
        )
        for bet in strange
    )


def _free_hand(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.free:
        return "the coup is no free hand"
    return tuple(
        Breach(
            f"{bet.patron} bet {money(view.shoe, bet.amount)} on a free hand",
            "nobody bets on a free hand",
            f"{money(view.shoe, bet.amount)} on {bet.wager}",
            (bet.placed,),
            stake=0,
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
    most = shoe.pack.table.seats
    bets = [
        (coup.number, bet)
        for coup in shoe.coups.values()
        for bet in coup.bets.values()
        if (bet.placed.payload.seat or 0) > most
    ]
    if not shoe.seatings and not bets:
        return "the record seats nobody"
    return (
        *[
            Breach(f"{patron} was seated at {seat}", f"seats 1 to {most}", f"seat {seat}", (event,))
            for event, seat, patron in shoe.seatings
            if seat > most
        ],
        *[
            Breach(
                f"{bet.patron} bet at {bet.placed.payload.seat}",
                f"seats 1 to {most}",
                f"seat {bet.placed.payload.seat}",
                (bet.placed,),
                coup,
            )
            for coup, bet in bets
        ],
    )


BET_RULES = (
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
)


_CITES = ("field-facts.md 3 A15",)


def _free(shoe: Shoe, when: FreeHands) -> list[Coup] | str:
    """Return the free hands, where the pack has them dealt so; else why they are not judged."""
    if shoe.pack is None or shoe.pack.free_hands_when is None:
        return "the pack does not say when free hands are dealt"
    if shoe.pack.free_hands_when != when:
        return f"the pack has free hands dealt {_WORDS[shoe.pack.free_hands_when]}"
    if shoe.scope == "coups":
        return COUPS_ALONE
    free = [coup for coup in shoe.coups.values() if coup.free and coup.opened is not None]
    if not free and _without_bets(shoe):
        return "the record does not say whether coups that were dealt without a bet were free hands"
    return free or "no free hand was dealt"


def _without_bets(shoe: Shoe) -> bool:
    """Tell whether coups were dealt without a bet, in a record that has bets."""
    dealt = [coup for coup in shoe.coups.values() if coup.cards and coup.voided is None]
    return any(coup.bets for coup in dealt) and not all(coup.bets for coup in dealt)


_WORDS = {"shoe-start": "at the start of a shoe", "on-request": "where a patron asks for one"}


def _free_hand_late(shoe: Shoe) -> Answer:
    free = _free(shoe, "shoe-start")
    if isinstance(free, str):
        return free
    played = [coup.number for coup in shoe.coups.values() if coup.cards and not coup.free]
    first = min(played, default=None)
    return tuple(
        Breach(
            f"a free hand was dealt after coup {first}",
            "free hands come before the first coup with bets",
            f"coup {coup.number} is a free hand",
            (coup.opened,) if coup.opened is not None else (),
            coup.number,
        )
        for coup in free
        if first is not None and coup.number > first
    )


def _unasked(shoe: Shoe) -> Answer:
    free = _free(shoe, "on-request")
    if isinstance(free, str):
        return free
    asked = [
        event
        for event in shoe.requests
        if event.payload.kind == "free-hand" and event.payload.granted is not False
    ]
    breaches = []
    for coup in free:
        opened = coup.opened
        assert opened is not None
        before = [event for event in asked if event.position < opened.position]
        if before:
            asked.remove(before[0])
            continue
        doubtful = doubt_among(shoe, asked, (opened,))
        if doubtful is not None:
            return doubtful
        breaches.append(_breach(coup, opened))
    return tuple(breaches)


def _breach(coup: Coup, opened: RecordedEvent) -> Breach:
    return Breach(
        "a free hand was dealt that nobody had asked for",
        "a patron asks for each free hand, and it is granted",
        "no such request before it",
        (opened,),
        coup.number,
    )


FREE_HAND_RULES = (
    Rule(
        "free-hand-was-dealt-late",
        "procedure",
        "low",
        "Free hands show that the shoe is in order; later they only use up cards.",
        (*_CITES, "DICJ Despacho 55/2004 as amended: at the start of the shoe, three at most"),
        on_shoe=_free_hand_late,
    ),
    Rule(
        "free-hand-was-not-asked-for",
        "procedure",
        "low",
        "A hand that nobody asked for uses up cards, and says who would have them gone.",
        (*_CITES, "Qld, r. 11A: on request, without wagers"),
        on_shoe=_unasked,
    ),
)


RULES = (
    *BET_RULES,
    *FREE_HAND_RULES,
)
"""Every rule of this family."""
