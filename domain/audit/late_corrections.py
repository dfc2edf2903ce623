"""Find the corrections that were made late.

A correction is late if another event of a coup was recorded after the event that it corrects, or if
more than a minute passed. An earlier correction is as good as a correct first record. An event that
belongs to no coup is corrected in time only by the very next event, and a stake as long as the bets
are open. A correction that moves an event to another coup concerns both.
"""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import Final, cast

from msgspec.structs import replace

from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPaid,
    BetPlaced,
    BetPushed,
    BetTaken,
    BetWithdrawn,
    CardBurned,
    CardDrawn,
    CommissionCollected,
    CoupClosed,
    CoupVoided,
    Event,
    EventCorrected,
    NoMoreBets,
    ResultCalled,
    ShoeEnded,
    ShoeLoaded,
)
from sabot.domain.events.bank import ChoiceMade, HandsCalled
from sabot.domain.events.corrections import names_earlier
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.state.shoe import Shoe

Correction = RecordedEvent[EventCorrected]
Late = list[tuple[Correction, Event | None]]
"""Late corrections, each with the original event that it corrects."""

STAKES: Final = (BetPlaced, BetChanged, BetWithdrawn, BetCarried)
_SHOW_RESULT: Final = (HandsCalled, ResultCalled, BetTaken, BetPaid, BetPushed, CoupClosed)
"""The events that show that the result of a coup is known."""
_CLOSING: Final = (NoMoreBets, CardDrawn, CoupVoided, *_SHOW_RESULT)
"""The events after which the bets of their coup are no longer open."""
_EVERY_COUP: Final = -1
_AT_ONCE_US: Final = 60_000_000
"""A slip of the hand is corrected within a minute: a house convention."""

FIXED_BY_FIRST_CARD: Final = {
    "pack": "the rule pack",
    "decks": "the number of decks",
    "coverage": "the coverage of the record",
    "table": "the table",
    "batch": "the batch of cards",
}
"""What a loading declares that may not be corrected after the first card, and its name in text."""


def late_corrections(
    history: Sequence[RecordedEvent], beside: Sequence[int] = ()
) -> Iterator[tuple[int | None, Correction, Event | None]]:
    """Yield the coup, the correction and the corrected event of each late correction of a stream.

    This includes corrections that were later corrected themselves: the first record is the one
    without all of them.

    Args:
        history: the events of the stream.
        beside: the log indexes, in order, of coups' events in another stream. A correction is late
            too if one of them came between.
    """
    payloads = {event.position: event.payload for event in history}
    last: RecordedEvent | None = None
    last_of_a_coup: RecordedEvent | None = None
    closed: set[int | None] = {None}
    for event in history:
        payload = event.payload
        if type(payload) is not EventCorrected:
            last = event
            last_of_a_coup = last if coup_of(payload) is not None else last_of_a_coup
            closed.add(_closed_by(payload))
            continue
        for named, instead in changes_of(payload, payloads):
            corrected = payloads.get(named)
            coups = {coup_of(corrected), coup_of(instead)} - {None} or {None}
            before = [last] if coup_of(corrected) is None else [last, last_of_a_coup]
            of_open_bet = isinstance(corrected, STAKES) and closed.isdisjoint({*coups, _EVERY_COUP})
            at_once = any(_is_at_once(named, each, event, beside) for each in before)
            if not of_open_bet and not at_once:
                for coup in coups:
                    yield coup, cast("Correction", event), corrected


def _closed_by(payload: Event) -> int | None:
    """Return the coup whose bets an event closes; `_EVERY_COUP` at the end of the shoe."""
    if type(payload) is ShoeEnded:
        return _EVERY_COUP
    return coup_of(payload) if type(payload) in _CLOSING else None


def late_loadings(history: Sequence[RecordedEvent]) -> Late:
    """Return the corrections of the loading of a shoe that were made after its first card."""
    payloads = {event.position: event.payload for event in history}
    late: Late = []
    dealt = False
    for event in history:
        dealt = dealt or isinstance(event.payload, (CardDrawn, CardBurned))
        if dealt and type(event.payload) is EventCorrected:
            changed = [payloads.get(named) for named, _ in changes_of(event.payload, payloads)]
            late += [
                (cast("Correction", event), each) for each in changed if type(each) is ShoeLoaded
            ]
    return late


def _is_at_once(
    named: int, last: RecordedEvent | None, correction: RecordedEvent, beside: Sequence[int]
) -> bool:
    """Return whether a correction directly follows its event, within a minute."""
    if last is None or named != last.position:
        return False
    if bisect_left(beside, last.index) != bisect_left(beside, correction.index):
        return False
    return is_within_a_minute(last, correction)


def is_within_a_minute(event: RecordedEvent, later: RecordedEvent) -> bool:
    """Return whether an event came within a minute of another."""
    if event.at_us is None or later.at_us is None:
        return later.recorded_us - event.recorded_us <= _AT_ONCE_US
    return later.at_us - event.at_us <= _AT_ONCE_US


def in_effect(corrections: Sequence[Correction]) -> list[Correction]:
    """Return the corrections that no later one replaced.

    A later one names the same event, or the correction itself. A later one with the same content
    replaces nothing.
    """
    standing: list[Correction] = []
    last: dict[tuple[str, int], Event | None] = {}
    for made in sorted(corrections, key=lambda made: made.position, reverse=True):
        event, own = ((made.stream, at) for at in (made.payload.version, made.position))
        now = _put_in_place(made.payload.instead)
        later = [_put_in_place(last[named]) for named in (event, own) if named in last]
        # a correction that is taken back has no effect, even if it left nothing in place itself
        taken_back = own in last and last[own] is None
        if not taken_back and all(each == now for each in later):
            standing.append(made)
            last.setdefault(event, made.payload.instead)
    return standing[::-1]


def _put_in_place(instead: Event | None) -> Event | None:
    """Return the event that a correction, possibly of another correction, puts in place."""
    while isinstance(instead, EventCorrected):
        instead = instead.instead
    return instead


def corrections_of(
    indexes: Collection[int], history: Sequence[RecordedEvent]
) -> Iterator[Correction]:
    """Yield the corrections of a stream that change an event at one of these indexes of the log."""
    payloads = {event.position: event.payload for event in history}
    shown = {event.position for event in history if event.index in indexes}
    for event in history if shown else ():
        if type(event.payload) is EventCorrected:
            changed = {named for named, _ in changes_of(event.payload, payloads)}
            if not changed.isdisjoint(shown):
                yield cast("Correction", event)


def changes_of(
    correction: EventCorrected, payloads: dict[int, Event]
) -> Iterator[tuple[int, Event | None]]:
    """Yield the version of each event that a correction changes, with the event in its place.

    A correction may change an earlier one, and may itself put a correction in an event's place.
    """
    payload: Event | None = correction
    while type(payload) is EventCorrected:
        yield _root(payload.version, payloads), payload.instead
        payload = payload.instead


def _root(version: int, payloads: dict[int, Event]) -> int:
    """Return the version of the first event in a chain of corrections.

    A correction may correct an earlier correction.
    """
    payload = payloads.get(version)
    while type(payload) is EventCorrected and names_earlier(payload, version):
        version, payload = payload.version, payloads.get(payload.version)
    return version


def coup_of(payload: Event | None) -> int | None:
    """Return the coup of an event, None for an event outside coups."""
    return getattr(payload, "coup", None)


def numbers_of(late: Late) -> dict[tuple[str, int], int]:
    """Return the message numbers of corrections: device, first number and length of each run.

    Without these corrections a record lacks these numbers and no others.
    """
    runs: dict[tuple[str, int], int] = {}
    numbered = {(each.device, each.seq) for each, _ in late if each.seq is not None}
    first: tuple[str, int] | None = None
    for device, seq in sorted(numbered):
        if first is None or first[0] != device or seq != first[1] + runs[first]:
            first = (device, seq)
        runs[first] = runs.get(first, 0) + 1
    return runs


def is_result_known(shoe: Shoe, coup: int | None, late: Late) -> bool:
    """Return whether a correction was made when the result of a coup was known."""
    return bool(made_when_known(shoe, coup, late))


def made_when_known(shoe: Shoe, coup: int | None, late: Late) -> Late:
    """Return the corrections made after a coup's result was known.

    The result is known once it was called or a bet was settled, or once no hand can get another
    card. For a stake the first card counts in place of the result.
    """
    of_coup = _history_of(shoe, coup)
    shown = [event.index for event in of_coup if type(event.payload) in _SHOW_RESULT]
    cards = [event.index for event in of_coup if type(event.payload) is CardDrawn]
    decided = [event.index for event in of_coup if type(event.payload) in (CardDrawn, ChoiceMade)]
    result = min(shown[:1] + ([] if _lacks_card(shoe, coup) else decided[-1:]), default=None)
    of_stakes = min(cards, default=result)
    since = [of_stakes if is_of_stake(each) else result for each in late]
    return [
        each
        for each, known in zip(late, since, strict=True)
        if known is not None and known < each[0].index
    ]


def _history_of(shoe: Shoe, coup: int | None) -> list[RecordedEvent]:
    """Return the events of a coup as recorded, by its number in the audit."""
    if coup is None or not shoe.recorded_numbers:
        return [event for event in shoe.history if coup_of(event.payload) == coup]
    own = shoe.coups.get(coup)
    positions = {event.position for event in own.events} if own is not None else set[int]()
    return [event for event in shoe.history if event.position in positions]


def _lacks_card(shoe: Shoe, number: int | None) -> bool:
    """Return whether a coup lacks a card or a choice."""
    coup = shoe.coups.get(number) if number is not None else None
    if coup is None:
        return False
    game, uncalled = game_of(shoe.pack), replace(coup, result_called=None)
    return game.draws(shoe, uncalled) or game.in_coup(shoe, uncalled).expects == "choice"


def is_of_stake(late: tuple[Correction, Event | None]) -> bool:
    """Return whether a correction is of a stake, or puts one in place of another event."""
    correction, corrected = late
    return isinstance(corrected, STAKES) or isinstance(correction.payload.instead, STAKES)


def corrections_of_bet(late: Late, number: int) -> Late:
    """Return the corrections of a bet and of its settlement."""
    return [each for each in late if number in (_bet_of(each[1]), _bet_of(each[0].payload.instead))]


def of_commission(late: Late) -> Late:
    """Return the corrections of collected commission."""
    return [
        each
        for each in late
        if CommissionCollected in (type(each[1]), type(each[0].payload.instead))
    ]


def _bet_of(payload: Event | None) -> int | None:
    return getattr(payload, "bet", None)
