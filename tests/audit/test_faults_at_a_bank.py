"""A fault in a game with a bank is one finding, with its money to the cent.

The amounts are worked out by hand beside each.
"""

import pytest

from sabot.domain.audit import audit_shoe
from tests.support.rule_examples import deal

Told = list[tuple[str, int | None, int | None, dict[str, int]]]


def told(shoe: str) -> Told:
    """Return each finding of a shoe: code, coup, and the money of the house and of each patron."""
    lines = filter(None, map(str.strip, shoe.splitlines()))
    found = audit_shoe(deal("\n".join(lines))).findings
    return [(each.code, each.coup, each.money.house, each.money.patrons) for each in found]


# -- The player of the hand ------------------------------------------------------------------------

CHEMIN = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 2500}
    bet-placed {"coup": 1, "bet": 2, "patron": "p3", "wager": "player", "amount": 2000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
"""


@pytest.mark.parametrize(
    ("late", "code"),
    [
        ('bet-changed {"coup": 1, "bet": 2, "amount": 5000}', "late-bet-change"),
        (
            'bet-placed {"coup": 1, "bet": 3, "patron": "p3", "wager": "player", "amount": 3000}',
            "past-posted-bet",
        ),
    ],
)
def test_a_late_stake_gives_no_right_to_a_hand_that_was_given(late, code):
    """Player has 6, Banker 9. P3 adds 30.00 to his losing stake and loses them to p1's bank."""
    assert told(f"{CHEMIN}deal P 4 2  B K 9\n{late}\ndue") == [
        (code, 1, 0, {"p1": 3000, "p3": -3000})
    ]
