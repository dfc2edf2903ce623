"""The screen that says what every key does."""

from typing import ClassVar

from rich.table import Table
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import VerticalScroll
from textual.screen import ModalScreen
from textual.widgets import Static

from cli.replay.jump import GRAMMAR
from cli.replay.keys import KEYS
from cli.replay.scene import FAINT, SEVERITY, TIE, ink

_SIGNS = (
    ("▸", "this moment's fact, or the hand or bet that it speaks of"),
    ("✓ ✗", "a bet settled as it is due; one that a finding names"),
    ("↺", "a fact that a later one corrects: shown as it was recorded then"),
    ("D S", "draws, stands: banco's row of the tableau, by the value of punto's third card"),
    ("!", "the play halts where a finding shows"),
    ("● ○", "Banker and red, Player and blue on the roads; / and numbers are ties"),
    ("' . :", "a pair of the Player hand, of the Banker's, of both, on the bead plate"),
)


class Help(ModalScreen[None]):
    """Every key and every sign."""

    BINDINGS: ClassVar = [
        Binding("escape,q,question_mark,f1,space,enter", "app.pop_screen", "close")
    ]

    def compose(self) -> ComposeResult:
        """Lay out the page."""
        with VerticalScroll(id="help"):
            yield Static(_page())

    def on_mount(self) -> None:
        """Let the arrow keys scroll it."""
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
