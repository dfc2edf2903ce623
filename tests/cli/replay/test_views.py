"""Every panel draws every moment of a shoe at any size, without control characters."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from sabot.cli.replay import plain_frames, view_bets, view_log, view_roads, view_rules, view_shoe
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.scene import clock, scene_of, window
from sabot.cli.text.pages import wrapped
from sabot.domain import events as ev
from tests.support import any_events
from tests.support.coup_notation import Felt, events_of
from tests.support.faulty_log import WRONG_PAYOUT
from tests.support.thorough import slow

VIEWS = {
    "head": view_log.head,
    "now": view_log.now,
    "events": view_log.payloads,
    "timeline": view_log.timeline,
    "hands": view_shoe.hands,
    "bets": view_bets.bets,
    "rule": view_rules.rule,
    "findings": view_rules.findings,
    "shoe": view_shoe.shoe,
    "roads": view_roads.roads,
}
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def shown(felt, view, *, at=None, width=80, height=40):
    """Draw a panel where a shoe stands, as text."""
    reel = Playback(felt.shoe.stream, felt.events)
    reel.seek(len(reel) if at is None else at)
    return "\n".join(line.plain.rstrip() for line in view(scene_of(reel), width, height))


@given(
    st.lists(any_events.payloads(), max_size=20),
    st.sampled_from(("classic-8", "france", None)),
    st.integers(1, 130),
    st.integers(1, 30),
    st.data(),
)
def test_whatever_was_recorded_is_drawn_and_fits(payloads, rules, width, height, data):
    first = [] if rules is None else [any_events.loaded(rules)]
    reel = Playback("shoe/x", events_of([*first, *payloads], "shoe/x"))
    reel.seek(data.draw(st.integers(0, len(reel))))
    scene = scene_of(reel)
    for view in VIEWS.values():
        lines = view(scene, width, height)
        assert len(lines) <= height
        assert all(cell_len(line.plain) <= width for line in lines)
        assert not any(CONTROL.search(line.plain) for line in lines)


def written(reel, width=80):
    """The lines of the text pages: the whole shoe, then the moment at which it stands."""
    pages = (*plain_frames.blocks(reel, width), *plain_frames.frame(reel, width))
    return [part for line in pages for part in wrapped(line, width)]


def at(felt, payload):
    """The position of an event."""
    return next(n for n, event in enumerate(felt.events, 1) if event.payload == payload)


def lines(text):
    return [line.strip() for line in text.strip().splitlines() if line.strip()]


# -- The rule that applied ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cards", "third", "said"),
    [
        ("P 2h 3h 4h  B 2d 3d Kd", ev.CardDrawn(1, "player", "4h", 7),
         "Player 5 draws: Player draws on 0 to 5"),
        ("P 2h 3h 4h  B 2d 3d Kd", ev.CardDrawn(1, "banker", "Kd", 8),
         "Banker 5 draws against a third card 4: it draws against 4 to 7"),
        ("P 2h 3h 3s  B 2d 3d Kd", ev.CardDrawn(1, "banker", "Kd", 8),
         "Banker 5 stands against a third card 3: it draws against 4 to 7"),
        ("P 2h 4h  B 2d 3d Kd", ev.CardDrawn(1, "banker", "Kd", 7),
         ("Banker 5 draws with no third card to Player: "
         "when Player stands, Banker draws on 0 to 5 and stands on 6 and 7")),
        ("P 5h 4h 2s  B 2d 3d", ev.CardDrawn(1, "player", "2s", 7),
         "natural Player 9: a natural on either side ends the coup"),
        ("P 5h Kh  B 2d 3d", ev.CardDrawn(1, "player", "5h", 3),
         "cards are dealt in this order: Player, Banker, Player, Banker"),
    ],
)  # fmt: skip
def test_the_rule_for_a_card(cards, third, said):
    felt = Felt("classic-8").ready().coup(f"p1 player 2500 | {cards}")
    assert shown(felt, view_rules.rule, at=at(felt, third), width=200).splitlines()[0] == said


def test_the_row_of_the_tableau_that_banker_was_held_to():
    felt = Felt("classic-8").ready().coup("p1 player 2500 | P 2h 3h 3s  B 2d 3d Kd")
    reel = Playback("shoe/test", felt.events)
    reel.seek(at(felt, ev.CardDrawn(1, "banker", "Kd", 8)))
    heads, row = view_rules.tableau_row(scene_of(reel))
    # Banker 5 draws against 4 to 7, and stands against all else; Player's third card was a 3
    assert heads.plain.split()[-10:] == list("0123456789")
    assert row.plain.split()[2:12] == list("SSSSDDDDSS")
    marked = [span for span in row.spans if "reverse" in str(span.style)]
    assert [heads.plain[span.start : span.end] for span in marked] == ["3"]


def test_the_totals_are_worked_out_and_the_stand_explained():
    felt = Felt("classic-8").ready().coup("p1 player 2500 | P 9h 7h  B Kd 7d")
    said = lines(shown(felt, view_rules.rule, at=at(felt, ev.TotalsCalled(1, 6, 7)), width=120))
    assert said[:4] == [
        "Player 9♥ 7♥ = 9 + 7 = 16, counts 6",
        "Banker K♦ 7♦ = 0 + 7 = 7",
        "Player 6 stands: Player stands on 6 and 7",
        (
            "Banker 7 stands with no third card to Player: "
            "when Player stands, Banker draws on 0 to 5 and stands on 6 and 7"
        ),
    ]


@pytest.mark.parametrize(
    ("bet", "move", "said"),
    [
        ("p1 banker 2500", ev.BetPaid(1, 1, 2500),
         ["Banker pays 1 to 1; commission 5 % of winnings",
          "due to a stake of 25.00 EUR: pay 25.00 EUR less 1.25 EUR, net 23.75 EUR"]),
        ("p1 player 2500", ev.BetTaken(1, 1, 2500),
         ["Player lost", "due to a stake of 25.00 EUR: take 25.00 EUR"]),
        ("p1 tie 300", ev.BetTaken(1, 1, 300),
         ["Tie lost", "due to a stake of 3.00 EUR: take 3.00 EUR"]),
    ],
)  # fmt: skip
def test_the_pay_line_of_a_settlement(bet, move, said):
    felt = Felt("classic-8").ready().coup(f"{bet} | P 2h 4h  B 2d 7d")
    assert lines(shown(felt, view_rules.rule, at=at(felt, move)))[:2] == said


def test_the_burn_and_the_cut_card_and_the_end_have_their_rules():
    felt = Felt("classic-8").ready("7c")
    burn = lines(shown(felt, view_rules.rule, at=at(felt, ev.CardBurned("7c", 1))))
    assert "7♣ asks for 7 more" in burn
    felt.put(ev.CutCardReached(409), ev.ShoeEnded(left=408))
    assert "once the cut card is out, the coup in play is the last" in shown(
        felt, view_rules.rule, at=len(felt.events) - 1, width=100
    )
    assert "8 decks are 416 cards: 8 have left the shoe" in shown(felt, view_rules.rule, width=100)


def test_what_the_dealers_side_would_refuse_is_said_where_no_finding_says_it():
    felt = Felt("classic-8", seats=(ev.Seat(1, "p1"),)).ready()
    felt.put(ev.ShoeOffered("p1"), ev.ShoeTaken("p1"), ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 2500), ev.BetChanged(1, 9, 500))
    reel = Playback("shoe/test", felt.events)
    reel.seek(len(reel))
    assert reel.ruling.refused == "there is no bet 9 on the layout"
    reel.step(-1)
    assert reel.ruling.refused is None


def test_a_record_of_coups_alone_is_held_to_no_procedure():
    felt = Felt("classic-8", coverage="coups")
    felt.put(ev.CoupOpened(7), ev.BetPlaced(7, 1, "p1", "player", 2500))
    reel = Playback("shoe/test", felt.events)
    for position in range(1, len(reel) + 1):
        reel.seek(position)
        assert reel.ruling.refused is None
        assert "due now" not in shown(felt, view_rules.rule, at=position)


# -- Hands and bets ----------------------------------------------------------------------------


def test_the_hands_are_drawn_with_totals_and_what_was_announced():
    felt = Felt("classic-8").ready().coup("p1 banker 2500 | P 4h Ts  B Kd 9c | P 4-9")
    picture = lines(shown(felt, view_shoe.hands, width=72, height=8))
    assert picture[0].split() == ["PLAYER", "4", "BANKER", "9", "natural"]
    assert picture[2].split() == ["│4", "│", "│10", "│", "│K", "│", "│9", "│"]
    assert picture[-1] == "PLAYER WINS 4 to 9   the cards say: Banker wins"


def test_the_hands_are_written_where_there_is_little_room():
    felt = Felt("classic-8").ready().coup("p1 banker 2500 | P 4h Ts  B Kd 9c")
    assert lines(shown(felt, view_shoe.hands, width=40, height=3)) == [
        "PLAYER  4   4♥  10♠",
        "BANKER  9  natural  K♦  9♣",
        "BANKER WINS 9 to 4",
    ]


def test_a_hand_of_three_is_not_held_to_the_call_of_the_first_two():
    felt = Felt("classic-8").ready().coup("p1 player 2500 | P 2h 3h 4h  B 2d 3d Kd")
    drawn = at(felt, ev.CardDrawn(1, "player", "4h", 7))
    assert "called" not in shown(felt, view_shoe.hands, at=drawn)
    wrong = Felt("classic-8").ready().coup("p1 player 2500 | P 2h 3h 4h  B 2d 3d Kd | P 8-5")
    assert "called 8" in shown(wrong, view_shoe.hands)


def test_bets_with_what_is_due_and_what_was_done():
    felt = Felt("classic-8").ready()
    felt.coup(
        "p1 banker 2500, p2 player 1000, p3 banker 2000 | P 4h Ts  B Kd 9c | B 4-9 "
        "| 2 take 1000, 1 pay 2500, 1 collect 125, 3 pay 2500, 3 collect 100"
    )
    heads, *rows = lines(shown(felt, view_bets.bets, width=100))
    assert heads.split() == ["patron", "wager", "stake", "due", "done"]
    assert [row.split() for row in rows] == [
        [
            "p1",
            "Banker",
            "25.00",
            "pay",
            "25.00",
            "less",
            "1.25,",
            "net",
            "23.75",
            "paid",
            "25.00",
            "less",
            "1.25",
            "✓",
        ],
        ["p2", "Player", "10.00", "take", "10.00", "taken", "10.00", "✓"],
        [
            "p3",
            "Banker",
            "20.00",
            "pay",
            "20.00",
            "less",
            "1.00,",
            "net",
            "19.00",
            "paid",
            "25.00",
            "less",
            "1.00",
            "✗",
        ],
    ]


def test_in_little_room_bets_are_told_by_what_they_come_to():
    felt = Felt("classic-8").ready()
    felt.coup(
        "p1 banker 2500, p2 player 1000, p3 tie 500 | P 4h Ts  B Kd 9c | B 4-9 "
        "| 2 take 1000, 3 take 500, 1 pay 2500, 1 collect 125"
    )
    heads, *rows = lines(shown(felt, view_bets.bets, width=43))
    assert heads.split() == ["patron", "wager", "stake", "due", "done"]
    assert [" ".join(row.split()) for row in rows] == [
        "p1 Banker 25.00 +23.75 +23.75 ✓",
        "p2 Player 10.00 -10.00 -10.00 ✓",
        "p3 Tie 5.00 -5.00 -5.00 ✓",
    ]
    tied = Felt("classic-8").ready().coup("p1 banker 2500 | P 4h Ts  B Kd 4c")
    assert "p1 Banker 25.00 push push ✓" in " ".join(shown(tied, view_bets.bets, width=34).split())


def test_a_bet_is_marked_once_the_finding_has_shown_and_not_before():
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 2500 | P 9h Ts  B Kd 7c | P 9-7 | 1 pay 3000")
    paid = at(felt, ev.BetPaid(1, 1, 3000))
    assert "✗" in shown(felt, view_bets.bets, at=paid)
    before = shown(felt, view_bets.bets, at=paid - 1)
    assert "✗" not in before
    assert "✓" not in before


def test_nothing_is_due_before_the_hands_are_done():
    felt = Felt("classic-8").ready().coup("p1 player 2500 | P 2h 3h 4h  B 2d 3d Kd")
    third = at(felt, ev.CardDrawn(1, "player", "4h", 7))
    assert "pay" not in shown(felt, view_bets.bets, at=third)
    assert "pay 25.00" in shown(felt, view_bets.bets, at=third + 1)


def test_among_many_bets_the_one_spoken_of_is_shown():
    felt = Felt("classic-8").ready()
    felt.coup(", ".join(f"q{n} player 2500" for n in range(1, 31)) + " | P 9h Ts  B Kd 7c")
    moved = at(felt, ev.BetPaid(1, 22, 2500))
    text = shown(felt, view_bets.bets, at=moved, height=8)
    assert len(lines(text)) == 8
    assert "▸ q22 " in text
    assert "more above" in text
    assert "more below" in text


# -- Findings ----------------------------------------------------------------------------------


def overpaid():
    felt = Felt("classic-8").ready()
    felt.coup("p1 player 2500 | P 9h Ts  B Kd 7c | P 9-7 | 1 pay 3000")
    return felt.coup("p1 player 2500 | P 9s Ts  B Kd 7c | P 9-7 | 1 pay 2600")


def test_a_finding_is_written_out_where_it_shows():
    felt = overpaid()
    text = shown(felt, view_rules.findings, at=at(felt, ev.BetPaid(1, 1, 3000)), width=100)
    assert lines(text)[0] == f"▲  1  {WRONG_PAYOUT}"
    assert "p1's 25.00 EUR on Player: overpaid by 5.00 EUR" in text
    assert "required pay 25.00 EUR (Player pays 1 to 1)" in text
    assert "recorded paid 30.00 EUR" in text
    assert "source arrêté of 14 May 2007" in text
    assert lines(text)[-1] == f"▲  2 {WRONG_PAYOUT}"


def test_elsewhere_findings_are_a_line_each():
    felt = overpaid()
    assert lines(shown(felt, view_rules.findings, at=1)) == [
        f"▲  1 {WRONG_PAYOUT}",
        f"▲  2 {WRONG_PAYOUT}",
    ]


def test_in_little_room_the_finding_of_the_moment_is_shown():
    felt = overpaid()
    text = shown(felt, view_rules.findings, at=at(felt, ev.BetPaid(2, 1, 2600)), height=2, width=60)
    assert lines(text)[0] == f"▲  2  {WRONG_PAYOUT}"


def test_no_finding_is_said():
    assert shown(Felt("classic-8").ready(), view_rules.findings) == "nothing found"


# -- The shoe and the roads --------------------------------------------------------------------


def test_the_shoe_counts_what_left_it():
    felt = Felt("classic-8", seats=(ev.Seat(3, "p1"),)).ready("3c")
    said = lines(shown(felt, view_shoe.shoe))
    # the three burned and what it asks for: 1 + 3 cards; 409 leave before the cut card shows
    assert said[1] == "4 of 416 cards out, 412 in the shoe"
    assert "burned 3♣ + 3 face down" in said
    assert "cut card 7 from the end, 405 to go" in said
    assert "seats 3 p1" in said


def test_the_roads_are_those_over_the_table():
    felt = Felt("classic-8").ready()
    for cards in ("P 4h Ts  B Kd 9c", "P 4h Ts  B Kd 9d", "P 9h Ts  B Kd 9s", "P 9h Ks  B Kd 2s"):
        felt.coup(f"p1 player 2500 | {cards}")
    # banker, banker, tie, player
    heads, *rows = shown(felt, view_roads.roads, width=60, height=7).splitlines()
    assert heads.split() == ["bead", "plate", "big", "road"]
    assert [row.split() for row in rows[:4]] == [["B", "●", "○"], ["B", "●/"], ["T"], ["P"]]


def test_a_voided_coup_stands_on_no_road():
    felt = Felt("classic-8").ready().coup("p1 player 2500 | P 4h Ts  B Kd 9c")
    felt.put(ev.CoupOpened(2), ev.IrregularityNoted("misdeal", coup=2), ev.CoupVoided(2))
    assert [score.outcome for score in view_roads.scores(felt.shoe)] == ["B"]


# -- Where one is ------------------------------------------------------------------------------


def test_the_head_says_less_where_there_is_less_room():
    felt = Felt("classic-8", table="T1").ready().coup("p1 player 2500 | P 4h Ts  B Kd 9c")
    count = len(felt.events)
    reel = Playback("shoe/test", felt.events)
    second = clock(reel.events[-1].at_us)
    assert shown(felt, view_log.head, width=120).endswith(
        f"coup 1 of 1 · event {count} of {count} · 2026-01-01 {second}Z"
    )
    assert shown(felt, view_log.head, width=70).endswith(f"coup 1 · {count}/{count}")
    assert shown(felt, view_log.head, width=30).endswith(f" {count}/{count}")


def test_the_events_around_with_this_one_marked():
    felt = Felt("classic-8").ready()
    around = shown(felt, view_log.payloads, at=4, height=3).splitlines()
    assert [line.split()[0] for line in around] == ["#3", "▸", "#5"]


def test_a_event_that_was_corrected_is_marked_and_the_correction_told():
    felt = Felt("classic-8").ready().coup("p1 player 2500 | P 4h Ts  B Kd 9c")
    wrong = at(felt, ev.CardDrawn(1, "player", "4h", 3))
    felt.put(ev.EventCorrected(wrong, "misread", "sue", ev.CardDrawn(1, "player", "9h", 3)))
    said = lines(shown(felt, view_log.now, at=wrong, width=120))
    assert "↺" in said[0]
    assert "4♥ to Player" in said[0]
    assert said[1] == (
        f"↺ corrected later by #{len(felt.events)} (misread): "
        "instead: 9♥ to Player, card 3 of the shoe"
    )
    assert "↺" not in shown(felt, view_log.now, at=wrong + 1, width=120)


def test_who_reported_a_event_and_by_which_device():
    felt = Felt("classic-8").ready()
    assert lines(shown(felt, view_log.now, at=2, width=120))[-1] == (
        "shoe-shuffled · event 2 of the shoe · by dealer · device d, its event 2"
    )


@given(st.integers(1, 300), st.integers(1, 400), st.data())
def test_a_click_on_the_time_line_goes_where_the_mark_is_drawn(count, width, data):
    reel = Playback("shoe/x", events_of([ev.NoMoreBets(1)] * count, "shoe/x"))
    position = data.draw(st.integers(1, count))
    reel.seek(position)
    (line,) = view_log.timeline(scene_of(reel), width, 1)
    column = line.plain.index("●")
    reel.seek(view_log.position_at(reel, column, width))
    (again,) = view_log.timeline(scene_of(reel), width, 1)
    assert abs(again.plain.index("●") - column) <= 1


@given(st.integers(0, 100), st.integers(-3, 100), st.data())
def test_a_window_holds_what_is_in_focus_and_no_more_than_fits(count, room, data):
    focus = data.draw(st.integers(0, max(0, count - 1)))
    rows = window(count, room, focus)
    assert len(rows) == max(0, min(count, room))
    assert all(0 <= row < count for row in rows)
    assert not len(rows) or focus in rows


@slow
def test_names_cannot_command_the_terminal():
    felt = Felt("classic-8", table="T\x1b[2J", seats=(ev.Seat(1, "e\u202evil\n"),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p\x9b1", "w\x1b[2J\u202e", 2500))
    felt.cards("P 2h 3h 4h  B 2d 3d Kd").put(ev.BetPaid(1, 1, 5), ev.CoupClosed(1))
    felt.put(ev.CrewChanged("dealer", "\x1b]0;x\x07"))
    reel = Playback("shoe/test", felt.events)
    for position in range(1, len(reel) + 1):
        for name, view in VIEWS.items():
            text = shown(felt, view, at=position, width=200)
            assert not CONTROL.search(text.replace("\n", "")), name
    assert not any(CONTROL.search(line) for line in written(reel))
    assert "T\\x1b[2J" in shown(felt, view_log.head, width=200)


@given(st.lists(any_events.payloads(), max_size=20), st.booleans())
def test_whatever_was_recorded_can_be_written_as_text(payloads, begun):
    first = [any_events.loaded()] if begun else []
    reel = Playback("shoe/x", events_of([*first, *payloads], "shoe/x"))
    lines = written(reel)
    assert not any(CONTROL.search(line) for line in lines)
    told = [line for line in lines if re.match(r"[ ▲◆●↺]{3}#[0-9]+ ", line)]
    assert len(told) == len(reel)
