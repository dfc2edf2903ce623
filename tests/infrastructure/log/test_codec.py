"""The permanent stored form of events."""

from pathlib import Path
from typing import Literal, get_args

import msgspec
import pytest
import rfc8785
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.domain.events.upcasting import Legacy
from sabot.domain.values.errors import BadInput, NewerEvent, UntrustedLog
from sabot.infrastructure.database.schema import log_event
from sabot.infrastructure.log.codec import (
    EVENT_COLUMNS,
    MAX_PAYLOAD_BYTES,
    Decoder,
    StoredRow,
    row_of,
)
from sabot.infrastructure.log.event_log import EventLog
from tests.support.any_events import payloads
from tests.support.for_each import for_each

# A payload of each kind, as the first release wrote it. Lines are added, never changed.
FIRST_RELEASE = (Path(__file__).parents[1] / "first_release.jsonl").read_text().splitlines()


def stored(payload: str, name: str, index: int = 1) -> StoredRow:
    return StoredRow(index, None, "shoe/A", index, name, None, 5, "", "", None, payload)


def event_of(payload: str) -> ev.Event:
    name = msgspec.json.decode(payload)["type"]
    return Decoder()([stored(payload, name)])[0].payload


@for_each("payload", FIRST_RELEASE)
def test_what_the_first_release_wrote_can_be_read(payload: str) -> None:
    decoded = event_of(payload)
    assert msgspec.json.decode(row_of(NewEvent("shoe/A", decoded)).payload) == msgspec.json.decode(
        payload
    )


def test_each_kind_has_the_name_that_it_had_in_the_first_release() -> None:
    names = [msgspec.json.decode(payload)["type"] for payload in FIRST_RELEASE]
    assert {ev.name_of(event_of(payload)) for payload in FIRST_RELEASE} == set(names)
    assert {kind.__struct_config__.tag for kind in get_args(ev.Event)} >= set(names)


@given(payloads())
def test_a_payload_is_canonical_json(decoded: ev.Event) -> None:
    payload = row_of(NewEvent("shoe/A", decoded)).payload
    assert payload.encode() == rfc8785.dumps(msgspec.to_builtins(decoded))


@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=60))
def test_any_words_are_canonical_json(words: str) -> None:
    decoded = ev.IrregularityNoted("other", detail=words)
    payload = row_of(NewEvent("shoe/A", decoded)).payload
    assert payload.encode() == rfc8785.dumps(msgspec.to_builtins(decoded))
    assert event_of(payload) == decoded


OPENED = ev.CoupOpened(1)
REFUSED = {
    "no stream": NewEvent("", OPENED),
    "a long stream": NewEvent("shoe/" + "x" * 400, OPENED),
    "a stream of long letters": NewEvent("shoe/" + "\u540d" * 150, OPENED),
    "a NUL": NewEvent("shoe/A\0", OPENED),
    "a NUL in the device": NewEvent("shoe/A", OPENED, device="\0"),
    "a lone surrogate": NewEvent("shoe/A", OPENED, actor="\ud800"),
    "a lone surrogate in a fact": NewEvent("shoe/A", ev.PatronLeft("\udfff")),
    "a sequence beyond JSON": NewEvent("shoe/A", OPENED, seq=2**53),
    "a clock beyond JSON": NewEvent("shoe/A", OPENED, at_us=-(2**53)),
    "coup zero": NewEvent("shoe/A", ev.CoupOpened(0)),
    "a card that is none": NewEvent("shoe/A", ev.CardBurned("Zx")),
    "a total of ten": NewEvent("shoe/A", ev.TotalsCalled(1, 10, 0)),
    "an event too large": NewEvent("shoe/A", ev.OrderOpened("0" * 32, ("Th",) * 20_000)),
}


@for_each("draft", REFUSED.values(), ids=REFUSED.keys())
def test_what_could_not_be_read_back_is_not_written(draft: NewEvent) -> None:
    with pytest.raises(BadInput):
        row_of(draft)


def test_a_whole_rule_pack_fits() -> None:
    loaded = ev.ShoeLoaded(8, "x" * 40_000, "0" * 64)
    assert len(row_of(NewEvent("shoe/A", loaded)).payload) < MAX_PAYLOAD_BYTES


FORGED = {
    "not JSON": ('{"coup":1', "coup-opened"),
    "no fact": ("[]", "coup-opened"),
    "a name that is not ours": ('{"coup":1,"type":"coup-opened"}', "os:system"),
    "a kind that is not ours": ('{"coup":1,"type":"os:system"}', "os:system"),
    "another kind": ('{"coup":1,"type":"coup-closed"}', "coup-opened"),
    "a column more, not canonical": ('{"coup":1,"x":1, "type":"coup-opened"}', "coup-opened"),
    "a wrong type": ('{"coup":"1","type":"coup-opened"}', "coup-opened"),
    "out of range": ('{"coup":0,"type":"coup-opened"}', "coup-opened"),
    "two events in one": ('{"coup":1,"type":"coup-opened"},{}', "coup-opened"),
    "no text": (b'{"coup":1,"type":"coup-opened"}'[:4], "coup-opened"),
    "no payload": (None, "coup-opened"),
    "deep": ("[" * 100_000, "coup-opened"),
    "deep in a column": ('{"x":' + "[" * 100_000, "coup-opened"),
}


@for_each(("payload", "name"), FORGED.values(), ids=FORGED.keys())
def test_a_row_that_is_not_ours_is_named(payload: str, name: str) -> None:
    good = stored('{"coup":1,"type":"coup-opened"}', "coup-opened", 6)
    with pytest.raises(UntrustedLog, match=r"event 7 \(shoe/A version 7, named "):
        Decoder()([good, stored(payload, name, 7)])


# -- Events of earlier shapes ----------------------------------------------------------------


class CardDealt(msgspec.Struct, forbid_unknown_fields=True):
    """How a draw might have been written once: a side and a place in words."""

    coup: int
    side: Literal["P", "B"]
    rank: str
    suit: str


def drawn(old: CardDealt) -> ev.CardDrawn:
    return ev.CardDrawn(old.coup, {"P": "player", "B": "banker"}[old.side], old.rank + old.suit)


OLD_SHAPES = {"card-dealt": Legacy(CardDealt, drawn)}
OLD = '{"coup":1,"rank":"T","side":"P","suit":"h","type":"card-dealt"}'


def test_an_old_event_is_read_as_todays() -> None:
    new = '{"coup":2,"type":"coup-opened"}'
    rows = [stored(OLD, "card-dealt", 1), stored(new, "coup-opened", 2)]
    assert Decoder(OLD_SHAPES)(rows) == [
        RecordedEvent(
            1, "shoe/A", 1, None, 5, "", "", None, ev.CardDrawn(1, "player", "Th"), position=1
        ),
        RecordedEvent(2, "shoe/A", 2, None, 5, "", "", None, ev.CoupOpened(2), position=2),
    ]


def test_an_old_event_within_a_correction_is_read_as_todays() -> None:
    payload = f'{{"instead":{OLD},"reason":"misread","type":"fact-corrected","version":1}}'
    (event,) = Decoder(OLD_SHAPES)([stored(payload, "fact-corrected")])
    assert event.payload == ev.EventCorrected(1, "misread", None, ev.CardDrawn(1, "player", "Th"))


def test_an_event_that_nobody_registered_is_a_newer_programs() -> None:
    with pytest.raises(NewerEvent, match=r"card-dealt.*install the newer version"):
        Decoder()([stored(OLD, "card-dealt")])


def test_a_key_that_nobody_knows_is_a_newer_programs() -> None:
    with pytest.raises(NewerEvent, match=r"event 7 .*install the newer version"):
        Decoder()([stored('{"coup":1,"type":"coup-opened","x":1}', "coup-opened", 7)])


@pytest.mark.parametrize(
    "payload",
    [
        OLD.replace('"coup":1', '"coup":"1"'),
        OLD.replace('"T"', '"X"'),
        OLD.replace('"suit":"h",', ""),
        OLD.replace('"P"', '"Q"'),
    ],
)
def test_an_old_event_of_a_wrong_shape_is_not_ours(payload: str) -> None:
    with pytest.raises(UntrustedLog, match="event 1 "):
        Decoder(OLD_SHAPES)([stored(payload, "card-dealt")])


def test_an_old_log_is_read_with_todays_eyes_and_kept_as_it_is(database_url: str) -> None:
    columns = "NULL, 'shoe/A', {n}, '{name}', NULL, 5, '', '', NULL, '{payload}'"
    rows = [
        columns.format(n=1, name="card-dealt", payload=OLD),
        columns.format(n=2, name="coup-closed", payload='{"coup":1,"type":"coup-closed"}'),
    ]
    payloads = [ev.CardDrawn(1, "player", "Th"), ev.CoupClosed(1), ev.CoupOpened(2)]
    with EventLog.open(database_url, legacy=OLD_SHAPES) as log:
        with log.database.writing() as connection:
            for n, row in enumerate(rows, 1):
                to = f"log_event ({', '.join(EVENT_COLUMNS)})"
                connection.exec_driver_sql(f"INSERT INTO {to} VALUES ({n}, {row})")
        log.append([NewEvent("shoe/A", ev.CoupOpened(2))])
        assert [event.payload for event in log.read("shoe/A")] == payloads
        assert [event.payload for event in next(log.follow(0))] == payloads
        kept = stored_rows(log)
        assert [row.name for row in kept] == ["card-dealt", "coup-closed", "coup-opened"]
    with EventLog.open("sqlite://", legacy=OLD_SHAPES) as copy:
        assert copy.restore(kept, origin="old/1") == 3
        assert stored_rows(copy) == kept
        assert copy.import_events(kept, origin="old/1") == 0
    with EventLog.open("sqlite://") as copy, pytest.raises(NewerEvent, match="card-dealt"):
        copy.import_events(kept)


def stored_rows(log: EventLog) -> list[StoredRow]:
    with log.database.reading() as connection:
        return [StoredRow(*row) for row in connection.execute(sa.select(log_event))]


def test_the_same_event_has_the_same_bytes_whoever_made_it() -> None:
    plain = row_of(NewEvent("shoe/A", ev.ShoeEnded(left=4)))
    # an equal default, but another object: as another module, or a device, makes it
    cut_card = b"cut-card".decode()
    made = row_of(NewEvent("shoe/A", ev.ShoeEnded(left=4, reason=cut_card)))  # type: ignore[arg-type]
    assert made == plain
    assert made.payload == '{"left":4,"type":"shoe-ended"}'
