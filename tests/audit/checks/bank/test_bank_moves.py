"""Banks moved by the wrong person, or emptied of more than they held."""

from collections.abc import Callable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.bank_moves import late_bank_raise
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.state.shoe import Shoe
from tests.audit.test_live import told_of
from tests.support import bank_coups
from tests.support.coup_notation import Felt, shoe_of
from tests.support.own_hand_coups import play as play_hands
from tests.support.own_hand_coups import table as table_of_hands
from tests.support.rule_cases import Case, checks_of
from tests.support.tableaux_coups import deal, finish, opened
from tests.support.tableaux_coups import play as play_tableaux
from tests.support.tableaux_coups import table as table_of_tableaux
from tests.support.told_shoes import told

Make = Callable[[], Shoe]


def chemin(pack: str = "chemin-de-fer") -> Felt:
    """p1's bank of 10000 wins 6000 of p2, twice but for the second coup's 500."""
    felt = bank_coups.table(pack=pack).coup("p2 player 6000 | P 4 2  B K 9")
    return felt.coup("p2 player 500 | P 4 2  B K 9")


def banque(pack: str = "banque", amount: int = 20_000) -> Felt:
    """p11's bank wins 500 of p7, twice."""
    felt = table_of_tableaux(pack, amount=amount)
    for _ in range(2):
        play_tableaux(felt, "p7 right 500 | 3 4; 2 4; 9 K")
    return felt


def then(felt: Callable[[], Felt], *payloads: ev.Event) -> Make:
    """What follows the second coup."""
    return lambda: felt().put(*payloads).shoe


def in_case_of_loss(stake: int, *payloads: ev.Event) -> Make:
    """p7 wins so much of a bank of 20000. This comes once the hands were called (7, 6 and 6)."""

    def make() -> Shoe:
        felt = opened(table_of_tableaux(), f"p7 right {stake}")
        deal(felt, "3 4; 2 4; 6 K").due(ev.CardTurned, bank_ev.HandsCalled)
        return finish(felt.put(*payloads)).shoe

    return make


ACCEPTED = bank_ev.BankUnlimited("p11", 1)


def open_bank() -> Felt:
    """An open bank of 100000 wins 500 twice. 1.25 %, 6, is levied as ten cents: 100980."""
    return banque("deux-tableaux-france-open", 100_000)


def test_what_another_took_out_he_has_and_the_banker_lacks() -> None:
    shoe = then(chemin, bank_ev.BankWithdrawn("p2", 16_500), ev.ShoePassed("p1", "chosen"))()
    (found,) = audit_shoe(shoe).findings
    assert found.money.patrons == {"p2": 16_500, "p1": -16_500}
    assert found.money.house == 0


def test_how_much_more_was_taken_out_than_lay_there() -> None:
    """100000, and twice 500 less 10, lie there: 100980."""
    shoe = then(open_bank, bank_ev.BankWithdrawn("p11", 101_980), ev.ShoePassed("p11", "chosen"))()
    (found,) = imbalances(shoe)
    assert found.message == "10.00 EUR more was taken out of p11's bank than it held"


def test_in_case_of_loss_a_banker_may_accept_what_goes_beyond_his_bank() -> None:
    """21000 was won of 20000: he takes it on, and brings the 1000 that his bank lacks."""
    late = in_case_of_loss(21_000, ACCEPTED, bank_ev.BankRaised("p11", 1000, 1))()
    assert audit_shoe(late).findings == []
    (found,) = audit_shoe(in_case_of_loss(20_000, ACCEPTED)()).findings
    assert found.code == "open-bank-without-excess"


def test_what_was_accepted_late_may_be_brought_until_the_coup_is_over() -> None:
    """Whoever follows the shoe hears of it once the coup is closed, and not before."""
    brought = in_case_of_loss(21_000, ACCEPTED, bank_ev.BankRaised("p11", 1000, 1))().history
    assert told_of(brought) == []
    never = in_case_of_loss(21_000, ACCEPTED)().history
    ((when, news),) = [
        each for each in told_of(never) if each[1].finding.code == "stakes-beyond-bank"
    ]
    assert news.told == "found"
    assert isinstance(never[when - 1].payload, ev.CoupClosed)


CASES = (
    # 10000 and 6000 and 500 won
    Case(
        "bank-moved-by-wrong-person",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        bank-withdrawn {"by": "p2", "amount": 16500}
        shoe-passed {"by": "p1", "reason": "chosen"}
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 16500}
        shoe-passed {"by": "p1", "reason": "chosen"}
        """,
    ),
    Case(
        "bank-moved-by-wrong-person",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p1", "amount": 21000}
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 21000}
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
    ),
    Case(
        "bank-moved-by-wrong-person",
        None,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        hands 1 500 | 1: 6; B: 8
        bank-raised {"by": "p1", "amount": 5000}
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        hands 1 500 | 1: 6; B: 8
        bank-raised {"by": "p3", "amount": 5000}
        """,
    ),
    Case(
        "bank-moved-by-wrong-person",
        None,
        """
        load victoria
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: K 6; B: 8 K
        hands 1 500 | 1: K 6; B: 8 K
        bank-raised {"by": "p1", "amount": 5000}
        """,
        """
        load victoria
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: K 6; B: 8 K
        hands 1 500 | 1: K 6; B: 8 K
        bank-raised {"by": "p3", "amount": 5000}
        """,
    ),
    Case(
        "wrong-banker",
        None,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p4"}
        bank-posted {"by": "p1", "amount": 10000}
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "wrong-banker",
        None,
        """
        load banque
        bare
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p1"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        shoe-shuffled {"by": "dealer"}
        cutter-named {"by": "p11", "cutter": "p1"}
        ready
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "wrong-banker",
        None,
        """
        load macao-old
        seats p1 p2 p3
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p1"}
        bank-posted {"by": "p3", "amount": 200000}
        hands 1 500 | 1: 6; B: 8
        hands 1 500 | 1: 6; B: 8
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        hands 1 500 | 1: 6; B: 8
        """,
    ),
    Case(
        "wrong-banker",
        None,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 21000}
        shoe-passed {"by": "p1", "reason": "chosen"}
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        bank-withdrawn {"by": "p11", "amount": 21000}
        shoe-passed {"by": "p11", "reason": "chosen"}
        """,
    ),
    # the bank was p3's, who had taken it: another puts it up, or he does
    Case(
        "wrong-banker",
        None,
        """
        load macao-old
        seats p1 p2 p3
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        bank-posted {"by": "p1", "amount": 200000}
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        """,
    ),
    Case(
        "omitted-coup-step",
        2,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p2", "wager": "player", "amount": 500}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        due
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "omitted-coup-step",
        1,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
        no-more-bets {"coup": 1}
        deal P 4 2  B K 9
        due
        coup p2 player 500 | P 4 2  B K 9
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "omitted-coup-step",
        2,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 16000}
        bet-placed {"coup": 2, "bet": 1, "patron": "p2", "wager": "player", "amount": 500}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "player", "to": "p2"}
        deal P 4 2  B K
        card-drawn {"coup": 2, "hand": "banker", "card": "9", "place": 8}
        card-turned {"coup": 2, "hand": "player", "nth": 1}
        card-turned {"coup": 2, "hand": "player", "nth": 2}
        card-turned {"coup": 2, "hand": "banker", "nth": 1}
        result-called {"coup": 2, "player": 6, "banker": 9, "outcome": "B"}
        due
        """,
        """
        load chemin-de-fer
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        coup p2 player 500 | P 4 2  B K 9
        """,
    ),
    Case(
        "omitted-coup-step",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p8"}
        hand-given {"coup": 2, "hand": "left", "to": "p4"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "omitted-coup-step",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        coup-opened {"coup": 2}
        bank-called {"coup": 2, "amount": 20500}
        bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 500, "seat": 7}
        no-more-bets {"coup": 2}
        hand-given {"coup": 2, "hand": "right", "to": "p8"}
        tableaux-hands 3 4; 2 4; 9 K
        due
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "omitted-coup-step",
        1,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux-open p7 right 500
        tableaux-hands 3 4; 2 4; 9 K
        card-turned {"coup": 1, "hand": "right", "nth": 2}
        card-turned {"coup": 1, "hand": "left", "nth": 1}
        card-turned {"coup": 1, "hand": "left", "nth": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 2}
        hands-called
        {"coup": 1, "totals": [{"hand": "right", "total": 7}, {"hand": "left", "total": 6},
        {"hand": "banker", "total": 9}]}
        due
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "omitted-coup-step",
        2,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 2}
        card-drawn {"coup": 2, "hand": "patron", "card": "6", "place": 3, "seat": 1}
        deal B 8
        choice-made {"coup": 2, "hand": "patron", "choice": "stand", "seat": 1}
        choice-made {"coup": 2, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 2, "hand": "patron", "nth": 1, "seat": 1}
        hands-called
        {"coup": 2, "totals": [{"hand": "patron", "total": 6, "seat": 1},
        {"hand": "banker", "total": 8}]}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 6; B: 8
        hands 1 500 | 1: 6; B: 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


COVERED_LATE = """
    load banque
    bare
    tableaux-bank p11 20000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 20000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p7", "wager": "right", "amount": 20500}
    no-more-bets {"coup": 1}
    bank-unlimited {"by": "p11", "coup": 1}
    bank-raised {"by": "p11", "amount": 500, "coup": 1}
    hand-given {"coup": 1, "hand": "right", "to": "p7"}
    hand-given {"coup": 1, "hand": "left", "to": "p5"}
    tableaux-hands 3 4; 2 4; 9 K
    due
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 41000}
    bet-placed {"coup": 2, "bet": 1, "patron": "p7", "wager": "right", "amount": 41500}
    no-more-bets {"coup": 2}
    bank-unlimited {"by": "p11", "coup": 2}
    bank-raised {"by": "p11", "amount": 500, "coup": 2}
    hand-given {"coup": 2, "hand": "right", "to": "p7"}
    hand-given {"coup": 2, "hand": "left", "to": "p5"}
    tableaux-hands 3 4; 2 4; 9 K
    due
"""


def test_a_banker_may_accept_the_stakes_of_several_coups_late():
    assert told(COVERED_LATE) == []


# -- Offers, additions and turned cards ------------------------------------------------------------


def test_a_refusal_by_somebody_else_leaves_the_offer_standing():
    """The bank is offered to p1, p2 refuses it, and p1 takes it."""
    shoe = """
        load chemin-de-fer
        seats p1 p2 p3
        shoe-offered {"to": "p1"}
        shoe-refused {"by": "p2"}
        shoe-taken {"by": "p1"}
        bank-posted {"by": "p1", "amount": 10000}
    """
    assert told(shoe) == []


LATE_RAISE = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    bank-raised {"by": "p1", "amount": 2000}
    deal P 4 2  B K 9
    result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
    bet-taken {"coup": 1, "bet": 1, "amount": 6000}
    coup p2 player 6000 | P 4 2  B K 9
"""


def test_a_coup_that_was_never_closed_lasts_until_the_next_one():
    """The banker adds chips while coup 1 is dealt. The table forgets to close it."""
    assert code_of(late_bank_raise) in [code for code, *_ in told(LATE_RAISE)]


def test_a_turned_card_without_a_seat_may_be_of_any_hand():
    """Two patrons turn their cards, and the record does not say which of them."""
    felt = play_hands(table_of_hands(), "2 1000, 1 500 | 2: 9; 1: 4 +5 =; B: 3 +6")
    payloads = [
        replace(payload, seat=None) if isinstance(payload, ev.CardTurned) else payload
        for payload in felt.payloads
    ]
    assert audit_shoe(shoe_of(payloads)).findings == []
