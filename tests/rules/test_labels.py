"""The labels of hands, wagers and pay conditions."""

import pytest

from sabot.domain.rules import macao_hands, tableau_hands, wagers
from sabot.domain.rules.labels import (
    CONDITION_LABELS,
    condition_label,
    hand_label,
    payout_label,
    wager_label,
)
from sabot.domain.rules.wagers import PayLine, Wager
from sabot.infrastructure.rule_packs import shipped_packs


def test_every_condition_has_a_label() -> None:
    known = {*wagers.CONDITIONS, *tableau_hands.CONDITIONS, *macao_hands.CONDITIONS}
    assert known == CONDITION_LABELS.keys()


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("player", "Player"),
        ("tiger-tie", "Tiger Tie"),
        ("dragon-bonus-banker", "Banker Dragon Bonus"),
        ("cheval", "both tableaux"),
        ("royal", "Royal"),
    ],
)
def test_a_wager_is_named_as_at_the_table(name: str, label: str) -> None:
    assert wager_label(name) == label


def test_a_hand_of_a_seat_is_named_by_its_seat() -> None:
    assert [hand_label("player"), hand_label("left"), hand_label("patron", 3)] == [
        "Player",
        "the left tableau",
        "the hand at seat 3",
    ]


def test_a_payout_names_its_condition_if_the_wager_has_several() -> None:
    half = Wager("banker", (PayLine("banker-wins-on-6", "1:2"), PayLine("banker-wins", "1:1")))
    even = Wager("player", (PayLine("player-wins", "1:1"), PayLine("tie", "push")))
    ez = Wager("banker", (PayLine("banker-wins-on-three-card-7", "push"),))
    assert payout_label(half, half.lines[0]) == "Banker pays 1 to 2 (Banker wins on 6)"
    assert payout_label(even, even.lines[0]) == "Player pays 1 to 1"
    assert payout_label(even, even.lines[1]) == "on a tie the bet is pushed"
    assert payout_label(ez, ez.lines[0]) == "Banker pushes: Banker wins on a three-card 7"


def test_no_label_of_a_shipped_pack_is_a_code() -> None:
    for pack in shipped_packs():
        for wager in pack.wagers:
            for line in wager.lines:
                said = (
                    wager_label(wager.name) + payout_label(wager, line) + condition_label(line.on)
                )
                assert "-wins" not in said
                assert ":1" not in said
