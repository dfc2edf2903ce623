"""The rules of `checks/end_of_shoe.py`: breaches, near misses, and legal cases."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.procedure.dealing_order import next_action
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes_and_coups, finished, only
from tests.support.coup_notation import Felt, shoe_of
from tests.support.relieved_crew import CREW, RELIEF, who
from tests.support.rule_cases import Case, checks_of
from tests.support.told_shoes import dealt, told

CASES = (
    Case(
        "wrong-cut-card-position",
        None,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        cut-card-reached
        """,
    ),
    Case(
        "wrong-cut-card-position",
        None,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 7}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "shoe-end-without-cut-card",
        None,
        """
        coup P 4 5  B K 9
        shoe-ended {"left": 410}
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        shoe-ended {"left": 198}
        """,
    ),
    # a coup is called the last, and others come behind it
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 3}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
    ),
    # where no coup is named it is the next one
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        last-coup-called
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    # put right in time: another is called so, or the call is noted as wrong
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        irregularity-noted {"kind": "wrong-call", "ruling": "stand", "by": "sue"}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        irregularity-noted {"kind": "wrong-call", "ruling": "stand", "by": "sue"}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        last-coup-called {"coup": 2}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        last-coup-called {"coup": 3}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    # the cut card comes behind the call: which coup is the last is the pack's to say then
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 201}
        ready
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4
        cut-card-reached {"drawn": 7, "coup": 2}
        last-coup-called {"coup": 3}
        deal > B K  P 5  B 8
        due
        coup P 4 5  B K 8
        """,
    ),
    # the card behind the cut card may be a burned one
    Case(
        "wrong-cut-card-position",
        None,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        card-burned {"place": 7, "card": "9c", "reason": "ruling"}
        coup P 4 5  B K 8
        cut-card-reached
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "one-more"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "by": "sue"}
        card-burned {"place": 7, "card": "9c", "reason": "ruling"}
        cut-card-reached
        coup P 4 5  B K 8
        """,
    ),
    # an earlier call of a later coup corrects nothing
    Case(
        "play-after-called-last-coup",
        3,
        """
        coup P 4 5  B K 8
        last-coup-called {"coup": 5}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        last-coup-called {"coup": 2}
        last-coup-called {"coup": 5}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
    ),
    # the cut card makes no coup the last where the pack has none
    Case(
        "play-after-called-last-coup",
        3,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "never"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        load classic-4
        with end.stop_card_most = 202
        with end.last_coup = "never"
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


DEEP = pack_text("classic-4").replace("stop_card_most = 7", "stop_card_most = 202")
"""A pack whose cut card may show after six cards: two burned, and a coup of four."""


def deep_shoe(*before: ev.Event) -> Felt:
    """A shoe whose cut card is at the mouth once the first coup has been dealt."""
    opening = (ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(202))
    return Felt(DEEP).put(*opening).ready().put(*before).coup("P 4 5  B K 8")


# -- The cut card ----------------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", [None, 6])
@pytest.mark.parametrize("cards", ["> P 4", "> P 4  B K", "> P 4  B K  P 5  B 8"])
def test_the_cut_card_may_be_told_when_the_card_behind_it_lies_there(drawn, cards):
    felt = deep_shoe().put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards(cards)
    felt.put(ev.CutCardReached(drawn))
    rest = "> P 4  B K  P 5  B 8".removeprefix(cards).strip()
    assert codes_and_coups(finished(felt.cards(f"> {rest}") if rest else felt)) == []


@pytest.mark.parametrize(
    "payload", [ev.CutCardReached(), ev.CutCardReached(6), ev.CutCardReached(6, 2)]
)
def test_it_may_be_told_when_the_coup_is_closed_and_makes_that_one_the_last(payload):
    felt = deep_shoe().coup("P 4 5  B K 8").put(payload)
    assert felt.shoe.cut_card is not None
    assert felt.shoe.cut_card.during == 2
    assert codes_and_coups(felt.shoe) == []
    one_more = felt.coup("P 4 5  B K 8").shoe
    assert codes_and_coups(one_more) == [("coup-after-last", 3)]


def test_a_coup_that_finds_it_with_its_first_card_was_called_before_it_could_be_the_last():
    felt = deep_shoe().put(ev.CoupOpened(2), ev.NoMoreBets(2), ev.CutCardReached(6))
    assert codes_and_coups(finished(felt.cards("P 4 5  B K 8"))) == []
    between = deep_shoe().put(ev.CutCardReached(6)).coup("P 4 5  B K 8").shoe
    assert codes_and_coups(between) == [("last-coup-not-called", 2)]


def test_a_record_that_lacks_the_loading_does_not_know_where_it_should_show():
    felt = deep_shoe().coup("P 4 5  B K 8").coup("P 4 5  B K 8")
    placed = next(
        n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.StopCardPlaced)
    )
    assert codes_and_coups(shoe_of(felt.payloads[placed:])) == []


def test_naming_a_later_coup_with_it_wins_no_coup_more():
    # card 7 belongs to the second coup: where the cards tell, what is said does not
    felt = deep_shoe().put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards("> P 4  B K")
    felt.put(ev.CutCardReached(6, 3)).cards("> P 5  B 8")
    finished(felt)
    assert codes_and_coups(felt.shoe) == []
    assert ("coup-after-last", 3) in codes_and_coups(felt.coup("P 4 5  B K 8").shoe)
    # nor where they do not, yet
    felt = deep_shoe().put(ev.CoupOpened(2), ev.CutCardReached(6, 3), ev.NoMoreBets(2))
    finished(felt.cards("P 4 5  B K 8"))
    assert ("coup-after-last", 3) in codes_and_coups(felt.coup("P 4 5  B K 8").shoe)


def test_a_call_without_a_number_announces_the_next_coup_and_no_later_one():
    early = deep_shoe(ev.LastCoupCalled()).put(ev.CutCardReached(6)).coup("P 4 5  B K 8")
    assert codes_and_coups(early.shoe) == [("last-coup-not-called", 2)]
    called = deep_shoe().put(ev.CutCardReached(6), ev.CoupOpened(2), ev.LastCoupCalled())
    assert codes_and_coups(finished(called.put(ev.NoMoreBets(2)).cards("P 4 5  B K 8"))) == []


DEEP_SHOE = """
    load classic-4
    with end.stop_card_most = 202
    bare
    shoe-shuffled {"by": "ann"}
    shoe-cut {"by": "p1", "depth": 90}
    stop-card-placed {"behind": 202}
    ready
    coup P 4 5  B K 8
"""
LAST_AND_NEXT = """
    last-coup-called {"coup": 3}
    coup P 4 5  B K 8
    coup P 4 5  B K 8
"""


@pytest.mark.parametrize(
    "undealt",
    [
        """
        coup-opened {"coup": 2}
        cut-card-reached {"drawn": 6}
        coup-voided {"coup": 2, "by": "sue"}
        """,
        """
        cut-card-reached {"drawn": 6}
        coup-opened {"coup": 2}
        coup-voided {"coup": 2, "by": "sue"}
        """,
        """
        cut-card-reached {"drawn": 6}
        coup-opened {"coup": 2}
        coup-closed {"coup": 2}
        """,
    ],
)
def test_a_coup_that_ended_without_a_card_is_not_the_last(undealt):
    found = told(DEEP_SHOE + undealt + LAST_AND_NEXT)
    assert found == [("coup-after-last", 4, None, {})]


def test_the_next_coup_is_called_the_last_if_the_last_one_got_no_card():
    called_off = """
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup-opened {"coup": 2}
        coup-voided {"coup": 2, "by": "sue"}
    """
    shoe = dealt(DEEP_SHOE + called_off)
    assert next_action(shoe).payload == ev.LastCoupCalled(3)
    assert told(DEEP_SHOE + called_off + LAST_AND_NEXT) == [("coup-after-last", 4, None, {})]


def test_a_coup_whose_only_card_was_burned_was_dealt_after_the_last():
    shoe = dealt(
        DEEP_SHOE
        + """
        cut-card-reached {"drawn": 6}
        last-coup-called {"coup": 2}
        coup P 4 5  B K 8
        coup-opened {"coup": 3}
        no-more-bets {"coup": 3}
        deal > P 4
        irregularity-noted {"kind": "card-exposed", "ruling": "burn-card", "coup": 3, "by": "sue"}
        card-burned {"card": "4", "place": 11, "reason": "ruling", "coup": 3}
        irregularity-noted {"kind": "misdeal", "ruling": "void", "coup": 3, "by": "sue"}
        coup-voided {"coup": 3, "by": "sue"}
        """
    )
    (found,) = audit_shoe(shoe).findings
    (drawn, _burned), *_ = shoe.coups[3].removed_cards
    assert (found.code, found.coup) == ("coup-after-last", 3)
    assert drawn.index in found.events


def test_it_is_not_told_two_coups_late():
    felt = deep_shoe().coup("P 4 5  B K 8").coup("P 4 5  B K 8").put(ev.CutCardReached())
    assert ("wrong-cut-card-position", None) in codes_and_coups(felt.shoe)


# -- Cards and the cut card ------------------------------------------------------------------------


def test_the_cut_card_shows_in_the_wrong_place_when_it_shows() -> None:
    deep = pack_text("mini").replace("stop_card_most = 16", "stop_card_most = 402")
    assert "402" in deep
    felt = Felt(deep, crew=CREW).put(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90))
    felt.put(ev.StopCardPlaced(402)).ready().coup("P 4 5  B K 8").put(*RELIEF)
    shown = felt.put(ev.CutCardReached(len(felt.shoe.left))).events[-1]
    found = only(felt, "wrong-cut-card-position")
    assert (found.at_us, who(found)) == (shown.at_us, ("zoe", "sid"))


def test_a_cut_card_that_showed_after_the_end_of_the_shoe_is_named_as_late() -> None:
    felt = Felt("classic-8").ready().coup("P 4 5  B K 8")
    felt.put(ev.ShoeEnded(410), ev.CutCardReached(6))
    found = only(felt, "shoe-end-without-cut-card")
    assert found.message == "the shoe ended by the cut card, which appeared later"
