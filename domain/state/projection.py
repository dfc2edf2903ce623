"""How the events of a stream become a state: the same way for shoes, tables and batches of cards.

A state has a ``history`` and is made of the stream's name; each kind of event has one handler,
which changes the state and never refuses.
"""

from collections.abc import Callable, Iterable
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, get_args

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import K, RecordedEvent


class State(Protocol):
    """What the events of one stream come to.

    ``history`` are the events themselves; ``unmatched_events`` those that have no meaning in it,
    kept where the auditor sees them.
    """

    stream: str
    history: list[RecordedEvent]
    unmatched_events: list[RecordedEvent]


S = TypeVar("S", bound=State)
Handler: TypeAlias = Callable[[S, RecordedEvent[K]], None]
"""What one kind of event does to a state."""


class Handlers(Generic[S]):
    """What the kinds of events do that have a meaning in a stream: one handler for each."""

    def __init__(self, *others: "Handlers[S]") -> None:
        """Begin with those of others, the later before the earlier."""
        self.by_kind: dict[type, Handler[S, Any]] = {}
        for other in others:
            self.by_kind.update(other.by_kind)

    def on(self, kind: type[K], handler: Handler[S, K]) -> None:
        """Let a handler see the events of a kind."""
        self.by_kind[kind] = handler

    def keep(self, kind: type[K], where: Callable[[S], list[RecordedEvent[K]]]) -> None:
        """Keep the events of a kind in one of the state's lists; nothing else follows."""

        def append(state: S, event: RecordedEvent[K]) -> None:
            where(state).append(event)

        self.by_kind[kind] = append


class Projection(Generic[S]):
    """Folds the events of a stream into its state; those without a handler are unmatched."""

    def __init__(self, empty: Callable[[str], S], handlers: Handlers[S]) -> None:
        self._empty = empty
        strays = dict.fromkeys(get_args(Event), _unmatched)
        self._handlers: dict[type, Handler[S, Any]] = strays | handlers.by_kind

    def fold(self, stream: str, events: Iterable[RecordedEvent]) -> S:
        """Rebuild a state from its events, in the order of versions; corrections take effect.

        A corrected event is replaced at its own place by what really happened. Cost: linear in the
        number of events.
        """
        handlers = self._handlers
        state = self._empty(stream)
        state.history = list(events)
        for event in state.history:
            kind = type(event.payload)
            if kind is EventCorrected:
                # it may change what stands before it: all is folded anew
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
        """Add one event to a state and return the state as it is then.

        The state given is changed in place, and returned, unless the event corrects an earlier
        one: then the whole history is folded anew.
        """
        if type(event.payload) is EventCorrected:
            return self.fold(state.stream, [*state.history, event])
        state.history.append(event)
        self.apply(state, event)
        return state

    def apply(self, state: S, event: RecordedEvent) -> None:
        """Let an event take effect on a state, without a place in its history.

        For those who look at a state after each event that holds: `evolve` without corrections.
        """
        self._handlers[type(event.payload)](state, event)


def _unmatched(state: State, event: RecordedEvent) -> None:
    """Keep an event that has no meaning in its stream; nothing else follows."""
    state.unmatched_events.append(event)
