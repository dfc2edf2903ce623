"""The rules of `checks/coup_sequence.py`: breaches, near misses, and legal cases."""

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.explain.coup_reasons import explain
from tests.support.coup_notation import Felt, shoe_of
from tests.support.one_fault import Found, found_in, recorded
from tests.support.rule_cases import Case, checks_of

CASES = (
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
