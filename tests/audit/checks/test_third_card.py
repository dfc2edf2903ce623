"""The rules of `checks/third_card.py`: breaches, near misses, and legal cases."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.audit.explain.due_cards import CARDS_DUE
from sabot.domain.events.commitment import order_sha256
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support import restored_cards
from tests.support.audited import codes, codes_and_coups, finish, finished, only
from tests.support.coup_notation import Felt
from tests.support.device_records import (
    device_shoe,
    verdict_on,
)
from tests.support.irregular_coups import NOTED, wrong_draw
from tests.support.money_of_findings import money, money_told
from tests.support.one_fault import own_and_explained, two_bets
from tests.support.relieved_crew import RELIEF, drawn, opened, who
from tests.support.rule_cases import Case, checks_of
from tests.support.ruled_coups import CREW, dealt, noted, staked

CASES = (
    Case(
        "player-drew-against-table",
        1,
        "coup P 2 4 K  B 3 4",
        "coup P 2 3 K  B 3 4",
    ),
    Case(
        "player-drew-against-table",
        1,
        "coup P 2 3 K  B K 9",
        "coup P 2 3 4  B K 7",
    ),
    Case(
        "player-stood-against-table",
        1,
        "coup P 2 3  B 3 4",
        "coup P 2 4  B 3 4",
    ),
    Case(
        "banker-drew-against-table",
        1,
        "coup P 2 3 8  B K 3 4",
        "coup P 2 3 9  B K 3 4",
    ),
    Case(
        "banker-drew-against-table",
        1,
        "coup P 2 4  B 3 3 4",
        "coup P 2 4  B 3 2 4",
    ),
    Case(
        "banker-stood-against-table",
        1,
        "coup P 2 3 9  B K 3",
        "coup P 2 3 8  B K 3",
    ),
    Case(
        "banker-stood-against-table",
        1,
        "coup P 2 3 6  B K 6",
        "coup P 2 3 5  B K 6",
    ),
    Case(
        "fourth-card-drawn",
        1,
        "coup P 2 3 K 4  B 3 4",
        "coup P 2 3 K  B 3 4",
    ),
    Case(
        "unreported-exposed-card",
        1,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3, "face_up": true}
        deal > B K  P 5  B 8
        due
        """,
        """
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4", "place": 3, "face_up": true}
        irregularity-noted {"kind": "card-face-up", "ruling": "play-on", "coup": 1}
        deal > B K  P 5  B 8
        due
        """,
    ),
)

BLAMED_AT = {"unreported-exposed-card": (ev.ResultCalled, ev.CoupClosed)}
"""The kinds of events by which a rule is broken, where the first event shown was right."""

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- A hand that should have drawn: by what came instead of its card -------------------------------


def test_banker_is_passed_over_by_the_call_of_the_result() -> None:
    """Player draws a four on four; ann is relieved; zoe calls the result on Banker's two."""
    felt = drawn(opened("mini", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2")
    felt = drawn(felt.put(ev.TotalsCalled(1, 4, 2)), "> P 4").put(*RELIEF)
    called = felt.put(ev.ResultCalled(1, 8, 2, "P")).events[-1]
    found = only(finish(felt), "banker-stood-against-table")
    assert (found.at_us, who(found)) == (called.at_us, ("zoe", "sid"))


def test_player_is_passed_over_by_bankers_third_card() -> None:
    """Four and two: Player is due a card, and Banker has it; who is relieved then did it."""
    felt = drawn(opened("mini", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2")
    third = drawn(felt.put(ev.TotalsCalled(1, 4, 2)), "> B 3").events[-1]
    found = only(finish(felt.put(*RELIEF)), "player-stood-against-table")
    assert (found.at_us, who(found)) == (third.at_us, ("ann", "sue"))


def test_player_is_passed_over_by_the_result_where_banker_stands_too() -> None:
    """Two and three against seven. A result that was called before the cards passes nobody over."""
    felt = opened("mini", ev.NoMoreBets(1), ev.ResultCalled(1, 5, 7, "B"))
    felt = drawn(felt, "> P 2  B K  P 3  B 7").put(ev.TotalsCalled(1, 5, 7), *RELIEF)
    called = felt.put(ev.ResultCalled(1, 5, 7, "B")).events[-1]
    found = only(felt.put(ev.CoupClosed(1)), "player-stood-against-table")
    assert (found.at_us, who(found)) == (called.at_us, ("zoe", "sid"))


@pytest.mark.parametrize("end", [ev.BetTaken(1, 1, 500), ev.CoupClosed(1), ev.CoupOpened(2)])
def test_where_no_result_is_called_the_next_step_passes_a_hand_over(end) -> None:
    felt = opened("mini", ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt = drawn(felt, "> P 2  B K  P 3  B 7").put(*RELIEF)
    at = felt.put(end).events[-1].at_us
    found = only(felt.put(ev.CoupOpened(2)), "player-stood-against-table")
    assert (found.at_us, who(found)) == (at, ("zoe", "sid"))


def test_player_is_passed_over_by_the_ruling_that_takes_its_card_away() -> None:
    """Player's third card was due, and is given to Banker."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2  P 4")
    given = felt.put(*RELIEF, ev.CardReassigned(1, "player", "banker")).events[-1]
    found = only(finish(felt), "player-stood-against-table")
    assert (found.at_us, who(found)) == (given.at_us, ("zoe", "sid"))


# -- A card that came by a ruling ------------------------------------------------------------------


TO_BANKER = ev.IrregularityNoted("wrong-draw", "card-to-banker", 1, "sue")


def given_over(cards: str) -> Felt:
    """Player's third card is given to Banker by zoe, who has relieved ann."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), cards).put(TO_BANKER, *RELIEF)
    return finish(felt.put(ev.CardReassigned(1, "player", "banker")))


def test_a_card_given_to_a_hand_that_stands_is_blamed_at_the_giving() -> None:
    """Player has six, and so has Banker, who stands against none."""
    felt = given_over("> P 2  B K  P 4  B 6  P 3")
    found = only(felt, "banker-drew-against-table")
    given = next(event for event in felt.events if isinstance(event.payload, ev.CardReassigned))
    card = next(event for event in felt.events if getattr(event.payload, "card", "") == "3")
    assert (found.at_us, who(found)) == (given.at_us, ("zoe", "sid"))
    assert found.events == (given.index, card.index)


def test_a_card_given_to_the_hand_that_it_was_due_to_is_no_breach() -> None:
    assert codes(given_over("> P 2  B K  P 4  B 5  P 3").shoe) == []


def test_a_fourth_card_that_was_given_is_blamed_at_the_giving() -> None:
    """Two against four: Player has a four and a five, the five is made Banker's fourth."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), "> P 2  B K  P K  B 4  P 4  B 2  P 5")
    given = felt.put(*RELIEF, ev.CardReassigned(1, "player", "banker")).events[-1]
    found = only(finish(felt), "fourth-card-drawn")
    assert (found.at_us, who(found)) == (given.at_us, ("zoe", "sid"))


def test_players_card_is_the_one_that_it_kept() -> None:
    """Six against two: an eight is given to Banker, then Player draws once more."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), "> P 2  B K  P 4  B 2  P 8").put(TO_BANKER)
    felt.put(ev.CardReassigned(1, "player", "banker"))
    again = drawn(felt, "> P 3").events[-1]
    assert only(finish(felt), "player-drew-against-table").events == (again.index,)


RULED = (
    pack_text("classic-8")
    + """
[limits]
ratios = [50]
displayed = true
[rulings]
wrong-draw = ["void"]
"""
)
"""Classic rules of a house that ties limits, displays them, and voids a wrong draw."""


def test_a_corrected_event_is_judged_as_it_really_happened() -> None:
    felt = Felt().ready().coup("P 2 4 K  B 3 4")
    (drew,) = audit_shoe(felt.shoe).findings
    wrong = drew.events[0]
    felt.put(ev.EventCorrected(wrong, "the card was Player's second, misread", instead=None))
    called = next(e for e in felt.shoe.history if isinstance(e.payload, ev.ResultCalled))
    assert called.payload == ev.ResultCalled(1, 6, 7, "B")
    (found,) = audit_shoe(felt.shoe).findings
    # the correction is found, and names the breach as it was recorded at first
    assert found.code == "breach-corrected-away"
    assert "player-drew-against-table" in found.message


def test_a_wrong_draw_that_nobody_ruled_on_is_two_breaches() -> None:
    passed_over = Felt(RULED).ready().coup("P 2 4 K  B 3 4").shoe
    codes = [found.code for found in audit_shoe(passed_over).findings]
    assert sorted(codes) == ["player-drew-against-table", "unreported-wrong-draw"]


def test_a_wrong_draw_that_was_noted_and_played_on_is_one() -> None:
    felt = Felt(RULED.replace('["void"]', '["play-on"]')).ready()
    felt.put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 2 4  B 3 4").cards("> P K")
    felt.put(ev.IrregularityNoted("wrong-draw", "play-on", 1))
    codes = [found.code for found in audit_shoe(finished(felt)).findings]
    assert codes == ["player-drew-against-table"]


# -- Findings that follow from another -------------------------------------------------------------


def test_a_wrong_draw_that_nobody_ruled_on_is_explained_by_the_draw():
    felt = Felt(pack_text("classic-8") + '\n[rulings]\nwrong-draw = ["void"]\n').ready()
    felt.coup("P 2 4 K  B 3 4 2")
    own, explained = own_and_explained(felt)
    assert own == ["player-drew-against-table", "banker-drew-against-table"]
    assert explained == [("unreported-wrong-draw", "player-drew-against-table")]


# -- Each amount worked out by hand ----------------------------------------------------------------


def test_a_wrong_draw_that_is_paid_wrong_tells_the_draw_and_the_payment():
    """Player drew a 3 on 6 and won 9 to 7, where Banker wins 7 to 6; 1000 were paid as 1500."""
    felt = Felt().ready().coup("p1 player 1000 | P 2 4 3  B K 7 | P 9-7 | 1 pay 1500")
    assert money_told(felt, "player-drew-against-table", "wrong-payout") == [
        {"p1": 2000},
        {"p1": 500},
    ]


def test_the_first_of_two_wrong_draws_tells_what_both_moved():
    """Player stood on 5, Banker drew a 4 on 7 and lost by 1 to 5; Player's 4 makes 9 to 7."""
    felt = Felt().ready().coup("p1 tie 100 | P 2 3  B K 7 4 | P 5-1")
    assert money_told(felt, "player-stood-against-table", "banker-drew-against-table") == [
        {},
        "counted in player-stood-against-table",
    ]
    felt = Felt().ready().coup("p1 banker 1000 | P 2 3  B K 7 4 | P 5-1")
    felt.coup("P K 9  B 2 3")
    assert money_told(felt, "player-stood-against-table", "banker-drew-against-table") == [
        {},
        "counted in player-stood-against-table",
    ]


# -- What is passed over ---------------------------------------------------------------------------


NOTED_DRAW = pack_text("classic-8") + '\n[rulings]\nwrong-draw = ["play-on"]\n'


PASSED = "unreported-wrong-draw"


def six_drew(*noted_when: tuple[str, ev.Event]) -> Shoe:
    """Six draws a three, and the coup is played to its end; this is noted then or then."""
    when = dict(noted_when)
    felt = dealt("> P 6  B 2  P K  B 4  P 3", rules=NOTED_DRAW)
    felt.put(*[when["drawn"]] if "drawn" in when else [])
    finished(felt)
    felt.put(*[when["closed"]] if "closed" in when else [])
    return felt.coup("P 4 5  B K 8", 2).shoe


def test_a_wrong_draw_is_noted_before_the_coup_is_over():
    """Source: "seen, noted and ruled on before settlement"."""
    note = noted("wrong-draw", "play-on")
    assert PASSED not in codes(six_drew(("drawn", note)))
    assert PASSED in codes(six_drew(("closed", note)))
    assert PASSED in codes(six_drew(("drawn", replace(note, by=None))))


def face_up(*when: str, by: str | None = "sue") -> Shoe:
    note = noted("card-face-up", "play-on", by=by)
    felt = staked().put(ev.CardDrawn(1, "player", "9", 3, face_up=True)).cards("> B 2  P K  B 3")
    felt.put(*[note] if "drawn" in when else [])
    finished(felt)
    felt.coup("P 4 5  B K 8", 2)
    return felt.put(*[note] if "later" in when else []).shoe


def test_a_card_face_up_is_noted_before_the_coup_is_over():
    code = "unreported-exposed-card"
    assert codes(face_up("drawn")) == []
    assert codes(face_up("later")) == [code]
    assert codes(face_up("drawn", by=None)) == [code]


def test_a_wrong_call_that_was_put_right_is_noted_before_the_next_coup():
    wrong, right = ev.ResultCalled(1, 9, 5, "B"), ev.ResultCalled(1, 9, 5, "P")
    for then, behind, found in (
        ([noted("wrong-call", "stand")], [], []),
        ([], [noted("wrong-call", "stand")], [find_rule("C103").code]),
    ):
        felt = Felt(crew=CREW).ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
        felt.cards("> P 9  B 2  P K  B 3").put(wrong, *then, right, ev.CoupClosed(1))
        assert codes(felt.coup("P 4 5  B K 8", 2).put(*behind).shoe) == found


# -- Money: each amount worked out by hand ---------------------------------------------------------


def test_a_card_that_was_not_drawn_is_the_next_of_the_shoe() -> None:
    """Player stood on 5 against 7; the next card, a 4, would have made 9."""
    felt = Felt().ready().coup("p1 player 1000 | P 2 3  B 3 4")
    stood = only(felt, "player-stood-against-table")
    assert stood.money.unknown == "the next card is not on record"
    felt.coup("P 4 5  B K 8")
    stood = only(felt, "player-stood-against-table")
    assert stood.money.patrons == {"p1": -2000}
    assert (stood.money.house, stood.money.basis, stood.money.currency) == (2000, "tableau", "EUR")


def test_a_card_burned_unseen_hides_what_would_have_come() -> None:
    felt = Felt().ready().coup("p1 player 1000 | P 2 3  B 3 4")
    felt.put(ev.CardBurned(None, 7, "relief")).coup("P 4 5  B K 8")
    stood = only(felt, "player-stood-against-table")
    assert stood.money.unknown == "the next card is not on record"


ORDER = ("Ac", "8h", *("2c", "3d", "3c", "4d"), "4h", "9s", *["Kc"] * 20)
"""An ace and a card burned by it, Player 5 against Banker 7, and the 4 that Player was due."""


@pytest.mark.parametrize("burned", [(), (ev.CardBurned(None, 7, "relief"),)])
def test_the_opened_order_of_a_shoe_tells_the_next_card(burned) -> None:
    """Player stood on 5 against 7 and lost 10.00; the 4 would have made 9."""
    felt = Felt().put(ev.ShoeShuffled("dealer"), ev.OrderCommitted(order_sha256("s", ORDER), 28))
    felt.ready().coup("p1 player 1000 | P 2 3  B 3 4").put(*burned)
    assert only(felt, "player-stood-against-table").money.unknown
    felt.put(ev.ShoeEnded(left=22 - len(burned), reason="withdrawn"), ev.OrderOpened("s", ORDER))
    assert only(felt, "player-stood-against-table").money.patrons == {"p1": -2000}
    (told,) = [each for each in explain(felt.shoe, 1).steps if each.what == CARDS_DUE]
    assert told.due.startswith("Player 2 3 4♥ = 9")


def test_an_opened_order_that_the_cards_contradict_tells_no_next_card() -> None:
    other = ("Ac", "8h", "2c", "3d", "3c", "5d", *ORDER[6:])
    felt = Felt().put(ev.ShoeShuffled("dealer"), ev.OrderCommitted(order_sha256("s", other), 28))
    felt.ready().coup("p1 player 1000 | P 2 3  B 3 4")
    felt.put(ev.ShoeEnded(left=22, reason="withdrawn"), ev.OrderOpened("s", other))
    assert only(felt, "player-stood-against-table").money.unknown


def test_a_record_of_coups_alone_does_not_know_the_next_card() -> None:
    felt = Felt(coverage="coups").ready().coup("p1 player 1000 | P 2 3  B 3 4")
    felt.coup("P 4 5  B K 8")
    assert only(felt, "player-stood-against-table").money.unknown


# -- Events of several devices ---------------------------------------------------------------------


def test_which_card_was_the_third_is_told_by_the_clocks():
    """The second reader's card comes to the log as the second of its hand; it was the third."""

    def of_two_readers(third_at: int) -> Shoe:
        return device_shoe(f"""
            terminal -20000 open
            terminal 0 call
            reader 1000 P 2
            reader 2000 B 3
            second {third_at} P K
            reader 3000 P 3
            reader 4000 B 4
            terminal 9000 result B
            terminal 9900 close
        """)

    shoe = of_two_readers(5000)
    assert shoe.coups[1].player == ["2", "K", "3"]
    assert audit_shoe(shoe).findings == []
    steps = {step.what: step for step in explain(shoe, 1).steps}
    assert steps["Player's first two"].shown == "2 3 = 2 + 3 = 5"
    assert steps["Player's third card"].shown == "drew K"
    code = "player-drew-against-table"
    assert verdict_on(shoe, code) == (0, {})
    (reason,) = verdict_on(of_two_readers(3100), code)[1]
    assert reason.startswith("the order of two events (the card) is doubtful: 100 ms apart")


# -- A card that a ruling burned -------------------------------------------------------------------


def test_a_wrong_card_that_stays_is_wrong():
    assert ("player-drew-against-table", 1) in codes_and_coups(wrong_draw(rest=""))


def test_another_card_burned_by_the_ruling_leaves_the_wrong_one_there():
    shoe = wrong_draw(NOTED, ev.CardBurned("3", 8, "ruling", 1), rest="")
    assert ("player-drew-against-table", 1) in codes_and_coups(shoe)
    assert len(shoe.left) == 2 + 6


def test_a_wrong_third_card_is_found_while_the_ruling_that_restores_it_is_not_carried_out():
    felt = restored_cards.dealt(restored_cards.WRONG_THIRD, restored_cards.RESTORE, result=(9, 5))
    assert ("player-drew-against-table", 1) in codes_and_coups(felt.shoe)


# -- The amount ------------------------------------------------------------------------------------


def test_a_third_card_that_turned_the_coup() -> None:
    """Player 6 drew a 3 and won by 9 to 7; by the tableau Banker wins 7 to 6."""
    line = "p1 player 1000, p2 banker 200 | P 2 4 3  B K 7"
    # p1 was paid 1000 and should have lost 1000; p2 lost 200 and should have won 190
    assert money(line, "player-drew-against-table") == {"p1": 2000, "p2": -390}


def test_a_third_card_that_changed_nothing() -> None:
    line = "p1 player 1000 | P 2 4 K  B 3 4"
    assert money(line, "player-drew-against-table") == {}


def test_players_wrong_card_was_bankers() -> None:
    """Player drew an ace on 6 and won 7 to 5; by the tableau Banker takes it: 6 to 6, a tie."""
    line = "p1 player 300, p2 tie 100 | P 2 4 A  B 2 3"
    # paid 300 and taken 100, where a push and 800 were due
    assert money(line, "player-drew-against-table") == {"p1": 300, "p2": -900}


def test_where_nothing_was_bet_nothing_was_lost() -> None:
    assert money("P 2 4 3  B K 7", "player-drew-against-table") == {}


# -- What a wrong card explains --------------------------------------------------------------------


def test_a_third_card_in_the_wrong_hand_explains_the_calls_of_the_hands():
    """Player's 5 goes to Banker, who takes the 9 as a fourth card. The hands are called as due."""
    felt = two_bets(
        "> P 2  B K  P 3  B 3  B 5  B 9",
        ev.ResultCalled(1, 0, 2, "B"),
        *(ev.BetTaken(1, 1, 500), ev.BetPaid(1, 2, 500), ev.CommissionCollected("p2", 25, 1, 2)),
        ev.CoupClosed(1),
    )
    stood, (fourth, called) = own_and_explained(felt)
    assert stood == ["player-stood-against-table"]
    assert (find_rule(called[0]).family, *called[1:]) == ("totals", *stood)
    assert fourth == ("fourth-card-drawn", *stood)
