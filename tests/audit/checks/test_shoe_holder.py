"""Each holder of the shoe deals a coup, as far as the record shows."""

import hashlib
import json
from itertools import cycle
from textwrap import dedent

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RuleResult, audit_shoe
from sabot.domain.audit.checks.shoe_holder import (
    shoe_kept_after_loss,
    shoe_passed_as_lost_after_win,
)
from sabot.domain.audit.completeness import COUPS_MISSING
from sabot.domain.audit.rule_group import code_of
from sabot.domain.procedure.common import shoe_passes
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import parse_card
from tests.support.audited import codes, codes_and_coups, only, skipped
from tests.support.coup_notation import Felt, shoe_of
from tests.support.rule_cases import Case, checks_of
from tests.support.rule_examples import deal


def held(*payloads: ev.Event, then: tuple[ev.Event, ...] = (), number: int = 2) -> Shoe:
    """p1 deals a coup that the bank loses, and passes the shoe; p2 has it, then p3, who deals."""
    seats = tuple(ev.Seat(seat, f"p{seat}") for seat in (1, 2, 3))
    felt = Felt("france", seats=seats).ready().put(ev.ShoeTaken("p1")).coup("P 4 5  B K 8")
    felt.put(ev.ShoePassed("p1"), ev.ShoeOffered("p2"), ev.ShoeTaken("p2"), *payloads)
    felt.put(ev.ShoeOffered("p3"), ev.ShoeTaken("p3"), *then)
    return felt.coup("P 4 4  B K 9", number).shoe


CODE = "shoe-passed-without-coup"
PASSED = ev.ShoePassed("p2", "lost")


def verdict(*payloads: ev.Event, number: int = 2) -> RuleResult:
    """What the rule comes to where p2 has the shoe, and this happens until p3 has it."""
    verdicts = audit_shoe(held(*payloads, number=number)).verdicts
    return next(verdict for verdict in verdicts if verdict.code == CODE)


def result(*payloads: ev.Event, number: int = 2) -> str:
    """Whether the rule found something."""
    return verdict(*payloads, number=number).result


@pytest.mark.parametrize("end", [ev.ResultCalled(2, 9, 8, "P"), ev.CoupClosed(2), ev.CoupVoided(2)])
def test_a_coup_without_cards_on_record_was_dealt_if_it_was_called_or_came_to_an_end(end) -> None:
    assert result(ev.CoupOpened(2), end, PASSED, number=3) == "pass"


def test_a_coup_that_was_opened_alone_was_not_dealt() -> None:
    assert result(ev.CoupOpened(2), PASSED, number=2) == "fail"


def test_where_the_record_skips_a_coup_nobody_knows_that_none_was_dealt() -> None:
    assert result(PASSED, number=2) == "fail"
    skipping = verdict(PASSED, number=3)
    assert skipping.result == "pass"
    assert list(skipping.reasons) == [COUPS_MISSING]


CASES = (
    Case(
        "shoe-kept-after-loss",
        1,
        """
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        coup P 4 5  B K 8
        """,
        """
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "dealer-shoe-held-by-patron",
        None,
        """
        load mini {"crew": [{"post": "dealer", "person": "ann"}]}
        coup p1 tie 500 | P 4 5  B K 8
        shoe-taken {"by": "p1"}
        """,
        """
        load mini {"crew": [{"post": "dealer", "person": "ann"}]}
        coup p1 tie 500 | P 4 5  B K 8
        shoe-taken {"by": "ann"}
        """,
    ),
    Case(
        "shoe-passed-without-coup",
        None,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2", "reason": "left"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
    ),
    Case(
        "shoe-passed-without-coup",
        None,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2", "reason": "ruling"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
    ),
    Case(
        "shoe-passed-without-coup",
        None,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
        """
        load france
        seats p1 p2 p3
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p1"}
        shoe-offered {"to": "p2"}
        shoe-taken {"by": "p2"}
        coup-opened {"coup": 2}
        coup-voided {"coup": 2, "reason": "no stakes"}
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        coup P 4 4  B K 9
        """,
    ),
    Case(
        "shoe-offered-out-of-turn",
        None,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        """,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-taken {"by": "p3"}
        """,
    ),
    Case(
        "shoe-offered-out-of-turn",
        None,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p4"}
        shoe-taken {"by": "p4"}
        """,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-refused {"by": "p3"}
        shoe-offered {"to": "p4"}
        shoe-taken {"by": "p4"}
        """,
    ),
    Case(
        "shoe-offered-out-of-turn",
        None,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-refused {"by": "p3"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        """,
        """
        load france
        seats p1 p2 p3 p4
        shoe-taken {"by": "p2"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p2"}
        shoe-offered {"to": "p3"}
        shoe-refused {"by": "p3"}
        shoe-offered {"to": "p4"}
        shoe-refused {"by": "p4"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- Who, and when ---------------------------------------------------------------------------------


def test_who_keeps_the_shoe_is_named_and_enters_no_fingerprint() -> None:
    felt = Felt().ready().put(ev.ShoeOffered("p1"), ev.ShoeTaken("p1"))
    felt.coup("P 4 5  B K 8").coup("P 4 4  B K 9")
    found = only(felt, "shoe-kept-after-loss")
    assert found.patron == "p1"
    # the banker hand's second card showed that the bank had lost
    about = ["sabot-finding/2", found.code, "test", 1, ["card", "banker", 2], 1]
    due = json.dumps(about, separators=(",", ":"))
    assert found.fingerprint == hashlib.sha256(due.encode()).hexdigest()


def test_who_passes_the_shoe_before_a_coup_is_named_at_the_time_of_the_passing() -> None:
    felt = Felt().ready().put(ev.ShoeOffered("p1"), ev.ShoeTaken("p1"))
    felt.put(ev.ShoePassed("p1", "chosen"))
    found = only(felt, "shoe-passed-without-coup")
    assert (found.patron, found.at_us) == ("p1", felt.events[-1].at_us)


def test_the_house_may_pass_the_shoe_before_a_coup() -> None:
    for holder, found in (("house", []), ("p1", [("shoe-passed-without-coup", None)])):
        felt = Felt().ready().put(ev.ShoeTaken(holder), ev.ShoePassed(holder, "chosen"))
        assert codes_and_coups(felt.shoe) == found


# -- Who holds the shoe ----------------------------------------------------------------------------


def passed_on(*between: ev.Event) -> Shoe:
    felt = Felt().ready().put(ev.ShoeTaken("p1")).coup("P 4 5  B K 8").put(*between)
    return felt.coup("P 4 4  B K 9").shoe


def test_a_shoe_that_another_took_was_given_up():
    assert codes_and_coups(passed_on(ev.ShoeTaken("p2"))) == []
    assert codes_and_coups(passed_on(ev.ShoeTaken("p1"))) == [("shoe-kept-after-loss", 1)]


def test_the_house_deals_on_where_nobody_takes_the_shoe_and_no_crew_is_named():
    for holder, found in (("house", []), ("p1", [("shoe-kept-after-loss", 1)])):
        felt = Felt().ready().put(ev.ShoeTaken(holder)).coup("P 4 5  B K 8")
        assert codes_and_coups(felt.coup("P 4 4  B K 9").shoe) == found


def test_hands_that_the_record_lacks_in_part_lost_nothing():
    # the first coup of a record that begins in it: of its cards only the last two stand there
    felt = Felt().ready().put(ev.ShoeTaken("p1")).coup("P 2 3 4  B K 2 7").coup("P 4 4  B K 9")
    cards = [n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.CardDrawn)]
    shoe = shoe_of([*felt.payloads[cards[4] :]])
    assert codes_and_coups(shoe) == []


# -- The wrong way round the table -----------------------------------------------------------------


def passed_round(*holders: str) -> Felt:
    """Four patrons, each of whom loses the first coup that he deals."""
    felt = Felt("classic-8").ready()
    felt.put(*(ev.PatronSeated(seat, f"p{seat}") for seat in (1, 2, 3, 4)), ev.ShoeTaken("p1"))
    held = "p1"
    for holder in holders:
        felt.coup("P 4 5  B K 8").put(ev.ShoePassed(held), ev.ShoeOffered(holder))
        felt.put(ev.ShoeTaken(holder))
        held = holder
    return felt.coup("P 4 5  B K 9")


def test_a_shoe_that_goes_the_wrong_way_round_is_one_finding():
    (found,) = audit_shoe(passed_round("p2", "p3", "p4", "p1").shoe).findings
    assert (found.code, found.patron, len(found.events)) == ("shoe-offered-out-of-turn", "p2", 4)
    assert "the wrong direction, 4 times" in found.message


def test_a_shoe_that_passes_one_patron_by_is_told_as_before():
    (found,) = audit_shoe(passed_round("p4", "p2", "p1").shoe).findings
    assert (found.code, found.patron, len(found.events)) == ("shoe-offered-out-of-turn", "p2", 1)


def test_an_offer_while_a_patron_holds_the_shoe_is_not_judged():
    """p1 has passed the shoe to p4. It is offered to p2 in the middle of p4's hand."""
    felt = passed_round("p4")
    assert audit_shoe(felt.shoe).findings == []
    assert audit_shoe(felt.put(ev.ShoeOffered("p2")).shoe).findings == []
    felt.put(ev.ShoePassed("p4", "chosen"), ev.ShoeOffered("p2"))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.patron) == ("shoe-offered-out-of-turn", "p2")


# -- Findings that follow from another -------------------------------------------------------------


def test_an_offer_that_passes_by_a_newcomer_follows_from_the_seat_that_was_taken():
    """p4 sits down beside p2, where one patron may sit. p3's shoe goes to p2 and p1, not to p4."""
    record = """
        with table.per_seat = 1
        patron-seated {"seat": 1, "patron": "p1"}
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        patron-seated {"seat": 2, "patron": "p4"}
        shoe-taken {"by": "p3"}
        coup P 4 5  B K 8
        shoe-passed {"by": "p3"}
        shoe-offered {"to": "p2"}
        shoe-refused {"by": "p2"}
        shoe-offered {"to": "p1"}
    """
    found = audit_shoe(deal(dedent(record).strip())).findings
    (seat,) = [each for each in found if each.explained_by is None]
    assert (seat.code, seat.patron) == ("excess-patrons-at-seat", "p4")
    assert seat.message == "2 patrons sat at seat 2: p2 and p4"
    followed = [(each.code, each.explained_by) for each in found if each != seat]
    assert followed == [("shoe-offered-out-of-turn", seat.fingerprint)]


@pytest.mark.parametrize(
    ("places", "fails"), [((11, 12, 13, 14), False), ((7, 8, 9, 10), True)], ids=["gap", "number"]
)
def test_a_kept_shoe_is_not_judged_if_a_coup_in_between_is_missing(places, fails):
    """Coup 3 follows coup 1. Its cards follow too if only a number was skipped."""
    felt = Felt().ready().put(ev.ShoeTaken("p1")).coup("P 4 5  B K 8")
    hands = cycle(("player", "banker"))
    felt.put(ev.CoupOpened(3), ev.NoMoreBets(3))
    felt.put(*(ev.CardDrawn(3, next(hands), parse_card("4"), place) for place in places))
    code = code_of(shoe_kept_after_loss)
    assert (code in codes(felt.shoe)) is fails
    assert (COUPS_MISSING in skipped(felt.shoe, code)) is not fails


@pytest.mark.parametrize(("ruling", "passes"), [("return-bets", False), ("play-on", True)])
def test_the_shoe_is_kept_after_a_loss_whose_bets_a_ruling_returned(ruling, passes):
    lost = dedent(f"""\
            shoe-taken {{"by": "p1"}}
            coup-opened {{"coup": 1}}
            bet-placed {{"coup": 1, "bet": 1, "patron": "p2", "wager": "player", "amount": 500}}
            no-more-bets {{"coup": 1}}
            deal > P 4  B K  P 5  B 8
            irregularity-noted {{"kind": "misdeal", "ruling": "{ruling}", "coup": 1, "by": "sue"}}
            bet-pushed {{"coup": 1, "bet": 1}}
            coup-closed {{"coup": 1}}""")
    assert shoe_passes(deal(lost)) is passes
    kept = codes(deal(f"{lost}\ncoup P 4 4  B K 9"))
    assert (code_of(shoe_kept_after_loss) in kept) is passes


def test_the_last_coup_decides_whether_the_shoe_was_lost_even_if_its_cards_are_missing():
    """The bank wins coup 1 by its cards. The cards of coup 2 are not on record."""
    felt = Felt("france").ready().put(ev.ShoeTaken("p1")).coup("P 4 4  B K 9")
    felt.put(ev.CoupOpened(2), ev.ResultCalled(2, 9, 8, "P"), ev.CoupClosed(2))
    lost = code_of(shoe_passed_as_lost_after_win)
    assert lost not in codes(felt.put(ev.ShoePassed("p1", "lost")).shoe)
