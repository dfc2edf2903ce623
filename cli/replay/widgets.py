"""Panels of the replay, each drawn by a view, and the help page."""

from typing import TYPE_CHECKING, ClassVar

from rich.table import Table
from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.geometry import Size
from textual.screen import ModalScreen
from textual.widget import Widget
from textual.widgets import Static

from sabot.cli.replay.jump import GRAMMAR
from sabot.cli.replay.keys import KEYS, PAIRS
from sabot.cli.replay.scene import FAINT, GOLD, SEVERITY, TIE, Scene, View, fit, ink
from sabot.cli.replay.speed import Speed
from sabot.cli.replay.view_log import position_at, timeline

if TYPE_CHECKING:
    from textual.app import RenderResult


class Panel(Widget):
    """A panel that draws a view of the moment. ``title`` is shown in its border."""

    def __init__(self, view: View, *, id: str, title: str = "") -> None:  # noqa: A002 - as Textual
        """Create a panel for a view."""
        super().__init__(id=id)
        self._view = view
        self._scene: Scene | None = None
        self._drawn = Text()
        self._drawn_for = Size(0, 0)
        self.border_title = title or None

    def show(self, scene: Scene) -> None:
        """Draw another moment; nothing is refreshed if the text is the same."""
        self._scene = scene
        before = self._drawn
        self._draw()
        if self._drawn != before:
            self.refresh()

    def render(self) -> "RenderResult":
        """Draw the moment at the current size."""
        if self._drawn_for != self.size:
            self._draw()
        return self._drawn

    def _draw(self) -> None:
        self._drawn_for = self.size
        width, height = self.size
        lines = self._view(self._scene, width, height) if self._scene is not None else []
        self._drawn = Text("\n").join(fit(lines, width, height))

    async def on_click(self, event: events.Click) -> None:
        """Go to the event of the clicked line."""
        position = event.style.meta.get("position")
        if isinstance(position, int):
            await self.app.run_action(f"seek({position})")


class TimeLine(Panel):
    """The whole shoe as a line. A click goes to that position."""

    def __init__(self) -> None:
        """Create the time line."""
        super().__init__(timeline, id="timeline")

    async def on_click(self, event: events.Click) -> None:
        """Go to the clicked position."""
        if self._scene is not None:
            position = position_at(self._scene.reel, event.x, self.size.width)
            await self.app.run_action(f"seek({position})")


class State(Widget):
    """The widget that shows whether the playback runs, how fast, and by which clock."""

    def __init__(self, tempo: Speed) -> None:
        """Show the playing speed of the replay."""
        super().__init__(id="state")
        self._tempo = tempo

    def render(self) -> "RenderResult":
        """Draw the state in a few symbols."""
        tempo = self._tempo
        text = ink(" ▶ " if tempo.playing else " ‖ ", f"bold {TIE if tempo.playing else FAINT}")
        text.append(f"{tempo.speed}x", style="bold" if tempo.playing else FAINT)
        text.append(" clock" if tempo.by_clock else " steady", style=FAINT)
        return text.append(" !" if tempo.stops else "  ", style=GOLD)


class Foot(Widget):
    """The footer with the most important keys, which can be clicked, or with a message."""

    def __init__(self) -> None:
        """Show the keys."""
        super().__init__(id="foot")
        self._message = ""

    def say(self, message: str) -> None:
        """Show a message; an empty one shows the keys again."""
        self._message = message
        self.refresh()

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the clicked key."""
        action = event.style.meta.get("action")
        if isinstance(action, str):
            await self.app.run_action(action)

    def render(self) -> "RenderResult":
        """Draw as many keys as fit."""
        width = self.size.width
        if self._message:
            return fit([ink(f" {self._message}", f"bold {GOLD}")], width, 1)[0]
        parts = [(sign, word, rank, "") for sign, word, rank in PAIRS]
        parts += [(key.sign, key.brief, key.rank, key.action) for key in KEYS if key.brief]
        needed = sum(len(sign) + len(word) + 4 for sign, word, _rank, _action in parts)
        gap = " " if needed <= width else ""
        while parts and sum(len(s) + len(w) + 3 + len(gap) for s, w, _r, _a in parts) > width:
            parts.remove(max(reversed(parts), key=lambda part: part[2]))
        line = Text()
        for sign, word, _rank, action in parts:
            key = ink(f" {sign} ", "bold reverse").append(f"{gap}{word} ", style=FAINT)
            if action:
                key.apply_meta({"action": action})
            line.append_text(key)
        return line


_SIGNS = (
    ("▸", "the current event, or its hand or bet"),
    ("✓ ✗", "a bet settled correctly; a bet with a finding"),
    ("↺", "an event that a later one corrects: shown as it was recorded then"),
    ("D S", "draws, stands: Banker's row of the tableau, by the value of Player's third card"),
    ("!", "playback pauses at a finding"),
    ("● ○", "Banker and red, Player and blue on the roads; / and numbers are ties"),
    ("' . :", "a pair of the Player hand, of the Banker's, of both, on the bead plate"),
)


class Help(ModalScreen[None]):
    """The help page on keys and signs."""

    BINDINGS: ClassVar = [
        Binding("escape,q,question_mark,f1,space,enter", "app.pop_screen", "close")
    ]

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        with VerticalScroll(id="help"):
            yield Static(_page())

    def on_mount(self) -> None:
        """Focus the page so that the arrow keys scroll it."""
        self.query_one("#help").border_title = "keys and signs"
        self.query_one("#help").border_subtitle = "Esc closes"
        self.query_one("#help").focus()


def _page() -> Table:
    page = Table.grid(padding=(0, 2))
    page.add_column(justify="right", no_wrap=True)
    page.add_column()
    for key in KEYS:
        page.add_row(ink(key.sign, "bold"), Text(key.does))
    page.add_row("", "")
    page.add_row(ink("g", "bold"), Text(GRAMMAR))
    page.add_row("", "")
    for severity, (sign, colour) in SEVERITY.items():
        page.add_row(ink(sign, f"bold {colour}"), Text(f"a finding, {severity}"))
    for sign, means in _SIGNS:
        page.add_row(ink(sign, f"bold {TIE}"), Text(means))
    page.add_row("", ink("the time line and the lists can be clicked", FAINT))
    return page
