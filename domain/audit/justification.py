"""Which irregularities on record excuse what was done: those that hold, and ask for it.

An irregularity is believed for what was ruled on it and for nothing else; where the record does not
refute it (`sabot.domain.audit.justification`); where somebody ruled, if the record says who rules;
and where it was noted in time. A record that names neither crew nor any who ruled does not lack a
name.

What the record itself refutes of an irregularity: there was nothing of the kind.

Who notes a wrong draw where every card was due, a late bet where none came late, or too few cards
with cards enough in the shoe, has made up a reason. What went wrong and left no trace on record,
an exposed card, a misdeal, a machine that jams, nobody can refute.
"""

from collections.abc import Callable, Collection, Iterator
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
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import hand_due
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Unknown, before, in_sequence, settle
from sabot.domain.values.cards import Card

NONE_NOTED: Final = "no irregularity was noted"

Asks = Callable[[IrregularityNoted], bool]


class Justification(Struct, frozen=True):
    """What the irregularities of a coup come to, as an excuse for one thing that was done.

    ``excuses`` are those that excuse it; ``others`` those that do not, each with the reason.
    """

    excuses: tuple[RecordedEvent, ...] = ()
    others: tuple[tuple[RecordedEvent, str], ...] = ()

    @property
    def objection(self) -> str:
        """Why nothing that was noted excuses it, in words."""
        return ", ".join(dict.fromkeys(reason for _, reason in self.others)) or NONE_NOTED

    @property
    def unfit_irregularities(self) -> tuple[RecordedEvent, ...]:
        """The irregularities that excuse nothing."""
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
    """Return which irregularities of a coup excuse something that was done in it.

    Args:
        view: the coup.
        asks: tells whether what was ruled on one asks for it, or lets it be.
        until: the event before which one has to be noted; None: no such event has come.
        by: who answers for what was done, where the record says so beside the irregularity.
        kinds: the irregularities that it may be, where the record shows by itself that there was
            one; None: any.
        wanted: how many it takes.

    Raises:
        Unknown: fewer surely excuse it than are wanted, and of enough others nobody knows.
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
    """Yield each irregularity with why it excuses nothing, or why nobody knows; None: it does."""
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
    """Say why an irregularity excuses nothing, whatever was ruled; None where it may.

    Raises:
        Unknown: nobody knows whether there was one, or whether it was noted in time.
    """
    if true:
        reason = objection_to_unnamed(view.shoe, event, by)
    else:
        reason = objection_to(view.shoe, view.coup, event, by)
        if reason is not None:
            settle_refutation(view.shoe, view.coup, event)
    if reason is None and not noted_in_time(view, event, until):
        return f"{event.payload.kind} was noted too late"
    return reason


def noted_in_time(view: CoupView, event: RecordedEvent, until: RecordedEvent | None) -> bool:
    """Tell whether an irregularity was noted before the event before which it had to be.

    A record of coups alone does not give the order of what is noted: there it was.

    Raises:
        Unknown: nobody knows which of the two came first.
    """
    return until is None or view.shoe.coverage == "coups" or before(view, event, until)


def ruled_so(coup: Coup, ruling: Ruling) -> list[RecordedEvent[IrregularityNoted]]:
    """Return the irregularities of a coup that were ruled so."""
    return [event for event in coup.irregularities if event.payload.ruling == ruling]


def ruled_otherwise(payload: IrregularityNoted) -> str:
    """Say what was ruled, where that asks for nothing of the kind."""
    if payload.ruling == "none":
        return f"nothing was ruled on {payload.kind}"
    return f"{payload.kind} was ruled {payload.ruling}"


def objection_to(
    shoe: Shoe, coup: Coup | None, event: RecordedEvent[IrregularityNoted], by: str | None = None
) -> str | None:
    """Say what the record holds against an irregularity; None where it holds nothing.

    Args:
        shoe: the shoe.
        coup: the coup in which it was noted; None: in none.
        event: the event that it was noted.
        by: who answers for what was done, where the record says so beside the irregularity.
    """
    payload = event.payload
    untrue = contradicted_by_record(shoe, coup, event) if coup is not None else None
    if untrue is not None:
        return f"{payload.kind} was noted, though {untrue}"
    return objection_to_unnamed(shoe, event, by)


def surely_against(
    shoe: Shoe, coup: Coup | None, event: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Return what `objection_to` does; None where nobody knows whether the record refutes it."""
    if coup is not None and refuting_in_doubt(shoe, coup, event) is not None:
        return None
    return objection_to(shoe, coup, event)


def objection_to_unnamed(
    shoe: Shoe, event: RecordedEvent[IrregularityNoted], by: str | None = None
) -> str | None:
    """Say that nobody is named who ruled on an irregularity, where the record names who rules."""
    payload = event.payload
    if (payload.by or by) is not None:
        return None
    if payload.kind == "too-few-cards":
        # the shoe is empty, and the rules of the game void the coup: nobody has to rule on it
        return None
    return f"nobody is named who ruled on {payload.kind}" if names_rulers(shoe, event) else None


def names_rulers(shoe: Shoe, until: RecordedEvent) -> bool:
    """Tell whether the record had said by then who rules: it named crew, or who ruled before.

    Later events say nothing of an earlier ruling, so that who follows a shoe finds what an audit of
    it does.
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
    """Return the event with which the next coup began, be it opened or dealt without a word."""
    since = coup.events[0].position if coup.events else 0
    begun = (
        next((e for e in other.events if isinstance(e.payload, CoupOpened | CardDrawn)), None)
        for other in shoe.coups.values()
        if other.number != coup.number
    )
    later = (event for event in begun if event is not None and event.position > since)
    return min(later, key=lambda event: event.position, default=None)


_PLAIN: Final = "punto-banco"
"""The game in which each card is due or not, and every stake is a bet."""
_WHOLE_COUP: Final = 6
"""The most cards that its coup takes."""
_MATTER: Final = (CardDrawn, CardBurned, CardReassigned, ResultCalled, CoupClosed, CoupVoided)


def contradicted_by_record(
    shoe: Shoe, coup: Coup, noted: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Say what the record holds against an irregularity of a coup; None where it holds nothing."""
    payload = noted.payload
    if not _is_whole(shoe, coup):
        return None
    if payload.kind == "wrong-draw" and drawn_rightly(shoe, coup):
        return "every card was drawn as it was due"
    if payload.kind == "too-few-cards" and _had_enough(shoe, coup, noted):
        return "there were cards enough in the shoe"
    if payload.kind == "late-bet" and _none_was_late(coup, noted):
        return "no bet was placed, changed or withdrawn behind the close of bets"
    return None


def settle_refutation(shoe: Shoe, coup: Coup, noted: RecordedEvent[IrregularityNoted]) -> None:
    """Make sure that it is known whether the record refutes an irregularity.

    Raises:
        Unknown: it is not, since the order of events is unknown by which it would.
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
    """Say why nobody knows whether the record refutes an irregularity: the order is not known."""
    try:
        settle_refutation(shoe, coup, noted)
    except Unknown as unknown:
        return unknown.reason.text
    return None


def _is_whole(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record has all of the coup, in a game where it can refute anything."""
    return (
        shoe.coverage == "whole"
        and not starts_before_record(shoe, coup)
        and game_of_record(shoe) == _PLAIN
    )


# -- Wrong draws ----------------------------------------------------------------------------------


def _events_about_cards(coup: Coup) -> list[RecordedEvent]:
    """Return the events of a coup that say which cards lay there when one was drawn."""
    return [event for event in coup.events if isinstance(event.payload, _MATTER)]


def drawn_rightly(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether each card was due to its hand when it was drawn, and none was left out.

    A card that was burned lies there until then. One that a ruling gave to the other hand, or a
    void coup, ends what can be said; a card that was burned and never drawn may be the wrong one.
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
    """Tell whether a card was burned while the coup was dealt, or named for it, and never drawn."""
    first, last = coup.events[0].position, (coup.closed or coup.voided or coup.events[-1]).position
    off = {burned.position for _, burned in coup.removed_cards}
    return any(
        event.position not in off
        and (first < event.position < last or event.payload.coup == coup.number)
        for event in shoe.burned
    )


# -- Too few cards --------------------------------------------------------------------------------


def _had_enough(shoe: Shoe, coup: Coup, noted: RecordedEvent) -> bool:
    """Tell whether the coup lacked no card: it had all, or as many as it could take were there."""
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


# -- Late bets ------------------------------------------------------------------------------------


def _staking_events(coup: Coup, noted: RecordedEvent) -> list[RecordedEvent]:
    """Return how the stakes came to lie there, until the late bet was noted or the coup void."""
    until = min(each.position for each in (noted, coup.voided) if each is not None)
    bets = coup.bets.values()
    payloads = (event for bet in bets for event in (bet.placed, *bet.changes))
    return [event for event in payloads if event.position < until]


def _none_was_late(coup: Coup, noted: RecordedEvent) -> bool:
    """Tell whether every stake of the coup was made while the bets were open."""
    closed, staked = coup.bets_closed, _staking_events(coup, noted)
    return closed is not None and bool(staked) and all(e.position < closed for e in staked)
