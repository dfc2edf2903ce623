"""People who come, go or are corrected raise no mean above 1.

What is chosen by faces that were seen: where a patron plays next, who is said to have sat, dealt or
bet where, and with what the shoe is said to have been loaded.
"""

from itertools import product

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.subjects import Plan
from tests.support.coup_notation import loaded
from tests.support.every_order import face_up, means
from tests.support.thorough import a_part, slow

SHOE = "KKKK99"
CARDS = "side bold size"


def evening(second, *, over, name="T"):
    """A coup of one shoe, then one of another; ``second`` bets by the values of the first."""

    def script(deal):
        deal.open("S", table="T1")
        values, _ = face_up(deal, 1, [("p", "player", 100)])
        if over(values):
            deal.tell(ev.ShoeEnded())
        deal.open(name, table="T1")
        bets = second(values)
        if bets is not None:
            face_up(deal, 1, bets, name=name)
        deal.tell(ev.ShoeEnded(), name)

    return script


NEXT = {
    "the side that won": lambda values: [("p", "player" if values[0] == 9 else "banker", 100)],
    "more after a bad card": lambda values: [("p", "player", 100 if values[0] == 9 else 900)],
    "stays away after a bad card": lambda values: [("p", "player", 100)] if values[0] == 9 else [],
    "another in his place": lambda values: [("p" if values[0] == 9 else "q", "banker", 100)],
    "no second shoe after a bad card": lambda values: (
        [("p", "player", 300)] if values[0] == 9 else None
    ),
}


@slow
@pytest.mark.parametrize(("second", "over"), a_part(product(NEXT, [True, False]), of=3))
def test_from_shoe_to_shoe_every_mean_is_one_whatever_the_first_has_taught(second, over):
    """What was learned in a shoe goes on in the next; the schemes of one shoe begin anew."""
    script = evening(NEXT[second], over=lambda _values: over)
    found = means(script, SHOE, Plan(groups={"both": ("p", "q")}))
    assert {("patron", "p"), ("group", "both")} <= set(found)
    assert set(found.values()) == {1}


@slow
def test_whether_the_first_shoe_is_said_to_be_over_moves_nothing():
    """Its end is told after a bad card only; the patron plays on at the next one."""
    script = evening(NEXT["the side that won"], over=lambda values: values[0] == 0)
    assert set(means(script, SHOE).values()) == {1}


@slow
def test_three_shoes_one_after_the_other():
    def script(deal):
        won = True
        for name in "STU":
            deal.open(name, table="T1")
            side = "player" if won else "banker"
            values, _ = face_up(deal, 1, [("p", side, 100 if won else 300)], name=name)
            won = values[0] > values[1]
            deal.tell(ev.ShoeEnded(), name)

    assert set(means(script, "KKKKK9", accounts=CARDS).values()) == {1}


# -- Corrections of people and of the loading -----------------------------------------------------


def corrected(instead, bad, when, coups=2):
    """People at the first coup are corrected after its first card, at once or when it is over."""

    def script(deal):
        deal.open(crew=(), seats=(), table="T1")
        told = {
            "dealer": deal.tell(ev.CrewChanged("dealer", "dora")),
            "p": deal.tell(ev.PatronSeated(1, "p")),
            "q": deal.tell(ev.PatronSeated(2, "q")),
        }

        def correct(values, _told):
            if len(values) == when and values[0] == bad:
                for who, payload in instead.items():
                    deal.tell(ev.EventCorrected(told[who], "misseen", "boss", payload))

        values, _ = face_up(deal, 1, [("p", "player", 100)], between=correct if when else None)
        if not when and values[0] == bad:
            for who, payload in instead.items():
                deal.tell(ev.EventCorrected(told[who], "misseen", "boss", payload))
        if coups == 2:
            face_up(deal, 2, [("q", "banker", 100)])

    return script


PEOPLE = {
    "he was not there": {"p": None},
    "the two changed seats": {"p": ev.PatronSeated(1, "q"), "q": ev.PatronSeated(2, "p")},
    "another sat there": {"p": ev.PatronSeated(1, "z")},
    "who sat there was another": {"q": ev.PatronSeated(2, "z")},
    "another dealt": {"dealer": ev.CrewChanged("dealer", "dan")},
    "nobody is said to have dealt": {"dealer": None},
    "all at once": {
        "p": ev.PatronSeated(1, "z"),
        "q": None,
        "dealer": ev.CrewChanged("dealer", "dan"),
    },
}


@pytest.mark.parametrize(
    ("instead", "bad", "when", "afterwards"),
    a_part(product(PEOPLE, [0, 9], [0, 1], [False, True]), of=5),
)
def test_who_is_said_to_have_been_there_moves_no_mean(instead, bad, when, afterwards):
    """Seats and the dealer count as they stood on record before the first card."""
    plan = Plan(groups={"all": ("p", "q", "z")})
    script = corrected(PEOPLE[instead], bad, when)
    found = means(script, "KKKKKKKKKK99", plan, CARDS, afterwards=afterwards)
    assert {("patron", "p"), ("pair", "p", "q"), ("group", "all"), ("dealer", "dora")} <= set(found)
    assert set(found.values()) == {1}


@pytest.mark.parametrize("bad", [0, 9])
def test_with_every_account_too(bad):
    found = means(corrected(PEOPLE["all at once"], bad, 1, coups=1), "KKKKKK9999")
    assert set(found.values()) == {1}


def reloaded(bad, seats):
    """After a bad first card the shoe is said to have been loaded with others at the table."""

    def script(deal):
        crew = (ev.Crew("dealer", "dora"),)
        deal.open(seats=(ev.Seat(1, "p"), ev.Seat(2, "q")), crew=crew, table="T1")
        values, _ = face_up(deal, 1, [("p", "player", 100)])
        if values[0] == bad:
            now = loaded("classic-8", seats=seats, crew=crew, table="T1")
            deal.tell(ev.EventCorrected(1, "misseen", "boss", now))

    return script


@pytest.mark.parametrize("afterwards", [False, True])
@pytest.mark.parametrize("bad", [0, 9])
@pytest.mark.parametrize("seats", [(), (ev.Seat(1, "p"),), (ev.Seat(3, "z"),)])
def test_a_loading_that_is_corrected_puts_nobody_in_a_seat_of_before(seats, bad, afterwards):
    """With whom the shoe is said to have been loaded, once a face was shown, moves no mean."""
    script = reloaded(bad, seats)
    found = means(script, "KKKKKK9999", accounts=CARDS, afterwards=afterwards)
    assert {("patron", "p"), ("pair", "p", "q"), ("dealer", "dora")} <= set(found)
    assert set(found.values()) == {1}


@pytest.mark.parametrize("side", ["player", "banker"])
def test_who_is_said_to_have_sat_out_is_not_charged_for_it(side):
    """He who sits there and bets nothing bets zero. His seat is given him after a bad card."""

    def script(deal):
        deal.open(seats=(), crew=())
        deal.tell(ev.PatronSeated(1, "p"))
        face_up(deal, 1, [("p", side, 100)])
        seated = deal.tell(ev.PatronSeated(2, "z"))
        values, _ = face_up(deal, 2, [("p", side, 100)])
        if values[0] == 9:
            deal.tell(ev.EventCorrected(seated, "misseen", "boss", ev.PatronSeated(2, "p")))

    found = means(script, "KKKKKKKKKK99", accounts=CARDS, afterwards=True)
    assert max(found.values()) <= 1
