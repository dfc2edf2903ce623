"""More ways to break the rule of `checks/early_turns.py`, and near misses."""

from sabot.domain.audit.rulebook import find_rule
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import CHEMIN, told

P2_STANDS = """
    choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
"""
P1_DRAWS = """
    choice-made {"coup": 1, "hand": "banker", "choice": "draw", "by": "p1"}
    deal > B 3
"""
BANKER_SHOWN = """
    card-turned {"coup": 1, "hand": "banker", "nth": 1}
    card-turned {"coup": 1, "hand": "banker", "nth": 2}
"""
PLAYER_SHOWN = """
    card-turned {"coup": 1, "hand": "player", "nth": 1}
    card-turned {"coup": 1, "hand": "player", "nth": 2}
"""
SIX_AND_FIVE = f"{CHEMIN}\n    deal > P 4  B K  P 2  B 5\n"
ALL_SHOWN = f"{SIX_AND_FIVE}{P2_STANDS}{P1_DRAWS}{PLAYER_SHOWN}{BANKER_SHOWN}due"

CASES = (
    # Player's hand is shown to the banker, who has still to choose
    Case(
        "card-shown-before-choice",
        1,
        f"{SIX_AND_FIVE}{P2_STANDS}{PLAYER_SHOWN}{P1_DRAWS}{BANKER_SHOWN}due",
        ALL_SHOWN,
    ),
    # the whole banker's hand is shown: two cards, and one finding
    Case(
        "card-shown-before-choice",
        1,
        f"{SIX_AND_FIVE}{BANKER_SHOWN}{P2_STANDS}{P1_DRAWS}{PLAYER_SHOWN}due",
        ALL_SHOWN,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_natural_is_shown_at_once():
    shoe = f"{CHEMIN}\n    deal > P 4  B K  P 2  B 9\n{BANKER_SHOWN}{PLAYER_SHOWN}due"
    assert told(shoe) == []


def test_a_third_card_lies_face_up():
    """Four draws: its third card is turned before the banker chooses."""
    shoe = f"""{CHEMIN}
        deal > P 2  B K  P 2  B 3
        choice-made {{"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}}
        deal > P 4
        card-turned {{"coup": 1, "hand": "player", "nth": 3}}
        {P1_DRAWS.replace("B 3", "B 6")}{PLAYER_SHOWN}{BANKER_SHOWN}due"""
    assert told(shoe) == []


def test_a_card_that_slipped_is_for_the_ruling():
    shoe = f"""{SIX_AND_FIVE}
        card-turned {{"coup": 1, "hand": "banker", "nth": 1}}
        irregularity-noted {{"kind": "card-exposed", "ruling": "play-on", "coup": 1, "by": "sue"}}
        {P2_STANDS}{P1_DRAWS}{PLAYER_SHOWN}{BANKER_SHOWN}due"""
    assert told(shoe) == []


def test_a_hand_that_chooses_again_is_for_other_rules():
    """Player stood on six, and asks for a card when all cards are shown: none is dealt."""
    again = 'choice-made {"coup": 1, "hand": "player", "choice": "draw", "by": "p2"}'
    shoe = ALL_SHOWN.removesuffix("due") + again
    assert "D108" not in {find_rule(code).number for code, *_ in told(shoe)}


def test_a_third_card_that_is_late_is_for_other_rules():
    """Both have chosen and the cards are shown. Only then Banker's card is dealt."""
    chosen = 'choice-made {"coup": 1, "hand": "banker", "choice": "draw", "by": "p1"}'
    shoe = f"{SIX_AND_FIVE}{P2_STANDS}{chosen}{PLAYER_SHOWN}{BANKER_SHOWN}\n    deal > B 3\n    due"
    assert "D108" not in {find_rule(code).number for code, *_ in told(shoe)}


def test_without_choices_the_third_card_shows_when_the_hand_decided():
    drawn_late = f"{SIX_AND_FIVE}{PLAYER_SHOWN}{BANKER_SHOWN}\n    deal > B 3\n    due"
    assert "D108" in {find_rule(code).number for code, *_ in told(drawn_late)}
