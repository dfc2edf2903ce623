"""Decide which recorded irregularities excuse an act that the rules forbid.

An irregularity excuses only the act that its ruling calls for. Three conditions apply:

- The record does not contradict the irregularity.
- A person is named for the ruling, if the record names crew or earlier rulings at all. The person
  is not a patron: somebody who plays at the table rules on nothing.
- The irregularity was noted in time.

The record contradicts a wrong draw if every card was drawn correctly, a late bet if no bet was
late, and too few cards if the shoe had enough. Some irregularities leave no trace on record: an
exposed card, a misdeal, a shuffler failure. The record cannot contradict these.
"""

from collections.abc import Callable, Collection, Iterator
from functools import partial
from itertools import chain
from typing import Final

from msgspec import Struct

from sabot.domain.audit.completeness import game_of_record, starts_before_record
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    CardReassigned,
    CoupClosed,
    CoupOpened,
    CoupVoided,
    CrewChanged,
    Irregularity,
    IrregularityNoted,
    ResultCalled,
    Ruling,
    ShoeLoaded,
)
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import hand_due
from sabot.domain.procedure.preconditions.ruling_requirements import is_permitted_ruling
from sabot.domain.rules.labels import irregularity_label, ruling_label
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import crew_at
from sabot.domain.timeline.evidence import (
    Unknown,
    answer_or_reason,
    before,
    in_sequence,
    settle,
    surely,
)
from sabot.domain.values.cards import Card
from sabot.domain.values.names import plain_name

NONE_NOTED: Final = "no irregularity was noted"

Asks = Callable[[IrregularityNoted], bool]


class Justification(Struct, frozen=True):
    """The irregularities of a coup that excuse one act.

    ``excuses`` are those that excuse it. ``others`` are those that do not, each with the reason.
    """

    excuses: tuple[RecordedEvent, ...] = ()
    others: tuple[tuple[RecordedEvent, str], ...] = ()

    @property
    def objection(self) -> str:
        """The reasons why no irregularity excuses the act, as text."""
        return ", ".join(dict.fromkeys(reason for _, reason in self.others)) or NONE_NOTED

    @property
    def unfit_irregularities(self) -> tuple[RecordedEvent, ...]:
        """The irregularities that do not excuse the act."""
        return tuple(event for event, _ in self.others)


def excuse(  # noqa: PLR0913 - four of them by name
    view: CoupView,
    asks: Asks,
    until: RecordedEvent | None,
    *,
    by: str | None = None,
    kinds: Collection[Irregularity] | None = None,
    wanted: int = 1,
) -> Justification:
    """Return the irregularities of a coup that excuse an act.

    Args:
        view: the coup.
        asks: returns whether the ruling on an irregularity calls for the act or permits it.
        until: the event before which the irregularity must be noted; None where there is none yet.
        by: the person responsible for the act, if another event than the irregularity names one.
        kinds: the kinds that can excuse the act, where the record itself shows that one occurred;
            None for any kind.
        wanted: the number of irregularities required.

    Raises:
        Unknown: too few irregularities certainly excuse the act, but enough others may.
    """
    judged = list(_judged(view, asks, until, by, kinds))
    excuses = tuple(event for event, answer in judged if answer is None)
    unknown = [answer for _, answer in judged if isinstance(answer, Unknown)]
    if len(excuses) < wanted <= len(excuses) + len(unknown):
        raise unknown[0]
    others = tuple((event, answer) for event, answer in judged if isinstance(answer, str))
    return Justification(excuses, others)


def _judged(
    view: CoupView,
    asks: Asks,
    until: RecordedEvent | None,
    by: str | None,
    kinds: Collection[Irregularity] | None,
) -> Iterator[tuple[RecordedEvent[IrregularityNoted], str | Unknown | None]]:
    """Yield each irregularity with the reason why it does not excuse the act.

    The reason is None if it excuses the act, and an `Unknown` if that is not known.
    """
    for event in view.coup.irregularities:
        payload = event.payload
        if kinds is not None and payload.kind not in kinds:
            continue
        if not asks(payload):
            yield event, ruled_otherwise(payload)
            continue
        try:
            yield event, _refuses(view, event, until, by, true=kinds is not None)
        except Unknown as unknown:
            yield event, unknown


def _refuses(
    view: CoupView,
    event: RecordedEvent[IrregularityNoted],
    until: RecordedEvent | None,
    by: str | None,
    *,
    true: bool,
) -> str | None:
    """Return why an irregularity cannot excuse any act. None if it may.

    The ruling is not considered.

    Raises:
        Unknown: the record does not show whether the irregularity occurred, or whether it was noted
            in time.
    """
    if true:
        reason = objection_to_unnamed(view.shoe, event, by)
    else:
        reason = objection_to(view.shoe, view.coup, event, by)
        if reason is not None:
            settle_refutation(view.shoe, view.coup, event)
    if reason is None and not noted_in_time(view, event, until):
        return f"{irregularity_label(event.payload.kind)} was noted too late"
    return reason


_PUTS_RIGHT: Final[tuple[Ruling, ...]] = (
    "void", "return-bets", "no-bet-hand", "burn-card", "restore-card", "card-to-banker", "other",
)  # fmt: skip
"""Rulings that undo what went wrong. The others let it stand."""


def puts_right(view: CoupView, event: RecordedEvent[IrregularityNoted]) -> bool:
    """Return whether somebody ruled in time that an irregularity is put right, and was allowed to.

    Whether that was done is not considered.
    """
    shoe, coup = view.shoe, view.coup
    if event.payload.ruling not in _PUTS_RIGHT or surely_against(shoe, coup, event) is not None:
        return False
    if shoe.pack is not None and not is_permitted_ruling(shoe.pack, event.payload):
        return False
    return surely(partial(noted_in_time, view, event, next_begins(shoe, coup)))


def ruled_on_since(view: CoupView, kind: Irregularity, wrong: RecordedEvent) -> bool:
    """Return whether somebody ruled that an irregularity noted after an event is put right.

    The irregularity has the given kind, or the kind ``other``. False while the coup is open.
    """
    return not view.open and any(
        event.payload.kind in (kind, "other")
        and event.position > wrong.position
        and puts_right(view, event)
        for event in view.coup.irregularities
    )


def noted_in_time(
    view: CoupView,
    event: RecordedEvent,
    until: RecordedEvent | None,
    since: RecordedEvent | None = None,
) -> bool:
    """Return whether an irregularity was noted in time.

    It must be noted before the event ``until`` and after the event ``since``, if there are any.
    True for a record that holds only coups, since it does not give the order of such notes.

    Raises:
        Unknown: the order of the events is not known.
    """
    if view.shoe.coverage == "coups":
        return True
    in_time = until is None or before(view, event, until)
    return in_time and (since is None or before(view, since, event))


def ruled_so(coup: Coup, ruling: Ruling) -> list[RecordedEvent[IrregularityNoted]]:
    """Return the irregularities of a coup that have this ruling."""
    return [event for event in coup.irregularities if event.payload.ruling == ruling]


def ruled_so_by_house(
    shoe: Shoe, coup: Coup, ruling: Ruling
) -> list[RecordedEvent[IrregularityNoted]]:
    """Return the irregularities of a coup that have this ruling, without those of patrons."""
    return [
        each
        for each in ruled_so(coup, ruling)
        if each.payload.by is None or acts_for_house(shoe, each.payload.by, each)
    ]


def ruled_otherwise(payload: IrregularityNoted) -> str:
    """Return text for a ruling that calls for something other than the act."""
    what = irregularity_label(payload.kind)
    if payload.ruling == "none":
        return f"nobody ruled on {what}"
    return f"the ruling on {what} was: {ruling_label(payload.ruling)}"


def objection_to(
    shoe: Shoe, coup: Coup | None, event: RecordedEvent[IrregularityNoted], by: str | None = None
) -> str | None:
    """Return the record's objection to an irregularity. None where it has none.

    Args:
        shoe: the shoe.
        coup: the coup in which it was noted; None for an irregularity of no coup.
        event: the event that noted it.
        by: the person responsible for the act, if another event than the irregularity names one.
    """
    payload = event.payload
    untrue = contradicted_by_record(shoe, coup, event) if coup is not None else None
    if untrue is not None:
        return f"{irregularity_label(payload.kind)} was noted, though {untrue}"
    return objection_to_unnamed(shoe, event, by)


def surely_against(
    shoe: Shoe, coup: Coup | None, event: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Return a certain objection to an irregularity, or None.

    None also if the order of events leaves the objection uncertain. See `objection_to`.
    """
    if coup is not None and refuting_in_doubt(shoe, coup, event) is not None:
        return None
    return objection_to(shoe, coup, event)


def objection_to_unnamed(
    shoe: Shoe, event: RecordedEvent[IrregularityNoted], by: str | None = None
) -> str | None:
    """Return an objection to a ruling that names no person, or only patrons.

    A ruling that names nobody is accepted in a record that never names anybody who rules.
    """
    payload = event.payload
    if payload.kind == "too-few-cards":
        # the shoe is empty, and the rules of the game void the coup: no ruling is needed
        return None
    what = irregularity_label(payload.kind)
    named = [who for who in (payload.by, by) if who is not None]
    if named:
        of_house = any(acts_for_house(shoe, who, event) for who in named)
        return None if of_house else f"{named[0]}, who plays, ruled on {what}"
    return f"no person is named who ruled on {what}" if names_rulers(shoe, event) else None


def acts_for_house(shoe: Shoe, person: str, event: RecordedEvent) -> bool:
    """Return whether a person may rule for the house at an event.

    A person who sat, bet or banked before the event may not, unless the person held a post at the
    table. A person who only held the shoe may, because this can be its dealer.
    """
    name = plain_name(person)
    if name in map(plain_name, (*shoe.staff, *crew_at(shoe, event).values())):
        return True
    bets = (bet for coup in shoe.coups.values() for bet in coup.bets.values())
    played = chain(
        ((sat, who) for sat, _, who in shoe.seatings),
        ((bet.placed, bet.patron) for bet in bets),
        ((bank.posted, bank.holder) for bank in shoe.banks),
    )
    return not any(
        plain_name(who) == name and each.position < event.position for each, who in played
    )


def names_rulers(shoe: Shoe, until: RecordedEvent) -> bool:
    """Return whether persons who could rule were on record.

    These are the crew, or the authors of rulings and voids, named before the event. Later events
    are ignored, so that a live audit gives the same answer as an audit of the whole shoe.
    """
    named = (shoe.loaded, *shoe.crew_changes, *shoe.irregularities)
    voids = (coup.voided for coup in shoe.coups.values())
    return any(
        event is not None and event.position < until.position and _names(event)
        for event in (*named, *voids)
    )


def _names(event: RecordedEvent) -> bool:
    match event.payload:
        case ShoeLoaded(crew=crew):
            return bool(crew)
        case CrewChanged(person=person):
            return person is not None
        case IrregularityNoted(by=by) | CoupVoided(by=by):
            return by is not None
        case _:
            return False


def next_begins(shoe: Shoe, coup: Coup) -> RecordedEvent | None:
    """Return the next coup's opening or first card."""
    since = coup.events[0].position if coup.events else 0
    begun = (
        next(iter(events_of((CoupOpened, CardDrawn), other.events)), None)
        for other in shoe.coups.values()
        if other.number != coup.number
    )
    later = (event for event in begun if event is not None and event.position > since)
    return min(later, key=lambda event: event.position, default=None)


_PLAIN: Final = "punto-banco"
"""The game in which the cards alone decide each draw, and every stake is a bet."""
_WHOLE_COUP: Final = 6
"""The most cards that a coup of punto banco takes."""
_MATTER: Final = (CardDrawn, CardBurned, CardReassigned, ResultCalled, CoupClosed, CoupVoided)


def contradicted_by_record(
    shoe: Shoe, coup: Coup, noted: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Return how the record contradicts an irregularity of a coup. None if it does not."""
    payload = noted.payload
    if not _is_whole(shoe, coup):
        return None
    if payload.kind == "wrong-draw" and drawn_rightly(shoe, coup):
        return "every card was drawn correctly"
    if payload.kind == "too-few-cards" and _had_enough(shoe, coup, noted):
        return "the shoe had enough cards"
    if payload.kind == "late-bet" and _none_was_late(coup, noted):
        return "no bet was placed, changed or withdrawn after the close of bets"
    return None


def settle_refutation(shoe: Shoe, coup: Coup, noted: RecordedEvent[IrregularityNoted]) -> None:
    """Check that it is known whether the record contradicts an irregularity.

    Raises:
        Unknown: that depends on an order of events that is not known.
    """
    payload = noted.payload
    if shoe.order is None:
        return
    if payload.kind == "wrong-draw":
        in_sequence(shoe, _events_about_cards(coup))
    elif payload.kind == "too-few-cards":
        settle(shoe, (noted,), coup.cards)
    elif payload.kind == "late-bet" and coup.no_more_bets is not None:
        settle(shoe, (coup.no_more_bets, noted), _staking_events(coup, noted))


def refuting_in_doubt(
    shoe: Shoe, coup: Coup, noted: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Return why it is unknown whether the record contradicts an irregularity.

    None where the order of the events that decide this is known.
    """
    unknown = answer_or_reason(partial(settle_refutation, shoe, coup, noted))
    return None if unknown is None else unknown.text


def _is_whole(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a punto banco coup is completely on record."""
    return (
        shoe.coverage == "whole"
        and not starts_before_record(shoe, coup)
        and game_of_record(shoe) == _PLAIN
    )


# -- Wrong draws -----------------------------------------------------------------------------------


def _events_about_cards(coup: Coup) -> list[RecordedEvent]:
    """Return the events that determine which cards a coup has at each draw."""
    return [event for event in coup.events if isinstance(event.payload, _MATTER)]


def drawn_rightly(shoe: Shoe, coup: Coup) -> bool:
    """Return whether every card of a coup was drawn as due, and none was left out.

    A burned card counts until it is burned. The check ends at a card that a ruling moved to the
    other hand, and at a void. If a card was burned without being drawn, it may be the wrong card,
    and the answer is False.
    """
    if _burned_undrawn(shoe, coup):
        return False
    off = {burned.position: drawn.position for drawn, burned in coup.removed_cards}
    hands: dict[str, dict[int, Card]] = {"player": {}, "banker": {}}
    for event in _events_about_cards(coup):
        match event.payload:
            case CardReassigned() | CoupVoided():
                break
            case CardDrawn(hand=hand, card=card):
                if hand != _due(hands):
                    return False
                hands[hand][event.position] = card
            case CardBurned():
                for lying in hands.values():
                    lying.pop(off.get(event.position, 0), None)
            case _ if _due(hands) is not None:
                return False
    return True


def _due(hands: dict[str, dict[int, Card]]) -> str | None:
    return hand_due(list(hands["player"].values()), list(hands["banker"].values()))


def _burned_undrawn(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a card of the coup was burned without having been drawn."""
    first, last = coup.events[0].position, (coup.closed or coup.voided or coup.events[-1]).position
    return any(
        event.position not in shoe.burned_off_hands
        and (first < event.position < last or event.payload.coup == coup.number)
        for event in shoe.burned
    )


# -- Too few cards ---------------------------------------------------------------------------------


def _had_enough(shoe: Shoe, coup: Coup, noted: RecordedEvent) -> bool:
    """Return whether enough cards were left for a whole coup.

    The coup had all its cards, or the shoe held as many as a coup can take.
    """
    if len(coup.cards) >= _WHOLE_COUP - 2 and hand_due(coup.player, coup.banker) is None:
        return True
    if shoe.pack is None or shoe.pack.endless or shoe.loaded is None or not shoe.size:
        return False
    behind = sum(1 for event in shoe.left if event.position > noted.position)
    left = shoe.size - len(shoe.left) + behind
    ended = shoe.ended.payload if shoe.ended is not None else None
    if ended is not None and ended.left is not None:
        left = ended.left + behind
    return left >= _WHOLE_COUP


# -- Late bets -------------------------------------------------------------------------------------


def _staking_events(coup: Coup, noted: RecordedEvent) -> list[RecordedEvent]:
    """Return the events that set the stakes of a coup before a late bet was noted.

    If the coup was voided, only events before the void count.
    """
    until = min(each.position for each in (noted, coup.voided) if each is not None)
    bets = coup.bets.values()
    payloads = (event for bet in bets for event in (bet.placed, *bet.changes))
    return [event for event in payloads if event.position < until]


def _none_was_late(coup: Coup, noted: RecordedEvent) -> bool:
    """Return whether no stake was placed or changed after the close of bets.

    Only stakes before the note of the late bet, and before a void, are compared. The answer is
    False if there are none, or if no close of bets is on record.
    """
    closed, staked = coup.bets_closed, _staking_events(coup, noted)
    return closed is not None and bool(staked) and all(e.position < closed for e in staked)
