"""The severity of a finding follows from the kind of harm."""

import re
from pathlib import Path

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.checks import payments, unsettled_bets
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.rule_examples import deal

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


def card(hand: str, face: str, place: int) -> str:
    return f'card-drawn {{"coup": 1, "hand": "{hand}", "card": "{face}", "place": {place}}}'


def chosen(hand: str, by: str) -> str:
    return f'choice-made {{"coup": 1, "hand": "{hand}", "choice": "stand", "by": "{by}"}}'


BANQUE = [
    *("load banque", "bare", "tableaux-bank p11 20000"),
    "tableaux-open p7 right 500, p5 left 500",
    *(card("right", "3", 1), card("left", "2", 2), card("banker", "9", 3)),
    *(card("right", "2", 4), card("left", "3", 5), card("banker", "5", 6)),
]
IN_TURN = [chosen("right", "p7"), chosen("left", "p5"), chosen("banker", "p11")]


def test_a_banker_who_decides_before_a_tableau_harms_the_integrity_of_the_game():
    """The banker's decision then shows what the banker holds, or is made before it has to be."""
    assert audit_shoe(deal("\n".join([*BANQUE, *IN_TURN, "due"]))).findings == []
    early = [IN_TURN[0], IN_TURN[2], IN_TURN[1]]
    (found,) = audit_shoe(deal("\n".join([*BANQUE, *early, "due"]))).findings
    assert (found.number, found.severity) == ("W515", documented()["game"])


@for_each("number", ["D101", "W515", "O505"])
def test_a_card_or_a_decision_out_of_turn_harms_the_integrity_of_every_game(number):
    assert find_rule(number).severity == documented()["game"]


def test_a_finding_that_moved_money_is_grave_whatever_its_rule():
    """An event without a basis harms the record. This one took 100.00 from the tray."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 7, 10_000), ev.CoupClosed(1))
    (found,) = audit_shoe(felt.shoe).findings
    assert (find_rule(found.code).severity, found.severity) == ("medium", "high")
    assert found.money.house == -10_000
