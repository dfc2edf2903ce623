"""What asks for a card to be burned, and which cards nothing asked for that asked for no other.

An irregularity asks for one card, or for all that lay exposed: those are told with their faces. A
card that was taken off its hand is one of them. A failure of the shuffler asks once, though it is
told by the machine and noted by the floor. Who takes over, and who brings a table to life, ask
for as many as the pack says, and for one where it says nothing.

The rule of cards that are burned on the way: each has something that asks for it.

What may ask for one, and for how many, `sabot.domain.audit.checks.burn_reasons` says.

Rules of cards burned on the way: a dealer is relieved, or a dead game comes to life.
"""

from typing import Final

from msgspec import Struct

from sabot.domain.audit.burned_cards import Burn, any_burned, burns
from sabot.domain.audit.justification import against, refuting_in_doubt, ruled_otherwise
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule
from sabot.domain.audit.table_order import doubt_among
from sabot.domain.events import IrregularityNoted, ShufflerFailed
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.burns import Occasion, Why, burned, changes, occasions
from sabot.domain.procedure.ruling_effects import CARDS_STAY, OF_CARDS, burns_card
from sabot.domain.state.shoe import Shoe

_WHYS: Final[tuple[Why, ...]] = ("relief", "dead-game")
_OFF_ITS_HAND: Final = -1
"""Stands for a card that was taken off its hand, where an asker was given to it."""


class Asking(Struct, frozen=True):
    """What may ask for one burned card, by the versions of events.

    ``any_number`` tells whether one of it asks for any number of cards; ``others`` say why
    irregularities about then do not ask for it.
    """

    askers: frozenset[int]
    any_number: bool = False
    others: tuple[str, ...] = ()


def changes_about(shoe: Shoe, burn: Burn) -> list[tuple[RecordedEvent, bool]]:
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
        if burn.payload.reason in (why, "other")
        for change in changes(shoe, why)
    ]


def asking(shoe: Shoe, burn: Burn) -> Asking:
    """Return what may ask for a card to be burned."""
    since = burn.since.position if burn.since is not None else 0
    until = burn.until.position if burn.until is not None else None

    def near(event: RecordedEvent) -> bool:
        return since <= event.position and (until is None or event.position < until)

    about = [(event, once) for event, once in changes_about(shoe, burn) if near(event)]
    found = {event.position for event, _ in about}
    any_number = not all(once for _, once in about)
    if burn.payload.reason in ("relief", "dead-game"):
        return Asking(frozenset(found), any_number)
    coups = {burn.payload.coup, burn.coup, burn.before} - {None}
    same = _told_twice(shoe)
    others: list[str] = []
    noted: list[RecordedEvent[IrregularityNoted | ShufflerFailed]] = [
        *shoe.irregularities,
        *shoe.shuffler_faults,
    ]
    for event in noted:
        if not near(event) and event.payload.coup not in coups:
            continue
        reason = _why_not(shoe, event, burn.payload.reason)
        if reason is None and until is not None and event.position > until:
            reason = "it was noted too late"
        if reason is None:
            found.add(same.get(event.position, event.position))
        else:
            others.append(reason)
    return Asking(frozenset(found), any_number, tuple(dict.fromkeys(others)))


def _told_twice(shoe: Shoe) -> dict[int, int]:
    """Return by which failure of the shuffler each note of one was made, by their versions.

    Each failure has one note, the nearest of its coup.
    """
    notes = [event for event in shoe.irregularities if event.payload.kind == "shuffler-fault"]
    same: dict[int, int] = {}
    for failed in shoe.shuffler_faults if notes else ():
        coup = _coup_at(shoe, failed)
        mine = [
            each for each in notes if each.position not in same and _coup_at(shoe, each) == coup
        ]
        if mine:
            near = min(mine, key=lambda note: abs(note.position - failed.position))
            same[near.position] = failed.position
    return same


def _coup_at(shoe: Shoe, event: RecordedEvent) -> int | None:
    """Return the coup that an event names, else the last that had begun."""
    named: int | None = getattr(event.payload, "coup", None)
    if named is not None:
        return named
    begun = (each for each in shoe.coups.values() if each.events[0].position < event.position)
    return max((each.number for each in begun), default=None)


def _why_not(
    shoe: Shoe, event: RecordedEvent[IrregularityNoted | ShufflerFailed], reason: str
) -> str | None:
    """Say why what went wrong asks for no card, for the reason that was told; None: it asks."""
    if not is_of(event, IrregularityNoted):
        return None if reason in ("fault", "other") else "a fault of the shuffler is no ruling"
    if not _asks(shoe, event.payload, reason):
        return ruled_otherwise(event.payload)
    named = (coup for coup in shoe.coups.values() if event in coup.irregularities)
    coup = next(named, None)
    unsure = refuting_in_doubt(shoe, coup, event) if coup is not None else None
    return against(shoe, coup, event) if unsure is None else None


def _asks(shoe: Shoe, payload: IrregularityNoted, reason: str) -> bool:
    """Tell whether a ruling asks for a card to be burned, for the reason that was told."""
    if payload.kind in OF_CARDS and reason != "ruling":
        return payload.ruling not in CARDS_STAY
    return burns_card(payload, shoe.pack.rulings if shoe.pack is not None else {})


def unasked(shoe: Shoe, burns: list[Burn]) -> dict[int, Asking]:
    """Return the burned cards that nothing asked for that asked for no other, by their number.

    With each comes what may ask for it. Each asker is given to one card, so that as many cards as
    can be have one; a card that lay exposed shares the asker of another.
    """
    asked = {burn.nth: asking(shoe, burn) for burn in burns}
    given = _taken_off(shoe)
    shown = [burn for burn in burns if burn.payload.card is not None]
    unseen = [burn for burn in burns if burn.payload.card is None]
    quiet: dict[int, Asking] = {}
    for burn in (*shown, *unseen):
        mine = asked[burn.nth]
        shared = burn.payload.card is not None and bool(mine.askers & given.keys())
        if not (mine.any_number or shared or _give(burn.nth, asked, given)):
            quiet[burn.nth] = mine
    return quiet


def _taken_off(shoe: Shoe) -> dict[int, int]:
    """Return the irregularities on which a card was taken off its hand: each asked for that one."""
    given: dict[int, int] = {}
    for coup in shoe.coups.values():
        if coup.removed_cards:
            asked = [e for e in coup.irregularities if _why_not(shoe, e, "ruling") is None]
            given |= {event.position: _OFF_ITS_HAND for event in asked[: len(coup.removed_cards)]}
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
    if burn.payload.reason == "relief" and not (_names_crew(shoe) or burn.within):
        return "the shoe's own record does not say who dealt"
    if burn.payload.reason == "dead-game" and not (shoe.seatings or burn.within):
        return "the record seats nobody"
    edges = [event for event in (burn.since, burn.until) if event is not None]
    asks: list[RecordedEvent] = [
        *shoe.irregularities,
        *shoe.shuffler_faults,
        *(each for each, _ in changes_about(shoe, burn)),
    ]
    return doubt_among(shoe, (burn.event,), (burn.next,)) or doubt_among(shoe, asks, edges)


def _names_crew(shoe: Shoe) -> bool:
    return bool(shoe.crew_changes or (shoe.loaded and shoe.loaded.payload.crew))


def _breach(burn: Burn, asking: Asking) -> Breach:
    why = burn.payload.reason
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


BURN_RULES = (
    Rule(
        "S305",
        "unjustified-burn",
        "procedure",
        "high",
        "One card burned on the quiet changes every card behind it, and so who wins.",
        ("field-facts.md 3 A5, A7, A9", "La. 42:III-3106", "arrêté of 14 May 2007, art. 55-14"),
        on_shoe=_unasked,
    ),
)


_CITES = ("field-facts.md 3 A9", "La. 42:III-3106")
_WHEN: dict[Why, str] = {
    "relief": "another dealer took over",
    "dead-game": "the table came to life",
}


def _unburned(shoe: Shoe, why: Why, cards: int | None, nothing: str) -> Answer:
    if cards is None:
        return f"the pack does not say what is burned when {_WHEN[why]}"
    if shoe.scope == "coups":
        return "the record may lack burned cards"
    due = [each for each in occasions(shoe, why) if each.until is not None]
    if not due:
        return nothing
    breaches = []
    for each in due:
        shown = burned(shoe, each)
        if len(shown) == cards:
            continue
        assert each.until is not None
        doubtful = doubt_among(shoe, (each.event, *shown), (each.until,))
        if doubtful is not None:
            return doubtful
        breaches.append(_relief_breach(each, cards, len(shown)))
    return tuple(breaches)


def _relief_breach(occasion: Occasion, cards: int, shown: int) -> Breach:
    until = occasion.until
    assert until is not None
    return Breach(
        f"{_WHEN[occasion.why]}, and {shown or 'no'} card{'s' if shown > 1 else ''} "
        f"{'were' if shown > 1 else 'was'} burned before the next",
        f"{cards} burned before the next coup's first card",
        f"{shown} burned",
        (until, occasion.event),
        getattr(until.payload, "coup", None),
    )


def _on_relief(shoe: Shoe) -> Answer:
    cards = shoe.pack.burn.relief if shoe.pack is not None else None
    return _unburned(shoe, "relief", cards, "no dealer was relieved before a coup")


def _after_a_dead_game(shoe: Shoe) -> Answer:
    cards = shoe.pack.burn.dead_game if shoe.pack is not None else None
    return _unburned(shoe, "dead-game", cards, "the table was never dead")


RELIEF_BURN_RULES = (
    Rule(
        "S306",
        "wrong-relief-burn",
        "procedure",
        "medium",
        "Who leaves may know the next card, and who comes may have been told of it.",
        _CITES,
        on_shoe=_on_relief,
    ),
    Rule(
        "S307",
        "wrong-dead-game-burn",
        "procedure",
        "medium",
        "While nobody plays the shoe lies there, and somebody may have looked at its next card.",
        _CITES,
        on_shoe=_after_a_dead_game,
    ),
)


RULES = (
    *BURN_RULES,
    *RELIEF_BURN_RULES,
)
"""Every rule of this family."""
