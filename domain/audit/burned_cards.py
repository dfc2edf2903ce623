"""Find what accounts for each card burned during play.

A ruling on an irregularity accounts for one burned card, or for all exposed cards (those recorded
with their faces). A card removed from its hand is one of them. A shuffler failure counts once, even
if the machine reports it and the floor notes it. A dealer relief, or a patron who reopens a dead
game, accounts for the number of cards in the rule pack, or for one card if the pack gives none.

A burn that is on record and was not made, or was made and is not on record, also makes the count of
the cards wrong. `burns_behind_count` finds it.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec import Struct

from sabot.domain.audit.completeness import NO_SEATS
from sabot.domain.audit.justification import ruled_otherwise, surely_against
from sabot.domain.events import CardBurned, CardDrawn, IrregularityNoted, ShufflerFailed
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.burns import Why, burn_causes, burn_occasions, cards_burned_on
from sabot.domain.procedure.common import burn_due
from sabot.domain.procedure.ruling_effects import CARDS_STAY, OF_CARDS, burns_card
from sabot.domain.state.shoe import Shoe


class Burn(Struct, frozen=True):
    """A burned card, and the next card of a hand.

    ``since`` is the first event of the previous coup, ``until`` the first card of the next coup.
    Only events between them can have caused the burn. ``within`` is True if the card was burned
    while a coup was being dealt.
    """

    event: RecordedEvent
    payload: CardBurned
    nth: int
    next: RecordedEvent[CardDrawn]
    coup: int
    before: int | None
    within: bool
    since: RecordedEvent | None
    until: RecordedEvent | None


def any_burned(shoe: Shoe) -> bool:
    """Return whether any card was burned after the opening burn."""
    return any(event.payload.reason != "opening" for event in shoe.burned)


def cards_burned_after_opening(shoe: Shoe) -> Iterator[Burn]:
    """Yield the cards burned during play before a drawn card."""
    last: RecordedEvent[CardDrawn] | None = None
    waiting: list[tuple[int, RecordedEvent[CardBurned]]] = []
    for nth, event in enumerate(shoe.left, 1):
        if is_of(event, CardDrawn):
            for place, burned in waiting:
                yield _between(shoe, place, burned, last, event)
            waiting, last = [], event
        elif is_of(event, CardBurned) and event.payload.reason != "opening":
            waiting.append((nth, event))


def _between(
    shoe: Shoe,
    nth: int,
    burned: RecordedEvent[CardBurned],
    last: RecordedEvent[CardDrawn] | None,
    drawn: RecordedEvent[CardDrawn],
) -> Burn:
    coup = drawn.payload.coup
    before = last.payload.coup if last is not None else None
    since = shoe.coups[before].events[0] if before is not None else None
    behind = (
        event
        for event in events_of(CardDrawn, shoe.left)
        if event.position > drawn.position and event.payload.coup != coup
    )
    until = next(behind, None)
    within = before == coup
    return Burn(burned, burned.payload, nth, drawn, coup, before, within, since, until)


# -- The causes of burned cards --------------------------------------------------------------------

_WHYS: Final[tuple[Why, ...]] = ("relief", "dead-game")
_OFF_ITS_HAND: Final = -1
"""The number of a cause that accounts for a card removed from its hand."""


class PossibleCauses(Struct, frozen=True):
    """The events that may account for one burned card.

    ``causes`` are the positions of these events. ``any_number`` is True if one of them accounts for
    any number of cards. ``others`` are irregularities of the same time that do not account for the
    card, each with the reason.
    """

    causes: frozenset[int]
    any_number: bool = False
    others: tuple[str, ...] = ()


def changes_about(shoe: Shoe, burn: Burn) -> list[tuple[RecordedEvent, bool]]:
    """Return the reliefs and reopened dead games near a burn.

    Each is paired with True if it accounts for one card only. It is paired with False if the rule
    pack sets the number of cards: another rule then checks the number.
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
        for change in burn_causes(shoe, why)
    ]


def _why_no_cause(
    shoe: Shoe, event: RecordedEvent[IrregularityNoted | ShufflerFailed], burn: Burn
) -> str | None:
    """Return why an event does not account for a burned card, or None if it does."""
    reason = _why_not(shoe, event, burn.payload.reason)
    if reason is None and burn.until is not None and event.position > burn.until.position:
        return "it was noted too late"
    return reason


def possible_causes(shoe: Shoe, burn: Burn) -> PossibleCauses:
    """Return the events that may account for a burned card."""
    since = burn.since.position if burn.since is not None else 0
    until = burn.until.position if burn.until is not None else None

    def near(event: RecordedEvent) -> bool:
        return since <= event.position and (until is None or event.position < until)

    about = [(event, once) for event, once in changes_about(shoe, burn) if near(event)]
    found = {event.position for event, _ in about}
    any_number = not all(once for _, once in about)
    if burn.payload.reason in ("relief", "dead-game"):
        return PossibleCauses(frozenset(found), any_number)
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
        reason = _why_no_cause(shoe, event, burn)
        if reason is None:
            found.add(same.get(event.position, event.position))
        else:
            others.append(reason)
    return PossibleCauses(frozenset(found), any_number, tuple(dict.fromkeys(others)))


def _told_twice(shoe: Shoe) -> dict[int, int]:
    """Return the irregularities that repeat a shuffler failure which the machine reported itself.

    The result maps the position of the irregularity to that of the failure. Each failure is matched
    with the nearest irregularity of its coup.
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
    """Return the coup of an event.

    It is the coup that the event names, or else the last coup begun before it.
    """
    named: int | None = getattr(event.payload, "coup", None)
    if named is not None:
        return named
    begun = (each for each in shoe.coups.values() if each.events[0].position < event.position)
    return max((each.number for each in begun), default=None)


def _why_not(
    shoe: Shoe, event: RecordedEvent[IrregularityNoted | ShufflerFailed], reason: str
) -> str | None:
    """Return why an irregularity does not account for a burned card, or None if it does."""
    if not is_of(event, IrregularityNoted):
        return None if reason in ("fault", "other") else "a fault of the shuffler is not a ruling"
    if not _asks(shoe, event.payload, reason):
        return ruled_otherwise(event.payload)
    named = (coup for coup in shoe.coups.values() if event in coup.irregularities)
    return surely_against(shoe, next(named, None), event)


def _asks(shoe: Shoe, payload: IrregularityNoted, reason: str) -> bool:
    """Return whether the ruling on an irregularity accounts for a card burned for this reason."""
    if payload.kind in OF_CARDS and reason != "ruling":
        return payload.ruling not in CARDS_STAY
    return burns_card(payload, shoe.pack.rulings if shoe.pack is not None else {})


def unrequested_burns(shoe: Shoe, burns: list[Burn]) -> dict[int, PossibleCauses]:
    """Find the burned cards that no event accounts for.

    An event accounts for one card, and is assigned so that as many cards as possible are accounted
    for. One event may account for several cards that were burned face up.

    Returns:
        for each card left over, by its number in the shoe, the events that were considered.
    """
    asked = {burn.nth: possible_causes(shoe, burn) for burn in burns}
    given = _taken_off(shoe)
    shown = [burn for burn in burns if burn.payload.card is not None]
    unseen = [burn for burn in burns if burn.payload.card is None]
    quiet: dict[int, PossibleCauses] = {}
    for burn in (*shown, *unseen):
        mine = asked[burn.nth]
        shared = burn.payload.card is not None and bool(mine.causes & given.keys())
        if not (mine.any_number or shared or _give(burn.nth, asked, given)):
            quiet[burn.nth] = mine
    return quiet


def _taken_off(shoe: Shoe) -> dict[int, int]:
    """Return the irregularities that explain cards removed from their hands."""
    given: dict[int, int] = {}
    for coup in shoe.coups.values():
        if coup.removed_cards:
            asked = [e for e in coup.irregularities if _why_not(shoe, e, "ruling") is None]
            given |= {event.position: _OFF_ITS_HAND for event in asked[: len(coup.removed_cards)]}
    return given


def _give(nth: int, asked: dict[int, PossibleCauses], given: dict[int, int]) -> bool:
    """Assign to a burned card an event that caused it.

    Each event explains one burned card. If necessary, other burned cards are assigned
    to other events.

    Returns:
        whether a cause was found.
    """
    held = {card: cause for cause, card in given.items()}
    wanted: dict[int, int] = {}
    waiting = [nth]
    while waiting:
        card = waiting.pop()
        for cause in sorted(asked[card].causes - wanted.keys()):
            wanted[cause] = card
            holder = given.get(cause)
            if holder is None:
                _hand_on(nth, cause, wanted, held, given)
                return True
            if holder != _OFF_ITS_HAND:
                waiting.append(holder)
    return False


def _hand_on(
    nth: int, cause: int, wanted: dict[int, int], held: dict[int, int], given: dict[int, int]
) -> None:
    """Assign a free cause to the last card of a chain of reassignments.

    Each other card of the chain gets the cause that the next card gave up.
    """
    while True:
        card = wanted[cause]
        given[cause] = card
        if card == nth:
            return
        cause = held[card]


def cause_unknown(shoe: Shoe, burn: Burn) -> str | None:
    """Return why the cause of a burn is unknown. None if the record can show it."""
    if shoe.loaded is None and burn.before in (None, next(iter(shoe.coups), None)):
        return "the record does not begin with the loading of the shoe"
    if burn.payload.reason == "relief" and not (_names_crew(shoe) or burn.within):
        return "the shoe's own record does not say who dealt"
    if burn.payload.reason == "dead-game" and not (shoe.seatings or burn.within):
        return NO_SEATS
    return None


def _names_crew(shoe: Shoe) -> bool:
    return bool(shoe.crew_changes or (shoe.loaded and shoe.loaded.payload.crew))


# -- Burns that make the count wrong ---------------------------------------------------------------

Difference = tuple[int, Sequence[RecordedEvent]]
"""How many cards were burned too many, negative if too few, and the events that show it."""


def burns_behind_count(shoe: Shoe, more: int) -> list[RecordedEvent]:
    """Return the wrong burns that explain a wrong card count.

    They are all wrong burns together, or a single one. The result is empty if their number differs.

    Args:
        shoe: the shoe.
        more: how many cards were counted too many; negative if too few.
    """
    wrong = [each for each in _wrong_burns(shoe) if each[0]]
    if sum(cards for cards, _ in wrong) != more:
        wrong = [each for each in wrong if each[0] == more][:1]
    return [event for _, events in wrong for event in events]


def _wrong_burns(shoe: Shoe) -> Iterator[Difference]:
    """Yield the differences of the opening burn, of the others, and of each card without cause."""
    opening = opening_burn_events(shoe)
    due = burn_due(shoe)
    if due is not None:
        # without its first card the number is unknown, and at least that card is missing
        cards = len(opening) + 1 if due.cards is None else due.cards
        yield len(opening) - cards, opening or shoe.left[:1]
    burns = shoe.pack.burn if shoe.pack is not None else None
    said = {} if burns is None else {"relief": burns.relief, "dead-game": burns.dead_game}
    for why in _WHYS:
        if (asked := said.get(why)) is not None:
            for occasion in burn_occasions(shoe, why):
                seen = cards_burned_on(shoe, occasion)
                if occasion.until is not None:
                    yield len(seen) - asked, (occasion.until, *seen)
    cards_later = list(cards_burned_after_opening(shoe)) if any_burned(shoe) else []
    quiet = unrequested_burns(shoe, cards_later)
    yield from ((1, [burn.event]) for burn in cards_later if burn.nth in quiet)


def opening_burn_events(shoe: Shoe) -> list[RecordedEvent[CardBurned]]:
    """Return the cards burned before the first coup."""
    return [
        event
        for event in shoe.burned
        if event.payload.reason == "opening" and event.position not in shoe.burned_off_hands
    ]
