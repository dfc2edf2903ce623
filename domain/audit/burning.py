"""The rule of cards that are burned on the way: each has something that asks for it.

What may ask for one, and for how many, `domain.audit.burn_asking` says.
"""

from typing import Final

from domain.audit.burn_asking import Asking, changes_about, unasked
from domain.audit.burned import Burn, any_burned, burns
from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.audit.timing import doubt_among
from domain.shoe import Shoe

_AS: Final = {
    "relief": "since another deals",
    "dead-game": "since the table came to life",
    "ruling": "upon a ruling",
    "fault": "after a fault",
    "other": "for no reason that was told",
}
_ASKS: Final = {
    "relief": "another dealer who takes over between two coups",
    "dead-game": "a table that all had left, and to which somebody came",
    "ruling": "a ruling that burns a card, and has not burned it yet",
    "fault": "a fault of the shuffler or of a card, for which none was burned yet",
    "other": "a ruling, a fault, a relief, or a dead game",
}


def _unasked(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return "the record may lack burned cards"
    cards = list(burns(shoe)) if any_burned(shoe) else []
    if not cards:
        return "no card was burned on the way"
    answer: list[Breach | Doubt] = []
    quiet = unasked(shoe, cards)
    for burn in cards:
        over = burn.until is not None or shoe.ended is not None or shoe.coups[burn.coup].over
        if not over:
            continue
        reason = _unknown(shoe, burn)
        if reason is not None:
            answer.append(Doubt(reason))
        elif burn.nth in quiet:
            answer.append(_breach(burn, quiet[burn.nth]))
    return tuple(answer)


def _unknown(shoe: Shoe, burn: Burn) -> str | None:
    """Say why nobody can know whether something asked for a burned card."""
    begins = next(iter(shoe.coups), None)
    if shoe.loaded is None and burn.before in (None, begins):
        return "the record does not begin with the loading of the shoe"
    if burn.fact.reason == "relief" and not (_names_crew(shoe) or burn.within):
        return "the shoe's own record does not say who dealt"
    if burn.fact.reason == "dead-game" and not (shoe.seatings or burn.within):
        return "the record seats nobody"
    edges = [event for event in (burn.since, burn.until) if event is not None]
    asks = [
        *shoe.irregularities,
        *shoe.shuffler_faults,
        *(each for each, _ in changes_about(shoe, burn)),
    ]
    return doubt_among(shoe, (burn.event,), (burn.next,)) or doubt_among(shoe, asks, edges)


def _names_crew(shoe: Shoe) -> bool:
    return bool(shoe.crew_changes or (shoe.loaded and getattr(shoe.loaded.fact, "crew", ())))


def _breach(burn: Burn, asking: Asking) -> Breach:
    why = burn.fact.reason
    where = "while a coup was dealt" if burn.within else "before a coup"
    none = ", ".join(asking.others) or "no such thing was told"
    return Breach(
        f"a card was burned {where}, {_AS[why]}, and nothing asked for it",
        f"{_ASKS[why]}: else the cards come as they lie",
        f"burned as {why}, and {'each of them had burned its card' if asking.askers else none}",
        (burn.event, burn.next),
        burn.coup,
        key=("burned", burn.nth),
    )


RULES = (
    Rule(
        "card-was-burned-and-nothing-asked-for-it",
        "procedure",
        "high",
        "One card burned on the quiet changes every card behind it, and so who wins.",
        ("field-facts.md 3 A5, A7, A9", "La. 42:III-3106", "arrêté of 14 May 2007, art. 55-14"),
        on_shoe=_unasked,
    ),
)
