"""An event as the log keeps it: what happened, and who reported it, when and where."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar, overload

from msgspec import Struct

from sabot.domain.events import Event

K = TypeVar("K", bound=Event)
L = TypeVar("L", bound=Event)

# RecordedEvent without a kind is one of any kind. Only the type checker has a TypeVar that can say
# so: the domain imports the standard library and msgspec, and typing learns it with Python 3.13.
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    E_co = TypeVarWithDefault("E_co", bound=Event, covariant=True, default=Event)
else:
    E_co = TypeVar("E_co", bound=Event, covariant=True)


class RecordedEvent(Struct, Generic[E_co], frozen=True, array_like=True, gc=False):
    """One line of the log; ``RecordedEvent[CardDrawn]`` is one that tells of a card drawn.

    ``index`` is its place in the whole log and ``version`` its place in its stream, both from 1
    and without gaps. ``at_us`` is the table's clock and ``recorded_us`` the log's, in
    microseconds since 1970 (UTC); a record may lack the table's clock. ``seq`` is the device's
    own running number, ``event_id`` its own name for the event; most events lack one of the two.

    ``position`` is the rank of the event at the table, among the events of its stream. It equals
    ``version`` until the timeline has put events of several devices in order. What came first is
    told by positions, never by versions.
    """

    index: int
    stream: str
    version: int
    at_us: int | None
    recorded_us: int
    actor: str
    device: str
    seq: int | None
    payload: E_co
    event_id: str | None = None
    position: int = 0


def is_of(event: RecordedEvent, kind: type[K]) -> TypeGuard[RecordedEvent[K]]:
    """Tell whether an event is of a kind."""
    return isinstance(event.payload, kind)


@overload
def events_of(kind: type[K], events: Iterable[RecordedEvent]) -> list[RecordedEvent[K]]: ...
@overload
def events_of(
    kind: tuple[type[K], type[L]], events: Iterable[RecordedEvent]
) -> list[RecordedEvent[K | L]]: ...
def events_of(
    kind: type[Any] | tuple[type[Any], ...], events: Iterable[RecordedEvent]
) -> list[Any]:
    """Return those of the events that are of a kind, or of one of two, in their order."""
    return [event for event in events if isinstance(event.payload, kind)]


def first_of(kind: type[K], events: Iterable[RecordedEvent]) -> RecordedEvent[K] | None:
    """Return the first of the events that is of a kind; None where none is."""
    return next((event for event in events if is_of(event, kind)), None)


class NewEvent(Struct, frozen=True, gc=False):
    """An event on its way to the log; the log gives it its index, version and recorded clock.

    ``event_id``, or ``device`` with ``seq``, make a retry harmless: the same draft sent again
    is acknowledged again and stored once.
    """

    stream: str
    payload: Event
    at_us: int | None = None
    actor: str = ""
    device: str = ""
    seq: int | None = None
    event_id: str | None = None


class AppendResult(Struct, frozen=True, gc=False):
    """What the log answers once a draft is durable; ``known`` where it already was."""

    index: int
    stream: str
    version: int
    known: bool = False
