"""A levy is judged by the cards. A wrong payment is one finding, not two.

The bank of 100.00 wins 60.00 and 40.00 by the cards, of which a twentieth is 5.00.
"""

import json

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.another_game import coup_event_of_another_game
from sabot.domain.audit.checks.bank.levy import levy_out_of_order, untorn_tickets, wrong_levy
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from tests.support.bank_coups import stepped, table
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal
from tests.support.told_shoes import told


def levied(amount, settled, cards="P 4 2  B K 9"):
    """A levy of so much on a coup whose second bet was settled so, or not at all."""
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 6000), ev.BetPlaced(1, 2, "p3", "player", 4000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards(cards).due(
        ev.CardTurned, ev.ResultCalled
    )
    felt.put(ev.BetTaken(1, 1, 6000), *([settled] if settled else []))
    return felt.put(*stepped(amount, amount), ev.CoupClosed(1)).shoe


def found(shoe):
    return {each.code: each for each in audit_shoe(shoe).findings}


SLIPS = [
    (ev.BetPaid(1, 2, 4000), "losing-bet-not-taken", 100),  # 60 - 40 = 20.00 won
    (ev.BetPushed(1, 2), "losing-bet-not-taken", 300),  # 60.00 won
    (None, "unsettled-bet", 300),
]


@pytest.mark.parametrize(("settled", "code", "follows"), SLIPS)
def test_a_payment_that_was_wrong_makes_no_right_levy_wrong(settled, code, follows):
    assert found(levied(500, settled)).keys() == {code}


@pytest.mark.parametrize(("settled", "code", "follows"), SLIPS)
def test_a_levy_on_what_was_settled_wrong_says_that_it_follows(settled, code, follows):
    codes = found(levied(follows, settled))
    assert codes.keys() == {code, "wrong-levy"}
    levy = codes["wrong-levy"]
    assert levy.money.house == follows - 500
    assert levy.expected.endswith(
        "the levy follows the settlement, which is not what the cards say"
    )


def test_a_levy_that_is_neither_follows_from_nothing():
    levy = found(levied(200, SLIPS[0][0]))["wrong-levy"]
    assert levy.expected == "5.00 EUR: 1/20 of the 100.00 EUR that the bank won"


def test_the_explanation_reckons_the_levy_by_the_cards():
    steps = {step.what: step for step in explain(levied(100, SLIPS[0][0]), 1).steps}
    assert (steps["levy"].due, steps["levy"].shown, steps["levy"].differs) == (
        "5.00 EUR",
        "1.00 EUR",
        True,
    )


@pytest.mark.parametrize(
    ("called", "banker"),
    [(19_600, 100), (19_500, 0), (19_000, 100)],
)
def test_what_is_missing_in_the_box_is_not_the_bankers_if_it_left_the_bank(called, banker):
    """Of 5.00 due, 4.00 went into the box. The next call shows what left the bank of 200.00."""
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.CardTurned, ev.ResultCalled)
    felt.put(ev.BetTaken(1, 1, 10_000), *stepped(500, 400), ev.CoupClosed(1))
    felt.put(ev.CoupOpened(2), bank_ev.BankCalled(2, called))
    levy = found(felt.shoe)["wrong-levy"]
    assert (levy.money.house, levy.money.patrons) == (-100, {"p1": banker})


def test_a_coup_whose_bank_is_not_announced_does_not_show_what_left_it():
    """The bank of 100.00 is announced 1.00 too high, and 4.00 of 5.00 due go into the box."""
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1), bank_ev.BankCalled(1, 10_100))
    felt.put(ev.BetPlaced(1, 1, "p2", "player", 10_000), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 2  B K 9").due(ev.CardTurned, ev.ResultCalled)
    felt.put(ev.BetTaken(1, 1, 10_000), *stepped(500, 400), ev.CoupClosed(1), ev.CoupOpened(2))
    assert found(felt.shoe)["wrong-levy"].money.patrons == {"p1": 100}


USED = """
    load chemin-de-fer-france
    seats p1 p2
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    coup-closed {"coup": 1}
    tickets-detached {"coup": 1, "amount": 500, "tickets": ["17"]}
    tickets-detached {"coup": 1, "amount": 500, "tickets": ["18", "19"]}
"""


@pytest.mark.parametrize(
    ("amount", "tickets", "again"),
    [
        (500, ["17"], True),
        (500, ["20"], False),
        (100, ["17"], False),  # a ticket of another value, with a number of its own series
        (500, ["17", "20"], False),  # their values are not known
        (500, ["18"], False),
        (300, ["20", "21", "20"], True),
    ],
)
def test_a_ticket_is_detached_once(amount, tickets, again):
    more = {"coup": 2, "amount": amount, "tickets": tickets}
    lines = filter(
        None, map(str.strip, f"{USED}\ntickets-detached {json.dumps(more)}".splitlines())
    )
    shoe = deal("\n".join(lines))
    assert ("Y505" in {each.number for each in audit_shoe(shoe).findings}) == again


def test_a_levy_names_its_ticket_where_no_other_event_does():
    felt = table(pack="chemin-de-fer-france").put(bank_ev.LevyTaken(1, 500, "T-1"))
    felt.put(bank_ev.TicketsDetached(2, 500, ("T-2",)), bank_ev.LevyTaken(2, 500, "T-2"))
    used = [each for each in audit_shoe(felt.shoe).findings if each.number == "Y505"]
    assert used == []
    felt.put(bank_ev.LevyTaken(3, 500, "T-2"))
    (used,) = [each for each in audit_shoe(felt.shoe).findings if each.number == "Y505"]
    assert (used.coup, used.observed) == (3, "detached in coup 2, and again in coup 3")


OF_ANOTHER_GAME = code_of(coup_event_of_another_game)

CASES = (
    Case(
        "levy-without-ticket",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        levy-announced {"coup": 1, "amount": 500}
        levy-taken {"coup": 1, "amount": 500}
        tickets-torn {"coup": 1}
        due
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        """,
    ),
    Case(
        "levy-out-of-order",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        due
        coup-opened {"coup": 2}
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        """,
    ),
    Case(
        "levy-out-of-order",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        due
        coup-opened {"coup": 2}
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        """,
    ),
    Case(
        "levy-out-of-order",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        levy-announced {"coup": 1, "amount": 500}
        levy-taken {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        due
        coup-opened {"coup": 2}
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        coup-opened {"coup": 2}
        """,
    ),
    Case(
        "levy-out-of-order",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        levy-announced {"coup": 1, "amount": 510}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        due
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup p2 player 10000 | P 4 2  B K 9
        """,
    ),
    # an announcement after the levy is in the box corrects nothing
    Case(
        "levy-out-of-order",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        levy-announced {"coup": 1, "amount": 400}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        levy-announced {"coup": 1, "amount": 500}
        due
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        levy-announced {"coup": 1, "amount": 400}
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        due
        """,
    ),
    # tickets have no place where the rule pack has none
    Case(
        "levy-out-of-order",
        1,
        """
        load chemin-de-fer-france
        with levy.tickets = false
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        due
        """,
        """
        load chemin-de-fer-france
        with levy.tickets = false
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-announced {"coup": 1, "amount": 500}
        levy-taken {"coup": 1, "amount": 500}
        due
        """,
    ),
    # what was torn before is no ticket of the levy
    Case(
        "untorn-tickets",
        1,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        tickets-torn {"coup": 1}
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        levy-taken {"coup": 1, "amount": 500}
        coup-closed {"coup": 1}
        coup-opened {"coup": 2}
        """,
        """
        load chemin-de-fer-france
        seats p1 p2 p3 p4
        bank p1 10000
        coup-opened {"coup": 1}
        bank-called {"coup": 1, "amount": 10000}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
        no-more-bets {"coup": 1}
        hand-given {"coup": 1, "hand": "player", "to": "p2"}
        deal P 4 2  B K 9
        result-called {"coup": 1, "player": 6, "banker": 9, "outcome": "B"}
        bet-taken {"coup": 1, "bet": 1, "amount": 10000}
        levy-announced {"coup": 1, "amount": 500}
        tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}
        tickets-torn {"coup": 1}
        levy-taken {"coup": 1, "amount": 500}
        due
        coup-opened {"coup": 2}
        """,
    ),
)

BLAMED_AT = {
    "levy-out-of-order": (bank_ev.LevyTaken, bank_ev.TicketsDetached),
    "untorn-tickets": (ev.CoupOpened, ev.ShoeEnded),
}
"""The kinds of events by which a rule is broken, where the first event shown was right."""

MADE_GOOD_LATE = (
    "levy-out-of-order", "levy-ticket-used-again", "levy-without-ticket", "untorn-tickets",
    "wrong-levy",
)  # fmt: skip
"""Rules whose own near miss is something else until it is made good, or is accepted."""

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A wrong call that was settled -----------------------------------------------------------------


def test_what_was_announced_of_a_wrong_levy_is_explained_by_it():
    """Of the 100.00 that p1's bank won the house levies 5.00; 4.00 were announced and taken."""
    felt = deal(
        "load chemin-de-fer-france\nseats p1 p2 p3\nbank p1 10000\n"
        "coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000\n"
        'levy-announced {"coup": 1, "amount": 500}\ntickets-detached {"coup": 1, "amount": 500}\n'
        'levy-taken {"coup": 1, "amount": 400}'
    )
    found = {each.code: each for each in audit_shoe(felt).findings}
    levy = found.pop("wrong-levy")
    assert levy.money.house == -100
    assert {each.explained_by for each in found.values()} == {levy.fingerprint}
    assert found.keys() == {"levy-without-ticket", "levy-out-of-order"}


@pytest.mark.parametrize("pack", ["chemin-de-fer", "banque"])
def test_a_levy_where_the_rule_pack_has_none_is_owed_to_the_bank(pack):
    """5.00 are taken of what the bank of p1 won."""
    felt = deal(
        f"load {pack}\nseats p1 p2 p3\nbank p1 10000\n"
        "coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000\n"
        'levy-taken {"coup": 1, "amount": 500}'
        if pack == "chemin-de-fer"
        else f"load {pack}\nbare\ntableaux-bank p11 20000\n"
        "tableaux p7 right 10000, p5 left 10000 | 2 3; 2 4; 9 K\n"
        'levy-taken {"coup": 1, "amount": 500}'
    )
    (levy,) = [each for each in audit_shoe(felt).findings if not each.explained_by]
    assert (levy.code, levy.coup) == (OF_ANOTHER_GAME, 1)
    assert (levy.patron, levy.money.house) == ("p1" if pack == "chemin-de-fer" else "p11", 500)


@pytest.mark.parametrize(
    "step",
    [
        'levy-announced {"coup": 1, "amount": 500}',
        'tickets-detached {"coup": 1, "amount": 500, "tickets": ["T-1"]}',
        'tickets-torn {"coup": 1}',
    ],
)
def test_a_step_of_a_levy_where_the_rule_pack_has_none_is_found(step):
    shoe = deal(
        "load chemin-de-fer\nseats p1 p2 p3\nbank p1 10000\n"
        f"coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000\n{step}"
    )
    (found,) = audit_shoe(shoe).findings
    assert found.code == OF_ANOTHER_GAME
    assert found.message.endswith("the rule pack chemin-de-fer does not have this")


# -- What earlier faults leave behind --------------------------------------------------------------


def test_a_bank_that_is_called_as_if_the_levy_were_right_is_explained_by_the_levy():
    """Of 100.00 the house levies 5.00; 4.00 are taken, and 195.00 are called where 196.00 lie."""
    felt = deal(
        "load chemin-de-fer-france\nseats p1 p2 p3\nbank p1 10000\n"
        "coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000\n"
        'levy-announced {"coup": 1, "amount": 400}\ntickets-detached {"coup": 1, "amount": 400}\n'
        'levy-taken {"coup": 1, "amount": 400}\n'
        'coup-opened {"coup": 2}\nbank-called {"coup": 2, "amount": 19500}\n'
    )
    found = {each.code: each for each in audit_shoe(felt).findings}
    assert found["wrong-levy"].explained_by is None
    assert found["miscalled-bank"].explained_by == found["wrong-levy"].fingerprint


RULED = """
    load chemin-de-fer-france
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 10000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 4 2  B K 9
    irregularity-noted {"coup": 1, "kind": "other", "ruling": "return-bets", "by": "sue"}
    coup-closed {"coup": 1}
"""


def test_nothing_is_levied_on_a_bet_that_a_ruling_returned_and_nobody_moved():
    """Banker wins by 9 to 6. The bet lies there when the coup is closed."""
    assert code_of(wrong_levy) not in [code for code, *_ in told(RULED)]


# -- Tickets of a coup -----------------------------------------------------------------------------

TICKETED = """
    load chemin-de-fer-france
    seats p1 p2
    bank p1 10000
    coup p2 player 10000 | P 4 2  B K 9 | B 6-9 | 1 take 10000
    levy-announced {"coup": 1, "amount": 500}
    tickets-detached {"coup": 1, "amount": 400, "tickets": ["T-1"]}
    tickets-detached {"coup": 1, "amount": 100, "tickets": ["T-2"]}
    levy-taken {"coup": 1, "amount": 500}
"""
UNTORN = code_of(untorn_tickets)


def test_tickets_are_torn_before_the_next_coup_on_record():
    """The next coup on record is the third."""
    late = 'coup-opened {"coup": 3}\ntickets-torn {"coup": 1}'
    assert UNTORN in [code for code, *_ in told(TICKETED + late)]


def test_a_ticket_that_comes_late_does_not_excuse_the_others():
    """T-1 is not torn, and T-2 is detached when the next coup is open."""
    lines = TICKETED.splitlines()
    late = "\n".join([*lines[:-2], lines[-1], 'coup-opened {"coup": 2}', lines[-2]])
    assert [code for code, *_ in told(late)] == [UNTORN]


def test_tickets_that_come_after_the_next_coup_are_out_of_order_and_no_more():
    """They are torn at once."""
    lines = TICKETED.splitlines()
    late = "\n".join(
        [
            *(*lines[:-3], lines[-1], 'coup-opened {"coup": 2}', *lines[-3:-1]),
            'tickets-torn {"coup": 1}',
        ]
    )
    assert [code for code, *_ in told(late)] == [code_of(levy_out_of_order)]
