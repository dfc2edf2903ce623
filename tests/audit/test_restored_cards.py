"""A ruling to restore a card: its requirements, and the breaches it excuses.

Source: a wrong draw voids the coup unless it can be restored at once (ARRETE_2007_ART_55_14).
"""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.domain.procedure.preconditions import violation
from sabot.domain.state.shoe import Shoe
from tests.audit.test_money_adds_up import by_the_tableau, face
from tests.support.audited import result_on
from tests.support.coup_notation import Felt
from tests.support.restored_cards import (
    PACK,
    RESTORE,
    TO_BANKER,
    WRONG_THIRD,
    dealt,
    ended,
    sorted_codes,
)
from tests.support.rule_examples import deal

TO_PLAYER = ev.CardReassigned(1, "banker", "player", "sue")

GIVEN = "card-moved-without-ruling"
VALUES = st.integers(0, 9)


def test_a_card_that_is_restored_at_once_is_dealt_as_it_was_due():
    felt = dealt(WRONG_THIRD, RESTORE, TO_BANKER, result=(6, 8))
    assert sorted_codes(felt.shoe) == []
    assert felt.shoe.coups[1].banker == ["2", "3", "3"]


def test_no_patron_rules_that_a_card_is_restored():
    """p1 bets on Player, and wants the three given to Banker."""
    felt = dealt(WRONG_THIRD, replace(RESTORE, by="p1"), TO_BANKER, result=(6, 8))
    assert GIVEN in sorted_codes(felt.shoe)


def test_one_of_the_first_four_is_restored_too():
    """The second card goes to Player, then to Banker: a natural of nine against two and three."""
    felt = dealt("> P 9  P 2", RESTORE, TO_BANKER, more="> P K  B 3", result=(9, 5))
    assert sorted_codes(felt.shoe) == []
    unruled = dealt("> P 9  P 2", TO_BANKER, more="> P K  B 3", result=(9, 5))
    assert sorted_codes(unruled.shoe) == [GIVEN, "cards-out-of-order"]


def test_a_coup_that_could_not_be_restored_is_void():
    felt = Felt(PACK).ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards(WRONG_THIRD)
    felt.put(RESTORE, replace(RESTORE, ruling="void"), ev.CoupVoided(1, "a wrong draw", "sue"))
    assert sorted_codes(felt.shoe) == []


@pytest.mark.parametrize(
    ("cards", "between", "more", "result"),
    [
        # Banker 7 stands: the three was due to nobody
        ("> P K  B 2  P 6  B 5  P 3", (RESTORE, TO_BANKER), "", (6, 0)),
        # Banker has drawn a two since: that three is his no more
        (WRONG_THIRD, (), "> B 2", (6, 0)),
        # one ruling restores one card: the second was given back and forth
        (WRONG_THIRD, (RESTORE, TO_BANKER, TO_PLAYER), "", (9, 5)),
    ],
)
def test_a_card_that_was_not_due_or_not_at_once_is_not_restored(cards, between, more, result):
    felt = Felt(PACK).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards(cards).put(*between)
    if more:
        felt.cards(more).put(RESTORE, TO_BANKER)
    assert GIVEN in sorted_codes(ended(felt, *result).shoe)


def test_a_card_is_not_restored_once_a_bet_was_moved_by_it():
    felt = Felt(PACK).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards(WRONG_THIRD).put(ev.ResultCalled(1, 9, 5, "P"), ev.BetPaid(1, 1, 500))
    assert GIVEN in sorted_codes(felt.put(RESTORE, TO_BANKER, ev.CoupClosed(1)).shoe)


@given(st.tuples(VALUES, VALUES, VALUES, VALUES), st.tuples(VALUES, VALUES), st.integers(0, 5))
def test_whichever_card_goes_wrong_and_is_restored_the_coup_is_clean(four, coming, nth):
    """The cards go where they are due, but one, which goes to the other hand first."""
    a, b, c, d = four
    player_total, banker_total = by_the_tableau(list(four), list(coming))
    felt = Felt(PACK).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    deal = Deal(felt, [a, b, c, d, *coming], nth)
    deal.on()
    assert sorted_codes(ended(felt, player_total, banker_total).shoe) == []


@dataclass
class Deal:
    """Cards that are dealt to whom they are due, but for one."""

    felt: Felt
    values: list[int]
    wrong: int
    dealt: int = field(default=0)

    def on(self) -> None:
        """Deal to the end."""
        for nth, value in enumerate(self.values):
            due = self._due()
            if due is None:
                return
            place = len(self.felt.shoe.left) + 1
            if nth != self.wrong:
                self.felt.put(ev.CardDrawn(1, due, face(value), place))
                continue
            other = "banker" if due == "player" else "player"
            self.felt.put(ev.CardDrawn(1, other, face(value), place))
            self.felt.put(RESTORE, ev.CardReassigned(1, other, due, "sue"))

    def _due(self) -> ev.Hand | None:
        """Say to whom the next card is due, by the table of the arrêté, art. 55-14."""
        coup = self.felt.shoe.coups[1]
        player, banker = len(coup.player), len(coup.banker)
        if player < 2 or banker < 2:
            return "player" if player <= banker else "banker"
        values = [self.values[n] for n in range(4)]
        player_total, banker_total = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
        if player_total > 7 or banker_total > 7:
            return None
        if player == 2 and banker == 2 and player_total < 6:
            return "player"
        if banker > 2:
            return None
        if player == 2:
            return "banker" if banker_total < 6 else None
        third = self.values[4]
        draws = {3: third != 8, 4: 2 <= third <= 7, 5: 4 <= third <= 7, 6: 6 <= third <= 7}
        return "banker" if draws.get(banker_total, banker_total < 3) else None


# -- The dealer's side ----------------------------------------------------------------------------


def wrong_third(*noted: ev.Event) -> Shoe:
    felt = Felt(PACK).ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards(WRONG_THIRD)
    return felt.put(*noted).shoe


def test_the_dealer_may_restore_what_was_ruled_so():
    assert violation(wrong_third(RESTORE), TO_BANKER) is None
    assert "restore-card" in (violation(wrong_third(), TO_BANKER) or "")
    assert "not due to Player" in (violation(wrong_third(RESTORE), TO_PLAYER) or "")


# -- A card that Player kept -----------------------------------------------------------------------


WITHHELD = EXAMPLES["card-withheld-from-banker"]


def test_a_card_that_was_given_to_banker_leaves_nothing_to_find() -> None:
    """Player 6 and a king too many. Banker 5 draws, and the king is his."""
    near = WITHHELD.replace(
        "due", 'card-reassigned {"coup": 1, "hand": "player", "to": "banker"}\ndue'
    )
    shoe = deal(near)
    assert (shoe.coups[1].player, shoe.coups[1].banker) == (["2", "4"], ["3", "2", "K"])
    audit = audit_shoe(shoe)
    assert audit.findings == []
    assert result_on(audit, "card-withheld-from-banker") == "pass"
    assert result_on(audit, "card-moved-without-ruling") == "pass"
