"""``sabot export``: the events of the log as canonical JSON lines."""

from typing import Annotated

import typer

from sabot.cli.console import DatabaseOption, OutputOption, open_log, open_output, progress
from sabot.cli.verbs.freshness import only_checked
from sabot.infrastructure.exports.event_lines import export_lines


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("export")(_export)


def _export(
    shoe: Annotated[
        list[str] | None,
        typer.Option("--shoe", metavar="SHOE", help="Only this shoe (repeatable)."),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="TABLE", help="Only this table's own stream (repeatable)."),
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option(
            "--stream",
            metavar="STREAM",
            help="Only this stream, for example shoe/H-1 (repeatable).",
        ),
    ] = None,
    database: DatabaseOption = None,
    output: OutputOption = "-",
) -> None:
    """Export events as JSON lines.

    Line n of a whole export is event n in canonical form (RFC 8785), with everything stored about
    it. `sabot import` restores the lines into another log.
    """
    wanted = [f"shoe/{name}" for name in shoe or ()]
    wanted += [f"table/{name}" for name in table or ()]
    wanted += stream or ()
    if wanted:
        only_checked(*wanted)
    with (
        open_log(database, read_only=True) as log,
        open_output(output) as to,
        progress("exporting", total=None if wanted else log.head()) as advance,
    ):
        for number, line in enumerate(export_lines(log, streams=wanted or None), 1):
            to.write(line.decode())
            if number % 1000 == 0:
                advance(1000)
