"""Export of a log as canonical JSON lines (RFC 8785).

There is one line for each event, as stored. A line covers every column of the stored event and the
log's origin, so that it can serve as a leaf of a hash tree over the log. In the export of a whole
log, line n is event n. The payload is the stored one, even if its shape is a former one. Events
that were stored before the store added its own clock and login have lines without these keys. The
payload of an isolated event, which no program can read, is a text. So is a payload that can be
read but is not canonical JSON, such as one with its keys in another order. Sabot writes none, but a
database takes it from other programs.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final, cast

import msgspec
import sqlalchemy as sa

from sabot.domain.events import Event
from sabot.domain.events.upcasting import LEGACY, upcast
from sabot.domain.values.errors import BadInput, UntrustedLog
from sabot.infrastructure.database.pages import pages
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.evidence.event_line import (
    FIRST_SCHEMA,
    EventLine,
    FirstEventLine,
    event_line,
)
from sabot.infrastructure.files.text_input import BOM
from sabot.infrastructure.imports.input_lines import MAX_LINE_BYTES
from sabot.infrastructure.imports.record_line import check_stream
from sabot.infrastructure.imports.strict_json import StrictReader, loads
from sabot.infrastructure.log.codec import NAMES, StoredRow
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.table_shoes import check_has_stream

PAGE: Final = 2000

_FIRST: Final = f'"schema":"{FIRST_SCHEMA}"'.encode()
_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode_first: Final = msgspec.json.Decoder(FirstEventLine).decode
_decode: Final = msgspec.json.Decoder(EventLine).decode
_decode_event: Final[Callable[[str], Event]] = msgspec.json.Decoder(cast("Any", Event)).decode
_decode_any: Final = msgspec.json.Decoder().decode


def is_event_line(line: bytes) -> bool:
    """Return whether a line is a line of an export."""
    if b'"payload"' not in line or b'"recorded_us"' not in line:
        return False
    try:
        read = loads(line.removeprefix(BOM))
    except BadInput:
        return line.startswith(b'{"actor":')
    return isinstance(read, dict) and {"payload", "recorded_us"} <= read.keys()


# -- Writing ----------------------------------------------------------------------------------


def export_lines(log: EventLog, *, streams: Sequence[str] | None = None) -> Iterator[bytes]:
    """Yield the lines of a log by index.

    ``streams`` limits them to some streams. Each ends in a newline.

    Raises:
        NotFound: there is no stream of that name.
        UntrustedLog: a row holds data that Sabot cannot have written.
    """
    if streams is None:
        log.check()
    else:
        log.check_ends()
    for stream in streams or ():
        check_has_stream(log, stream)
    origin, isolated = log.origin, log.isolated()
    versions: dict[str, int] = {}
    for rows in _pages(log, streams):
        log.check_rows([row for row in rows if row.id not in isolated])
        for row in rows:
            last = versions.get(row.stream, 0)
            if row.version != last + 1 and row.id not in isolated:
                raise _untrusted(row, f"version {last + 1} is due there")
            versions[row.stream] = max(last, row.version)
            yield _line(row, origin, isolated=row.id in isolated)


def _pages(log: EventLog, streams: Sequence[str] | None) -> Iterator[list[StoredRow]]:
    """Return stored rows by index, one page at a time, up to the current head."""
    e = log_event.c
    query = sa.select(log_event).order_by(e.id).limit(PAGE).where(e.id <= log.head())
    if streams is not None:
        query = query.where(e.stream.in_(streams))

    def read(after: int) -> list[StoredRow]:
        with log.database.reading() as connection:
            return [StoredRow(*row) for row in connection.execute(query.where(e.id > after))]

    return pages(read, 0, PAGE)


def _line(row: StoredRow, origin: str, *, isolated: bool) -> bytes:
    as_text = isolated or not _is_canonical(row)
    return event_line(row, origin, payload=_encode(row.payload) if as_text else None) + b"\n"


def _is_canonical(row: StoredRow) -> bool:
    """Return whether the payload has the bytes that Sabot writes for this event."""
    payload = row.payload.encode()
    try:
        decoded = _decode_any(payload) if row.name in LEGACY else _decode_event(row.payload)
    except msgspec.DecodeError:
        return False
    return _encode(decoded) == payload


def _untrusted(row: StoredRow, why: str) -> UntrustedLog:
    return UntrustedLog(
        f"event {row.id} ({row.stream} version {row.version}) cannot be trusted: {why}"
    )


# -- Reading ----------------------------------------------------------------------------------

# The same keys with any object as payload, for error messages.
_READERS: Final = {
    kind: StrictReader[Any](
        msgspec.defstruct(
            "EventLine",
            [
                (field.name, dict[str, Any] if field.name == "payload" else field.type)
                for field in msgspec.structs.fields(kind)
            ],
            forbid_unknown_fields=True,
        ),
        {"": "it is not a line of an export, or was changed; export it again"},
    )
    for kind in (FirstEventLine, EventLine)
}


def read_event_line(line: bytes, *, any_stream: bool = False) -> tuple[StoredRow, str]:
    """Read a line of an export. Return the stored event and the name of its log.

    ``any_stream`` permits an event in a stream of another kind. Sabot records none, but a database
    takes it from other programs.

    Raises:
        BadInput: the line is not byte for byte what an export writes.
    """
    if len(line) > MAX_LINE_BYTES:
        raise BadInput(f"the line is longer than {MAX_LINE_BYTES} bytes, so no export wrote it")
    former = _FIRST in line
    try:
        read: FirstEventLine | EventLine = _decode_first(line) if former else _decode(line)
        raw = bytes(read.payload)
        payload = raw.decode()
        same = _encode(read) == line and _encode(_decode_any(raw)) == raw
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        same = False
    if not same:
        # raise a more specific error if possible
        _READERS[FirstEventLine if former else EventLine].convert(loads(line))
        raise _changed()
    row = StoredRow(
        read.index, read.event_id, read.stream, read.version, read.name, read.at_us,
        read.recorded_us, read.actor, read.device, read.seq, payload,
    )  # fmt: skip
    if isinstance(read, EventLine):
        row = row._replace(stored_us=read.stored_us, login=read.login, source=read.source)
    if raw.startswith(b'"'):
        return row._replace(payload=_decode_any(raw)), read.origin
    event = _event(row)
    if not any_stream:
        check_stream(row.stream, event)
    return row, read.origin


def _event(row: StoredRow) -> Event:
    """Return the event of a row. Its shape may be a former one."""
    old = row.name in LEGACY
    try:
        decoded = upcast(row.payload) if old else _decode_event(row.payload)
    except (msgspec.MsgspecError, TypeError) as error:
        reason = str(error).replace("`", "")
        raise BadInput(
            f"payload: it is not an event of this program ({reason}); export it again"
        ) from None
    if not old and _encode(decoded) != row.payload.encode():
        raise _changed()
    if not old and NAMES[type(decoded)] != row.name:
        raise BadInput(
            f"name: the payload is a {NAMES[type(decoded)]}, not a {row.name}; export it again"
        )
    return decoded


def _changed() -> BadInput:
    return BadInput(
        "the line is not in the export's own form (canonical JSON, RFC 8785): it was changed or "
        "written anew; give the export as it left the log"
    )
