"""A commitment to the order of the cards binds only as it stood before the cards."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.commitment import order_sha256
from tests.support.coup_notation import Felt

DEALT = ("Ac", "8h", "4c", "Kc", "5c", "8c", *["Qc"] * 10)
STACKED = (*DEALT[:4], "6c", *DEALT[5:])
"""The order that was committed: the 5 of clubs was dealt in place of a 6."""
BEFORE, OPENED = ev.OrderCommitted(order_sha256("s", STACKED), 16), ev.OrderOpened("s", DEALT)
AFTER = replace(BEFORE, sha256=order_sha256("s", DEALT))
ENDED = ev.ShoeEnded(left=10, reason="withdrawn")
SHUFFLED, NOTHING = ev.ShoeShuffled("dealer"), ev.RequestMade("p1", "other")


def corrected(first: ev.Event, now: ev.Event | None) -> ev.EventCorrected:
    """A correction of the third event, which was recorded after the shuffle."""
    assert first is not None
    return ev.EventCorrected(3, "misread", "carl", now)


def found(first: ev.Event, *after: ev.Event) -> list[str]:
    """Return what is found of the order, and by corrections, if this follows the only coup."""
    return found_after([first], *after)


def found_after(before: list[ev.Event], *after: ev.Event) -> list[str]:
    """As `found`, with corrections before the cards."""
    felt = Felt().put(SHUFFLED, *before).ready().coup("p1 player 500 | P 4c 5c  B Kc 8c")
    numbers = [each.number for each in audit_shoe(felt.put(*after).shoe).findings]
    return [each for each in numbers if each.startswith("R4")]


def test_the_order_that_was_committed_and_dealt():
    assert found(AFTER, ENDED, OPENED) == []


@pytest.mark.parametrize("now", [AFTER, None], ids=["other hash", "none"])
@pytest.mark.parametrize("place", [0, 1, 2], ids=["coup", "end", "opening"])
def test_a_commitment_that_is_corrected_after_the_cards_is_not_opened(now, place):
    after = [ENDED, OPENED]
    after.insert(place, corrected(BEFORE, now))
    assert found(BEFORE, *after) == ["R408"]


def test_a_commitment_that_is_corrected_before_the_cards_binds():
    felt = Felt().put(SHUFFLED, BEFORE, corrected(BEFORE, AFTER)).ready()
    felt.coup("p1 player 500 | P 4c 5c  B Kc 8c").put(ENDED, OPENED)
    assert "R408" not in {each.number for each in audit_shoe(felt.shoe).findings}


def test_a_commitment_that_is_struck_and_restored_after_the_cards_binds():
    felt = Felt().put(SHUFFLED, AFTER).ready().coup("p1 player 500 | P 4c 5c  B Kc 8c")
    struck = felt.put(corrected(AFTER, None)).events[-1].version
    felt.put(ev.EventCorrected(struck, "misread", "tom", None), ENDED, OPENED)
    assert not [each for each in audit_shoe(felt.shoe).findings if each.number.startswith("R4")]


@pytest.mark.parametrize(
    "after",
    [
        (AFTER, ENDED, OPENED),
        (ENDED, AFTER, OPENED),
        (ENDED, corrected(NOTHING, AFTER), OPENED),
    ],
    ids=["coup", "end", "correction"],
)
def test_an_order_that_is_committed_after_the_cards_proves_nothing(after):
    assert found(NOTHING, *after) == ["R409"]


def test_an_order_that_nobody_ever_committed_is_no_finding():
    assert found(NOTHING, ENDED, OPENED) == []


def test_a_second_shuffle_has_an_order_of_its_own():
    """The cards of the first order are put back, and shuffled and committed again."""
    again = ev.OrderCommitted(order_sha256("t", DEALT), 16)
    felt = Felt().put(SHUFFLED, AFTER).ready().coup("P 4c 5c  B Kc 8c").put(SHUFFLED, again)
    felt.put(ENDED, OPENED, ev.OrderOpened("t", DEALT))
    assert not {"R408", "R409"} & {each.number for each in audit_shoe(felt.shoe).findings}


def test_a_record_without_a_loading_may_lack_the_commitment():
    felt = Felt().put(SHUFFLED).ready().coup("P 4c 5c  B Kc 8c").put(ENDED, OPENED)
    shoe = Felt(coverage="coups").put(*felt.payloads[1:]).shoe
    assert "R409" not in {each.number for each in audit_shoe(shoe).findings}


@pytest.mark.parametrize(
    ("before", "late", "number"),
    [
        pytest.param([AFTER, BEFORE], [AFTER, "open"], "R408", id="put back to what was dealt"),
        pytest.param([AFTER, None], [AFTER, "open"], "R409", id="struck, then restored"),
        pytest.param([NOTHING, AFTER], [None], "R408", id="struck, then hidden"),
        pytest.param([AFTER], [replace(AFTER, cards=15)], "R408", id="another number of cards"),
    ],
)
def test_a_commitment_binds_as_it_stood_before_the_cards(before, late, number):
    """The third event, and what corrected it in time; then late corrections of it."""
    first, *in_time = before
    made = [ev.EventCorrected(3, "misread", "carl", now) for now in in_time]
    after = [
        OPENED if each == "open" else ev.EventCorrected(3, "misread", "tom", each) for each in late
    ]
    assert found_after([first, *made], *after, ENDED) == [number]


def test_a_slip_that_is_put_right_in_time_stays_right_if_a_late_correction_is_undone():
    felt = Felt().put(SHUFFLED, BEFORE, corrected(BEFORE, AFTER)).ready()
    felt.coup("p1 player 500 | P 4c 5c  B Kc 8c")
    wrong = felt.put(corrected(AFTER, BEFORE)).events[-1].version
    felt.put(ev.EventCorrected(wrong, "misread", "ann", None), ENDED, OPENED)
    assert not [each for each in audit_shoe(felt.shoe).findings if each.number.startswith("R4")]


def test_an_undone_correction_of_one_order_says_nothing_of_another():
    felt = Felt().put(SHUFFLED, AFTER).ready().coup("p1 player 500 | P 4c 5c  B Kc 8c")
    struck = felt.put(corrected(AFTER, None)).events[-1].version
    felt.put(ev.EventCorrected(struck, "misread", "tom", None), ENDED, OPENED)
    felt.put(ev.OrderOpened("z", DEALT))
    assert not [each for each in audit_shoe(felt.shoe).findings if each.number.startswith("R4")]
