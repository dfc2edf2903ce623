"""Rules on reporting devices: clocks that jump or stand still, and missing message numbers."""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from operator import attrgetter, sub
from typing import Final, get_args

from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.coup_numbers import coup_with
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import EventCorrected, ShoeEvent
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.labels import event_noun
from sabot.domain.rules.sources import HOUSE_CONVENTION
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.clock_faults import StoppedClock, stopped_clocks
from sabot.domain.timeline.device_numbers import skipped_numbers
from sabot.domain.timeline.evidence import word_of
from sabot.domain.timeline.ordering import by_device, clock_is_trusted

DEVICES = RuleGroup(family="integrity", concerns="record")

_ANY_EVENT = get_args(ShoeEvent)

_YEAR_US: Final = 365 * 86_400_000_000
"""How far a clock may be ahead of the log's where the rule pack states no tolerance."""
_MINUTE_US: Final = 60_000_000
"""How far a clock may go back where the rule pack states no tolerance."""
_CLOCK: Final = attrgetter("at_us")
_LOG_CLOCK: Final = attrgetter("recorded_us")

# -- Numbers ---------------------------------------------------------------------------------------


@need("shoe", "no device numbers its events")
def events_numbered(shoe: Shoe) -> bool:
    """At least two events have the number that their device gave them."""
    numbered = (event for event in shoe.history if event.seq is not None)
    return next(numbered, None) is not None and next(numbered, None) is not None


@each("gap in a device's numbers", None)
def _gaps(shoe: Shoe) -> Sequence[tuple[RecordedEvent, RecordedEvent]]:
    """Return the pairs of events between which a device skipped message numbers."""
    if shoe.seqs_in_other_streams is not None and not shoe.seqs_in_other_streams:
        # the log was already searched when the shoe was read: no number is missing
        return ()
    return list(skipped_numbers(shoe.history))


@DEVICES.rule(
    "R411",
    "device-number-gap",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, events_numbered),
    each=_gaps,
    breach_events=_ANY_EVENT,
    live=False,
    breaks="""
        coup P 4 5  B K 8
        told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
        told terminal 61 3 patron-seated {"seat": 4, "patron": "p4"}
    """,
    keeps="""
        coup P 4 5  B K 8
        told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
        told terminal 61 2 patron-seated {"seat": 4, "patron": "p4"}
    """,
)
def device_number_gap(shoe: Shoe, gap: tuple[RecordedEvent, RecordedEvent]) -> Iterator[Breach]:
    """No number that a device gave to an event is missing from the log.

    Only numbers between two recorded events of the device in the shoe are checked. The events of a
    device are ordered by number, so a device that starts again at a lower number leaves a gap.
    Numbers that the device used in another stream of the log are not missing. A live audit does not
    report a breach, since an event may arrive later.
    """
    before, after = gap
    assert before.seq is not None
    assert after.seq is not None
    first = before.seq + 1
    missing = after.seq - first - (shoe.seqs_in_other_streams or {}).get((before.device, first), 0)
    if missing <= 0:
        return
    device = before.device or "a device without a name"
    said = f"message {first} is missing"
    if after.seq - first > 1:
        of_all = f"{missing:,} of " if missing < after.seq - first else ""
        said = f"{of_all}messages {first:,} to {after.seq - 1:,} are missing"
    yield Breach(
        f"{device}: {said}",
        "a device numbers its events without a gap",
        f"{before.seq}, then {after.seq}",
        (after, before),
        coup_with(shoe, after),
        key=("sequence", before.device, first),
    )


# -- Clocks ----------------------------------------------------------------------------------------


@need("shoe", "the record gives no clock but the log's")
def clocks_on_record(shoe: Shoe) -> bool:
    """The record gives the time of a device's own clock."""
    return any(event.at_us is not None for event in shoe.history)


@DEVICES.rule(
    "R412",
    "clock-jump",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(clocks_on_record,),
    follows_from=LATE,
    breach_events=_ANY_EVENT,
    breaks="""
        with clocks.tolerance_ms = 250
        coup P 4 5  B K 8
        told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
        told terminal 40 2 patron-seated {"seat": 4, "patron": "p4"}
    """,
    keeps="""
        with clocks.tolerance_ms = 250
        coup P 4 5  B K 8
        told terminal 60 1 patron-seated {"seat": 3, "patron": "p3"}
        told terminal 61 2 patron-seated {"seat": 4, "patron": "p4"}
    """,
)
def clock_jump(shoe: Shoe) -> Iterator[Breach]:
    """The clock of a device neither jumps nor stands still.

    The rule pack states by how much a clock may go back, or be ahead of the log's clock:
    `clocks.jump_ms`, or else `clocks.tolerance_ms`. If the pack has no section `clocks`, a clock
    may go back by a minute, be a year ahead of the log's clock, and stand still. A clock may be
    behind the log's clock by any time. A clock that is ahead is reported once, not again when it
    comes back.

    A clock stands still if two of its events have one time, although an event of another device
    that belongs between them has a later time. The difference must exceed the sum of the tolerance
    and the unit in which the clock counts. If a device reports one event at a time, as all do with
    cards, two more signs count. One is a later event of another device that belongs before the
    second event, but not before the previous coup. The other is cards of two coups with one time.
    These signs do not count if the unit exceeds the tolerance. Cards do not count if the device's
    first event has the same time. Other events may share a time. Only the first standstill of a
    device is reported.
    """
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    if clocks is None:
        yield from _jumps(shoe, _MINUTE_US, _YEAR_US)
        return
    if shoe.order is None and _steady(shoe.history, clocks.jump_us) and _goes_on(shoe):
        # one device reported them, in the order of its numbers
        return
    yield from _jumps(shoe, clocks.jump_us, clocks.jump_us)
    for device, stop in _stopped_clocks(shoe, clocks.tolerance_us).items():
        stopped = _stopped(device, stop)
        yield replace(stopped, coup=coup_with(shoe, stopped.events[0]))


def _jumps(shoe: Shoe, most_back_us: int, most_ahead_us: int) -> Iterator[Breach]:
    """Yield a breach for each jump of a clock, with its coup."""
    if _steady(shoe.history, most_ahead_us):
        # one device reported them, or several whose clocks agree
        return
    for device, events in by_device(shoe.history).items():
        for jump in _jumps_of(device, events, most_back_us, most_ahead_us):
            yield replace(jump, coup=coup_with(shoe, jump.events[0]))


def _jumps_of(
    device: str, events: list[RecordedEvent], most_back_us: int, most_ahead_us: int
) -> Iterator[Breach]:
    """Yield a breach for each jump of a device's clock, ahead of the log's clock or back."""
    if _steady(events, most_ahead_us):
        return
    limits = (most_back_us, most_ahead_us)
    before: RecordedEvent | None = None
    was_ahead = False
    for event in events:
        if event.at_us is None:
            continue
        ahead = not clock_is_trusted(event, event.at_us, most_ahead_us)
        if ahead and not was_ahead:
            by = event.at_us - event.recorded_us
            said = f"{_device(device)} was {_seconds(by)} ahead of the log's clock"
            yield _jump(device, said, limits, (event,), "ahead")
        if before is not None and before.at_us is not None:
            back = before.at_us - event.at_us
            if back > most_back_us and not was_ahead:
                said = f"{_device(device)} went back by {_seconds(back)}"
                yield _jump(device, said, limits, (event, before), "back")
        before, was_ahead = event, ahead


def _jump(
    device: str, said: str, limits: tuple[int, int], events: tuple[RecordedEvent, ...], kind: str
) -> Breach:
    event = events[0]
    back, ahead = map(_seconds, limits)
    return Breach(
        f"{said} at {event_noun(event.payload)}",
        f"a clock that goes back by {back} at most, and is ahead of the log's by {ahead} at most",
        said,
        events,
        key=None if event.seq is None else ("clock", device, event.seq, kind),
    )


def _steady(events: list[RecordedEvent], jump_us: int) -> bool:
    """Return whether a device's clock never jumped.

    It never went back, and was never ahead of the log's clock by more than ``jump_us``.
    """
    told = list(map(_CLOCK, events))
    if None in told:
        return _steady([event for event in events if event.at_us is not None], jump_us)
    logged = map(_LOG_CLOCK, events)
    return told == sorted(told) and max(map(sub, told, logged), default=0) <= jump_us


def _goes_on(shoe: Shoe) -> bool:
    """Return whether the clock moved between every two coups."""
    cards = [coup.cards for coup in shoe.coups.values() if coup.cards]
    return all(before[-1].at_us != after[0].at_us for before, after in pairwise(cards))


def _stopped_clocks(shoe: Shoe, tolerance_us: int) -> dict[str, StoppedClock]:
    """Return the clocks that stood still, by device."""
    if shoe.order is not None:
        return shoe.order.stopped
    told = [
        event
        for event in apply_corrections(shoe.history)
        if type(event.payload) is not EventCorrected
    ]
    return stopped_clocks(by_device(told), tolerance_us)


def _stopped(device: str, stop: StoppedClock) -> Breach:
    """Return the breach for a clock that stood still, with the first event that shows it."""
    _, before, after, between = stop
    words = word_of(before), word_of(after)
    if between is None or between.at_us is None or before.at_us is None:
        what = "cards of two coups have one time"
    else:
        on = _seconds(between.at_us - before.at_us)
        what = (
            f"{words[0]} and {words[1]} have one time, and {word_of(between)}, which belongs "
            f"before the last, came {on} later by {_device(between.device)}"
        )
    said = f"{_device(device)} stood still: {what}"
    return Breach(
        said,
        "a clock that goes on from one event to the next",
        said,
        (after, before) if between is None else (after, before, between),
        key=None if before.seq is None else ("clock", device, before.seq, "still"),
    )


def _device(device: str) -> str:
    return f"the clock of {device}" if device else "the clock of a device without a name"


def _seconds(us: int) -> str:
    return f"{us / 1_000_000:,.3f}".rstrip("0").rstrip(".") + " s"


RULES = (*DEVICES.rules,)
"""Every rule of this module."""
