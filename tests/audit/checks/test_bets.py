"""More ways to break the rules of `checks/bets.py` and `checks/free_hands.py`, and near misses."""

from sabot.domain import events as ev
from tests.support.audited import only
from tests.support.coup_notation import Felt
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "past-posted-bet",
        1,
        """
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "player", "amount": 500}
        deal > B K  P 5  B 8
        due
        """,
        "coup p2 player 500 | P 4 5  B K 8",
    ),
    # a seat that the loading of the shoe gives
    Case(
        "unknown-seat",
        None,
        """
        load mini {"seats": [{"seat": 8, "patron": "p1"}]}
        coup P 4 5  B K 8
        """,
        """
        load mini {"seats": [{"seat": 7, "patron": "p1"}]}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "wager-not-offered",
        1,
        "coup p1 panda-8 500 | P 4 5  B K 8 | P | 1 take 500",
        """
        load ez-baccarat
        coup p1 panda-8 500 | P 4 5  B K 8 | P
        """,
    ),
    Case(
        "excess-free-hands",
        4,
        """
        with free_hands = 3
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        """,
        """
        with free_hands = 3
        free P 4 5  B K 8
        free P 4 5  B K 8
        free P 4 5  B K 8
        """,
    ),
    Case(
        "unknown-seat",
        1,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500, "seat": 15}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500, "seat": 14}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Money: each amount worked out by hand ---------------------------------------------------------


def test_a_bet_that_came_late() -> None:
    """What it won would not have been won. A stake raised late, by what the raise won."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K")
    felt.put(ev.BetPlaced(1, 2, "p2", "tie", 100), ev.BetChanged(1, 1, 2000))
    felt.cards("> P 5  B 8")
    assert only(felt, "past-posted-bet").money.unknown == "the bet has not been settled"
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetTaken(1, 2, 100), ev.BetPaid(1, 1, 2000))
    felt.put(ev.CoupClosed(1))
    assert only(felt, "past-posted-bet").money.patrons == {"p2": -100}
    changed = only(felt, "late-bet-change").money
    assert (changed.patrons, changed.basis) == ({"p1": 1500}, "rule")


def test_a_losing_bet_that_was_withdrawn_late() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 4 4  B K 9").put(ev.BetWithdrawn(1, 1))
    felt.put(ev.ResultCalled(1, 8, 9, "B"), ev.CoupClosed(1))
    assert only(felt, "late-bet-change").money.patrons == {"p1": 500}


# -- Who, and when ---------------------------------------------------------------------------------


def test_the_patron_is_whose_bet_it_was() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p7", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4").put(ev.BetChanged(1, 1, 900)).cards("> B K  P 5  B 8")
    assert only(felt, "late-bet-change").patron == "p7"
