"""Rules of coups that are void: each for a reason that holds, and each that cannot be finished.

A coup whose bets all went back on a ruling is void in all but its name, and is judged alike.

Rules of the shuffling machine: its faults are noted, and nobody is worse off by them.
"""

from collections import Counter
from typing import Final

from sabot.domain.audit.completeness import COUPS_ALONE, game_of_record
from sabot.domain.audit.costs import kept
from sabot.domain.audit.justification import (
    Justification,
    drawn_rightly,
    justified_by,
    names_rulers,
    next_begins,
)
from sabot.domain.audit.rule import (
    NO_BREACH,
    Answer,
    Breach,
    CoupView,
    MoneyEffect,
    Rule,
    is_undealt,
    next_coup,
)
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.audit.table_order import doubt
from sabot.domain.events import (
    CoupVoided,
    IrregularityNoted,
    ResultCalled,
    ShufflerFailed,
)
from sabot.domain.events.bank import HandsCalled
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.ruling_effects import gives_bets_back
from sabot.domain.rules.coup_result import Result
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


def _void_without_reason(view: CoupView) -> Answer:
    coup = view.coup
    voided = coup.voided or _given_back(view)
    if voided is None:
        return "the coup was not voided"
    if is_undealt(coup):
        return NO_BREACH if coup.irregularities else "nothing was dealt, and no bet lay"
    by = voided.payload.by if isinstance(voided.payload, CoupVoided) else None
    if _called_off(coup, by) or ended_by_fault(view):
        return NO_BREACH

    def asks(payload: IrregularityNoted) -> bool:
        answered_for = by is not None or not names_rulers(view.shoe, voided)
        return gives_bets_back(payload, answered_for=answered_for)

    belief = justified_by(view, asks, _until(view), by)
    if belief.excuses:
        return NO_BREACH
    return belief.doubts[0] if belief.doubts else _breach(view, voided, belief)


def _called_off(coup: Coup, by: str | None) -> bool:
    """Tell whether somebody answers for calling off a coup of which no card was drawn."""
    return not coup.cards and not coup.removed_cards and by is not None


def _breach(view: CoupView, voided: RecordedEvent, belief: Justification) -> Answer:
    coup, gains = view.coup, _gains(view)
    if coup.voided is None and gains == ():
        return "what went back would have neither won nor lost"
    done = "the coup was voided" if coup.voided is not None else "the bets of the coup went back"
    return (
        Breach(
            f"{done}, and {belief.said}",
            "a coup is voided on an irregularity that is noted, and ruled so",
            belief.said if coup.irregularities else "none was noted",
            (voided, *(event for event in belief.shown if event is not voided)),
            money=gains,
        ),
    )


def _given_back(view: CoupView) -> RecordedEvent | None:
    """Return the ruling by which bets went back once the cards were dealt; None: none did."""
    coup = view.coup
    ruled = coup.refund_ruling
    if ruled is None or not coup.bets or view.open or not coup.fully_refunded:
        return None
    return ruled


def _until(view: CoupView) -> RecordedEvent | None:
    """Return the event before which the reason is noted: the next coup's beginning, or the void."""
    following, voided = next_begins(view.shoe, view.coup), view.coup.voided
    if following is None or voided is None or following.position > voided.position:
        return following
    return voided


def _gains(view: CoupView) -> MoneyEffect:
    """Return what each patron has too much since his bet neither won nor lost; else why not."""
    result = _would_be(view)
    if isinstance(result, str):
        return result
    gains: Counter[str] = Counter()
    for bet in view.coup.bets.values():
        stake = _lay(view.coup, bet)
        due = view.cashier.due(bet.wager, result, stake) if view.cashier and stake else None
        if stake and due is None:
            return f"the record's cards, or the pack, do not settle {bet.wager}"
        gains[bet.patron] -= due.net if due is not None else 0
    return tuple(sorted((patron, gain) for patron, gain in gains.items() if gain))


def _would_be(view: CoupView) -> Result | str:
    """Return what the coup would have come to, had it been dealt to its end; else why not."""
    coup = view.coup
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if game_of_record(view.shoe) != "punto-banco":
        return "nobody knows how the coup would have gone on"
    if view.dealt and (coup.removed_cards or coup.reassigned or not drawn_rightly(view.shoe, coup)):
        return "something did go wrong, and nobody knows how it would have been ruled on"
    return kept(view)


def _lay(coup: Coup, bet: Bet) -> int:
    """Return what lay on a wager when the bets were closed, in minor units."""
    closed = coup.bets_closed
    made = [
        event
        for event in (bet.placed, *bet.changes)
        if closed is not None and event.position < closed
    ]
    return stake_after(made[-1]) if made else 0


def _ran_out(view: CoupView) -> Answer:
    shoe, coup = view.shoe, view.coup
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.ended is None:
        return "the shoe has not ended"
    waiting = [bet.placed for bet in coup.bets.values() if not bet.moves and not bet.withdrawn]
    if not coup.cards and not waiting:
        return "no card was drawn, and no bet lay"
    if coup.over:
        return NO_BREACH
    if next_coup(shoe, coup) is not None:
        return "the shoe went on to another coup"
    return (
        Breach(
            f"the shoe ended in the middle of coup {coup.number}",
            "a coup that cannot be finished is voided and its bets go back",
            "neither closed nor voided" + (", its bets on the felt" if waiting else ""),
            (*coup.cards[-1:], *waiting, shoe.ended),
            done=shoe.ended,
        ),
    )


VOID_RULES: Final = (
    Rule(
        "I305",
        "unjustified-void",
        "procedure",
        "high",
        "A coup that is voided once its result is in sight takes a win away, or a loss.",
        ("field-facts.md 3 A9",),
        on_coup=_void_without_reason,
    ),
    Rule(
        "I306",
        "unfinished-coup-not-voided",
        "procedure",
        "medium",
        "A coup that cannot be finished is void: nobody's stake stays on the felt.",
        ("field-facts.md 3 A11",),
        on_coup=_ran_out,
    ),
)


_CITES = ("field-facts.md 3 A25", "NSW 12.4")
_NO_FAULT = "no fault of a shuffler was recorded"


def _passed_over(shoe: Shoe) -> Answer:
    if not shoe.shuffler_faults:
        return _NO_FAULT
    if shoe.pack is None or "shuffler-fault" not in shoe.pack.rulings:
        return "the pack does not say how a shuffler's fault is ruled on"
    coups = {event.position: coup.number for coup in shoe.coups.values() for event in coup.events}
    noted = [
        event.payload.coup or coups.get(event.position)
        for event in shoe.irregularities
        if event.payload.kind == "shuffler-fault"
    ]
    breaches = []
    for event in shoe.shuffler_faults:
        coup = event.payload.coup or coups.get(event.position)
        if coup in noted:
            noted.remove(coup)
        elif _is_due(shoe, event, coup):
            breaches.append(
                Breach(
                    "a fault of the shuffler was passed over",
                    "a fault of the shuffler is noted, and somebody rules on it",
                    "no irregularity was noted",
                    (event,),
                    coup,
                )
            )
    return tuple(breaches)


def _is_due(shoe: Shoe, event: RecordedEvent, coup: int | None) -> bool:
    """Tell whether somebody should have ruled by now: the coup is over, or another has begun."""
    if shoe.ended is not None:
        return True
    if coup is not None and coup in shoe.coups:
        return shoe.coups[coup].over
    return any(
        each.opened is not None and each.opened.position > event.position
        for each in shoe.coups.values()
    )


def _worse(coup: Coup) -> list[RecordedEvent]:
    """Return the faults of a shuffler in a coup that put somebody at a disadvantage."""
    return [event for event in events_of(ShufflerFailed, coup.events) if event.payload.disadvantage]


def _ends_coups(shoe: Shoe) -> bool:
    """Tell whether the pack says that a coup ends with such a fault."""
    rulings = shoe.pack.rulings.get("shuffler-fault", ()) if shoe.pack is not None else ()
    return not {"void", "return-bets"}.isdisjoint(rulings)


def _went_on(view: CoupView) -> Answer:
    worse = _worse(view.coup) if view.shoe.shuffler_faults else []
    if not worse:
        return "no fault of a shuffler was to anybody's disadvantage"
    if not _ends_coups(view.shoe):
        return "the pack does not say that such a coup ends"
    if view.open:
        return "the coup is still in play"
    if view.coup.voided is not None or _is_ended(view.coup):
        return NO_BREACH
    return tuple(
        Breach(
            "a coup went on after a fault of the shuffler to somebody's disadvantage",
            "the coup is ended, and bets are returned",
            "the coup was closed" if view.coup.closed is not None else "the coup was not voided",
            (event,),
        )
        for event in worse
    )


def _is_ended(coup: Coup) -> bool:
    """Tell whether a coup ended on a ruling by which its bets went back: there is no result."""
    return coup.fully_refunded and (bool(coup.bets) or coup.result_called is None)


def ended_by_fault(view: CoupView) -> bool:
    """Tell whether a coup was voided at once since its shuffler put somebody at a disadvantage.

    That fault is the reason, noted or not, where the pack says that such a coup ends; but not of a
    coup whose result was called before it.
    """
    shoe, coup = view.shoe, view.coup
    if not shoe.shuffler_faults or coup.voided is None or not _ends_coups(shoe):
        return False
    voided = coup.voided
    results = events_of((ResultCalled, HandsCalled), coup.calls)
    fault = next((each for each in _worse(coup) if each.position < voided.position), None)
    if fault is None or any(call.position < fault.position for call in results):
        return False
    went_on = [*coup.cards, *coup.calls]
    return not any(
        fault.position < event.position < voided.position and doubt(shoe, fault, event) is None
        for event in went_on
    )


SHUFFLER_FAULT_RULES = (
    Rule(
        "I307",
        "unreported-shuffler-fault",
        "procedure",
        "medium",
        "A machine that fails leaves cards in doubt until somebody has looked.",
        _CITES,
        on_shoe=_passed_over,
    ),
    Rule(
        "I308",
        "play-after-shuffler-fault",
        "procedure",
        "high",
        "Where a failing machine puts anybody at a disadvantage the coup ends, and bets go back.",
        _CITES,
        on_coup=_went_on,
    ),
)


RULES = (
    *VOID_RULES,
    *SHUFFLER_FAULT_RULES,
)
"""Every rule of this family."""
