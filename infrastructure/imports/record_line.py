"""The record line: an event as a JSON object.

A device or another program sends one object per line. `schemas/record-line.schema.json` documents
every key; it is generated from the types here.
"""

import inspect
import sys
from collections.abc import Mapping
from typing import Annotated, Any, Final, get_args

import msgspec
from msgspec import Meta, Struct

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.events.review import ReviewEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.values.cards import parse_card
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.imports.parsing import parse_time
from sabot.infrastructure.imports.strict_json import StrictReader
from sabot.infrastructure.rule_packs import shipped, shipped_text

TIME: Final = (
    "^[0-9]{4}-[0-9]{2}-[0-9]{2}[Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}"
    r"(\.[0-9]{1,9})?([Zz]|[+-][0-9]{2}:[0-9]{2})$"
)
_KINDS: Final = {
    "shoe": ev.ShoeEvent,
    "table": ev.TableEvent,
    "cards": ev.CardBatchEvent,
    "audit": ReviewEvent,
}
_EVENTS: Final = {kind: frozenset(get_args(payloads)) for kind, payloads in _KINDS.items()}
_CARD_KEYS: Final = ("card", "order", "faces")


class RecordLine(
    Struct, frozen=True, gc=False, kw_only=True, omit_defaults=True, forbid_unknown_fields=True
):
    """An event to be recorded, as a device sends it.

    A program may send it too. An optional key may be left out, or be null. Duplicate keys are
    errors. ``id``, or ``device`` with ``seq``, makes it safe to send the line again.
    """

    stream: Annotated[
        str,
        Meta(
            pattern="^(shoe|table|cards)/",
            max_length=106,
            description="Where it happened: shoe/NAME, table/NAME, or cards/NAME for a batch of "
            "decks. Reviews of findings are recorded with `sabot findings`, not here.",
        ),
    ]
    payload: ev.ShoeEvent | ev.TableEvent | ev.CardBatchEvent = msgspec.field(name="fact")
    at: (
        Annotated[
            str,
            Meta(
                pattern=TIME,
                description="The table's clock (RFC 3339, with its offset, 1970 to 2254). "
                "Digits after the microsecond are dropped.",
                extra_json_schema={"format": "date-time"},
            ),
        ]
        | None
    ) = None
    actor: Annotated[ev.Name, Meta(description="Who saw it, or did it.")] | None = None
    device: Annotated[ev.Name, Meta(description="What sent it.")] | None = None
    seq: (
        Annotated[int, Meta(ge=0, le=ev.MAX_INT, description="The device's own running number.")]
        | None
    ) = None
    id: (
        Annotated[str, Meta(min_length=1, max_length=100, description="The event's own identity.")]
        | None
    ) = None


ADVICE: Final = {
    "": "docs/import.md explains record lines",
    "stream": "a stream is shoe/NAME, table/NAME or cards/NAME, the name of 1 to 100 characters",
    "at": "a time is a text with its offset, as 2026-01-01T20:00:00.5Z",
    "seq": "a device numbers its events with whole numbers from 0",
    "type": "the names of events are in schemas/record-line.schema.json",
    "card": "a card is a text, as 4d, 10H, K or 0",
    "amount": "money is a whole number of minor units, so 25.00 is 2500",
}


def _spelled(value: object) -> object:
    """Convert cards in any spelling to canonical text, and the key ``event`` to ``fact``.

    Invalid cards stay for the error message.
    """
    if not isinstance(value, dict):
        return value
    if "event" in value and "fact" not in value:
        value["fact"] = value.pop("event")
    if isinstance(payload := value.get("fact"), dict):
        _spell_cards(payload)
    return value


def _spell_cards(payload: dict[str, Any]) -> None:
    for key in _CARD_KEYS:
        cards = payload.get(key)
        if isinstance(cards, str):
            payload[key] = parse_card(cards)
        elif isinstance(cards, list):
            payload[key] = [parse_card(card) if isinstance(card, str) else card for card in cards]
    if isinstance(instead := payload.get("instead"), dict):
        _spell_cards(instead)


class RecordLines:
    """Parses record lines.

    In a ``shoe-loaded`` the name of a rule pack may be given instead of its text. It is replaced by
    the text and its hash.

    Args:
        packs: the texts of rule packs by name, beside the shipped ones.
    """

    def __init__(self, packs: Mapping[str, str] | None = None) -> None:
        self._packs = packs or {}
        self._read = StrictReader(RecordLine, ADVICE, self._spelled).read

    def read(self, line: bytes, actor: str = "") -> NewEvent:
        """Parse a record line; ``actor`` is the default actor.

        Raises:
            BadInput: the line is invalid; ``where`` is a column, if known.
        """
        read = self._read(line)
        if isinstance(read.payload, ev.ShoeLoaded) and _is_name(read.payload.pack):
            read = msgspec.structs.replace(read, payload=self._pinned(read.payload))
        return _draft(read, actor)

    def _spelled(self, value: object) -> object:
        """Add the hash of a rule pack that is given by name without its hash."""
        value = _spelled(value)
        payload = value.get("fact") if isinstance(value, dict) else None
        if isinstance(payload, dict) and payload.get("type") == "shoe-loaded":
            name = payload.get("pack")
            if "pack_sha256" not in payload and isinstance(name, str) and _is_name(name):
                payload["pack_sha256"] = pack_sha256(self._text(name))
        return value

    def _pinned(self, loaded: ev.ShoeLoaded) -> ev.ShoeLoaded:
        text = self._packs.get(loaded.pack) or shipped().get(loaded.pack)
        if text is None:
            return loaded  # it is recorded as it was sent, and the audit reports it
        if pack_sha256(text) != loaded.pack_sha256:
            raise BadInput(
                f"fact.pack_sha256: the rule pack {loaded.pack!r} has another hash here; send its "
                "text, or install the version of Sabot that has it"
            )
        return msgspec.structs.replace(loaded, pack=text)

    def _text(self, name: str) -> str:
        try:
            return self._packs[name] if name in self._packs else shipped_text(name)
        except NotFound as error:
            raise BadInput(f"fact.pack: {error}") from None


def _is_name(pack: str) -> bool:
    """Return whether a text names a rule pack. The text of a pack has several lines."""
    return bool(pack) and "\n" not in pack


read_record_line: Final = RecordLines().read
"""Parse a record line with the shipped rule packs, as `RecordLines.read`."""


def _draft(read: RecordLine, actor: str) -> NewEvent:
    if read.seq is not None and read.device is None:
        raise BadInput("seq: it is a device's running number; name the device")
    check_stream(read.stream, read.payload)
    return NewEvent(
        read.stream,
        read.payload,
        None if read.at is None else _time(read.at),
        read.actor or actor,
        read.device or "",
        read.seq,
        read.id,
    )


def check_stream(stream: str, payload: ev.Event) -> None:
    """Check that an event may be in its stream.

    The kinds of streams are shoe, table, cards and audit. A record line never has a stream of
    audit; a copy of a log may.

    Raises:
        BadInput: the stream's name is invalid, or its kind has no such event.
    """
    kind, _, name = stream.partition("/")
    payloads = _EVENTS.get(kind)
    if payloads is None or not 0 < len(name) <= 100:  # noqa: PLR2004 - as ev.Name
        raise BadInput(f"stream: {stream[:120]!r} is none; {ADVICE['stream']}")
    actual = payload
    while type(actual) in payloads:
        if not isinstance(actual, ev.EventCorrected) or actual.instead is None:
            return
        actual = actual.instead
    other = next(other for other, kinds in _EVENTS.items() if type(actual) in kinds)
    raise BadInput(
        f"fact: {ev.name_of(actual)} belongs in {other}/NAME, and {stream!r} is of another kind; "
        "send it there"
    )


def _time(text: str) -> int:
    try:
        return parse_time(text)
    except BadInput as error:
        raise BadInput(f"at: {error.message}") from None


def schema() -> dict[str, object]:
    """Return the JSON Schema of a record line."""
    made = msgspec.json.schema(RecordLine)
    loaded = made["$defs"]["ShoeLoaded"]
    loaded["required"].remove("pack_sha256")
    loaded["properties"]["pack"]["description"] = (
        "The text of the rule pack with its pack_sha256; or its name, and the program adds both."
    )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:sabot:schema:record-line:1",
        "title": "Record line",
        **_tidied(made),
    }


def _tidied(part: dict[str, Any]) -> dict[str, Any]:
    """Remove the indentation of source code from the descriptions."""
    return {
        key: _tidied(value)
        if isinstance(value, dict)
        else inspect.cleandoc(value)
        if key == "description"
        else value
        for key, value in part.items()
    }


if __name__ == "__main__":
    text = msgspec.json.format(msgspec.json.encode(schema()), indent=2).decode()
    sys.stdout.write(text + "\n")
