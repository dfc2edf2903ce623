"""The rules of `checks/choices.py`: breaches, near misses, and legal cases."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import CHEMIN, dealt, told

CASES = (
    # a card burned before the request does not answer it
    Case(
        "request-on-mandatory-stand",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal > P 2
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"coup": 1, "card": "2", "reason": "ruling"}
        deal P 3 4  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 7, "banker": 7, "outcome": "T"}
        bet-pushed {"coup": 1, "bet": 1}
        coup-closed {"coup": 1}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal > P 2
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"coup": 1, "card": "2", "reason": "ruling"}
        deal P 3 4  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 7, "banker": 7, "outcome": "T"}
        bet-pushed {"coup": 1, "bet": 1}
        coup-closed {"coup": 1}
        """,
    ),
    Case(
        "draw-on-mandatory-stand",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 5  B K 2 4
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 3  B K 2 4
        """,
    ),
    # what every hand obeys
    Case(
        "draw-on-mandatory-stand",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 3 +2; 2 4; 7 K
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
        "draw-on-mandatory-stand",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 9 K +2
        """,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 6 K +2
        """,
    ),
    # he asked on 7, and a ruling burned the card that he had
    Case(
        "request-on-mandatory-stand",
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
        deal P 3 3  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 6, "banker": 7, "outcome": "B"}
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
        deal P 3 4  B K 7
        choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}
        deal P 2
        irregularity-noted {"kind": "wrong-draw", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "2", "place": 5, "reason": "ruling", "coup": 1}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}
        card-turned {"coup": 1, "hand": "player", "nth": 1}
        card-turned {"coup": 1, "hand": "player", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        result-called {"coup": 1, "player": 7, "banker": 7, "outcome": "T"}
        due
        """,
    ),
    # on 6 a tableau may not ask: it is right that it has none
    Case(
        "request-on-mandatory-stand",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500
        tableaux-hands 2 4 ?; 2 4; 7 K
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 6}, {"hand": "left", "total": 6},
        {"hand": "banker", "total": 7}]}
        due
        """,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 2 4; 2 4; 7 K
        """,
    ),
    Case(
        "stand-on-mandatory-draw",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 A; 2 4; 7 K
        """,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 2; 2 4; 7 K
        """,
    ),
    Case(
        "unrequested-third-card",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 2 3 !2; 2 4; 7 K
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
        "unrequested-third-card",
        1,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 6 K !2
        """,
        """
        load banque
        without rulings.wrong-draw
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500, p5 left 500 | 3 4; 2 4; 6 K +2
        """,
    ),
)

BLAMED_AT = {"stand-on-mandatory-draw": (bank_ev.ChoiceMade, ev.ResultCalled)}
"""The kinds of events by which a rule is broken, where the first event shown was right."""

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A card drawn to a natural ---------------------------------------------------------------------


def test_a_card_drawn_to_a_natural_costs_nothing_where_the_natural_wins():
    """Banker's 8 beats 6, with or without the ten that he drew."""
    assert told(f"{CHEMIN}deal P 4 2  B K 8 K\ndue") == [
        ("draw-on-mandatory-stand", 1, 0, {"p1": 0}),
    ]


def test_a_card_drawn_to_a_natural_costs_what_the_natural_would_have_won():
    """Banker's 8 beats 6; with the 5 that he drew he pays 45.00 instead of winning them."""
    assert told(f"{CHEMIN}deal P 4 2  B K 8 5\ndue") == [
        ("draw-on-mandatory-stand", 1, 0, {"p1": -9000, "p2": 5000, "p3": 4000}),
    ]


# -- A third card that a ruling burned -------------------------------------------------------------


def test_a_request_holds_for_the_card_that_replaces_a_burned_one():
    assert (
        told(f"""{CHEMIN}deal P 3 2  B K 7
        choice-made {{"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}}
        card-drawn {{"coup": 1, "hand": "player", "card": "K", "place": 5}}
        irregularity-noted {{"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}}
        card-burned {{"place": 5, "card": "K", "reason": "ruling"}}
        card-drawn {{"coup": 1, "hand": "player", "card": "2", "place": 6}}
        choice-made {{"coup": 1, "hand": "banker", "choice": "stand", "by": "p1"}}
        due""")
        == []
    )


# -- A third card that was moved to the other hand -------------------------------------------------


def test_a_card_moved_to_a_hand_that_had_to_stand_is_shown_with_its_move():
    shoe = dealt(f"""{CHEMIN}deal P 4 2 K  B K 9
        irregularity-noted {{"kind": "wrong-draw", "ruling": "card-to-banker", "coup": 1}}
        card-reassigned {{"coup": 1, "hand": "player", "to": "banker"}}
        due""")
    kinds = {event.index: type(event.payload) for event in shoe.history}
    found = {each.code: each for each in audit_shoe(shoe).findings}
    events = [kinds[index] for index in found["draw-on-mandatory-stand"].events]
    assert {ev.CardReassigned, ev.CardDrawn} <= set(events)
