"""What show and replay display of a patron's bank."""

import io
from types import SimpleNamespace

import pytest
from rich.console import Console

from sabot.cli.replay.rule_text import ruling_of
from sabot.cli.replay.view_roads import roads
from sabot.cli.table_view.felt_drawing import felt
from sabot.domain import events as ev
from sabot.domain.audit.rulebook import find_rule
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import fold
from sabot.domain.views.table_view import FeltBank, felt_of
from tests.support import own_hand_coups
from tests.support.bank_coups import staked, table


def drawn(shoe):
    console = Console(file=io.StringIO(), width=100)
    console.print(felt(shoe))
    return console.file.getvalue()


def rulings(felt_):
    """What is said of each event, by the shoe before it."""
    said = {}
    for at, event in enumerate(felt_.events):
        before = fold(felt_.shoe.stream, felt_.events[:at])
        ruling = ruling_of(before, event)
        assert ruling.refused is None, (event.payload, ruling.refused)
        said.setdefault(type(event.payload), ruling)
    return said


def test_the_felt_tells_whose_bank_lies_there_and_what_is_in_it():
    shoe = table().coup("p2 player 4000 | P 4 2  B K 9").shoe
    assert felt_of(shoe).bank == FeltBank("p1", 14_000)
    assert "bank of p1: 140.00" in drawn(shoe)


def test_a_hand_that_lies_face_down_is_not_told_by_what_is_due():
    dealt = staked(("p2", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 2 2  B K 7")
    state = felt_of(dealt.shoe)
    assert [card.card for card in state.coup.player.cards] == [None, None]
    assert state.due == "p2: a card for Player, or none?"
    told = drawn(dealt.shoe)
    assert "must" not in told
    assert "draws" not in told


def test_hands_of_ones_own_stand_on_no_road():
    shoe = own_hand_coups.play(own_hand_coups.table(), "1 500 | 1: 9; B: 5").shoe
    said = [line.plain.strip() for line in roads(SimpleNamespace(shoe=shoe), 40, 6)]
    assert said[0] == "each hand stands for itself:"
    assert "no coup has come out yet" not in said


@pytest.mark.parametrize("pack", ["macao-old", "victoria"])
def test_the_replay_tells_the_rules_of_hands_of_ones_own_and_none_of_the_tableau(pack):
    first = "4 4" if pack == "victoria" else "4"
    his = "K 5" if pack == "victoria" else "5"
    shoe = own_hand_coups.play(
        own_hand_coups.table(pack), f"1 500 | 1: {first} +K- 2; B: {his}"
    ).shoe
    said = {}
    for n, event in enumerate(shoe.history):
        said[type(event.payload)] = ruling_of(fold(shoe.stream, shoe.history[:n]), event)
    assert [each.refused for each in said.values()] == [None] * len(said)
    told = " ".join(line for each in said.values() for line in each.lines)
    assert "player, banker, player, banker" not in told
    assert [line.split()[0] for line in said[ev.CardDrawn].lines] == ["D103", "O501", "O502"]


def test_the_replay_tells_the_rules_of_a_bank_and_none_of_the_tableau():
    felt_ = table(pack="chemin-de-fer-france").coup(
        "p2 player 6000, p3 player 6000 | P 2 2 K  B K 7"
    )
    felt_.put(bank_ev.BankWithdrawn("p1", 19_500))
    said = rulings(felt_)
    rule_numbers = {kind: [line.split()[0] for line in said[kind].lines] for kind in said}
    assert rule_numbers[bank_ev.BankPosted] == ["K504", "K514", "K515"]
    assert said[bank_ev.BankPosted].lines[1] == f"K514 {find_rule('K514').requires}"
    assert rule_numbers[bank_ev.ChoiceMade] == ["T111", "T109", "T112"]
    assert all(line.startswith("Y") for line in said[bank_ev.LevyTaken].lines)
    assert all(ruling.banker_row is None for ruling in said.values())
    assert "tableau" not in " ".join(line for ruling in said.values() for line in ruling.lines)
