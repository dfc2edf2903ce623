"""Rules of the shuffling machine: its faults are noted, and nobody is worse off by them."""

from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt
from domain.coup import Coup
from domain.event import Event
from domain.facts import IrregularityNoted, ShufflerFailed, TotalsCalled
from domain.shoe import Shoe

_CITES = ("field-facts.md 3 A25", "NSW 12.4")
_NO_FAULT = "no fault of a shuffler was recorded"


def _passed_over(shoe: Shoe) -> Answer:
    if not shoe.shuffler_faults:
        return _NO_FAULT
    if shoe.pack is None or "shuffler-fault" not in shoe.pack.rulings:
        return "the pack does not say how a shuffler's fault is ruled on"
    coups = {event.version: coup.number for coup in shoe.coups.values() for event in coup.events}
    noted = [
        event.fact.coup or coups.get(event.version)
        for event in shoe.irregularities
        if isinstance(event.fact, IrregularityNoted) and event.fact.kind == "shuffler-fault"
    ]
    breaches = []
    for event in shoe.shuffler_faults:
        coup = getattr(event.fact, "coup", None) or coups.get(event.version)
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


def _is_due(shoe: Shoe, event: Event, coup: int | None) -> bool:
    """Tell whether somebody should have ruled by now: the coup is over, or another has begun."""
    if shoe.ended is not None:
        return True
    if coup is not None and coup in shoe.coups:
        return shoe.coups[coup].over
    return any(
        each.opened is not None and each.opened.version > event.version
        for each in shoe.coups.values()
    )


def _worse(coup: Coup) -> list[Event]:
    """Return the faults of a shuffler in a coup that put somebody at a disadvantage."""
    return [
        event
        for event in coup.events
        if isinstance(event.fact, ShufflerFailed) and event.fact.disadvantage
    ]


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
        return CLEAN
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
    return coup.given_back and (bool(coup.bets) or coup.result_called is None)


def ended_by_fault(view: CoupView) -> bool:
    """Tell whether a coup was voided at once since its shuffler put somebody at a disadvantage.

    That fault is the reason, noted or not, where the pack says that such a coup ends; but not of a
    coup whose result was called before it.
    """
    shoe, coup = view.shoe, view.coup
    if not shoe.shuffler_faults or coup.voided is None or not _ends_coups(shoe):
        return False
    voided = coup.voided
    results = [call for call in coup.calls if not isinstance(call.fact, TotalsCalled)]
    fault = next((each for each in _worse(coup) if each.version < voided.version), None)
    if fault is None or any(call.version < fault.version for call in results):
        return False
    went_on = [*coup.cards, *coup.calls]
    return not any(
        fault.version < event.version < voided.version and doubt(shoe, fault, event) is None
        for event in went_on
    )


RULES = (
    Rule(
        "shuffler-fault-was-passed-over",
        "procedure",
        "medium",
        "A machine that fails leaves cards in doubt until somebody has looked.",
        _CITES,
        on_shoe=_passed_over,
    ),
    Rule(
        "coup-went-on-after-a-shuffler-fault",
        "procedure",
        "high",
        "Where a failing machine puts anybody at a disadvantage the coup ends, and bets go back.",
        _CITES,
        on_coup=_went_on,
    ),
)
