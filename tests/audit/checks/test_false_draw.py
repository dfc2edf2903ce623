"""More ways to break the rules of `checks/false_draw.py`, and near misses."""

from textwrap import dedent

import pytest

from tests.support.audited import codes
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

CASES = (
    # Player asked for a card on 6: that is no fault of who deals
    Case(
        "shoe-kept-after-wrong-draw",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "false draw"}
        coup p3 player 10000 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "false draw"}
        coup p3 player 10000 | P 4 2  B K 9
        """,
    ),
    # the banker draws after two naturals
    Case(
        "shoe-kept-after-wrong-draw",
        1,
        """
        load deux-tableaux-france
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "9", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "8", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "K", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "K", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "4", "place": 6}
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 7}
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "a false draw"}
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 9 K
        """,
        """
        load deux-tableaux-france
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "9", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "8", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "K", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "K", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "4", "place": 6}
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 7}
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "a false draw"}
        bank-withdrawn {"by": "p11", "amount": 20000}
        shoe-passed {"by": "p11", "reason": "ruling"}
        shoe-offered {"to": "p7"}
        shoe-refused {"by": "p7"}
        shoe-offered {"to": "p5"}
        shoe-refused {"by": "p5"}
        tableaux-bank p8 20000
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 9 K
        """,
    ),
    # on 6 the left had no choice: that is no fault of who deals
    Case(
        "shoe-kept-after-wrong-draw",
        1,
        """
        load deux-tableaux-france
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "4", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "4", "place": 6}
        choice-made {"coup": 1, "hand": "right", "choice": "stand"}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 7}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "a false draw"}
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 9 K
        """,
        """
        load deux-tableaux-france
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p5 left 500
        card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "4", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "4", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "4", "place": 6}
        choice-made {"coup": 1, "hand": "right", "choice": "stand"}
        choice-made {"coup": 1, "hand": "left", "choice": "draw"}
        card-drawn {"coup": 1, "hand": "left", "card": "2", "place": 7}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "reason": "a false draw"}
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 9 K
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


NOTED = 'irregularity-noted {"kind": "wrong-draw", "ruling": "stand", "coup": 1, "by": "sue"}'


@pytest.mark.parametrize(("at_once", "later", "kept"), [(NOTED, "", 1), ("", NOTED, 0)])
def test_a_false_draw_noted_in_the_next_coup_costs_no_shoe(at_once, later, kept) -> None:
    shoe = deal(
        dedent(f"""
            load chemin-de-fer-france
            seats p1 p2
            bank p1 10000
            coup p2 player 10000 | P 4 2  B K 9
            {at_once}
            coup-opened {{"coup": 2}}
            no-more-bets {{"coup": 2}}
            deal P 4 2  B K 9
            {later}
            coup-closed {{"coup": 2}}
        """)
        .strip()
        .replace("\n\n", "\n")
    )
    assert codes(shoe).count(CASES[0].code) == kept


@pytest.mark.parametrize(("holder", "kept"), [("p1", 1), ("house", 0)])
def test_the_house_keeps_the_shoe_after_a_false_draw(holder, kept) -> None:
    shoe = deal(
        dedent(f"""
            load france
            shoe-taken {{"by": "{holder}"}}
            coup-opened {{"coup": 1}}
            no-more-bets {{"coup": 1}}
            deal P 4 2 2  B K 8
            {NOTED}
            coup-voided {{"coup": 1}}
            coup P 4 4  B K 9
        """).strip()
    )
    assert codes(shoe).count(CASES[0].code) == kept
