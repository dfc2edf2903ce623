"""The state of a shoe after given events. No event is refused."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe, evolve, fold, order_of_play
from tests.support.any_events import KINDS, any_of, payloads
from tests.support.coup_notation import Felt, events_of, loaded, shoe_of
from tests.support.for_each import for_each
from tests.support.thorough import FULL, tries


def state(*given):
    return shoe_of([loaded(), *given])


# -- The shoe itself ---------------------------------------------------------------------------


def test_an_empty_stream_is_an_empty_shoe():
    shoe = Shoe("shoe/H-1")
    assert (shoe.name, shoe.version, shoe.size) == ("H-1", 0, 0)


def test_loading_says_what_the_table_stands_at():
    limits = (ev.Limit(100, 900),)
    shoe = shoe_of(
        [
            loaded(
                "midi",
                6,
                table="T1",
                limits=limits,
                crew=(ev.Crew("dealer", "d"),),
                seats=(ev.Seat(2, "a"),),
            )
        ]
    )
    assert (shoe.decks, shoe.size, shoe.table) == (6, 312, "T1")
    assert (shoe.limits, shoe.crew, shoe.seats) == (limits, {"dealer": "d"}, {2: "a"})
    assert shoe.pack.name == "midi"


def test_a_pack_that_cannot_be_read_leaves_the_shoe_standing():
    payload = ev.ShoeLoaded(8, "name = ", "0" * 64)
    shoe = shoe_of([payload, ev.CoupOpened(1)])
    assert shoe.pack is None
    assert "not TOML" in shoe.pack_fault
    assert 1 in shoe.coups


def test_a_second_loading_is_a_stray_and_the_first_holds():
    shoe = shoe_of([loaded("classic-8"), loaded("classic-6")])
    assert shoe.decks == 8
    assert [event.version for event in shoe.unmatched_events] == [2]


def test_cards_leave_the_shoe_in_order_burned_or_drawn():
    felt = Felt().ready(first="3c").coup("P 9c Kd B 8h Ks")
    faces = [event.payload.card for event in felt.shoe.left]
    assert faces == ["3c", None, None, None, "9c", "8h", "Kd", "Ks"]
    assert len(felt.shoe.burned) == 4


def test_a_burn_in_a_coup_belongs_to_it():
    shoe = state(ev.CoupOpened(1), ev.CardBurned("4c", 1, "ruling", 1))
    assert shoe.coups[1].events[-1].payload.reason == "ruling"
    assert len(shoe.burned) == 1


# -- People ------------------------------------------------------------------------------------


def test_people_come_and_go():
    shoe = state(
        ev.PatronSeated(1, "a"),
        ev.PatronSeated(2, "b"),
        ev.PatronLeft("a"),
        ev.CrewChanged("payer-1", "p"),
        ev.CrewChanged("caller", "c"),
        ev.CrewChanged("payer-1", None),
        ev.LimitsChanged((ev.Limit(1, 2),)),
    )
    assert shoe.seats == {2: "b"}
    assert shoe.vacated == {"a": 1}
    assert shoe.crew == {"caller": "c"}
    assert shoe.limits == (ev.Limit(1, 2),)


def test_the_shoe_goes_from_hand_to_hand():
    shoe = state(ev.ShoeOffered("a"), ev.ShoeRefused("a"))
    assert (shoe.offered, shoe.refused, shoe.holder) == (None, ["a"], None)
    shoe = state(ev.ShoeOffered("a"), ev.ShoeRefused("a"), ev.ShoeOffered("b"), ev.ShoeTaken("b"))
    assert (shoe.offered, shoe.refused, shoe.holder) == (None, [], "b")
    shoe = state(ev.ShoeTaken("b"), ev.ShoePassed("b"))
    assert (shoe.holder, shoe.last_holder) == (None, "b")


def test_the_order_of_play_starts_after_the_seat_of_who_left():
    seated = [ev.PatronSeated(seat, name) for seat, name in ((1, "a"), (3, "b"), (5, "c"))]
    assert order_of_play(state(*seated), "b") == ["a", "c", "b"]
    gone = [*seated, ev.PatronLeft("b")]
    assert order_of_play(state(*gone), "b") == ["a", "c"]
    # whoever takes that seat is last
    assert order_of_play(state(*gone, ev.PatronSeated(3, "d")), "b") == ["a", "c", "d"]
    assert order_of_play(state(*seated), "x") == ["c", "b", "a"]


def test_a_request_before_a_coup_does_not_open_it():
    shoe = state(ev.RequestMade("a", "turn-card", coup=1))
    assert shoe.coups == {}
    assert len(shoe.requests) == 1


# -- A coup ------------------------------------------------------------------------------------


def test_a_coup_from_its_opening_to_its_close():
    felt = Felt().ready().coup("p1 banker 500, p2 tie 100 | P 4 5  B K 9")
    coup = felt.shoe.coups[1]
    assert (coup.player, coup.banker) == (["4", "5"], ["K", "9"])
    assert coup.over
    assert felt.shoe.current is None
    assert coup.bets[1].pushed
    assert coup.bets[2].net == 800
    assert [type(event.payload) for event in coup.events][:3] == [
        ev.CoupOpened,
        ev.BetPlaced,
        ev.BetPlaced,
    ]


def test_a_bet_is_as_its_last_change_has_it():
    bets = (
        state(
            ev.CoupOpened(1),
            ev.BetPlaced(1, 1, "a", "player", 100),
            ev.BetPlaced(1, 2, "a", "tie", 50),
            ev.BetChanged(1, 1, 300),
            ev.BetWithdrawn(1, 2),
        )
        .coups[1]
        .bets
    )
    assert (bets[1].amount, bets[1].withdrawn) == (300, False)
    assert (bets[2].amount, bets[2].withdrawn) == (50, True)
    assert bets[1].placed.payload.amount == 100


@for_each(
    ("moves", "net", "settled"),
    [
        ((), 0, False),
        ((ev.BetTaken(1, 1, 100),), -100, True),
        ((ev.BetPaid(1, 1, 100),), 100, True),
        ((ev.BetPaid(1, 1, 100), ev.CommissionCollected("a", 5, 1, 1)), 95, True),
        ((ev.BetPaid(1, 1, 100), ev.CommissionMarked(1, 1, 5)), 95, True),
        # collected later what was marked: charged once
        (
            (
                ev.BetPaid(1, 1, 100),
                ev.CommissionMarked(1, 1, 5),
                ev.CommissionCollected("a", 5, 1, 1),
            ),
            95,
            True,
        ),
        ((ev.BetPaid(1, 1, 100), ev.BetPaid(1, 1, 100)), 200, True),
        ((ev.BetPushed(1, 1),), 0, True),
    ],
)
def test_what_a_bet_brought_its_patron(moves, net, settled):
    shoe = state(ev.CoupOpened(1), ev.BetPlaced(1, 1, "a", "banker", 100), *moves)
    bet = shoe.coups[1].bets[1]
    assert (bet.net, bet.settled) == (net, settled)


def test_commission_is_owed_from_its_marking_to_its_collection():
    marked = [
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "a", "banker", 100),
        ev.CommissionMarked(1, 1, 5),
    ]
    assert state(*marked).owed_commission == {"a": 5}
    assert state(*marked, ev.CommissionCollected("a", 3)).owed_commission == {"a": 2}
    assert state(*marked, ev.CommissionCollected("a", 5, 1, 1)).owed_commission == {"a": 0}
    # at once: never owed
    at_once = [*marked[:2], ev.CommissionCollected("a", 5, 1, 1)]
    assert state(*at_once).owed_commission == {}


def test_a_voided_coup_is_over():
    shoe = state(ev.CoupOpened(1), ev.CoupVoided(1, "misdeal"))
    assert shoe.current is None
    assert shoe.coups[1].voided is not None


# -- What cannot be, and is kept -----------------------------------------------------------------


def test_absurdities_are_kept_where_they_came():
    shoe = state(
        ev.BetPaid(7, 3, 100),
        ev.CoupOpened(1),
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "a", "player", 5),
        ev.BetPlaced(1, 1, "b", "player", 9),
        ev.BetChanged(1, 8, 5),
        *(ev.CardDrawn(1, "player", "4c") for _ in range(5)),
        ev.CutCardReached(3),
        ev.CutCardReached(4),
        ev.ShoeEnded(left=1),
        ev.ShoeEnded(left=2),
    )
    assert [event.version for event in shoe.coups[7].unmatched_events] == [2]
    assert [event.version for event in shoe.coups[1].unmatched_events] == [4, 6, 7]
    assert shoe.coups[1].bets[1].patron == "a"
    assert len(shoe.coups[1].player) == 5
    assert [event.payload for event in shoe.unmatched_events] == [
        ev.CutCardReached(4),
        ev.ShoeEnded(left=2),
    ]
    assert shoe.ended.payload.left == 1


def test_the_cut_card_remembers_the_coup_in_play():
    between = state(ev.CutCardReached(3)).cut_card
    assert between.during is None
    within = state(ev.CoupOpened(4), ev.CutCardReached(3)).cut_card
    assert within.during == 4


def test_a_tables_event_in_a_shoe_is_a_stray():
    assert len(state(ev.DropCounted(5)).unmatched_events) == 1


# -- Corrections -------------------------------------------------------------------------------


def test_a_corrected_event_is_replaced_at_its_own_place():
    felt = Felt().ready().coup("p1 banker 500 | P 4 5 B K 9")
    drawn = next(e.version for e in felt.events if e.payload == ev.CardDrawn(1, "player", "4", 3))
    felt.put(ev.EventCorrected(drawn, "misread", "c", ev.CardDrawn(1, "player", "3", 3)))
    assert felt.shoe.coups[1].player == ["3", "5"]
    assert felt.shoe.left[2].payload.card == "3"
    assert len(felt.shoe.history) == len(felt.payloads)
    assert len(felt.shoe.corrections) == 1


def test_what_never_happened_is_left_out():
    felt = Felt().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "a", "player", 5))
    felt.put(ev.EventCorrected(3, "misheard"))
    assert felt.shoe.coups[1].bets == {}
    assert felt.shoe.history[2].payload.amount == 5


def test_the_last_correction_holds_and_a_correction_can_be_mended():
    mended = [
        *(ev.CoupOpened(1), ev.BetPlaced(1, 1, "a", "player", 5)),
        ev.EventCorrected(3, "x", None, ev.BetPlaced(1, 1, "a", "player", 6)),
        ev.EventCorrected(3, "y", None, ev.BetPlaced(1, 1, "a", "player", 7)),
    ]
    assert state(*mended).coups[1].bets[1].amount == 7
    # the second correction (version 5) was a mistake itself
    assert state(*mended, ev.EventCorrected(5, "z")).coups[1].bets[1].amount == 6


def test_nobody_corrects_what_is_still_to_come():
    shoe = state(ev.EventCorrected(3, "x"), ev.CoupOpened(1))
    assert 1 in shoe.coups


# -- For all events -----------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_no_kind_of_event_is_refused_even_alone(kind):
    @given(any_of(kind))
    @settings(max_examples=15 if FULL else 5, database=None)
    def run(payload):
        (event,) = events_of([payload], "shoe/x")
        shoe = evolve(Shoe("shoe/x"), event)
        assert shoe.history == [event]
        assert fold("shoe/x", [event]) == shoe

    run()


@given(st.lists(payloads(), max_size=30), st.integers(0, 30))
@tries(15, 60)
def test_one_by_one_is_all_at_once_from_any_point(some, cut):
    events = events_of([loaded(), *some], "shoe/x")
    shoe = fold("shoe/x", events[:cut])
    for event in events[cut:]:
        shoe = evolve(shoe, event)
    assert shoe == fold("shoe/x", events)
    assert len(shoe.history) == len(events)
