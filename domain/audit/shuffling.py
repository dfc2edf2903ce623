"""Rules of the shuffling machine: its faults are noted, and nobody is worse off by them."""

from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.event import Event
from domain.facts import IrregularityNoted, ShufflerFailed
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


def _went_on(view: CoupView) -> Answer:
    worse = view.shoe.shuffler_faults and [
        event
        for event in view.coup.events
        if isinstance(event.fact, ShufflerFailed) and event.fact.disadvantage
    ]
    if not worse:
        return "no fault of a shuffler was to anybody's disadvantage"
    pack = view.shoe.pack
    rulings = pack.rulings.get("shuffler-fault", ()) if pack is not None else ()
    if not {"void", "return-bets"} & set(rulings):
        return "the pack does not say that such a coup ends"
    if view.open:
        return "the coup is still in play"
    if view.coup.voided is not None:
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
