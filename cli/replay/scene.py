"""The data of one moment that the panels show, and helpers for their lines."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from io import StringIO
from typing import Final

from msgspec import Struct
from rich.console import Console
from rich.text import Text

from sabot.cli.output import printable
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.rule_text import Ruling
from sabot.cli.settings import local_time
from sabot.domain.audit import Finding
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.views.table_view import Felt, felt_of

PLAYER: Final = "#6cb6ff"
BANKER: Final = "#ff7b72"
TIE: Final = "#7ee787"
VOID: Final = "#e3b341"
SIDE: Final = {"P": PLAYER, "B": BANKER, "T": TIE, "V": VOID, "player": PLAYER, "banker": BANKER}
"""The colours used in roads: Player blue, Banker red, tie green."""
GOLD: Final = "#e3b341"
FAINT: Final = "#8b9a93"

SEVERITY: Final = {
    "high": ("▲", BANKER),
    "medium": ("◆", GOLD),
    "low": ("●", PLAYER),
    "note": ("·", FAINT),
}
"""The sign and colour of a finding's severity; the sign is enough without colours."""

_WRAPPER: Final = Console(file=StringIO(), width=80, force_terminal=False, color_system=None)

safe: Final = printable


class Scene(Struct, frozen=True):
    """A moment of a replay.

    ``here`` are the findings whose evidence includes its event.
    """

    reel: Playback
    position: int
    event: RecordedEvent | None
    shoe: Shoe
    coup: Coup | None
    felt: Felt
    ruling: Ruling
    here: Sequence[Finding]


def scene_of(reel: Playback) -> Scene:
    """Return the current moment of a playback. It is valid until the position changes."""
    coup = reel.coup
    return Scene(
        reel=reel,
        position=reel.position,
        event=reel.event,
        shoe=reel.shoe,
        coup=coup,
        felt=felt_of(reel.shoe, coup.number if coup is not None else None),
        ruling=reel.ruling,
        here=reel.findings_of(reel.event),
    )


def ink(words: str, style: str = "") -> Text:
    """Return words in a style that does not affect text added later."""
    return Text().append(words, style=style)


View = Callable[[Scene, int, int], list[Text]]
"""A function that draws a moment within a number of columns and rows."""


def fit(lines: Iterable[Text], width: int, height: int) -> list[Text]:
    """Cut lines to the available size. A line that is cut ends with an ellipsis."""
    shown = list(lines)[: max(0, height)]
    for line in shown:
        line.no_wrap = True
        line.truncate(max(0, width), overflow="ellipsis")
    return shown


def wrap(text: Text, width: int, indent: int = 0) -> list[Text]:
    """Break a text into lines. Later lines are indented."""
    room = max(1, width - indent)
    first, *rest = text.wrap(_WRAPPER, room)
    for line in (first, *rest):
        line.rstrip()
    return [first, *(Text(" " * indent).append_text(line) for line in rest)]


def window(count: int, room: int, focus: int) -> range:
    """Return the range of rows to show, so that it includes the row in focus."""
    if room <= 0:
        return range(0)
    start = max(0, min(focus - room // 2, count - room))
    return range(start, min(count, start + room))


def clock(us: int | None) -> str:
    """Return a clock as the time of day in the chosen zone; ``--:--:--`` if there is none."""
    moment = _moment(us)
    return moment.strftime("%H:%M:%S") if moment is not None else "--:--:--"


def day(us: int | None) -> str:
    """Return a clock's day in the chosen zone. It is empty if there is none."""
    moment = _moment(us)
    return moment.date().isoformat() if moment is not None else ""


def offset(us: int | None) -> str:
    """Return the chosen zone's difference from UTC at a time: ``Z`` or, for example, ``+01:00``."""
    moment = _moment(us)
    return "" if moment is None else moment.isoformat("T", "seconds")[19:].replace("+00:00", "Z")


def _moment(us: int | None) -> datetime | None:
    return None if us is None else local_time(us)
