"""The rules of `checks/moved_cards.py`: what is a surplus card of Player."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.moved_cards import card_moved_without_ruling
from sabot.domain.audit.rule_group import code_of
from sabot.domain.procedure.preconditions import violation
from tests.support.coup_notation import Felt
from tests.support.told_shoes import CHEMIN, dealt


@pytest.mark.parametrize(
    ("cards", "found"),
    [
        ("P 2  B 3  P 2  B 2  P K", []),
        ("P 2  B 3  P 4  B 2  P K", ["C103", "D106", "T101"]),
        ("P 2  B 3  P 2  B 2  P K  P 9", ["T105"]),
        ("P 2  B 3  P 2  B 2  P 6  P 9", ["C103", "D106", "T104", "T105"]),
        ("P 2  B 3  P 3  B 2  P 6  B 4  P 5", ["D101", "T105"]),
    ],
)
def test_a_card_that_player_had_to_take_is_not_surplus(cards: str, found: list[str]) -> None:
    """Player takes a third card on 4 and 5. Banker has 5: it draws against a 6, not a ten."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards(cards)
    felt.put(ev.IrregularityNoted("wrong-draw", "card-to-banker", 1, "al"))
    felt.put(ev.ResultCalled(1, outcome="B"), ev.CoupClosed(1))
    assert sorted(each.number for each in audit_shoe(felt.shoe).findings) == found


@pytest.mark.parametrize(("by", "found"), [("al", 1), ("p1", 0)])
def test_a_ruling_that_a_patron_made_gives_no_card_to_banker(by: str, found: int) -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 2  B 3  P 4  B 2  P K")
    felt.put(ev.IrregularityNoted("wrong-draw", "card-to-banker", 1, by), ev.CoupClosed(1))
    assert [each.number for each in audit_shoe(felt.shoe).findings].count("D106") == found


MOVED = """
    {load}
    deal > {cards}
    irregularity-noted {{"kind": "{kind}", "ruling": "card-to-banker", "coup": 1, "by": "al"}}
    {moves}
    result-called {{"coup": 1}}
    coup-closed {{"coup": 1}}
"""
PUNTO = """
    coup-opened {"coup": 1}
    no-more-bets {"coup": 1}
"""
TO_BANKER = 'card-reassigned {"coup": 1, "hand": "player", "to": "banker", "by": "al"}\n'


def is_accused(cards: str, kind: str = "wrong-draw", moves: int = 1, load: str = PUNTO) -> bool:
    shoe = dealt(MOVED.format(load=load, cards=cards, kind=kind, moves=TO_BANKER * moves))
    return code_of(card_moved_without_ruling) in {each.code for each in audit_shoe(shoe).findings}


@pytest.mark.parametrize("load", [PUNTO, CHEMIN])
@pytest.mark.parametrize("kind", ["wrong-draw", "other"])
def test_a_ruling_gives_banker_no_card_that_player_drew_rightly(kind: str, load: str) -> None:
    """Player draws on 4 and stands on 6."""
    assert is_accused("P 2  B 3  P 2  B 2  P K", kind, load=load)
    assert not is_accused("P 2  B 3  P 4  B 2  P K", kind, load=load)


def test_a_ruling_gives_banker_one_surplus_card_and_no_second_card() -> None:
    assert is_accused("P 2  B 3  P 4  B 2  P K", moves=2)
    assert not is_accused("P 2  B 3  P 2  B 2  P 6  P 9")


def test_a_player_who_may_stand_has_a_surplus_card() -> None:
    """At chemin de fer Player may draw or stand on 5."""
    assert not is_accused("P 2  B 3  P 3  B 2  P K", load=CHEMIN)
    assert is_accused("P 2  B 3  P 3  B 2  P K", "other")


def test_dealing_gives_banker_no_card_that_player_drew_rightly() -> None:
    moved = ev.CardReassigned(1, "player", "banker", "al")
    for cards, allowed in (("P 2  B 3  P 2  B 2  P K", False), ("P 2  B 3  P 4  B 2  P K", True)):
        until_moved, _called = MOVED.split("{moves}")
        shoe = dealt(until_moved.format(load=PUNTO, cards=cards, kind="other"))
        assert (violation(shoe, moved) is None) == allowed
