"""The rules of `checks/payments.py`: breaches, near misses, and legal cases."""

from collections.abc import Iterable

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support import own_hand_coups
from tests.support.audited import codes_and_coups, skipped
from tests.support.ceased_bets import (
    AWAY,
    BANKED,
    PLAYER_LOSES,
    PLAYER_WINS,
    banque,
    bet_of_500,
    by_two_devices,
    chemin,
    finished_with,
    moved_by,
    only_one,
)
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.money_of_findings import money
from tests.support.one_fault import Found, found_in, recorded
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal
from tests.support.three_bets import (
    codes_of_coup,
    summed,
)

CASES = (
    Case(
        "wrong-payout",
        1,
        "coup p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500",
        """
        load uk
        coup p1 tie 500 | P 4 5  B K 9 | T
        """,
    ),
    Case(
        "wrong-payout",
        1,
        "coup p1 banker 500 | P 4 4  B K 9 | B | 1 take 500",
        "coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 475",
    ),
    Case(
        "wrong-payout",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 18000, p5 left 15000, p4 left 15000
        card-drawn {"coup": 1, "hand": "right", "card": "2", "place": 1}
        card-drawn {"coup": 1, "hand": "left", "card": "9", "place": 2}
        card-drawn {"coup": 1, "hand": "banker", "card": "3", "place": 3}
        card-drawn {"coup": 1, "hand": "right", "card": "K", "place": 4}
        card-drawn {"coup": 1, "hand": "left", "card": "K", "place": 5}
        card-drawn {"coup": 1, "hand": "banker", "card": "2", "place": 6}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        bet-paid {"coup": 1, "bet": 2, "amount": 15000}
        bet-paid {"coup": 1, "bet": 3, "amount": 5000}
        choice-made {"coup": 1, "hand": "right", "choice": "draw"}
        card-drawn {"coup": 1, "hand": "right", "card": "K", "place": 7}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 2}, {"hand": "left", "total": 9},
        {"hand": "banker", "total": 5}]}
        bet-taken {"coup": 1, "bet": 1, "amount": 18000}
        coup-closed {"coup": 1}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 18000, p5 left 15000, p4 left 15000 | 2 K +K; 9 K; 3 2
        """,
    ),
    Case(
        "wrong-payout",
        1,
        """
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 1000000}
        bank-posted {"by": "p11", "amount": 100000}
        shoe-shuffled {"by": "dealer"}
        cut-offered {"to": "p10"}
        shoe-cut {"by": "p10", "depth": 60}
        stop-card-placed {"behind": 10}
        tableaux-open p7 right 80000, p5 left 80000
        tableaux-hands 9 K; 8 K; 3 4
        card-turned {"coup": 1, "hand": "right", "nth": 1}
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 9}, {"hand": "left", "total": 8},
        {"hand": "banker", "total": 7}]}
        bet-paid {"coup": 1, "bet": 1, "amount": 80000}
        bet-paid {"coup": 1, "bet": 2, "amount": 20000}
        due
        """,
        """
        load deux-tableaux-france-open
        bare
        tableaux-seats
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 1000000}
        bank-posted {"by": "p11", "amount": 100000}
        shoe-shuffled {"by": "dealer"}
        cut-offered {"to": "p10"}
        shoe-cut {"by": "p10", "depth": 60}
        stop-card-placed {"behind": 10}
        tableaux p7 right 80000, p5 left 80000 | 9 K; 8 K; 3 4
        """,
    ),
    Case(
        "losing-bet-not-taken",
        1,
        "coup p1 player 500 | P 4 4  B K 9 | B | 1 push",
        "coup p1 player 500 | P 4 4  B K 9 | B",
    ),
    Case(
        "push-paid-or-taken",
        1,
        "coup p1 player 500 | P 4 5  B K 9 | T | 1 take 500",
        "coup p1 player 500 | P 4 5  B K 9 | T",
    ),
    Case(
        "push-paid-or-taken",
        1,
        """
        load ez-baccarat
        coup p1 banker 500 | P K 2 4  B 2 K 5 | B | 1 pay 500
        """,
        """
        load ez-baccarat
        coup p1 banker 500 | P K 2 4  B 2 K 5 | B
        """,
    ),
    Case(
        "wrong-commission",
        1,
        "coup p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500",
        "coup p1 banker 500 | P 4 4  B K 9 | B",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Payments that were put right at once ----------------------------------------------------------


def test_an_overpayment_that_is_taken_back_is_no_losers_take():
    line = "p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | "
    right = Felt().ready().coup(line + "2 take 100, 1 pay 700, 1 take 200").shoe
    assert codes_and_coups(right) == []
    late = Felt().ready().coup(line + "1 pay 700, 1 take 200, 2 take 100").shoe
    assert codes_and_coups(late) == [("winners-paid-before-losers-taken", 1)]


def test_a_loser_who_was_paid_and_then_taken_is_no_winner_paid_first():
    line = "p1 banker 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | "
    right = Felt().ready().coup(line + "1 pay 475, 1 take 975, 2 take 100").shoe
    assert codes_and_coups(right) == []
    wrong = Felt().ready().coup(line + "1 pay 475, 1 take 974, 2 take 100").shoe
    assert codes_and_coups(wrong) == [("losing-bet-not-taken", 1)]


def test_a_push_that_was_taken_and_given_back_moved_nothing():
    line = "p1 player 500 | P 4 5  B K 9 | T 9-9 | "
    assert codes_and_coups(Felt().ready().coup(line + "1 take 500, 1 pay 500").shoe) == []
    short = Felt().ready().coup(line + "1 take 500, 1 pay 400").shoe
    assert codes_and_coups(short) == [("push-paid-or-taken", 1)]


def lowered(amount: int) -> Shoe:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.BetChanged(1, 1, amount), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    return felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1)).shoe


def test_a_bet_that_was_lowered_to_nothing_in_time_has_nothing_to_settle():
    assert codes_and_coups(lowered(0)) == []
    assert codes_and_coups(lowered(1)) == [("unsettled-bet", 1)]


def test_a_bet_that_was_lowered_to_nothing_too_late_is_late():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").put(ev.BetChanged(1, 1, 0))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert codes_and_coups(felt.shoe) == [("late-bet-change", 1)]


def never_closed(*behind: ev.Event, moves: str = "1 take 500") -> Shoe:
    """Player's 500 lost, Banker's 300 won 285; the coup is not closed, and then this happens."""
    line = f"p1 player 500, p2 banker 300 | P 4 4  B K 9 | B 8-9 | {moves}"
    felt = Felt().ready().coup(line)
    payloads = [payload for payload in felt.payloads[1:] if not isinstance(payload, ev.CoupClosed)]
    return Felt().put(*payloads, *behind).shoe


@pytest.mark.parametrize("behind", [ev.CoupOpened(2), ev.ShoeEnded(left=410, reason="withdrawn")])
@pytest.mark.parametrize(
    ("moves", "patron", "gain"), [("1 take 500", "p2", -285), ("2 pay 285", "p1", 500)]
)
def test_a_bet_of_a_coup_that_nobody_closes_is_never_settled_once_the_table_goes_on(
    behind, moves, patron, gain
):
    findings = audit_shoe(never_closed(behind, moves=moves)).findings
    (found,) = [each for each in findings if each.code == "unsettled-bet"]
    assert found.money.patrons == {patron: gain}


def test_it_may_be_settled_as_long_as_the_table_waits():
    assert codes_and_coups(never_closed()) == []
    settled = never_closed(
        ev.ShoeEnded(left=410, reason="withdrawn"), moves="1 take 500, 2 pay 285"
    )
    assert "unsettled-bet" not in {code for code, _ in codes_and_coups(settled)}


# -- A bet that stays after a tie ------------------------------------------------------------------


PUSH_PAID: Found = [("push-paid-or-taken", 3, "ann", -10_000)]
"""Ann's 100.00 on Player tied, and were paid 100.00."""


def after_the_tie(*settled: ev.Event) -> list[ev.Event]:
    """Ann's bet ties in coup 3, is settled so, and is carried into coup 4, which it wins."""
    events = recorded("bet-stays-after-a-paid-tie")
    at = events.index(ev.BetPaid(3, 1, 10_000))
    return [*events[:at], *settled, *events[at + 1 :]]


@pytest.mark.parametrize(
    ("settled", "found"),
    [
        ((ev.BetPaid(3, 1, 10_000),), PUSH_PAID),
        ((ev.BetPaid(3, 1, 10_000), ev.BetPushed(3, 1)), PUSH_PAID),
        ((ev.BetTaken(3, 1, 10_000),), [("push-paid-or-taken", 3, "ann", 10_000)]),
        ((), [("unsettled-bet", 3, "ann", 0)]),
        ((ev.BetPushed(3, 1),), []),
    ],
)
def test_a_bet_that_stays_after_a_tie_is_no_second_finding(settled, found):
    assert found_in(after_the_tie(*settled)) == found


@pytest.mark.parametrize("withdrawable", ["true", "false"])
@pytest.mark.parametrize(
    ("tied", "carried"),
    [
        ("p1 player 300, p1 player 200", "+p1 player 500"),
        ("p1 player 500", "+p1 player 300, +p1 player 200"),
        ("p1 player 300, p2 player 100, p1 player 200", "+p1 player 500, +p2 player 100"),
    ],
)
def test_tied_bets_may_go_on_as_one_of_the_same_total(tied, carried, withdrawable):
    pack = pack_text("classic-8").replace("withdrawable = true", f"withdrawable = {withdrawable}")
    felt = Felt(pack).ready()
    felt.coup(f"{tied} | P 4 5  B K 9").coup(f"{carried} | P 4 5  B K 8")
    assert audit_shoe(felt.shoe).findings == []


# -- A patron's bank -------------------------------------------------------------------------------


@pytest.mark.parametrize(("bank", "paid"), [(10_000, 10_001), (10_000, 9_999), (20_000, 10_001)])
def test_a_cent_too_much_or_too_little_at_chemin_de_fer_is_one_finding(bank, paid):
    """What the bank held is taken out as if 100.00 had been paid."""
    felt = Felt("chemin-de-fer")
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3))).ready().bank("p1", bank)
    felt.coup(f"p2 player 10000 | P 4 5  B K 8 | P 9-8 | 1 pay {paid}")
    felt.put(*[bank_ev.BankWithdrawn("p1", bank - 10_000)] * (bank > 10_000))
    felt.put(ev.ShoePassed("p1", "lost"))
    found = found_in(felt.payloads)
    assert found == [("wrong-payout", 1, "p2", 0)]


def test_a_bank_that_is_left_behind_beside_a_wrong_payment_is_found():
    """A cent too much was paid, and 50.00 stay in the bank."""
    felt = Felt("chemin-de-fer")
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3))).ready().bank("p1", 20_000)
    felt.coup("p2 player 10000 | P 4 5  B K 8 | P 9-8 | 1 pay 10001")
    felt.put(bank_ev.BankWithdrawn("p1", 5_000), ev.ShoePassed("p1", "lost"))
    codes = {code for code, *_ in found_in(felt.payloads)}
    assert codes >= {"wrong-payout", "chip-balance-mismatch"}


@pytest.mark.parametrize(
    ("withdrawn", "also"),
    [
        (5_000, set()),  # 200.00 less 150.00: as if p2 had been paid
        (4_000, {"chip-balance-mismatch"}),
        (15_000, set()),  # as if p2 had not been paid
        (14_000, {"chip-balance-mismatch"}),
    ],
)
def test_a_payment_that_is_not_recorded_explains_what_the_bank_holds(withdrawn, also):
    """Of 200.00 in the bank, 100.00 are due to p2 and not recorded, and p3 is paid 50.00."""
    felt = Felt("chemin-de-fer")
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3))).ready().bank("p1", 20_000)
    felt.coup("p2 player 10000, p3 player 5000 | P 4 5  B K 8 | P 9-8 | 2 pay 5000")
    felt.put(bank_ev.BankWithdrawn("p1", withdrawn), ev.ShoePassed("p1", "lost"))
    codes = [code for code, *_ in found_in(felt.payloads)]
    assert sorted(codes) == sorted({"unsettled-bet", *also})


def test_a_loser_who_is_paid_by_mistake_is_not_paid_out_of_turn():
    steps = (
        'with settling.winners = "nearest-first"',
        'patron-seated {"seat": 2, "patron": "p2"}',
        'patron-seated {"seat": 5, "patron": "p5"}',
        "coup p5 banker 500, p2 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500, 2 pay 500",
    )
    shoe = deal("\n".join(steps))
    assert [found.code for found in audit_shoe(shoe).findings] == ["losing-bet-not-taken"]


# -- Two slips that cancel -------------------------------------------------------------------------


def banker(moves: str, rules: str = "classic-8") -> Felt:
    """20.00 on Banker, who wins by 9 to 8: pay 20.00 less 1.00, net 19.00."""
    return Felt(rules).ready().coup(f"p1 banker 2000 | P 4 4  B K 9 | B 8-9 | {moves}")


@for_each("rules", ["classic-8", "nsw", "uk"])
@for_each(
    ("moves", "told"),
    [
        ("1 pay 2100, 1 collect 200", ["wrong-payout"]),
        ("1 pay 1950, 1 collect 50", ["wrong-payout"]),
        ("1 pay 2000, 1 collect 100", []),
        # paid less its commission, which nobody told of by itself
        ("1 pay 1900", []),
        # a unit too much was kept, and given back behind it; paid short, and the rest behind it
        ("1 pay 2000, 1 collect 200, 1 pay 100", []),
        ("1 pay 1900, 1 collect 100, 1 pay 100", []),
    ],
)
def test_a_payment_and_a_commission_that_cancel_are_both_wrong(rules, moves, told):
    felt = banker(moves, rules)
    assert (codes_of_coup(felt), summed(felt)) == (told, {})


def test_marks_cancel_as_well():
    assert codes_of_coup(banker("1 pay 2100, 1 mark 200", "midi")) == ["wrong-payout"]
    assert codes_of_coup(banker("1 pay 2000, 1 mark 100", "midi")) == []


def test_a_push_that_was_paid_and_charged_as_much_is_moved():
    tie = "p1 banker 2000 | P 4 5  B K 9 | T 9-9 | "
    wrong = Felt().ready().coup(tie + "1 pay 100, 1 collect 100")
    assert (codes_of_coup(wrong), summed(wrong)) == (["push-paid-or-taken"], {})
    assert codes_of_coup(Felt().ready().coup(tie + "1 push")) == []


def test_a_record_of_winnings_after_commission_has_made_no_slip():
    felt = banker("-")
    payloads = [payload for payload in felt.payloads[1:] if not isinstance(payload, ev.CoupClosed)]
    after = Felt().put(*payloads, ev.BetPaid(1, 1, 1900, after_commission=True))
    after.put(ev.CommissionCollected("p1", 100, 1, 1), ev.CoupClosed(1))
    assert codes_of_coup(after) == []


def test_rounding_that_the_pack_asks_for_is_no_slip():
    """5 % of 1.10 is 5.5 cents: 6 of 110 are kept, and 104 are left."""
    line = "p1 banker 110 | P 4 4  B K 9 | B 8-9 | "
    assert codes_of_coup(Felt().ready().coup(line + "1 pay 110, 1 collect 6")) == []
    assert codes_of_coup(Felt().ready().coup(line + "1 pay 109, 1 collect 5")) == ["wrong-payout"]


UNKNOWN_CARDS = "the recorded cards or the rule pack do not determine the result of the wager"


# -- Cards that are known in part ------------------------------------------------------------------


def test_values_alone_tell_draws_totals_and_payments_but_no_pair():
    felt = Felt("macau").ready("4")
    felt.coup("p1 player-pair 500, p2 banker 500 | P 4 4  B 0 9 | B 8-9 | 1 pay 5500, 2 pay 475")
    code = "wrong-payout"
    assert codes_and_coups(felt.shoe) == []
    # two fours are a pair whatever their suits; two ten-valued cards may be none
    assert skipped(felt.shoe, code) == {}
    tens = Felt("macau").ready("4").coup("p1 player-pair 500 | P 0 0  B 2 7 | B 0-9 | 1 pay 5500")
    assert codes_and_coups(tens.shoe) == []
    assert skipped(tens.shoe, code) == {UNKNOWN_CARDS: 1}
    wrong = Felt().ready("4").coup("P 2 3 9  B 0 3")
    assert codes_and_coups(wrong.shoe) == [("banker-stood-against-table", 1)]


def test_ranks_alone_tell_pairs_but_no_perfect_pair():
    felt = Felt("macau").ready("4")
    felt.coup("p1 player-pair 500, p2 perfect-pair 500 | P 4 4  B K 9 | B 8-9 | 1 take 500, 2 push")
    assert codes_and_coups(felt.shoe) == [("wrong-payout", 1)]
    assert skipped(felt.shoe, "losing-bet-not-taken") == {UNKNOWN_CARDS: 1}


# -- Money: each amount worked out by hand ---------------------------------------------------------


def test_a_payment_that_was_wrong_by_so_much() -> None:
    # a tie of 500 pays 8:1, so 4000; 4500 were paid
    line = "p1 tie 500 | P 4 5  B K 9 | T | 1 pay 4500"
    assert money(line, "wrong-payout") == {"p1": 500}
    # a banker bet of 500 wins 475 after commission; it was taken instead
    line = "p1 banker 500 | P 4 4  B K 9 | B | 1 take 500"
    assert money(line, "wrong-payout") == {"p1": -975}


def test_a_bet_that_lost_and_was_left() -> None:
    line = "p1 player 500 | P 4 4  B K 9 | B | 1 push"
    assert money(line, "losing-bet-not-taken") == {"p1": 500}


def test_a_bet_that_pushed_and_was_taken() -> None:
    line = "p1 player 500 | P 4 5  B K 9 | T | 1 take 500"
    assert money(line, "push-paid-or-taken") == {"p1": -500}


def test_commission_that_was_not_kept() -> None:
    line = "p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500"
    assert money(line, "wrong-commission") == {"p1": 25}


def test_a_wrong_call_that_was_paid_by() -> None:
    """A tie was called for the player: a push and 800 were due."""
    line = "p1 player 500, p2 tie 100 | P 4 5  B K 9 | P 9-9 | 1 pay 500, 2 take 100"
    assert money(line, "push-paid-or-taken") == {"p1": 500}
    assert money(line, "wrong-payout") == {"p2": -900}
    counted = "counted in wrong-payout, push-paid-or-taken"
    assert money(line, find_rule("C103").code) == counted


# -- Bets that were withdrawn and settled ----------------------------------------------------------


WON_WRONG, LOST_WRONG = "wrong-payout", "losing-bet-not-taken"


@pytest.mark.parametrize("away", [*AWAY, (ev.BetChanged(1, 1, 200),), (ev.BetChanged(1, 1, 1000),)])
@pytest.mark.parametrize(
    ("cards", "move", "code", "house"),
    [
        (PLAYER_LOSES, ev.BetPaid(1, 1, 500), LOST_WRONG, -1000),
        (PLAYER_LOSES, ev.BetPushed(1, 1), LOST_WRONG, -500),
        (PLAYER_LOSES, ev.BetTaken(1, 1, 300), LOST_WRONG, -200),
        (PLAYER_WINS, ev.BetPaid(1, 1, 10_000), WON_WRONG, -9500),
        (PLAYER_WINS, ev.BetTaken(1, 1, 500), WON_WRONG, 1000),
    ],
)
def test_what_becomes_of_a_stake_after_its_settlement_hides_no_wrong_payment(
    away, cards, move, code, house
):
    """The bet of 500 is judged as it lay when it was settled."""
    assert moved_by(bet_of_500(after=(move, *away), cards=cards).shoe) == [(code, 1, "p1", house)]


def test_a_pushed_bet_that_is_moved_and_taken_up_is_found():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1))
    felt.put(ev.NoMoreBets(1)).cards("P 4 4  B K 8").put(ev.ResultCalled(1, 8, 8, "T"))
    felt.put(ev.BetPushed(1, 1), ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1), ev.CoupClosed(1))
    assert moved_by(felt.shoe) == [("push-paid-or-taken", 1, "p1", -500)]


def test_a_stake_that_was_raised_between_two_payments_wins_what_it_lay_for():
    after = (ev.BetPaid(1, 1, 500), ev.BetChanged(1, 1, 1000), ev.BetPaid(1, 1, 500))
    assert moved_by(bet_of_500(after=after).shoe) == [(WON_WRONG, 1, "p1", -500)]


@pytest.mark.parametrize("at", [None, 6100])
def test_whether_a_bet_was_withdrawn_before_its_payment_may_be_in_doubt(at):
    verdicts = audit_shoe(by_two_devices(at)).verdicts
    (verdict,) = [each for each in verdicts if each.code == "wrong-payout"]
    assert verdict.result != "fail"
    assert any("the withdrawal of the bet" in reason for reason in verdict.reasons)


def own_hand_dealt(pack: str, moves: Iterable[ev.Event]) -> Shoe:
    """As `own_hands`, and p1 has a hand of his own."""
    felt = own_hand_coups.table(pack).put(
        ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "hand", 500, 2)
    )
    felt.put(ev.BetPlaced(1, 2, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    cards = "2: 7; 1: 5; B: 8" if pack.startswith("macao") else "2: 7 K; 1: 5 K; B: 8 K"
    return finished_with(own_hand_coups.hands(felt, cards), *moves)


STANDING = {
    "chemin-de-fer": (lambda moves: chemin((), moves), "p3", "p1"),
    "banque": (lambda moves: banque((), moves), "p5", "p11"),
    "macao-old": (lambda moves: own_hand_dealt("macao-old", moves), "p1", "p3"),
    "victoria": (lambda moves: own_hand_dealt("victoria", moves), "p1", "p3"),
}
"""The same bets, that stand and are settled as they are due."""


@pytest.mark.parametrize("game", BANKED)
@pytest.mark.parametrize("away", [ev.BetWithdrawn(1, 2), ev.BetChanged(1, 2, 0)])
def test_where_a_patron_banks_a_bet_withdrawn_after_its_settlement_is_judged_as_it_lay(game, away):
    """What is due is what is prompted: settled so there is no finding, and 70 more is one."""
    shoe, patron, banker = STANDING[game]
    assert moved_by(shoe((away,))) == []
    found = only_one(shoe((ev.BetPaid(1, 2, 70), away)))
    assert found.code in (WON_WRONG, LOST_WRONG, "push-paid-or-taken")
    assert (found.patron, found.money.patrons) == (patron, {patron: 70, banker: -70})


@pytest.mark.parametrize(
    ("pack", "charge"),
    [
        ("classic-8", ev.CommissionCollected("p1", 20, 1, 1)),
        ("classic-8", ev.CommissionCollected("p1", 20, 1)),
        ("midi", ev.CommissionMarked(1, 1, 20)),
    ],
)
def test_a_wrong_commission_is_shown_with_its_charge(pack, charge):
    """25 is due on 500."""
    felt = Felt(pack_text(pack)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500), ev.NoMoreBets(1))
    felt.cards("P 4 4  B K 9").put(ev.ResultCalled(1, 8, 9, "B"), ev.BetPaid(1, 1, 500), charge)
    shoe = felt.put(ev.CoupClosed(1)).shoe
    (found,) = [each for each in audit_shoe(shoe).findings if each.code == "wrong-commission"]
    shown = [event.payload for event in shoe.history if event.index in found.events]
    assert shown == [ev.BetPlaced(1, 1, "p1", "banker", 500), ev.BetPaid(1, 1, 500), charge]


@for_each(
    ("moves", "code", "said"),
    [
        (
            "P 4 5  B K 8 | P 9-8 | 1 take 500, 1 collect 25",
            "losing-bet-not-taken",
            "commission was charged on the losing bet",
        ),
        (
            "P 4 5  B K 9 | T 9-9 | 1 push, 1 collect 25",
            "push-paid-or-taken",
            "due a push, but pushed, commission 0.25 EUR kept",
        ),
    ],
)
def test_a_commission_on_a_bet_that_did_not_win_is_shown(moves: str, code: str, said: str) -> None:
    shoe = deal(f"coup p1 banker 500 | {moves}")
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.message) == (code, f"p1's 5.00 EUR on Banker: {said}")
    shown = [event.payload for event in shoe.history if event.index in found.events]
    assert ev.CommissionCollected("p1", 25, 1, 1) in shown
