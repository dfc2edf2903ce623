"""Rules of free hands: when they are dealt, and who asked for them."""

from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import Answer, Breach, Rule
from domain.audit.timing import doubt_among
from domain.coup import Coup
from domain.event import Event
from domain.facts import RequestMade
from domain.houserules import FreeHands
from domain.shoe import Shoe

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


def _late(shoe: Shoe) -> Answer:
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
        if isinstance(event.fact, RequestMade)
        and event.fact.kind == "free-hand"
        and event.fact.granted is not False
    ]
    breaches = []
    for coup in free:
        opened = coup.opened
        assert opened is not None
        before = [event for event in asked if event.version < opened.version]
        if before:
            asked.remove(before[0])
            continue
        doubtful = doubt_among(shoe, asked, (opened,))
        if doubtful is not None:
            return doubtful
        breaches.append(_breach(coup, opened))
    return tuple(breaches)


def _breach(coup: Coup, opened: Event) -> Breach:
    return Breach(
        "a free hand was dealt that nobody had asked for",
        "a patron asks for each free hand, and it is granted",
        "no such request before it",
        (opened,),
        coup.number,
    )


RULES = (
    Rule(
        "free-hand-was-dealt-late",
        "procedure",
        "low",
        "Free hands show that the shoe is in order; later they only use up cards.",
        (*_CITES, "DICJ Despacho 55/2004 as amended: at the start of the shoe, three at most"),
        on_shoe=_late,
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
