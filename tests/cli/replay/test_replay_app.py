"""The full-screen replay, driven by a pilot and in a real terminal."""

import asyncio
import fcntl
import os
import pty
import re
import select
import struct
import termios
import time
from collections.abc import Awaitable, Callable

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st
from textual.pilot import Pilot

from sabot.cli.replay.keys import KEYS
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.replay_app import Replay
from sabot.cli.replay.speed import Speed
from sabot.cli.replay.widgets import Help
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support import any_events
from tests.support.coup_notation import Felt, events_of
from tests.support.faulty_log import WRONG_PAYOUT
from tests.support.programs import SABOT, Program
from tests.support.thorough import FULL, a_part, slow

NO_SHRINKING = (Phase.explicit, Phase.reuse, Phase.generate)
ARROWS = {"right": 1, "l": 1, "left": -1, "h": -1}


def evening() -> Felt:
    """Three coups. In the second a bet on Player is overpaid."""
    felt = Felt("classic-8", table="T1").ready()
    felt.coup("p1 player 2500 | P 4h Ts  B Kd 9c")
    felt.coup("p1 player 2500, p2 tie 100 | P 9h Ts  B Kd 7c | P 9-7 | 2 take 100, 1 pay 3000")
    return felt.coup("p1 banker 2500 | P 2h 3h 4h  B 2d 3d Kd")


def at(reel: Playback, payload: ev.Event) -> int:
    return next(n for n, event in enumerate(reel.events, 1) if event.payload == payload)


def drive(
    play: Callable[[Replay, Pilot[None]], Awaitable[None]],
    reel: Playback | None = None,
    size: tuple[int, int] = (120, 40),
    tempo: Speed | None = None,
) -> None:
    """Run the replay without a terminal. Let a pilot press its keys."""

    async def run() -> None:
        shown = Playback("shoe/test", evening().events) if reel is None else reel
        app = Replay(shown, tempo)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            await play(app, pilot)

    asyncio.run(run())


def text(app: Replay, panel: str) -> str:
    return app.query_one(f"#{panel}").render().plain


def screen(app: Replay) -> list[str]:
    """What stands on the screen, line by line."""
    width, height = app.size
    strips = app.screen_stack[0]._compositor.render_strips()
    assert len(strips) == height
    assert all(strip.cell_length == width for strip in strips)
    return [strip.text for strip in strips]


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await pilot.pause()


# -- Keys --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "by"), ARROWS.items())
def test_a_event_forward_and_back(key, by):
    async def play(app, pilot):
        app.action_seek(10)
        await press(pilot, key, key)
        assert app.reel.position == 10 + 2 * by

    drive(play)


def test_coup_by_coup_and_to_the_ends():
    async def play(app, pilot):
        openings = [at(app.reel, ev.CoupOpened(n)) for n in (1, 2, 3)]
        seen = []
        for key in ("down", "j", "pagedown", "up", "k", "end", "home"):
            await press(pilot, key)
            seen.append(app.reel.position)
        assert seen == [*openings, openings[1], openings[0], len(app.reel), 1]

    drive(play)


def test_to_the_next_finding_and_what_it_says():
    async def play(app, pilot):
        assert "banco" not in text(app, "findings")
        await press(pilot, "f")
        assert app.reel.event.payload == ev.BetPaid(2, 1, 3000)
        assert "required pay 25.00 EUR" in text(app, "findings")
        assert "pay 25.00" in text(app, "rule")
        assert "bet 1 paid 30.00" in text(app, "now")
        assert "✗" in text(app, "bets")
        assert app.query_one("#findings").has_class("-here")
        await press(pilot, "f")
        assert "no finding after this event" in text(app, "foot")
        await press(pilot, "home", "end", "F")
        assert app.reel.event.payload == ev.BetPaid(2, 1, 3000)
        await press(pilot, "right")
        assert not app.query_one("#findings").has_class("-here")

    drive(play)


def test_a_shoe_without_findings_says_so():
    async def play(app, pilot):
        await press(pilot, "f")
        assert "nothing found" in text(app, "foot")
        assert app.reel.position == 1

    felt = Felt("classic-8").ready()
    drive(play, Playback("shoe/test", felt.events))


def test_what_the_screen_shows_at_a_moment():
    async def play(app, _pilot):
        app.action_seek(at(app.reel, ev.CardDrawn(3, "banker", "Kd", 16)))
        assert "Banker 5 draws against a third card 4" in " ".join(text(app, "rule").split())
        assert "10♦" not in text(app, "hands")
        assert "│K" in text(app, "hands")
        assert "16 of 416 cards out" in text(app, "shoe")
        assert "▸" in text(app, "events")
        assert "coup 3 of 3" in text(app, "head")
        assert app.query_one("#hands").border_title == "coup 3"

    drive(play)


@slow
def test_going_to_a_coup_a_event_and_a_time():
    async def go(pilot, where):
        await press(pilot, "g", *where, "enter")

    async def play(app, pilot):
        await go(pilot, "2")
        assert app.reel.event.payload == ev.CoupOpened(2)
        await go(pilot, ["number_sign", "7"])
        assert app.reel.event.index == 7
        # the n-th event is n seconds after 20:00:00
        await go(pilot, ["2", "0", "colon", "0", "0", "colon", "0", "9"])
        assert app.reel.position == 9
        await go(pilot, "99")
        assert "has no coup 99; it has 1 to 3" in text(app, "foot")
        await go(pilot, "noon")
        assert "a time (20:15), start or end" in text(app, "foot")
        assert app.reel.position == 9
        await press(pilot, "right")
        assert "finding" in text(app, "foot")

    drive(play)


def test_leaving_the_field_changes_nothing():
    async def play(app, pilot):
        await press(pilot, "g", "2", "escape")
        assert app.reel.position == 1
        await press(pilot, "right")
        assert app.reel.position == 2

    drive(play)


def test_searching_on_and_back():
    async def play(app, pilot):
        await press(pilot, "n")
        assert "nothing to search for" in text(app, "foot")
        await press(pilot, "slash", *"p2", "enter")
        assert app.reel.event.payload == ev.BetPlaced(2, 2, "p2", "tie", 100)
        await press(pilot, "n")
        assert "no event after this one mentions 'p2'" in text(app, "foot")
        await press(pilot, "end", "N")
        assert app.reel.event.payload == ev.BetPlaced(2, 2, "p2", "tie", 100)

    drive(play)


@slow
def test_help_opens_and_closes():
    async def play(app, pilot):
        await press(pilot, "question_mark")
        assert isinstance(app.screen, Help)
        await press(pilot, "escape")
        assert not isinstance(app.screen, Help)
        await press(pilot, "right")
        assert app.reel.position == 2

    drive(play)


def test_every_key_has_an_action():
    async def play(app, _pilot):
        for key in KEYS:
            name = key.action.split("(")[0]
            assert hasattr(app, f"action_{name}"), name

    drive(play)


def test_leaving():
    async def play(app, pilot):
        await press(pilot, "q")
        assert app.return_code == 0
        assert not app.is_running

    drive(play)


# -- At speed ----------------------------------------------------------------------------------


def test_playing_runs_by_itself_and_halts_at_the_finding():
    async def play(app, pilot):
        await press(pilot, "space")
        paid = at(app.reel, ev.BetPaid(2, 1, 3000))
        for _ in range(200):
            await pilot.pause(0.05)
            if not app.tempo.playing:
                break
        assert app.reel.position == paid
        assert "bet 1 paid 30.00" in text(app, "now")
        assert text(app, "state").startswith(" ‖ 64x")

    drive(play, tempo=Speed(64))


def test_speed_and_tempo():
    async def play(app, pilot):
        await press(pilot, "plus", "plus", "minus", "t", "s")
        assert (app.tempo.speed, app.tempo.by_clock, app.tempo.stops) == (2, False, False)
        assert text(app, "state").split() == ["‖", "2x", "steady"]
        await press(pilot, "space")
        app.run_for(0.81)
        assert app.reel.position >= 3
        assert text(app, "state").startswith(" ▶ 2x")

    drive(play)


def test_a_step_by_hand_halts_the_play():
    async def play(app, pilot):
        await press(pilot, "space", "right")
        assert not app.tempo.playing

    drive(play)


def test_playing_from_the_end_begins_anew():
    async def play(app, pilot):
        await press(pilot, "end", "space")
        assert app.tempo.playing
        assert app.reel.position < len(app.reel)

    drive(play)


# -- Room --------------------------------------------------------------------------------------


ROOMS = [(80, 24), (200, 60), (40, 12), (120, 40), (8, 2), (99, 36)]


@slow
@pytest.mark.parametrize("size", a_part(ROOMS, of=2))
def test_any_room_is_filled_and_nothing_spills(size):
    async def play(app, pilot):
        for key in (
            "f",
            "tab",
            "tab",
            "tab",
            "tab",
            "end",
            "question_mark",
            "escape",
            "g",
            "escape",
        ):
            await press(pilot, key)
            screen(app)

    drive(play, size=size)


def test_a_small_terminal_shows_the_felt_the_rule_the_bets_and_one_panel():
    async def play(app, pilot):
        await press(pilot, "f")
        shown = "\n".join(screen(app))
        for word in (
            "PLAYER",
            "Player pays 1 to 1",
            WRONG_PAYOUT,
            "bet 1 paid 30.00",
            "quit",
        ):
            assert word in shown, word
        assert "cards out" not in shown
        await press(pilot, "tab")
        assert "bead plate" in "\n".join(screen(app))
        await press(pilot, "tab")
        assert "cards out" in "\n".join(screen(app))
        await press(pilot, "shift+tab", "shift+tab")
        assert WRONG_PAYOUT in "\n".join(screen(app))

    drive(play, size=(80, 24))


def test_a_large_terminal_shows_every_panel():
    async def play(app, pilot):
        await press(pilot, "f")
        shown = "\n".join(screen(app))
        for word in (
            "coup 2",
            "bets EUR",
            "roads",
            "rule",
            "findings 1",
            "shoe",
            "events",
            "bead plate",
        ):
            assert word in shown, word

    drive(play)


def test_a_tiny_terminal_still_shows_the_finding():
    async def play(app, pilot):
        assert WRONG_PAYOUT not in "\n".join(screen(app))
        await press(pilot, "f")
        shown = "\n".join(screen(app))
        for word in ("PLAYER", "Player pays 1 to 1", WRONG_PAYOUT, "bet 1 paid 30.00", "quit"):
            assert word in shown, word

    drive(play, size=(50, 14))


def test_the_keys_are_at_the_foot_and_go_where_there_is_no_room():
    async def play(app, pilot):
        wide = text(app, "foot")
        for word in ("event", "coup", "finding", "play", "go to", "search", "help", "quit"):
            assert word in wide
        await pilot.resize_terminal(44, 20)
        await pilot.pause()
        narrow = text(app, "foot")
        assert "search" not in narrow
        assert "quit" in narrow
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        for word in ("finding", "play", "go to", "panel", "help", "quit"):
            assert word in text(app, "foot")

    drive(play)


@slow
def test_the_room_may_change():
    async def play(app, pilot):
        for size in ((120, 40), (80, 24), (30, 8), (120, 40)):
            await pilot.resize_terminal(*size)
            await press(pilot, "right")
            assert len(screen(app)) == size[1]
        assert "cards out" in "\n".join(screen(app))

    drive(play)


# -- The pointer -------------------------------------------------------------------------------


def test_a_click_on_the_time_line_a_finding_a_event_and_a_key():
    async def play(app, pilot):
        await pilot.click("#timeline", offset=(app.query_one("#timeline").size.width - 10, 0))
        await pilot.pause()
        assert app.reel.position == len(app.reel)
        await pilot.click("#findings", offset=(10, 1))
        await pilot.pause()
        assert app.reel.event.payload == ev.BetPaid(2, 1, 3000)
        await pilot.click("#events", offset=(20, 1))
        await pilot.pause()
        assert app.reel.position < at(app.reel, ev.BetPaid(2, 1, 3000))
        await pilot.click("#foot", offset=(text(app, "foot").index("finding") + 1, 0))
        await pilot.pause()
        assert app.reel.event.payload == ev.BetPaid(2, 1, 3000)
        await pilot.click("#hands", offset=(5, 3))
        await pilot.pause()
        assert app.reel.event.payload == ev.BetPaid(2, 1, 3000)

    drive(play)


# -- Whatever was recorded ---------------------------------------------------------------------


@slow
@settings(max_examples=100 if FULL else 3, phases=NO_SHRINKING)
@given(
    st.lists(any_events.payloads(), max_size=25),
    st.booleans(),
    st.sampled_from([(120, 40), (80, 24), (30, 10)]),
    st.lists(
        st.sampled_from(
            ["right", "left", "down", "up", "f", "F", "end", "home", "tab", "space", "n"]
        ),
        min_size=3,
        max_size=10,
    ),
)
def test_no_history_is_too_absurd(payloads, begun, size, keys):
    async def play(app, pilot):
        await press(pilot, "end", *keys)
        screen(app)
        app.run_for(60)

    events = events_of([*([any_events.loaded()] if begun else []), *payloads], "shoe/x")
    drive(play, Playback("shoe/x", events), size=size)


def test_an_empty_shoe_can_be_looked_at():
    async def play(app, pilot):
        await press(pilot, "right", "f", "space", "down", "slash", *"x", "enter")
        assert "no events" in text(app, "now")

    drive(play, Playback("shoe/x", []))


# -- Through a terminal ------------------------------------------------------------------------


def in_terminal(
    arguments: list[str], keys: bytes, awaited: bytes, environment: dict[str, str]
) -> tuple[int, bytes]:
    """Run the program on a terminal of 100 by 30. Press keys once something has been drawn."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 100, 0, 0))
    program = Program(
        [*SABOT, *arguments],
        stdin=follower,
        stdout=follower,
        stderr=follower,
        env={**os.environ, "TERM": "xterm-256color", **environment},
        start_new_session=True,
    )
    os.close(follower)
    drawn, pressed, until = b"", False, time.monotonic() + 60
    try:
        while time.monotonic() < until:
            if select.select([leader], [], [], 0.1)[0]:
                try:
                    piece = os.read(leader, 65536)
                except OSError:  # the other end is closed
                    break
                drawn += piece
            if not pressed and awaited in drawn:
                os.write(leader, keys)
                pressed = True
        return program.wait(timeout=30), drawn
    finally:
        program.kill()
        program.wait()
        os.close(leader)


@pytest.fixture
def recorded(sqlite_url: str) -> str:
    with EventLog.open(sqlite_url) as log:
        log.append([NewEvent("shoe/H-1", event.payload, event.at_us) for event in evening().events])
    return sqlite_url


def test_on_a_terminal_it_takes_the_whole_screen_and_gives_it_back(recorded):
    arguments = ["replay", "H-1", "--database", recorded]
    code, drawn = in_terminal(arguments, b"fq", b"quit", {"NO_COLOR": ""})
    assert code == 0
    assert b"\x1b[?1049h" in drawn
    assert drawn.rindex(b"\x1b[?1049l") > drawn.rindex(b"\x1b[?1049h")
    assert WRONG_PAYOUT.encode() in drawn


def test_without_colour_no_colour_reaches_the_terminal(recorded):
    arguments = ["replay", "H-1", "--database", recorded, "--to-finding"]
    code, drawn = in_terminal(arguments, b"q", b"quit", {"NO_COLOR": "1"})
    assert code == 0
    assert WRONG_PAYOUT.encode() in drawn
    styles = [
        style for group in re.findall(rb"\x1b\[([0-9;]*)m", drawn) for style in group.split(b";")
    ]
    coloured = {style for style in styles if re.fullmatch(rb"3[0-8]|4[0-8]|9[0-7]|10[0-7]", style)}
    assert not coloured
