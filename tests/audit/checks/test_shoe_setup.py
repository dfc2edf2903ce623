"""The rules of `checks/shoe_setup.py`: breaches, near misses, and legal cases."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from tests.support.audited import codes, only, skipped
from tests.support.coup_notation import Felt
from tests.support.relieved_crew import CREW, RELIEF, who
from tests.support.rule_cases import Case, checks_of

CASES = (
    Case(
        "wrong-opening-burn",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        burned 2
        coup P 4 5  B K 9
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        burned 1
        coup P 4 5  B K 9
        """,
    ),
    Case(
        "wrong-opening-burn",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Tc"}
        burned 9
        coup P 4 5  B K 9
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Tc"}
        burned 10
        coup P 4 5  B K 9
        """,
    ),
    Case(
        "wrong-opening-burn",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        coup-opened {"coup": 1}
        no-more-bets {"coup": 1}
        card-drawn {"coup": 1, "hand": "player", "card": "4"}
        burned 1
        card-drawn {"coup": 1, "hand": "banker", "card": "K"}
        card-drawn {"coup": 1, "hand": "player", "card": "5"}
        card-drawn {"coup": 1, "hand": "banker", "card": "8"}
        result-called {"coup": 1, "player": 9, "banker": 8, "outcome": "P"}
        due
        """,
        "coup P 4 5  B K 8",
    ),
    # a cut at the last card and one behind it
    Case(
        "missing-cut",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 416}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        burned 1
        coup P 4 5  B K 9
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 415}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac"}
        burned 1
        coup P 4 5  B K 9
        """,
    ),
    Case(
        "missing-cut",
        None,
        """
        bare
        shoe-shuffled {"by": "ann"}
        stop-card-placed {"behind": 7}
        card-burned {"card": "Ac", "place": 1}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "missing-cut",
        None,
        """
        bare
        shoe-cut {"by": "p1", "depth": 90}
        shoe-shuffled {"by": "ann"}
        ready
        coup P 4 5  B K 8
        """,
        """
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        ready
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "mid-shoe-shuffle",
        2,
        """
        coup P 4 5  B K 8
        shoe-shuffled {"by": "ann"}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        irregularity-noted {"kind": "card-exposed", "ruling": "other", "by": "sue"}
        shoe-shuffled {"by": "ann"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "mid-shoe-shuffle",
        2,
        """
        coup P 4 5  B K 8
        irregularity-noted {"kind": "wrong-call", "ruling": "stand", "coup": 1, "by": "sue"}
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        shoe-shuffled {"by": "ann"}
        irregularity-noted {"kind": "card-exposed", "ruling": "other", "by": "sue"}
        coup P 4 5  B K 8
        """,
    ),
    Case(
        "mid-shoe-shuffle",
        2,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4  B K
        shoe-shuffled {"by": "ann"}
        deal P 5  B 8
        due
        """,
        """
        coup P 4 5  B K 8
        coup-opened {"coup": 2}
        no-more-bets {"coup": 2}
        deal P 4  B K
        shuffler-failed {"serial": "SM-1", "fault": "jam"}
        shoe-shuffled {"by": "ann"}
        deal P 5  B 8
        due
        """,
    ),
    Case(
        "mid-shoe-shuffle",
        1,
        """
        shoe-shuffled {"by": "ann"}
        coup P 4 5  B K 8
        """,
        """
        coup P 4 5  B K 8
        shoe-shuffled {"by": "ann"}
        shoe-ended {"reason": "withdrawn"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


def test_a_burn_that_the_end_of_the_shoe_broke_off_is_not_short_of_cards():
    """4♣ calls for four cards more, and the shoe is withdrawn behind the first of them."""
    felt = Felt("classic-8").put(ev.ShoeShuffled("d"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(7))
    felt.put(ev.CardBurned("4c"), ev.CardBurned(None), ev.ShoeEnded(reason="fault"))
    assert audit_shoe(felt.shoe).findings == []
    felt = Felt("classic-8").put(ev.ShoeShuffled("d"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(7))
    felt.put(ev.CardBurned("Ac"), *[ev.CardBurned(None)] * 2, ev.ShoeEnded(reason="fault"))
    assert [each.code for each in audit_shoe(felt.shoe).findings] == ["wrong-opening-burn"]


# -- Every rule ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("burned", "at"), [(1, ev.CardDrawn), (3, ev.CardBurned), (0, ev.CardDrawn)]
)
def test_a_burn_goes_wrong_by_one_card_too_many_or_by_the_first_that_is_dealt(burned, at) -> None:
    """An ace asks for one more. Zoe deals from the third card on, or where the burn falls short."""
    felt = Felt("mini", crew=CREW)
    felt.put(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(15))
    cards = [ev.CardBurned("Ac", 1), ev.CardBurned(None, 2), ev.CardBurned(None, 3)][:burned]
    felt.put(*cards[:2], *RELIEF, *cards[2:]).coup("P 4 5  B K 8")
    found = only(felt, "wrong-opening-burn")
    done = next(event for event in felt.events if event.at_us == found.at_us)
    assert isinstance(done.payload, at)
    assert who(found) == ("zoe", "sid")


def test_a_shoe_that_is_taken_away_undealt_owes_no_burn() -> None:
    felt = Felt().put(ev.ShoeShuffled("d1"), ev.ShoeEnded(416, reason="fault"))
    assert felt.shoe.ended is not None
    assert "wrong-opening-burn" not in codes(felt.shoe)


def test_a_record_of_coups_without_a_card_says_nothing_of_the_burn() -> None:
    """The coups were recorded by a terminal; the cards, the burn too, by a reader that is off."""
    felt = Felt().put(ev.CoupOpened(1), ev.NoMoreBets(1), ev.ResultCalled(1, 9, 8, "P"))
    code = find_rule("S304").code
    assert code not in codes(felt.put(ev.CoupClosed(1)).shoe)
    assert skipped(felt.shoe, code) == {"no card is on record": 1}
