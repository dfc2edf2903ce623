"""What asks for a card to be burned, and which cards nothing asked for that asked for no other.

An irregularity asks for one card, or for all that lay exposed: those are told with their faces. A
card that was taken off its hand is one of them. A failure of the shuffler asks once, though it is
told by the machine and noted by the floor. Who takes over, and who brings a table to life, ask
for as many as the pack says, and for one where it says nothing.
"""

from typing import Final

from msgspec import Struct

from domain.audit.believing import against, ruled_otherwise
from domain.audit.burned import Burn
from domain.audit.refuting import refuting_in_doubt
from domain.event import Event
from domain.facts import IrregularityNoted, ShufflerFailed
from domain.relieving import Why, changes
from domain.rulings import CARDS_STAY, OF_CARDS, burns_card
from domain.shoe import Shoe

_WHYS: Final[tuple[Why, ...]] = ("relief", "dead-game")
_OFF_ITS_HAND: Final = -1
"""Stands for a card that was taken off its hand, where an asker was given to it."""


class Asking(Struct, frozen=True):
    """What may ask for one burned card, by the versions of facts.

    ``any_number`` tells whether one of it asks for any number of cards; ``others`` say why
    irregularities about then do not ask for it.
    """

    askers: frozenset[int]
    any_number: bool = False
    others: tuple[str, ...] = ()


def changes_about(shoe: Shoe, burn: Burn) -> list[tuple[Event, bool]]:
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


def asking(shoe: Shoe, burn: Burn) -> Asking:
    """Return what may ask for a card to be burned."""
    since = burn.since.version if burn.since is not None else 0
    until = burn.until.version if burn.until is not None else None

    def near(event: Event) -> bool:
        return since <= event.version and (until is None or event.version < until)

    about = [(event, once) for event, once in changes_about(shoe, burn) if near(event)]
    found = {event.version for event, _ in about}
    any_number = not all(once for _, once in about)
    if burn.fact.reason in ("relief", "dead-game"):
        return Asking(frozenset(found), any_number)
    coups = {burn.fact.coup, burn.coup, burn.before} - {None}
    same = _told_twice(shoe)
    others: list[str] = []
    for event in (*shoe.irregularities, *shoe.shuffler_faults):
        if not near(event) and getattr(event.fact, "coup", None) not in coups:
            continue
        reason = _why_not(shoe, event, burn.fact.reason)
        if reason is None and until is not None and event.version > until:
            reason = "it was noted too late"
        if reason is None:
            found.add(same.get(event.version, event.version))
        else:
            others.append(reason)
    return Asking(frozenset(found), any_number, tuple(dict.fromkeys(others)))


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


def _why_not(shoe: Shoe, event: Event, reason: str) -> str | None:
    """Say why what went wrong asks for no card, for the reason that was told; None: it asks."""
    fact = event.fact
    if isinstance(fact, ShufflerFailed):
        return None if reason in ("fault", "other") else "a fault of the shuffler is no ruling"
    if not isinstance(fact, IrregularityNoted):
        return "it is no irregularity"
    if not _asks(shoe, fact, reason):
        return ruled_otherwise(fact)
    named = (coup for coup in shoe.coups.values() if event in coup.irregularities)
    coup = next(named, None)
    unsure = refuting_in_doubt(shoe, coup, event) if coup is not None else None
    return against(shoe, coup, event) if unsure is None else None


def _asks(shoe: Shoe, fact: IrregularityNoted, reason: str) -> bool:
    """Tell whether a ruling asks for a card to be burned, for the reason that was told."""
    if fact.kind in OF_CARDS and reason != "ruling":
        return fact.ruling not in CARDS_STAY
    return burns_card(fact, shoe.pack.rulings if shoe.pack is not None else {})


def unasked(shoe: Shoe, burns: list[Burn]) -> dict[int, Asking]:
    """Return the burned cards that nothing asked for that asked for no other, by their number.

    With each comes what may ask for it. Each asker is given to one card, so that as many cards as
    can be have one; a card that lay exposed shares the asker of another.
    """
    asked = {burn.nth: asking(shoe, burn) for burn in burns}
    given = _taken_off(shoe)
    shown = [burn for burn in burns if burn.fact.card is not None]
    unseen = [burn for burn in burns if burn.fact.card is None]
    quiet: dict[int, Asking] = {}
    for burn in (*shown, *unseen):
        mine = asked[burn.nth]
        shared = burn.fact.card is not None and bool(mine.askers & given.keys())
        if not (mine.any_number or shared or _give(burn.nth, asked, given)):
            quiet[burn.nth] = mine
    return quiet


def _taken_off(shoe: Shoe) -> dict[int, int]:
    """Return the irregularities on which a card was taken off its hand: each asked for that one."""
    given: dict[int, int] = {}
    for coup in shoe.coups.values():
        if coup.taken_off:
            asked = [e for e in coup.irregularities if _why_not(shoe, e, "ruling") is None]
            given |= {event.version: _OFF_ITS_HAND for event in asked[: len(coup.taken_off)]}
    return given


def _give(nth: int, asked: dict[int, Asking], given: dict[int, int]) -> bool:
    """Give a card an asker, if need be one whose card can have another asker instead."""
    held = {card: asker for asker, card in given.items()}
    wanted: dict[int, int] = {}
    waiting = [nth]
    while waiting:
        card = waiting.pop()
        for asker in sorted(asked[card].askers - wanted.keys()):
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
