"""``sabot explain`` and ``sabot rules``, as text and as data."""

import csv
import io
import json

from sabot.domain.audit import RULES
from sabot.domain.audit.rulebook import EXAMPLES
from tests.support.faulty_log import WRONG_CALL, WRONG_DRAW, recorded, sabot


def test_a_coup_in_words(capsys, database_url):
    recorded(database_url)
    sabot("audit", "--format", "json", "--database", database_url)
    mark = json.loads(capsys.readouterr().out)["findings"][0]["fingerprint"]
    assert sabot("explain", "H-1", "1", "--database", database_url) == 0
    assert capsys.readouterr().out == (
        "shoe H-1, coup 1\n"
        "rule pack: classic-8 version 2: Punto banco, 8 decks, 5 % commission at once,\n"
        "  tie 8:1\n"
        "\n"
        "  Player's first two: 2 4 = 2 + 4 = 6\n"
        "      cards are dealt in this order: Player, Banker, Player, Banker\n"
        "  Banker's first two: K 7 = 0 + 7 = 7\n"
        "      cards are dealt in this order: Player, Banker, Player, Banker\n"
        "✗ Player's third card: drew 3\n"
        "      due: stand\n"
        "      Player 6 stands: Player stands on 6 and 7\n"
        f"      finding: {WRONG_DRAW}\n"
        "  Banker's third card: stood\n"
        "      Banker 7 stands against a third card 3: Banker 7 always stands\n"
        "  two-card totals: Player 6, Banker 7\n"
        "      the first two cards of each hand\n"
        "  result: Player wins, Player 9, Banker 7\n"
        "      the higher total wins\n"
        "  p1's 10.00 EUR on Player: paid 10.00 EUR\n"
        "      Player pays 1 to 1\n"
        "  p2's 2.00 EUR on Banker: taken 2.00 EUR\n"
        "      Banker lost\n"
        "  the cards that were due: Player 2 4 = 6, Banker K 7 = 7: Banker wins, since\n"
        "    Player 6 stands: Player stands on 6 and 7; Banker 7 stands with no third\n"
        "    card to Player: when Player stands, Banker draws on 0 to 5 and stands on 6\n"
        "    and 7\n"
        "  p1's 10.00 EUR on Player, by the cards that were due: take 10.00 EUR, since\n"
        "    Player lost\n"
        "  p2's 2.00 EUR on Banker, by the cards that were due: pay 2.00 EUR less 0.10\n"
        "    EUR, net 1.90 EUR, since Banker pays 1 to 1\n"
        "\n"
        "findings\n"
        f"  {mark[:12]}  {WRONG_DRAW}: Player drew 3 on 6\n"
    )


def test_a_coup_for_programs(capsys, sqlite_url):
    recorded(sqlite_url)
    assert sabot("explain", "H-1", "1", "--format", "json", "--database", sqlite_url) == 0
    told = json.loads(capsys.readouterr().out)
    (drew,) = [step for step in told["steps"] if step["differs"]]
    assert (drew["due"], drew["shown"]) == ("stand", "drew 3")
    assert [found["code"] for found in told["findings"]] == [WRONG_DRAW]
    assert sabot("explain", "H-1", "1", "--format", "csv", "--database", sqlite_url) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["what"] for row in rows] == [step["what"] for step in told["steps"]]


def test_what_is_not_there(capsys, sqlite_url):
    recorded(sqlite_url)
    assert sabot("explain", "H-9", "1", "--database", sqlite_url) == 2
    assert sabot("explain", "H-1", "9", "--database", sqlite_url) == 2
    assert "its coups are 1 to 4" in capsys.readouterr().err


def test_a_rule_whole(capsys):
    assert sabot("rules", WRONG_CALL, "--format", "table") == 0
    told = capsys.readouterr().out
    for said in (
        "The dealer calls the outcome of the cards",
        "arrêté of 14 May 2007",
        "coup | P 4 5  B K 9 | P",
    ):
        assert said in told
    assert sabot("rules", "no-such-rule") == 2


def test_all_rules_for_programs(capsys):
    assert sabot("rules", "--format", "json") == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["code"] for row in rows] == [rule.code for rule in RULES]
    assert {row["code"]: row["example"] for row in rows} == EXAMPLES
