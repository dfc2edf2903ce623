"""How the events of a stream become a state: the same way for shoes, tables and batches of cards.

A state has a ``history`` and is made of the stream's name; each kind of event has one handler,
which changes the state and never refuses.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, get_args

from sabot.domain.events import Event, EventCorrected
from sabot.domain.events.corrections import effective
from sabot.domain.events.envelope import RecordedEvent


class State(Protocol):
    """What the events of one stream come to.

    ``history`` are the events themselves; ``unmatched_events`` those that have no meaning in it,
    kept where the auditor sees them.
    """

    stream: str
    history: list[RecordedEvent]
    unmatched_events: list[RecordedEvent]


S = TypeVar("S", bound=State)
Handler: TypeAlias = Callable[[S, RecordedEvent, Any], None]
"""What one kind of event does to a state: it is given the state, the event and its event."""


class Projection(Generic[S]):
    """Folds the events of a stream into its state.

    ``handlers`` has one for each kind of event that has a meaning in the stream.
    """

    def __init__(self, empty: Callable[[str], S], handlers: Mapping[type, Handler[S]]) -> None:
        self._empty = empty
        strays: dict[type, Handler[S]] = {
            kind: append_to("unmatched_events") for kind in get_args(Event)
        }
        self._handlers = strays | dict(handlers)

    def fold(self, stream: str, events: Iterable[RecordedEvent]) -> S:
        """Rebuild a state from its events, in the order of versions; corrections take effect.

        A corrected event is replaced at its own place by what really happened. Cost: linear in the
        number of events.
        """
        handlers = self._handlers
        state = self._empty(stream)
        state.history = list(events)
        for event in state.history:
            payload = event.payload
            kind = type(payload)
            if kind is EventCorrected:
                # it may change what stands before it: all is folded anew
                return self._corrected(stream, state.history)
            handlers[kind](state, event, payload)
        return state

    def _corrected(self, stream: str, history: list[RecordedEvent]) -> S:
        state = self._empty(stream)
        state.history = history
        for event in effective(history):
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
        self._handlers[type(event.payload)](state, event, event.payload)


def append_to(where: str) -> Handler[Any]:
    """Return a handler that keeps the event in one of the state's lists; nothing else follows."""

    def keep(state: object, event: RecordedEvent, _event: object) -> None:
        getattr(state, where).append(event)

    return keep
