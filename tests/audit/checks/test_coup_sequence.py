"""The rules of `checks/coup_sequence.py`: breaches, near misses, and legal cases."""

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.live import LiveAudit
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt, shoe_of
from tests.support.one_fault import Found, found_in, recorded
from tests.support.rule_cases import Case, checks_of

CASES = (
    # a card drawn after the end of the shoe counts, even if it was burned
    Case(
        "coup-after-shoe-end",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5
        shoe-ended {"left": 410, "reason": "withdrawn"}
        deal > B 8
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "sue"}
        card-burned {"coup": 1, "card": "8", "reason": "ruling"}
        coup-voided {"coup": 1, "by": "sue"}
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        shoe-ended {"left": 410, "reason": "withdrawn"}
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "sue"}
        card-burned {"coup": 1, "card": "8", "reason": "ruling"}
        coup-voided {"coup": 1, "by": "sue"}
        """,
    ),
    # a coup that was voided is over, whenever it was closed
    Case(
        "coup-after-shoe-end",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        coup-closed {"coup": 1}
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4  B K  P 5  B 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "by": "sue"}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        coup-closed {"coup": 1}
        """,
    ),
    Case(
        "card-after-coup-end",
        1,
        """
        coup P 2 4  B K 5 2
        card-drawn {"coup": 1, "hand": "player", "card": "9", "place": 8}
        """,
        """
        coup P 2 4  B K 5 2
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 9
        """,
    ),
    Case(
        "coup-after-shoe-end",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 2 4  B K 5 2
        result-called {"coup": 1, "player": 6, "banker": 7, "outcome": "B"}
        shoe-ended {"left": 409, "reason": "withdrawn"}
        coup-closed {"coup": 1}
        """,
        """
        coup P 2 4  B K 5 2
        shoe-ended {"left": 409, "reason": "withdrawn"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A coup number that is used twice --------------------------------------------------------------


USED_TWICE: Found = [("coup-number-out-of-sequence", 2, None, None)]


def renumbered(numbers: dict[int, int]) -> list[ev.Event]:
    """Of six coups on record, some have another number than their own."""
    felt = Felt("classic-8").ready()
    for bets in (
        "p1 player 500",
        "p1 banker 500",
        "p1 player 100",
        "p1 banker 300",
        "",
        "p2 tie 10",
    ):
        felt.coup(f"{bets} | P 4 5  B K 8")
    return in_other_numbers(felt, numbers)


def in_other_numbers(felt: Felt, numbers: dict[int, int]) -> list[ev.Event]:
    """Of the coups of a shoe, some have another number than their own."""
    events = []
    for payload in felt.payloads:
        told = numbers.get(getattr(payload, "coup", None) or 0)
        events.append(msgspec.structs.replace(payload, coup=told) if told else payload)
    return events


def test_a_coup_number_that_is_used_twice_is_one_finding():
    (found,) = audit_shoe(shoe_of(recorded("coup-number-used-twice"))).findings
    assert (found.code, found.coup) == ("coup-number-out-of-sequence", 2)
    assert "its number was used twice" in found.message


@pytest.mark.parametrize(
    ("numbers", "coup"),
    [
        ({3: 2, 4: 3, 5: 4, 6: 5}, 2),  # counted on from there
        ({3: 2}, 2),  # a slip of one coup
        ({5: 2}, 2),
        ({4: 1, 5: 2, 6: 3}, 1),  # begun anew
    ],
)
def test_coups_of_one_number_are_told_apart(numbers, coup):
    assert [one[:2] for one in found_in(renumbered(numbers))] == [(USED_TWICE[0][0], coup)]


def test_a_coup_number_that_is_used_three_times_is_one_finding():
    (found,) = audit_shoe(shoe_of(renumbered({4: 3, 5: 3, 6: 4}))).findings
    assert "its number was used 3 times" in found.message


def test_a_wrong_payment_in_the_second_coup_of_a_number_is_found():
    """The 100.00 on Player won, and were paid 120.00."""
    events = recorded("coup-number-used-twice")
    at = len(events) - 1 - events[::-1].index(ev.BetPaid(2, 1, 10_000))
    events[at] = ev.BetPaid(2, 1, 12_000)
    assert sorted(found_in(events)) == [USED_TWICE[0], ("wrong-payout", 2, "ann", -2000)]


def test_an_opening_that_is_recorded_twice_begins_no_coup():
    events = recorded("bet-stays-after-a-paid-tie")
    at = events.index(ev.CoupClosed(2)) + 1
    found = found_in([*events[:at], ev.CoupOpened(2), *events[at:]])
    assert [code for code, coup, *_ in found if coup == 2] == ["unmatched-event"]


def test_both_coups_of_a_number_are_explained():
    told = explain(shoe_of(recorded("coup-number-used-twice")), 2)
    assert [step.what for step in told.steps].count("result") == 2


# -- A coup number that is out of place ------------------------------------------------------------

OUT_OF_PLACE = [
    ({3: 4, 4: 3}, 4),
    ({3: 5, 4: 3, 5: 4}, 5),
    ({1: 2, 2: 1}, 2),
    ({5: 6, 6: 5}, 6),
    ({4: 1_000_000}, 1_000_000),
    ({3: 30, 4: 40}, 30),
]
"""Numbers of six coups, and the first that is out of place."""


@pytest.mark.parametrize(("numbers", "coup"), OUT_OF_PLACE)
def test_numbers_out_of_place_in_a_row_are_one_finding(numbers, coup):
    assert [one[:2] for one in found_in(renumbered(numbers))] == [(USED_TWICE[0][0], coup)]


@pytest.mark.parametrize(("numbers", "coup"), OUT_OF_PLACE)
def test_a_tie_under_a_number_out_of_place_leaves_its_bets(numbers, coup):
    """In each coup p1's 5.00 on Player tie, and stay for the next."""
    felt = Felt("classic-8").ready().coup("p1 player 500 | P 4 5  B K 9")
    for _ in range(5):
        felt.coup("+p1 player 500 | P 4 5  B K 9")
    assert [one[:2] for one in found_in(in_other_numbers(felt, numbers))] == [
        (USED_TWICE[0][0], coup)
    ]


@pytest.mark.parametrize(("numbers", "coup"), OUT_OF_PLACE)
def test_a_follower_is_told_the_same_of_numbers_out_of_place(numbers, coup):
    shoe = shoe_of(renumbered(numbers))
    live = LiveAudit(Shoe(shoe.stream))
    for event in shoe.history:
        live.add(event)
        live.changes()
    assert [each.coup for each in live.standing.findings] == [coup]


@pytest.mark.parametrize(
    ("numbers", "coups"),
    [
        ({4: 5, 5: 6, 6: 7}, [5]),  # coup 4 was skipped, or is lost
        ({6: 60}, [60]),
        ({4: 2, 5: 3, 6: 4}, [2]),
    ],
)
def test_a_number_that_is_skipped_moves_those_behind_it(numbers, coups):
    assert [coup for _, coup, *_ in found_in(renumbered(numbers))] == coups
