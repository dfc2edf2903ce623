"""Macao in the terminal: dealt, shown, replayed, explained, exported and audited."""

import io
import json

import pytest

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain.state.shoe import fold
from sabot.domain.views.table_view import felt_of
from tests.support.own_hand_coups import play, table

SAID = """
shuffle
cut




bet anna hand 10, ben hand 20

9h
Kd
5s
draw carl
reject
stand
draw
Kc
reject
4c
stand
draw
2h
stand







"""
SEATS = ("--seat", "1=ben", "--seat", "2=anna", "--seat", "3=carl")


def sabot(*words):
    return guard(build(), list(words))


@pytest.fixture
def dealt(tmp_path, monkeypatch, capsys):
    """A coup of macao, dealt at a terminal. What was refused is told."""
    url = str(tmp_path / "m.db")
    monkeypatch.setenv("SABOT_DATABASE_URL", url)
    with monkeypatch.context() as patched:
        patched.setattr("sys.stdin", io.StringIO(SAID[1:]))
        sabot("deal", "--rules", "macao-old", "--cards", "typed", *SEATS, "M-1")
    return capsys.readouterr()


def test_a_coup_is_dealt_by_what_is_said(dealt):
    out, err = dealt
    assert "the hand at seat 1 rejects the card" in out
    assert "bet 2 taken: 20.00" in out
    assert "bet 1 paid 30.00" in out
    assert "refused: the hand is anna's, not carl's" in err
    assert "refused: only a ten or face that was just drawn may be rejected" in err


def test_the_felt_shows_every_hand_and_no_card_that_lies_face_down(dealt, capsys):
    assert sabot("show", "M-1", "--format", "json", "--at", "#17") == 0
    said = capsys.readouterr().out
    hands = json.loads(said)["felt"]["coup"]["others"]
    assert [(each["patron"], each["seat"]) for each in hands] == [("anna", 2), ("ben", 1)]
    assert [card["card"] for each in hands for card in each["hand"]["cards"]] == [None, None]
    assert sabot("show", "M-1") == 0
    assert sabot("show", "M-1", "--at", "#12") == 0


def test_it_is_replayed_event_by_event(dealt, capsys):
    for payload in range(1, 30, 4):
        assert sabot("replay", "M-1", "--at", f"#{payload}") == 0
    assert "BANKER" in capsys.readouterr().out


def test_it_is_explained_and_taken_home_and_judged_alike(dealt, capsys, tmp_path):
    assert sabot("explain", "M-1", "1") == 0
    assert (
        "no published solution: the number of cards that a hand may draw is not limited"
        in " ".join(capsys.readouterr().out.split())
    )
    assert sabot("audit") == 0
    first = capsys.readouterr().out
    home, copy = str(tmp_path / "m.jsonl"), str(tmp_path / "copy.db")
    assert sabot("export", "-o", home) == 0
    assert sabot("import", home, "--database", copy) == 0
    assert sabot("audit", "--database", copy) == 0
    assert capsys.readouterr().out == first


def test_the_felt_of_each_moment_hides_what_lies_face_down():
    whole = play(table("victoria"), "2 500, 1 500 | 2: 3 4 +K- !5; 1: 9 9; B: 5 2 +2").events
    for end in range(1, len(whole) + 1):
        shoe = fold("shoe/test", whole[:end])
        coup = felt_of(shoe).coup
        if coup is None or not coup.others or shoe.coups[1].result_called is not None:
            continue
        turned = {(e.payload.hand, e.payload.seat, e.payload.nth) for e in shoe.coups[1].turned}
        for key, hand in (
            *((("patron", each.seat), each.hand) for each in coup.others),
            (("banker", None), coup.banker),
        ):
            for nth, card in enumerate(hand.cards, 1):
                assert (card.card is None) == (nth <= 2 and (*key, nth) not in turned)
