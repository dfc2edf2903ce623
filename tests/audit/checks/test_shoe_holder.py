"""Each holder of the shoe deals a coup, as far as the record shows."""

import hashlib
import json

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RuleResult, audit_shoe
from sabot.domain.audit.completeness import COUPS_MISSING
from sabot.domain.state.shoe import Shoe
from tests.support.audited import only
from tests.support.coup_notation import Felt
from tests.support.rule_cases import Case, checks_of


def held(*payloads: ev.Event, then: tuple[ev.Event, ...] = (), number: int = 2) -> Shoe:
    """p1 deals a coup that the bank loses, and passes the shoe; p2 has it, then p3, who deals."""
    seats = tuple(ev.Seat(seat, f"p{seat}") for seat in (1, 2, 3))
    felt = Felt("france", seats=seats).ready().put(ev.ShoeTaken("p1")).coup("P 4 5  B K 8")
    felt.put(ev.ShoePassed("p1"), ev.ShoeOffered("p2"), ev.ShoeTaken("p2"), *payloads)
    felt.put(ev.ShoeOffered("p3"), ev.ShoeTaken("p3"), *then)
    return felt.coup("P 4 4  B K 9", number).shoe


CODE = "shoe-passed-without-coup"
PASSED = ev.ShoePassed("p2", "lost")


def verdict(*payloads: ev.Event, number: int = 2) -> RuleResult:
    """What the rule comes to where p2 has the shoe, and this happens until p3 has it."""
    verdicts = audit_shoe(held(*payloads, number=number)).verdicts
    return next(verdict for verdict in verdicts if verdict.code == CODE)


def result(*payloads: ev.Event, number: int = 2) -> str:
    """Whether the rule found something."""
    return verdict(*payloads, number=number).result


@pytest.mark.parametrize("end", [ev.ResultCalled(2, 9, 8, "P"), ev.CoupClosed(2), ev.CoupVoided(2)])
def test_a_coup_without_cards_on_record_was_dealt_if_it_was_called_or_came_to_an_end(end) -> None:
    assert result(ev.CoupOpened(2), end, PASSED, number=3) == "pass"


def test_a_coup_that_was_opened_alone_was_not_dealt() -> None:
    assert result(ev.CoupOpened(2), PASSED, number=2) == "fail"


def test_where_the_record_skips_a_coup_nobody_knows_that_none_was_dealt() -> None:
    assert result(PASSED, number=2) == "fail"
    skipping = verdict(PASSED, number=3)
    assert skipping.result == "pass"
    assert list(skipping.reasons) == [COUPS_MISSING]


CASES = (
    Case(
        "shoe-kept-after-loss",
        1,
        """
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "dealer-shoe-held-by-patron",
        None,
        """
        load mini {"crew": [{"post": "dealer", "person": "ann"}]}
        coup p1 tie 500 | P 4 5  B K 8
        shoe-taken {"by": "p1"}
        """,
        """
        load mini {"crew": [{"post": "dealer", "person": "ann"}]}
        coup p1 tie 500 | P 4 5  B K 8
        shoe-taken {"by": "ann"}
        """,
    ),
    Case(
        "shoe-passed-without-coup",
        None,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2", "reason": "left"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
    ),
    Case(
        "shoe-passed-without-coup",
        None,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2", "reason": "ruling"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
    ),
    Case(
        "shoe-passed-without-coup",
        None,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        coup-opened {"coup": 2}
        coup-voided {"coup": 2, "reason": "no stakes"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
    ),
    Case(
        "shoe-offered-out-of-turn",
        None,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        """,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        """,
    ),
    Case(
        "shoe-offered-out-of-turn",
        None,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p4"}
        shoe-taken {"by": "p4"}
        """,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-refused {"by": "p3"}
        shoe-offered {"to": "p4"}
        shoe-taken {"by": "p4"}
        """,
    ),
    Case(
        "shoe-offered-out-of-turn",
        None,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-refused {"by": "p3"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        """,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-refused {"by": "p3"}
        shoe-offered {"to": "p4"}
        shoe-refused {"by": "p4"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Who, and when ---------------------------------------------------------------------------------


def test_who_keeps_the_shoe_is_named_and_enters_no_fingerprint() -> None:
    felt = Felt().ready().put(ev.ShoeOffered("p1"), ev.ShoeTaken("p1"))
    felt.coup("P 4 5  B K 8").coup("P 4 4  B K 9")
    found = only(felt, "shoe-kept-after-loss")
    assert found.patron == "p1"
    # the banker hand's second card showed that the bank had lost
    about = ["sabot-finding/2", found.code, "test", 1, ["card", "banker", 2], 1]
    due = json.dumps(about, separators=(",", ":"))
    assert found.fingerprint == hashlib.sha256(due.encode()).hexdigest()


def test_who_passes_the_shoe_before_a_coup_is_named_at_the_time_of_the_passing() -> None:
    felt = Felt().ready().put(ev.ShoeOffered("p1"), ev.ShoeTaken("p1"))
    felt.put(ev.ShoePassed("p1", "chosen"))
    found = only(felt, "shoe-passed-without-coup")
    assert (found.patron, found.at_us) == ("p1", felt.events[-1].at_us)
