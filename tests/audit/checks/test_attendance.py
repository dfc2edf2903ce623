"""A patron is taken for gone, and a wrong note of it is one finding."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.audit.checks.attendance import bet_after_leaving
from sabot.domain.audit.live import LiveAudit
from sabot.domain.audit.rule_group import code_of
from sabot.domain.procedure.preconditions import violation
from sabot.domain.state.shoe import Shoe
from tests.support import bank_coups, own_hand_coups, tableaux_coups
from tests.support.audited import finish
from tests.support.ceased_bets import moved_by
from tests.support.coup_notation import Felt
from tests.support.one_fault import own_and_explained
from tests.support.rule_examples import deal
from tests.support.told_shoes import dealt

# -- A person under another spelling ---------------------------------------------------------------

CREW = (ev.Crew("caller", "carl k"), ev.Crew("supervisor", "sue"))
SPELLINGS = ("Carl K", " carl  k", "ＣＡＲＬ　Ｋ")  # noqa: RUF001 - letters of full width


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_caller_who_bets_under_another_spelling_is_found(name):
    felt = Felt(crew=CREW).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, name, "player", 500), ev.NoMoreBets(1))
    shoe = finish(felt.cards("P 4 5  B K 8")).shoe
    assert moved_by(shoe) == [(find_rule("B214").code, 1, name, -500)]


@pytest.mark.parametrize("name", SPELLINGS)
def test_a_caller_who_voids_a_coup_under_another_spelling_is_alone(name):
    """The result has been called, and p1's 5.00 on Banker are lost."""
    felt = Felt(crew=CREW).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500), ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(ev.IrregularityNoted("card-exposed", "void", 1, by=name), ev.CoupVoided(1, by=name))
    assert moved_by(felt.shoe) == [(find_rule("I305").code, 1, "p1", -500)]


# -- A departure that nobody took back -------------------------------------------------------------


def test_bets_after_one_departure_are_one_finding():
    """P1 is noted as gone, bets in three coups and loses 5.00 in each."""
    shoe = deal(
        'patron-seated {"seat": 1, "patron": "p1"}\npatron-left {"patron": "p1"}\n'
        + "coup p1 player 500 | P 4 2  B K 8\n" * 3
    )
    (found,) = audit_shoe(shoe).findings
    assert (found.code, found.coup, found.patron) == ("bet-after-leaving", 1, "p1")
    assert found.message.endswith("and 2 more like it, in coups 1 to 3")
    assert (found.money.house, found.money.patrons) == (1500, {"p1": -1500})
    assert len(found.events) == 4


def chemin_de_fer(pack):
    """P1 banks, and p2 loses 5.00."""
    felt = bank_coups.table(pack=pack).put(ev.PatronLeft("p2"))
    return felt.coup("p2 player 500 | P 4 2  B K 9"), "p1"


def own_hand(pack):
    """P3 banks, and p2 loses 5.00."""
    felt = own_hand_coups.table(pack).put(ev.PatronLeft("p2"))
    cards = "2: 4 3; B: 4 4" if pack == "victoria" else "2: 4; B: 6"
    return own_hand_coups.play(felt, f"2 500 | {cards}"), "p3"


def two_tableaux(pack):
    """P11 banks, and p2 loses 5.00."""
    felt = tableaux_coups.table(pack).put(ev.PatronLeft("p2"))
    return tableaux_coups.play(felt, "p2 left 500 | 3 4; 2 4; 9 K"), "p11"


@pytest.mark.parametrize(
    ("pack", "coup"),
    [
        ("chemin-de-fer", chemin_de_fer),
        ("chemin-de-fer-france", chemin_de_fer),
        ("macao-old", own_hand),
        ("macao-later", own_hand),
        ("victoria", own_hand),
        ("banque", two_tableaux),
        ("banque-list", two_tableaux),
        ("deux-tableaux-france", two_tableaux),
    ],
)
def test_a_bet_after_leaving_against_a_bank_is_a_finding_with_its_money(pack, coup):
    felt, banker = coup(pack)
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup, found.patron) == ("bet-after-leaving", 1, "p2")
    assert found.money.patrons["p2"] == -500
    assert found.money.patrons[banker] + (found.money.house or 0) == 500


def test_cards_moved_by_a_missing_burn_are_explained_by_the_burn():
    """The order begins with the 3 of clubs, which is not on record; no other card changed."""
    felt = deal(
        "bare\ncommitted 3c 2c 2d 2h 4c Kc 5c 8c\n"
        'shoe-shuffled {"by": "ann"}\nshoe-cut {"by": "p1", "depth": 90}\n'
        'stop-card-placed {"behind": 7}\n'
        + "card-burned\n" * 3
        + "coup P 4c 5c  B Kc 8c\n"
        + 'shoe-ended {"left": 408, "reason": "withdrawn"}\nopened 3c 2c 2d 2h 4c Kc 5c 8c\n'
    )
    own, pairs = own_and_explained(felt)
    assert "card-order-mismatch" not in own
    assert ("card-order-mismatch", "wrong-opening-burn") in pairs


def test_bets_after_a_return_and_a_second_departure_are_another_finding():
    gone = 'patron-left {"patron": "p1"}\ncoup p1 player 500 | P 4 5  B K 8\n'
    shoe = deal(('patron-seated {"seat": 1, "patron": "p1"}\n' + gone) * 2)
    assert [(each.code, each.coup) for each in audit_shoe(shoe).findings] == [
        ("bet-after-leaving", 1),
        ("bet-after-leaving", 2),
    ]


def test_a_follower_is_told_of_later_bets_as_a_change_of_the_finding():
    shoe = deal(
        'patron-seated {"seat": 1, "patron": "p1"}\npatron-left {"patron": "p1"}\n'
        + "coup p1 player 500 | P 4 5  B K 8\n" * 4
    )
    live = LiveAudit(Shoe(shoe.stream))
    told = []
    for event in shoe.history:
        live.add(event)
        told += [(each.told, each.finding.code) for each in live.changes()]
    assert told[0] == ("found", "bet-after-leaving")
    assert {code for _, code in told} == {"bet-after-leaving"}
    assert [each for each, _ in told].count("found") == 1
    assert live.standing.findings == audit_shoe(shoe).findings


AWAY = code_of(bet_after_leaving)
RAISED = """
    patron-seated {"seat": 1, "patron": "p1"}
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
    patron-left {"patron": "p1"}
"""


def test_a_bet_that_is_raised_after_leaving_is_a_finding_with_the_money_of_the_raise():
    """P1 loses 9.00 instead of 5.00."""
    shoe = dealt(f"""{RAISED}
        bet-changed {{"coup": 1, "bet": 1, "amount": 900}}
        no-more-bets {{"coup": 1}}
        deal > P 4  B K  P 3  B 8
        due
    """)
    assert moved_by(shoe) == [(AWAY, 1, "p1", 400)]
    (found,) = audit_shoe(shoe).findings
    assert "who had bet 5.00 EUR and left, bet 9.00 EUR on Player" in found.message


@pytest.mark.parametrize(("amount", "refused"), [(900, True), (400, False)])
def test_dealing_refuses_the_raise_of_a_patron_who_left(amount, refused):
    said = violation(dealt(RAISED), ev.BetChanged(1, 1, amount))
    assert (said is not None) is refused
    if said is not None:
        assert said.rule == find_rule(AWAY).number
