"""Compute the state of a shoe, table or batch of cards from its events.

A state is created from the name of its stream and has a ``history``. Each kind of event has one
handler, a function that changes the state. A handler never refuses an event.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, get_args

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import K, RecordedEvent


class State(Protocol):
    """The state of one stream.

    ``history`` holds all events. ``unmatched_events`` holds the events that do not fit this stream,
    for the audit.
    """

    stream: str
    history: list[RecordedEvent]
    unmatched_events: list[RecordedEvent]


S = TypeVar("S", bound=State)
Handler: TypeAlias = Callable[[S, RecordedEvent[K]], None]
"""Applies one kind of event to a state."""


class Handlers(Generic[S]):
    """Event handlers of a stream, by kind of event."""

    def __init__(self, *others: "Handlers[S]") -> None:
        """Copy the handlers of other objects. If two handle the same kind, the later one counts."""
        self.by_kind: dict[type, Handler[S, Any]] = {}
        for other in others:
            self.by_kind.update(other.by_kind)

    def on(self, kind: type[K], handler: Handler[S, K]) -> None:
        """Register the handler for a kind of event."""
        self.by_kind[kind] = handler

    def keep(self, kind: type[K], where: Callable[[S], list[RecordedEvent[K]]]) -> None:
        """Append events of a kind to a list of the state, with no other effect."""

        def append(state: S, event: RecordedEvent[K]) -> None:
            where(state).append(event)

        self.by_kind[kind] = append


class Projection(Generic[S]):
    """Computes the state of a stream from its events.

    Events without a handler are kept as unmatched.
    """

    def __init__(self, empty: Callable[[str], S], handlers: Handlers[S]) -> None:
        self._empty = empty
        strays = dict.fromkeys(get_args(Event), _unmatched)
        self._handlers: dict[type, Handler[S, Any]] = strays | handlers.by_kind

    def fold(self, stream: str, events: Iterable[RecordedEvent]) -> S:
        """Build a state from its events, in order of version, with corrections applied.

        A corrected event is replaced in its own position by the corrected values. Cost: linear in
        the number of events.
        """
        handlers = self._handlers
        state = self._empty(stream)
        state.history = list(events)
        for event in state.history:
            kind = type(event.payload)
            if kind is EventCorrected:
                # a correction may change an earlier event, so fold everything again
                return self._corrected(stream, state.history)
            handlers[kind](state, event)
        return state

    def _corrected(self, stream: str, history: list[RecordedEvent]) -> S:
        state = self._empty(stream)
        state.history = history
        for event in apply_corrections(history):
            self.apply(state, event)
        return state

    def evolve(self, state: S, event: RecordedEvent) -> S:
        """Add one event to a state. Return the new state.

        The given state is changed in place and returned. If the event is a correction, the state is
        instead computed again from the whole history.
        """
        if type(event.payload) is EventCorrected:
            return self.fold(state.stream, [*state.history, event])
        state.history.append(event)
        self.apply(state, event)
        return state

    def apply(self, state: S, event: RecordedEvent) -> None:
        """Apply an event to a state without adding it to the history.

        Use this to inspect a state after each event of a history whose corrections have been
        applied.
        """
        self._handlers[type(event.payload)](state, event)


def _unmatched(state: State, event: RecordedEvent) -> None:
    """Record an event that does not belong in the stream."""
    state.unmatched_events.append(event)
