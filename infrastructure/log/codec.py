"""Encode events as rows, and decode rows to events.

A payload is canonical JSON (RFC 8785): sorted ASCII keys, integers, no spaces, so the same event
always has the same bytes.
"""

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from types import NoneType
from typing import Any, Final, NamedTuple, cast, get_args

import msgspec

from sabot.domain.events import MAX_INT, Event
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.events.upcasting import LEGACY, Legacy, upcast
from sabot.domain.values.errors import BadInput, ContentConflict, NewerEvent, UntrustedLog
from sabot.infrastructure.evidence.event_line import MAX_NAME_BYTES

MAX_PAYLOAD_BYTES: Final = 60_000
"""Limit that keeps an event with its envelope below the 64 KiB of a transparency log's entry."""

NAMES: Final[dict[type, str]] = {kind: str(kind.__struct_config__.tag) for kind in get_args(Event)}
"""The name of each kind of event. The list is closed."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode
_decode: Final[Callable[[str | bytes], Event]] = msgspec.json.Decoder(cast("Any", Event)).decode


class Row(msgspec.Struct, frozen=True, gc=False):
    """An event to be stored.

    The log assigns index, version and clock, unless they are given. The store gives its own clock
    and the login, unless a log is restored.
    """

    event_id: str | None
    stream: str
    name: str
    at_us: int | None
    actor: str
    device: str
    seq: int | None
    payload: str
    version: int | None = None
    recorded_us: int | None = None
    source: str | None = None
    stored_us: int | None = None
    login: str | None = None


class StoredRow(NamedTuple):
    """A row of ``log_event``, column by column. Most readers do not need the last three."""

    id: int
    event_id: str | None
    stream: str
    version: int
    name: str
    at_us: int | None
    recorded_us: int
    actor: str
    device: str
    seq: int | None
    payload: str
    stored_us: int | None = None
    login: str | None = None
    source: str | None = None


EVENT_COLUMNS: Final = tuple(
    column for column in StoredRow._fields if column not in StoredRow._field_defaults
)
"""The columns of a row that an event is decoded from."""


def row_of(draft: NewEvent | RecordedEvent) -> Row:
    """Encode an event as a row.

    A recorded event keeps its version and clock. The encoding is checked by decoding it.

    Raises:
        BadInput: the log cannot store the event or a name.
    """
    _check_envelope(draft)
    try:
        # A value equal to a default but not the same object would be written out. Decoding and
        # encoding once more gives the same event the same bytes.
        encoded = _encode(_decode(_encode(draft.payload)))
        payload = encoded.decode()
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise BadInput(f"this cannot be an event: {error}") from error
    _check_no_nul(payload)
    if len(encoded) > MAX_PAYLOAD_BYTES:
        raise BadInput(
            f"an event of {len(encoded)} bytes is too large for the log ({MAX_PAYLOAD_BYTES})"
        )
    name = NAMES[type(draft.payload)]
    row = Row(
        draft.event_id, draft.stream, name, draft.at_us,
        draft.actor, draft.device, draft.seq, payload,
    )  # fmt: skip
    if isinstance(draft, RecordedEvent):
        changes = {"version": draft.version, "recorded_us": draft.recorded_us}
        return msgspec.structs.replace(row, **changes)
    return row


def row_again(stored: StoredRow, *, origin: str | None = None) -> Row:
    """Convert a row that was read into a row to be stored.

    Its payload is unchanged. With ``origin`` it is imported from the log of that name. Its place
    there becomes its source, and the store adds its own clock and login.

    Raises:
        BadInput: the log cannot store a name or, from another log, a text of the payload.
    """
    _check_envelope(stored)
    row = Row(*(getattr(stored, column) for column in Row.__struct_fields__))
    if origin is None:
        return row
    _check_no_nul(row.payload)
    changes = {"source": f"{origin}#{stored.id}", "stored_us": None, "login": None}
    return msgspec.structs.replace(row, **changes)


def _check_envelope(draft: NewEvent | RecordedEvent | StoredRow) -> None:
    texts = f"{draft.stream}{draft.actor}{draft.device}{draft.event_id}"
    if len(texts) > MAX_NAME_BYTES or "\0" in texts or not texts.isascii():
        for text in (draft.stream, draft.actor, draft.device, draft.event_id or ""):
            _check_text(text)
    if not draft.stream:
        raise BadInput("an event needs a stream: shoe/NAME, table/NAME or cards/NAME")
    for number in (draft.at_us, draft.seq):
        if number is not None and not -MAX_INT <= number <= MAX_INT:
            raise BadInput(f"{number} is beyond the integers that JSON keeps exactly (2**53 - 1)")


def _check_text(text: str) -> None:
    try:
        length = len(text.encode())
    except UnicodeEncodeError as error:
        raise BadInput("a lone surrogate is not text; send UTF-8") from error
    if length > MAX_NAME_BYTES or "\0" in text:
        raise BadInput(
            f"a stream, actor, device or event id has at most {MAX_NAME_BYTES} bytes and no NUL: "
            f"{text[:40]!r}"
        )


_NUL: Final = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")


def _check_no_nul(payload: str) -> None:
    """Check that no text of a payload has a NUL character, which PostgreSQL cannot store.

    Logs of former versions may have one, so readers accept it.

    Raises:
        BadInput: there is one.
    """
    if "\\u0000" in payload and (found := _NUL.search(payload)):
        near = payload[max(0, found.end() - 40) : found.end()]
        raise BadInput(f"a text of an event has a NUL character, which no new event may: {near!r}")


def check_same(row: Row, other: "Row | StoredRow") -> None:
    """Check that a row equals the one recorded under the same identity.

    Raises:
        ContentConflict: they differ.
    """
    for column in Row.__struct_fields__:
        mine = getattr(row, column)
        if column in _GIVEN_BY_THE_STORE or (column in _GIVEN_BY_THE_LOG and mine is None):
            continue
        if mine != getattr(other, column):
            where = f"event {other.id}" if isinstance(other, StoredRow) else "the same batch"
            raise ContentConflict(
                f"{_identity(row)} is already in {where} ({other.stream}) with another {column}; "
                "record a correction instead"
            )


_GIVEN_BY_THE_LOG: Final = frozenset(("version", "recorded_us"))
_GIVEN_BY_THE_STORE: Final = frozenset(("source", "stored_us", "login"))


def _identity(row: Row) -> str:
    if row.event_id is not None:
        return f"event id {row.event_id!r}"
    if row.seq is not None:
        return f"device {row.device!r} sequence {row.seq}"
    return f"{row.stream} version {row.version}"


UNREADABLE: Final = (msgspec.MsgspecError, TypeError, RecursionError)
"""Exceptions for stored data that is not an event, is not text, or has unbalanced brackets."""


COLUMN_TYPES: Final[dict[str, tuple[type, ...]]] = {
    **dict.fromkeys(("id", "version", "recorded_us"), (int,)),
    **dict.fromkeys(("at_us", "seq"), (int, NoneType)),
    **dict.fromkeys(("stream", "name", "actor", "device", "payload"), (str,)),
    "event_id": (str, NoneType),
}
"""The types of the columns. A table made anew may hold values of other types."""


class _Tagged(msgspec.Struct):
    type: str


class Decoder:
    """Decodes rows to events in their current shapes.

    Args:
        legacy: the former shapes.
        typed: whether the database keeps the type of each column. Otherwise rows are decoded one by
            one, and the types of their values checked.
    """

    def __init__(self, legacy: Mapping[str, Legacy] = LEGACY, *, typed: bool = True) -> None:
        self._legacy = legacy
        self._typed = typed

    def __call__(self, rows: Sequence[Sequence[Any]]) -> list[RecordedEvent]:
        """Decode rows, each with the columns `EVENT_COLUMNS` or all of them.

        Raises:
            UntrustedLog: a row holds data that Sabot cannot have written.
        """
        decode, names = _decode, NAMES if self._typed else {}
        if rows and len(rows[0]) > len(EVENT_COLUMNS):
            rows = [row[: len(EVENT_COLUMNS)] for row in rows]
        try:
            events = [
                RecordedEvent(
                    i, stream, version, at, recorded, actor, device, seq, decoded, event_id, version
                )
                for i, event_id, stream, version, name, at, recorded, actor, device, seq, payload
                in rows
                if names[type(decoded := decode(payload))] == name
            ]  # fmt: skip
        except (*UNREADABLE, KeyError):
            events = []
        if len(events) == len(rows):
            return events
        # some row has a former shape or is invalid: decode them one by one
        return [self._event(StoredRow(*row)) for row in rows]

    def of_stream(self, stream: str, rows: Sequence[Sequence[Any]]) -> list[RecordedEvent]:
        """Decode rows of one stream.

        The rows have the columns `EVENT_COLUMNS` except the stream.

        Raises:
            UntrustedLog: a row holds data that Sabot cannot have written.
        """
        decode, names = _decode, NAMES if self._typed else {}
        try:
            events = [
                RecordedEvent(
                    i, stream, version, at, recorded, actor, device, seq, decoded, event_id, version
                )
                for i, event_id, version, name, at, recorded, actor, device, seq, payload in rows
                if names[type(decoded := decode(payload))] == name
            ]
        except (*UNREADABLE, KeyError):
            events = []
        if len(events) == len(rows):
            return events
        return [self._event(StoredRow(*(*row[:2], stream, *row[2:]))) for row in rows]

    def _event(self, row: StoredRow) -> RecordedEvent:
        for column, kinds in COLUMN_TYPES.items():
            if type(getattr(row, column)) not in kinds:
                raise _untrusted(row, f"its {column} is of another type")
        try:
            tag = msgspec.json.decode(row.payload, type=_Tagged).type
            decoded = upcast(row.payload, self._legacy)
        except UNREADABLE as error:
            if row.name not in self._legacy and _is_newer(row, str(error)):
                raise NewerEvent(
                    f"event {row.id} ({row.stream} version {row.version}, {row.name}) was written "
                    "by a newer version of Sabot; install the newer version. If none is in use, "
                    "somebody forged it: isolate it with "
                    f"`sabot store isolate {row.id} --by NAME --note REASON`"
                ) from error
            raise _untrusted(row, f"its payload is not an event: {error}") from error
        if tag != row.name:
            raise _untrusted(row, f"its payload is a {tag}")
        return RecordedEvent(
            row.id, row.stream, row.version, row.at_us, row.recorded_us,
            row.actor, row.device, row.seq, decoded, row.event_id, row.version,
        )  # fmt: skip


_TAG: Final = re.compile(r"[a-z]+(-[a-z0-9]+)+")


def _is_newer(row: StoredRow, error: str) -> bool:
    """Return whether a row is well formed but has a kind or a key that is unknown here."""
    if not isinstance(row.payload, str):
        return False
    try:
        payload = row.payload.encode()
        raw = msgspec.json.decode(payload)
        whole = isinstance(raw, dict) and _encode(raw) == payload and raw.get("type") == row.name
    except UNREADABLE:
        return False
    if not whole or not _TAG.fullmatch(row.name):
        return False
    return row.name not in _KNOWN or error.startswith("Object contains unknown field")


_KNOWN: Final = frozenset(NAMES.values())


def row_sha256(row: StoredRow) -> str:
    """Return the SHA-256 of a stored row, over all of its columns."""
    return hashlib.sha256(_encode(row)).hexdigest()


def _untrusted(row: StoredRow, why: str) -> UntrustedLog:
    name = str(row.name)[:40]  # a damaged file may have no name
    return UntrustedLog(
        f"event {row.id} ({row.stream} version {row.version}, named {name!r}) cannot be "
        f"trusted: {why}; this program did not write it"
    )
