"""``sabot replay``: step through a shoe."""

import os
import re
import sys
from typing import Annotated, Final

import typer

from sabot.cli.console import (
    DatabaseOption,
    ExitCode,
    OneShoeArgument,
    open_log,
    open_output,
    say,
)
from sabot.cli.output_files import check_ending
from sabot.cli.replay.jump import go_to_moment
from sabot.cli.replay.plain_frames import block_of, blocks, frame
from sabot.cli.replay.playback import Playback
from sabot.cli.replay.speed import Speed
from sabot.cli.settings import ZoneOption
from sabot.cli.text.pages import page_width, write_page
from sabot.cli.verbs.freshness import only_checked, recorded_moment
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.audits.audit_run import load_shoe, shoe_streams

_SIZE: Final = re.compile(r"([1-9][0-9]{1,2})x([1-9][0-9]{0,2})", re.ASCII)
_LEAST_SIZE: Final = (20, 5)


AtOption = Annotated[
    str | None,
    typer.Option(metavar="WHEN", help="Start at this event (149 or #149) or time."),
]
CoupOption = Annotated[int | None, typer.Option(metavar="N", min=1, help="Start at this coup.")]
ToFindingOption = Annotated[bool, typer.Option("--to-finding", help="Start at the next finding.")]
SpeedOption = Annotated[
    int | None,
    typer.Option(metavar="N", min=1, max=64, help="Start playing at N times the recorded speed."),
]
PlainOption = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="Write text instead of opening the screen: the whole shoe, one block a coup. With "
        "--coup only that block; with --at or --to-finding only that moment.",
    ),
]
SvgOption = Annotated[
    str | None,
    typer.Option("--svg", metavar="FILE", help="Write the screen at that moment as SVG."),
]
SizeOption = Annotated[str, typer.Option(metavar="WxH", help="Columns and rows of the SVG.")]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("replay")(_replay)


def _replay(  # noqa: PLR0913, PLR0917 - the verb's options
    shoe: OneShoeArgument,
    database: DatabaseOption = None,
    at: AtOption = None,
    coup: CoupOption = None,
    to_finding: ToFindingOption = False,
    speed: SpeedOption = None,
    plain: PlainOption = False,
    svg: SvgOption = None,
    size: SizeOption = "120x40",
    _zone: ZoneOption = None,
) -> None:
    """Step through a shoe in the terminal.

    Shows each event with the layout, the bets and the rule that applied. Step forwards and
    backwards, jump to a coup, a time or the next finding, or play at speed; ? lists the keys.
    """
    if svg is not None:
        check_ending(svg, (".svg",), option="--svg")
    if at is not None and coup is not None:
        raise BadInput("--at and --coup cannot be combined")
    with open_log(database, read_only=True) as log:
        (stream,) = shoe_streams(log, [shoe])
        whole = load_shoe(log, stream)
        if at is not None and at.lstrip("#").isdecimal():
            recorded_moment(log, at)
    only_checked(f"shoe {shoe}")
    reel = Playback(stream, whole.history, table=whole.at_table)
    found = _begin(reel, at, coup, to_finding=to_finding)
    if svg is not None:
        _write_svg(reel, svg, size)
    elif plain or not _is_terminal():
        if found:
            _write_plain(reel, coup, moment=at is not None or to_finding)
    else:
        _run(reel, speed)


def _begin(reel: "Playback", at: str | None, coup: int | None, *, to_finding: bool) -> bool:
    """Go to the place given by the options. Return whether it exists."""
    if at is not None:
        go_to_moment(reel, at)
    elif coup is not None:
        reel.to_coup(coup)
    if not to_finding:
        return True
    here = any(mark.position == reel.position for mark in reel.marks)
    if here or reel.next_finding():
        return True
    say(f"shoe {reel.name} has no findings" + (" from there on" if at or coup else ""))
    return False


def _is_terminal() -> bool:
    """Return True on a terminal: the full screen reads stdin and draws on stderr."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return os.environ.get("TERM") != "dumb" and all(s is not None and s.isatty() for s in streams)


def _write_svg(reel: "Playback", path: str, size: str) -> None:
    from sabot.cli.replay.picture import picture  # noqa: PLC0415

    wanted = _SIZE.fullmatch(size)
    columns, rows = (int(part) for part in wanted.groups()) if wanted else (0, 0)
    if columns < _LEAST_SIZE[0] or rows < _LEAST_SIZE[1]:
        raise BadInput(f"--size {size!r} is not COLUMNSxROWS; write for example 120x40")
    text = picture(reel, columns, rows)
    with open_output(path) as stream:
        stream.write(text)


def _write_plain(reel: "Playback", coup: int | None, *, moment: bool) -> None:
    width = page_width(sys.stdout)
    if moment:
        lines = frame(reel, width)
    else:
        lines = blocks(reel, width) if coup is None else block_of(reel, coup, width)
    write_page(lines, sys.stdout)


def _run(reel: "Playback", speed: int | None) -> None:
    from sabot.cli.replay.replay_app import Replay  # noqa: PLC0415

    tempo = Speed(speed or 1)
    tempo.play(speed is not None)
    app = Replay(reel, tempo, native="NO_COLOR" in os.environ)
    app.run()
    if app.return_code:
        raise typer.Exit(ExitCode.CRASH)
