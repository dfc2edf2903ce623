"""A finding names the one from which it follows: one fault counts once."""

from inspect import cleandoc

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.events.bank import HandGiven
from sabot.domain.state.shoe import Shoe
from tests.support import tableaux_coups
from tests.support.coup_notation import Felt
from tests.support.floor_notation import Pit
from tests.support.one_fault import own_and_explained
from tests.support.rule_examples import deal

NUMBERS = {rule.code: rule.number for rule in RULES}


def told(shoe: Shoe | Felt) -> tuple[list[str], list[tuple[str, str]]]:
    """Return the rules broken by themselves, and the others with the rule that each follows."""
    own, follow = own_and_explained(shoe)
    pairs = [(NUMBERS[code], NUMBERS[cause]) for code, cause in follow]
    return sorted(NUMBERS[code] for code in own), sorted(pairs)


# -- The last coup ---------------------------------------------------------------------------------


def test_the_last_coup_called_without_a_number_is_the_next_to_begin():
    """Coup 3 follows coup 1. The call before it was of this coup."""
    called = "coup P 4 5  B K 8\nlast-coup-called\n"
    skipped = deal(called + 'coup-opened {"coup": 3}\ndeal P 4 5  B K 8\ndue')
    assert "Z305" not in told(skipped)[0]
    assert "Z305" in told(deal(called + "coup P 4 5  B K 8\ncoup P 4 5  B K 8"))[0]


# -- Settlements that follow a wrong call ----------------------------------------------------------

SEVEN_CALLED_SIX = (
    "load super-6\ncoup p1 banker 2500, p2 super-6 2500 | P T 4 K  B 4 9 4 | B 4-6 | "
)
"""Player 4, Banker 7: Banker is paid 1 to 1, and Super 6 loses."""


@pytest.mark.parametrize(
    ("settled", "own", "explained"),
    [
        ("1 pay 1250, 2 pay 30000", ["C102"], [("P201", "C102"), ("P202", "C102")]),
        # half is paid for a 6, but not three quarters
        ("1 pay 1875, 2 pay 30000", ["C102", "P201"], [("P202", "C102")]),
        ("2 take 2500, 1 pay 2500", ["C102"], []),
    ],
)
def test_a_settlement_that_followed_wrongly_called_totals_is_explained_by_them(
    settled, own, explained
):
    assert told(deal(SEVEN_CALLED_SIX + settled)) == (own, explained)


MACAO = """
    load macao-old
    seats p1 p2 p3
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "6", "place": 2}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 5}, {"hand": "banker", "total": 6}]}
"""  # noqa: E501 - the events of a table are as long as they are
BANQUE = """
    load banque
    bare
    tableaux-bank p11 20000
    tableaux-open p7 right 500, p5 left 500
    tableaux-hands 3 4; 2 4; 8 K
    hands-called {"coup": 1, "totals": [{"hand": "right", "total": 9}, {"hand": "left", "total": 6}, {"hand": "banker", "total": 8}]}
"""  # noqa: E501


@pytest.mark.parametrize(
    ("coup", "move", "call", "payment"),
    [
        # 7 against 6 was called 5
        (MACAO, 'bet-taken {"coup": 1, "bet": 1, "amount": 500}', "O507", "P201"),
        # 7 against 8 was called 9
        (BANQUE, 'bet-paid {"coup": 1, "bet": 1, "amount": 500}', "W516", "P202"),
    ],
)
def test_a_settlement_that_followed_a_wrongly_called_hand_is_explained_by_it(
    coup, move, call, payment
):
    assert told(deal(f"{cleandoc(coup)}\n{move}\ndue")) == ([call], [(payment, call)])
    assert told(deal(f"{cleandoc(coup)}\ndue")) == ([call], [])


def test_an_outcome_that_was_called_wrongly_with_the_totals_is_explained_by_them():
    """The dealer calls Player's 9 and Banker's 8 the other way round, and pays by the cards."""
    shoe = deal("coup ann player 500 | P 4 5  B K 8 | B 8-9 | 1 pay 500")
    assert told(shoe) == (["C102"], [("C103", "C102")])
    paid_by_it = deal("coup ann player 500 | P 4 5  B K 8 | B 8-9 | 1 take 500")
    assert told(paid_by_it) == (["C102"], [("C103", "C102"), ("P201", "C102")])


# -- The time of a settlement ----------------------------------------------------------------------


def test_a_bet_that_was_placed_after_the_close_is_not_settled_late_too():
    felt = Felt().ready().coup("ann player 500 | P 4 5  B K 8")
    felt.put(ev.BetPlaced(1, 2, "bob", "player", 900), ev.BetPaid(1, 2, 900))
    assert told(felt) == (["B201"], [])


def test_a_winner_who_was_paid_before_the_result_was_not_paid_out_of_turn_too():
    bets = ev.BetPlaced(1, 1, "ann", "player", 500), ev.BetPlaced(1, 2, "bob", "tie", 100)
    felt = Felt().ready().put(ev.CoupOpened(1), *bets, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.BetPaid(1, 1, 500)).due(ev.ResultCalled).put(ev.BetTaken(1, 2, 100))
    assert told(felt.put(ev.CoupClosed(1))) == (["E203"], [("E205", "E203")])


# -- Cards that were destroyed too early -----------------------------------------------------------


def test_destroyed_cards_that_are_used_and_counted_are_one_finding():
    """The destruction was recorded too early: the cards are still there, and are counted."""
    pit = Pit.of(
        """
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        cards B-1 cards-destroyed {"by": "sam", "witness": "sue"}
        cards B-1 cards-issued {"table": "T1", "by": "sam"}
        cards B-1 cards-returned {"table": "T1", "by": "sam"}
        cards B-1 cards-counted {"decks": 8, "by": "sue"}
        """
    )
    found = {each.number: each for each in audit_floor(pit.floor()).findings}
    assert found["M601"].explained_by is None
    assert found["V601"].explained_by == found["M601"].fingerprint


# -- The player of a tableau's hand ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "broken"),
    [
        # the right hand lost with p7 and is p8's, but p7 gets it again; it does not lose any more
        ("777", ["T110"]),
        ("7788", ["T110"]),
        ("7778", ["T110"]),
        ("7787", ["T110", "T110"]),
        ("7888", []),
    ],
)
def test_a_hand_that_was_given_wrongly_may_be_kept_or_given_back(given, broken):
    felt = tableaux_coups.table()
    for nth, patron in enumerate(given):
        tableaux_coups.opened(felt, "p7 right 500, p8 right 500, p9 right 500")
        felt.put(HandGiven(nth + 1, "right", f"p{patron}"))
        tableaux_coups.finish(
            tableaux_coups.deal(felt, "3 4; 2 4; 6 K" if nth else "3 4; 2 4; 9 K")
        )
    assert [each for each in told(felt)[0] if each == "T110"] == broken


# -- A late bet that is handed back ----------------------------------------------------------------

LATE = """
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "ann", "wager": "player", "amount": 500}
    no-more-bets {"coup": 1}
    deal > P 4
    bet-placed {"coup": 1, "bet": 2, "patron": "bob", "wager": "player", "amount": 900}
"""
OTHER = 'irregularity-noted {"coup": 1, "kind": "late-bet", "ruling": "other", "by": "sue"}'
TAKEN_BACK = 'bet-withdrawn {"coup": 1, "bet": 2}'
TAKEN_OFF = 'bet-changed {"coup": 1, "bet": 2, "amount": 0}'


@pytest.mark.parametrize(
    ("then", "found"),
    [
        ([OTHER, TAKEN_BACK], [("B201", "note")]),
        # nobody has ruled when bob takes his bet back
        ([TAKEN_BACK, OTHER], [("B201", "note"), ("B203", "note")]),
        ([TAKEN_BACK], [("B201", "high"), ("B203", "high")]),
    ],
)
def test_a_late_bet_that_is_handed_back_on_a_ruling_is_one_note(then, found):
    shoe = deal("\n".join([cleandoc(LATE), *then, "deal > B K  P 5  B 8", "due"]))
    assert [(each.number, each.severity) for each in audit_shoe(shoe).findings] == found


@pytest.mark.parametrize("handed_back", [TAKEN_BACK, TAKEN_OFF])
def test_a_late_bet_that_is_handed_back_without_a_ruling_is_one_finding(handed_back):
    shoe = deal("\n".join([cleandoc(LATE), handed_back, "deal > B K  P 5  B 8", "due"]))
    assert told(shoe) == (["B201"], [("B203", "B201")])


# -- The reason why an amount is unknown -----------------------------------------------------------


def test_a_card_that_a_hand_should_not_have_has_an_unknown_cost():
    """It may turn a loss into a win. What would have come without it, the record does not say."""
    rule = next(each for each in RULES if each.number == "O501")
    (found,) = audit_shoe(deal(rule.breaks)).findings
    assert found.money.unknown == (
        "another hand chooses by the cards it sees, so the correct result is unknown"
    )
