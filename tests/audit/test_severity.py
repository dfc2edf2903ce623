"""The severity of a finding follows from the kind of harm."""

import re
from pathlib import Path

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.checks import payments, unsettled_bets
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each

PAGE = Path(__file__).parents[2] / "docs" / "audit.md"
IN_WORDS = {
    "money": "money",
    "game": "the integrity of the game",
    "record": "the integrity of the record",
    "form": "only form",
}


def documented() -> dict[str, str]:
    """Read what a breach harms, and its severity, from the table."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]*) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    harms = {said.split(":")[0].strip(): severity for severity, said in rows}
    return {concern: harms[said] for concern, said in IN_WORDS.items()}


def test_each_rule_has_the_severity_of_the_table():
    severities = documented()
    assert {rule.code: rule.severity for rule in RULES} == {
        rule.code: severities[rule.concerns] for rule in RULES
    }


@for_each("rule", [rule for rule in RULES if rule.family == "payout"])
def test_a_wrong_payment_harms_money(rule):
    assert (rule.concerns, rule.severity) == ("money", "high")


@for_each("rule", [*unsettled_bets.RULES, *payments.RULES])
def test_no_payment_weighs_less_than_a_cent_too_much(rule):
    assert rule.severity == payments.RULES[0].severity


def test_a_finding_that_moved_money_is_grave_whatever_its_rule():
    """An event without a basis harms the record. This one took 100.00 from the tray."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 7, 10_000), ev.CoupClosed(1))
    (found,) = audit_shoe(felt.shoe).findings
    assert (find_rule(found.code).severity, found.severity) == ("medium", "high")
    assert found.money.house == -10_000
