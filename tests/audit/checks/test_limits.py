"""More ways to break the rules of `checks/limits.py`, and near misses."""

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes_and_coups, finished
from tests.support.coup_notation import Felt, shoe_of
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "bet-outside-limits",
        1,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 99 | P 4 5  B K 8
        """,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 100 | P 4 5  B K 8
        """,
    ),
    Case(
        "bet-outside-limits",
        1,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 600}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
        """,
        """
        load classic-8 {"limits": [{"minimum": 100, "maximum": 500}]}
        limits-changed {"limits": [{"minimum": 100, "maximum": 1000}]}
        coup p1 player 600 | P 4 5  B K 8
        """,
    ),
    Case(
        "table-differential-exceeded",
        1,
        """
        with limits.differential = 300
        coup p1 player 600, p2 player 400, p3 banker 699 | P 4 5  B K 8
        """,
        """
        with limits.differential = 300
        coup p1 player 600, p2 player 400, p3 banker 700 | P 4 5  B K 8
        """,
    ),
    Case(
        "combined-bets-above-limit",
        1,
        """
        with limits.per = "patron"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 300 | P 4 5  B K 8
        """,
        """
        with limits.per = "patron"
        limits-changed {"limits": [{"minimum": 100, "maximum": 500}]}
        coup p1 player 300, p1 player 200, p2 player 300, p1 tie 300 | P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Limits ----------------------------------------------------------------------------------------


LOW, HIGH = (ev.Limit(100, 500),), (ev.Limit(1000, 5000),)


TIE = "p1 player 500 | P 4 5  B K 9"


def limited(change: ev.Event, *payloads: ev.Event) -> Shoe:
    """A tie leaves 500 on the felt; the limits change; then the next coup."""
    felt = Felt(limits=LOW).ready().coup(TIE).put(change, ev.CoupOpened(2), *payloads)
    return finished(felt.put(ev.NoMoreBets(2)).cards("P 4 5  B K 8"))


CARRIED = ev.BetCarried(2, 1, "p1", "player", 500)


RAISED = ev.LimitsChanged(HIGH)


def test_a_bet_that_a_tie_holds_keeps_the_limits_that_it_was_made_under():
    assert codes_and_coups(limited(RAISED, CARRIED)) == []
    anew = ev.BetPlaced(2, 1, "p1", "player", 500)
    assert codes_and_coups(limited(RAISED, anew)) == [("bet-outside-limits", 2)]


def test_it_keeps_them_through_two_ties():
    felt = Felt(limits=LOW).ready().coup(TIE).put(RAISED).coup(f"+{TIE}")
    assert codes_and_coups(felt.coup("+p1 player 500 | P 4 5  B K 8").shoe) == []


def test_a_record_of_coups_may_lack_changes_of_limits_and_bets():
    capped = pack_text("classic-8") + "\n[limits]\ndifferential = 300\n"
    bets = (ev.BetPlaced(1, 1, "p1", "player", 600), ev.NoMoreBets(1))
    for coverage, found in (
        ("coups", set()),
        ("whole", {"bet-outside-limits", "table-differential-exceeded"}),
    ):
        felt = Felt(capped, limits=LOW, coverage=coverage).put(ev.CoupOpened(1), *bets)
        finished(felt.cards("P 4 5  B K 8"))
        about = {
            code for code, _ in codes_and_coups(felt.shoe) if "limits" in code or "differ" in code
        }
        assert about == found


def test_a_bet_that_was_made_before_the_record_is_held_to_no_limits():
    felt = Felt(limits=HIGH).ready().coup(TIE.replace("500", "1000"), 3)
    felt.put(ev.LimitsChanged((ev.Limit(2000, 5000),))).coup("+p1 player 1000 | P 4 5  B K 8")
    pushed = next(n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.BetPushed))
    assert codes_and_coups(shoe_of(felt.payloads[pushed:])) == []
    anew = felt.coup("p1 player 1000 | P 4 5  B K 8").payloads
    assert codes_and_coups(shoe_of(anew[pushed:])) == [("bet-outside-limits", 5)]


def test_a_stake_that_is_changed_is_held_to_the_limits_of_that_moment():
    bet = ev.BetPlaced(1, 1, "p1", "player", 500)
    for stake, found in ((2000, []), (600, [("bet-outside-limits", 1)])):
        felt = Felt(limits=LOW).ready().put(ev.CoupOpened(1), bet, RAISED)
        felt.put(ev.BetChanged(1, 1, stake), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
        assert codes_and_coups(finished(felt)) == found
