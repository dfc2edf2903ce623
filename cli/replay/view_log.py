"""The position in the replay: the head line, the surrounding events and the time line."""

from collections.abc import Iterator
from typing import Final

from rich.cells import cell_len
from rich.text import Text

from sabot.cli.replay.playback import Playback
from sabot.cli.replay.scene import (
    BANKER,
    FAINT,
    GOLD,
    SEVERITY,
    TIE,
    Scene,
    clock,
    day,
    fit,
    ink,
    offset,
    safe,
    window,
)
from sabot.cli.settings import show_time
from sabot.cli.table_view.felt_drawing import pack_said
from sabot.domain.events import EventCorrected, name_of
from sabot.domain.events.envelope import RecordedEvent

_NAME: Final = " sabot "
_CLOCK: Final = 8
"""The width of a time of day in columns."""


def head(scene: Scene, width: int, _height: int) -> list[Text]:
    """Draw the shoe's name and the position in it, shortened until both fit."""
    left, right = _fitting(scene, width - len(_NAME) - 1)
    line = ink(_NAME, f"bold reverse {TIE}").append(" ").append(left, style="bold")
    if line.cell_len + len(right) > width:
        line.truncate(max(0, width - len(right)), overflow="ellipsis")
    line.append(" " * max(0, width - line.cell_len - len(right)))
    return fit([line.append(right, style=FAINT)], width, 1)


def position_said(scene: Scene) -> str:
    """Return the shoe's name and the position in it as one line of text."""
    at_us = scene.event.at_us if scene.event is not None else None
    time = [] if at_us is None else [show_time(at_us)]
    return " · ".join([next(_names(scene)), _position(scene), *time])


def _fitting(scene: Scene, room: int) -> tuple[str, str]:
    names = list(_names(scene))
    for place in _places(scene):
        for name in names[:2]:
            if cell_len(name) + len(place) <= room:
                return name, place
    return names[-1], f" {scene.position}/{len(scene.reel)} "


def _names(scene: Scene) -> Iterator[str]:
    felt = scene.felt
    names = [f"shoe {felt.shoe}", *([f"table {felt.table}"] if felt.table else [])]
    pack = pack_said(felt)
    if felt.decks:
        yield safe(" · ".join([*names, pack, f"{felt.decks} decks"]))
    yield safe(" · ".join([*names, pack]))


def _position(scene: Scene) -> str:
    """Return the coup and the event of a moment."""
    coup = f"coup {scene.coup.number} of {len(scene.reel.coup_starts)} · " if scene.coup else ""
    return f"{coup}event {scene.position} of {len(scene.reel)}"


def _places(scene: Scene) -> Iterator[str]:
    """Yield the position as text, longest first: the coup, the event, the table's clock."""
    us = scene.event.at_us if scene.event is not None else None
    position = _position(scene)
    if us is not None:
        yield f" {position} · {day(us)} {clock(us)}{offset(us)} "
        yield f" {position} · {clock(us)}{offset(us)} "
    yield f" {position} "
    if scene.coup is not None:
        yield f" coup {scene.coup.number} · {scene.position}/{len(scene.reel)} "


def now(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw this moment's event, its source and any later correction."""
    event = scene.event
    if event is None:
        return fit([ink("no events", FAINT)], width, height)
    mended = scene.reel.corrections_of(scene.position)
    lines = [line_of(scene.reel, scene.position, scene.position, zoned=True)]
    lines += [corrected(scene.reel, later) for later in mended]
    return fit([*lines, _source(event)], width, height)


def payloads(scene: Scene, width: int, height: int) -> list[Text]:
    """List the events around this one."""
    rows = window(len(scene.reel), height, scene.position - 1)
    return fit([line_of(scene.reel, n + 1, scene.position) for n in rows], width, height)


def line_of(reel: Playback, position: int, now_at: int, *, zoned: bool = False) -> Text:
    """Draw one event: marks for findings and corrections, index, time and text.

    ``zoned`` adds the difference from UTC to the time.
    """
    event = reel.events[position - 1]
    here = position == now_at
    line = ink("▸" if here else " ", f"bold {GOLD}")
    line.append_text(flags(reel, position, event))
    zone = offset(event.at_us) if zoned else ""
    line.append(f"#{event.index} {clock(event.at_us)}{zone} ", style=FAINT)
    style = "bold" if here else "" if position < now_at else FAINT
    line.append(safe(reel.told(event.payload)), style=style)
    line.apply_meta({"position": position})
    return line


def flags(reel: Playback, position: int, event: RecordedEvent) -> Text:
    """Return the marks of an event with findings or a later correction."""
    found = reel.findings_of(event)
    flag = Text(" ")
    if found:
        worst = min(found, key=lambda finding: tuple(SEVERITY).index(finding.severity))
        sign, colour = SEVERITY[worst.severity]
        flag = ink(sign, f"bold {colour}")
    mended = "↺" if reel.corrections_of(position) else " "
    return flag.append(mended, style=f"bold {GOLD}")


def _source(event: RecordedEvent) -> Text:
    """Draw the source of an event: actor, device and time of recording."""
    source = [name_of(event.payload), f"event {event.version} of the shoe"]
    if event.actor:
        source.append(f"by {event.actor}")
    if event.device:
        number = f", its event {event.seq}" if event.seq is not None else ""
        source.append(f"device {event.device}{number}")
    if event.at_us is None or clock(event.recorded_us) != clock(event.at_us):
        source.append(f"recorded {show_time(event.recorded_us)}")
    return ink(safe("   " + " · ".join(source)), FAINT)


def corrected(reel: Playback, later: RecordedEvent[EventCorrected]) -> Text:
    """Draw the effect of a later correction on an event."""
    instead = later.payload.instead
    what = "it did not happen" if instead is None else "instead: " + reel.told(instead)
    said = f"corrected later by #{later.index} ({later.payload.reason}): {what}"
    return ink("↺ ", f"bold {GOLD}").append(safe(said), style=GOLD)


# -- The time line ----------------------------------------------------------------------------


def timeline(scene: Scene, width: int, _height: int) -> list[Text]:
    """Draw the whole shoe as a line with the current position and the findings."""
    reel = scene.reel
    if not len(reel):
        return fit([ink("─" * width, FAINT)], width, 1)
    start, room = _bar(width)
    at = _column(scene.position, len(reel), room)
    line = ink("━" * at, TIE).append("─" * (room - at), style=FAINT)
    cells = {column: sign for column, sign in _signs(reel, room).items() if column != at}
    cells[at] = ("●", f"bold {TIE}") if not scene.here else ("●", f"bold {BANKER}")
    for column, (sign, style) in cells.items():
        line = line[:column].append(sign, style=style).append_text(line[column + 1 :])
    if start:
        first, last = clock(reel.clocks[0]), clock(reel.clocks[-1])
        line = ink(f"{first} ", FAINT) + line + ink(f" {last}", FAINT)
    return fit([line], width, 1)


def position_at(reel: Playback, column: int, width: int) -> int:
    """Return the position at a column of the time line."""
    start, room = _bar(width)
    share = (column - start) / max(1, room - 1)
    return round(1 + share * (len(reel) - 1))


def _bar(width: int) -> tuple[int, int]:
    """Return the start and length of the bar in columns.

    Clocks are at its ends if there is room.
    """
    clocks = _CLOCK + 1 if width >= 4 * _CLOCK else 0
    return clocks, max(1, width - 2 * clocks)


def _column(position: int, count: int, room: int) -> int:
    return (position - 1) * (room - 1) // max(1, count - 1)


def _signs(reel: Playback, room: int) -> dict[int, tuple[str, str]]:
    """Return the mark of the most severe finding in each column of the bar."""
    ranks = tuple(SEVERITY)
    signs: dict[int, tuple[str, str]] = {}
    for mark in sorted(reel.marks, key=lambda m: -ranks.index(m.finding.severity)):
        sign, colour = SEVERITY[mark.finding.severity]
        signs[_column(mark.position, len(reel), room)] = (sign, f"bold {colour}")
    return signs
