"""The rules of `checks/rulings.py`: breaches, near misses, and legal cases."""

from collections import Counter
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.rulings import ruling_not_permitted
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.support.audited import codes, codes_and_coups, finished
from tests.support.bank_coups import staked
from tests.support.ceased_bets import (
    AWAY,
    MOVED,
    bet_of_500,
    moved_by,
)
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.irregular_coups import (
    BURNED,
    NOTED,
    no_bet_hand,
    taken_back,
    wrong_draw,
)
from tests.support.restored_cards import (
    PACK,
    RESTORE,
    TO_BANKER,
    WRONG_THIRD,
    dealt,
    ended,
    sorted_codes,
)
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal
from tests.support.three_bets import (
    BETS,
    codes_of_coup,
    findings_of_coup,
    noted,
    opened,
    settled,
    summed,
)

CASES = (
    Case(
        "ruling-not-permitted",
        1,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5 2  B K 8
        irregularity-noted {"kind": "wrong-draw", "ruling": "other", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        """,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5 2  B K 8
        irregularity-noted {"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "ruling-not-carried-out",
        1,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        due
        """,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "ruling-not-carried-out",
        1,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "burn-card", "coup": 1, "by": "sue"}
        due
        """,
        """
        with limits.ratios = [50]
        with limits.displayed = true
        with rulings.wrong-draw = ["void"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "misdeal", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "2", "place": 7, "reason": "ruling", "coup": 1}
        due
        """,
    ),
    # a ruling between two coups was carried out, if the card was burned first, or for the fault
    Case(
        "ruling-not-carried-out",
        2,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        coup P 4 5  B K 8
        """,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        card-burned {"place": 7, "reason": "ruling"}
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "ruling-not-carried-out",
        2,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        coup P 4 5  B K 8
        """,
        """
        load louisiana {"crew": [{"post": "dealer", "person": "ann"}]}
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        card-burned {"place": 7, "reason": "fault"}
        coup P 4 5  B K 8
        """,
    ),
)

NO_BET_HAND_AT_CHEMIN_DE_FER = """
    load chemin-de-fer
    seats p1 p2 p3
    bank p1 10000
    coup-opened {"coup": 1}
    bank-called {"coup": 1, "amount": 10000}
    bet-placed {"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 6000}
    no-more-bets {"coup": 1}
    hand-given {"coup": 1, "hand": "player", "to": "p2"}
    deal P 3 %s  B K 7
    irregularity-noted {"kind": "card-exposed", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
    coup-voided {"coup": 1}
"""
CASES += (
    # four has to draw; five may choose, so the hand is dealt to the end
    Case(
        "no-bet-hand-not-played-out",
        1,
        NO_BET_HAND_AT_CHEMIN_DE_FER % "A",
        NO_BET_HAND_AT_CHEMIN_DE_FER % "2",
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)

BLAMED_AT = {
    "no-bet-hand-not-played-out": (ev.CardBurned, ev.CoupClosed, ev.CoupVoided),
}


# -- Bets that a ruling gave back ------------------------------------------------------------------


def test_the_bets_of_a_no_bet_hand_may_be_withdrawn_or_pushed():
    assert codes_and_coups(no_bet_hand(ev.BetWithdrawn(1, 1))) == []
    assert codes_and_coups(no_bet_hand(ev.BetPushed(1, 1))) == []


def test_a_no_bet_hand_is_not_paid():
    """A stake of 500 on the winner, paid as if the hand counted: 500 too much."""
    [found] = audit_shoe(no_bet_hand(then=(ev.BetPaid(1, 1, 500),))).findings
    assert (found.code, found.coup) == ("no-bet-hand-not-played-out", 1)
    assert found.money.patrons == {"p1": 500}


@pytest.mark.parametrize(
    ("ruling", "code"),
    [
        ("return-bets", "ruling-not-carried-out"),
        ("void", "ruling-not-carried-out"),
        ("no-bet-hand", "no-bet-hand-not-played-out"),
    ],
)
def test_where_one_patron_alone_has_his_bet_back_who_was_paid_was_paid_against_the_ruling(
    ruling, code
):
    """Player wins: p2 on Banker takes his 500 back as ruled, p1 is paid his 500 all the same."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500), ev.BetPlaced(1, 2, "p2", "banker", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(ev.IrregularityNoted("other", ruling, 1, by="sue"), ev.BetWithdrawn(1, 2))
    felt.put(ev.BetPaid(1, 1, 500), ev.CoupClosed(1))
    [found] = audit_shoe(felt.shoe).findings
    assert (found.code, found.money.patrons, found.money.house) == (code, {"p1": 500}, -500)


def test_a_bet_that_was_paid_did_not_go_back():
    """Withdrawn as ruled, and paid all the same: the payment is what was against the ruling."""
    paid = taken_back("other", ev.BetWithdrawn(1, 1), after=(ev.BetPaid(1, 1, 500),))
    assert paid == [("ruling-not-carried-out", 1)]


# -- A card that a ruling burned -------------------------------------------------------------------


@pytest.mark.parametrize(
    "burned", [BURNED, ev.CardBurned("9", None, "ruling", 1), ev.CardBurned(None, 7, "ruling", 1)]
)
def test_a_wrong_card_that_was_burned_is_off_its_hand(burned):
    # six to five, Player stands, so Banker draws on five: 5 + 2 = 7 wins, 500 less 25
    shoe = wrong_draw(NOTED, burned)
    assert codes_and_coups(shoe) == []
    coup = shoe.coups[1]
    assert (coup.player, coup.banker) == (["2", "4"], ["K", "5", "2"])
    assert (coup.bets[1].paid, coup.bets[1].commission) == (500, 25)
    assert len(shoe.left) == 2 + 6
    assert codes_and_coups(wrong_draw(NOTED, burned, ev.LimitsChanged(()))) == []


def test_a_burn_that_a_ruling_asked_for_needs_no_number_of_its_coup():
    misdeal = ev.IrregularityNoted("misdeal", "burn-card", 1, "sue")
    for reason, found in (("ruling", []), ("relief", [("ruling-not-carried-out", 1)])):
        felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8")
        felt.put(misdeal, ev.CardBurned("2", 7, reason))
        assert codes_and_coups(finished(felt)) == found


# -- What is noted without the number of a coup ----------------------------------------------------


EXPOSED = ev.IrregularityNoted("card-exposed", "burn-card", by="sue")


def exposed(*behind: ev.Event, at: str) -> Shoe:
    """A card is seen between two coups, or in the second, and is to be burned (La. 42:III-3106)."""
    felt = Felt("louisiana").ready().coup("P 4 5  B K 8")
    if at == "between":
        return finished(
            felt.put(EXPOSED, *behind, ev.CoupOpened(2), ev.NoMoreBets(2)).cards(
                "> P 4  B K  P 5  B 8"
            )
        )
    felt.put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards("> P 4  B K")
    return finished(felt.put(EXPOSED, *behind).cards("> P 5  B 8"))


@pytest.mark.parametrize(("at", "place"), [("between", 7), ("within", 9)])
def test_a_card_that_is_to_be_burned_is(at, place):
    assert codes_and_coups(exposed(at=at)) == [("ruling-not-carried-out", 2)]
    assert codes_and_coups(exposed(ev.CardBurned(None, place, "ruling"), at=at)) == []
    later = Felt("louisiana").ready().coup("P 4 5  B K 8").put(EXPOSED)
    assert codes_and_coups(later.shoe) == []


LATE_BET = ("p1", "player", 700)


WON = {1: 1000, 2: -2000, 3: 500, 4: 700}
"""What the bets win by 9 to 8."""


WON_3 = {number: WON[number] for number in BETS}


RULED, NO_BET = "ruling-not-carried-out", "no-bet-hand-not-played-out"


# -- Rulings that bets go back ---------------------------------------------------------------------


@for_each(
    ("gains", "patrons", "house"),
    [
        ({1: 0, 2: -2000, 3: 0}, {"p2": -2000}, 2000),
        ({1: None, 2: -2000, 3: None}, {"p2": -2000}, 2000),
        ({1: 1000, 2: 0, 3: 500}, {"p1": 1000, "p3": 500}, -1500),
        ({1: 1000, 2: -2000, 3: 500}, {"p1": 1000, "p2": -2000, "p3": 500}, 500),
        # whatever he was paid had to go back, be it what the cards say or not
        ({1: 700, 2: 0, 3: 0}, {"p1": 700}, -700),
    ],
)
@for_each("ruling", ["return-bets", "void", "no-bet-hand"])
def test_who_was_settled_against_the_ruling_is_the_one_finding(ruling, gains, patrons, house):
    felt = opened().put(noted("misdeal", ruling), ev.ResultCalled(1, 9, 8, "P"), *settled(gains))
    [each] = findings_of_coup(felt.put(ev.CoupClosed(1)))
    assert each.code == (NO_BET if ruling == "no-bet-hand" else RULED)
    assert (each.money.patrons, each.money.house) == (patrons, house)


@pytest.mark.parametrize("ruling", ["return-bets", "no-bet-hand"])
@pytest.mark.parametrize("back", [0, None])
def test_bets_that_all_went_back_as_ruled_are_clean(ruling, back):
    felt = opened().put(noted("misdeal", ruling), *settled(dict.fromkeys(BETS, back)))
    assert codes_of_coup(felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))) == []


def test_what_goes_back_waits_for_no_result():
    """Two are pushed at once, on the ruling; the third is taken when the hand has been dealt."""
    felt = opened("> P 4  B K").put(noted("card-exposed", "no-bet-hand"), *settled({1: 0, 3: 0}))
    felt.cards("> P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"), *settled({2: -2000}))
    assert codes_of_coup(felt.put(ev.CoupClosed(1))) == [NO_BET]
    assert summed(felt) == {"p2": -2000}


def test_a_bet_that_nobody_moved_is_told_once():
    felt = opened().put(noted("misdeal", "return-bets"), ev.ResultCalled(1, 9, 8, "P"))
    felt.put(*settled({1: 0, 3: 0}), ev.CoupClosed(1))
    assert (codes_of_coup(felt), summed(felt)) == ([RULED], {})


@pytest.mark.parametrize("ruling", ["return-bets", "void", "no-bet-hand"])
def test_a_coup_that_nobody_closes_is_settled_against_the_ruling_all_the_same(ruling):
    felt = opened().put(noted("misdeal", ruling), ev.ResultCalled(1, 9, 8, "P"), *settled(WON_3))
    assert codes_of_coup(felt) == []
    felt.coup("p1 player 500 | P 4 5  B K 8", 2)
    told = NO_BET if ruling == "no-bet-hand" else RULED
    assert told in codes_of_coup(felt)
    assert len(codes_of_coup(felt)) == 2
    assert summed(felt) == {"p1": 1000, "p2": -2000, "p3": 500}


def with_late_bet(gains: dict[int, int | None]) -> Felt:
    felt = opened().put(ev.BetPlaced(1, 4, *LATE_BET), noted("late-bet", "return-bets"))
    return felt.put(ev.ResultCalled(1, 9, 8, "P"), *settled(gains), ev.CoupClosed(1))


PLACED = "past-posted-bet"


@pytest.mark.parametrize(
    ("gains", "told", "patrons"),
    [
        # the late one alone goes back
        ({**WON, 4: 0}, {PLACED}, {}),
        ({**WON, 4: None}, {PLACED}, {}),
        (WON, {PLACED, RULED}, {"p1": 700}),
        # a bet that came in time does not go back with it, unless all do
        ({**WON, 1: 0}, {PLACED, RULED, "wrong-payout"}, {"p1": -300}),
        (dict.fromkeys(WON, 0), {PLACED}, {}),
    ],
)
def test_a_ruling_on_late_bets_is_of_those(gains, told, patrons):
    felt = with_late_bet(gains)
    assert (set(codes_of_coup(felt)), summed(felt)) == (told, patrons)


def test_a_ruling_on_late_bets_gives_nothing_back_where_none_was_late():
    felt = opened().put(noted("late-bet", "return-bets"), ev.ResultCalled(1, 9, 8, "P"))
    felt.put(*settled({1: 0, 2: -2000, 3: 500}), ev.CoupClosed(1))
    assert "wrong-payout" in codes_of_coup(felt)
    assert summed(felt) == {"p1": -1000}


GAIN = st.none() | st.sampled_from([0, 0, 100]) | st.integers(-30, 30).map(lambda n: 100 * n)


@given(
    ruling=st.sampled_from(["return-bets", "void", "no-bet-hand"]),
    gains=st.lists(GAIN, min_size=4, max_size=4),
    late_one=st.booleans(),
    called=st.sampled_from("PB"),
    commission=st.none() | st.integers(1, 200),
    of_bet=st.booleans(),
)
def test_what_is_told_of_a_ruled_coup_adds_up_to_what_it_moved(
    *, ruling, gains, late_one, called, commission, of_bet
):
    """All go back: what each has of the coup in the end is what he has too much."""
    moves = dict(zip((1, 2, 3, 4)[: 3 + late_one], gains, strict=False))
    felt = opened()
    if late_one:
        felt.put(ev.BetPlaced(1, 4, *LATE_BET))
    felt.put(noted("misdeal", ruling), ev.ResultCalled(1, 9, 8, called), *settled(moves))
    truth: Counter[str] = Counter()
    for number, gain in moves.items():
        truth[{**BETS, 4: LATE_BET}[number][0]] += gain or 0
    if commission is not None:
        felt.put(ev.CommissionCollected("p2", commission, 1, 2 if of_bet else None))
        truth["p2"] -= commission
    felt.put(ev.CoupClosed(1))
    assert summed(felt) == {patron: gain for patron, gain in truth.items() if gain}


# -- Restored cards --------------------------------------------------------------------------------

NOT_DONE = "ruling-not-carried-out"


def test_a_card_that_stays_where_it_went_wrong_is_told():
    """Player's nine beats Banker's five, who draws no more; the ruling was not carried out."""
    felt = dealt(WRONG_THIRD, RESTORE, result=(9, 5))
    assert NOT_DONE in sorted_codes(felt.shoe)


def test_a_card_that_is_burned_was_not_restored():
    """Banker draws another: the burned three had been his."""
    burned = ev.CardBurned("3", 7, "ruling", 1)
    felt = dealt(WRONG_THIRD, RESTORE, burned, more="> B 2", result=(6, 7))
    assert NOT_DONE in sorted_codes(felt.shoe)


def test_a_card_that_a_correction_put_where_it_was_due_needs_no_more():
    felt = Felt(PACK).ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards(WRONG_THIRD)
    wrong = len(felt.payloads)
    felt.put(
        RESTORE,
        ev.EventCorrected(wrong, "to Banker", "sue", ev.CardDrawn(1, "banker", "3", 7)),
    )
    assert NOT_DONE not in sorted_codes(ended(felt, 6, 8).shoe)


# -- Hands that choose -----------------------------------------------------------------------------


@pytest.mark.parametrize("done", [True, False])
def test_a_card_that_another_hand_had_asked_for_is_restored_to_it(done):
    """The player stands on six; the banker asks on five, and the three goes to the player first."""
    felt = staked(("p2", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 2 4  B K 5")
    felt.put(
        bank_ev.ChoiceMade(1, "player", "stand"), bank_ev.ChoiceMade(1, "banker", "draw")
    ).cards("> P 3")
    felt.put(RESTORE, *[TO_BANKER][:done])
    result = ev.ResultCalled(1, 6, 8, "B") if done else ev.ResultCalled(1, 9, 5, "P")
    found = sorted_codes(felt.put(result).due(ev.Event).shoe)
    asked = "unrequested-third-card"
    assert found == [] if done else {NOT_DONE, asked} <= set(found)


# -- Bets that were withdrawn and settled ----------------------------------------------------------


def test_a_ruling_tells_of_its_bets_by_itself():
    ruled = ev.IrregularityNoted("other", "return-bets", 1, by="sue")
    found = moved_by(bet_of_500(AWAY[0], (ruled, *MOVED[0][0])).shoe)
    assert found == [("ruling-not-carried-out", 1, "p1", -500)]


def test_a_ruling_that_gives_a_card_to_banker_gives_none_to_player():
    noted = ev.IrregularityNoted("wrong-draw", "card-to-banker", 1, "sue")
    opened = (ev.CoupOpened(1), ev.NoMoreBets(1))

    def moves(hand, to):
        felt = Felt().ready().put(*opened).cards("P 2 5 6  B K 5").put(noted)
        felt.put(ev.CardReassigned(1, hand, to, "sue"), ev.CoupClosed(1))
        return [each.number for each in audit_shoe(felt.shoe).findings]

    assert "D107" in moves("banker", "player")
    assert "D107" not in moves("player", "banker")


NO_BET_AT_MACAO = """
    load macao-old
    seats p1 p2 p3
    banks p3 200000
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "hand", "amount": 500, "seat": 1}
    no-more-bets {"coup": 1}
    card-drawn {"coup": 1, "hand": "patron", "seat": 1, "card": "7", "place": 1}
    card-drawn {"coup": 1, "hand": "banker", "card": "8", "place": 2}
    irregularity-noted {"kind": "misdeal", "ruling": "no-bet-hand", "coup": 1, "by": "sue"}
    choice-made {"coup": 1, "hand": "patron", "seat": 1, "choice": "stand"}
    choice-made {"coup": 1, "hand": "banker", "choice": "stand"}
    hands-called {"coup": 1, "totals": [{"hand": "patron", "seat": 1, "total": 7}, {"hand": "banker", "total": 8}]}
"""  # noqa: E501 - the events of a table are as long as they are


@pytest.mark.parametrize(
    ("settled", "numbers"),
    [
        ('bet-taken {"coup": 1, "bet": 1, "amount": 500}', ["I304"]),
        ('bet-pushed {"coup": 1, "bet": 1}', []),
    ],
)
def test_a_no_bet_hand_at_macao_gives_the_bets_back(settled, numbers):
    steps = NO_BET_AT_MACAO + settled + '\ncoup-closed {"coup": 1}'
    found = audit_shoe(deal("\n".join(map(str.strip, steps.strip().splitlines())))).findings
    assert [each.number for each in found] == numbers


@pytest.mark.parametrize(("first", "found"), [("none", False), ("play-on", True)])
def test_an_irregularity_may_be_noted_first_and_ruled_on_later(first, found):
    """A wrong ruling is still a breach after a permitted one."""
    shoe = f"""
        with rulings.wrong-draw = ["void"]
        coup-opened {{"coup": 1}}
        no-more-bets {{"coup": 1}}
        deal > P 4  B K  P 2  B 7  P 5
        irregularity-noted {{"kind": "wrong-draw", "ruling": "{first}", "coup": 1, "by": "sue"}}
        irregularity-noted {{"kind": "wrong-draw", "ruling": "void", "coup": 1, "by": "sue"}}
        coup-voided {{"coup": 1}}
    """
    assert (code_of(ruling_not_permitted) in codes(deal(dedent(shoe).strip()))) is found


def test_a_card_burned_for_another_reason_may_be_the_one_that_a_ruling_asked_for():
    steps = """
    coup P 4 5  B K 8
    irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
    card-burned {"place": 7, "reason": "%s"}
    coup P 4 5  B K 8"""
    found = {
        reason: [
            each.number
            for each in audit_shoe(
                deal("\n".join(map(str.strip, (steps % reason).strip().splitlines())))
            ).findings
        ]
        for reason in ("ruling", "fault", "other", "relief")
    }
    assert found["ruling"] == found["fault"] == found["other"] == []
    assert "I304" in found["relief"]
