"""More ways to break the rules of `checks/bank/funds.py`, and near misses."""

from sabot.domain import events as ev
from sabot.domain.audit.checks.bank.funds import stakes_beyond_bank
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events.bank import BankRaised
from tests.support.audited import codes
from tests.support.own_hand_coups import finish, hands
from tests.support.own_hand_coups import table as table_of_hands
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import told

CASES = (
    # the rules of every patron's bank hold here too
    Case(
        "stakes-beyond-bank",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        limits-changed {"limits": [{"minimum": 500, "maximum": 100001}]}
        hands 2 100001, 1 100000 | 2: 7; 1: 6; B: 8
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 2 100000, 1 100000 | 2: 7; 1: 6; B: 8
        """,
    ),
    Case(
        "stakes-beyond-bank",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 4001}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20001}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000, p3 player 4000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20000}
        """,
    ),
    # France: what the bank does not cover goes back, and nobody covers it
    Case(
        "stakes-beyond-bank",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}
        bank-raised {"by": "p1", "amount": 2000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 12000}
        levy-announced {"coup": 1, "amount": 600}
        tickets-detached {"coup": 1, "amount": 600, "tickets": ["T-1"]}
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 23400}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}
        bank-raised {"by": "p1", "amount": 2000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 24000}
        """,
    ),
    Case(
        "stakes-beyond-bank",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20100, "seat": 7}
        bank-unlimited {"by": "p11", "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20100, "seat": 7}
        bank-unlimited {"by": "p11", "coup": 1}
        bank-raised {"by": "p11", "amount": 100, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
    ),
    # stakes
    Case(
        "miscalled-bank",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20001}
        banco-called {"coup": 1, "patron": "p7"}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20000, "seat": 7}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux banco p7 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "banker-stake-against-own-bank",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p11 right 500, p5 left 500 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p10 right 500, p5 left 500 | 3 4; 2 4; 9 K
        """,
    ),
    # the stakes count as they lay when he accepted them
    Case(
        "open-bank-without-excess",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000, "seat": 7}
        bet-changed {"coup": 1, "bet": 1, "amount": 15000}
        bank-unlimited {"by": "p11", "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 15000, "seat": 7}
        bet-changed {"coup": 1, "bet": 1, "amount": 21000}
        bank-unlimited {"by": "p11", "coup": 1}
        bank-raised {"by": "p11", "amount": 1000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
    ),
    # no bank of chemin de fer holds more than lies in it
    Case(
        "open-bank-without-excess",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        bank-unlimited {"by": "p1"}
        coup p2 player 500 | P 4 2  B K 9
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 20000}
        bet-placed
        {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 21000, "seat": 7}
        bank-unlimited {"by": "p11", "coup": 1}
        bank-raised {"by": "p11", "amount": 1000, "coup": 1}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "right", "to": "p7"}
        hand-given {"coup": 1, "hand": "left", "to": "p5"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
    ),
)

BLAMED_AT = {"stakes-beyond-bank": (ev.NoMoreBets,)}
"""The kinds of events by which a rule is broken, where the first event shown was right."""

MADE_GOOD_LATE = ("open-bank-without-excess",)
"""Rules whose own near miss is something else until it is made good, or is accepted."""

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Chips added in a coup -------------------------------------------------------------------------

RAISED = """
    load {}
    seats p1 p2 p3
    bank p1 10000
    coup-opened {{"coup": 1}}
    bank-called {{"coup": 1, "amount": 10000}}
    bet-placed {{"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 12000}}
    bank-raised {{"by": "p1", "amount": 2000}}
    no-more-bets {{"coup": 1}}
    hand-given {{"coup": 1, "hand": "player", "to": "p2"}}
    deal P 4 2  B K 9
    due
"""


def test_chips_added_in_a_coup_count_if_the_event_names_no_coup():
    """p1 adds 20.00 for the 120.00 staked, in the coup and before "no more bets"."""
    assert told(RAISED.format("chemin-de-fer")) == []
    beyond = [code for code, *_ in told(RAISED.format("chemin-de-fer-france"))]
    assert beyond == [code_of(stakes_beyond_bank)]


def test_at_macao_a_banker_may_add_chips_before_the_stakes_are_closed():
    """3000.00 are staked against a bank of 2000.00, to which the banker adds 1000.00."""
    felt = table_of_hands(bank=200_000).put(ev.CoupOpened(1))
    felt.put(
        ev.BetPlaced(1, 1, "p2", "hand", 150_000, 2), ev.BetPlaced(1, 2, "p1", "hand", 150_000, 1)
    )
    felt.put(BankRaised("p3", 100_000, 1), ev.NoMoreBets(1))
    shoe = finish(hands(felt, "2: 9; 1: 4 +5 =; B: 3 +6")).shoe
    assert code_of(stakes_beyond_bank) not in codes(shoe)
