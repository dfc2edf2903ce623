"""Mappings for the shapes of published records, with invented data."""

import io
import json

import pytest

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.input_files import Peeked
from sabot.infrastructure.imports.mapped_coups import mapped_coups
from sabot.infrastructure.imports.mapping import parse_mapping
from tests.support.for_each import for_each

HEAD = 'format = "{form}"\n[coup]\nshoe = {{ constant = "S" }}\ncoup = {{ count = "lines" }}\n'


def read(mapping, data):
    """Read coups and complaints of a file by a mapping."""
    if not isinstance(data, bytes):
        data = data.encode() if isinstance(data, str) else "\n".join(map(json.dumps, data)).encode()
    complaints = []
    stream = Peeked(io.BytesIO(data), "file")
    coups = mapped_coups(stream, "file", parse_mapping(mapping, "map"), complaints.append)
    return [record for _, record in coups], list(map(str, complaints))


def hands(mapping, data):
    coups, complaints = read(mapping, data)
    assert complaints == []
    return [(coup.content.player, coup.content.banker) for coup in coups]


def csv(lines):
    return HEAD.format(form="csv") + lines


def jsonl(lines):
    return HEAD.format(form="jsonl") + lines


@pytest.mark.parametrize("empty", ["NA", "-", "", " NA "])
def test_a_text_that_means_no_card(empty):
    mapping = csv(
        'player = { from = ["a", "b", "c"], none = ["NA", "-"] }\n'
        'banker = { from = "d", separator = " ", none = ["NA", "-"] }\n'
    )
    assert hands(mapping, f"a,b,c,d\n4d,5,{empty},K 9 -\n") == [(("4d", "5"), ("K", "9"))]


def test_a_null_or_an_empty_card_in_a_list_is_none():
    mapping = jsonl('player = "p"\nbanker = { from = "b", none = ["-1"] }\n')
    assert hands(mapping, [{"p": ["4", None, ""], "b": ["K", -1]}]) == [(("4",), ("K",))]


def test_a_missing_value_of_any_kind():
    mapping = jsonl(
        'player = "p"\nbanker = "b"\ntable = { from = "t", none = ["?"], optional = true }\n'
        '[[bets]]\npatron = { constant = "x" }\nwager = { constant = "tie" }\n'
        'amount = { from = "a", none = ["-1"], optional = true }\n'
    )
    (coup,), complaints = read(mapping, [{"p": [], "b": [], "t": "?", "a": -1}])
    assert (coup.table, coup.content.bets, complaints) == (None, (), [])
    mapping = jsonl('player = "p"\nbanker = "b"\ntable = { from = "t", none = ["?"] }\n')
    _, complaints = read(mapping, [{"p": [], "b": [], "t": "?"}])
    assert "file:1: table (from t): the row has no value; set optional = true" in complaints[0]


def test_listed_values_and_others_as_they_stand():
    mapping = csv(
        'player = { from = "p", separator = " ", values = { X = "T" }, others = "keep" }\n'
        'banker = { from = "b", separator = " " }\n'
    )
    assert hands(mapping, "p,b\nX 4d,K\n") == [(("T", "4d"), ("K",))]
    with pytest.raises(BadInput, match=r"coup\.player: others = .keep. is about"):
        parse_mapping(mapping.replace('values = { X = "T" }, ', ""), "map")


SUITS = 'suits = { Hearts = "h", Spades = "s", C = "c", "♦" = "d", H = "h" }'


@for_each(
    ("text", "card"),
    [
        ("10Hearts", "Th"), ("10 of Hearts", None), ("Hearts-10", "Th"), ("QC", "Qc"),
        ("C Q", "Qc"), ("A♦", "Ad"), ("DameH", "Qh"), ("H Dame", "Qh"), ("Dame", "Q"),
        ("11Spades", "Js"), ("7", "7"), ("7h", "7h"), ("Hearts", None), ("", None),
    ],
)  # fmt: skip
def test_suits_and_ranks_in_the_words_of_the_file(text, card):
    options = f'{SUITS}, ranks = {{ Dame = "Q", "11" = "J" }}'
    mapping = jsonl(f'player = {{ from = "p", {options} }}\nbanker = "b"\n')
    coups, complaints = read(mapping, [{"p": [text], "b": []}])
    if text and card is None:
        assert f"file:1: player (from p): {text!r} is not a card; give its meaning" in complaints[0]
    else:
        assert coups[0].content.player == ((card,) if card else ())


def test_words_between_rank_and_suit_are_part_of_a_suit():
    options = 'suits = { " of Hearts" = "h" }'
    mapping = jsonl(f'player = {{ from = "p", {options} }}\nbanker = "b"\n')
    assert hands(mapping, [{"p": ["10 of Hearts"], "b": []}]) == [(("Th",), ())]


def test_rank_and_suit_in_two_columns():
    mapping = csv(
        'player = { from = [["r1", "s1"], ["r2", "s2"], ["r3", "s3"]], none = ["NA"],'
        ' suits = { Hearts = "h", Spades = "s" } }\n'
        'banker = [["b1", "t1"], "b2"]\n'
    )
    header = "r1,s1,r2,s2,r3,s3,b1,t1,b2\n"
    assert hands(mapping, header + "10,Hearts,Q,Spades,NA,NA,4,d,9c\n") == [
        (("Th", "Qs"), ("4d", "9c"))
    ]
    _, complaints = read(mapping, header + "10,Herz,Q,Spades,NA,NA,4,d,9c\n")
    assert "'Herz' is none of the mapping's suits ('Hearts', 'Spades')" in complaints[0]
    _, complaints = read(mapping, header + "NA,Hearts,Q,Spades,NA,NA,4,d,9c\n")
    assert "the suit 'Hearts' has no rank" in complaints[0]
    with pytest.raises(BadInput, match=r"coup\.player"):
        parse_mapping(csv('player = [["a", "b", "c"]]\nbanker = "b"\n'), "map")


def test_a_card_as_an_object():
    mapping = jsonl(
        'player = { from = "p", card = ["value", "suit.name"], suits = { HEARTS = "h" },'
        ' ranks = { QUEEN = "Q" } }\nbanker = "b"\n'
    )
    card = {"value": "QUEEN", "suit": {"name": "HEARTS"}}
    assert hands(mapping, [{"p": [card], "b": ["4"]}]) == [(("Qh",), ("4",))]


@pytest.mark.parametrize(
    ("encoding", "codec"),
    [("cp1252", "cp1252"), ("latin-1", "latin-1"), ("utf-16", "utf-16"),
     ("utf-16-le", "utf-16-le"), ("UTF-8", "utf-8-sig")],
)  # fmt: skip
def test_an_encoding(encoding, codec):
    mapping = f'encoding = "{encoding}"\n' + csv('player = ["é"]\nbanker = ["b"]\ntable = "t"\n')
    rows = "".join(f"4,{n % 10},Säle {n}\r\n" for n in range(3000))
    coups, complaints = read(mapping, f"é,b,t\r\n{rows}".encode(codec))
    assert (len(coups), complaints) == (3000, [])
    assert coups[2999].table == "Säle 2999"


def test_a_text_of_another_encoding_is_told_with_its_line():
    mapping = 'encoding = "utf-16"\n' + csv('player = ["a"]\nbanker = ["b"]\n')
    with pytest.raises(BadInput, match="file:2: the text is not utf-16; name its encoding"):
        read(mapping, "a,b\n".encode("utf-16") + b"4")
    mapping = mapping.replace("utf-16", "ascii")
    with pytest.raises(BadInput, match="file:2: the text is not ascii"):
        read(mapping, "a,b\n4,ü\n")


@pytest.mark.parametrize("name", ["rot13", "zip", "utf-7", "unicode_escape", "idna", "none", "\0"])
def test_no_other_codec_is_an_encoding(name):
    with pytest.raises(BadInput, match=r"map: encoding: .* is unknown; write for"):
        parse_mapping(f"encoding = {json.dumps(name)}\n" + jsonl('player="p"\nbanker="b"\n'), "map")


SHOES = """
format = "jsonl"
[coup]
each = "shoe.coups"
shoe = "^shoe.id"
decks = "^^shoe.decks"
coup = { count = "lines" }
player = "p"
banker = "b"
[called]
outcome = "won"
[[bets]]
each = "stakes"
patron = "^^patron"
wager = "@key"
amount = { from = ".", scale = 2 }
"""


def test_a_shoe_a_line_with_its_coups_in_a_list_and_bets_by_wager():
    coup = {"p": ["4d", "5"], "b": ["K", "8"], "won": "P", "stakes": {"player": 25, "tie": 5}}
    shoe = {"patron": "ann", "shoe": {"id": "S1", "decks": 6, "coups": [coup, coup]}}
    mapping = SHOES.replace('"^^shoe.decks"', '"^shoe.decks"')
    coups, complaints = read(mapping, [shoe, {**shoe, "shoe": {"id": "S2", "decks": 8}}, shoe])
    assert complaints == []
    assert [(one.shoe, one.decks, one.coup) for one in coups] == [
        ("S1", 6, 1), ("S1", 6, 2), ("S1", 6, 3), ("S1", 6, 4)
    ]  # fmt: skip
    assert [(bet.patron, bet.wager, bet.amount) for bet in coups[0].content.bets] == [
        ("ann", "player", 2500), ("ann", "tie", 500)
    ]  # fmt: skip


def test_a_path_above_the_line_finds_nothing():
    coup = {"p": ["4d", "5"], "b": ["K", "8"], "won": "P", "stakes": {}}
    _, complaints = read(SHOES, [{"shoe": {"id": "S1", "decks": 6, "coups": [coup]}}])
    assert complaints[0].startswith(
        "file:1: coup 1 of the line: decks (from ^^shoe.decks): the row has no value"
    )


def test_what_is_wrong_in_a_coup_of_a_shoe_is_told_with_its_place():
    mapping = SHOES.replace('"^^shoe.decks"', "{ constant = 8 }")
    coups = [{"p": [], "b": [], "won": "P"}, {"p": 4, "b": []}]
    _, complaints = read(mapping, [{"shoe": {"id": "S1", "coups": coups}}])
    assert complaints[0].startswith("file:1: coup 2 of the line: called.outcome (from won)")
    _, complaints = read(mapping, [{"shoe": {"id": "S1", "coups": 4}}])
    assert complaints == ["file:1: coup: the value that each names is not a list"]
    coups[0]["stakes"] = "player"
    _, complaints = read(mapping, [{"shoe": {"id": "S1", "coups": coups}}])
    assert "bets: the value that each names is not a list" in complaints[0]


def test_a_line_of_a_shoe_may_be_longer_than_a_coup_line():
    coup = {"p": ["4d", "5"], "b": ["K", "8"], "won": "P", "note": "x" * 1000}
    mapping = SHOES.replace('"^^shoe.decks"', "{ constant = 8 }")
    line = {"shoe": {"id": "S1", "coups": [coup] * 90}}
    coups, complaints = read(mapping, [line, line])
    assert (len(coups), complaints) == (180, [])
    _, complaints = read(mapping, [{"shoe": {"id": "S", "coups": [coup] * 1100}}])
    assert "file:1: the line is longer than 1048576 bytes" in complaints[0]


@pytest.mark.parametrize(("form", "text"), [("jsonl", None), ("csv", "id,won\nS1,BPTB B\n")])
def test_a_shoe_as_a_text_of_outcomes(form, text):
    mapping = (
        f'format = "{form}"\n[coup]\neach = "won"\nshoe = "^id"\ncoup = {{ count = "lines" }}\n'
        '[called]\noutcome = "."\n'
    )
    coups, complaints = read(mapping, text or [{"id": "S1", "won": "B,P,T,B,B"}])
    assert complaints == []
    assert [(one.coup, one.content.called.outcome) for one in coups] == list(enumerate("BPTBB", 1))


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        ('player = "p"\n', "the key 'banker' is missing; map both hands, or neither"),
        ("", "map player and banker, or called.outcome"),
    ],
)
def test_a_mapping_of_half_a_coup(lines, told):
    with pytest.raises(BadInput, match=told):
        parse_mapping(jsonl(lines), "map")


def test_a_line_that_names_the_delimiter_is_no_header():
    mapping = csv('player = ["a"]\nbanker = ["b"]\n[csv]\ndelimiter = ";"\n')
    assert hands(mapping, "sep=;\na;b\n4;5\n") == [(("4",), ("5",))]


def test_columns_without_a_name_may_be_several():
    mapping = csv('player = ["a"]\nbanker = ["b"]\n')
    assert hands(mapping, "a,b,,\n4,5,,\n") == [(("4",), ("5",))]
