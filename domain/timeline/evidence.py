"""Questions about the order of events, answered yes or no, or with `Unknown`.

A rule asks, for example, ``before(shoe, bet, card)``. If two devices reported the events and their
clocks do not show the order, the question raises `Unknown`. The engine catches the exception and
reports the subject of the rule as not judged, with the reason. Rules themselves do not handle it.

This module holds the questions about the order of events from different devices.
"""

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final, Literal, Protocol, TypeVar

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.timeline.ordering import Order

T = TypeVar("T")

ReasonKind = Literal[
    "other-game",
    "not-asked",
    "not-required",
    "nothing-to-check",
    "not-due",
    "record-incomplete",
    "order-unknown",
]
"""Why a rule was not applied.

``other-game``: the rule belongs to another game. ``not-asked``: the user did not ask for the
records that it needs. ``not-required``: the rule pack does not require it. ``nothing-to-check``:
there was nothing to check. ``not-due``: the required event may still happen.
``record-incomplete``: the record lacks something. ``order-unknown``: the order of two events is
unknown.
"""


class Reason(Struct, frozen=True, order=True):
    """Why a rule was not applied: a kind and a sentence without a full stop.

    ``what`` is the sentence. ``why`` is the cause in a single case, such as the times of two
    events; it is empty if there is none.
    """

    kind: ReasonKind
    what: str
    why: str = ""

    @property
    def text(self) -> str:
        """The sentence, followed by a colon and the cause."""
        return f"{self.what}: {self.why}" if self.why else self.what

    def __str__(self) -> str:
        return self.text


class Unknown(Exception):
    """The record does not answer a question; ``reason`` states why."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason.text)
        self.reason = reason


def incomplete(text: str) -> Unknown:
    """Return the `Unknown` for a record that lacks necessary events."""
    return Unknown(Reason("record-incomplete", text))


def answered(unless: str | None) -> None:
    """Check that the record answers a question.

    Args:
        unless: what the record lacks, or None if it lacks nothing.

    Raises:
        Unknown: the record lacks something.
    """
    if unless is not None:
        raise incomplete(unless)


class Ordered(Protocol):
    """A shoe, or the view of a coup, with its events in the order at the table."""

    @property
    def order(self) -> Order | None:
        """The order by the clocks of several devices. None if the recorded order applies."""
        ...


# -- Questions -------------------------------------------------------------------------------------


def before(record: Ordered, one: RecordedEvent, other: RecordedEvent) -> bool:
    """Return whether one event came before another at the table.

    Raises:
        Unknown: two devices reported the events, and their clocks do not settle the order.
    """
    if record.order is not None:
        _raise_if_unknown(record, one, other)
    return one.position < other.position


def after(record: Ordered, one: RecordedEvent, other: RecordedEvent) -> bool:
    """Return whether one event came after another at the table.

    Raises:
        Unknown: two devices reported the events, and their clocks do not settle the order.
    """
    if record.order is not None:
        _raise_if_unknown(record, one, other)
    return one.position > other.position


def _raise_if_unknown(record: Ordered, one: RecordedEvent, other: RecordedEvent) -> None:
    unknown = order_unknown(record, one, other)
    if unknown is not None:
        raise Unknown(unknown)


def after_any(record: Ordered, one: RecordedEvent, others: Iterable[RecordedEvent]) -> bool:
    """Return whether an event came after at least one of the others.

    One certain yes is enough.

    Raises:
        Unknown: the event certainly came after none, and for one of them the order is unknown.
    """
    unknown: Reason | None = None
    for other in others:
        doubt = order_unknown(record, one, other)
        if doubt is None and one.position > other.position:
            return True
        unknown = unknown or doubt
    if unknown is not None:
        raise Unknown(unknown)
    return False


def in_sequence(record: Ordered, events: Iterable[RecordedEvent]) -> Sequence[RecordedEvent]:
    """Return consecutive events, provided their order is known.

    Raises:
        Unknown: the order of two neighbours is unknown.
    """
    known = tuple(events)
    if record.order is not None:
        for one, other in pairwise(known):
            before(record, one, other)
    return known


def settle(
    record: Ordered, events: Iterable[RecordedEvent], others: Iterable[RecordedEvent]
) -> None:
    """Check that the order between each event and each of the others is known.

    Raises:
        Unknown: the order of a pair is unknown; the first such pair gives the reason.
    """
    if record.order is None:
        return
    against = tuple(others)
    for one in events:
        for other in against:
            before(record, one, other)


def some(answers: Iterable[Callable[[], bool]]) -> bool:
    """Return whether one of several answers is yes (Kleene's *or*).

    One certain yes is enough.

    Raises:
        Unknown: no answer is surely yes, and one of them is unknown.
    """
    unknown: Unknown | None = None
    for answer in answers:
        try:
            if answer():
                return True
        except Unknown as open_question:
            unknown = unknown or open_question
    if unknown is not None:
        raise unknown
    return False


def every(answers: Iterable[Callable[[], bool]]) -> bool:
    """Return whether all of several answers are yes (Kleene's *and*).

    One certain no is enough for a no.

    Raises:
        Unknown: no answer is surely no, and one of them is unknown.
    """
    unknown: Unknown | None = None
    for answer in answers:
        try:
            if not answer():
                return False
        except Unknown as open_question:
            unknown = unknown or open_question
    if unknown is not None:
        raise unknown
    return True


def surely(answer: Callable[[], bool]) -> bool:
    """Return whether an answer is surely yes. Return False if it is unknown."""
    try:
        return answer()
    except Unknown:
        return False


def answer_or_reason(question: Callable[[], T]) -> T | Reason:
    """Return an answer, or why it is unknown."""
    try:
        return question()
    except Unknown as unknown:
        return unknown.reason


def agreed(answers: Iterable[bool], otherwise: Reason) -> bool:
    """Return the answer common to all possible cases. There is at least one case.

    Raises:
        Unknown: the answers differ; ``otherwise`` is the reason.
    """
    given = set(answers)
    if len(given) > 1:
        raise Unknown(otherwise)
    return given.pop()


# -- Why the order of two events is unknown -------------------------------------------------------

_WORDS: Final[dict[type, str]] = {
    ev.BetPlaced: "the bet",
    ev.BetCarried: "the bet",
    ev.BetChanged: "the change of the bet",
    ev.BetWithdrawn: "the withdrawal of the bet",
    ev.NoMoreBets: "the call of no more bets",
    ev.CardDrawn: "the card",
    ev.CardBurned: "the burned card",
    ev.BetTaken: "the take",
    ev.BetPaid: "the payment",
    ev.BetPushed: "the push",
    ev.TotalsCalled: "the call of the totals",
    ev.ResultCalled: "the call of the result",
    ev.CutCardReached: "the cut card",
    ev.LimitsChanged: "the change of limits",
    ev.CommissionCollected: "the collection of commission",
    ev.CoupOpened: "the opening of the coup",
    ev.CoupClosed: "the close of the coup",
}


def order_unknown(record: Ordered, one: RecordedEvent, other: RecordedEvent) -> Reason | None:
    """Return why the order of two events is unknown. None if it is known."""
    if record.order is None:
        return None
    why = record.order.why_unknown(one, other)
    if why is None:
        return None
    first, second = word_of(one), word_of(other)
    what = f"two events ({first})" if first == second else f"{first} and of {second}"
    return Reason("order-unknown", f"the order of {what} is doubtful", why)


def word_of(event: RecordedEvent) -> str:
    """Return the noun for an event in a sentence, such as ``the bet`` or ``the card``."""
    return _WORDS.get(type(event.payload), ev.name_of(event.payload))
