"""The rules of `checks/unsettled_bets.py`: breaches, near misses, and legal cases."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from tests.support.audited import codes, codes_and_coups, looked, only, skipped
from tests.support.coup_notation import Felt, loaded, shoe_of
from tests.support.money_of_findings import money
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "unsettled-bet",
        1,
        "coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100",
        "coup p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100, 1 pay 475",
    ),
    # a natural that was paid at once stands: one of two that was not paid lacks his money
    Case(
        "voided-bet-settled",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
    ),
    Case(
        "voided-bet-settled",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        bet-paid {"coup": 1, "bet": 2, "amount": 500}
        bet-paid {"coup": 1, "bet": 3, "amount": 500}
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500, p8 right 500, p5 left 500
        tableaux-hands 9 K; 2 3 =; 3 4
        irregularity-noted
        {"kind": "other", "ruling": "void", "coup": 1, "by": "sue", "detail": "the lights go out"}
        coup-voided {"coup": 1, "reason": "the lights went out", "by": "sue"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_voided_coup_that_is_closed_has_nothing_to_settle() -> None:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    felt.put(ev.IrregularityNoted("misdeal", "void", 1), ev.CoupVoided(1, "misdeal"))
    assert "unsettled-bet" not in codes(felt.put(ev.CoupClosed(1)).shoe)


# -- Calls and bets that nobody told ---------------------------------------------------------------


def test_without_bets_nothing_is_said_of_payments():
    shoe = Felt().ready().coup("P 4 5  B K 8").shoe
    for code in ("wrong-payout", "past-posted-bet", "unsettled-bet"):
        assert skipped(shoe, code) == {"the coup has no bets": 1}
    assert looked(shoe, "banker-stood-against-table") == 1


def test_bets_without_their_payments_are_not_called_unsettled_where_the_record_may_lack_them():
    bet = ev.BetPlaced(1, 1, "p1", "player", 500)
    hands = ("player", "banker", "player", "banker")
    cards = [ev.CardDrawn(1, hand, card) for hand, card in zip(hands, "4K58", strict=True)]
    record = [loaded(coverage="coups"), ev.CoupOpened(1), bet, *cards, ev.CoupClosed(1)]
    shoe = shoe_of(record)
    assert codes_and_coups(shoe) == []
    assert skipped(shoe, "unsettled-bet") == {"the record holds only coups": 1}


# -- Findings that follow from another -------------------------------------------------------------


def test_the_bets_of_a_voided_coup_are_one_finding():
    """Paid 1.00 and 2.00 though the coup was voided."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    for bet, patron in enumerate(("ann", "bob"), 1):
        felt.put(ev.BetPlaced(1, bet, patron, "player", 100 * bet, bet))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5")
    felt.put(ev.IrregularityNoted("misdeal", "void", 1, by="sue"))
    felt.put(ev.BetPaid(1, 1, 100), ev.BetPaid(1, 2, 200), ev.CoupVoided(1, by="sue"))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.patron) == ("voided-bet-settled", None)
    assert found.money.patrons == {"ann": 100, "bob": 200}


# -- Money: each amount worked out by hand ---------------------------------------------------------


def test_a_bet_that_nobody_settled() -> None:
    line = "p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 2 take 100"
    assert money(line, "unsettled-bet") == {"p1": -475}
    line = "p1 banker 500, p2 tie 100 | P 4 4  B K 9 | B | 1 pay 475"
    assert money(line, "unsettled-bet") == {"p2": 100}


def test_a_bet_that_was_settled_though_the_coup_was_void() -> None:
    felt = (
        Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500), ev.NoMoreBets(1))
    )
    felt.cards("> P 4  B K  P 5").put(ev.IrregularityNoted("misdeal", "void", 1))
    felt.put(ev.BetTaken(1, 1, 500), ev.CoupVoided(1, "misdeal"))
    assert only(felt, "voided-bet-settled").money.patrons == {"p1": -500}
