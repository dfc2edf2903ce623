"""The rule of cards that are burned on the way: each has something that asks for it."""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.audit.timing import doubt_among
from domain.event import Event
from domain.facts import CardBurned, CardDrawn, IrregularityNoted
from domain.relieving import awakenings, takeovers
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
    "ruling": "an irregularity, and somebody who ruled on it",
    "fault": "a fault of the shuffler, or an irregularity",
    "other": "a ruling, a relief, or a dead game",
}
_CARDS_STAY: Final = ("play-on", "stand")
"""Rulings by which nothing is done to the cards."""


class _Burn(Struct, frozen=True):
    """A burned card, and the next that was drawn, whose coup it changed.

    ``since`` is the first fact of the coup before, ``until`` the first card of the coup behind:
    between them lies what may ask for it. ``within`` says that the coup was being dealt.
    """

    event: Event
    fact: CardBurned
    nth: int
    next: Event
    coup: int
    before: int | None
    within: bool
    since: Event | None
    until: Event | None


def _burns(shoe: Shoe) -> Iterator[_Burn]:
    """Yield the cards burned on the way, before a card that was drawn."""
    last: Event | None = None
    waiting: list[tuple[int, Event]] = []
    for nth, event in enumerate(shoe.left, 1):
        if isinstance(event.fact, CardBurned):
            if event.fact.reason != "opening":
                waiting.append((nth, event))
            continue
        for place, burned in waiting:
            yield _between(shoe, place, burned, last, event)
        waiting, last = [], event


def _between(shoe: Shoe, nth: int, burned: Event, last: Event | None, drawn: Event) -> _Burn:
    assert isinstance(burned.fact, CardBurned)
    assert isinstance(drawn.fact, CardDrawn)
    coup = drawn.fact.coup
    before = last.fact.coup if last is not None and isinstance(last.fact, CardDrawn) else None
    since = shoe.coups[before].events[0] if before is not None else None
    behind = (
        event
        for event in shoe.left
        if event.version > drawn.version
        and isinstance(event.fact, CardDrawn)
        and event.fact.coup != coup
    )
    until = next(behind, None)
    within = before == coup
    return _Burn(burned, burned.fact, nth, drawn, coup, before, within, since, until)


def _unasked(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return "the record may lack burned cards"
    burns = list(_burns(shoe))
    if not burns:
        return "no card was burned on the way"
    answer: list[Breach | Doubt] = []
    for burn in burns:
        over = burn.until is not None or shoe.ended is not None or shoe.coups[burn.coup].over
        if not over:
            continue
        reason = _unknown(shoe, burn)
        if reason is not None:
            answer.append(Doubt(reason))
        elif not _is_asked_for(shoe, burn):
            answer.append(_breach(burn))
    return tuple(answer)


def _unknown(shoe: Shoe, burn: _Burn) -> str | None:
    """Say why nobody can know whether something asked for a burned card."""
    begins = next(iter(shoe.coups), None)
    if shoe.loaded is None and burn.before in (None, begins):
        return "the record does not begin with the loading of the shoe"
    if burn.fact.reason == "relief" and not (_names_crew(shoe) or burn.within):
        return "the record does not say who dealt"
    if burn.fact.reason == "dead-game" and not (shoe.seatings or burn.within):
        return "the record seats nobody"
    edges = [event for event in (burn.since, burn.until) if event is not None]
    asks = [*shoe.irregularities, *_others(shoe, burn)]
    return doubt_among(shoe, (burn.event,), (burn.next,)) or doubt_among(shoe, asks, edges)


def _names_crew(shoe: Shoe) -> bool:
    return bool(shoe.crew_changes or (shoe.loaded and getattr(shoe.loaded.fact, "crew", ())))


def _others(shoe: Shoe, burn: _Burn) -> list[Event]:
    """Return what may ask for the card besides an irregularity, whenever it was."""
    found: list[Event] = []
    if burn.fact.reason in ("fault", "other"):
        found += shoe.shuffler_faults
    if burn.fact.reason in ("relief", "other") and not burn.within:
        found += takeovers(shoe)
    if burn.fact.reason in ("dead-game", "other") and not burn.within:
        found += awakenings(shoe)
    return found


def _is_asked_for(shoe: Shoe, burn: _Burn) -> bool:
    since = burn.since.version if burn.since is not None else 0
    until = burn.until.version if burn.until is not None else None

    def near(event: Event) -> bool:
        return since <= event.version and (until is None or event.version < until)

    if any(near(event) for event in _others(shoe, burn)):
        return True
    if burn.fact.reason in ("relief", "dead-game"):
        return False
    coups = {burn.fact.coup, burn.coup, burn.before} - {None}
    return any(
        event.fact.ruling not in _CARDS_STAY and (event.fact.coup in coups or near(event))
        for event in shoe.irregularities
        if isinstance(event.fact, IrregularityNoted)
    )


def _breach(burn: _Burn) -> Breach:
    why = burn.fact.reason
    where = "while a coup was dealt" if burn.within else "before a coup"
    return Breach(
        f"a card was burned {where}, {_AS[why]}, and nothing asked for it",
        f"{_ASKS[why]}: else the cards come as they lie",
        f"burned as {why}, and no such thing was told",
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
