"""Give each coup its own number, and the number of its place.

A coup number may be opened again after its coup is over. Its events then belong to another coup,
and must not be judged with the cards and bets of the first. The state of the shoe is computed again
with a new number for that coup, and higher numbers for the following coups.

A coup may also be recorded under a number that is out of place: 4 before 3, or 40 for 4. If the
numbers of the coups around it fit the right number, the state is computed with that number. This
matters because the stakes that a tie left are looked up in the coup before. Findings show the
recorded numbers.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from itertools import groupby, pairwise
from typing import Final

import msgspec
from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, apply

_TWO_CARDS: Final = 2
"""A single card drawn after a coup was closed may be a late card of that coup."""


def coups_told_apart(shoe: Shoe) -> Shoe:
    """Return the shoe with a number of its own for each coup, by the place of the coup.

    The shoe itself is returned if no number was used twice or is out of place.
    """
    if not (_is_used_twice(shoe) or _is_out_of_place(shoe)):
        return shoe
    recorded: dict[int, int] = {}
    events = list(_with_numbers(shoe, recorded))
    if not recorded:
        return shoe
    again = folded_again(shoe, events)
    again.recorded_numbers = recorded
    return again


def is_misplaced(shoe: Shoe, coup: Coup) -> bool:
    """Return whether a coup was recorded under a number that is out of place."""
    numbers = shoe.recorded_numbers
    return coup.number in numbers and len(set(numbers.values()) | _kept(shoe)) == len(shoe.coups)


def _kept(shoe: Shoe) -> set[int]:
    """Return the numbers of the coups that were not renumbered."""
    return shoe.coups.keys() - shoe.recorded_numbers.keys()


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
    return _with_numbers(shoe, {}) if shoe.recorded_numbers else _as_told(shoe)


def _with_numbers(shoe: Shoe, recorded: dict[int, int]) -> Iterable[RecordedEvent]:
    """Return the events of a shoe as recorded, each with the number of its coup.

    If a recorded number differs, it is written into ``recorded`` under the new number.
    """
    events = list(_as_told(shoe))
    reused = _openings_of_another_coup(events)
    return _numbered(events, reused, recorded) if reused else _in_place(events, recorded)


def _as_told(shoe: Shoe) -> Iterable[RecordedEvent]:
    return apply_corrections(shoe.history) if shoe.order is None else shoe.order.events


def _is_used_twice(shoe: Shoe) -> bool:
    """Return whether a coup was opened again."""
    return any(
        type(event.payload) is ev.CoupOpened
        for coup in shoe.coups.values()
        for event in coup.unmatched_events
    )


def _is_out_of_place(shoe: Shoe) -> bool:
    """Return whether the coups, in the order they began, are not numbered consecutively."""
    numbers = list(shoe.coups)
    return any(number != before + 1 for before, number in pairwise(numbers))


def coups_of(shoe: Shoe, numbers: Collection[int]) -> list[Coup]:
    """Return the coups of a shoe whose recorded numbers are among these, in order."""
    wanted = set(numbers)
    found = (coup for number, coup in shoe.coups.items() if shoe.recorded_number(number) in wanted)
    return sorted(found, key=lambda coup: coup.number)


def numbered_as(other: Shoe, shoe: Shoe) -> Shoe:
    """Return another record of a shoe, with the coup numbers of this one.

    Coups are the same if they share the most events.
    """
    if not (other.recorded_numbers or shoe.recorded_numbers):
        return other
    numbers = _numbers_by_position(shoe)
    shared = Counter(
        (number, numbers[position])
        for position, number in _numbers_by_position(other).items()
        if position in numbers
    )
    new: dict[int, int] = {}
    for (number, wanted), _ in shared.most_common():
        if number not in new and wanted not in new.values():
            new[number] = wanted
    for number in other.coups.keys() - new.keys():
        taken = {*new.values(), *shoe.coups}
        new[number] = number if number not in taken else max(taken) + 1
    if all(number == wanted for number, wanted in new.items()):
        return other
    events = [
        _renumbered(event, new.get(_told(event), _told(event)), {}) for event in events_of(other)
    ]
    again = folded_again(other, events)
    again.recorded_numbers = {
        wanted: told
        for number, wanted in new.items()
        if (told := other.recorded_number(number)) != wanted
    }
    return again


def assigned_number(
    records: Iterable[Shoe], told: int | None, positions: Collection[int]
) -> int | None:
    """Return the number in the audit of a coup that has one of some events.

    ``told`` is the recorded number of the coup. It is returned if no record has such a coup.
    """
    for shoe in records:
        for coup in shoe.coups.values() if shoe.recorded_numbers else ():
            has_one = any(event.position in positions for event in coup.events)
            if has_one and shoe.recorded_number(coup.number) == told:
                return coup.number
    return told


def number_of_shown(shoe: Shoe, told: int | None, indexes: Collection[int]) -> int | None:
    """Return the number in the audit of a coup that some events of the log show."""
    if not shoe.recorded_numbers:
        return told
    shown = {event.position for event in shoe.history if event.index in indexes}
    return assigned_number((shoe,), told, shown)


def _numbers_by_position(shoe: Shoe) -> dict[int, int]:
    return {event.position: coup.number for coup in shoe.coups.values() for event in coup.events}


def _told(event: RecordedEvent) -> int:
    return getattr(event.payload, "coup", None) or 0


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


def _numbered(
    events: list[RecordedEvent], reused: set[int], recorded: dict[int, int]
) -> Iterable[RecordedEvent]:
    """Yield the events, each with the number of its coup.

    ``reused`` are the positions of openings of another coup.
    """
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
        yield _renumbered(event, numbers[told], recorded)


def _renumbered(event: RecordedEvent, number: int, recorded: dict[int, int]) -> RecordedEvent:
    """Return an event with the number of its coup."""
    told = getattr(event.payload, "coup", None)
    if told is None or number == told:
        return event
    recorded[number] = told
    return msgspec.structs.replace(
        event, payload=msgspec.structs.replace(event.payload, coup=number)
    )


# -- Numbers that are out of place -----------------------------------------------------------------


def _in_place(events: list[RecordedEvent], recorded: dict[int, int]) -> Iterable[RecordedEvent]:
    """Yield the events, each with the number of its coup by its place."""
    places = _places(events)
    for event in events:
        told = getattr(event.payload, "coup", 0)
        yield _renumbered(event, places.get(told, told), recorded)


def _places(events: list[RecordedEvent]) -> dict[int, int]:
    """Return the right number of each coup whose recorded number is out of place.

    A skipped or lost coup changes all later numbers, so these are not out of place. Coups that were
    recorded side by side, or later than the clock says, are left as they are.
    """
    begun: dict[int, RecordedEvent] = {}
    for event in events:
        if isinstance(event.payload, ev.CoupOpened | ev.CardDrawn):
            begun.setdefault(event.payload.coup, event)
    told = (number for event in events if (number := getattr(event.payload, "coup", None)))
    spells = Counter(number for number, _ in groupby(told))
    whole = bool(events) and isinstance(events[0].payload, ev.ShoeLoaded)
    places: dict[int, int] = {}
    for run, due in _runs(begun, 0 if whole else min(begun, default=1) - 1):
        if _is_run(run, due, begun, spells):
            places |= dict(zip(run, due, strict=True))
    return places


def _runs(begun: Iterable[int], last: int) -> Iterator[tuple[list[int], range]]:
    """Yield each run of numbers that are out of place, with the right numbers.

    Either the coup after the run has its right number, or the run has the right numbers in another
    order.

    Args:
        begun: the numbers of the coups, in the order in which they began.
        last: the number before the first.
    """
    run: list[int] = []
    for number in begun:
        follows = number == last + len(run) + 1
        if not follows:
            run.append(number)
        due = range(last + 1, last + len(run) + 1)
        if follows or sorted(run) == list(due):
            if run:
                yield run, due
            last, run = last + len(run) + follows, []


def _is_run(
    run: list[int], due: range, begun: dict[int, RecordedEvent], spells: Counter[int]
) -> bool:
    """Return whether coups in a row were dealt one after the other, under wrong numbers.

    ``spells`` counts how often the events of each number begin anew.
    """
    clocks = [at for number in run if (at := begun[number].at_us) is not None]
    free = all(number in run or not spells[number] for number in due)
    return free and clocks == sorted(clocks) and all(spells[number] == 1 for number in run)


# -- A number that is used twice -------------------------------------------------------------------


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
    """Return the positions of openings that use a coup number again, for another coup.

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
