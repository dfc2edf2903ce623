"""Coup lines: their meaning, and errors with place and next step."""

import contextlib
import json
from importlib.resources import files

import jsonschema
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.coup_line import CoupLine, read_coup_line, recorded
from sabot.infrastructure.imports.strict_json import StrictReader, loads
from tests.support.for_each import for_each

ISSUED = (
    b'{"shoe": "H-1", "decks": 8, "rules": "classic-8", "table": "T1", "coup": 1, '
    b'"at": "2026-01-01T20:00:00Z", "burned": ["7c"], "player": ["4d","Qs"], '
    b'"banker": ["Th","8c"], "called": {"player": 4, "banker": 8, "outcome": "B"}, '
    b'"bets": [{"patron": "p0", "wager": "banker", "amount": 2500, "net": 2375}]}'
)
SCHEMA = json.loads(
    (files("sabot.infrastructure") / "schemas" / "coup-line.schema.json").read_bytes()
)
CONFORMS = jsonschema.Draft202012Validator(SCHEMA)


def line(**changes):
    """The shortest coup line, with keys changed, added or (None) taken away."""
    keys = {"shoe": "H-1", "coup": 1, "player": ["4", "5"], "banker": ["K", "9"]} | changes
    return json.dumps({key: value for key, value in keys.items() if value is not None}).encode()


def test_the_line_of_the_documentation():
    read = read_coup_line(ISSUED)
    assert (read.shoe, read.coup, read.decks, read.rules, read.table) == (
        "H-1",
        1,
        8,
        "classic-8",
        "T1",
    )
    content = read.content
    assert (content.player, content.banker, content.burned) == (("4d", "Qs"), ("Th", "8c"), ("7c",))
    assert content.at_us == 1_767_297_600_000_000
    assert (content.called.player, content.called.banker, content.called.outcome) == (4, 8, "B")
    assert [(b.patron, b.wager, b.amount, b.net) for b in content.bets] == [
        ("p0", "banker", 2500, 2375)
    ]


def test_four_keys_are_enough():
    read = read_coup_line(b'{"shoe":"H","coup":3,"player":["4"],"banker":[]}')
    assert read.content.player == ("4",)
    assert read.content.banker == read.content.burned == read.content.bets == ()
    assert read.content.called is None
    assert read.content.at_us is None
    assert read.decks is None


@for_each(
    ("spelling", "card"),
    [
        ("Th", "Th"),
        ("10H", "Th"),
        ("t\u2665", "Th"),
        (" 10\u2661 ", "Th"),
        ("1s", "As"),
        ("1", "A"),
        ("T", "T"),
        ("10", "T"),
        ("0", "0"),
        ("k", "K"),
    ],
)
def test_a_card_in_every_spelling(spelling, card):
    assert read_coup_line(line(player=[spelling])).content.player == (card,)


@for_each(
    ("one", "other"),
    [
        (line(player=["10H"]), line(player=["Th"])),
        (line(called={}), line()),
        (line(bets=[]), line()),
        (line(burned=[]), line()),
        (line(at="2026-01-01T20:00:00Z"), line(at="2026-01-01T21:00:00.000+01:00")),
        (
            b'{"coup":1,"banker":[],"player":[],"shoe":"a"}',
            b'{"shoe":"a","coup":1,"player":[],"banker":[]}',
        ),
        (line(), line().replace(b'"coup"', b'"decks": null, "at": null, "coup"')),
        (
            line(shoe="\u00e9"),
            b'{"shoe":"\xc3\xa9","coup":1,"player":["4","5"],"banker":["K","9"]}',
        ),
    ],
)
def test_two_lines_that_mean_the_same(one, other):
    assert read_coup_line(one) == read_coup_line(other)


@for_each(
    ("bad", "place", "told"),
    [
        (line(coup=None), "", "the key 'coup' is missing; coups are numbered from 1"),
        (line(player=None), "", "the key 'player' is missing; cards are a list"),
        (line(player=None, banker=None), "", "a coup without cards has its outcome in called"),
        (line(stake=3), "", "the key 'stake' is unknown"),
        (line(called={"winner": "P"}), "", "called: the key 'winner' is unknown"),
        (b'{"shoe":"a","coup":1,"player":[],"banker":[],"coup":2}', "", "'coup' occurs twice"),
        (
            b'{"shoe":"a","coup":1,"player":[],"banker":[],"called":{"player":1,"player":1}}',
            "",
            "'player' occurs twice",
        ),
        (line(coup=1.0), "", "coup: expected a whole number, got a number with a fraction"),
        (line(coup=True), "", "coup: expected a whole number, got true or false"),
        (line(coup=0), "", "coup: expected a whole number >= 1"),
        (line(coup=2**53), "", "coup: expected a whole number <= 9007199254740991"),
        (line(decks=0), "", "decks are a number from 1 to 100"),
        (line(shoe=""), "", "a name is a text of 1 to 100 characters"),
        (line(shoe="x" * 101), "", "a name is a text of 1 to 100 characters"),
        (line(shoe="\U0001f0a1" * 100), "", "shoe: the name takes more than 380 bytes"),
        (line(shoe=7), "", "shoe: expected a text, got a whole number"),
        (line(player=["4x"]), "", "player: '4x' is not a card"),
        (line(player=[4]), "", "player[0]: expected a text"),
        (line(banker="K9"), "", "banker: expected a list, got a text"),
        (line(banker=["4"] * 21), "", "banker: expected a list of length <= 20"),
        (line(called={"player": 10}), "", "a called total is 0 to 9"),
        (line(called={"outcome": "B "}), "", "the outcome is P, B or T"),
        (line(at="2026-01-01T20:00:00"), "", "is not a time with its offset"),
        (line(at="2026-13-01T20:00:00Z"), "", "is not a valid time"),
        (line(at="2026-01-01T24:00:00Z"), "", "is not a valid time"),
        (line(at="1969-12-31T23:59:59Z"), "", "times run from 1970"),
        (
            line(bets=[{"patron": "p", "wager": "tie", "amount": 25.5}]),
            "",
            "bets[0].amount: expected a whole number, got a number with a fraction; money is a",
        ),
        (line(bets=[{"patron": "p", "wager": "tie", "amount": -1}]), "", "bets[0].amount"),
        (line(bets=[{"patron": "p", "wager": "tie"}]), "", "the key 'amount' is missing"),
        (b'{"shoe":"a","coup":NaN}', "", "NaN is not a number"),
        (b'{"shoe":"a","coup":-Infinity}', "", "-Infinity is not a number"),
        (line().replace(b"1", b"1e400"), "", "coup: expected a whole number"),
        (line().replace(b"1", b"9" * 5000), "", "a number has thousands of digits"),
        (line().replace(b'"H-1"', b'"\\ud800"'), "", "half of a surrogate pair"),
        (line().replace(b'"H-1"', b'"a\\u0000"'), "", "has a NUL character"),
        (
            line().replace(b'"H-1"', b'"a\x00"'),
            ":12",
            "this is not JSON: invalid control character",
        ),
        (line().replace(b'"H-1"', b'"\xff"'), ":11", "byte 0xff is not UTF-8"),
        (b'{"shoe": "a",,}', ":14", "this is not JSON"),
        (b'{"shoe" "a"}', ":9", "this is not JSON"),
        (line() + b" x", f":{len(line()) + 2}", "this is not JSON: extra data"),
        (b"[" * 60_000 + b"]" * 60_000, "", "nested deeper than 32"),
        (b'{"shoe":' + b"[" * 40 + b"]" * 40 + b"}", "", "nested deeper than 32"),
        (b"\xef\xbb\xbf" + line(), ":1", "a byte order mark"),
        (b"[1]", "", "the line is not a JSON object"),
        (b"null", "", "the line is not a JSON object"),
    ],
)
def test_what_cannot_be_read(bad, place, told):
    with pytest.raises(BadInput) as caught:
        read_coup_line(bad)
    assert caught.value.where == place
    assert told in caught.value.message


def test_many_bets_are_read_with_care_and_equal_speeded_reading():
    bets = [{"patron": f"p{n}", "wager": "tie", "amount": n} for n in range(200)]
    assert len(read_coup_line(line(bets=bets)).content.bets) == 200


def names():
    return st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)


def wild(*values):
    """Mostly a good value, sometimes none, sometimes another type or out of bounds."""
    junk = st.sampled_from([None, True, 0, -1, 2**53, 1.5, "", "x" * 101, [], {}, [None], "4h"])
    return st.one_of(*values, *values, *values, junk)


CARDS = st.sampled_from(["Th", "10H", "k", "0", "A\u2660", "9", "1", "0h", "11", "", "H10"])
COUP_LINES = st.fixed_dictionaries(
    {
        "shoe": wild(names()),
        "coup": wild(st.integers(1, 90)),
        "player": wild(st.lists(CARDS, max_size=4)),
        "banker": wild(st.lists(CARDS, max_size=22)),
    },
    optional={
        "decks": wild(st.integers(1, 12)),
        "rules": wild(st.just("classic-8")),
        "table": wild(names()),
        "burned": wild(st.lists(CARDS, max_size=2)),
        "at": wild(st.sampled_from(["2026-01-01T20:00:00Z", "2026-01-01 20:00:00.5-03:30"])),
        "called": wild(
            st.fixed_dictionaries(
                {},
                optional={
                    "player": wild(st.integers(0, 9)),
                    "banker": wild(st.integers(0, 9)),
                    "outcome": wild(st.sampled_from("PBT")),
                },
            )
        ),
        "bets": wild(
            st.lists(
                st.fixed_dictionaries(
                    {
                        "patron": wild(names()),
                        "wager": wild(names()),
                        "amount": wild(st.integers(0, 10**6)),
                    },
                    optional={"net": wild(st.integers(-(10**6), 10**6))},
                ),
                max_size=2,
            )
        ),
        "stray": st.integers(),
    },
)


@given(COUP_LINES)
@example({"shoe": "a", "coup": 1, "player": [], "banker": [], "called": {"outcome": None}})
def test_the_schema_and_the_reader_agree(keys):
    try:
        read_coup_line(json.dumps(keys).encode())
    except BadInput:
        assert not CONFORMS.is_valid(keys)
    else:
        CONFORMS.validate(keys)


@given(COUP_LINES, st.booleans())
def test_reading_at_speed_and_with_care_agree(keys, ascii_only):
    text = json.dumps(keys, ensure_ascii=ascii_only).encode()
    careful = StrictReader(CoupLine, {"": ""})
    try:
        slow = recorded(careful.convert(loads(text)))
    except BadInput:
        with pytest.raises(BadInput):
            read_coup_line(text)
    else:
        assert read_coup_line(text) == slow


@given(st.data())
def test_a_damaged_line_is_read_or_refused_never_worse(data):
    damaged = bytearray(ISSUED)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(damaged) - 1))
        kept = data.draw(st.integers(0, 2))
        damaged[place : place + kept] = data.draw(
            st.one_of(
                st.binary(max_size=3),
                st.sampled_from(
                    [b'"', b"{", b"]", b",", b"\\u", b"NaN", b'"coup":', b"1e9", b"\xed"]
                ),
            )
        )
    with contextlib.suppress(BadInput):
        read_coup_line(bytes(damaged))


@given(st.binary(max_size=200))
def test_any_bytes_are_refused_as_bad_input(data):
    with pytest.raises(BadInput):
        read_coup_line(data)
