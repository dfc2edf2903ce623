"""``sabot export``: the log's events as canonical JSON lines."""

from typing import Annotated

import typer

from sabot.cli.console import (
    DatabaseOption,
    OnlyShoesOption,
    OutputOption,
    open_log,
    open_output,
    progress,
)
from sabot.cli.verbs.accesses import noted
from sabot.cli.verbs.freshness import only_checked
from sabot.infrastructure.exports.event_lines import export_lines
from sabot.infrastructure.log.event_log import EventLog

TableOption = Annotated[
    list[str] | None,
    typer.Option("--table", metavar="TABLE", help="Only this table's own stream (repeatable)."),
]
StreamOption = Annotated[
    list[str] | None,
    typer.Option(
        "--stream",
        metavar="STREAM",
        help="Only this stream, for example shoe/H-1 (repeatable).",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("export")(_export)


def _export(
    shoe: OnlyShoesOption = None,
    table: TableOption = None,
    stream: StreamOption = None,
    database: DatabaseOption = None,
    output: OutputOption = "-",
) -> None:
    """Export events as JSON lines.

    Line n of a whole export is event n in canonical form (RFC 8785), with everything stored about
    it. `sabot import` restores the lines into another log. A file appears when it is complete and
    on the disk. Only its owner can read a new file.
    """
    wanted = [f"shoe/{name}" for name in shoe or ()]
    wanted += [f"table/{name}" for name in table or ()]
    wanted += stream or ()
    if wanted:
        only_checked(*wanted)
    with (
        open_log(database, read_only=True) as log,
        open_output(output, (".jsonl",)) as to,
        progress("exporting", total=_number(log, wanted)) as advance,
    ):
        noted(log, "export", ", ".join(wanted) or "the whole log")
        for number, line in enumerate(export_lines(log, streams=wanted or None), 1):
            to.write(line.decode())
            if number % 1000 == 0:
                advance(1000)


def _number(log: EventLog, streams: list[str]) -> int:
    """Return the number of events to be exported."""
    return sum(log.versions(streams).values()) if streams else log.head()
