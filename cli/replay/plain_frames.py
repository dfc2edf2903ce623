"""The replay as text, for pipes, screen readers and comparisons."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Final

from rich.text import Text

from sabot.cli.replay import view_bets, view_log, view_roads, view_rules, view_shoe
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.scene import Scene, View, safe, scene_of
from sabot.cli.settings import show_time
from sabot.cli.text.pages import Line
from sabot.domain.events import CardDrawn

_WHOLE: Final = 5_000
"""A width in columns at which nothing is cut off. The page breaks the lines."""
_MANY: Final = 10_000
_IN_TEXT: Final = 5
"""The number of rows at which hands are written instead of drawn."""
_FOUR: Final = 4
_AFTER_MARKS: Final = 5
"""The column at which the line of an event continues."""


def _in_full(view: View, height: int = _MANY) -> Callable[[Scene, int], list[Text]]:
    """Return a view of text alone. It is as wide as its text."""
    return lambda scene, _width: view(scene, _WHOLE, height)


def _drawn(view: View) -> Callable[[Scene, int], list[Text]]:
    """Return a view with a drawing, which fits the width."""
    return lambda scene, width: view(scene, width, _MANY)


_HANDS: Final = _in_full(view_shoe.hands, _IN_TEXT)

_FRAME: Final[tuple[tuple[str, Callable[[Scene, int], list[Text]]], ...]] = (
    ("layout", _HANDS),
    ("bets", view_bets.whole),
    ("rule", _in_full(view_rules.rule)),
    ("findings", _in_full(view_rules.findings)),
    ("shoe", _drawn(view_shoe.shoe)),
    ("roads", _drawn(view_roads.roads)),
)


def frame(reel: Playback, width: int) -> Iterator[Line]:
    """Yield the lines of the current moment, panel by panel."""
    scene = scene_of(reel)
    yield view_log.position_said(scene)
    yield from _written(view_log.now(scene, _WHOLE, _MANY))
    for title, view in _FRAME:
        yield ""
        yield f"-- {title} --"
        yield from _written(view(scene, width))


def blocks(reel: Playback, width: int) -> Iterator[Line]:
    """Yield the lines of the whole shoe, with a block for each coup."""
    starts = sorted({1, *reel.coup_starts.values(), len(reel) + 1})
    for start, after in pairwise(starts):
        if start > 1:
            yield ""
        yield from _block(reel, start, after, width)


def block_of(reel: Playback, coup: int, width: int) -> Iterator[Line]:
    """Yield the lines of one coup.

    Raises:
        NotFound: the shoe has no such coup.
    """
    reel.to_coup(coup)
    start = reel.position
    later = [other for other in reel.coup_starts.values() if other > start]
    yield from _block(reel, start, min(later, default=len(reel) + 1), width)


def _block(reel: Playback, start: int, after: int, width: int) -> Iterator[Line]:
    """Yield the lines of a range of events, with layout, bets and findings."""
    coups = [coup for coup, position in reel.coup_starts.items() if start <= position < after]
    yield _title(reel, start, after, coups)
    for position in range(start, after):
        reel.seek(position)
        yield view_log.line_of(reel, position, len(reel) + 1, zoned=True).plain, _AFTER_MARKS
        for later in reel.corrections_of(position):
            yield f"     {view_log.corrected(reel, later).plain}"
        if _says_why(reel):
            yield from (f"     {safe(line)}" for line in reel.ruling.lines)
    scene = scene_of(reel)
    if scene.coup is not None and scene.coup.number in coups:
        yield from _written(_HANDS(scene, width))
        yield from _written(view_bets.whole(scene, width))
    for mark in reel.marks:
        if start <= mark.position < after:
            yield from _written(view_rules.in_full(mark, _WHOLE))


def _title(reel: Playback, start: int, after: int, coups: Sequence[int]) -> str:
    first, last = reel.events[start - 1], reel.events[after - 2]
    what = f"coup {coups[0]} of {len(reel.coup_starts)}" if coups else "before the first coup"
    clock = reel.clocks[start - 1]
    return safe(
        f"== shoe {reel.name} · {what} · events #{first.index} to #{last.index} · "
        f"{show_time(clock)}"
    )


def _says_why(reel: Playback) -> bool:
    """Return whether the rule explains a third card or why Banker stood."""
    payload = reel.event.payload if reel.event is not None else None
    drawn = (
        isinstance(payload, CardDrawn) and reel.coup is not None and len(reel.coup.cards) > _FOUR
    )
    return drawn or reel.ruling.banker_row is not None


def _written(lines: Iterable[Text]) -> list[str]:
    return [line.plain for line in lines]
