"""The rules of `checks/voids.py`: breaches, near misses, and legal cases."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.audit.checks.voids import unfinished_coup_not_voided
from sabot.domain.audit.rule_group import code_of
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from tests.support import own_hand_coups
from tests.support.audited import codes, codes_and_coups, finished
from tests.support.coup_notation import Felt
from tests.support.irregular_coups import undealt
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import CHEMIN, told

CASES = (
    Case(
        "play-after-shuffler-fault",
        1,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        shuffler-failed {"coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1}
        due
        """,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        shuffler-failed {"coup": 1, "disadvantage": true}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "return-bets", "coup": 1}
        coup-voided {"coup": 1}
        """,
    ),
    Case(
        "unjustified-void",
        1,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "carl"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "other", "ruling": "void", "coup": 1, "by": "sue"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
    ),
    # the caller is relieved after the result, and voids the coup on his own word
    Case(
        "unjustified-void",
        1,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        crew-changed {"post": "caller", "person": "zoe"}
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "carl"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        crew-changed {"post": "caller", "person": "zoe"}
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        result-called {"coup": 1, "outcome": "P"}
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "carl"}
        coup-voided {"coup": 1, "by": "carl"}
        """,
    ),
    # a patron rules before the result, and there is no supervisor
    Case(
        "unjustified-void",
        1,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "p1"}
        coup-voided {"coup": 1, "by": "p1"}
        """,
        """
        patron-seated {"seat": 1, "patron": "p1"}
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "void", "coup": 1, "by": "p1"}
        coup-voided {"coup": 1, "by": "sue"}
        """,
    ),
    # a patron calls a coup off before its first card
    Case(
        "unjustified-void",
        1,
        """
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        coup-voided {"coup": 1, "by": "p1"}
        """,
        """
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        coup-voided {"coup": 1, "by": "sue"}
        """,
    ),
    # the shuffler has two harmful faults, and a card is dealt after the last, or only between them
    Case(
        "unjustified-void",
        1,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
        shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
        deal > P 4
        coup-voided {"coup": 1}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        """,
        """
        with rulings.shuffler-fault = ["return-bets", "play-on"]
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
        deal > P 4
        shuffler-failed {"fault": "two cards at once", "coup": 1, "disadvantage": true}
        coup-voided {"coup": 1}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "play-on", "coup": 1, "by": "sue"}
        """,
    ),
    # the shuffler had a fault in another coup
    Case(
        "unjustified-void",
        2,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        shuffler-failed {"fault": "jam"}
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        result-called {"coup": 2, "outcome": "P"}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "void", "coup": 2, "by": "carl"}
        coup-voided {"coup": 2, "by": "carl"}
        """,
        """
        load classic-8 {"crew": [
        {"post": "caller", "person": "carl"}, {"post": "supervisor", "person": "sue"}]}
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4 5  B K 8
        shuffler-failed {"fault": "jam"}
        result-called {"coup": 2, "outcome": "P"}
        irregularity-noted {"kind": "shuffler-fault", "ruling": "void", "coup": 2, "by": "carl"}
        coup-voided {"coup": 2, "by": "carl"}
        """,
    ),
    Case(
        "unfinished-coup-not-voided",
        2,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        """,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        bet-placed {"coup": 2, "bet": 1, "patron": "p1", "wager": "player", "amount": 500}
        bet-withdrawn {"coup": 2, "bet": 1}
        shoe-ended {"left": 410, "reason": "withdrawn"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A coup that nobody bets on, and that is not dealt ---------------------------------------------


@pytest.mark.parametrize("end", [ev.CoupClosed(1), ev.CoupVoided(1)])
def test_a_coup_without_a_bet_may_end_undealt(end):
    assert codes_and_coups(undealt(end)) == []
    assert codes_and_coups(undealt(ev.NoMoreBets(1), end)) == []
    staked = (ev.BetPlaced(1, 1, "p1", "tie", 500), ev.BetWithdrawn(1, 1))
    assert codes_and_coups(undealt(*staked, end)) == []


def test_a_coup_with_a_bet_may_not():
    staked = ev.BetPlaced(1, 1, "p1", "tie", 500)
    assert codes_and_coups(undealt(staked, ev.CoupVoided(1))) == [("unjustified-void", 1)]
    assert set(codes_and_coups(undealt(staked, ev.CoupClosed(1)))) == {
        ("coup-short-of-cards", 1),
        ("unsettled-bet", 1),
    }


def test_a_coup_may_be_called_off_before_its_first_card_by_somebody_who_answers_for_it():
    staked = ev.BetPlaced(1, 1, "p1", "tie", 500)
    called_off = ev.CoupVoided(1, "fire alarm", by="sue")
    assert codes_and_coups(undealt(staked, called_off)) == []
    assert codes_and_coups(undealt(staked, ev.NoMoreBets(1), called_off)) == []
    dealt = Felt().ready().put(ev.CoupOpened(1), staked, ev.NoMoreBets(1)).cards("> P 4")
    dealt.put(called_off)
    assert codes_and_coups(dealt.coup("P 4 5  B K 8", 2).shoe) == [("unjustified-void", 1)]


# -- A coup that is voided without a reason --------------------------------------------------------


CALLED = """
    choice-made {"coup": 1, "hand": "player", "choice": "stand", "by": "p2"}
    card-turned {"coup": 1, "hand": "player", "nth": 1}
    card-turned {"coup": 1, "hand": "player", "nth": 2}
    card-turned {"coup": 1, "hand": "banker", "nth": 1}
    card-turned {"coup": 1, "hand": "banker", "nth": 2}
    result-called {"coup": 1, "player": PT, "banker": BT, "outcome": "OUT"}
"""


def called(player: int, banker: int, outcome: str) -> str:
    """Return the events of two hands that are turned and called; only a natural needs no choice."""
    lines = CALLED.replace("PT", f"{player}").replace("BT", f"{banker}").replace("OUT", outcome)
    return lines.replace(lines.strip().splitlines()[0], "") if max(player, banker) > 7 else lines


@pytest.mark.parametrize(
    ("cards", "calls", "house", "patrons"),
    [
        # the bank won 45.00, less 5 % for the house, to the nearest 0.10
        ("P 4 2  B K 9", called(6, 9, "B"), -230, {"p1": -4270, "p2": 2500, "p3": 2000}),
        # the bank lost 45.00
        ("P 4 4  B K 6", called(8, 6, "P"), 0, {"p1": 4500, "p2": -2500, "p3": -2000}),
    ],
)
def test_a_void_costs_what_the_called_hands_would_have_won(cards, calls, house, patrons):
    shoe = f'{CHEMIN}deal {cards}\n{calls}coup-voided {{"coup": 1, "by": "sue"}}'
    levied = shoe.replace("load chemin-de-fer", "load chemin-de-fer-france")
    assert told(levied) == [("unjustified-void", 1, house, patrons)]


def test_a_void_before_the_call_costs_what_nobody_knows():
    """Player may still draw on 5."""
    shoe = f'{CHEMIN}deal P 3 2  B K 7\ncoup-voided {{"coup": 1, "by": "sue"}}'
    assert told(shoe) == [("unjustified-void", 1, None, {})]


def test_a_void_after_a_wrong_draw_costs_what_nobody_knows():
    """Player drew a ten on 7, where he stands: what is due then is a ruling."""
    end = f'{called(7, 6, "P")}coup-voided {{"coup": 1, "by": "sue"}}'
    assert ("unjustified-void", 1, None, {}) in told(f"{CHEMIN}deal P 4 3 K  B K 6\n{end}")


def test_a_void_at_macao_costs_what_each_hand_would_have_won():
    """Seat 2 won 10.00 with 7 against 6, and seat 1 lost 5.00 with 4."""
    felt = own_hand_coups.deal(own_hand_coups.table(), "2 1000, 1 500 | 2: 7; 1: 4; B: 6")
    while (due := next_action(felt.shoe)).expects != "settle":
        assert due.payload is not None
        felt.put(due.payload)
    felt.put(ev.CoupVoided(1, by="sue"))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.money.house) == ("unjustified-void", 0)
    assert found.money.patrons == {"p1": 500, "p2": -1000, "p3": 500}


RETURN = ev.IrregularityNoted("shuffler-fault", "return-bets", 1, "sue")


FAILED = ev.ShufflerFailed(fault="jam", disadvantage=True, coup=1)


HARMLESS = ev.ShufflerFailed(fault="jam", disadvantage=False, coup=1)


VOID = ev.CoupVoided(1, "the shuffler jammed", "sue")


BACK = (ev.BetPushed(1, 1), ev.CoupClosed(1))


WON_9_TO_8 = ev.ResultCalled(1, 9, 8, "P")


NOT_NOTED = "unreported-shuffler-fault"


NO_REASON = "unjustified-void"


WENT_ON = "play-after-shuffler-fault"


def after(cards: str, *then: ev.Event) -> Shoe:
    """A bet of 5.00 on Player, some cards, and what happened then; another coup follows."""
    felt = Felt("nsw", crew=(ev.Crew("dealer", "ann"),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1), ev.NoMoreBets(1))
    return felt.cards(cards).put(*then).coup("P 4 5  B K 8", 2).shoe


@pytest.mark.parametrize("back", [ev.BetPushed(1, 1), ev.BetWithdrawn(1, 1)])
@pytest.mark.parametrize("cards", ["> P 4  B K", "P 4 5  B K 8"])
def test_a_coup_that_ended_on_a_fault_and_whose_bets_went_back_was_ended_as_is_due(cards, back):
    assert codes(after(cards, FAILED, RETURN, back, ev.CoupClosed(1))) == []


def test_a_coup_of_which_a_bet_stays_did_not_end():
    """It is closed on two cards, and nobody called a result."""
    found = codes(after("> P 4  B K", FAILED, RETURN, ev.CoupClosed(1)))
    assert {WENT_ON, "coup-short-of-cards", "result-not-called"} <= set(found)
    assert "ruling-not-carried-out" in found


def test_a_coup_does_not_end_on_a_fault_after_its_close():
    over = (WON_9_TO_8, ev.BetPaid(1, 1, 500), ev.CoupClosed(1))
    noted = ev.IrregularityNoted("shuffler-fault", "play-on", 1, "sue")
    assert codes(after("P 4 5  B K 8", *over, FAILED, noted)) == []
    assert codes(after("P 4 5  B K 8", FAILED, *over, noted)) == [WENT_ON]


def test_bets_that_went_back_without_a_ruling_end_no_coup():
    assert WENT_ON in codes(after("> P 4  B K", FAILED, *BACK))


def test_the_fault_is_the_reason_of_a_void_that_nobody_noted():
    assert codes(after("> P 4  B K", FAILED, VOID)) == [NOT_NOTED]
    assert codes(after("> P 4  B K", FAILED, RETURN, VOID)) == []


@pytest.mark.parametrize(
    "shoe",
    [
        # nobody was worse off
        after("> P 4  B K", HARMLESS, VOID),
        # Player had won by then
        after("P 4 5  B K 8", WON_9_TO_8, FAILED, VOID),
        # the coup went on until he had won
        after("P 4 5  B K 8", FAILED, WON_9_TO_8, VOID),
    ],
    ids=["harmless", "behind the result", "not at once"],
)
def test_a_fault_is_no_reason_where_it_did_not_end_the_coup(shoe):
    assert NO_REASON in codes(shoe)


def test_a_fault_is_no_reason_where_cards_were_dealt_on():
    felt = Felt("nsw").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500, 1), ev.NoMoreBets(1))
    felt.cards("> P 4  B K").put(FAILED).cards("> P 5  B 8").put(VOID)
    assert NO_REASON in codes(felt.shoe)


# -- A fault of the shuffler -----------------------------------------------------------------------


def machine_failed(*noted: ev.Event, void: bool = False) -> Shoe:
    """The machine fails to somebody's disadvantage in a coup whose number it does not know."""
    felt = Felt("nsw").ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K")
    felt.put(ev.ShufflerFailed(fault="jam", disadvantage=True), *noted)
    if void:
        return felt.put(ev.CoupVoided(1)).coup("P 4 5  B K 8", 2).shoe
    return finished(felt.cards("> P 5  B 8"))


def test_a_machine_does_not_know_the_number_of_the_coup():
    """NSW 12.4: the coup ends and its bets are returned."""
    noted = ev.IrregularityNoted("shuffler-fault", "play-on", 1, "sue")
    assert codes_and_coups(machine_failed(noted)) == [("play-after-shuffler-fault", 1)]
    ended = ev.IrregularityNoted("shuffler-fault", "return-bets", 1, "sue")
    assert codes_and_coups(machine_failed(ended, void=True)) == []
    between = (
        Felt("nsw")
        .ready()
        .coup("P 4 5  B K 8")
        .put(ev.ShufflerFailed(fault="jam", disadvantage=True), replace(noted, coup=None))
    )
    assert codes_and_coups(between.coup("P 4 5  B K 8", 2).shoe) == []


@pytest.mark.parametrize(
    "lines",
    [
        """
        no-more-bets {"coup": 1}
        deal > P 4
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "4", "place": 3, "reason": "ruling", "coup": 1}
        """,
        """
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "banker", "amount": 500}
        no-more-bets {"coup": 1}
        bet-pushed {"coup": 1, "bet": 1}
        """,
    ],
)
def test_a_coup_with_a_burned_card_or_a_settled_bet_has_to_be_ended(lines):
    shoe = f'coup-opened {{"coup": 1}}{lines}'
    ended = 'shoe-ended {"left": 413, "reason": "withdrawn"}'
    assert code_of(unfinished_coup_not_voided) in {code for code, *_ in told(shoe + ended)}
    closed = shoe + 'coup-closed {"coup": 1}\n' + ended
    assert code_of(unfinished_coup_not_voided) not in {code for code, *_ in told(closed)}


def test_a_coup_whose_only_card_was_burned_has_to_be_ended_before_the_next():
    shoe = """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        deal > P 4
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 1, "by": "sue"}
        card-burned {"card": "4", "place": 3, "reason": "ruling", "coup": 1}
        coup-opened {"coup": 2}
    """
    assert [code for code, *_ in told(shoe)] == [find_rule("Q101").code]
