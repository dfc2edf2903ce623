"""``sabot odds chemin-de-fer``: JSON, table and bad input."""

import json
from fractions import Fraction

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from tests.support import chemin_dealer
from tests.support.thorough import slow


def run(*arguments):
    return guard(build(), ["odds", *arguments])


def told(capsys, *arguments):
    assert run(*arguments) == 0
    return capsys.readouterr().out


def document(capsys, *arguments):
    return json.loads(told(capsys, *arguments, "--format", "json"))


def test_the_document_of_kemeny_and_snell(capsys):
    # Kemeny and Snell 1957; as fractions in Ethier and Gámez 2013
    got = document(capsys, "chemin-de-fer")
    assert got["value"] == "-679568/53094899"
    assert (got["player_draws_on_5"], got["player_draws"]) == ("9/11", {"5": "9/11"})
    assert got["banker_draws_on_6_no_card"] == got["banker_draws"]["6"]["no_card"] == "859/2288"
    assert list(got["banker_draws"]) == list("01234567")


@slow
def test_the_document_of_six_decks_is_worth_what_it_says(capsys):
    got = document(capsys, "chemin-de-fer", "--decks", "6")
    assert list(got) == ["decks", "value", "value_decimal", "player_draws", "banker_draws"]
    assert got["decks"] == 6
    assert list(got["player_draws"]) == ["0+5", "1+4", "2+3", "6+9", "7+8"]
    assert len(got["banker_draws"]) == 44

    def player(cards):
        five = got["player_draws"].get("{}+{}".format(*sorted(cards)))
        return Fraction(sum(cards) % 10 < 5) if five is None else Fraction(five)

    def banker(cards, third):
        row = got["banker_draws"]["{}+{}".format(*sorted(cards))]
        return Fraction(row["no_card" if third is None else str(third)])

    value = chemin_dealer.expected(chemin_dealer.shoe(6), False, player, banker)
    assert got["value"] == f"{value.numerator}/{value.denominator}"
    assert got["value_decimal"] == float(value)


def test_the_table_is_bankers(capsys):
    lines = told(capsys, "chemin-de-fer", "--format", "table").splitlines()
    assert "value to Player -1.2799 % of the stake" in lines[0]
    assert "Player on 5 draws with probability 9/11" in lines[0]
    assert "Banker on 6 against no card draws with probability 859/2288" in lines[0]
    cells = [line.split() for line in lines if line.strip().startswith(("player", "banker"))]
    assert cells[0] == ["player", "5", "5", "81.8182", "%"]
    assert cells[4] == ["banker", "3", "3", *"DDDDDDDDDSD"]
    assert cells[7] == ["banker", "6", "6", "37.5437", "%", *"SSSSSSDDSS"]
    assert len(cells) == 9


def test_rows_for_machines(capsys):
    rows = [
        json.loads(line) for line in told(capsys, "chemin-de-fer", "--format", "jsonl").splitlines()
    ]
    assert rows[0] == {
        "side": "player",
        "hand": "5",
        "total": 5,
        "no_card": "9/11",
        **{str(third): None for third in range(10)},
        "value": document(capsys, "chemin-de-fer")["value"],
    }
    assert [row["total"] for row in rows[1:]] == list(range(8))
    assert rows[4]["8"] == "0/1"
    assert rows[4]["9"] == "1/1"


@slow
def test_punto_banco_is_the_game_by_itself(capsys):
    assert document(capsys, "punto-banco", "--decks", "8") == document(capsys, "--decks", "8")
    assert document(capsys) == document(capsys, "punto-banco")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["chemin-de-fer", "--rules", "uk"], "takes --decks only"),
        (["chemin-de-fer", "--values", "16,4,4,4,4,4,4,4,4,4"], "takes --decks only"),
        (["chemin-de-fer", "--decks", "0"], "--decks 0 is out of range"),
        (["chemin-de-fer", "--decks", "six"], "not a whole number"),
        (["chemin-de-fer", "--decks", "999999999"], "is out of range"),
        (["chemin de fer"], ": 'chemin de fer' is not one of"),
        (["CHEMIN-DE-FER"], "is not one of"),
        (["chemin-de-fer", "extra"], "extra"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, said, capsys):
    assert run(*arguments) == 2
    got = capsys.readouterr()
    assert got.out == ""
    assert said in got.err
    assert got.err.startswith("sabot: ")
    assert "Traceback" not in got.err
