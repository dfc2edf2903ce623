"""A wrong announced bank is one finding. What was staked by it follows from that finding."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.checks.bank.banco import stake_beside_banco
from sabot.domain.audit.checks.bank.funds import miscalled_bank
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.support.bank_coups import table
from tests.support.coup_notation import shoe_of
from tests.support.one_fault import own_and_explained
from tests.support.tableaux_coups import play
from tests.support.tableaux_coups import table as tableaux

CALLED, BANCO = code_of(miscalled_bank), code_of(stake_beside_banco)
NUMBERS = {rule.code: rule.number for rule in RULES}
LOSES, SHORT = "3 4; 2 4; 9 K", "9 K; 2 4; 3 4"
"""Hands by which both tableaux lose (7 and 6 against 9); by which right wins and left loses.

9 and 6 against 7.
"""


def told(shoe: Shoe) -> list[tuple[str, int | None]]:
    """What the audit finds in the coups, but what is said of the shoe as a whole.

    Findings on stakes that follow from another finding are left out.
    """
    found = [each for each in audit_shoe(shoe).findings if each.coup is not None]
    stakes = [e for e in found if NUMBERS[e.code] in ("K502", "K509") and e.explained_by]
    return [(each.code, each.coup) for each in found if each not in stakes]


def posted(payloads: list[ev.Event], amount: int, calls: dict[int, int] | None = None) -> Shoe:
    """The same shoe, but that another amount was recorded. Calls are off by so much."""
    calls = calls or {}
    return shoe_of(
        bank_ev.BankPosted(payload.by, amount) if isinstance(payload, bank_ev.BankPosted)
        else bank_ev.BankCalled(payload.coup, payload.amount + calls.get(payload.coup, 0))
        if isinstance(payload, bank_ev.BankCalled) else payload
        for payload in payloads
    )  # fmt: skip


def chemin() -> list[ev.Event]:
    """p1 banks for 10000, and wins three times. Twice somebody goes bank."""
    felt = table().coup("banco p2 | P 4 2  B K 9").coup("p3 player 500 | P 4 2  B K 9")
    return felt.coup("banco p4 | P 4 2  B K 9").payloads


def banque(*lines: str) -> list[ev.Event]:
    """p11 banks for 20000 against these coups."""
    felt = tableaux()
    for line in lines:
        play(felt, line)
    return felt.payloads


@pytest.mark.parametrize("amount", [9_900, 10_100])
def test_a_posting_recorded_wrong_is_told_in_the_first_coup(amount):
    assert told(posted(chemin(), 10_000)) == []
    assert told(posted(chemin(), amount)) == [(CALLED, 1)]


@pytest.mark.parametrize("amount", [19_900, 20_100])
def test_at_two_tableaux_too(amount):
    payloads = banque("banco p7 | " + LOSES, "p8 right 500 | " + LOSES, "banco p5 both | " + LOSES)
    assert told(posted(payloads, 20_000)) == []
    assert told(posted(payloads, amount)) == [(CALLED, 1)]


def test_who_is_paid_as_far_as_the_bank_reaches_is_not_told_by_a_slip_before():
    """The bank of 20500 pays p7 20500 of his 30000: by the record it would be 20400."""
    payloads = banque("p8 right 500 | " + LOSES, "p7 right 30000 | " + SHORT)
    shoe = posted(payloads, 19_900)
    assert told(posted(payloads, 20_000)) == []
    assert [each for each in told(shoe) if each[0] != "chip-balance-mismatch"] == [(CALLED, 1)]


def test_another_call_is_another_slip():
    # the calls are off by 100, 200 and 100: each is another than the one before
    assert told(posted(chemin(), 9_900, {2: 100})) == [(CALLED, 1), (CALLED, 2), (CALLED, 3)]
    assert told(posted(chemin(), 10_000, {2: 100})) == [(CALLED, 2)]


@pytest.mark.parametrize(
    ("amount", "cause", "follow"),
    [(10_100, "K503", ["K509"]), (9_900, "K514", ["K503", "K509", "K502"])],  # 100.00 is the least
)
def test_a_stake_of_the_called_bank_is_explained(amount, cause, follow):
    """The bank is called at 100.00, and p2 goes bank for that."""
    (own,), explained = own_and_explained(posted(chemin(), amount))
    assert NUMBERS[own] == cause
    assert [(NUMBERS[code], by) for code, by in explained] == [(code, own) for code in follow]


def test_a_banco_of_neither_what_was_called_nor_what_lay_there_is_one():
    payloads = [
        ev.BetPlaced(1, 1, "p2", "player", 9_800)
        if isinstance(payload, ev.BetPlaced) and payload.coup == 1 else payload
        for payload in chemin()
    ]  # fmt: skip
    assert (BANCO, 1) in told(posted(payloads, 9_900))


LIMITED = "p7 right 15000, p8 right 10000 | " + SHORT
"""Both win of a bank of 20000: p7, who is paid first, 15000, and p8 the 5000 that are left."""


def paid(payloads: list[ev.Event], bet: int, amount: int) -> list[ev.Event]:
    """The same events, but that a bet was paid so much."""
    return [
        ev.BetPaid(payload.coup, bet, amount)
        if isinstance(payload, ev.BetPaid) and payload.bet == bet
        else payload
        for payload in payloads
    ]


def of_the_coup(shoe: Shoe) -> list[tuple[str, dict[str, int]]]:
    """What is found in the first coup, with what it moved; not what the bank came to less."""
    found = [each for each in audit_shoe(shoe).findings if each.coup == 1]
    told = ((e.code, e.money.patrons) for e in found if e.code != "chip-balance-mismatch")
    return sorted(told, key=lambda each: each[0])


@pytest.mark.parametrize("off", [-100, 100])
def test_who_pays_by_a_wrong_call_of_a_limited_bank_has_made_one_slip(off):
    """p8 has as much too much, or too little, as the bank was called off."""
    payloads = banque(LIMITED)
    by_the_call = posted(paid(payloads, 2, 5_000 + off), 20_000, {1: off})
    assert of_the_coup(by_the_call) == [(CALLED, {"p8": off, "p11": -off})]
    # the call is right, and the posting was recorded wrong
    assert of_the_coup(posted(payloads, 20_000 - off)) == [(CALLED, {"p8": off, "p11": -off})]
    # he paid by what lay there: nothing was moved
    by_the_bank = of_the_coup(posted(payloads, 20_000, {1: off}))
    assert [code for code, _ in by_the_bank] == [CALLED]
    assert not any(by_the_bank[0][1].values())


def test_who_pays_neither_by_the_call_nor_by_the_bank_has_made_two():
    payloads = banque(LIMITED)
    other = posted(paid(payloads, 2, 5_050), 20_000, {1: 100})
    assert [code for code, _ in of_the_coup(other)] == [CALLED, "wrong-payout"]
    # p7 is paid wrong by himself: p8 is not told beside him
    both = posted(paid(paid(payloads, 1, 14_000), 2, 5_100), 20_000, {1: 100})
    assert of_the_coup(both) == [
        (CALLED, {"p8": 100, "p11": -100}),
        ("wrong-payout", {"p7": -1000, "p11": 1000}),
    ]
    assert of_the_coup(posted(paid(payloads, 2, 5_100), 20_000)) == [
        ("wrong-payout", {"p8": 100, "p11": -100})
    ]


@pytest.mark.parametrize("over", [-100, 100])
def test_a_wrong_payment_that_the_next_call_leaves_out_is_counted_once(over):
    """P8 won 5.00 and got another amount. The bank is called, and pays p7, as if it were right."""
    payloads = banque("p8 right 500 | " + SHORT, "p7 right 30000 | " + SHORT)
    at = next(nth for nth, each in enumerate(payloads) if isinstance(each, ev.BetPaid))
    payloads[at] = ev.BetPaid(1, 1, 500 + over)
    found = audit_shoe(shoe_of(payloads)).findings
    assert [each.number for each in found if each.explained_by is None] == ["P201"]
    money = [each.money.patrons for each in found if each.money.moved]
    assert money == [{"p8": over, "p11": -over}]
