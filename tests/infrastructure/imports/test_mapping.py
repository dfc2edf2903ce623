"""Mappings turn foreign files into coup records, or report key and line."""

import contextlib
import io
import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.imports.coup_line import Called, Wagered
from sabot.infrastructure.imports.mapped_coups import mapped_coups
from sabot.infrastructure.imports.mapping import load_mapping, parse_mapping, shipped_mappings
from sabot.infrastructure.imports.parsing import whole
from tests.support.for_each import for_each

MINIMAL = """
format = "jsonl"
[coup]
shoe = "s"
coup = "n"
player = "p"
banker = "b"
"""


def read(mapping, text):
    """The records of a file's text, with their lines, and what was complained of."""
    if isinstance(mapping, str):
        mapping = parse_mapping(mapping, "map.toml")
    data = text if isinstance(text, bytes) else text.encode()
    complaints = []
    records = list(mapped_coups(io.BytesIO(data), "file", mapping, complaints.append))
    return records, [str(error) for error in complaints]


def one(mapping, text):
    """The only record of a file without fault."""
    records, complaints = read(mapping, text)
    assert complaints == []
    ((_, record),) = records
    return record


def jsonl(extra="", **keys):
    """A record by a minimal mapping with more keys, from one JSON line."""
    row = {"s": "H", "n": 1, "p": ["4"], "b": ["5"]} | keys
    return one(MINIMAL + extra, json.dumps(row))


# -- What ships -------------------------------------------------------------------------------


def test_every_shipped_mapping_is_one():
    assert {"gryai", "jackchang", "coups-csv"} <= set(shipped_mappings())
    for name in shipped_mappings():
        load_mapping(name)


def test_a_game_with_one_bet_as_gryai_has_it():
    # a twin of the source's shape: money in whole units, computed in binary fractions
    row = (
        '{"game_id": "G-1", "player_id": "P-7", "start": "2024-06-10T09:35:33+02:00",'
        ' "end": "2024-06-10T09:38:16+02:00", "player": ["3D", "10C"], "banker": ["5H", "AS"],'
        ' "recorded": {"player_total": 3, "banker_total": 6, "outcome": "Banker wins!",'
        ' "bet": "Banker", "wager": 907.0, "net": 861.6499999999999, "last_action": "none"}}'
    )
    record = one(load_mapping("gryai"), row)
    assert (record.shoe, record.coup, record.decks, record.rules) == ("G-1", 1, None, None)
    content = record.content
    assert (content.player, content.banker) == (("3d", "Tc"), ("5h", "As"))
    assert content.at_us == 1_718_004_933_000_000  # 2024-06-10T07:35:33Z
    assert content.called == Called(player=3, banker=6, outcome="B")
    assert content.bets == (Wagered(patron="P-7", wager="banker", amount=90_700, net=86_165),)


def test_a_shoe_of_ranks_as_jackchang_has_it():
    records, complaints = read(
        load_mapping("jackchang"),
        '{"coup": 1, "player": ["10", "Q", "Q"], "banker": ["A", "2", "3"]}\n'
        '{"coup": 2, "player": ["9", "10"], "banker": ["3", "J"]}\n',
    )
    assert complaints == []
    assert [(n, r.shoe, r.decks, r.coup, r.content.player) for n, r in records] == [
        (1, "jackchang-75", 8, 1, ("T", "Q", "Q")),
        (2, "jackchang-75", 8, 2, ("9", "T")),
    ]


def test_a_spreadsheet_as_the_example_describes_it():
    text = (
        "\ufeffShoe;Date;Coup;P1;P2;P3;B1;B2;B3;Winner;Player bet;Banker bet\r\n"
        "S-12;31/01/2026 21:04;1;4\u2666;Q\u2660;;10\u2665;8\u2663;;Bank;;1.250,50\r\n"
        "\r\n"
        "S-12;;2;4;5;A;K;9;;;20;5,5"
    )
    records, complaints = read(load_mapping("coups-csv"), text)
    assert complaints == []
    (line, first), (fourth, second) = records
    assert (line, fourth) == (2, 4)
    assert first.content.player == ("4d", "Qs")
    assert first.content.at_us == 1_769_889_840_000_000  # 20:04 UTC: Madrid is an hour ahead
    assert first.content.called == Called(outcome="B")
    assert first.content.bets == (Wagered(patron="banco side", wager="banker", amount=125_050),)
    assert second.content.player == ("4", "5", "A")
    assert second.content.at_us is None
    assert [bet.amount for bet in second.content.bets] == [2000, 550]


# -- Where a value comes from -----------------------------------------------------------------


def test_a_path_walks_into_objects_and_lists():
    record = jsonl('table = "where.0.na\\\\.me"', where=[{"na.me": "T9"}])
    assert record.table == "T9"


def test_numbers_and_truths_are_texts_where_a_text_is_due():
    assert jsonl('table = "t"', t=7).table == "7"
    assert jsonl('table = "t"', t=True).table == "true"


def test_cards_are_listed_parted_or_in_columns():
    assert jsonl('burned = "x"', x=[4, "10H", 0]).content.burned == ("4", "Th", "0")
    parted = 'burned = { from = "x", separator = "-" }'
    assert jsonl(parted, x="4d-10H").content.burned == ("4d", "Th")
    assert jsonl('burned = { from = "x", separator = " " }', x="4d  K ").content.burned == (
        "4d",
        "K",
    )
    assert jsonl('burned = { from = "x", separator = "" }', x="480").content.burned == (
        "4",
        "8",
        "0",
    )
    assert jsonl('burned = ["x", "y", "z"]', x="4d", y=None, z=9).content.burned == ("4d", "9")
    named = 'burned = { from = "x", values = { Ace = "A", Bauer = "J" } }'
    assert jsonl(named, x=["Bauer", "Ace"]).content.burned == ("J", "A")


def test_coups_are_counted_where_the_file_does_not_number_them():
    counted = MINIMAL.replace('"n"', '{ count = "lines" }')
    rows = [{"s": shoe, "p": ["4"], "b": ["5"]} for shoe in ("A", "A", "B", "B", "B")]
    records, _ = read(counted, "\n".join(map(json.dumps, rows)))
    assert [(r.shoe, r.coup) for _, r in records] == [
        ("A", 1),
        ("A", 2),
        ("B", 1),
        ("B", 2),
        ("B", 3),
    ]


@pytest.mark.parametrize(
    ("how", "given_", "micros"),
    [
        ('"t"', "1970-01-01T00:00:01Z", 1_000_000),
        ('{ from = "t", format = "unix" }', 1.5, 1_500_000),
        ('{ from = "t", format = "unix" }', "1767297600.25", 1_767_297_600_250_000),
        ('{ from = "t", format = "unix-ms" }', 1_767_297_600_250, 1_767_297_600_250_000),
        ('{ from = "t", format = "unix-us" }', 1_767_297_600_250_001, 1_767_297_600_250_001),
        (
            '{ from = "t", format = "%d.%m.%y %H:%M", zone = "+02:00" }',
            "01.01.70 02:01",
            60_000_000,
        ),
        ('{ from = "t", format = "%d.%m.%y %H:%M %z" }', "01.01.70 02:01 +0200", 60_000_000),
    ],
)
def test_times_in_other_formats(how, given_, micros):
    assert jsonl(f"at = {how}", t=given_).content.at_us == micros


@pytest.mark.parametrize("local", ["2026-03-29 02:30", "2026-10-25 02:30"])
def test_a_local_time_that_the_clock_skipped_or_showed_twice(local):
    # Madrid put its clocks forward and back at these hours
    mapping = MINIMAL + 'at = { from = "t", format = "%Y-%m-%d %H:%M", zone = "Europe/Madrid" }'
    _, complaints = read(mapping, json.dumps({"s": "H", "n": 1, "p": [], "b": [], "t": local}))
    assert "twice or never" in complaints[0]


def test_bets_in_a_list_and_zero_stakes_skipped():
    bets = """
[[bets]]
each = "bets"
patron = "who"
wager = { from = "on", values = { p = "player", t = "tie" } }
amount = { from = "chips", scale = 2 }
skip_zero = true
"""
    rows = [
        {"who": "a", "on": "p", "chips": 5},
        {"who": "b", "on": "t", "chips": 0},
        {"who": "c", "on": "t", "chips": 0.5},
    ]
    assert jsonl(bets, bets=rows).content.bets == (
        Wagered(patron="a", wager="player", amount=500),
        Wagered(patron="c", wager="tie", amount=50),
    )
    assert jsonl(bets).content.bets == ()


BET_ROWS = (
    'rows = "bet"\n'
    + MINIMAL.replace('"jsonl"', '"csv"').replace('"p"', '["p1", "p2"]').replace('"b"', '["b1"]')
    + '[[bets]]\npatron = "who"\nwager = "on"\namount = "chips"\n'
)


def test_rows_of_bets_are_joined_to_their_coup():
    text = "s,n,p1,p2,b1,who,on,chips\nH,1,4,5,9,a,tie,1\nH,1,4,5,9,b,player,2\nH,2,4,5,9,a,tie,3\n"
    records, complaints = read(BET_ROWS, text)
    assert complaints == []
    assert [(n, r.coup, [b.amount for b in r.content.bets]) for n, r in records] == [
        (2, 1, [1, 2]),
        (4, 2, [3]),
    ]


def test_rows_of_bets_that_contradict_each_other():
    text = "s,n,p1,p2,b1,who,on,chips\nH,1,4,5,9,a,tie,1\nH,1,4,6,9,b,player,2\n"
    _, complaints = read(BET_ROWS, text)
    assert complaints == [
        "file:3: player is not as on line 2, for the same coup; correct one of the rows"
    ]


# -- Money ------------------------------------------------------------------------------------


@for_each(
    ("text", "scale", "rounding", "minor"),
    [
        ("907.0", 2, None, 90_700),
        ("732.4499999999999", 2, "nearest", 73_245),
        ("-732.4499999999999", 2, "nearest", -73_245),
        ("0.005", 2, "nearest", 1),
        ("-0.005", 2, "nearest", -1),
        ("0.019", 2, "down", 1),
        ("-0.019", 2, "down", -1),
        ("0.011", 2, "up", 2),
        ("-0.0", 2, None, 0),
        (".5", 1, None, 5),
        ("+7.", 0, None, 7),
        ("1e3", 0, None, 1000),
        ("25000e-3", 0, None, 25),
        ("90071992547409.91", 2, None, 2**53 - 1),
    ],
)
def test_money_is_exact(text, scale, rounding, minor):
    assert whole(text, scale, rounding) == minor


@for_each(
    ("text", "told"),
    [
        (
            "0.005",
            "is not a whole number of minor units (scale 2); set in the mapping how to round",
        ),
        ("90071992547409.92", "is too large"),
        ("1e400", "is too large"),
        ("1e9999", "is not a number"),
        ("NaN", "is not a number"),
        ("1_0", "is not a number"),
        ("\u0661\u0662", "is not a number"),
        ("", "is not a number"),
        ("1,5", "is not a number"),
        ("0x10", "is not a number"),
        (True, "is not a number"),
        (None, "is not a number"),
    ],
)
def test_what_is_no_money(text, told):
    with pytest.raises(BadInput) as caught:
        whole(text, 2)
    assert told in caught.value.message


@given(st.integers(-(10**12), 10**12), st.integers(0, 4))
def test_minor_units_survive_being_written_as_major(minor, scale):
    sign, digits = "-" if minor < 0 else "", str(abs(minor)).zfill(scale + 1)
    cut = len(digits) - scale
    assert whole(f"{sign}{digits[:cut]}.{digits[cut:]}0", scale) == minor


# -- What is refused --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ({"p": None}, "player (from p): the row has no value; set optional = true"),
        ({"n": "x"}, "coup (from n): 'x' is not a number"),
        ({"n": 1.5}, "coup (from n): 1.5 is not a whole number"),
        ({"n": 0}, "coup: expected a whole number >= 1"),
        (
            {"p": "4d 5d"},
            "player (from p): the cards are one text; set in the mapping what separates",
        ),
        ({"p": ["4d", "5x"]}, "player (from p): '5x' is not a card; give its meaning in values, "),
        ({"s": {"deep": 1}}, "shoe (from s): this is not a single value; name a key within it"),
    ],
)
def test_a_row_that_cannot_be_read(row, told):
    row = {"s": "H", "n": 1, "p": ["4"], "b": ["5"]} | row
    records, complaints = read(MINIMAL, "\n" + json.dumps(row))
    assert records == []
    assert len(complaints) == 1
    assert complaints[0].startswith("file:2: ")
    assert told in complaints[0]


def test_a_value_that_the_mapping_does_not_know():
    mapping = MINIMAL + '[called]\noutcome = { from = "o", values = { banco = "B" } }'
    row = {"s": "H", "n": 1, "p": [], "b": [], "o": "punto"}
    _, complaints = read(mapping, json.dumps(row))
    assert "'punto' is none of the mapping's values ('banco'); add it there" in complaints[0]


@for_each(
    ("change", "told"),
    [
        ("", "map.toml: the key 'format' is missing"),
        ("format = 'xml'", "map.toml: format: invalid enum value 'xml'"),
        ("format = 'csv", "map.toml: the mapping is not TOML"),
        (MINIMAL + "stake = 'x'", "map.toml: coup: the key 'stake' is unknown"),
        (MINIMAL + "at = { form = 'x' }", "coup.at: the key 'form' is unknown"),
        (MINIMAL + "at = {}", "map.toml: coup.at: give one of from, constant and count"),
        (MINIMAL + "at = { from = 'x', constant = 'y' }", "coup.at: give one of"),
        (MINIMAL + "at = { from = 'x', scale = 2 }", "coup.at: scale has no effect here"),
        (
            MINIMAL + "at = { from = 'x', format = '%H', zone = 'Mars' }",
            "coup.at: there is no zone",
        ),
        (MINIMAL + "at = { from = 'x', zone = 'Z' }", "coup.at: zone goes with format"),
        (MINIMAL + "table = { count = 'lines' }", "coup.table: count numbers the coups"),
        (MINIMAL + "table = ['x', 'y']", "coup.table: a list of columns goes with cards alone"),
        (MINIMAL + "[csv]\ndelimiter = ';'", "map.toml: csv: the format is jsonl"),
        (MINIMAL + "[[bets]]\npatron = 'x'", "bets[0]: the key 'wager' is missing"),
        (
            MINIMAL.replace("jsonl", "csv")
            + "[[bets]]\npatron='x'\nwager='x'\namount='x'\neach='x'",
            "map.toml: bets[0].each: a CSV row has no lists",
        ),
        (
            "rows = 'bet'" + MINIMAL.replace('"n"', "{ count = 'lines' }"),
            "coup.coup: lines are bets",
        ),
        ("a = " + "[" * 3000 + "]" * 3000, "map.toml: "),
    ],
)
def test_a_mapping_that_is_none(change, told):
    with pytest.raises(BadInput) as caught:
        parse_mapping(change, "map.toml")
    assert told in str(caught.value)


def test_a_mapping_that_is_not_there(tmp_path):
    with pytest.raises(NotFound, match="shipped are coups-csv, gryai, jackchang"):
        load_mapping("nobody")
    with pytest.raises(NotFound, match="there is no file"):
        load_mapping(str(tmp_path / "none.toml"))
    with pytest.raises(BadInput, match=r"cannot be read: .*embedded null"):
        load_mapping("a\0.toml")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b'title = "\xe9"')
    with pytest.raises(BadInput, match=r"latin\.toml:1: byte 0xe9 is not UTF-8"):
        load_mapping(str(latin))


CSV = MINIMAL.replace("jsonl", "csv").replace('"p"', '["p"]').replace('"b"', '["b"]')


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (b"", "file: the file is empty"),
        (
            b"s,n,p\nH,1,4\n",
            "file: the mapping names the column 'b'; the file's columns are s, n, p",
        ),
        (b"s,n,p,b,s\n", "file: the column 's' occurs twice in the header"),
        (b"s,n,p,\xff\n", "file:1:7: byte 0xff is not UTF-8"),
    ],
)
def test_a_csv_file_that_no_row_can_be_read_of(text, told):
    with pytest.raises(BadInput) as caught:
        read(CSV, text)
    assert told in str(caught.value)


@for_each(
    ("row", "told"),
    [
        (b"H,1,4", "file:2: the row has 3 cells and the header 4"),
        (b"H,1,4,5,6", "file:2: the row has 5 cells and the header 4"),
        (b'H,1,4,"5', "file:2: a quote is not closed; a cell and its quotes end on"),
        (b"H,1,4\r,5", "file:2: the lines end in a carriage return alone"),
        (b'H,1,4,"5"x', "file:2: the row is not CSV"),
        (b"H,1,4,5\x00", "file:2:8: the row has a NUL character"),
        (b"H,1,4,\xff", "file:2:7: byte 0xff is not UTF-8"),
        (b"H,\xd9\xa1,4,5", "file:2: coup (from n): '\u0661' is not a number"),
        (b"H" * 66_000 + b",1,4,5", "file:2: the line is longer than 65536 bytes"),
        (b"H,,4,5", "file:2: coup (from n): the row has no value"),
    ],
)
def test_a_csv_row_that_cannot_be_read_does_not_hide_the_next(row, told):
    records, complaints = read(CSV, b"s,n,p,b\n" + row + b"\nH,2,4,5")
    assert [number for number, _ in records] == [3]
    assert len(complaints) == 1
    assert told in complaints[0]


# -- Whatever comes ---------------------------------------------------------------------------

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text()
    | st.sampled_from(["4d", "10H", 1, "H"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from("snpbtw"), inner),
    max_leaves=8,
)
WIDE = """
format = "FORMAT"
rows = "bet"
[coup]
shoe = "s"
coup = "n"
player = PLAYER
banker = { from = "b", separator = "" }
decks = { from = "t", optional = true, decimal = ",", remove = " ." }
at = { from = "t", optional = true, format = "unix" }
[called]
player = { from = "n", optional = true }
[[bets]]
patron = "w"
wager = "s"
amount = { from = "n", scale = 3, round = "up" }
net = { from = "t", optional = true, scale = 1 }
"""


@given(st.dictionaries(st.sampled_from("snpbtw"), JSON))
def test_any_object_is_mapped_or_complained_of(row):
    mapping = WIDE.replace("FORMAT", "jsonl").replace("PLAYER", '"p.0"')
    records, complaints = read(mapping, json.dumps(row))
    assert len(records) + len(complaints) == 1


@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=8), min_size=6, max_size=6))
def test_any_cells_are_mapped_or_complained_of(cells):
    mapping = WIDE.replace("FORMAT", "csv").replace("PLAYER", '["p", "b"]')
    quoted = ",".join('"' + cell.replace('"', '""') + '"' for cell in cells)
    read(mapping, "s,n,p,b,t,w\n" + quoted)


@given(st.binary(max_size=120))
def test_any_bytes_are_complained_of(data):
    assert read(MINIMAL, data)[0] == []
    with contextlib.suppress(BadInput):
        assert read(CSV, data)[0] == []
    read(CSV, b"s,n,p,b\n" + data)


@given(
    st.text(max_size=120)
    | st.just(WIDE).flatmap(
        lambda text: st.builds(
            lambda at, new: text[:at] + new + text[at + len(new) :],
            st.integers(0, len(text)),
            st.text(max_size=3),
        )
    )
)
def test_any_text_is_a_mapping_or_bad_input(text):
    with contextlib.suppress(BadInput):
        parse_mapping(text, "map.toml")


def test_the_fuzzed_mapping_is_one():
    made = WIDE.replace("FORMAT", "csv").replace("PLAYER", '"p"')
    tomllib.loads(made)
    parse_mapping(made, "map.toml")
