"""Drafts of mappings read invented files of many shapes without changes."""

import io
import json

import pytest

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.imports.input_files import Peeked
from sabot.infrastructure.imports.mapped_coups import mapped_coups
from sabot.infrastructure.imports.mapping import parse_mapping
from sabot.infrastructure.imports.mapping_draft import draft_mapping


def file(data):
    return Peeked(io.BytesIO(data), "file")


def drafted(data):
    """Draft a mapping for a file. Read the file by it."""
    if not isinstance(data, bytes):
        data = data.encode() if isinstance(data, str) else "\n".join(map(json.dumps, data)).encode()
    text = draft_mapping(file(data))
    complaints = []
    coups = mapped_coups(file(data), "file", parse_mapping(text, "draft"), complaints.append)
    records = [record for _, record in coups]
    assert complaints == []
    return text, records


def test_a_spreadsheet_with_a_column_a_card():
    _, (first, second) = drafted(
        "Shoe;Date;Coup;P1;P2;P3;B1;B2;B3;Winner;Player bet;Banker bet\r\n"
        "S-12;31/01/2026 21:04;1;4♦;Q♠;;10♥;8♣;;Bank;;1.250,50\r\n"
        "S-12;31/01/2026 21:05;2;4♦;Q♠;3h;10♥;4♣;2c;Punto;100,00;\r\n"
    )
    assert (first.shoe, first.coup, first.content.called.outcome) == ("S-12", 1, "B")
    assert (first.content.player, first.content.banker) == (("4d", "Qs"), ("Th", "8c"))
    assert (second.content.player, second.content.banker) == (
        ("4d", "Qs", "3h"),
        ("Th", "4c", "2c"),
    )
    assert first.content.at_us == 1_769_893_440_000_000
    assert [(bet.wager, bet.amount) for bet in first.content.bets] == [("banker", 125_050)]
    assert [(bet.wager, bet.amount) for bet in second.content.bets] == [("player", 10_000)]


@pytest.mark.parametrize("separator", [" ", ",", ";", "|", "-", ""])
def test_hands_in_a_text_with_totals_and_a_bet(separator):
    hand = separator.join
    rows = [
        [1, hand(["4", "9"]), hand(["7", "8"]), 3, 5, "Banker wins", "banker", "100.5", "95.48"],
        [2, hand(["9", "K"]), hand(["2", "5"]), 9, 7, "Player wins", "tie", "10", "-10"],
    ]
    names = "game_id player_cards banker_cards player_total banker_total result bet_on bet_amount"
    lines = [[*names.split(), "profit"], *rows]
    text = "\n".join(",".join(f'"{cell}"' for cell in line) for line in lines)
    _, records = drafted(text)
    assert [(one.content.player, one.content.banker) for one in records] == [
        (("4", "9"), ("7", "8")),
        (("9", "K"), ("2", "5")),
    ]
    called = records[0].content.called
    assert (called.player, called.banker, called.outcome) == (3, 5, "B")
    (bet,) = records[0].content.bets
    assert (bet.wager, bet.amount, bet.net) == ("banker", 10_050, 9548)


def test_outcomes_alone():
    _, records = drafted("shoe_no\thand_no\toutcome\n7\t1\tB\n7\t2\tP\n7\t3\tT\n")
    assert [(one.shoe, one.coup, one.content.called.outcome) for one in records] == [
        ("7", 1, "B"), ("7", 2, "P"), ("7", 3, "T")
    ]  # fmt: skip


@pytest.mark.parametrize(
    "data",
    [
        "shoe,results\nH-1,BPT\nH-2,PP\n",
        "results;shoe;table;coups\nB P T;H-1;T1;3\nP P;H-2;T1;2\n",
        'shoe,results\nH-1,"B,P,T"\nH-2,"P,P"\n',
        "sabot\tgagnants\nH-1\tbpt\nH-2\tpp\n",
        [{"shoe": "H-1", "results": list("BPT")}, {"shoe": "H-2", "results": ["Player"] * 2}],
        [
            {"id": {"shoe": "H-1"}, "hands": [{"won": each} for each in "BPT"]},
            {"id": {"shoe": "H-2"}, "hands": [{"won": each} for each in "PP"]},
        ],
    ],
)
def test_a_line_with_all_coups_of_a_shoe(data):
    _, records = drafted(data)
    assert [(one.shoe, one.coup, one.content.called.outcome) for one in records] == [
        ("H-1", 1, "B"), ("H-1", 2, "P"), ("H-1", 3, "T"), ("H-2", 1, "P"), ("H-2", 2, "P"),
    ]  # fmt: skip


def test_a_line_with_the_cards_of_all_coups_of_a_shoe():
    coups = [
        {"no": 7, "p": ["4d", "Qs"], "b": ["Th", "8c"], "totals": {"p": 4, "b": 8}},
        {"no": 9, "p": ["9d", "Qs"], "b": ["Th", "7c"], "totals": {"p": 9, "b": 7}},
    ]
    _, (first, second) = drafted([{"shoe": "H-1", "dealt": coups}])
    assert (first.shoe, first.coup, first.content.called.player) == ("H-1", 7, 4)
    assert (first.content.player, first.content.banker) == (("4d", "Qs"), ("Th", "8c"))
    assert (second.coup, second.content.called.player, second.content.called.banker) == (9, 9, 7)


def test_a_list_of_bets_is_no_list_of_coups():
    text = draft_mapping(file(b'{"winner": "B", "bets": [{"on": "P", "stake": 5}]}'))
    assert "each = " not in text


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        (
            "1,B,P,T\n2,B,B\n",
            "file:3: the row has 4 cells and the header 2: 2 too many; quote a cell",
        ),
        ("1\n2\n", "file:3: the row has 1 cell and the header 2: 1 too few; leave the cell"),
    ],
)
def test_rows_that_are_all_too_short_or_too_long_are_told(rows, said):
    """The second line is empty."""
    with pytest.raises(BadInput) as told:
        draft_mapping(file(f"shoe,results\n\n{rows}".encode()))
    assert str(told.value).startswith(said)


def test_some_rows_that_are_too_short_are_told_in_the_draft():
    text = draft_mapping(file(b"shoe,winner\nH-1,B\nH-1\nH-1,P\nH-1\n"))
    assert (
        "\n# line 3: the row has 1 cell and the header 2: 1 too few; leave the cell of a missing "
        "value empty (2 such rows)\n"
    ) in text


@pytest.mark.parametrize("no_card", ["", "-", "NA"])
def test_columns_of_third_cards_that_the_first_rows_do_not_have(no_card):
    text, (record,) = drafted(f"coup,p1,p2,p3,b1,b2,b3\n1,4d,Th,{no_card},9s,Kc,{no_card}\n")
    assert (record.content.player, record.content.banker) == (("4d", "Th"), ("9s", "Kc"))
    assert '"p3"' in text.split("banker = ")[0]
    assert '"b3"' in text.split("banker = ")[1]
    _, (record,) = drafted(
        "coup,p1_rank,p1_suit,p2_rank,p2_suit,p3_rank,p3_suit,b1,b2\n"
        f"1,4,Hearts,Q,Spades,{no_card},{no_card},9s,Kc\n"
    )
    assert record.content.player == ("4h", "Qs")


def test_rank_and_suit_in_two_columns_and_no_card():
    text, records = drafted(
        "round,P1_rank,P1_suit,P2_rank,P2_suit,P3_rank,P3_suit,B1_rank,B1_suit,B2_rank,B2_suit\n"
        "1,4,Hearts,Q,Spades,NA,NA,10,Clubs,8,Diamonds\n"
        "2,A,Hearts,2,Spades,K,Clubs,10,Clubs,2,Diamonds\n"
    )
    assert [one.content.player for one in records] == [("4h", "Qs"), ("Ah", "2s", "Kc")]
    assert records[1].content.banker == ("Tc", "2d")
    assert '"Diamonds" = "d"' in text.split("banker = ")[0]


@pytest.mark.parametrize(
    "names",
    [
        "p1r,p1s,p2r,p2s,p3r,p3s,b1r,b1s,b2r,b2s",
        "p1,p1s,p2,p2s,p3,p3s,b1,b1s,b2,b2s",
        "pr1,ps1,pr2,ps2,pr3,ps3,br1,bs1,br2,bs2",
        "rank_p1,suit_p1,rank_p2,suit_p2,rank_p3,suit_p3,rank_b1,suit_b1,rank_b2,suit_b2",
        "P1 face,P1 colour,P2 face,P2 colour,P3 face,P3 colour,B1 face,B1 colour,B2 face,B2 colour",
        "PlayerR1,PlayerS1,PlayerR2,PlayerS2,PlayerR3,PlayerS3,BankerR1,BankerS1,BankerR2,BankerS2",
        "P one R,P one S,P two R,P two S,P three R,P three S,B one R,B one S,B two R,B two S",
        "p1_rank,p2_rank,p3_rank,p1_suit,p2_suit,p3_suit,b1_rank,b2_rank,b1_suit,b2_suit",
    ],
)
@pytest.mark.parametrize("third", [",", "K,c"])
def test_the_columns_of_suits_are_found_by_their_values(names, third):
    """Player has a third card in the first row, or in none of the first rows."""
    cells = ["4", "h", "Q", "s", *third.split(","), "10", "c", "8", "d"]
    if names.startswith("p1_rank,p2"):
        cells = [*cells[:6:2], *cells[1:6:2], *cells[6::2], *cells[7::2]]
    text, (record,) = drafted(f"coup,{names}\n1,{','.join(cells)}\n")
    assert record.content.player == ("4h", "Qs", *(["Kc"] if third == "K,c" else []))
    assert record.content.banker == ("Tc", "8d")
    assert all(f'"{name}"' in text for name in names.split(","))


def test_a_stake_of_zero_is_no_bet():
    _, (first, second) = drafted(
        "coup;player;banker;bet player;bet banker;bet tie\n"
        "1;9 K;7 J;0;1.100,50;0\n2;9 K;7 J;50,00;0,00;0\n"
    )
    assert [(bet.wager, bet.amount) for bet in first.content.bets] == [("banker", 110_050)]
    assert [(bet.wager, bet.amount) for bet in second.content.bets] == [("player", 5000)]


def test_a_row_without_a_wager_and_with_a_stake_of_zero_has_no_bet():
    _, records = drafted(
        "coup,player,banker,result,patron,bet_on,stake,net\n"
        "1,9 K,7 J,P,ann,player,100,100\n2,9 K,7 J,P,ann,,0,0\n3,9 K,7 J,P,ann,banker,0.00,0\n"
    )
    assert [[bet.net for bet in one.content.bets] for one in records] == [[10_000], [], []]


def test_a_wager_on_which_nobody_bets_in_the_first_rows_is_mapped():
    """Amounts of all wagers are written alike."""
    text, _ = drafted('coup,player,banker,bet_player,bet_tie\n1,9 K,7 J,"1,100",\n')
    assert 'amount = { from = "bet_tie", scale = 2, remove = ",", optional = true }' in text


def test_a_published_shape_of_games_with_one_bet_each():
    """As one set on the web has it: nested keys, a shoe a game, binary fractions in money."""
    game = {
        "game_id": "G1", "player_id": "P7", "start": "2025-01-02T03:04:05+00:00",
        "player": ["4H", "10S"], "banker": ["7D", "KC"],
        "recorded": {"player_total": 4, "banker_total": 7, "outcome": "Banker wins!",
                     "bet": "Banker", "wager": 100.1, "net": 95.09499999999998},
    }  # fmt: skip
    tie = {"player_total": 4, "banker_total": 4, "outcome": "It's a tie!", "bet": "Tie",
           "wager": 5.0, "net": 40.0}  # fmt: skip
    other = {**game, "game_id": "G2", "banker": ["4D", "KC"], "recorded": tie}
    _, (first, second) = drafted([game, other])
    assert (first.shoe, second.shoe, first.coup, second.coup) == ("G1", "G2", 1, 1)
    (bet,) = first.content.bets
    assert (bet.patron, bet.wager, bet.amount, bet.net) == ("P7", "banker", 10_010, 9509)
    assert (second.content.called.outcome, second.content.bets[0].wager) == ("T", "tie")


def test_a_published_shape_of_ranks_alone():
    _, records = drafted([
        {"coup": 1, "player": ["8", "K"], "banker": ["8", "3"]},
        {"coup": 2, "player": ["10", "Q", "2"], "banker": ["A", "2", "3"]},
    ])  # fmt: skip
    assert [(one.shoe, one.coup, one.content.player) for one in records] == [
        ("shoe-1", 1, ("8", "K")),
        ("shoe-1", 2, ("T", "Q", "2")),
    ]


def test_cards_as_objects():
    card = {"value": "10", "suit": "HEARTS"}
    _, (record,) = drafted([{"player": {"hand": [card]}, "banker": {"hand": [card, card]}}])
    assert (record.content.player, record.content.banker) == (("Th",), ("Th", "Th"))


@pytest.mark.parametrize(("codec", "named"), [("utf-16", "utf-16"), ("cp1252", "cp1252")])
def test_an_encoding_is_found(codec, named):
    text, (record,) = drafted("Schuh é,player,banker\nü,4 5,K 9\n".encode(codec))
    assert f'encoding = "{named}"' in text
    assert record.content.player == ("4", "5")


def test_an_encoding_is_found_in_the_first_rows():
    text, records = drafted("shoe,player,banker\nH-1,4 5,K 9\nü,4 5,K 9\n".encode("cp1252"))
    assert 'encoding = "cp1252"' in text
    assert [record.shoe for record in records] == ["H-1", "ü"]


def test_what_is_not_found_is_asked_for():
    data = b"a,b,note\n1,2,x\n"
    text = draft_mapping(file(data))
    assert '#   "note": "x"' in text
    with pytest.raises(BadInput, match="names the column 'the column of player'; the file's"):
        list(mapped_coups(file(data), "file", parse_mapping(text, "draft"), print))


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "file: the file is empty"),
        (b"\n \n", "file: the file is empty"),
        (b'a,"b\n', "file: a quote is not closed"),
        (b'{"a": 1}\n{', "file:2:2: this is not JSON"),
        (b"x" * 2_000_000, "file:1: the line is longer than"),
    ],
)
def test_a_file_without_rows(data, told):
    with pytest.raises(BadInput) as caught:
        draft_mapping(file(data))
    assert told in str(caught.value)


def test_a_line_that_names_the_delimiter_comes_before_the_header():
    text, (record,) = drafted("sep=;\nshoe;player;banker\nS;4 5;K 9\n")
    assert (record.shoe, record.content.banker) == ("S", ("K", "9"))
    assert 'delimiter = ";"' in text


def test_utf_16_without_a_mark():
    text, (record,) = drafted("shoe,player,banker\nS,4 5,K 9\n".encode("utf-16-le"))
    assert 'encoding = "utf-16-le"' in text
    assert record.shoe == "S"


def test_words_of_one_column_are_listed_for_all_hands():
    """In the first rows Banker has no ace, and only Player's third card is missing."""
    text, (first, second) = drafted(
        "coup,P1 rank,P1 suit,P2 rank,P2 suit,P3 rank,P3 suit,B1 rank,B1 suit,B2 rank,B2 suit\n"
        "1,Ace,HEARTS,8,SPADES,-,-,10,CLUBS,Queen,DIAMONDS\n"
        "2,King,HEARTS,2,SPADES,7,CLUBS,10,CLUBS,7,DIAMONDS\n"
    )
    assert (first.content.player, first.content.banker) == (("Ah", "8s"), ("Tc", "Qd"))
    assert second.content.player == ("Kh", "2s", "7c")
    assert text.count('none = ["-"]') == 2
    assert text.count('"Ace" = "A"') == text.count('"CLUBS" = "c"') == 2


def test_cards_in_words():
    _, (first, second) = drafted(
        "coup,Player 1,Player 2,Player 3,Banker 1,Banker 2,Banker 3\n"
        "1,Ace of Hearts,Eight of clubs,none,10 of Spades,King of Diamonds,no card\n"
        "2,Four of Hearts,2 of spades,Ten of Clubs,Two of Spades,A of Diamonds,9 of Clubs\n"
    )
    assert (first.content.player, first.content.banker) == (("Ah", "8c"), ("Ts", "Kd"))
    assert second.content.player == ("4h", "2s", "Tc")
    assert second.content.banker == ("2s", "Ad", "9c")


def test_a_hand_in_one_column_with_a_sign_for_no_card():
    _, records = drafted("coup,player,banker\n1,4d Qs -,Th 8c -\n2,4d A 5c,Th 2c -\n")
    assert [(one.content.player, one.content.banker) for one in records] == [
        (("4d", "Qs"), ("Th", "8c")),
        (("4d", "A", "5c"), ("Th", "2c")),
    ]


def test_a_column_of_cards_with_an_unknown_word_is_not_left_out():
    """The import then says what is wrong, instead of losing the third cards."""
    data = b"coup,p1,p2,p3,b1,b2\n1,4d,Qs,blank,9s,Kc\n2,4d,As,5c,9s,Kc\n"
    text = draft_mapping(file(data))
    complaints = []
    list(mapped_coups(file(data), "file", parse_mapping(text, "draft"), complaints.append))
    (complaint,) = map(str, complaints)
    assert complaint.startswith("file:2: player (from p1, p2, p3): 'blank' is not a card; ")
    assert complaint.endswith("or list it in none if it means no card")
