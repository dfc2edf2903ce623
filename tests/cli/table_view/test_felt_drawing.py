"""The drawn table, compared with pictures written by hand."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from sabot.cli.table_view.felt_drawing import AS_IT_IS, View, felt
from sabot.cli.text.event_text import describe
from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.views.table_view import felt_of
from tests.support import any_events
from tests.support.coup_notation import Felt, events_of


def drawn(shoe: Shoe, width: int = 80, view: View = AS_IT_IS, *, colour: bool = False) -> str:
    stream = io.StringIO()
    console = Console(
        file=stream,
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
        legacy_windows=False,
    )
    console.print(felt(shoe, view))
    return stream.getvalue()


def lines(shoe: Shoe, **more: object) -> list[str]:
    """The picture without its frame and right margin."""
    return [line.strip("│").rstrip() for line in drawn(shoe, **more).splitlines()]


def table(rules: str = "classic-8") -> Felt:
    return Felt(rules, table="T1", limits=(ev.Limit(2500, 500_000),), seats=(ev.Seat(3, "p1"),))


def test_a_coup_settled_looks_as_on_the_felt():
    shoe = table().ready().coup("p1 banker 10000, p2 tie 500 | P 4h Ts  B Kd 9c").shoe
    picture = lines(shoe)
    top = next(n for n, line in enumerate(picture) if "PLAYER" in line)
    assert [line.split() for line in picture[top : top + 6]] == [
        ["PLAYER", "4", "BANKER", "9", "natural"],
        ["╭───╮", "╭───╮", "╭───╮", "╭───╮"],
        ["│4", "│", "│10", "│", "│K", "│", "│9", "│"],
        ["│", "♥│", "│", "♠│", "│", "♦│", "│", "♣│"],
        ["╰───╯", "╰───╯", "╰───╯", "╰───╯"],
        ["BANKER", "WINS", "9", "to", "4"],
    ]
    bets = [line.split() for line in picture[top + 6 : top + 9]]
    assert bets == [
        ["seat", "patron", "wager", "stake", "EUR", "outcome", "commission"],
        ["3", "p1", "Banker", "100.00", "+100.00", "5.00"],
        ["p2", "Tie", "5.00", "-5.00"],
    ]


def test_a_third_card_lies_across_and_below_the_edge_of_the_others():
    shoe = table().ready().coup("P 2c 3c 7h  B 4s 2d").shoe
    picture = lines(shoe)
    top = next(n for n, line in enumerate(picture) if "PLAYER" in line)
    player = [line[:38].strip() for line in picture[top + 1 : top + 5]]
    assert player == [
        "╭───╮ ╭───╮",
        "│2  │ │3  │ ╭─────╮",
        "│  ♣│ │  ♣│ │7   ♥│",
        "╰───╯ ╰───╯ ╰─────╯",
    ]


def test_backs_that_lay_turned_and_cards_face_up_in_the_shoe_are_marked():
    shoe = table().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).shoe
    shoe = fold(
        shoe.stream,
        events_of(
            [
                *(e.payload for e in shoe.history),
                ev.CardDrawn(1, "player", "6c", None, "turned", True),
            ],
            shoe.stream,
        ),
    )
    assert "╰─↻!╯" in drawn(shoe)


def test_a_call_that_the_cards_do_not_bear_out_shows_both():
    text = drawn(table().ready().coup("p1 player 2500 | P 4 5  B K 8 | B 8-9").shoe)
    assert "BANKER WINS 8 to 9" in text
    assert "the cards say: Player wins" in text
    assert "PLAYER  9  natural called 8" in text


def test_what_a_caller_would_say_next_and_where_the_shoe_stands():
    shoe = table().ready("7d").shoe
    text = drawn(shoe)
    assert "8 of 416 cards out · burned 7♦ + 7 face down · cut card 7 from the end" in text
    assert "classic-8 version 2 · 8 decks · 25.00-5,000.00 EUR" in text
    assert "▸ offer the shoe to p1" in text
    assert "▸" not in drawn(shoe, view=View(due=False))


def test_the_last_coups_run_to_the_right():
    felt = table().ready()
    felt.coup("P 9 K  B 2 5").coup("P 2 5  B 9 K").coup("P 9 K  B 9 K")
    assert any(line.strip() == "last coups (newest right) P B T" for line in lines(felt.shoe))
    assert not any("last coups" in line for line in lines(felt.shoe, view=View(history=False)))


def test_another_coup_of_the_shoe_can_be_looked_at():
    felt = table().ready().coup("P 9 K  B 2 5").coup("P 2 5  B 9 K")
    assert "PLAYER WINS 9 to 7" in drawn(felt.shoe, view=View(coup=1))
    assert "coup 1, closed" in drawn(felt.shoe, view=View(coup=1))


def test_a_void_coup_says_so():
    felt = table().ready().put(ev.CoupOpened(1), ev.CoupVoided(1, "dropped", "sue"))
    assert "COUP VOID" in drawn(felt.shoe)
    assert "last coups (newest right) V" in drawn(felt.shoe)


def test_the_felt_is_never_wider_than_the_bets_it_lists():
    bets = ", ".join(f"p{n} player 2500" for n in range(1, 31))
    shoe = table().ready().coup(f"{bets} | P 9 K  B 2 5").shoe
    assert "and 25 more bets" in drawn(shoe, view=View(bets=5))
    assert drawn(shoe).count("+25.00") == 30


@pytest.mark.parametrize(
    ("turned", "seen"),
    [((), [None, None, None, None]), ((("banker", 2),), [None, None, None, "9s"])],
)
def test_a_card_face_down_keeps_its_face_until_it_is_turned(turned, seen):
    payloads = [ev.CoupOpened(1), ev.NoMoreBets(1)]
    payloads += [
        ev.CardDrawn(1, hand, card)
        for hand, card in (("player", "6h"), ("banker", "7h"), ("player", "8h"), ("banker", "9s"))
    ]
    payloads += [ev.CardTurned(1, hand, nth) for hand, nth in turned]
    shoe = Felt("france").ready("Ac").put(*payloads).shoe
    coup = felt_of(shoe).coup
    cards = [*coup.player.cards, *coup.banker.cards]
    assert [cards[n].card for n in (0, 2, 1, 3)] == seen
    text = drawn(shoe)
    assert "♥" not in text
    assert "░░░" in text
    called = fold(shoe.stream, [*shoe.history, *_next(shoe, ev.TotalsCalled(1, 4, 6))])
    assert drawn(called).count("♥") == 3


def _next(shoe: Shoe, payload: ev.Event):
    event = events_of([*(e.payload for e in shoe.history), payload], shoe.stream)[-1]
    return [event]


def test_the_last_event_in_words_does_not_name_a_card_face_down():
    shoe = Felt("france").ready("Ac").put(ev.CoupOpened(1), ev.NoMoreBets(1)).shoe
    for hidden in (
        ev.CardDrawn(1, "player", "6h"),
        ev.EventCorrected(shoe.version + 1, "misread", None, ev.CardDrawn(1, "player", "6h")),
    ):
        shoe = fold(shoe.stream, [*shoe.history, *_next(shoe, hidden)])
        assert "6♥" not in drawn(shoe)


def test_a_name_cannot_move_the_cursor_or_turn_the_text():
    evil = "\x1b[2Jeve\u202e\n"
    felt = Felt(table=evil, seats=(ev.Seat(1, evil),), crew=(ev.Crew("dealer", evil),))
    felt.ready().coup("P 9 K  B 2 5")
    felt.put(ev.CoupOpened(2), ev.BetPlaced(2, 1, evil, evil, 100))
    text = drawn(felt.shoe, 200)
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "\\x1b[2Jeve\\u202e\\n" in text


def test_colour_adds_nothing_but_colour():
    shoe = table().ready().coup("p1 banker 10000 | P 4h Ts  B Kd 9c").shoe
    coloured = drawn(shoe, colour=True)
    assert "\x1b[" in coloured
    plain = "".join(
        part.split("m", 1)[1] if n else part for n, part in enumerate(coloured.split("\x1b["))
    )
    assert plain == drawn(shoe)


@given(
    st.lists(any_events.payloads(), max_size=25),
    st.sampled_from(("classic-8", "france", None)),
    st.integers(30, 200),
)
def test_whatever_was_recorded_can_be_drawn_and_fits(payloads, rules, width):
    first = [] if rules is None else [any_events.loaded(rules)]
    shoe = fold("shoe/x", events_of([*first, *payloads], "shoe/x"))
    text = drawn(shoe, width)
    console = Console(width=width)
    assert all(console.measure(line).maximum <= width for line in text.splitlines())
    assert "\x1b" not in text
    assert "\u202e" not in text


@given(any_events.payloads())
def test_every_event_can_be_told_in_a_line(payload):
    said = describe(payload)
    assert said
    assert said == describe(payload, 2)


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        (ev.CardDrawn(1, "banker", "Th", 57, "turned"),
         "10♥ to Banker, card 57 of the shoe, back turned"),
        (ev.BetPlaced(1, 2, "p7", "tie", 2500, 4), "p7 at seat 4 bets 25.00 on Tie (bet 2)"),
        (ev.ResultCalled(1, 8, 4, "P"), "called: Player wins, Player 8, Banker 4"),
        (ev.ResultCalled(1), "called: nothing"),
        (ev.CardBurned("Kc"), "burned K♣"),
        (ev.CardBurned(None, reason="relief"), "burned face down (dealer relief)"),
        (ev.EventCorrected(9, "misread", "sue", ev.BetPaid(1, 1, 300)),
         "correction of event 9 of its stream by sue (misread): instead: bet 1 paid 3.00"),
        (ev.EventCorrected(9, "twice"),
         "correction of event 9 of its stream (twice): it did not happen"),
        (ev.RequestMade("p1", "turn-card", True, "face cards"),
         "p1 asks to have a card turned (face cards): granted"),
        (ev.LimitsChanged((ev.Limit(100, 5000), ev.Limit(100, 500, "tie"))),
         "limits now 1.00-50.00, Tie 1.00-5.00"),
    ],
)  # fmt: skip
def test_a_event_is_told_as_the_pit_would(payload, said):
    assert describe(payload) == said


def test_money_is_told_in_the_currencys_own_units():
    assert describe(ev.TableFilled(1500), 0) == "fill of 1,500"
