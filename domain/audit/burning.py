"""The rule of cards that are burned on the way: each has something that asks for it.

An irregularity asks for one card, or for all that lay exposed: those are told with their faces. A
card that was taken off its hand is one of them. A failure of the shuffler asks once, though it is
told by the machine and noted by the floor. Who takes over, and who brings a table to life, ask
for as many as the pack says, and for one where it says nothing.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.audit.timing import doubt_among
from domain.event import Event
from domain.facts import CardBurned, CardDrawn, IrregularityNoted, ShufflerFailed
from domain.relieving import Why, changes
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
_WHYS: Final[tuple[Why, ...]] = ("relief", "dead-game")
_CARDS_STAY: Final = ("play-on", "stand", "no-bet-hand", "card-to-banker")
"""Rulings by which the cards are dealt on as they lie."""
_OF_CARDS: Final = (
    "wrong-draw",
    "card-exposed",
    "card-face-up",
    "card-off-the-table",
    "misdeal",
    "too-few-cards",
    "shuffler-fault",
)
"""Irregularities of the cards, and not of bets, payments or calls."""
_OFF_ITS_HAND: Final = -1
"""Stands for a card that was taken off its hand, where an asker was given to it."""


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


def _any_burned(shoe: Shoe) -> bool:
    """Tell whether any card was burned on the way, be it before a card that was drawn or not."""
    return any(event.fact.reason != "opening" for event in shoe.burned)  # type: ignore[union-attr]


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
    burns = list(_burns(shoe)) if _any_burned(shoe) else []
    if not burns:
        return "no card was burned on the way"
    answer: list[Breach | Doubt] = []
    quiet = _quiet(shoe, burns)
    for burn in burns:
        over = burn.until is not None or shoe.ended is not None or shoe.coups[burn.coup].over
        if not over:
            continue
        reason = _unknown(shoe, burn)
        if reason is not None:
            answer.append(Doubt(reason))
        elif burn.nth in quiet:
            answer.append(_breach(burn, spent=bool(_asking(shoe, burn)[0])))
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
    asks = [
        *shoe.irregularities,
        *shoe.shuffler_faults,
        *(each for each, _ in _changes(shoe, burn)),
    ]
    return doubt_among(shoe, (burn.event,), (burn.next,)) or doubt_among(shoe, asks, edges)


def _names_crew(shoe: Shoe) -> bool:
    return bool(shoe.crew_changes or (shoe.loaded and getattr(shoe.loaded.fact, "crew", ())))


def _changes(shoe: Shoe, burn: _Burn) -> list[tuple[Event, bool]]:
    """Return who took over or came to life, whenever it was, and whether it asks for one card.

    Where the pack says how many, another number is told by a rule of its own.
    """
    if burn.within:
        return []
    burns = shoe.pack.burn if shoe.pack is not None else None
    said = {
        "relief": burns is not None and burns.relief is not None,
        "dead-game": burns is not None and burns.dead_game is not None,
    }
    return [
        (change.event, not said[why])
        for why in _WHYS
        if burn.fact.reason in (why, "other")
        for change in changes(shoe, why)
    ]


def _asking(shoe: Shoe, burn: _Burn) -> tuple[set[int], bool]:
    """Return the versions of what may ask for a card, and whether one of it asks for any number."""
    since = burn.since.version if burn.since is not None else 0
    until = burn.until.version if burn.until is not None else None

    def near(event: Event) -> bool:
        return since <= event.version and (until is None or event.version < until)

    found, any_number = set(), False
    for event, once in _changes(shoe, burn):
        if near(event):
            found.add(event.version)
            any_number = any_number or not once
    if burn.fact.reason in ("relief", "dead-game"):
        return found, any_number
    coups = {burn.fact.coup, burn.coup, burn.before} - {None}
    same = _told_twice(shoe)
    for event in (*shoe.irregularities, *shoe.shuffler_faults):
        here = near(event) or getattr(event.fact, "coup", None) in coups
        if here and _asks(shoe, event, burn.fact.reason):
            found.add(same.get(event.version, event.version))
    return found, any_number


def _told_twice(shoe: Shoe) -> dict[int, int]:
    """Return by which failure of the shuffler each note of one was made, by their versions.

    Each failure has one note, the nearest of its coup.
    """
    notes = [
        event
        for event in shoe.irregularities
        if isinstance(event.fact, IrregularityNoted) and event.fact.kind == "shuffler-fault"
    ]
    same: dict[int, int] = {}
    for failed in shoe.shuffler_faults if notes else ():
        coup = _coup_at(shoe, failed)
        mine = [each for each in notes if each.version not in same and _coup_at(shoe, each) == coup]
        if mine:
            near = min(mine, key=lambda note: abs(note.version - failed.version))
            same[near.version] = failed.version
    return same


def _coup_at(shoe: Shoe, event: Event) -> int | None:
    """Return the coup that a fact names, else the last that had begun."""
    named: int | None = getattr(event.fact, "coup", None)
    if named is not None:
        return named
    begun = (each for each in shoe.coups.values() if each.events[0].version < event.version)
    return max((each.number for each in begun), default=None)


def _asks(shoe: Shoe, event: Event, reason: str) -> bool:
    """Tell whether what went wrong asks for a card to be burned, for the reason that was told."""
    fact = event.fact
    if isinstance(fact, ShufflerFailed):
        return reason in ("fault", "other")
    if not isinstance(fact, IrregularityNoted) or fact.ruling in _CARDS_STAY:
        return False
    if fact.ruling == "burn-card":
        return True
    if fact.kind in _OF_CARDS and reason != "ruling":
        return True
    rulings = shoe.pack.rulings if shoe.pack is not None else {}
    may_burn = fact.kind not in rulings or "burn-card" in rulings[fact.kind]
    return fact.ruling == "other" or (
        fact.ruling != "none" and fact.kind in (*_OF_CARDS, "other") and may_burn
    )


def _quiet(shoe: Shoe, burns: list[_Burn]) -> set[int]:
    """Return which of the burned cards nothing asked for that asked for no other card.

    Each asker is given to one card, so that as many cards as can be have one; a card that lay
    exposed shares the asker of another.
    """
    asking = {burn.nth: _asking(shoe, burn) for burn in burns}
    given = _taken_off(shoe)
    shown = [burn for burn in burns if burn.fact.card is not None]
    unseen = [burn for burn in burns if burn.fact.card is None]
    quiet = set()
    for burn in (*shown, *unseen):
        askers, any_number = asking[burn.nth]
        shared = burn.fact.card is not None and bool(askers & given.keys())
        if not (any_number or shared or _give(burn.nth, asking, given)):
            quiet.add(burn.nth)
    return quiet


def _taken_off(shoe: Shoe) -> dict[int, int]:
    """Return the irregularities on which a card was taken off its hand: each asked for that one."""
    given: dict[int, int] = {}
    for coup in shoe.coups.values():
        if coup.taken_off:
            asked = [event for event in coup.irregularities if _asks(shoe, event, "ruling")]
            given |= {event.version: _OFF_ITS_HAND for event in asked[: len(coup.taken_off)]}
    return given


def _give(nth: int, asking: dict[int, tuple[set[int], bool]], given: dict[int, int]) -> bool:
    """Give a card an asker, if need be one whose card can have another asker instead."""
    held = {card: asker for asker, card in given.items()}
    wanted: dict[int, int] = {}
    waiting = [nth]
    while waiting:
        card = waiting.pop()
        for asker in sorted(asking[card][0] - wanted.keys()):
            wanted[asker] = card
            holder = given.get(asker)
            if holder is None:
                _hand_on(nth, asker, wanted, held, given)
                return True
            if holder != _OFF_ITS_HAND:
                waiting.append(holder)
    return False


def _hand_on(
    nth: int, asker: int, wanted: dict[int, int], held: dict[int, int], given: dict[int, int]
) -> None:
    """Give a free asker to the card that wanted it, the one that this held to the next, and on."""
    while True:
        card = wanted[asker]
        given[asker] = card
        if card == nth:
            return
        asker = held[card]


def _breach(burn: _Burn, *, spent: bool) -> Breach:
    why = burn.fact.reason
    where = "while a coup was dealt" if burn.within else "before a coup"
    none = "no such thing was told"
    return Breach(
        f"a card was burned {where}, {_AS[why]}, and nothing asked for it",
        f"{_ASKS[why]}: else the cards come as they lie",
        f"burned as {why}, and {'each of them had burned its card' if spent else none}",
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
