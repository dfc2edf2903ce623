"""Tell apart two coups that were recorded under one number.

A coup number may be opened again after its coup is over. Its events then belong to another coup,
and must not be judged with the cards and bets of the first. The state of the shoe is computed again
with a new number for that coup, and higher numbers for the following coups. Findings show the
recorded numbers.
"""

from collections.abc import Collection, Iterable
from typing import Final

import msgspec
from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, apply

_TWO_CARDS: Final = 2
"""One card drawn after the close may be a late card of the coup that was closed."""


def coups_told_apart(shoe: Shoe) -> Shoe:
    """Return the shoe with a number for each coup.

    The same shoe is returned where no number was used twice.
    """
    if not any(_opened_again(coup) for coup in shoe.coups.values()):
        return shoe
    recorded: dict[int, int] = {}
    again = folded_again(shoe, _numbered(_as_told(shoe), recorded))
    again.recorded_numbers = recorded
    return again


def folded_again(shoe: Shoe, events: Iterable[RecordedEvent]) -> Shoe:
    """Compute the state of a shoe again, from other events or with other coup numbers."""
    again = Shoe(shoe.stream)
    again.history, again.order, again.corrections = shoe.history, shoe.order, shoe.corrections
    again.seqs_in_other_streams, again.at_table = shoe.seqs_in_other_streams, shoe.at_table
    again.recorded_numbers = shoe.recorded_numbers
    for event in events:
        apply(again, event)
    return again


def events_of(shoe: Shoe) -> Iterable[RecordedEvent]:
    """Return the events of a shoe in order, each with the assigned number of its coup."""
    return _numbered(_as_told(shoe), {}) if shoe.recorded_numbers else _as_told(shoe)


def _as_told(shoe: Shoe) -> Iterable[RecordedEvent]:
    return apply_corrections(shoe.history) if shoe.order is None else shoe.order.events


def _opened_again(coup: Coup) -> bool:
    return any(type(event.payload) is ev.CoupOpened for event in coup.unmatched_events)


def coups_of(shoe: Shoe, numbers: Collection[int]) -> list[Coup]:
    """Return the coups of a shoe whose recorded numbers are among these, in order."""
    wanted = set(numbers)
    found = (coup for number, coup in shoe.coups.items() if shoe.recorded_number(number) in wanted)
    return sorted(found, key=lambda coup: coup.number)


def coup_with(shoe: Shoe, event: RecordedEvent) -> int | None:
    """Return the coup of an event of the history. None if the event names none."""
    told: int | None = getattr(event.payload, "coup", None)
    if not shoe.recorded_numbers:
        return told
    with_it = (
        coup.number
        for coup in shoe.coups.values()
        if any(each.position == event.position for each in coup.events)
    )
    return next(with_it, told)


def _numbered(events: Iterable[RecordedEvent], recorded: dict[int, int]) -> Iterable[RecordedEvent]:
    """Yield the events, each with the number of its coup.

    The recorded numbers that differ are written into ``recorded``.
    """
    events = list(events)
    reused = _openings_of_another_coup(events)
    numbers: dict[int, int] = {}
    latest = ahead = 0
    for event in events:
        payload = event.payload
        told = getattr(payload, "coup", None)
        if told is None:
            yield event
            continue
        if event.position in reused:
            latest, ahead = latest + 1, ahead + 1
            numbers[told] = latest
        elif told not in numbers:
            if told == latest + 1:
                # the one number was wrong: those behind it are right again
                ahead = 0
            taken = told + ahead in numbers.values()
            numbers[told] = latest + 1 if taken else told + ahead
            latest = max(latest, numbers[told])
        number = numbers[told]
        if number == told:
            yield event
            continue
        recorded[number] = told
        payload = msgspec.structs.replace(payload, coup=number)
        yield msgspec.structs.replace(event, payload=payload)


class _Use(Struct):
    """The events under a coup number since its latest opening.

    ``opening`` is the position of that opening if it came after the coup was over, and 0 for the
    first use. ``ended`` is whether the coup before it was closed or voided. A call of the result
    alone does not count.
    """

    opening: int = 0
    opened: bool = False
    called: bool = False
    closed: bool = False
    ended: bool = False
    cards: int = 0


def _openings_of_another_coup(events: list[RecordedEvent]) -> set[int]:
    """Return the positions of openings that begin a second coup of a number.

    The number's coup was over by then, and two cards follow. If it was closed or voided, a bet or
    the close of bets is enough. An opening that was merely recorded twice begins no coup.
    """
    uses: dict[int, _Use] = {}
    found: set[int] = set()
    for event in events:
        payload = event.payload
        use = uses.setdefault(getattr(payload, "coup", None) or 0, _Use())
        match payload:
            case ev.CoupOpened(coup=number) if use.opened and (use.called or use.closed):
                use = uses[number] = _Use(event.position, opened=True, ended=use.closed)
            case ev.CoupOpened():
                use.opened = True
            case ev.ResultCalled():
                use.called = True
            case ev.CoupClosed() | ev.CoupVoided():
                use.closed = True
            case ev.CardDrawn():
                use.cards += 1
            case _:
                pass
        staked = isinstance(payload, (ev.BetPlaced, ev.BetCarried, ev.NoMoreBets)) and use.ended
        if use.opening and (staked or use.cards >= _TWO_CARDS):
            found.add(use.opening)
    return found
