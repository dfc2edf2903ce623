"""More ways to break the rules of `checks/carried_bets.py`, and near misses."""

from sabot.domain.audit import audit_shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "carried-bet-without-tie",
        2,
        """
        coup p1 player 500 | P 4 5  B K 9
        coup +p9 player 500 | P 4 5  B K 8
        """,
        """
        coup p1 player 500 | P 4 5  B K 9
        coup-opened {"coup": 2}
        bet-carried {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-changed {"coup": 2, "bet": 1, "amount": 600}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
        """,
    ),
    Case(
        "held-bet-taken-up",
        2,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup P 4 5  B K 8
        """,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup +p1 player 500 | P 4 5  B K 8
        """,
    ),
    Case(
        "held-bet-taken-up",
        1,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        bet-withdrawn {"coup": 1, "bet": 1}
        """,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A bet that stays after a tie ------------------------------------------------------------------


def test_a_total_that_no_tie_left_is_found():
    """Of the 600 that won 600, a tie left 500."""
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 300, p1 player 200 | P 4 5  B K 9").coup("+p1 player 600 | P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup, found.patron) == ("carried-bet-without-tie", 2, "p1")


# -- One rule that is broken several times at once -------------------------------------------------


def test_held_bets_that_nobody_carries_are_one_finding():
    """A tie holds p1's and p2's 5.00. Player wins the next coup: p1 misses 5.00, p2 keeps them."""
    felt = Felt(pack_text("classic-8").replace("withdrawable = true", "withdrawable = false"))
    felt.ready().coup("p1 player 500, p2 banker 500 | P 4 5  B K 9").coup("P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup) == ("held-bet-taken-up", 2)
    assert found.money.patrons == {"p1": -500, "p2": 500}
