"""How the facts of a stream become a state: the same way for shoes, tables and batches of cards.

A state has a ``history`` and is made of the stream's name; each kind of fact has one handler,
which changes the state and never refuses.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, Protocol, TypeAlias, TypeVar, get_args

from sabot.domain.events import Fact, FactCorrected
from sabot.domain.events.corrections import effective
from sabot.domain.events.envelope import Event


class State(Protocol):
    """What the facts of one stream come to.

    ``history`` are the facts themselves; ``strays`` those that have no meaning in it, kept where
    the auditor sees them.
    """

    stream: str
    history: list[Event]
    strays: list[Event]


S = TypeVar("S", bound=State)
Handler: TypeAlias = Callable[[S, Event, Any], None]
"""What one kind of fact does to a state: it is given the state, the event and its fact."""


class Folder(Generic[S]):
    """Folds the facts of a stream into its state.

    ``handlers`` has one for each kind of fact that has a meaning in the stream.
    """

    def __init__(self, empty: Callable[[str], S], handlers: Mapping[type, Handler[S]]) -> None:
        self._empty = empty
        strays: dict[type, Handler[S]] = {kind: kept_in("strays") for kind in get_args(Fact)}
        self._handlers = strays | dict(handlers)

    def fold(self, stream: str, events: Iterable[Event]) -> S:
        """Rebuild a state from its facts, in the order of versions; corrections take effect.

        A corrected fact is replaced at its own place by what really happened. Cost: linear in the
        number of facts.
        """
        handlers = self._handlers
        state = self._empty(stream)
        state.history = list(events)
        for event in state.history:
            fact = event.fact
            kind = type(fact)
            if kind is FactCorrected:
                # it may change what stands before it: all is folded anew
                return self._corrected(stream, state.history)
            handlers[kind](state, event, fact)
        return state

    def _corrected(self, stream: str, history: list[Event]) -> S:
        state = self._empty(stream)
        state.history = history
        for event in effective(history):
            self.apply(state, event)
        return state

    def evolve(self, state: S, event: Event) -> S:
        """Add one fact to a state and return the state as it is then.

        The state given is changed in place, and returned, unless the fact corrects an earlier
        one: then the whole history is folded anew.
        """
        if type(event.fact) is FactCorrected:
            return self.fold(state.stream, [*state.history, event])
        state.history.append(event)
        self.apply(state, event)
        return state

    def apply(self, state: S, event: Event) -> None:
        """Let a fact take effect on a state, without a place in its history.

        For those who look at a state after each fact that holds: `evolve` without corrections.
        """
        self._handlers[type(event.fact)](state, event, event.fact)


def kept_in(where: str) -> Handler[Any]:
    """Return a handler that keeps the fact in one of the state's lists; nothing else follows."""

    def keep(state: object, event: Event, _fact: object) -> None:
        getattr(state, where).append(event)

    return keep
