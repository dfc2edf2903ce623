"""Who held the shoe dealt a coup from it, as far as the record can tell."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RuleResult, audit_shoe
from sabot.domain.audit.completeness import COUPS_MISSING
from tests.audit.coup_cases import held

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
