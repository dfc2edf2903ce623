"""Keys and style of the replay.

Bindings, footer and help use the keys. The style is a green layout on a dark screen.
"""

from typing import Final

from msgspec import Struct
from textual.theme import Theme


class Key(Struct, frozen=True):
    """A key, or several keys with the same effect.

    ``keys`` are Textual's names, separated by commas; ``sign`` is the label shown to users.
    ``brief`` is the word in the footer, if any. On a narrow terminal the highest ``rank`` is
    dropped first.
    """

    keys: str
    action: str
    sign: str
    does: str
    brief: str = ""
    rank: int = 9


KEYS: Final = (
    Key("right,l", "step(1)", "→ l", "the next event"),
    Key("left,h", "step(-1)", "← h", "the previous event"),
    Key("down,j,pagedown", "coup(1)", "↓ j", "the next coup"),
    Key("up,k,pageup", "coup(-1)", "↑ k", "the opening of this coup, then the previous coup"),
    Key("f", "finding(1)", "f", "the next finding", "finding", 1),
    Key("F,b", "finding(-1)", "F b", "the previous finding"),
    Key("home", "seek(1)", "Home", "the beginning of the shoe"),
    Key("end", "seek(-1)", "End", "the end of the shoe"),
    Key("space", "play", "space", "play, and halt", "play", 2),
    Key("plus,equals_sign", "speed(1)", "+", "twice as fast, up to 64 times"),
    Key("minus", "speed(-1)", "-", "half as fast"),
    Key("t", "tempo", "t", "by the table's clock, or at a steady pace", "tempo", 8),
    Key("s", "stops", "s", "pause at findings, or run on", "stops", 7),
    Key("g,colon", "ask('go')", "g", "go to a coup, an event, a time", "go to", 4),
    Key("slash", "ask('search')", "/", "search names, cards, wagers, devices", "search", 5),
    Key("n", "again(1)", "n", "the next event found by the search"),
    Key("N", "again(-1)", "N", "the previous event found by the search"),
    Key("tab", "panel(1)", "Tab", "the next panel, if not all fit", "panel", 3),
    Key("shift+tab", "panel(-1)", "⇧Tab", "the previous panel"),
    Key("question_mark,f1", "help", "?", "these keys", "help", 0),
    Key("q,ctrl+q", "quit", "q", "leave", "quit", -1),
)

PAIRS: Final = (
    ("←→", "event", 0),
    ("↑↓", "coup", 0),
)
"""Keys shown in the footer as a pair: their signs, the word, the rank."""


THEME: Final = Theme(
    name="felt",
    primary="#7ee787",
    secondary="#6cb6ff",
    warning="#e3b341",
    error="#ff7b72",
    success="#7ee787",
    accent="#e3b341",
    foreground="#d5e3db",
    background="#0a1410",
    surface="#0d1b16",
    panel="#12281f",
    dark=True,
)

CSS: Final = """
Screen { background: $background; color: $foreground; layers: base; }
Panel { text-wrap: nowrap; text-overflow: clip; }

#head { height: 1; background: $panel; }
#body { height: 1fr; }
#left { width: 8fr; }
#right { width: 5fr; min-width: 34; }

#hands, #bets, #roads, #rule, #findings, #shoe, #events {
    border: round #2f5545;
    border-title-color: #9db8aa;
    padding: 0 1;
}
#hands { height: 10; background: #0f2a20; border: round #3f7a5f; }
#bets { height: 1fr; }
#roads { height: 16; }
#rule { height: 11; }
#findings { height: 1fr; }
#shoe { height: 8; }
#events { height: 6; }
#findings.-here { border: round $error; border-title-color: $error; }

#now { height: 2; background: $panel; padding: 0 1; }
#line { height: 1; }
#state { width: 16; height: 1; }
#timeline { width: 1fr; height: 1; padding: 0 1 0 0; }
#foot { height: 1; }
#ask { display: none; height: 1; border: none; padding: 0 1; background: $panel; }
#ask.-open { display: block; }

.-compact #hands { height: 8; }
.-compact #rule { height: 9; padding: 0; }
.-compact #roads, .-compact #shoe, .-compact #events { display: none; }
.-compact #bets, .-compact #findings { padding: 0; }
.-compact.-shoe #findings, .-compact.-events #findings { display: none; }
.-compact.-shoe #shoe, .-compact.-events #events { display: block; height: 1fr; padding: 0; }
.-compact.-roads #roads { display: block; height: 1fr; }
.-compact.-roads #bets { display: none; }

.-tiny #body { layout: vertical; }
.-tiny #left, .-tiny #right { width: 1fr; height: auto; min-width: 0; }
.-tiny #right { height: 1fr; }
.-tiny #hands { height: 3; border: none; padding: 0; }
.-tiny #rule { height: 1fr; border: none; padding: 0; }
.-tiny #bets, .-tiny #findings { display: none; }
.-tiny #now { height: 1; }
.-tiny #findings.-here { display: block; height: 1fr; border: none; padding: 0; }
.-tiny.-shoe #shoe, .-tiny.-events #events { height: 1fr; }

Help { align: center middle; background: $background 60%; }
#help {
    width: 76; max-width: 95%; height: auto; max-height: 95%;
    border: round $accent; background: $surface; padding: 1 2;
}
"""
