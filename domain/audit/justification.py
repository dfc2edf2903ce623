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

from sabot.domain.audit.completeness import game_of_record
from sabot.domain.audit.rule import CoupView, starts_before_record
from sabot.domain.audit.table_order import doubt, doubt_among, doubt_in_row
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
    ShoeLoaded,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.common import hand_due
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, Unknown
from sabot.domain.values.cards import Card

NONE_NOTED: Final = "no irregularity was noted"

Asks = Callable[[IrregularityNoted], bool]


class Justification(Struct, frozen=True):
    """What the irregularities of a coup come to, as an excuse for one thing that was done.

    ``excuses`` are those that excuse it; ``others`` those that do not, each with the reason;
    ``doubts`` say of which of them nobody knows.
    """

    excuses: tuple[RecordedEvent, ...] = ()
    others: tuple[tuple[RecordedEvent, str], ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Why nothing that was noted excuses it, in words."""
        return ", ".join(dict.fromkeys(reason for _, reason in self.others)) or NONE_NOTED

    @property
    def shown(self) -> tuple[RecordedEvent, ...]:
        """The irregularities that excuse nothing."""
        return tuple(event for event, _ in self.others)


def justified_by(
    view: CoupView,
    asks: Asks,
    until: RecordedEvent | None,
    by: str | None = None,
    kinds: Collection[Irregularity] | None = None,
) -> Justification:
    """Return which irregularities of a coup excuse something that was done in it.

    Args:
        view: the coup.
        asks: tells whether what was ruled on one asks for it, or lets it be.
        until: the event before which one has to be noted; None: no such event has come.
        by: who answers for what was done, where the record says so beside the irregularity.
        kinds: the irregularities that it may be, where the record shows by itself that there was
            one; None: any.
    """
    excuses: list[RecordedEvent] = []
    others: list[tuple[RecordedEvent, str]] = []
    doubts: list[str] = []
    for event, payload in noted_in(view):
        if kinds is not None and payload.kind not in kinds:
            continue
        reason, unsure = None if asks(payload) else ruled_otherwise(payload), None
        if reason is None and kinds is not None:
            reason = unnamed(view.shoe, event, by)
        elif reason is None:
            reason = against(view.shoe, view.coup, event, by)
            unsure = refuting_in_doubt(view.shoe, view.coup, event) if reason else None
        if reason is None and unsure is None and until is not None:
            unsure = doubt(view.shoe, event, until)
            late = came_late(view, event, until)
            reason = f"{payload.kind} was noted too late" if late else None
        if unsure is not None:
            doubts.append(unsure)
        elif reason is not None:
            others.append((event, reason))
        else:
            excuses.append(event)
    return Justification(tuple(excuses), tuple(others), tuple(doubts))


def excuse(
    view: CoupView,
    asks: Asks,
    until: RecordedEvent | None,
    kinds: Collection[Irregularity] | None = None,
) -> Justification:
    """Return what `justified_by` returns, where it is known.

    Raises:
        Unknown: no irregularity surely excuses it, and of one of them nobody knows.
    """
    judged = justified_by(view, asks, until, kinds=kinds)
    if judged.doubts and not judged.excuses:
        raise Unknown(Reason("order-unknown", judged.doubts[0]))
    return judged


def came_late(view: CoupView, event: RecordedEvent, until: RecordedEvent | None) -> bool:
    """Tell whether an irregularity was surely noted behind the event before which it had to be."""
    if until is None or view.shoe.scope == "coups" or event.position < until.position:
        return False
    return doubt(view.shoe, event, until) is None


def noted_in(
    view: CoupView,
) -> Iterator[tuple[RecordedEvent[IrregularityNoted], IrregularityNoted]]:
    """Yield the irregularities of a coup."""
    for event in view.coup.irregularities:
        yield event, event.payload


def ruled_otherwise(payload: IrregularityNoted) -> str:
    """Say what was ruled, where that asks for nothing of the kind."""
    if payload.ruling == "none":
        return f"nothing was ruled on {payload.kind}"
    return f"{payload.kind} was ruled {payload.ruling}"


def against(
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
    return unnamed(shoe, event, by)


def surely_against(
    shoe: Shoe, coup: Coup | None, event: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Return what `against` does, but None where nobody knows whether the record refutes it."""
    if coup is not None and refuting_in_doubt(shoe, coup, event) is not None:
        return None
    return against(shoe, coup, event)


def unnamed(
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


def refuting_in_doubt(
    shoe: Shoe, coup: Coup, noted: RecordedEvent[IrregularityNoted]
) -> str | None:
    """Say why nobody knows whether the record refutes an irregularity: the order is not known."""
    payload = noted.payload
    if shoe.order is None:
        return None
    if payload.kind == "wrong-draw":
        return doubt_in_row(shoe, _matter(coup))
    if payload.kind == "too-few-cards":
        return doubt_among(shoe, (noted,), coup.cards)
    call = coup.no_more_bets
    if payload.kind != "late-bet" or call is None:
        return None
    return doubt_among(shoe, (call, noted), _staking(coup, noted))


def _is_whole(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether the record has all of the coup, in a game where it can refute anything."""
    return (
        shoe.scope == "whole"
        and not starts_before_record(shoe, coup)
        and game_of_record(shoe) == _PLAIN
    )


# -- Wrong draws ----------------------------------------------------------------------------------


def _matter(coup: Coup) -> list[RecordedEvent]:
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
    for event in _matter(coup):
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


def _staking(coup: Coup, noted: RecordedEvent) -> list[RecordedEvent]:
    """Return how the stakes came to lie there, until the late bet was noted or the coup void."""
    until = min(each.position for each in (noted, coup.voided) if each is not None)
    bets = coup.bets.values()
    payloads = (event for bet in bets for event in (bet.placed, *bet.changes))
    return [event for event in payloads if event.position < until]


def _none_was_late(coup: Coup, noted: RecordedEvent) -> bool:
    """Tell whether every stake of the coup was made while the bets were open."""
    closed, staked = coup.bets_closed, _staking(coup, noted)
    return closed is not None and bool(staked) and all(e.position < closed for e in staked)
