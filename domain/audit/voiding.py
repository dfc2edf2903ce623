"""Rules of coups that are void: each for a reason that holds, and each that cannot be finished.

A coup whose bets all went back on a ruling is void in all but its name, and is judged alike.
"""

from collections import Counter
from typing import Final

from domain.audit.believing import Belief, believed, names_rulers, next_begins
from domain.audit.costing import kept
from domain.audit.lacking import COUPS_ALONE, game_of_record
from domain.audit.refuting import drawn_rightly
from domain.audit.rule import (
    CLEAN,
    Answer,
    Breach,
    CoupView,
    Gains,
    Rule,
    is_undealt,
    next_coup,
)
from domain.audit.shuffling import ended_by_fault
from domain.audit.undoing import stake_after
from domain.coup import Bet, Coup
from domain.event import Event
from domain.facts import CoupVoided, IrregularityNoted
from domain.result import Result
from domain.rulings import gives_bets_back


def _void_without_reason(view: CoupView) -> Answer:
    coup = view.coup
    voided = coup.voided or _given_back(view)
    if voided is None:
        return "the coup was not voided"
    if is_undealt(coup):
        return CLEAN if coup.irregularities else "nothing was dealt, and no bet lay"
    by = voided.fact.by if isinstance(voided.fact, CoupVoided) else None
    if _called_off(coup, by) or ended_by_fault(view):
        return CLEAN

    def asks(fact: IrregularityNoted) -> bool:
        answered_for = by is not None or not names_rulers(view.shoe, voided)
        return gives_bets_back(fact, answered_for=answered_for)

    belief = believed(view, asks, _until(view), by)
    if belief.excuses:
        return CLEAN
    return belief.doubts[0] if belief.doubts else _breach(view, voided, belief)


def _called_off(coup: Coup, by: str | None) -> bool:
    """Tell whether somebody answers for calling off a coup of which no card was drawn."""
    return not coup.cards and not coup.taken_off and by is not None


def _breach(view: CoupView, voided: Event, belief: Belief) -> Answer:
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


def _given_back(view: CoupView) -> Event | None:
    """Return the ruling by which bets went back once the cards were dealt; None: none did."""
    coup = view.coup
    ruled = coup.ruled_back
    if ruled is None or not coup.bets or view.open or not coup.given_back:
        return None
    return ruled


def _until(view: CoupView) -> Event | None:
    """Return the fact before which the reason is noted: the next coup's beginning, or the void."""
    following, voided = next_begins(view.shoe, view.coup), view.coup.voided
    if following is None or voided is None or following.version > voided.version:
        return following
    return voided


def _gains(view: CoupView) -> Gains:
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
    if view.dealt and (coup.taken_off or coup.reassigned or not drawn_rightly(view.shoe, coup)):
        return "something did go wrong, and nobody knows how it would have been ruled on"
    return kept(view)


def _lay(coup: Coup, bet: Bet) -> int:
    """Return what lay on a wager when the bets were closed, in minor units."""
    closed = coup.bets_closed
    made = [
        event
        for event in (bet.placed, *bet.changes)
        if closed is not None and event.version < closed
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
        return CLEAN
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


RULES: Final = (
    Rule(
        "coup-was-voided-without-a-reason",
        "procedure",
        "high",
        "A coup that is voided once its result is in sight takes a win away, or a loss.",
        ("field-facts.md 3 A9",),
        on_coup=_void_without_reason,
    ),
    Rule(
        "shoe-ended-in-the-middle-of-a-coup",
        "procedure",
        "medium",
        "A coup that cannot be finished is void: nobody's stake stays on the felt.",
        ("field-facts.md 3 A11",),
        on_coup=_ran_out,
    ),
)
