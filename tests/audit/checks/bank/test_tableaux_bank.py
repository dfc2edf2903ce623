"""More ways to break the rules of `checks/bank/tableaux_bank.py`, and near misses."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.bank_moves import bank_moved_by_wrong_person
from sabot.domain.audit.checks.bank.tableaux_bank import wrong_first_bank_award
from sabot.domain.audit.rule_group import code_of
from tests.support.audited import codes
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import dealt, told

CASES = (
    # the bank
    Case(
        "wrong-first-bank-award",
        None,
        """
        load banque
        bare
        bank-bid {"by": "p7", "amount": 21000}
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        tableaux-bank p11 20000
        """,
        """
        load banque
        bare
        bank-bid {"by": "p7", "amount": 19000}
        bank-bid {"by": "p11", "amount": 20000}
        tableaux-bank p11 20000
        """,
    ),
    # a bid that comes once the bank was given away
    Case(
        "wrong-first-bank-award",
        None,
        """
        load banque
        bare
        bank-bid {"by": "p11", "amount": 20000}
        bank-bid {"by": "p7", "amount": 21000}
        shoe-offered {"to": "p11", "amount": 20000}
        tableaux-bank p11 20000
        """,
        """
        load banque
        bare
        bank-bid {"by": "p11", "amount": 20000}
        shoe-offered {"to": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        bank-bid {"by": "p7", "amount": 21000}
        tableaux-bank p11 20000
        """,
    ),
    Case(
        "play-on-broken-bank",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 20000 | 9 K; 9 Q; 3 4
        bank-raised {"by": "p11", "amount": 19999}
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 20000 | 9 K; 9 Q; 3 4
        bank-raised {"by": "p11", "amount": 20000}
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    # a rest of 300 is below the least stake of 500
    Case(
        "play-on-broken-bank",
        2,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 19700 | 9 K; 9 Q; 3 4
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
        """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 19500 | 9 K; 9 Q; 3 4
        tableaux p7 right 500 | 3 4; 2 4; 9 K
        """,
    ),
    Case(
        "bank-beyond-proven-funds",
        None,
        """
        load deux-tableaux-france-open
        bare
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 99999}
        bank-posted {"by": "p11", "amount": 100000}
        """,
        """
        load deux-tableaux-france-open
        bare
        session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        bank-listed {"by": "p11"}
        shoe-offered {"to": "p11"}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        funds-proven {"by": "p11", "amount": 100000}
        bank-posted {"by": "p11", "amount": 100000}
        """,
    ),
)

AT_HIS_PLACE = """
    load banque {"seats": [{"seat": 6, "patron": "p11"}, {"seat": 7, "patron": "p7"}]}
    bare
    bank-bid {"by": "p11", "amount": 20000}
    shoe-offered {"to": "p11", "amount": 20000}
    shoe-taken {"by": "p11"}
    %s
    bank-posted {"by": "p11", "amount": 20000}
"""


def test_a_patron_who_sits_at_the_place_of_the_banker_need_not_move_there():
    assert told(AT_HIS_PLACE % "") == []
    assert len(told(AT_HIS_PLACE % 'patron-moved {"patron": "p11", "seat": 5}')) == 1


BLAMED_AT = {"play-on-broken-bank": (ev.CardDrawn,)}
"""The kinds of events by which a rule is broken, where the first event shown was right."""

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_later_table_minimum_does_not_break_a_bank():
    raised = 'limits-changed {"limits": [{"wager": "right", "minimum": 30000, "maximum": 90000}]}'
    lines = """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 500 | 3 4; 2 4; 9 K
    """
    assert told(lines + raised) == []


LISTED = """
    load banque-list
    bare
    tableaux-seats
    bank-listed {"by": "p7"}
    bank-listed {"by": "p11"}
    bank-listed {"by": "p5"}
"""
TAKEN = """
    shoe-taken {{"by": "{0}"}}
    patron-moved {{"patron": "{0}", "seat": 6}}
    bank-posted {{"by": "{0}", "amount": 20000}}
"""
REFUSED = (
    LISTED
    + """
    shoe-offered {"to": "p7"}
    shoe-refused {"by": "p7"}
"""
)


def awards(shoe: str) -> list[str]:
    found = audit_shoe(dealt(shoe)).findings
    return [each.message for each in found if each.code == code_of(wrong_first_bank_award)]


def test_the_bank_goes_to_the_next_name_on_the_list_after_a_refusal():
    offer = 'shoe-offered {{"to": "{0}"}}' + TAKEN
    assert awards(REFUSED + offer.format("p11")) == []
    (said,) = awards(REFUSED + offer.format("p5"))
    assert said == "the bank was offered to p5; it was due to p11, first on the list"


def test_a_name_put_down_after_the_offer_is_not_on_the_list():
    shoe = """
        load banque-list
        bare
        tableaux-seats
        shoe-offered {"to": "p11"}
        bank-listed {"by": "p7"}
    """
    assert awards(shoe + TAKEN.format("p11")) == []


def test_a_first_bank_that_was_offered_to_nobody_went_to_its_banker():
    assert awards(LISTED + TAKEN.format("p7")) == []
    (said,) = awards(LISTED + TAKEN.format("p11"))
    assert said == (
        "p11 put up the bank, which was offered to nobody; it was due to p7, first on the list"
    )


def test_the_offer_of_an_auctioned_bank_states_the_amount():
    shoe = """
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
    """
    assert awards(shoe + TAKEN.format("p11")) == []
    (said,) = awards(shoe + 'shoe-offered {"to": "p11"}' + TAKEN.format("p11"))
    assert said == (
        "the bank was offered to p11 without an amount; it was due to p11, at the bid of 200.00 EUR"
    )


def test_a_bank_that_is_not_broken_may_be_below_the_minimum_after_a_tie():
    """The broken bank gets 100.00 instead of 200.00, and coup 2 is a tie."""
    shoe = """
        load banque
        bare
        tableaux-bank p11 20000
        tableaux p7 right 10000, p5 left 10000 | 9 K; 9 Q; 3 4
        bank-raised {"by": "p11", "amount": 10000}
        tableaux p7 right 500 | 3 4; 2 5; 9 8
        tableaux p7 right 500 | 3 4; 2 4; 9 K
    """
    assert [(code, coup) for code, coup, *_ in told(shoe)] == [("play-on-broken-bank", 2)]


def test_a_bid_after_the_bank_was_put_up_is_too_late():
    """No offer of the bank is on record."""
    shoe = """
        load banque
        bare
        tableaux-seats
        bank-bid {"by": "p11", "amount": 20000}
        shoe-taken {"by": "p11"}
        patron-moved {"patron": "p11", "seat": 6}
        bank-posted {"by": "p11", "amount": 20000}
        bank-bid {"by": "p11", "amount": 30000}
    """
    assert "bank-below-bid" not in [code for code, *_ in told(shoe)]


WRONG_PERSON = code_of(bank_moved_by_wrong_person)
PROVEN = """
    load deux-tableaux-france-open{}
    bare
    tableaux-seats
    session-called {{"day": "2026-01-01", "session": 1, "shoe": 1}}
    bank-listed {{"by": "p11"}}
    shoe-offered {{"to": "p11"}}
    shoe-taken {{"by": "p11"}}
    patron-moved {{"patron": "p11", "seat": 6}}
    {}
    bank-posted {{"by": "p11", "amount": 200000}}
    bank-raised {{"by": "p7", "amount": 1000}}
"""


def test_chips_that_somebody_else_adds_need_no_funds_of_the_banker():
    """p7 adds 10.00 to the bank of p11."""
    proof = 'funds-proven {"by": "p11", "amount": 200000}'
    assert [code for code, *_ in told(PROVEN.format("", proof))] == [WRONG_PERSON]


def test_a_record_of_coups_alone_does_not_show_which_funds_were_proven():
    alone = dealt(PROVEN.format(' {"scope": "coups"}', ""))
    assert "bank-beyond-proven-funds" not in codes(alone)
