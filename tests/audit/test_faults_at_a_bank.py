"""A fault in a game with a bank is one finding, with its exact money.

The amounts are worked out by hand beside each.
"""

import json

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


# -- A held stake that is taken up -----------------------------------------------------------------

TIED = """
    with tie.withdrawable = false
    coup p1 banker 2000 | P 4 5  B K 9
"""


@pytest.mark.parametrize(
    ("begins", "cards", "gained"),
    [
        ("carried, withdrawn", "P 4 5  B K 8", 2000),  # banker lost
        ("carried, withdrawn", "P 4 4  B K 9", -1900),  # banker won, less 5 %
        ("carried, lowered", "P 4 5  B K 8", 1500),  # 5.00 were lost instead of 20.00
        ("left out", "P 4 5  B K 8", 2000),
    ],
)
def test_a_held_bet_that_is_taken_up_is_due_what_it_would_have_won(begins, cards, gained):
    carried = {"coup": 2, "bet": 1, "patron": "p1", "wager": "banker", "amount": 2000}
    steps = {
        "carried": f"bet-carried {json.dumps(carried)}",
        "withdrawn": 'bet-withdrawn {"coup": 2, "bet": 1}',
        "lowered": 'bet-changed {"coup": 2, "bet": 1, "amount": 500}',
        "left out": "",
    }
    done = "\n".join(steps[step] for step in begins.split(", "))
    shoe = f'{TIED}coup-opened {{"coup": 2}}\n{done}\nno-more-bets {{"coup": 2}}\ndeal {cards}\ndue'
    assert told(shoe) == [("held-bet-taken-up", 2, -gained, {"p1": gained})]


CHEVAL = """
    load banque
    bare
    tableaux-bank p11 20000
    tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 20000}
    STAKE
    bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "right", "to": "p7"}
    hand-given {"coup": 2, "hand": "left", "to": "p4"}
    tableaux-hands 3 4; 2 4; 9 K
    due
"""
CARRIED_AND_WITHDRAWN = """
    bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "cheval", "amount": 1000, "seat": 7}
    bet-withdrawn {"coup": 2, "bet": 1}
"""


@pytest.mark.parametrize("stake", [CARRIED_AND_WITHDRAWN, ""])
def test_a_split_stake_that_is_taken_up_is_due_what_it_would_have_lost(stake):
    """The banker's 9 beats both tableaux: the 10.00 à cheval would have been his."""
    assert told(CHEVAL.replace("STAKE", stake)) == [
        ("held-stake-taken-up", 2, 0, {"p7": 1000, "p11": -1000})
    ]


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


# -- A part of the bank ----------------------------------------------------------------------------


def test_a_banker_at_macao_takes_no_part_of_the_bank_out():
    shoe = """
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        hands 2 1000 | 2: 7; B: 6
        bank-withdrawn {"by": "p3", "amount": 100000}
        hands 2 1000 | 2: 7; B: 6
    """
    assert told(shoe) == [("partial-bank-withdrawal", None, None, {})]
