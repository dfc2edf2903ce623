"""More ways to break the rules of `own_hand_turns.py` and `own_hand_banks.py`, and near misses."""

from collections.abc import Callable

from sabot.domain import events as ev
from sabot.domain.audit.checks.bank.own_hand_banks import bank_given_up_early
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.support.audited import codes
from tests.support.own_hand_coups import play, table
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import told

Make = Callable[[], Shoe]


def given_up(cards: int) -> Make:
    """The bank is given up once so many cards have left the pack; three hands have 4 each left."""

    def make() -> Shoe:
        felt = table().put(*[ev.CardBurned(reason="other") for _ in range(cards)])
        return felt.put(bank_ev.BankWithdrawn("p3", 200_000), ev.ShoePassed("p3", "chosen")).shoe

    return make


CASES = (
    Case("bank-given-up-early", None, given_up(92), given_up(93)),
    # the seat of the banker who left is empty: its left neighbour is p1, not p3 beside the dealer
    Case(
        "bank-not-passed-left",
        None,
        """
        load macao-old
        seats p1 p2 p3
        bank p2 200000
        bank-withdrawn {"by": "p2", "amount": 200000}
        shoe-passed {"by": "p2", "reason": "left"}
        patron-left {"patron": "p2"}
        shoe-offered {"to": "p3"}
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p2 200000
        bank-withdrawn {"by": "p2", "amount": 200000}
        shoe-passed {"by": "p2", "reason": "left"}
        patron-left {"patron": "p2"}
        shoe-offered {"to": "p1"}
        """,
    ),
    # the turn goes from seat 2 to seat 1; the first card of seat 1 is thrown away early
    Case(
        "hand-out-of-turn",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 2}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "7", "place": 1, "seat": 2}
        card-drawn {"coup": 1, "hand": "patron", "card": "K", "place": 2, "seat": 1}
        deal B 8
        choice-made {"coup": 1, "hand": "patron", "choice": "draw", "by": "p1", "seat": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "Q", "place": 4, "seat": 1}
        card-rejected {"coup": 1, "hand": "patron", "seat": 1}
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "by": "p2", "seat": 2}
        card-drawn {"coup": 1, "hand": "patron", "card": "6", "place": 5, "seat": 1}
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "by": "p1", "seat": 1}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 2}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "7", "place": 1, "seat": 2}
        card-drawn {"coup": 1, "hand": "patron", "card": "K", "place": 2, "seat": 1}
        deal B 8
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "by": "p2", "seat": 2}
        choice-made {"coup": 1, "hand": "patron", "choice": "draw", "by": "p1", "seat": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "Q", "place": 4, "seat": 1}
        card-rejected {"coup": 1, "hand": "patron", "seat": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "6", "place": 5, "seat": 1}
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "by": "p1", "seat": 1}
        due
        """,
    ),
    Case(
        "hand-out-of-turn",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "7", "place": 1, "seat": 1}
        deal B 2
        choice-made {"coup": 1, "hand": "banker", "choice": "draw", "by": "p3"}
        card-drawn {"coup": 1, "hand": "banker", "card": "6", "place": 3}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "7", "place": 1, "seat": 1}
        deal B 2
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "by": "p1", "seat": 1}
        choice-made {"coup": 1, "hand": "banker", "choice": "draw", "by": "p3"}
        deal B 6
        due
        """,
    ),
    Case(
        "miscalled-hand",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "8", "place": 1, "seat": 1}
        deal B 7
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "seat": 1}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 1, "hand": "patron", "nth": 1, "seat": 1}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        hands-called
        {"coup": 1, "totals": [{"hand": "patron", "total": 9, "seat": 1},
        {"hand": "banker", "total": 7}]}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 8; B: 7
        """,
    ),
    Case(
        "stake-without-hand",
        1,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "hand", "amount": 500, "seat": 2}
        bet-placed {"coup": 1, "bet": 2, "patron": "p1", "wager": "hand", "amount": 500}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "patron", "card": "7", "place": 1, "seat": 2}
        deal B 8
        choice-made {"coup": 1, "hand": "patron", "choice": "stand", "seat": 2}
        choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
        card-turned {"coup": 1, "hand": "patron", "nth": 1, "seat": 2}
        card-turned {"coup": 1, "hand": "banker", "nth": 1}
        hands-called
        {"coup": 1, "totals": [{"hand": "patron", "total": 7, "seat": 2},
        {"hand": "banker", "total": 8}]}
        bet-taken {"coup": 1, "bet": 1, "amount": 500}
        bet-taken {"coup": 1, "bet": 2, "amount": 500}
        due
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 2 500, 1 500 | 2: 7; 1: 5; B: 8
        """,
    ),
    Case(
        "bank-below-minimum",
        None,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 199999
        hands 1 500 | 1: 8; B: 7
        """,
        """
        load macao-old
        seats p1 p2 p3
        bank p3 200000
        hands 1 500 | 1: 8; B: 7
        """,
    ),
)

RAISED = 'limits-changed {"limits": [{"wager": "hand", "minimum": 300000, "maximum": 900000}]}'
CASES += (
    # the table minimum in force when the bank is put up counts
    Case(
        "bank-below-minimum",
        None,
        f"load macao-old\nseats p1 p2 p3\n{RAISED}\nbank p3 200000",
        f"load macao-old\nseats p1 p2 p3\nbank p3 200000\n{RAISED}",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


UNDEALT = """
    load macao-old
    seats p1 p2 p3
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "hand", "amount": 500, "seat": 2}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    card-turned {"coup": 1, "hand": "patron", "nth": 1, "seat": 1}
    hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
"""  # noqa: E501 - the events of a table are as long as they are


def test_a_seat_that_was_dealt_no_hand_is_one_finding():
    """Nobody called the hand of p2, who staked and got no card; and p2 asked for none."""
    assert [code for code, *_ in told(UNDEALT)] == ["stake-without-hand"]


def test_a_record_of_coups_without_cards_shows_no_hands():
    assert (
        told("""
        load macao-old {"scope": "coups"}
        bare
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
        bet-paid {"coup": 1, "bet": 1, "amount": 500}
        coup-closed {"coup": 1}
    """)
        == []
    )


def test_a_bank_that_was_refused_at_an_amount_goes_to_the_next_at_macao():
    """p2 sits left of p3, the first banker, who passes the bank once the pack is dealt out."""
    offers = """
        shoe-offered {"to": "p2", "amount": 200500}
        shoe-refused {"by": "p2"}
        shoe-offered {"to": "p1", "amount": 200500}
    """
    passed = """
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        bank-withdrawn {"by": "p3", "amount": 200000}
        shoe-passed {"by": "p3", "reason": "chosen"}
    """
    assert told(passed + offers) == told(passed)


def test_an_offer_while_somebody_holds_the_bank_is_not_judged_by_the_banker_before():
    """p2 banked first and then p1; p1 has not passed the bank that is offered to p2."""
    held = """
        load macao-old
        seats p1 p2 p3
        bank p2 200000
        bank-withdrawn {"by": "p2", "amount": 200000}
        shoe-passed {"by": "p2", "reason": "left"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
    """
    assert told(held + 'shoe-offered {"to": "p2"}') == told(held)


def test_a_bank_that_another_patron_passes_was_not_given_up_by_the_banker():
    """p1 passes the bank of p3."""
    felt = play(table(), "2 1000, 1 500 | 2: 9; 1: 4; B: 8").put(ev.ShoePassed("p1", "chosen"))
    assert code_of(bank_given_up_early) not in codes(felt.shoe)
