"""Corrections made after faces were seen raise no mean above 1."""

from fractions import Fraction
from itertools import product

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from tests.support.coup_notation import loaded
from tests.support.every_order import HIGH, face_up, means
from tests.support.thorough import a_part, slow


def corrected(when, by, bad):
    """He bets on Banker; the record is corrected after this first card: at once, or in the end."""

    def script(deal):
        deal.open()

        def correct(values, told):
            if len(values) == when and values[0] == bad:
                deal.tell(ev.EventCorrected(told[1], "misheard", "boss", by))

        values, told = face_up(deal, 1, [("p", "banker", 100)], between=correct if when else None)
        if not when and values[0] == bad:
            deal.tell(ev.EventCorrected(told[1], "misheard", "boss", by))

    return script


MENDED = {
    "the other side": ev.BetPlaced(1, 1, "p", "player", 100),
    "another's": ev.BetPlaced(1, 1, "q", "player", 100),
    "more": ev.BetPlaced(1, 1, "p", "banker", 900),
    "nothing": None,
}


@pytest.mark.parametrize("afterwards", [False, True])
@pytest.mark.parametrize("when", [0, 1, 4])
@pytest.mark.parametrize("by", MENDED.values(), ids=MENDED.keys())
def test_a_bet_that_was_corrected_after_a_face_counts_as_it_stood(by, when, afterwards):
    """What it said for him stands, as after the high card here; what it said against him does not.

    A correction before the next coup still concerns the coup before it.
    """
    found = means(corrected(when, by, 9), HIGH, accounts="side bold", afterwards=afterwards)
    assert found["patron", "p"] == 1
    assert set(found.values()) == {1}
    found = means(corrected(when, by, 0), HIGH, accounts="side bold", afterwards=afterwards)
    assert found["patron", "p"] < 1
    assert max(found.values()) <= 1


def test_with_every_account_too():
    shoe = "KKKKKKK99AA"
    (mean,) = means(corrected(0, MENDED["the other side"], 9), shoe, afterwards=True).values()
    assert Fraction(9, 10) < mean <= 1


@pytest.mark.parametrize("afterwards", [False, True])
def test_whom_a_correction_puts_in_the_dealer_s_place_or_in_a_seat_was_not_there(afterwards):
    """After a bad first card the record says that another dealt, and that he had left."""

    def script(deal):
        deal.open(crew=(), seats=())
        dealt = deal.tell(ev.CrewChanged("dealer", "dora"))
        seated = deal.tell(ev.PatronSeated(1, "p"))
        values, _ = face_up(deal, 1, [("p", "player", 100)])
        if values[0] == 0:
            deal.tell(
                ev.EventCorrected(dealt, "wrong name", "boss", ev.CrewChanged("dealer", "dan"))
            )
            deal.tell(ev.EventCorrected(seated, "was gone", "boss", None))
        face_up(deal, 2, [("q", "banker", 100)])

    found = means(script, "KKKKKKKKK999", accounts="side bold size", afterwards=afterwards)
    assert found["dealer", "dora"] == 1
    assert found["patron", "p"] == 1
    assert set(found.values()) == {1}


@slow
@pytest.mark.parametrize(
    ("by", "afterwards"), a_part(product(["chemin-de-fer", "france", ""], [False, True]), of=5)
)
def test_under_which_pack_a_shoe_is_said_to_have_been_loaded_after_a_face_moves_no_mean(
    by, afterwards
):
    """After a bad first card it was another game, or cards came face down, or it never was."""

    def script(deal):
        deal.open()
        values, _ = face_up(deal, 1, [("p", "player", 100)])
        if values[0] == 0:
            told, other = loaded("classic-8"), loaded(by or "classic-8")
            pack = replace(told, pack=other.pack, pack_sha256=other.pack_sha256)
            mended = pack if by else None
            deal.tell(ev.EventCorrected(1, "wrong pack", "boss", mended))
        face_up(deal, 2, [("p", "player", 100)])

    found = means(script, "KKKKKKKK9999", accounts="side", afterwards=afterwards)
    assert set(found.values()) == {1}
