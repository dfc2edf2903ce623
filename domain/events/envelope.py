"""An event as the log keeps it: what happened, and who reported it, when and where."""

from msgspec import Struct

from sabot.domain.events import Event


class RecordedEvent(Struct, frozen=True, array_like=True, gc=False):
    """One line of the log.

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
    payload: Event
    event_id: str | None = None
    position: int = 0


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
