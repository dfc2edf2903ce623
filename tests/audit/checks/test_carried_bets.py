"""The rules of `checks/carried_bets.py`: breaches, near misses, and legal cases."""

import json

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.bank import BankCalled, HandGiven
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes, finish
from tests.support.bank_coups import staked
from tests.support.coup_notation import Felt, shoe_of
from tests.support.money_of_findings import PLAYER_9, money_told
from tests.support.one_fault import own_and_explained
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal
from tests.support.tableaux_coups import deal as play_hands
from tests.support.tableaux_coups import finish as finish_banque
from tests.support.tableaux_coups import play
from tests.support.tableaux_coups import table as banque
from tests.support.told_shoes import told

CASES = (
    Case(
        "carried-bet-without-tie",
        2,
        """
        coup p1 player 500 | P 4 5  B K 9
        coup +p9 player 500 | P 4 5  B K 8
        """,
        """
        coup p1 player 500 | P 4 5  B K 9
        coup-opened {"coup": 2}
        bet-carried {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-changed {"coup": 2, "bet": 1, "amount": 600}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        due
        """,
    ),
    Case(
        "held-bet-taken-up",
        2,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup P 4 5  B K 8
        """,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        coup +p1 player 500 | P 4 5  B K 8
        """,
    ),
    Case(
        "held-bet-taken-up",
        1,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        bet-withdrawn {"coup": 1, "bet": 1}
        """,
        """
        with tie.withdrawable = false
        coup p1 player 500 | P 4 5  B K 9
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A bet that stays after a tie ------------------------------------------------------------------


def test_a_total_that_no_tie_left_is_found():
    """Of the 600 that won 600, a tie left 500."""
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 300, p1 player 200 | P 4 5  B K 9").coup("+p1 player 600 | P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup, found.patron) == ("carried-bet-without-tie", 2, "p1")
    assert found.money.patrons == {"p1": 100}


# -- One wrong carry -------------------------------------------------------------------------------


def after_a_tie(*bets: tuple[str, int]) -> Felt:
    """p2's 50.00 tie against p1's bank; then these are carried, and p2 is given the hand."""
    felt = finish(staked(("p2", 5000)).put(ev.NoMoreBets(1)).due(HandGiven).cards("P K 9  B K 9"))
    felt.put(ev.CoupOpened(2), BankCalled(2, 10_000))
    for number, (patron, amount) in enumerate(bets, 1):
        felt.put(ev.BetCarried(2, number, patron, "player", amount))
    felt.put(ev.BetPlaced(2, 9, "p4", "player", 1000), ev.NoMoreBets(2))
    return finish(felt.put(HandGiven(2, "player", "p2")).cards("P K 9  B K 8"))


@pytest.mark.parametrize(
    ("bets", "own"),
    [
        ([("p3", 5000)], "carried-bet-without-tie"),  # p2's bet is gone, and so is p2's hand
        ([("p2", 10_000)], "carried-bet-without-tie"),  # more than the bank covers
        ([], "held-bet-taken-up"),
    ],
)
def test_one_wrong_carry_at_chemin_de_fer_is_one_finding(bets, own):
    alone, others = own_and_explained(after_a_tie(*bets))
    assert (alone, {cause for _, cause in others}) == ([own], {own})


def test_a_held_bet_that_is_settled_but_not_carried_is_one_finding():
    """Bet 1 is not on record in coup 2, and 50.00 are paid for it."""
    felt = after_a_tie()
    at = felt.payloads.index(ev.CoupClosed(2))
    shoe = shoe_of([*felt.payloads[:at], ev.BetPaid(2, 1, 5000), *felt.payloads[at:]])
    assert own_and_explained(shoe)[0] == ["held-bet-taken-up"]


# -- A stake that grows, or goes on as another patron's --------------------------------------------

HELD = "with tie.withdrawable = false"
TWO = "coup p1 player 500, p2 player 300 | P 4 5  B K 9"
FIVE = "coup p1 player 500 | P 4 5  B K 9"
WINS = "P 4 5  B K 8"


@pytest.mark.parametrize("rules", ["", HELD])
@pytest.mark.parametrize(
    ("tie", "carried", "said", "gains"),
    [
        (FIVE, "+p1 player 700", "p1's 7.00 EUR on Player was carried over", {"p1": 200}),
        (FIVE, "+p1 player 700 pays 5.00", "p1's 7.00 EUR on Player was carried over", {"p1": 0}),
        (FIVE, "+p2 player 500", "over, though it was p1's", {"p2": 500, "p1": -500}),
        (FIVE, "+p2 player 700", "over, 5.00 EUR of it p1's", {"p2": 700, "p1": -500}),
        (TWO, "+p1 player 800", "over, 3.00 EUR of it p2's", {"p1": 300, "p2": -300}),
        (TWO, "+p1 player 600, +p2 player 200", "1.00 EUR of it p2's", {"p1": 100, "p2": -100}),
        (TWO, "+p2 player 500, +p1 player 300", "2.00 EUR of it p1's", {"p2": 200, "p1": -200}),
    ],
)  # fmt: skip
def test_a_stake_carried_as_more_or_as_anothers_is_one_finding(rules, tie, carried, said, gains):
    """Player wins the coup into which it was carried."""
    bets, _, pays = carried.partition(" pays ")
    paid = f" | P | 1 pay {pays.replace('.', '')}" if pays else ""
    shoe = deal(f"{rules}\n{tie}\ncoup {bets} | {WINS}{paid}".strip())
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.coup) == ("carried-bet-without-tie", 2)
    assert said in found.message
    assert found.money.patrons == gains
    assert found.money.house == -sum(gains.values())


@pytest.mark.parametrize("carried", ["+p1 player 700", "+p2 player 500"])
def test_a_stake_that_was_carried_wrongly_may_go_on_as_it_was_before(carried):
    """It ties again, and 5.00 of p1 go on and win: p1 is due no more, and nobody else is."""
    shoe = deal(f"{FIVE}\ncoup {carried} | P 4 5  B K 9\ncoup +p1 player 500 | {WINS}")
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.coup) == ("carried-bet-without-tie", 2)
    assert not any(found.money.patrons.values())


def banque_after_a_split(patron: str, amount: int) -> Felt:
    """p7's 10.00 à cheval were split; then a stake à cheval is carried, and the banker wins."""
    felt = play(banque(), "p7 cheval 1000, p8 right 500 | 9 K; 2 4; 8 K").put(ev.CoupOpened(2))
    felt.due(BankCalled)
    seat = int(patron[1:])
    felt.put(ev.BetCarried(2, 1, patron, "cheval", amount, seat), ev.NoMoreBets(2)).due(HandGiven)
    return finish_banque(play_hands(felt, "3 4; 2 4; 9 K"))


@pytest.mark.parametrize(
    ("patron", "amount", "lost"),
    [("p7", 1200, {"p7": -200, "p11": 200}), ("p8", 1000, {"p8": -1000, "p7": 1000, "p11": 0})],
)
def test_a_split_stake_carried_as_more_or_as_anothers_is_one_finding(patron, amount, lost):
    (found,) = audit_shoe(banque_after_a_split(patron, amount).shoe).findings
    assert (found.number, found.coup) == ("W511", 2)
    assert found.money.patrons == lost


# -- One rule that is broken several times at once -------------------------------------------------


def test_held_bets_that_nobody_carries_are_one_finding():
    """A tie holds p1's and p2's 5.00. Player wins the next coup: p1 misses 5.00, p2 keeps them."""
    felt = Felt(pack_text("classic-8").replace("withdrawable = true", "withdrawable = false"))
    felt.ready().coup("p1 player 500, p2 banker 500 | P 4 5  B K 9").coup("P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup) == ("held-bet-taken-up", 2)
    assert found.money.patrons == {"p1": -500, "p2": 500}


# -- A held stake that is taken up -----------------------------------------------------------------


TIED = """
    with tie.withdrawable = false
    coup p1 banker 2000 | P 4 5  B K 9
"""


@pytest.mark.parametrize(
    ("begins", "cards", "gained"),
    [
        ("carried, withdrawn", "P 4 5  B K 8", 2000),  # banker lost
        ("carried, withdrawn", "P 4 4  B K 9", -1900),  # banker won, less 5 %
        ("carried, lowered", "P 4 5  B K 8", 1500),  # 5.00 were lost instead of 20.00
        ("left out", "P 4 5  B K 8", 2000),
        ("5.00 again", "P 4 5  B K 8", 1500),
        ("5.00 again", "P 4 4  B K 9", -1425),  # 20.00 would have won 19.00, 5.00 win 4.75
        ("carried, withdrawn, 5.00 again", "P 4 5  B K 8", 1500),
    ],
)
def test_a_held_bet_that_is_taken_up_is_due_what_it_would_have_won(begins, cards, gained):
    assert told(tied_and_then(begins, cards)) == [("held-bet-taken-up", 2, -gained, {"p1": gained})]


@pytest.mark.parametrize(
    "begins", ["20.00 again", "30.00 again", "carried, withdrawn, 20.00 again"]
)
def test_a_held_bet_that_is_laid_again_is_not_taken_up(begins):
    """The record tells the same chips as a new bet."""
    assert told(tied_and_then(begins, "P 4 5  B K 8")) == []


def tied_and_then(begins: str, cards: str) -> str:
    bet = {"coup": 2, "bet": 1, "patron": "p1", "wager": "banker", "amount": 2000}
    steps = {
        "carried": f"bet-carried {json.dumps(bet)}",
        "withdrawn": 'bet-withdrawn {"coup": 2, "bet": 1}',
        "lowered": 'bet-changed {"coup": 2, "bet": 1, "amount": 500}',
        "left out": "",
        **{
            f"{amount}.00 again": "bet-placed "
            + json.dumps(bet | {"bet": 2, "amount": 100 * amount})
            for amount in (5, 20, 30)
        },
    }
    done = "\n".join(steps[step] for step in begins.split(", "))
    return f'{TIED}coup-opened {{"coup": 2}}\n{done}\nno-more-bets {{"coup": 2}}\ndeal {cards}\ndue'


CHEVAL = """
    load banque
    bare
    tableaux-bank p11 20000
    tableaux p7 cheval 1000 | 9 K; 2 4; 8 K
    coup-opened {"coup": 2}
    bank-called {"coup": 2, "amount": 20000}
    STAKE
    bet-placed {"coup": 2, "bet": 2, "patron": "p8", "wager": "right", "amount": 500, "seat": 8}
    no-more-bets {"coup": 2}
    hand-given {"coup": 2, "hand": "right", "to": "p7"}
    hand-given {"coup": 2, "hand": "left", "to": "p4"}
    tableaux-hands 3 4; 2 4; 9 K
    due
"""


CARRIED_AND_WITHDRAWN = """
    bet-carried {"coup": 2, "bet": 1, "patron": "p7", "wager": "cheval", "amount": 1000, "seat": 7}
    bet-withdrawn {"coup": 2, "bet": 1}
"""


@pytest.mark.parametrize("stake", [CARRIED_AND_WITHDRAWN, ""])
def test_a_split_stake_that_is_taken_up_is_due_what_it_would_have_lost(stake):
    """The banker's 9 beats both tableaux: the 10.00 à cheval would have been his."""
    assert told(CHEVAL.replace("STAKE", stake)) == [
        ("held-stake-taken-up", 2, 0, {"p7": 1000, "p11": -1000})
    ]


@pytest.mark.parametrize(("again", "gained"), [(1000, 0), (600, 400)])
def test_of_a_split_stake_that_is_laid_again_only_the_rest_is_missing(again, gained):
    """The banker's 9 beats both tableaux, so p7 kept what was not laid again."""
    new = {"coup": 2, "bet": 3, "patron": "p7", "wager": "cheval", "amount": again, "seat": 7}
    found = told(CHEVAL.replace("STAKE", f"bet-placed {json.dumps(new)}"))
    taken_up = [("held-stake-taken-up", 2, 0, {"p7": gained, "p11": -gained})]
    assert found == (taken_up if gained else [])


def test_a_bet_after_the_close_is_not_the_held_one():
    """p1 lays the 20.00 again only when the bets are closed: they were not at risk until then."""
    late = {"coup": 2, "bet": 1, "patron": "p1", "wager": "banker", "amount": 2000}
    shoe = f"""{TIED}
        coup-opened {{"coup": 2}}
        no-more-bets {{"coup": 2}}
        bet-placed {json.dumps(late)}
        deal P 4 5  B K 8
        due"""
    taken_up, late = sorted(told(shoe), key=lambda found: found[3]["p1"], reverse=True)
    assert taken_up == ("held-bet-taken-up", 2, -2000, {"p1": 2000})
    assert late[2:] == (2000, {"p1": -2000})


# -- Each amount worked out by hand ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("carried", "patron", "gain"),
    [
        ("+p1 player 900", "p1", 400),  # 500 lay there: 400 more won 400
        ("+p1 banker 500", "p1", -500),  # nor this, and it lost
    ],
)
def test_what_is_carried_beyond_what_lay_there_gave_what_it_won(carried, patron, gain):
    felt = Felt().ready().coup("p1 player 500 | P 4 5  B K 9").coup(f"{carried} | {PLAYER_9}")
    (found,) = [
        one for one in audit_shoe(felt.shoe).findings if one.code == "carried-bet-without-tie"
    ]
    assert (found.patron, found.money.patrons) == (patron, {patron: gain})


def test_a_banker_bet_that_a_three_card_seven_pushed_lies_there_like_one_that_tied():
    felt = Felt("ez-baccarat").ready().coup("p1 banker 500 | P K 6  B K 3 4 | B 6-7")
    assert [one.code for one in audit_shoe(felt.shoe).findings] == []
    felt.coup("+p1 banker 500 | P 4 4  B K 9")
    assert [one.code for one in audit_shoe(felt.shoe).findings] == []
    more = Felt("ez-baccarat").ready().coup("p1 banker 500 | P K 6  B K 3 4 | B 6-7")
    more.coup("+p1 banker 900 | P 4 4  B K 9")
    assert money_told(more, "carried-bet-without-tie") == [{"p1": 400}]
    lost = Felt("ez-baccarat").ready().coup("p1 player 500 | P K 6  B K 3 4 | B 6-7")
    lost.coup("+p1 player 500 | P 4 4  B K 9")
    assert money_told(lost, "carried-bet-without-tie") == [{"p1": -500}]


def test_bets_of_a_coup_that_got_no_card_may_be_carried_into_the_next():
    felt = (
        Felt("classic-8")
        .ready()
        .put(
            *(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1)),
            ev.CoupClosed(1),
        )
    )
    felt.coup("+p1 player 500 | P 4 5  B K 8")
    assert "carried-bet-without-tie" not in codes(felt.shoe)
