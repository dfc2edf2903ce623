"""The look of the replay: a green felt in a dim room."""

from typing import Final

from textual.theme import Theme

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

#hands, #bets, #roads, #rule, #findings, #shoe, #facts {
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
#facts { height: 6; }
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
.-compact #roads, .-compact #shoe, .-compact #facts { display: none; }
.-compact #bets, .-compact #findings { padding: 0; }
.-compact.-shoe #findings, .-compact.-facts #findings { display: none; }
.-compact.-shoe #shoe, .-compact.-facts #facts { display: block; height: 1fr; padding: 0; }
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
.-tiny.-shoe #shoe, .-tiny.-facts #facts { height: 1fr; }

Help { align: center middle; background: $background 60%; }
#help {
    width: 76; max-width: 95%; height: auto; max-height: 95%;
    border: round $accent; background: $surface; padding: 1 2;
}
"""
