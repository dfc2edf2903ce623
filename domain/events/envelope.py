"""An event as the log stores it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Generic, TypeGuard, TypeVar, overload

from msgspec import Struct

from sabot.domain.events import Event

K = TypeVar("K", bound=Event)
L = TypeVar("L", bound=Event)

# RecordedEvent without a parameter holds an event of any kind. A TypeVar with a default needs
# typing_extensions, or Python 3.13; the domain imports it for type checking only.
if TYPE_CHECKING:
    from typing_extensions import TypeVar as TypeVarWithDefault

    E_co = TypeVarWithDefault("E_co", bound=Event, covariant=True, default=Event)
else:
    E_co = TypeVar("E_co", bound=Event, covariant=True)


class RecordedEvent(Struct, Generic[E_co], frozen=True, array_like=True, gc=False):
    """One event of the log; ``RecordedEvent[CardDrawn]`` holds a `CardDrawn`.

    ``index`` is the event's position in the whole log and ``version`` its position in its stream;
    both count from 1 without gaps. ``at_us`` is the table's clock and ``recorded_us`` the log's, in
    microseconds since 1970 (UTC); ``at_us`` may be missing. ``seq`` is the device's running number
    and ``event_id`` the device's identifier of the event; most events lack one of the two.

    ``position`` is the rank of the event among the events of its stream in the order in which they
    happened. It equals ``version`` until the timeline has ordered the events of several devices.
    Compare positions, not versions, to find which event came first.
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
    """Return whether an event is of a kind."""
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
    """Return the events of one or two kinds, in order."""
    return [event for event in events if isinstance(event.payload, kind)]


def first_of(kind: type[K], events: Iterable[RecordedEvent]) -> RecordedEvent[K] | None:
    """Return the first event of a kind, or None."""
    return next((event for event in events if is_of(event, kind)), None)


class NewEvent(Struct, frozen=True, gc=False):
    """An event to be appended.

    The log assigns index, version and log clock. ``event_id``, or ``device`` with ``seq``, makes a
    retry harmless: a repeated event is acknowledged again and stored once.
    """

    stream: str
    payload: Event
    at_us: int | None = None
    actor: str = ""
    device: str = ""
    seq: int | None = None
    event_id: str | None = None


class AppendResult(Struct, frozen=True, gc=False):
    """The acknowledgement of an event. ``known`` is True if it was stored before."""

    index: int
    stream: str
    version: int
    known: bool = False
