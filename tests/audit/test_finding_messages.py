"""Messages name the event, the card, the bet and the people that a finding is about."""

import re

from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.event_words import event_in_words, event_noun
from sabot.domain.audit.findings import Finding
from sabot.domain.events import BetPaid, BetPlaced, CardDrawn, ResultCalled
from sabot.domain.events.bank import BankUnlimited
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.rule_cases import every_case
from tests.support.rule_examples import deal

_CODES = re.compile(r"\b(bet|card|result|totals|hands|coup)-(placed|drawn|called|closed|opened)\b")


def example(number: str) -> list[Finding]:
    rule = find_rule(number)
    if rule.of_the_floor:
        return list(audit_floor(Pit.of(rule.breaks).floor()).findings)
    return list(audit_shoe(deal(rule.breaks)).findings)


MESSAGES = [
    ("D104", "9 was removed from Player and burned, and no irregularity was noted"),
    ("D101", "card 2 (5) went to Player, not to Banker"),
    ("C104", "the call of the totals came before a card that it counts: 8 to Banker"),
    ("E203", "the taking of 5.00 EUR for p1's 5.00 EUR on Tie came before the call of the result"),
    ("I301", "a wrong draw or stand was not noted and ruled on: Player drew K on 6"),
    ("I302", "a card face up in the shoe was not noted and ruled on: 4 to Player"),
    ("Q104", "the drawing of 2 to Banker came after the coup"),
    ("R405", "a correction of event 1 by dealer (another shoe) changed the loading of the shoe"),
    ("R415", "90.00 EUR of p1's 100.00 EUR on Banker was returned, although the house covers"),
]


@for_each(("number", "said"), MESSAGES)
def test_a_message_names_what_it_is_about(number: str, said: str) -> None:
    (found,) = [each for each in example(number) if each.number == number]
    assert found.message.startswith(said)


EXPECTED = [
    ("C101", "Player 9, Banker 8", "Player 9, Banker 7"),
    ("P201", "pay 40.00 EUR (Tie pays 8 to 1)", "paid 45.00 EUR"),
    (
        "B201",
        "bets stand from the call of no more bets, or from the first card",
        'the placing of the bet came after the call "no more bets"',
    ),
    (
        "R413",
        "as first recorded: ann's 10.00 EUR on Banker",
        "by the correction: ann's 10.00 EUR on Player",
    ),
]


@for_each(("number", "expected", "observed"), EXPECTED)
def test_a_requirement_and_a_deviation_are_in_words(
    number: str, expected: str, observed: str
) -> None:
    (found,) = [each for each in example(number) if each.number == number]
    assert (found.expected, found.observed) == (expected, observed)


def test_no_finding_of_a_shoe_has_a_code_in_place_of_a_word() -> None:
    for case in every_case():
        for found in audit_shoe(case.broken()).findings:
            told = f"{found.message} {found.expected} {found.observed}"
            assert not _CODES.search(told), told
            assert "-wins pays" not in told


def test_every_rule_has_an_example_of_its_message() -> None:
    assert all(example(rule.number) for rule in RULES)


def test_an_event_names_its_bet_amount_and_card() -> None:
    shoe = deal("coup p1 banker 500 | P 4 5  B K 8")
    assert event_in_words(shoe, BetPlaced(1, 1, "ann", "tie", 1000)) == "ann's 10.00 EUR on Tie"
    assert event_in_words(shoe, CardDrawn(1, "banker", "9c")) == "9♣ to Banker"
    assert event_in_words(shoe, BetPaid(1, 1, 500)) == (
        "the payment of 5.00 EUR for p1's 5.00 EUR on Banker"
    )
    assert event_in_words(shoe, BetPaid(1, 7, 500)) == (
        "the payment of 5.00 EUR for bet 7, which is not on record"
    )
    assert event_noun(ResultCalled(1)) == "the call of the result"
    assert event_noun(BankUnlimited(1, "p7")) == "the event bank-unlimited"
