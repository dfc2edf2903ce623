"""More ways to break the rules of `checks/bank/own_hand_cards.py`, and near misses."""

from msgspec.structs import replace

from sabot.domain.audit.checks.bank.own_hand_cards import card_beyond_hand_end
from sabot.domain.audit.checks.bank.own_hand_turns import stake_without_hand
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import CardDrawn
from sabot.domain.events.bank import ChoiceMade
from tests.support.audited import codes
from tests.support.coup_notation import shoe_of
from tests.support.own_hand_coups import play, table
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import told

CASES = (
    Case(
        "unrequested-card",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +4 = !2; B: 7 =
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +4 +2; B: 7
        """,
    ),
    # the card after one that was rejected was asked for once
    Case(
        "unrequested-card",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +4; B: 7 !A
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +K- 4; B: 7
        """,
    ),
    Case(
        "requested-card-not-dealt",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "7", "place": 1, "seat": 1}
        deal B 8
        choice-made {"coup": 1, "hand": "patron", "choice": "draw", "seat": 1}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 1, "hand": "patron", "nth": 1, "seat": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        hands-called
        {"coup": 1, "totals": [{"hand": "patron", "total": 7, "seat": 1},
        {"hand": "banker", "total": 8}]}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 7 +2; B: 8
        """,
    ),
    Case(
        "requested-card-not-dealt",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 5, "banker": 7, "outcome": "B"}
        due
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 3 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        due
        """,
    ),
    Case(
        "requested-card-not-dealt",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500
        tableaux-hands 2 3 ?; 2 4; 7 K
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 5}, {"hand": "left", "total": 6},
        {"hand": "banker", "total": 7}]}
        due
        """,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 2 3 +2; 2 4; 7 K
        """,
    ),
    Case(
        "requested-card-not-dealt",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500
        tableaux-hands 2 3; 2 4; 7 K ?
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 5}, {"hand": "left", "total": 6},
        {"hand": "banker", "total": 7}]}
        due
        """,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 2 3; 2 4; 7 K +2
        """,
    ),
    Case(
        "card-beyond-hand-end",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +4 = +2; B: 7 =
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +4 +2; B: 7
        """,
    ),
    # a rejected card is not one of those that it may have
    Case(
        "card-beyond-hand-end",
        1,
        """
        load macao-later
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +4 +2; B: 7
        """,
        """
        load macao-later
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 3 +K- 4; B: 7
        """,
    ),
    Case(
        "card-rejection-not-permitted",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "K", "place": 1, "seat": 1}
        deal B 7
        card-rejected {"coup": 1, "hand": "patron", "seat": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "6", "place": 3, "seat": 1}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "K", "place": 1, "seat": 1}
        deal B 7
        choice-made {"coup": 1, "hand": "patron", "choice": "draw", "seat": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "K", "place": 3, "seat": 1}
        card-rejected {"coup": 1, "hand": "patron", "seat": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "6", "place": 4, "seat": 1}
        due
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


STOOD = """
    load macao-old
    seats p1 p2 p3
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "4", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "draw"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 4}, {"hand": "banker", "total": 8}]}
    due
"""  # noqa: E501 - the events of a table are as long as they are


def test_a_hand_that_stood_and_asks_is_rightly_dealt_no_card():
    assert [code for code, *_ in told(STOOD)] == [code_of(card_beyond_hand_end)]


def test_cards_and_choices_of_hands_without_a_seat_are_not_judged():
    """The record does not say which patron's hand got the 9, the 4 and the 5."""
    felt = play(table(), "2 1000, 1 500 | 2: 9; 1: 4 +5 =; B: 3 +6")
    payloads = [
        replace(payload, seat=None) if isinstance(payload, CardDrawn | ChoiceMade) else payload
        for payload in felt.payloads
    ]
    assert set(codes(shoe_of(payloads))) == {code_of(stake_without_hand)}
