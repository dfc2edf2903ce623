"""``sabot odds``: JSON, table and bad input."""

import json
import subprocess
from fractions import Fraction
from math import perm

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.rules.rule_pack import parse_pack
from sabot.infrastructure.rule_packs import of_game, shipped
from tests.support.faulty_log import recorded
from tests.support.programs import SABOT, Program, run_program
from tests.support.thorough import tries

WAGERS = """
player banker tie player-pair banker-pair either-pair perfect-pair dragon-7 panda-8 super-6
lucky-6 small big small-tiger big-tiger tiger-tie dragon-bonus-player dragon-bonus-banker
"""


def run(*arguments):
    return guard(build(), ["odds", *arguments])


def document(capsys, *arguments):
    assert run(*arguments, "--format", "json") == 0
    return json.loads(capsys.readouterr().out)


def test_the_document_has_the_published_counts(capsys):
    assert document(capsys, "--decks", "8")["counts"] == {
        "banker": 2292252566437888,
        "player": 2230518282592256,
        "tie": 475627426473216,
        "total": 4998398275503360,
    }


def test_rows_are_complete_and_distinct(capsys):
    rows = document(capsys, "--decks", "8")["wagers"]
    assert len({(row["wager"], row["pays"]) for row in rows}) == len(rows)
    for row in rows:
        assert list(row) == ["wager", "pays", "house_edge", "house_edge_exact", "rules"]
        assert float(Fraction(row["house_edge_exact"])) == row["house_edge"]
        assert "/" in row["house_edge_exact"]
    assert {pack for row in rows for pack in row["rules"]} == set(of_game("punto-banco"))
    rules = {(row["wager"], row["pays"]): row["rules"] for row in rows}
    assert rules["tie", "9:1"] == ["uk"]
    assert set(rules["tie", "8:1"]) == set(of_game("punto-banco")) - {"uk"}


def test_every_wager_is_named_as_everywhere(capsys):
    names = [row["wager"] for row in document(capsys)["wagers"]]
    assert set(names) == set(WAGERS.split())
    assert names == sorted(names, key=names.index)


def test_eight_decks_are_the_default(capsys):
    assert document(capsys) == document(capsys, "--decks", "8")


def test_values_give_no_edge_to_pairs_and_say_so(capsys):
    assert run("--values", "128,32,32,32,32,32,32,32,32,32", "--format", "json") == 0
    said = capsys.readouterr()
    got = json.loads(said.out)
    assert got["counts"] == document(capsys, "--decks", "8")["counts"]
    edges = {row["wager"]: row["house_edge"] for row in got["wagers"]}
    assert {name for name, edge in edges.items() if edge is None} == {
        name for name in edges if name.endswith("-pair")
    }
    assert "no edge" in said.err


def test_rules_filter_the_wagers(capsys):
    rows = document(capsys, "--rules", "uk")["wagers"]
    assert [(row["wager"], row["pays"], row["rules"]) for row in rows] == [
        ("player", "1:1", ["uk"]),
        ("banker", "19:20", ["uk"]),
        ("tie", "9:1", ["uk"]),
    ]
    twice = document(capsys, "--rules", "uk", "--rules", "classic-8", "--rules", "uk")["wagers"]
    assert [row["rules"] for row in twice] == [
        ["uk", "classic-8"],
        ["uk", "classic-8"],
        ["uk"],
        ["classic-8"],
    ]


def test_rules_may_be_a_file_of_the_users(capsys, tmp_path):
    path = tmp_path / "mine.toml"
    text = shipped()["uk"].replace('"9:1"', '"10:1"').replace('name = "uk"', 'name = "mine"')
    path.write_text(text, encoding="utf-8")
    rows = document(capsys, "--rules", str(path))["wagers"]
    assert rows[2]["pays"] == "10:1"
    assert rows[2]["house_edge"] < 0


def test_the_table_speaks_in_percent(capsys):
    assert run("--format", "table", "--rules", "uk") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "8 decks: Banker 45.8597 %, Player 44.6247 %, Tie 9.5156 %"
    cells = [line.split() for line in lines if line.strip()[:3] in ("Pla", "Ban", "Tie")]
    assert cells == [
        ["Player", "1", "to", "1", "1.2351", "%", "uk"],
        ["Banker", "19", "to", "20", "1.0579", "%", "uk"],
        ["Tie", "9", "to", "1", "4.8440", "%", "uk"],
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--decks", "0"], "--decks 0 is out of range"),
        (["--decks", "-1"], "is out of range"),
        (["--decks", "eight"], "not a whole number"),
        (["--decks", "8.0"], "not a whole number"),
        (["--decks", "1_0"], "not a whole number"),
        (["--decks", "١٢"], "not a whole number"),
        (["--decks", "9" * 5000], "not a whole number"),
        (["--decks", "101"], "--decks 101 is out of range; give 1 to 100"),
        (["chemin-de-fer", "--decks", "101"], "--decks 101 is out of range; give 1 to 100"),
        (["--values", "1,2,3"], "3 counts are given"),
        (["--values", ",".join("1" * 11)], "11 counts are given"),
        (["--values", "16,4,4,4,4,-4,4,4,4,4"], "cannot be -4 cards of value 5"),
        (["--values", "16,4,4,4,4,x,4,4,4,4"], "'x' is not a whole number"),
        (["--values", "16,4,4,4,4,NaN,4,4,4,4"], "not a whole number"),
        (["--values", ""], "not a whole number"),
        (["--values", "0,0,0,0,0,0,0,0,0,0"], "run out of cards"),
        (["--values", "4,0,0,0,0,0,0,0,0,1"], "run out of cards"),
        (["--values", ",".join(["999999999"] * 10)], "too many"),
        (["--decks", "8", "--values", "16,4,4,4,4,4,4,4,4,4"], "cannot be combined"),
        (["--rules", "nonesuch"], "no rule pack 'nonesuch'"),
        (["--rules", "nonesuch.toml"], "there is no file"),
        (["--rules", ""], "no rule pack"),
        (["--format", "xml"], "xml"),
        (["extra"], "extra"),
    ],
)
def test_bad_input_is_told_in_one_line(arguments, said, capsys):
    assert run(*arguments) == 2
    got = capsys.readouterr()
    assert got.out == ""
    assert said in got.err
    assert "Traceback" not in got.err
    assert got.err.startswith("sabot: ")


@tries(15, 60)
@given(st.text(max_size=40), st.sampled_from(["--decks", "--values", "--rules", "--format"]))
def test_no_argument_crashes_it(text, option):
    assert guard(build(), ["odds", f"{option}={text}", "--output=/dev/null"]) in (0, 2)


def test_a_reader_that_leaves_is_no_crash():
    writer = Program(
        [*SABOT, "odds"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    writer.stdout.close()
    told = writer.stderr.read()
    writer.stderr.close()
    assert (writer.wait(timeout=60), told) == (141, b"")


def test_a_full_disk_is_told():
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123 - a device
        done = run_program([*SABOT, "odds"], stdout=full)
    assert done.returncode == 2
    assert done.stderr.startswith("sabot: cannot write standard output: No space left")


def test_a_shoe_of_the_log_before_a_coup(capsys, sqlite_url):
    recorded(sqlite_url)
    shoe = ("--shoe", "H-1", "--database", sqlite_url)
    fresh = document(capsys, *shoe, "--coup", "1")["counts"]["total"]
    later = document(capsys, *shoe, "--coup", "2")
    # the first card burned is seen; then the five cards of the first coup, or four
    assert fresh == perm(415, 6)
    assert later["counts"]["total"] in {perm(415 - cards, 6) for cards in (4, 5, 6)}
    assert {row["wager"] for row in later["wagers"]} == {
        wager.name for wager in parse_pack(shipped()["classic-8"]).wagers
    }
    assert document(capsys, *shoe)["counts"]["total"] < later["counts"]["total"]
    for wrong in (
        ("--shoe", "none"), ("--shoe", "H-1", "--coup", "99"), ("--shoe", "H-1", "--decks", "8"),
        ("--shoe", "H-1", "--coup", "1", "--at", "#3"), ("--coup", "1"), ("--at", "#1"),
    ):  # fmt: skip
        assert run(*wrong, "--database", sqlite_url) == 2, wrong
        assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("rules", ["macao-old", "victoria", "chemin-de-fer"])
def test_where_people_choose_a_wager_has_no_edge_of_its_own(capsys, rules):
    assert guard(build(), ["odds", "--rules", rules]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "no house edge" in said.err
