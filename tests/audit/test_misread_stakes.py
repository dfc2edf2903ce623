"""A stake that was recorded wrongly is one finding with all that it breaks.

The payment fits another stake, with which no rule is broken.
"""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import RULES
from sabot.domain.events import bank as bank_ev
from tests.support import bank_coups, tableaux_coups
from tests.support.coup_notation import Felt, shoe_of
from tests.support.one_fault import own_and_explained

NUMBERS = {rule.code: rule.number for rule in RULES}


def misread(felt: Felt, amount: int) -> tuple[list[str], set[str]]:
    """Return the findings that stand by themselves, and the others, if the first stake is wrong."""
    at, was = next((n, e) for n, e in enumerate(felt.payloads) if isinstance(e, ev.BetPlaced))
    told = [*felt.payloads[:at], replace(was, amount=amount), *felt.payloads[at + 1 :]]
    own, explained = own_and_explained(shoe_of(told))
    return [NUMBERS[code] for code in own], {NUMBERS[code] for code, _ in explained}


def at_punto_banco(cards: str) -> Felt:
    """p1 has 25.00 on Player, and the least stake is 25.00."""
    felt = Felt(limits=(ev.Limit(2500, 100_000),)).ready()
    return felt.coup(f"p1 player 2500 | {cards}")


def at_chemin_de_fer(stakes: str) -> Felt:
    """p1 banks with 100.00."""
    return bank_coups.table().coup(f"{stakes} | P 4 2  B K 9")


def banco() -> Felt:
    """p2 goes banco for 100.00, and loses it."""
    felt = bank_coups.table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 10_000))
    felt.put(bank_ev.BancoCalled(1, "p2"), ev.BetPlaced(1, 1, "p2", "player", 10_000, 2))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    return felt.cards("P 4 2  B K 9").due(ev.Event)


def tableaux() -> Felt:
    """p7 has 10.00 on the right, in whole units of 0.50, and loses it."""
    table = tableaux_coups.table("deux-tableaux-france-open", amount=100_000)
    return tableaux_coups.play(table, "p7 right 1000, p5 left 500 | 3 4; 2 4; 9 K")


@pytest.mark.parametrize(
    ("felt", "amount", "own", "explained"),
    [
        (at_punto_banco("P 4 5  B K 8"), 2499, "L201", {"P201"}),
        (at_punto_banco("P 4 2  B K 9"), 2499, "L201", {"P202"}),
        (at_chemin_de_fer("p2 player 6000, p3 player 4000"), 6001, "K502", {"P202"}),
        (at_chemin_de_fer("p2 player 6000, p3 player 4000"), 3000, "T110", {"P202"}),
        (banco(), 5000, "K509", {"P202"}),
        (tableaux(), 999, "W512", {"P202"}),
    ],
)
def test_a_stake_that_was_recorded_wrongly_is_one_finding(felt, amount, own, explained):
    found, others = misread(felt, amount)
    assert (found, others & explained) == ([own], explained)


def test_a_wrong_payment_of_a_stake_below_the_minimum_is_a_second_finding():
    """20.00 lie below the minimum of 25.00. Paid 22.00, they fit no stake that may lie."""
    felt = Felt(limits=(ev.Limit(2500, 100_000),)).ready()
    felt.coup("p1 player 2000 | P 4 5  B K 8 | P 9-8 | 1 pay 2200")
    assert sorted(NUMBERS[code] for code in own_and_explained(felt)[0]) == ["L201", "P201"]


def test_a_wrong_payment_of_a_late_bet_is_a_second_finding():
    """A bet of 25.00 comes after the cards. As one of 30.00, which it was paid as, it would too."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 2500), ev.ResultCalled(1, 9, 8, "P"))
    felt.put(ev.BetPaid(1, 1, 3000), ev.CoupClosed(1))
    assert sorted(NUMBERS[code] for code in own_and_explained(felt)[0]) == ["B201", "P201"]
