"""The state at an event is the same from whichever direction it is reached."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.cli.replay import playback as reel_module
from sabot.cli.replay.jump import go, go_to_moment
from sabot.cli.replay.playback import MOST_KEPT, Playback
from sabot.cli.replay.speed import LONGEST_S, SHORTEST_S, STEADY_S, Speed
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import pack_sha256, parse_pack
from sabot.domain.simulation import ShoePlan
from sabot.domain.simulation.dealer import Dealer
from sabot.domain.simulation.patrons.patron_spec import parse_lineup
from sabot.domain.simulation.sessions import Session, plan_of
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import BadInput, NotFound
from sabot.infrastructure.rule_packs import pack_text
from tests.faults import fault
from tests.support import any_events
from tests.support.coup_notation import START_US, Felt, events_of
from tests.support.faulty_log import WRONG_PAYOUT
from tests.support.thorough import slow


def dealt(*faults: tuple[str, int], pack: str = "classic-4") -> list[RecordedEvent]:
    """A whole shoe from the program's own dealer, with what is to go wrong and from which coup."""
    session = Session(
        pack=pack_text(pack),
        decks=4,
        table="T1",
        patrons=parse_lineup("flat:2,trend:1,tie-lover:1", 9),
        start_us=START_US,
        seed="reel",
    )
    kinds = [fault(name, coup) for name, coup in faults]
    return list(Dealer(plan_of(session, 1), session.patrons, random.Random(5), kinds).deal())


def banked(pack: str) -> list[RecordedEvent]:
    """A shoe of a game in which patrons bank, from the program's own dealer."""
    text = pack_text(pack)
    decks = parse_pack(text).cards.decks[0]
    plan = ShoePlan(stream="shoe/S-1", pack=text, decks=decks, start_us=START_US)
    return list(Dealer(plan, parse_lineup("flat:3,trend:2", 10), random.Random(5)).deal())


def reel_of(events: list[RecordedEvent], spacing: int = 32) -> Playback:
    return Playback(events[0].stream if events else "shoe/x", events, spacing)


def corrected() -> Felt:
    """Coup 1 is recorded with a wrong card; coup 2 is played; then the card is corrected."""
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 2500 | P 4h Ts  B Kd 9c")
    wrong = next(e.version for e in felt.events if e.payload == ev.CardDrawn(1, "player", "4h", 3))
    felt.coup("p1 player 2500 | P 9h Ts  B Kd 7c")
    felt.put(ev.EventCorrected(wrong, "misread", "sue", ev.CardDrawn(1, "player", "9h", 3)))
    return felt.coup("p1 banker 2500 | P 2h Ts  B Kd 8c")


# -- The state at every position ---------------------------------------------------------------


@slow
def test_backwards_every_state_is_the_fold_of_the_events_before():
    events = dealt(("banco-drew", 3), ("winner-overpaid", 5), ("correction-of-nothing", 7))
    reel = reel_of(events)
    reel.seek(len(events))
    for position in range(len(events), 0, -1):
        assert reel.position == position
        assert reel.shoe == fold(events[0].stream, events[:position]), position
        reel.step(-1)
    assert reel.position == 1


def test_forwards_every_state_is_the_fold_of_the_events_before():
    events = corrected().events
    reel = reel_of(events, spacing=5)
    for position in range(1, len(events) + 1):
        assert reel.position == position
        assert reel.shoe == fold("shoe/test", events[:position]), position
        assert reel.step(1) == (position < len(events))


MOVES = {
    "forward": lambda reel, n: reel.step(n),
    "back": lambda reel, n: reel.step(-n),
    "seek": lambda reel, n: reel.seek(n),
    "next coup": lambda reel, _n: reel.next_coup(),
    "coup before": lambda reel, _n: reel.previous_coup(),
    "next finding": lambda reel, _n: reel.next_finding(),
    "finding before": lambda reel, _n: reel.previous_finding(),
    "search": lambda reel, n: reel.search(str(n)),
    "search back": lambda reel, n: reel.search(str(n), back=True),
}


@given(
    st.lists(any_events.payloads(), max_size=30),
    st.booleans(),
    st.integers(1, 6),
    st.lists(st.tuples(st.sampled_from(sorted(MOVES)), st.integers(-2, 35)), max_size=12),
)
def test_whatever_was_recorded_and_however_one_moves_the_state_is_a_fold(
    payloads, begun, spacing, moves
):
    events = events_of([*([any_events.loaded()] if begun else []), *payloads], "shoe/x")
    reel = Playback("shoe/x", events, spacing)
    for name, number in moves:
        MOVES[name](reel, number)
        assert 0 <= reel.position <= len(events)
        assert reel.shoe == fold("shoe/x", events[: reel.position])


@pytest.mark.parametrize("pack", ["chemin-de-fer-france", "macao-old", "victoria"])
def test_where_patrons_bank_every_state_is_the_fold_of_the_events_before(pack):
    events = banked(pack)
    reel = reel_of(events, spacing=8)
    walk = random.Random(3)
    for _ in range(60):
        reel.seek(walk.randrange(1, len(events) + 1))
        assert reel.shoe == fold(reel.stream, events[: reel.position])
    assert reel.shoe.banks


def test_a_state_that_was_left_does_not_change_those_that_are_kept():
    events = dealt()
    reel = reel_of(events, spacing=8)
    walk = random.Random(1)
    for _ in range(150):
        reel.seek(walk.randrange(1, len(events) + 1))
        assert reel.shoe == fold(reel.stream, events[: reel.position])


def test_a_step_back_evolves_no_more_than_the_spacing(monkeypatch):
    events = dealt()
    reel = reel_of(events)
    reel.seek(len(events))
    evolved = []
    evolve = reel_module.evolve
    monkeypatch.setattr(
        reel_module, "evolve", lambda shoe, event: (evolved.append(event), evolve(shoe, event))[1]
    )
    monkeypatch.setattr(reel_module, "fold", lambda *_: pytest.fail("folded anew"))
    for _ in range(200):
        evolved.clear()
        reel.step(-1)
        assert len(evolved) <= reel_module.SPACING


@slow
def test_a_shoe_without_end_keeps_few_states():
    payloads = [ev.ChipsBought("p1", 100)] * 20_000
    reel = Playback("shoe/x", events_of(payloads, "shoe/x"))
    for position in range(0, len(payloads), 100):
        reel.seek(position)
    assert len(reel._kept) <= MOST_KEPT + 1


def test_an_empty_reel_stands_at_nothing():
    reel = Playback("shoe/x", [])
    assert (reel.position, reel.event, reel.coup, len(reel)) == (0, None, None, 0)
    assert not reel.step(1)
    assert not reel.next_coup()
    assert not reel.next_finding()
    assert reel.position == 0


# -- Corrections -------------------------------------------------------------------------------


def test_before_a_correction_stands_what_was_recorded_then():
    reel = reel_of(corrected().events)
    correction = next(
        n for n, e in enumerate(reel.events, 1) if "Corrected" in type(e.payload).__name__
    )
    reel.seek(correction - 1)
    assert reel.shoe.coups[1].player == ["4h", "Ts"]
    reel.step(1)
    assert reel.shoe.coups[1].player == ["9h", "Ts"]
    reel.step(-1)
    assert reel.shoe.coups[1].player == ["4h", "Ts"]


def test_the_corrected_event_knows_what_corrects_it():
    reel = reel_of(corrected().events)
    wrong = next(
        n for n, e in enumerate(reel.events, 1) if e.payload == ev.CardDrawn(1, "player", "4h", 3)
    )
    (later,) = reel.corrections_of(wrong)
    assert later.payload.reason == "misread"
    assert [n for n in range(1, len(reel) + 1) if reel.corrections_of(n)] == [wrong]


def test_a_correction_of_a_event_to_come_marks_nothing():
    reel = Playback(
        "shoe/x", events_of([ev.EventCorrected(2, "early"), ev.NoMoreBets(1)], "shoe/x")
    )
    assert not reel.corrections_of(1)
    assert not reel.corrections_of(2)


def test_a_pack_that_cannot_be_read_is_what_the_dealers_side_refuses():
    felt = Felt("classic-8")
    loaded = ev.ShoeLoaded(8, "no pack", pack_sha256("no pack"))
    reel = Playback("shoe/x", events_of([loaded, *felt.payloads], "shoe/x"))
    assert reel.ruling.refused is not None
    assert reel.ruling.refused.startswith("the rule pack cannot be read: ")
    assert reel.ruling.lines == ("the rule pack of this shoe cannot be read",)


# -- Ways along the reel -----------------------------------------------------------------------


def opened(reel: Playback) -> list[int]:
    return [n for n, e in enumerate(reel.events, 1) if isinstance(e.payload, ev.CoupOpened)]


def three_coups() -> Felt:
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 2500 | P 4h Ts  B Kd 9c")
    felt.coup("p1 player 2500, p2 tie 100 | P 9h Ts  B Kd 7c | P 9-7 | 2 take 100, 1 pay 3000")
    return felt.coup("p1 banker 2500 | P 7h Ts  B Kd 9s")


def test_coup_by_coup():
    reel = reel_of(three_coups().events)
    openings = opened(reel)
    seen = []
    while reel.next_coup():
        seen.append(reel.position)
    assert seen == [*openings, len(reel)]
    back = []
    while reel.previous_coup():
        back.append(reel.position)
    assert back == [*reversed(openings), 1]


def test_a_coup_begins_where_it_is_opened_whatever_spoke_of_it_before():
    felt = three_coups()
    felt.put(ev.CutCardReached(409), ev.LastCoupCalled(4), ev.RequestMade("p1", "seat", coup=9))
    felt.coup("p1 banker 2500 | P 7h Ts  B Kd 9s")
    reel = reel_of(felt.events)
    assert sorted(reel.coup_starts) == [1, 2, 3, 4]
    reel.to_coup(4)
    assert reel.event.payload == ev.CoupOpened(4)


def test_within_a_coup_back_is_its_own_opening():
    reel = reel_of(three_coups().events)
    reel.to_coup(2)
    opening = reel.position
    reel.step(3)
    reel.previous_coup()
    assert reel.position == opening == opened(reel)[1]


def test_to_a_coup_that_is_not_there():
    reel = reel_of(three_coups().events)
    with pytest.raises(NotFound, match="no coup 4; it has 1 to 3"):
        reel.to_coup(4)


def test_findings_show_where_the_last_event_that_shows_them_stands():
    felt = three_coups()
    reel = reel_of(felt.events)
    paid = next(n for n, e in enumerate(reel.events, 1) if e.payload == ev.BetPaid(2, 1, 3000))
    (found,) = audit_shoe(felt.shoe).findings
    assert found.code == WRONG_PAYOUT
    assert reel.next_finding()
    assert reel.position == paid
    assert list(reel.findings_of(reel.event)) == [found]
    assert not reel.next_finding()
    assert reel.position == paid
    reel.seek(len(reel))
    assert reel.previous_finding()
    assert reel.position == paid
    assert not reel.previous_finding()


def test_a_event_that_helps_to_show_a_finding_names_it_too():
    reel = reel_of(three_coups().events)
    placed = next(e for e in reel.events if e.payload == ev.BetPlaced(2, 1, "p1", "player", 2500))
    other = next(e for e in reel.events if e.payload == ev.BetPlaced(2, 2, "p2", "tie", 100))
    assert len(reel.findings_of(placed)) == 1
    assert not reel.findings_of(other)


def test_a_stand_shows_once_the_result_is_called_without_the_card():
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 2500 | P 2h 3h 4h  B 2d 3d")  # Banker 5 draws against a 4
    reel = reel_of(felt.events)
    assert reel.next_finding()
    assert reel.event.payload == ev.ResultCalled(1, 9, 5, "P")
    assert [found.code for found in reel.findings_of(reel.event)] == ["banker-stood-against-table"]


def test_every_finding_of_a_faulty_shoe_is_passed_once_in_order():
    events = dealt(("banco-drew", 3), ("winner-overpaid", 5), ("late-bet", 9), ("push-paid", 2))
    reel = reel_of(events)
    seen = []
    while reel.next_finding():
        seen += [m.finding.code for m in reel.marks if m.position == reel.position]
    assert sorted(seen) == sorted(found.code for found in audit_shoe(fold("s", events)).findings)
    assert len(seen) >= 4


def test_search_finds_words_names_and_devices():
    reel = reel_of(three_coups().events)
    assert reel.search("P2")
    assert reel.event.payload == ev.BetPlaced(2, 2, "p2", "tie", 100)
    assert reel.search("commission-collected")
    assert not reel.search("p2")
    assert reel.search("p2", back=True)
    assert reel.event.payload == ev.BetPlaced(2, 2, "p2", "tie", 100)
    assert not reel.search("no such words")


# -- Where to, as people type it ---------------------------------------------------------------


@pytest.mark.parametrize("text", ["2", " 2 ", "c2", "coup 2", "COUP 2"])
def test_a_number_is_a_coup(text):
    reel = reel_of(three_coups().events)
    go(reel, text)
    assert reel.event.payload == ev.CoupOpened(2)


def test_a_event_of_the_log_by_its_index():
    events = [
        RecordedEvent(n * 10, "shoe/x", n, None, n, "a", "d", n, ev.NoMoreBets(1), position=n)
        for n in range(1, 6)
    ]
    reel = Playback("shoe/x", events)
    for text, position in (("#30", 3), ("#39", 3), ("#10", 1), ("#9999", 5)):
        go(reel, text)
        assert reel.position == position
    with pytest.raises(NotFound, match="nothing as early as #9; it begins at #10"):
        go(reel, "#9")
    go_to_moment(reel, "40")
    assert reel.position == 4


def test_a_time_of_day_is_that_of_the_shoe():
    # the n-th event is n seconds after 20:00:00
    reel = reel_of(three_coups().events)
    go(reel, "20:00:05")
    assert reel.position == 5
    go(reel, "20:01")
    assert reel.position == len(reel)
    go(reel, "2026-01-01T20:00:07Z")
    assert reel.position == 7
    with pytest.raises(NotFound, match="nothing as early"):
        go(reel, "19:59")


def test_past_midnight_a_time_of_day_is_the_next_days():
    hour_us = 3_600_000_000
    events = [
        RecordedEvent(
            n, "shoe/x", n, START_US + n * hour_us, n, "a", "d", n, ev.NoMoreBets(1), position=n
        )
        for n in range(1, 8)
    ]  # 21:00 to 03:00
    reel = Playback("shoe/x", events)
    go(reel, "23:30")
    assert reel.position == 3
    go(reel, "1:00")
    assert reel.position == 5


@pytest.mark.parametrize("text", ["noon", "#", "coup", "25:00", "12:60", "-3", "1e3", "١٢"])
def test_what_names_no_place_is_refused(text):
    reel = reel_of(three_coups().events)
    with pytest.raises(BadInput, match="as 21:15, or a time as"):
        go(reel, text)
    assert reel.position == 1


# -- At speed ----------------------------------------------------------------------------------


def timed(*at_s: float | None) -> Playback:
    """A reel whose events come at these seconds (None: without a clock)."""
    events = []
    for n, at in enumerate(at_s, 1):
        at_us = None if at is None else START_US + int(at * 1_000_000)
        events.append(
            RecordedEvent(n, "shoe/x", n, at_us, n, "a", "d", n, ev.ShoeShuffled("ann"), position=n)
        )
    return Playback("shoe/x", events)


def test_by_the_tables_clock():
    reel, tempo = timed(0, 2, 3), Speed(1)
    tempo.play(playing=True)
    assert not tempo.advance(reel, 1.9)
    assert tempo.advance(reel, 0.2)
    assert reel.position == 2
    assert not tempo.advance(reel, 0.8)
    assert tempo.advance(reel, 0.1)
    assert reel.position == 3
    assert not tempo.playing


@pytest.mark.parametrize("speed", [1, 2, 4, 8, 16, 32, 64])
def test_so_many_times_as_fast(speed):
    reel, tempo = timed(*range(0, 700, 7)), Speed(speed)
    tempo.play(playing=True)
    tempo.advance(reel, 7.0)
    assert reel.position == 1 + speed


def test_idle_time_is_cut_short_and_an_instant_still_takes_a_moment():
    reel, tempo = timed(0, 3600, 3600, 3599), Speed(1)
    assert [tempo.wait_s(reel, n) for n in (1, 2, 3)] == [LONGEST_S, SHORTEST_S, SHORTEST_S]


def test_steady_where_there_is_no_clock_or_none_is_wanted():
    reel, tempo = timed(0, None, 5), Speed(1)
    assert [tempo.wait_s(reel, n) for n in (1, 2)] == [STEADY_S, STEADY_S]
    assert Speed(1, by_clock=False).wait_s(timed(0, 9), 1) == STEADY_S


def test_the_play_halts_where_a_finding_shows_and_runs_on_if_told():
    events = three_coups().events
    paid = next(n for n, e in enumerate(events, 1) if e.payload == ev.BetPaid(2, 1, 3000))
    reel, tempo = reel_of(events), Speed(64)
    tempo.play(playing=True)
    tempo.advance(reel, 1000)
    assert (reel.position, tempo.playing) == (paid, False)
    tempo.play(playing=True)
    tempo.advance(reel, 1000)
    assert (reel.position, tempo.playing) == (len(reel), False)
    reel.seek(1)
    running = Speed(64, stops=False)
    running.play(playing=True)
    running.advance(reel, 1000)
    assert reel.position == len(reel)


def test_speeds_double_and_halve_within_their_bounds():
    tempo = Speed(1)
    tempo.slower()
    assert tempo.speed == 1
    for expected in (2, 4, 8, 16, 32, 64, 64):
        tempo.faster()
        assert tempo.speed == expected
    tempo.slower()
    assert tempo.speed == 32
    assert [Speed(wanted).speed for wanted in (1, 3, 20, 64)] == [1, 2, 16, 64]


def test_nothing_moves_that_does_not_play():
    reel = timed(0, 1, 2)
    assert not Speed(64).advance(reel, 100)
    assert reel.position == 1
