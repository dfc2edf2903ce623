"""A rule that meets a doubt keeps the breaches that it has found, and tells the doubt."""

from collections.abc import Iterator

from sabot.domain.audit.rule import Breach, Doubt
from sabot.domain.audit.rule_group import RuleGroup
from sabot.domain.rules.sources import HOUSE_CONVENTION
from sabot.domain.timeline.evidence import Reason, Unknown

BREACH = Breach("a hand was dealt without a request", "a request", "none", ())
DOUBT = Reason("record-incomplete", "which came first is unknown")


def judgement(breaches: int, *, doubt: bool) -> object:
    """Return the answer of a rule about a shoe that yields breaches, and then meets a doubt."""
    group = RuleGroup(family="integrity", concerns="record")

    @group.rule(
        "R999", "example-rule", sources=(HOUSE_CONVENTION,), looks_at="shoe", breaks="", keeps=""
    )
    def example_rule(_shoe: object) -> Iterator[Breach]:
        """An example."""
        yield from (BREACH,) * breaches
        if doubt:
            raise Unknown(DOUBT)

    (rule,) = group.rules
    return rule.judge(None)


def test_breaches_before_a_doubt_are_kept() -> None:
    assert judgement(2, doubt=True) == (BREACH, BREACH, Doubt(DOUBT))


def test_a_rule_that_only_meets_a_doubt_gives_its_reason() -> None:
    assert judgement(0, doubt=True) is DOUBT


def test_breaches_without_a_doubt_are_all_there_is() -> None:
    assert judgement(1, doubt=False) == (BREACH,)
