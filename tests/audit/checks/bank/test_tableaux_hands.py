"""More ways to break the rules of `tableaux_hands.py`, and near misses."""

from sabot.domain.audit import audit_shoe
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal

DEALT = """
    load banque
    bare
    tableaux-bank p11 20000
    tableaux-open p7 right 500, p5 left 500
    tableaux-hands 3 4; 2 4; 9 K
"""
CALL = """
    hands-called {{"coup": 1, "totals": [{{"hand": "right", "total": {}}},
    {{"hand": "left", "total": 6}}, {{"hand": "banker", "total": 9}}]}}
"""


def call(right: int) -> str:
    """A call of the hands, of which the right tableau has seven points."""
    return " ".join(CALL.format(right).split())


NOTE = 'irregularity-noted {"kind": "wrong-call", "ruling": "none", "coup": 1, "by": "sue"}'

CASES = (
    # a wrong call counts though a right one follows, unless it was noted
    Case(
        "miscalled-tableau",
        1,
        f"{DEALT}\n{call(8)}\n{call(7)}\ndue",
        f"{DEALT}\n{call(8)}\n{NOTE}\n{call(7)}\ndue",
    ),
)

test_found, test_clean = checks_of(CASES)


def test_a_record_that_lost_the_first_cards_of_a_coup_gives_no_miscalled_hand() -> None:
    last = 'card-drawn {"coup": 1, "hand": "banker", "card": "K", "place": 6}'
    lines = f"{DEALT}\n{call(7)}".replace("tableaux-hands 3 4; 2 4; 9 K", last)
    lost = deal("\n".join(line.strip() for line in lines.splitlines() if line.strip()))
    assert "miscalled-tableau" not in {found.code for found in audit_shoe(lost).findings}


def test_a_card_in_place_of_a_burned_one_is_in_turn() -> None:
    burned = """card-drawn {"coup": 1, "hand": "right", "card": "3", "place": 1}
irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
card-burned {"place": 1, "card": "3", "reason": "ruling"}"""
    lines = DEALT.replace("tableaux-hands", f"{burned}\ntableaux-hands") + "due"
    dealt = deal("\n".join(line.strip() for line in lines.splitlines() if line.strip()))
    assert audit_shoe(dealt).findings == []
