"""Money moved against a ruling or without one, counted once.

Player wins by 9 to 8 where nothing else is said: p1's 10.00 on Player win 10.00, p2's 20.00 on
Banker are lost, p3's 5.00 on Player win 5.00. On a ruling that the bets go back all of them are due
nothing. Commission is 5 %: 1.00 on 20.00.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt
from tests.support.three_bets import (
    BETS,
    codes_of_coup,
    findings_of_coup,
    noted,
    opened,
    settled,
    summed,
)

# -- Commission of a coup that is void ------------------------------------------------------------

UNOWED, VOIDED = "commission-not-due", "voided-bet-settled"


def void(*behind: ev.Event, before: tuple[ev.Event, ...] = ()) -> Felt:
    felt = opened("> P 4  B K  P 4  B 9").put(*before, noted("misdeal", "void"))
    return felt.put(ev.CoupVoided(1, by="sue"), *behind)


@pytest.mark.parametrize(
    ("felt", "told", "patrons"),
    [
        (void(ev.CommissionCollected("p2", 100, 1)), [UNOWED], {"p2": -100}),
        (void(ev.CommissionCollected("p2", 100, 1, 2)), [VOIDED], {"p2": -100}),
        (void(), [], {}),
        # what he was paid, less what was kept, is one thing: 19.00
        (
            void(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p2", 100, 1)),
            [VOIDED],
            {"p2": 1900},
        ),
        # paid, kept, and taken back in chips as they lay there: nothing is left of it
        (
            void(
                ev.BetTaken(1, 2, 1900),
                before=(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p2", 100, 1)),
            ),
            [],
            {},
        ),
        # another's commission is his, and not p2's
        (
            void(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p1", 100, 1)),
            [UNOWED, VOIDED],
            {"p1": -100, "p2": 2000},
        ),
    ],
)
def test_commission_of_a_void_coup_goes_back_as_the_bets_do(felt, told, patrons):
    of_coup = [code for code in codes_of_coup(felt) if code in (UNOWED, VOIDED)]
    assert (sorted(of_coup), summed(felt)) == (told, patrons)


def test_commission_of_bets_that_went_back_as_ruled_was_not_owed():
    felt = opened("> P 4  B K  P 4  B 9").put(noted("misdeal", "return-bets"))
    felt.put(ev.ResultCalled(1, 8, 9, "B"), *settled(dict.fromkeys(BETS, 0)))
    felt.put(ev.CommissionCollected("p2", 100, 1), ev.CoupClosed(1))
    assert (codes_of_coup(felt), summed(felt)) == ([UNOWED], {"p2": -100})


# -- Cards that were burned on the quiet ----------------------------------------------------------

BURNED = "dealt-card-burned-without-ruling"


def burned(before: str, behind: str, called: tuple[int, int], *ruling: ev.Event) -> Felt:
    """The last card before was drawn, and taken off its hand; the next came in its place."""
    felt = opened(before).put(*ruling)
    card = felt.shoe.coups[1].cards[-1].payload
    felt.put(ev.CardBurned(card.card, card.place, "ruling", 1)).cards(behind)
    felt.put(ev.ResultCalled(1, *called, "P"))
    return felt.put(*settled({1: 1000, 2: -2000, 3: 500}), ev.CoupClosed(1))


@pytest.mark.parametrize(
    ("before", "behind", "called"),
    [
        # Player 2 draws a 2, and stands at 4 against 7: 20.00 on Banker win 19.00
        ("> P 2  B 2  P K  B 5  P 2", "> P 7", (9, 7)),
        # 4 and 2 are Player's, 3 and 5 Banker's: a natural 8
        ("> P 4  B 3  P 2", "> P 5  B K", (9, 3)),
    ],
)
def test_a_card_that_was_switched_on_the_quiet_bears_what_it_moved(before, behind, called):
    felt = burned(before, behind, called)
    money = {each.code: each.money for each in findings_of_coup(felt)}
    assert money[BURNED].patrons == {"p1": 2000, "p2": -3900, "p3": 1000}
    assert money[BURNED].house == 900
    assert summed(felt) == money[BURNED].patrons


def test_a_card_that_was_burned_on_a_ruling_moved_nothing():
    """Player 6 stands, and drew a 2: burned as ruled. Banker 5 draws a K, and 6 wins."""
    ruled = noted("wrong-draw", "burn-card")
    felt = burned("> P 2  B 2  P 4  B 3  P 2", "> B K", (6, 5), ruled)
    assert (codes_of_coup(felt), summed(felt)) == ([], {})


def test_a_card_that_was_burned_and_not_replaced_is_counted_with_the_stand():
    """Player 2 draws a 2, which is burned, and no other comes: 2 loses to 7 as 4 does."""
    felt = opened("> P 2  B 2  P K  B 5  P 2")
    card = felt.shoe.coups[1].cards[-1].payload
    felt.put(ev.CardBurned(card.card, card.place, "ruling", 1), ev.ResultCalled(1, 2, 7, "B"))
    felt.put(*settled({1: -1000, 3: -500, 2: 2000}), ev.CommissionCollected("p2", 100, 1, 2))
    assert BURNED in codes_of_coup(felt.put(ev.CoupClosed(1)))
    assert summed(felt) == {}
    unknown = [each.code for each in findings_of_coup(felt) if each.money.house is None]
    assert len(unknown) == len(findings_of_coup(felt)) - 1


# -- Chips for no bet -----------------------------------------------------------------------------


def stray(*payloads: ev.Event, rules: str = pack_text("classic-8")) -> Shoe:
    felt = Felt(rules).ready().coup("p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500")
    return felt.put(*payloads).shoe


@pytest.mark.parametrize(
    ("payload", "house", "patrons"),
    [
        (ev.BetPaid(1, 9, 1000), -1000, {}),
        (ev.BetTaken(1, 9, 1000), 1000, {}),
        (ev.CommissionCollected("p1", 100, 1, 9), 100, {"p1": -100}),
        (ev.BetPushed(1, 9), None, {}),
    ],
)
def test_chips_that_moved_for_no_bet_left_or_came_to_the_tray(payload, house, patrons):
    [each] = audit_shoe(stray(payload)).findings
    assert each.code == "unmatched-event"
    assert (each.money.house, each.money.patrons) == (house, patrons)
    assert ("the record does not say whose" in each.message) is (house is not None and not patrons)


def test_a_payment_of_a_bet_that_is_there_has_its_ground():
    assert audit_shoe(stray()).findings == []
