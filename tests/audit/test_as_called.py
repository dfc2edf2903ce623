"""One amount of a bank that was recorded wrong is told once, and not in every coup behind it."""

import pytest

from domain import facts as f
from domain.audit import audit_shoe
from domain.facts import bank as k
from domain.shoe import Shoe
from tests.audit.bank_cases import table
from tests.notation import shoe_of
from tests.wings import play
from tests.wings import table as wings

CALLED, BANCO = "bank-was-miscalled", "banco-was-not-played-alone"
LOSES, SHORT = "3 4; 2 4; 9 K", "9 K; 2 4; 3 4"
"""Hands by which both wings lose (7 and 6 against 9); by which the right wins and the left loses.

9 and 6 against 7.
"""


def told(shoe: Shoe) -> list[tuple[str, int | None]]:
    """What the audit finds in the coups, but what is said of the shoe as a whole."""
    return [(each.code, each.coup) for each in audit_shoe(shoe).findings if each.coup is not None]


def posted(facts: list[f.Fact], amount: int, calls: dict[int, int] | None = None) -> Shoe:
    """The same shoe, but that another amount was recorded; calls are off by so much."""
    calls = calls or {}
    return shoe_of(
        k.BankPosted(fact.by, amount) if isinstance(fact, k.BankPosted)
        else k.BankCalled(fact.coup, fact.amount + calls.get(fact.coup, 0))
        if isinstance(fact, k.BankCalled) else fact
        for fact in facts
    )  # fmt: skip


def chemin() -> list[f.Fact]:
    """p1 banks for 10000, and wins three times; twice somebody goes bank."""
    felt = table().coup("banco p2 | P 4 2  B K 9").coup("p3 player 500 | P 4 2  B K 9")
    return felt.coup("banco p4 | P 4 2  B K 9").facts


def banque(*lines: str) -> list[f.Fact]:
    """p11 banks for 20000 against these coups."""
    felt = wings()
    for line in lines:
        play(felt, line)
    return felt.facts


@pytest.mark.parametrize("amount", [9_900, 10_100])
def test_a_posting_recorded_wrong_is_told_in_the_first_coup(amount):
    assert told(posted(chemin(), 10_000)) == []
    assert told(posted(chemin(), amount)) == [(CALLED, 1)]


@pytest.mark.parametrize("amount", [19_900, 20_100])
def test_at_two_tableaux_too(amount):
    facts = banque("banco p7 | " + LOSES, "p8 right 500 | " + LOSES, "banco p5 both | " + LOSES)
    assert told(posted(facts, 20_000)) == []
    assert told(posted(facts, amount)) == [(CALLED, 1)]


def test_who_is_paid_as_far_as_the_bank_reaches_is_not_told_by_a_slip_before():
    """The bank of 20500 pays p7 20500 of his 30000: by the record it would be 20400."""
    facts = banque("p8 right 500 | " + LOSES, "p7 right 30000 | " + SHORT)
    shoe = posted(facts, 19_900)
    assert told(posted(facts, 20_000)) == []
    assert [each for each in told(shoe) if each[0] != "money-was-not-conserved"] == [(CALLED, 1)]


def test_another_call_is_another_slip():
    # the calls are off by 100, 200 and 100: each is another than the one before
    assert told(posted(chemin(), 9_900, {2: 100})) == [(CALLED, 1), (CALLED, 2), (CALLED, 3)]
    assert told(posted(chemin(), 10_000, {2: 100})) == [(CALLED, 2)]


def test_a_banco_of_neither_what_was_called_nor_what_lay_there_is_one():
    facts = [
        f.BetPlaced(1, 1, "p2", "player", 9_800)
        if isinstance(fact, f.BetPlaced) and fact.coup == 1 else fact
        for fact in chemin()
    ]  # fmt: skip
    assert (BANCO, 1) in told(posted(facts, 9_900))
