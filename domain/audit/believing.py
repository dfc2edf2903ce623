"""Which irregularities on record excuse what was done: those that hold, and ask for it.

An irregularity is believed for what was ruled on it and for nothing else; where the record does
not refute it (`domain.audit.refuting`); where somebody ruled, if the record says who rules; and
where it was noted in time. A record that names neither crew nor any who ruled does not lack a name.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Final

from msgspec import Struct

from domain.audit.refuting import refuted, refuting_in_doubt
from domain.audit.rule import CoupView
from domain.audit.timing import doubt
from domain.coup import Coup
from domain.event import Event
from domain.facts import (
    CardDrawn,
    CoupOpened,
    CoupVoided,
    CrewChanged,
    Irregularity,
    IrregularityNoted,
    ShoeLoaded,
)
from domain.shoe import Shoe

NONE_NOTED: Final = "no irregularity was noted"

Asks = Callable[[IrregularityNoted], bool]


class Belief(Struct, frozen=True):
    """What the irregularities of a coup come to, as an excuse for one thing that was done.

    ``excuses`` are those that excuse it; ``others`` those that do not, each with the reason;
    ``doubts`` say of which of them nobody knows.
    """

    excuses: tuple[Event, ...] = ()
    others: tuple[tuple[Event, str], ...] = ()
    doubts: tuple[str, ...] = ()

    @property
    def said(self) -> str:
        """Why nothing that was noted excuses it, in words."""
        return ", ".join(dict.fromkeys(reason for _, reason in self.others)) or NONE_NOTED

    @property
    def shown(self) -> tuple[Event, ...]:
        """The irregularities that excuse nothing."""
        return tuple(event for event, _ in self.others)


def believed(
    view: CoupView,
    asks: Asks,
    until: Event | None,
    by: str | None = None,
    kinds: Collection[Irregularity] | None = None,
) -> Belief:
    """Return which irregularities of a coup excuse something that was done in it.

    Args:
        view: the coup.
        asks: tells whether what was ruled on one asks for it, or lets it be.
        until: the fact before which one has to be noted; None: no such fact has come.
        by: who answers for what was done, where the record says so beside the irregularity.
        kinds: the irregularities that it may be, where the record shows by itself that there was
            one; None: any.
    """
    excuses: list[Event] = []
    others: list[tuple[Event, str]] = []
    doubts: list[str] = []
    for event, fact in noted_in(view):
        if kinds is not None and fact.kind not in kinds:
            continue
        reason, unsure = None if asks(fact) else ruled_otherwise(fact), None
        if reason is None and kinds is not None:
            reason = unnamed(view.shoe, event, by)
        elif reason is None:
            reason = against(view.shoe, view.coup, event, by)
            unsure = refuting_in_doubt(view.shoe, view.coup, event) if reason else None
        if reason is None and unsure is None and until is not None:
            unsure = doubt(view.shoe, event, until)
            late = came_late(view, event, until)
            reason = f"{fact.kind} was noted too late" if late else None
        if unsure is not None:
            doubts.append(unsure)
        elif reason is not None:
            others.append((event, reason))
        else:
            excuses.append(event)
    return Belief(tuple(excuses), tuple(others), tuple(doubts))


def came_late(view: CoupView, event: Event, until: Event | None) -> bool:
    """Tell whether an irregularity was surely noted behind the fact before which it had to be."""
    if until is None or view.shoe.scope == "coups" or event.version < until.version:
        return False
    return doubt(view.shoe, event, until) is None


def noted_in(view: CoupView) -> Iterator[tuple[Event, IrregularityNoted]]:
    """Yield the irregularities of a coup."""
    for event in view.coup.irregularities:
        if isinstance(event.fact, IrregularityNoted):
            yield event, event.fact


def ruled_otherwise(fact: IrregularityNoted) -> str:
    """Say what was ruled, where that asks for nothing of the kind."""
    if fact.ruling == "none":
        return f"nothing was ruled on {fact.kind}"
    return f"{fact.kind} was ruled {fact.ruling}"


def against(shoe: Shoe, coup: Coup | None, event: Event, by: str | None = None) -> str | None:
    """Say what the record holds against an irregularity; None where it holds nothing.

    Args:
        shoe: the shoe.
        coup: the coup in which it was noted; None: in none.
        event: the fact that it was noted.
        by: who answers for what was done, where the record says so beside the irregularity.
    """
    fact = event.fact
    if not isinstance(fact, IrregularityNoted):
        return None
    untrue = refuted(shoe, coup, event) if coup is not None else None
    if untrue is not None:
        return f"{fact.kind} was noted, though {untrue}"
    return unnamed(shoe, event, by)


def unnamed(shoe: Shoe, event: Event, by: str | None = None) -> str | None:
    """Say that nobody is named who ruled on an irregularity, where the record names who rules."""
    fact = event.fact
    if not isinstance(fact, IrregularityNoted) or (fact.by or by) is not None:
        return None
    if fact.kind == "too-few-cards":
        # the shoe is empty, and the rules of the game void the coup: nobody has to rule on it
        return None
    return f"nobody is named who ruled on {fact.kind}" if names_rulers(shoe, event) else None


def names_rulers(shoe: Shoe, until: Event) -> bool:
    """Tell whether the record had said by then who rules: it named crew, or who ruled before.

    Later facts say nothing of an earlier ruling, so that who follows a shoe finds what an audit of
    it does.
    """
    named = (shoe.loaded, *shoe.crew_changes, *shoe.irregularities)
    voids = (coup.voided for coup in shoe.coups.values())
    return any(
        event is not None and event.version < until.version and _names(event)
        for event in (*named, *voids)
    )


def _names(event: Event) -> bool:
    match event.fact:
        case ShoeLoaded(crew=crew):
            return bool(crew)
        case CrewChanged(person=person):
            return person is not None
        case IrregularityNoted(by=by) | CoupVoided(by=by):
            return by is not None
        case _:
            return False


def next_begins(shoe: Shoe, coup: Coup) -> Event | None:
    """Return the fact with which the next coup began, be it opened or dealt without a word."""
    since = coup.events[0].version if coup.events else 0
    begun = (
        next((e for e in other.events if isinstance(e.fact, CoupOpened | CardDrawn)), None)
        for other in shoe.coups.values()
        if other is not coup
    )
    later = (event for event in begun if event is not None and event.version > since)
    return min(later, key=lambda event: event.version, default=None)
