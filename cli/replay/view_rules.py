"""The rule that applied at a moment, and the findings."""

from collections.abc import Iterator
from typing import Final

from rich.text import Text

from sabot.cli.replay.playback import Mark
from sabot.cli.replay.scene import BANKER, FAINT, GOLD, SEVERITY, TIE, Scene, fit, ink, safe, wrap
from sabot.domain.rules.third_card_table import BANKER_TABLE

_VALUES: Final = "0123456789"


def rule(scene: Scene, width: int, height: int) -> list[Text]:
    """Draw the rule that applied to this moment's event, and the next action due."""
    lines: list[Text] = []
    for sentence in scene.ruling.lines:
        lines += wrap(Text(safe(sentence)), width, indent=2)
    after: list[Text] = []
    if scene.ruling.refused and not scene.here:
        said = ink("the procedure refuses this: ", f"bold {GOLD}")
        after += wrap(said.append(safe(scene.ruling.refused)), width, indent=2)
    if scene.felt.due:
        due = ink("▸ due now: ", f"bold {TIE}")
        after += wrap(due.append(safe(scene.felt.due)), width, indent=2)
    row = list(tableau_row(scene))
    wide = max((line.cell_len for line in row), default=0)
    if row and wide <= width and len(lines) + len(row) + len(after) + 1 <= height:
        lines += [Text(), *row]
    if not lines:
        lines.append(ink("the rule pack has no rule about this", FAINT))
    if len(lines) + len(after) < height and after:
        lines.append(Text())
    return fit([*lines, *after], width, height)


def tableau_row(scene: Scene) -> Iterator[Text]:
    """Draw the table row that applied to Banker.

    The column of Player's third card is marked.
    """
    asked = scene.ruling.banker_row
    if asked is None:
        return
    banker_total, third = asked
    if third is None or banker_total >= len(BANKER_TABLE):
        return
    yield ink("third card  ", FAINT).append(" ".join(_VALUES))
    line = ink(f"Banker {banker_total}    ", FAINT)
    for value, does in enumerate(BANKER_TABLE[banker_total][1:]):
        style = f"bold {TIE}" if does == "D" else FAINT
        here = " reverse" if value == third else ""
        line.append(" " if value else "").append(does, style=style + here)
    yield line


def findings(scene: Scene, width: int, height: int) -> list[Text]:
    """List the findings; those of this moment are in full with requirement, evidence and source."""
    marks = scene.reel.marks
    if not marks:
        return fit([ink("nothing found", TIE)], width, height)
    blocks = [
        in_full(mark, width) if _here(mark, scene) else [_in_short(mark, scene.position)]
        for mark in marks
    ]
    lines = [line for block in blocks for line in block]
    focus = _focus(scene)
    before = sum(len(block) for block in blocks[:focus])
    start = before - max(0, (height - len(blocks[focus])) // 2)
    start = max(0, min(start, len(lines) - height))
    return fit(lines[start:], width, height)


def _here(mark: Mark, scene: Scene) -> bool:
    return any(mark.finding is finding for finding in scene.here)


def _focus(scene: Scene) -> int:
    """Return the number of the finding that must be visible.

    It is a finding of this moment, else the next one, else the last one.
    """
    marks = scene.reel.marks
    now = [n for n, mark in enumerate(marks) if mark.position == scene.position]
    here = [n for n, mark in enumerate(marks) if _here(mark, scene)]
    ahead = [n for n, mark in enumerate(marks) if mark.position > scene.position]
    return [*now, *here, *ahead, len(marks) - 1][0]


def _lead(mark: Mark) -> Text:
    """Return a finding's mark and its coup, or a dash if it has none."""
    sign, colour = SEVERITY[mark.finding.severity]
    coup = "-" if mark.finding.coup is None else str(mark.finding.coup)
    return ink(f"{sign} ", f"bold {colour}").append(f"{coup:>2} ", style=FAINT)


def _in_short(mark: Mark, position: int) -> Text:
    line = _lead(mark).append(mark.finding.code, style="" if mark.position <= position else FAINT)
    line.apply_meta({"position": mark.position})
    return line


def in_full(mark: Mark, width: int) -> list[Text]:
    """Draw a finding in full: message, requirement, evidence and source."""
    found = mark.finding
    head = _lead(mark)
    room = width - head.cell_len - len(found.code)
    code = f" {found.code} " if room > 1 else found.code
    head.append(code, style=f"bold reverse {SEVERITY[found.severity][1]}")
    lines = [head]
    sides = (
        ("", found.message, "bold"),
        ("required ", found.expected, ""),
        ("recorded ", found.observed, BANKER),
        ("source ", "; ".join(found.cites), FAINT),
    )
    for label, words, style in sides:
        if words:
            text = ink(label, FAINT).append(safe(words), style=style)
            lines += [ink("  ").append_text(line) for line in wrap(text, max(1, width - 2), 2)]
    return lines
