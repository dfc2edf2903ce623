"""The full-screen replay in a terminal."""

import time
from collections.abc import Iterator
from typing import ClassVar, Final

from textual.app import App, ComposeResult
from textual.binding import Binding
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.widgets import Input

from sabot.cli.output import printable
from sabot.cli.replay import view_bets, view_log, view_roads, view_rules, view_shoe
from sabot.cli.replay.jump import GRAMMAR, go
from sabot.cli.replay.keys import CSS, KEYS, THEME
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.scene import Scene, scene_of
from sabot.cli.replay.speed import Speed
from sabot.cli.replay.widgets import Foot, Help, Panel, State, TimeLine
from sabot.domain.values.errors import BadInput, NotFound

FRAME_S: Final = 1 / 30
WIDE: Final = 100
TALL: Final = 36
"""Columns and rows below which the panels take turns; below the next two few panels remain."""
NARROW: Final = 64
SHORT: Final = 18
SWITCHED: Final = ("findings", "roads", "shoe", "events")
"""Panels of which a small terminal shows one at a time."""
_EDGE: Final = {True: "the end of the shoe", False: "the beginning of the shoe"}


class Replay(App[None]):
    """The replay of a shoe: every event, with the table at that moment and the applied rule."""

    CSS = CSS
    AUTO_FOCUS = None
    ENABLE_COMMAND_PALETTE = False
    BINDINGS: ClassVar = [
        *(
            # a screen would otherwise use Tab itself
            Binding(key.keys, key.action, key.does, show=False, priority="tab" in key.keys)
            for key in KEYS
        ),
        Binding("escape", "close_field", "close", show=False),
        Binding("ctrl+c", "quit", "quit", show=False, priority=True),
    ]

    def __init__(self, reel: Playback, tempo: Speed | None = None, *, native: bool = False) -> None:
        """Take a playback at its current position.

        ``native`` leaves all colours to the terminal.
        """
        super().__init__(ansi_color=native or None)
        self.reel = reel
        self.tempo = tempo or Speed()
        self._views: list[Panel] = []
        self._last_tick_s = 0.0
        self._asked = ""
        self._words = ""
        self._switched = 0

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        self._views = list(self._make_views())
        by_id = {panel.id: panel for panel in self._views}
        yield by_id["head"]
        with Horizontal(id="body"):
            with Vertical(id="left"):
                yield from (by_id["hands"], by_id["bets"], by_id["roads"])
            with Vertical(id="right"):
                yield from (
                    by_id["rule"],
                    *(by_id[name] for name in ("findings", "shoe", "events")),
                )
        yield by_id["now"]
        with Horizontal(id="line"):
            yield State(self.tempo)
            yield by_id["timeline"]
        yield Foot()
        yield Input(id="ask", compact=True)

    def _make_views(self) -> Iterator[Panel]:
        yield Panel(view_log.head, id="head")
        yield Panel(view_shoe.hands, id="hands", title="layout")
        yield Panel(view_bets.bets, id="bets", title="bets")
        yield Panel(view_roads.roads, id="roads", title="roads")
        yield Panel(view_rules.rule, id="rule", title="rule")
        yield Panel(view_rules.findings, id="findings", title="findings")
        yield Panel(view_shoe.shoe, id="shoe", title="shoe")
        yield Panel(view_log.payloads, id="events", title="events")
        yield Panel(view_log.now, id="now")
        yield TimeLine()

    def on_mount(self) -> None:
        """Start the clock and draw the first picture."""
        self.register_theme(THEME)
        if not self.native_ansi_color:
            self.theme = THEME.name
        self.title = f"sabot replay {printable(self.reel.name)}"
        self._last_tick_s = time.monotonic()
        self.set_interval(FRAME_S, self._tick)
        self._switch(0)
        self.show()

    def on_resize(self, event: Resize) -> None:
        """Choose the layout for the new size."""
        width, height = event.size
        compact = width < WIDE or height < TALL
        self.screen_stack[0].set_class(compact, "-compact")
        self.screen_stack[0].set_class(width < NARROW or height < SHORT, "-tiny")

    def show(self) -> None:
        """Draw the current moment."""
        scene = scene_of(self.reel)
        for view in self._views:
            view.show(scene)
        findings = self._view("findings")
        findings.set_class(bool(scene.here), "-here")
        count = len(self.reel.marks)
        findings.border_title = f"findings {count}" if count else "findings"
        self._view("hands").border_title = _coup_words(scene)
        self._view("bets").border_title = f"bets {printable(scene.felt.currency)}".rstrip()

    def _view(self, name: str) -> Panel:
        return next(view for view in self._views if view.id == name)

    def _tick(self) -> None:
        now_s = time.monotonic()
        elapsed_s, self._last_tick_s = now_s - self._last_tick_s, now_s
        self.run_for(elapsed_s)

    def run_for(self, elapsed_s: float) -> None:
        """Advance the playback by an elapsed time, in seconds."""
        was_playing = self.tempo.playing
        if self.tempo.advance(self.reel, elapsed_s):
            self.show()
        if self.tempo.playing != was_playing:
            self._refresh_state()

    def _moved(self, moved: bool, otherwise: str) -> None:
        """Redraw after a manual move, which pauses the playback.

        The message ``otherwise`` is shown if the move changed nothing.
        """
        self.tempo.play(playing=False)
        self._say("" if moved else otherwise)
        self._refresh_state()
        self.show()

    def _say(self, message: str) -> None:
        self.query_one(Foot).say(printable(message))

    def _refresh_state(self) -> None:
        self.query_one(State).refresh()

    # -- What keys do ------------------------------------------------------------------------

    def action_step(self, by: int) -> None:
        """Go one event forward or back."""
        self._moved(self.reel.step(by), _EDGE[by > 0])

    def action_coup(self, by: int) -> None:
        """Go to the next coup or the one before."""
        moved = self.reel.next_coup() if by > 0 else self.reel.previous_coup()
        self._moved(moved, _EDGE[by > 0])

    def action_finding(self, by: int) -> None:
        """Go to the next finding or the one before."""
        moved = self.reel.next_finding() if by > 0 else self.reel.previous_finding()
        where = "after" if by > 0 else "before"
        self._moved(moved, f"no finding {where} this event" if self.reel.marks else "nothing found")

    def action_seek(self, position: int) -> None:
        """Go to a position; -1 is the end."""
        self.reel.seek(len(self.reel) if position < 0 else position)
        self._moved(moved=True, otherwise="")

    def action_play(self) -> None:
        """Play or pause. At the end, play from the beginning."""
        if not self.tempo.playing and self.reel.position >= len(self.reel):
            self.reel.seek(1)
            self.show()
        self.tempo.play(not self.tempo.playing)
        self._say("")
        self._refresh_state()

    def action_speed(self, by: int) -> None:
        """Play faster or slower."""
        if by > 0:
            self.tempo.faster()
        else:
            self.tempo.slower()
        self._refresh_state()

    def action_tempo(self) -> None:
        """Switch between the table's clock and a steady pace."""
        self.tempo.by_clock = not self.tempo.by_clock
        self._say("by the table's clock" if self.tempo.by_clock else "at a steady pace")
        self._refresh_state()

    def action_stops(self) -> None:
        """Switch whether the playback pauses at findings."""
        self.tempo.stops = not self.tempo.stops
        self._say("halts at findings" if self.tempo.stops else "runs on past findings")
        self._refresh_state()

    def action_panel(self, by: int) -> None:
        """Show another of the panels that share a place on a small terminal."""
        self._switch(self._switched + by)

    def _switch(self, to: int) -> None:
        self._switched = to % len(SWITCHED)
        for n, name in enumerate(SWITCHED):
            self.screen_stack[0].set_class(n == self._switched, f"-{name}")

    def action_help(self) -> None:
        """Show the effects of all keys."""
        self.tempo.play(playing=False)
        self._refresh_state()
        self.push_screen(Help())

    # -- Asking ------------------------------------------------------------------------------

    def action_ask(self, what: str) -> None:
        """Open the field for a place to go to or for words to search."""
        self._asked = what
        field = self.query_one(Input)
        field.placeholder = (
            GRAMMAR if what == "go" else "words of an event: a patron, a card, a wager"
        )
        field.value = ""
        field.add_class("-open")
        self.query_one(Foot).display = False
        field.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go to the entered place, or search. Show a message on failure."""
        self._close_field()
        if self._asked == "search":
            self._words = event.value
            self.action_again(1)
        elif event.value.strip():
            self._go(event.value)

    def _go(self, where: str) -> None:
        try:
            go(self.reel, where)
        except BadInput:
            self._say(f"{where!r} is not a place of a shoe; write {GRAMMAR}")
        except NotFound as error:
            self._say(str(error))
        else:
            self._moved(moved=True, otherwise="")

    def action_again(self, by: int) -> None:
        """Repeat the search, forward or back."""
        if not self._words.strip():
            self._say("nothing to search for: press / and type words")
            return
        found = self.reel.search(self._words, back=by < 0)
        where = "after" if by > 0 else "before"
        self._moved(found, f"no event {where} this one mentions {self._words!r}")

    def action_close_field(self) -> None:
        """Close the field without using it."""
        self._close_field()
        self._say("")

    def _close_field(self) -> None:
        self.query_one(Input).remove_class("-open")
        self.query_one(Foot).display = True
        self.set_focus(None)


def _coup_words(scene: Scene) -> str:
    """Return the coup on the layout as text, with its special state."""
    if scene.coup is None:
        return "felt"
    free = ", a free hand" if scene.coup.free else ""
    over = ", void" if scene.coup.voided else ", over" if scene.coup.closed else ""
    return f"coup {scene.coup.number}{free}{over}"
