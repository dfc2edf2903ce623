"""More ways to break the rules of `checks/voids.py`, and near misses."""

import pytest

from sabot.domain import events as ev
from tests.support.audited import codes_and_coups
from tests.support.coup_notation import Felt
from tests.support.irregular_coups import undealt
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "play-after-shuffler-fault",
        1,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        shuffler-failed {"coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1}
        due
        """,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        shuffler-failed {"coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "return-bets", "coup": 1}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "unjustified-void",
        1,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "carl"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
    ),
    Case(
        "unfinished-coup-not-voided",
        2,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        """,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-withdrawn {"coup": 2, "bet": 1}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A coup that nobody bets on, and that is not dealt ---------------------------------------------


@pytest.mark.parametrize("end", [ev.CoupClosed(1), ev.CoupVoided(1)])
def test_a_coup_without_a_bet_may_end_undealt(end):
    assert codes_and_coups(undealt(end)) == []
    assert codes_and_coups(undealt(ev.NoMoreBets(1), end)) == []
    staked = (ev.BetPlaced(1, 1, "p1", "tie", 500), ev.BetWithdrawn(1, 1))
    assert codes_and_coups(undealt(*staked, end)) == []


def test_a_coup_with_a_bet_may_not():
    staked = ev.BetPlaced(1, 1, "p1", "tie", 500)
    assert codes_and_coups(undealt(staked, ev.CoupVoided(1))) == [("unjustified-void", 1)]
    assert set(codes_and_coups(undealt(staked, ev.CoupClosed(1)))) == {
        ("coup-short-of-cards", 1),
        ("unsettled-bet", 1),
    }


def test_a_coup_may_be_called_off_before_its_first_card_by_somebody_who_answers_for_it():
    staked = ev.BetPlaced(1, 1, "p1", "tie", 500)
    called_off = ev.CoupVoided(1, "fire alarm", by="sue")
    assert codes_and_coups(undealt(staked, called_off)) == []
    assert codes_and_coups(undealt(staked, ev.NoMoreBets(1), called_off)) == []
    dealt = Felt().ready().put(ev.CoupOpened(1), staked, ev.NoMoreBets(1)).cards("> P 4")
    dealt.put(called_off)
    assert codes_and_coups(dealt.coup("P 4 5  B K 8", 2).shoe) == [("unjustified-void", 1)]
