"""The keys of the replay: one table, for the bindings, the line at the foot, and the help."""

from typing import Final

from msgspec import Struct


class Key(Struct, frozen=True):
    """A key, or some that do the same, and what it does.

    ``keys`` are Textual's names, apart by commas; ``sign`` is how people see them. ``brief``
    is the word at the foot of the screen, where there is one; the greater ``rank``, the sooner
    it gives way on a narrow terminal.
    """

    keys: str
    action: str
    sign: str
    does: str
    brief: str = ""
    rank: int = 9


KEYS: Final = (
    Key("right,l", "step(1)", "→ l", "the next fact"),
    Key("left,h", "step(-1)", "← h", "the fact before"),
    Key("down,j,pagedown", "coup(1)", "↓ j", "the next coup"),
    Key("up,k,pageup", "coup(-1)", "↑ k", "this coup's opening, then the coup before"),
    Key("f", "finding(1)", "f", "the next finding", "finding", 1),
    Key("F,b", "finding(-1)", "F b", "the finding before"),
    Key("home", "seek(1)", "Home", "the beginning of the shoe"),
    Key("end", "seek(-1)", "End", "the end of the shoe"),
    Key("space", "play", "space", "play, and halt", "play", 2),
    Key("plus,equals_sign", "speed(1)", "+", "twice as fast, up to 64 times"),
    Key("minus", "speed(-1)", "-", "half as fast"),
    Key("t", "tempo", "t", "by the table's clock, or at a steady pace", "tempo", 8),
    Key("s", "stops", "s", "halt where a finding shows, or run on", "stops", 7),
    Key("g,colon", "ask('go')", "g", "go to a coup, a fact, a time", "go to", 4),
    Key("slash", "ask('search')", "/", "search names, cards, wagers, devices", "search", 5),
    Key("n", "again(1)", "n", "the next fact that was searched for"),
    Key("N", "again(-1)", "N", "the one before that was searched for"),
    Key("tab", "panel(1)", "Tab", "another panel, where not all have room", "panel", 3),
    Key("shift+tab", "panel(-1)", "⇧Tab", "the panel before"),
    Key("question_mark,f1", "help", "?", "these keys", "help", 0),
    Key("q,ctrl+q", "quit", "q", "leave", "quit", -1),
)

PAIRS: Final = (
    ("←→", "fact", 0),
    ("↑↓", "coup", 0),
)
"""Keys that stand at the foot as a pair: their signs, the word, the rank."""
