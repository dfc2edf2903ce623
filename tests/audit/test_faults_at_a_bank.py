"""A fault in a game with a bank is one finding, with its money to the cent.

The amounts are worked out by hand beside each.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.procedure.dealing_order import next_action
from tests.support import own_hand_coups
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


# -- A coup that is voided without a reason --------------------------------------------------------

CALLED = """
    choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
    card-turned {"coup": 1, "hand": "player", "nth": 1}
    card-turned {"coup": 1, "hand": "player", "nth": 2}
    card-turned {"coup": 1, "hand": "banker", "nth": 1}
    card-turned {"coup": 1, "hand": "banker", "nth": 2}
    result-called {"coup": 1, "player": PT, "banker": BT, "outcome": "OUT"}
"""


def called(player: int, banker: int, outcome: str) -> str:
    """Return the events of two hands that are turned and called; only a natural needs no choice."""
    lines = CALLED.replace("PT", f"{player}").replace("BT", f"{banker}").replace("OUT", outcome)
    return lines.replace(lines.strip().splitlines()[0], "") if max(player, banker) > 7 else lines


@pytest.mark.parametrize(
    ("cards", "calls", "house", "patrons"),
    [
        # the bank won 45.00, less 5 % for the house, to the nearest 0.10
        ("P 4 2  B K 9", called(6, 9, "B"), -230, {"p1": -4270, "p2": 2500, "p3": 2000}),
        # the bank lost 45.00
        ("P 4 4  B K 6", called(8, 6, "P"), 0, {"p1": 4500, "p2": -2500, "p3": -2000}),
    ],
)
def test_a_void_costs_what_the_called_hands_would_have_won(cards, calls, house, patrons):
    shoe = f'{CHEMIN}deal {cards}\n{calls}coup-voided {{"coup": 1, "by": "sue"}}'
    levied = shoe.replace("load chemin-de-fer", "load chemin-de-fer-france")
    assert told(levied) == [("unjustified-void", 1, house, patrons)]


def test_a_void_before_the_call_costs_what_nobody_knows():
    """Player may still draw on 5."""
    shoe = f'{CHEMIN}deal P 3 2  B K 7\ncoup-voided {{"coup": 1, "by": "sue"}}'
    assert told(shoe) == [("unjustified-void", 1, None, {})]


def test_a_void_after_a_wrong_draw_costs_what_nobody_knows():
    """Player drew a ten on 7, where he stands: what is due then is a ruling."""
    end = f'{called(7, 6, "P")}coup-voided {{"coup": 1, "by": "sue"}}'
    assert ("unjustified-void", 1, None, {}) in told(f"{CHEMIN}deal P 4 3 K  B K 6\n{end}")


def test_a_void_at_macao_costs_what_each_hand_would_have_won():
    """Seat 2 won 10.00 with 7 against 6, and seat 1 lost 5.00 with 4."""
    felt = own_hand_coups.deal(own_hand_coups.table(), "2 1000, 1 500 | 2: 7; 1: 4; B: 6")
    while (due := next_action(felt.shoe)).expects != "settle":
        assert due.payload is not None
        felt.put(due.payload)
    felt.put(ev.CoupVoided(1, by="sue"))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.money.house) == ("unjustified-void", 0)
    assert found.money.patrons == {"p1": 500, "p2": -1000, "p3": 500}
