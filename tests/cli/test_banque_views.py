"""What show and replay display of two tableaux."""

import io

import pytest
from rich.console import Console

from sabot.cli.replay import view_bets, view_roads, view_shoe
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.rule_text import due_to, ruling_of
from sabot.cli.replay.scene import scene_of
from sabot.cli.replay.view_roads import scores
from sabot.cli.table_view.felt_drawing import felt
from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import fold
from sabot.domain.views.table_view import felt_of
from tests.games.test_banque import FIVE, LOSS, OPEN, TIE, WIN, dealt, opened, table


def drawn(shoe, width=100):
    console = Console(file=io.StringIO(), width=width)
    console.print(felt(shoe))
    return console.file.getvalue()


def until(felt_, right, left, banker, kind):
    """Deal the hands. Stop before the first event of a kind."""
    whole = dealt(felt_, right, left, banker).shoe
    at = next(n for n, event in enumerate(whole.history) if isinstance(event.payload, kind))
    return fold(whole.stream, whole.history[:at])


@pytest.mark.parametrize("width", [60, 80, 100])
def test_the_felt_has_both_tableaux_and_the_banker_between(width):
    shoe = dealt(opened(table(), "p7 right 1000", "p5 left 1000"), WIN, LOSS + " Kd", FIVE).shoe
    told = drawn(shoe, width)
    lines = told.splitlines()
    assert all(len(line) <= width for line in lines)
    assert "THE RIGHT WINS 6 to 5" in told
    assert "THE LEFT LOSES 4 to 5" in told
    if width == 100:
        (heads,) = [line for line in lines if "RIGHT p7" in line]
        assert heads.index("RIGHT p7") < heads.index("BANKER") < heads.index("LEFT p5")
    else:
        assert [line.split()[1] for line in lines if "♥" in line or "♣" in line or "♠" in line][
            :3
        ] == ["RIGHT", "LEFT", "BANKER"]
    state = felt_of(shoe)
    assert [(each.tableau, each.outcome) for each in state.results] == [
        ("right", "P"),
        ("left", "B"),
    ]
    assert "last coups on the right (newest right) P" in told
    assert "last coups on the left (newest right) B" in told
    assert "PLAYER" not in told


def test_a_natural_that_was_judged_before_the_banker_drew_is_told_by_itself():
    """8 to the banker's 3 on two cards; that he has 8 himself with his third changes nothing."""
    felt_ = dealt(opened(table(), "p7 right 1000", "p5 left 1000"), "Kh 8h", "Kd 7d", "2s As 5s")
    told = drawn(felt_.shoe)
    assert "THE RIGHT WINS on a natural 8" in told
    assert "THE LEFT LOSES 7 to 8" in told


def test_hands_that_lie_face_down_are_not_told_before_they_are_turned():
    bets = ("p7 right 1000", "p5 left 1000")
    shoe = until(opened(table(), *bets), TIE, WIN, FIVE, bank_ev.ChoiceMade)
    state = felt_of(shoe)
    hands = [state.coup.banker, *(other.hand for other in state.coup.others)]
    assert all(card.card is None for hand in hands for card in hand.cards)
    assert [hand.total for hand in hands] == [None] * 3
    assert [other.outcome for other in state.coup.others] == [None, None]
    assert due_to(shoe, shoe.coups[1]) == {}
    told = drawn(shoe)
    assert not any(sign in told for sign in "♥♣♠♦")


def test_a_natural_alone_is_shown_before_the_others():
    bets = ("p7 right 1000", "p5 left 1000")
    shoe = until(opened(table(), *bets), "4h 4d", WIN, FIVE, ev.BetPaid)
    right, left = felt_of(shoe).coup.others
    assert (right.hand.total, right.hand.natural) == (8, True)
    assert left.hand.total is None


def test_each_tableau_has_a_road_of_its_own():
    felt_ = table()
    for hands in ((WIN, LOSS + " Kd"), (TIE, WIN), (LOSS + " Kh", TIE)):
        dealt(opened(felt_, "p7 right 1000"), *hands, FIVE)
    opened(felt_, "p7 right 1000")
    assert [score.outcome for score in scores(felt_.shoe, "right")] == ["P", "T", "B"]
    assert [score.outcome for score in scores(felt_.shoe, "left")] == ["B", "P", "T"]
    assert scores(felt_.shoe) == []


@pytest.mark.parametrize("pack", ["banque", OPEN])
def test_the_replay_tells_the_rules_of_the_tableaux_and_refuses_none_of_what_happened(pack):
    felt_ = dealt(opened(table(pack), "p7 right 1000", "p5 cheval 2000"), "4h 4d", TIE, FIVE)
    opened(felt_, "p4 left 1000")
    said = {}
    for at, event in enumerate(felt_.events):
        ruling = ruling_of(fold(felt_.shoe.stream, felt_.events[:at]), event)
        assert ruling.refused is None, (event.payload, ruling.refused)
        assert ruling.banker_row is None
        said.setdefault(type(event.payload), ruling.lines)
    rule_numbers = {kind: [line.split()[0] for line in said[kind]] for kind in said}
    assert rule_numbers[ev.CardDrawn] == ["T106", "T107", "T108"]
    assert rule_numbers[bank_ev.ChoiceMade] == ["T111", "T109"]
    assert said[ev.BetPaid][0] == "the right tableau pays 1 to 1"
    assert rule_numbers[ev.ShoeOffered] == ["W501", "K513"]
    if pack == OPEN:
        assert "W505" in rule_numbers[bank_ev.SessionCalled]
    else:
        assert rule_numbers[ev.CutterNamed] == ["W507"]


def shown(felt_, view, width, height):
    """Draw a panel of the replay at the last event."""
    reel = Playback(felt_.shoe.stream, felt_.events)
    reel.seek(len(felt_.events))
    return [line.plain.rstrip() for line in view(scene_of(reel), width, height)]


def test_the_panels_of_the_replay_have_a_line_and_a_road_for_each_tableau():
    felt_ = dealt(opened(table(), "p7 right 1000", "p5 left 1000"), WIN, LOSS + " Kd", FIVE)
    told = shown(felt_, view_shoe.hands, 60, 8)
    assert [line.split()[0] for line in told[:3]] == ["RIGHT", "LEFT", "BANKER"]
    assert told[3:5] == [" THE RIGHT WINS 6 TO 5", " THE LEFT LOSES 4 TO 5"]
    roads = shown(felt_, view_roads.roads, 80, 20)
    assert roads[0] == "on the right"
    assert "on the left" in roads
    assert all(len(line) <= 30 for line in shown(felt_, view_roads.roads, 30, 8))
    bets = "\n".join(shown(felt_, view_bets.bets, 80, 8))
    assert "paid 10.00" in bets
    assert "taken 10.00" in bets
