"""Record lines: events of a device, and invalid lines."""

import contextlib
import json
import time
from importlib.resources import files
from typing import get_args

import jsonschema
import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.record_line import RecordLines, read_record_line, schema
from sabot.infrastructure.rule_packs import shipped, shoe_loaded
from tests.support.for_each import for_each
from tests.support.thorough import slow

SHIPPED = json.loads(
    (files("sabot.infrastructure") / "schemas" / "record-line.schema.json").read_bytes()
)
CONFORMS = jsonschema.Draft202012Validator(SHIPPED)
DRAWN = {"type": "card-drawn", "coup": 1, "hand": "player", "card": "Th"}


def line(payload=DRAWN, stream="shoe/H", **keys):
    return json.dumps({"stream": stream, "fact": payload} | keys).encode()


@slow
def test_the_shipped_schema_is_that_of_the_events():
    # `python -m sabot.infrastructure.imports.record_line` writes it anew
    assert json.loads(msgspec.json.encode(schema())) == SHIPPED
    jsonschema.Draft202012Validator.check_schema(SHIPPED)


def test_a_line_as_the_documentation_has_it():
    sent = line(at="2026-01-01T20:00:00.5Z", actor="floor", device="reader-7", seq=12, id="e-1")
    assert read_record_line(sent) == NewEvent(
        "shoe/H",
        ev.CardDrawn(1, "player", "Th"),
        1_767_297_600_500_000,
        "floor",
        "reader-7",
        12,
        "e-1",
    )


def test_the_event_may_stand_under_either_key():
    sent = json.dumps({"stream": "shoe/H", "event": DRAWN | {"card": "10h"}}).encode()
    assert read_record_line(sent) == read_record_line(line())
    with pytest.raises(BadInput, match="'event' is unknown"):
        read_record_line(line(event=DRAWN))


def test_a_line_of_two_keys():
    draft = read_record_line(line(), actor="desk")
    assert draft == NewEvent("shoe/H", ev.CardDrawn(1, "player", "Th"), actor="desk")


@pytest.mark.parametrize(
    "payload",
    [
        DRAWN | {"card": "10h"},
        DRAWN | {"card": "t\u2665"},
        DRAWN | {"face_up": False, "place": None},
    ],
)
def test_the_same_event_in_other_words(payload):
    assert read_record_line(line(payload)) == read_record_line(line())


def test_cards_in_every_spelling_wherever_they_stand():
    ended = {"type": "shoe-ended", "faces": ["10", "A\u2660"]}
    assert read_record_line(line(ended)).payload == ev.ShoeEnded(faces=("T", "As"))
    told = {
        "type": "fact-corrected",
        "version": 3,
        "reason": "misread",
        "instead": DRAWN | {"card": "1s"},
    }
    assert read_record_line(line(told)).payload.instead == ev.CardDrawn(1, "player", "As")


@for_each(
    ("bad", "told"),
    [
        (
            line({"type": "card-eaten"}),
            "fact.type: invalid value 'card-eaten'; the names of events are in",
        ),
        (line({"coup": 1}), "the key 'type' is missing"),
        (line(DRAWN | {"coup": 0}), "fact.coup: expected a whole number >= 1"),
        (line(DRAWN | {"card": "11h"}), "'11h' is not a card"),
        (line(DRAWN | {"card": 4}), "fact.card: expected a text, got a whole number"),
        (line(DRAWN | {"weight": 4}), "fact: the key 'weight' is unknown"),
        (line(seq=3), "seq: it is a device's running number; name the device"),
        (line(seq=-1, device="d"), "a device numbers its events with whole numbers from 0"),
        (line(at="today"), "a time is a text with its offset"),
        (line(at="2026-02-30T00:00:00Z"), "at: '2026-02-30T00:00:00Z' is not a valid time"),
        (line(device=""), "device: expected a text of length >= 1"),
        (line(stream="H"), "a stream is shoe/NAME, table/NAME or cards/NAME"),
        (line(stream="shoe/"), "a stream is shoe/NAME, table/NAME or cards/NAME"),
        (line(stream="shoe/" + "x" * 101), "a stream is shoe/NAME, table/NAME or cards/NAME"),
        (line(stream="deck/1"), "a stream is shoe/NAME, table/NAME or cards/NAME"),
        (
            line(stream="table/T1"),
            "card-drawn belongs in shoe/NAME, and 'table/T1' is of another kind",
        ),
        (
            line({"type": "table-closed", "inventory": 5}),
            "table-closed belongs in table/NAME, and 'shoe/H' is of another kind; send it there",
        ),
        (
            line(
                {
                    "type": "fact-corrected",
                    "version": 1,
                    "reason": "",
                    "instead": {
                        "type": "fact-corrected",
                        "version": 1,
                        "reason": "",
                        "instead": {"type": "table-closed", "inventory": 5},
                    },
                }
            ),
            "table-closed belongs in table/NAME",
        ),
        (line().replace(b'"coup": 1', b'"coup": 1, "coup": 1'), "the key 'coup' occurs twice"),
        (line().replace(b'"coup": 1', b'"coup": 1.0'), "expected a whole number"),
    ],
)
def test_what_cannot_be_a_event(bad, told):
    with pytest.raises(BadInput) as caught:
        read_record_line(bad)
    assert told in str(caught.value)


@pytest.mark.parametrize("kind", ["crew-changed", "limits-changed", "fact-corrected"])
def test_events_of_shoes_and_tables_alike(kind):
    rest = {
        "crew-changed": {"post": "dealer", "person": "d1"},
        "limits-changed": {"limits": []},
        "fact-corrected": {"version": 1, "reason": "doubled"},
    }[kind]
    for stream in ("shoe/H", "table/T1"):
        assert ev.name_of(read_record_line(line({"type": kind} | rest, stream)).payload) == kind


def corrections(depth):
    told = DRAWN
    for _ in range(depth):
        told = {"type": "fact-corrected", "version": 1, "reason": "", "instead": told}
    return told


def test_corrections_of_corrections_end_at_depth_32():
    # the line is one level, its event the next
    assert read_record_line(line(corrections(30)))
    with pytest.raises(BadInput, match="nested deeper than 32"):
        read_record_line(line(corrections(31)))
    with pytest.raises(BadInput, match="nested deeper than 32"):
        read_record_line(line(corrections(400)))


def event_values(kind):
    """A strategy for JSON objects that are nearly events of a kind."""
    odd = st.sampled_from([None, 1, 0, -1, "x", "Th", "10H", [], ["K"], True, 1.5, "player", "P"])
    keys = {field.encode_name: odd for field in msgspec.structs.fields(kind)}
    return st.fixed_dictionaries({"type": st.just(kind.__struct_config__.tag)}, optional=keys)


@given(
    st.sampled_from(get_args(ev.Event)).flatmap(event_values),
    st.sampled_from(["shoe/H", "table/T", "x"]),
    st.dictionaries(
        st.sampled_from(["at", "actor", "device", "seq", "id", "more"]),
        st.sampled_from([None, "", "d", 0, 7, "2026-01-01T00:00:00Z", []]),
    ),
)
def test_what_is_read_conforms_to_the_schema(payload, stream, keys):
    sent = line(payload, stream, **keys)
    with contextlib.suppress(BadInput):
        draft = read_record_line(sent)
        canonical = json.loads(sent)
        # cards may be written in more ways than the schema lists
        canonical["fact"] = json.loads(msgspec.json.encode(draft.payload))
        CONFORMS.validate(canonical)


@given(
    st.binary(max_size=100)
    | st.tuples(st.binary(max_size=8), st.integers(0, 99)).map(
        lambda cut: line()[: cut[1]] + cut[0] + line()[cut[1] + len(cut[0]) :]
    )
)
def test_any_bytes_are_a_event_or_bad_input(data):
    with contextlib.suppress(BadInput):
        read_record_line(data)


def test_a_shoe_is_opened_by_the_name_of_its_rule_pack():
    """The text is pinned with its hash, as `sabot deal` does."""
    named = {"type": "shoe-loaded", "decks": 8, "pack": "classic-8"}
    assert read_record_line(line(named)).payload == shoe_loaded("classic-8", decks=8)
    sha = pack_sha256(shipped()["classic-8"])
    assert read_record_line(line(named | {"pack_sha256": sha})).payload.pack_sha256 == sha
    CONFORMS.validate(json.loads(line(named)))
    house = RecordLines({"house": "a text"}).read(line(named | {"pack": "house"})).payload
    assert (house.pack, house.pack_sha256) == ("a text", pack_sha256("a text"))


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"pack": "clasic-8"}, "there is no rule pack 'clasic-8'; did you mean 'classic-8'"),
        ({"pack": "classic-8", "pack_sha256": "0" * 64}, "'classic-8' has another hash here"),
        ({"pack": "two\nlines"}, "the key 'pack_sha256' is missing"),
        ({"pack": 8}, "expected a text, got a whole number|pack_sha256' is missing"),
    ],
)
def test_a_rule_pack_that_is_not_known_is_refused(keys, message):
    with pytest.raises(BadInput, match=message):
        read_record_line(line({"type": "shoe-loaded", "decks": 8} | keys))


def test_a_line_of_repeated_keys_is_refused_at_once():
    """Thousands of keys in one line take milliseconds, whichever of them repeats."""
    others = "".join(f'"k{number}":1,' for number in range(3500))
    sent = b"{%s%s}" % (others.encode(), b",".join([b'"stream":1'] * 3500))
    began = time.process_time()
    for _ in range(30):
        with pytest.raises(BadInput, match="the key 'stream' occurs twice"):
            read_record_line(sent)
    assert time.process_time() - began < 2
