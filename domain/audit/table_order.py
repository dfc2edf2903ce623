"""The order at the table: what the auditor judges by, and what speaks against the devices.

A shoe is folded again in the order that its devices' clocks tell
(`sabot.domain.timeline.ordering`), where that is not the order in which the events came. A rule
whose verdict rests on the order of two events asks `doubt` first. The rules here are of the devices
themselves: a clock that jumps, a number that is missing.
"""

from collections.abc import Iterable, Iterator
from itertools import pairwise, product
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as f
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule import NO_BREACH, Answer, Breach, CoupView, Rule
from sabot.domain.events.corrections import effective
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.third_card_table import banco_draws, punto_draws
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe, apply
from sabot.domain.timeline.clock_faults import FrozenClock, FrozenClockEvidence, frozen_clocks_of
from sabot.domain.timeline.evidence import order_unknown, word_of
from sabot.domain.timeline.ordering import by_device, clock_is_trusted, order_of

DOUBTFUL: Final = " is doubtful: "
"""What stands in every reason why nobody knows the order of two events."""

_FOUR: Final = 4
"""The cards that both hands are dealt first."""

_CITES = ("design.md: two clocks; a device numbers its facts",)


def at_the_table(shoe: Shoe) -> Shoe:
    """Return the shoe with its events in their order at the table.

    That is the shoe given, where its events came in that order and nothing of it is in doubt.
    """
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    order = order_of(shoe.history, clocks)
    if order is None:
        return shoe
    if order.as_recorded:
        return replace(shoe, order=order)
    again = Shoe(shoe.stream)
    again.history, again.order = shoe.history, order
    again.seqs_in_other_streams, again.corrections = shoe.seqs_in_other_streams, shoe.corrections
    again.at_table = shoe.at_table
    for event in order.events:
        apply(again, event)
    return again


def doubt(shoe: Shoe, one: RecordedEvent, other: RecordedEvent) -> str | None:
    """Say why nobody knows which of two events came first; None where it is known."""
    reason = order_unknown(shoe, one, other)
    return None if reason is None else reason.text


def doubt_among(
    shoe: Shoe, some: Iterable[RecordedEvent], others: Iterable[RecordedEvent]
) -> str | None:
    """Say why nobody knows which came first, for the first such pair of one and one other."""
    if shoe.order is None:
        return None
    pairs = product(some, list(others))
    return next(filter(None, (doubt(shoe, one, other) for one, other in pairs)), None)


def doubt_in_row(shoe: Shoe, events: Iterable[RecordedEvent]) -> str | None:
    """Say why nobody knows the order of events that follow one another."""
    if shoe.order is None:
        return None
    rows = pairwise(events)
    return next(filter(None, (doubt(shoe, one, other) for one, other in rows)), None)


def ground_in_doubt(shoe: Shoe, coup: Coup | None, event: RecordedEvent) -> str | None:
    """Say why nobody knows whether the bet, or the card, that an event speaks of came before it."""
    if isinstance(event.payload, f.CardTurned):
        return doubt_among(shoe, (event,), coup.cards if coup is not None else ())
    bet = coup.bets.get(getattr(event.payload, "bet", None) or 0) if coup is not None else None
    return doubt(shoe, bet.placed, event) if bet is not None else None


def bets_in_doubt(shoe: Shoe, coup: Coup) -> dict[int, str]:
    """Say of the bets that events may speak of which came to the log before them, why nobody knows.

    Such an event found no bet: what was paid and taken is not all reckoned to it.
    """
    if shoe.order is None or not coup.unmatched_events:
        return {}
    doubts = {
        getattr(event.payload, "bet", None) or 0: ground_in_doubt(shoe, coup, event)
        for event in coup.unmatched_events
    }
    return {bet: reason for bet, reason in doubts.items() if reason is not None}


def hands_in_doubt(view: CoupView) -> str | None:
    """Say why nobody knows which card of a hand was the third, where nobody does."""
    if view.shoe.order is None:
        return None
    hands: dict[str, list[RecordedEvent]] = {"player": [], "banker": []}
    for event in view.coup.cards:
        hands.setdefault(event.payload.hand, []).append(event)
    in_rows = (doubt_in_row(view.shoe, hand) for hand in hands.values())
    return next(filter(None, in_rows), None) or close_in_doubt(view)


def close_in_doubt(view: CoupView) -> str | None:
    """Say why nobody knows whether a third card that was due came before its coup was closed.

    It is then in its hand: had it come behind the close, the hand had stood.
    """
    closed, drawn = view.coup.closed, view.coup.cards[_FOUR:]
    if view.shoe.order is None or closed is None or not drawn:
        return None
    due = {
        "player": punto_draws(view.punto, view.banco),
        "banker": banco_draws(view.punto, view.banco, view.third),
    }
    thirds = [card for card in drawn if due.get(card.payload.hand)]
    return doubt_among(view.shoe, thirds, (closed,))


# -- Rules ----------------------------------------------------------------------------------------


def _jumps(shoe: Shoe) -> Answer:
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    if clocks is None:
        return "the pack does not say how far a clock may be out"
    if all(event.at_us is None for event in shoe.history):
        return "the record gives no clock but the log's"
    if shoe.order is None and _steady(shoe.history, clocks.jump_us) and _goes_on(shoe):
        # one device told them, in the order of its numbers
        return NO_BREACH
    jumps = (
        breach
        for device, events in by_device(shoe.history).items()
        for breach in _jumps_of(device, events, clocks.jump_us)
    )
    stops = (
        _stopped(device, stop.proof)
        for device, stops in _stops(shoe, clocks.tolerance_us).items()
        for stop in stops
        if stop.proof is not None
    )
    return (*jumps, *stops)


def _jumps_of(device: str, events: list[RecordedEvent], jump_us: int) -> Iterator[Breach]:
    """Yield a breach where the device's clock begins to be ahead, and wherever it goes back."""
    if _steady(events, jump_us):
        return
    before: RecordedEvent | None = None
    was_ahead = False
    for event in events:
        if event.at_us is None:
            continue
        ahead = not clock_is_trusted(event, event.at_us, jump_us)
        if ahead and not was_ahead:
            by = event.at_us - event.recorded_us
            said = f"{_device(device)} was {_seconds(by)} ahead of the log's clock"
            yield _jump(device, said, jump_us, (event,), "ahead")
        if before is not None and before.at_us is not None:
            back = before.at_us - event.at_us
            if back > jump_us and not was_ahead:
                said = f"{_device(device)} went back by {_seconds(back)}"
                yield _jump(device, said, jump_us, (event, before), "back")
        before, was_ahead = event, ahead


def _steady(events: list[RecordedEvent], jump_us: int) -> bool:
    """Tell whether a device's clock never went back, and never was ahead."""
    clocks = [(event.at_us, event.recorded_us) for event in events if event.at_us is not None]
    told = [at_us for at_us, _ in clocks]
    ahead = max((at_us - recorded_us for at_us, recorded_us in clocks), default=0)
    return ahead <= jump_us and told == sorted(told)


def _goes_on(shoe: Shoe) -> bool:
    """Tell whether no two coups that follow one another have cards of one instant."""
    cards = [coup.cards for coup in shoe.coups.values() if coup.cards]
    return all(before[-1].at_us != after[0].at_us for before, after in pairwise(cards))


def _stops(shoe: Shoe, tolerance_us: int) -> dict[str, list[FrozenClock]]:
    """Return where the devices' clocks stood still."""
    if shoe.order is not None:
        return shoe.order.stops
    told = [
        event for event in effective(shoe.history) if type(event.payload) is not f.EventCorrected
    ]
    return frozen_clocks_of(by_device(told), tolerance_us)


def _stopped(device: str, proof: FrozenClockEvidence) -> Breach:
    """Return the breach of a clock that stood still, by the first that shows it."""
    before, after, between = proof
    words = word_of(before), word_of(after)
    if between is None or between.at_us is None or before.at_us is None:
        what = "cards of two coups are of one instant"
    else:
        on = _seconds(between.at_us - before.at_us)
        what = (
            f"{words[0]} and {words[1]} are of one instant, and {word_of(between)}, which belongs "
            f"before the last, came {on} later by {_device(between.device)}"
        )
    said = f"{_device(device)} stood still: {what}"
    return Breach(
        said,
        "a clock that goes on from one event to the next",
        said,
        (after, before) if between is None else (after, before, between),
        getattr(after.payload, "coup", None),
        key=None if before.seq is None else ("clock", device, before.seq, "still"),
    )


def _jump(
    device: str, said: str, jump_us: int, events: tuple[RecordedEvent, ...], kind: str
) -> Breach:
    event = events[0]
    return Breach(
        said,
        f"a clock that goes forward, and is ahead of the log's by {_seconds(jump_us)} at most",
        said,
        events,
        getattr(event.payload, "coup", None),
        key=None if event.seq is None else ("clock", device, event.seq, kind),
    )


def _device(device: str) -> str:
    return f"the clock of {device}" if device else "the clock of a device without a name"


def _seconds(us: int) -> str:
    return f"{us / 1_000_000:,.3f}".rstrip("0").rstrip(".") + " s"


def skipped(history: list[RecordedEvent]) -> Iterator[tuple[RecordedEvent, RecordedEvent]]:
    """Yield, for each device, the events between which it passed numbers over."""
    if _counts_on(history):
        return
    numbered = [event for event in history if event.seq is not None]
    if _counts_on(numbered):
        return
    for events in by_device(numbered).values():
        for before, after in pairwise(events):
            if (after.seq or 0) > (before.seq or 0) + 1:
                yield before, after


def _counts_on(events: list[RecordedEvent]) -> bool:
    """Tell whether they are numbered one by one: by a device, or by several that share numbers."""
    told = [event.seq for event in events]
    first = told[0] if told else 0
    return first is not None and told == list(range(first, first + len(told)))


def _gaps(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    numbered = (event for event in shoe.history if event.seq is not None)
    if next(numbered, None) is None or next(numbered, None) is None:
        return "no device numbers its facts"
    if shoe.seqs_in_other_streams is not None and not shoe.seqs_in_other_streams:
        # whoever read the shoe out of a log has looked already: no number is skipped
        return NO_BREACH
    return tuple(
        breach for before, after in skipped(shoe.history) for breach in _gap(shoe, before, after)
    )


def _gap(shoe: Shoe, before: RecordedEvent, after: RecordedEvent) -> Iterator[Breach]:
    assert before.seq is not None
    assert after.seq is not None
    first = before.seq + 1
    missing = after.seq - first - (shoe.seqs_in_other_streams or {}).get((before.device, first), 0)
    if missing <= 0:
        return
    device = before.device or "a device without a name"
    numbers = f"{missing:,} number{'s' if missing > 1 else ''}"
    said = f"{numbers} of {device} between {before.seq} and {after.seq}"
    yield Breach(
        f"{said} {'are' if missing > 1 else 'is'} in no stream of the log",
        "a device numbers its events without a gap",
        f"{before.seq}, then {after.seq}",
        (after, before),
        getattr(after.payload, "coup", None),
        key=("sequence", before.device, first),
    )


RULES = (
    Rule(
        "R412",
        "clock-jump",
        "integrity",
        "medium",
        "A bet is late or in time by the clocks of the devices that tell of it.",
        _CITES,
        on_shoe=_jumps,
    ),
    Rule(
        "R411",
        "device-number-gap",
        "integrity",
        "high",
        "A number that a device gave and the log lacks is an event that nobody can read.",
        _CITES,
        on_shoe=_gaps,
        live=False,
    ),
)
