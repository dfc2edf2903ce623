"""The rules of `checks/moved_cards.py`: what is a surplus card of Player."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.coup_notation import Felt


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
