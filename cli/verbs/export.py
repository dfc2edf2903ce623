"""``sabot export``: the log's events as canonical lines, to keep, to verify, to restore."""

from typing import Annotated

import typer

from sabot.cli.console import DatabaseOption, OutputOption, open_log, open_output, progress


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("export")(_export)


def _export(
    shoe: Annotated[
        list[str] | None,
        typer.Option("--shoe", metavar="NAME", help="Only this shoe; may be given again."),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option("--table", metavar="NAME", help="Only this table's own events."),
    ] = None,
    stream: Annotated[
        list[str] | None,
        typer.Option("--stream", metavar="STREAM", help="Only this stream: shoe/H-1, table/T1."),
    ] = None,
    database: DatabaseOption = None,
    output: OutputOption = "-",
) -> None:
    """Write the events of the log as JSON lines, all of them or some streams'.

    Line n of a whole log is event n, in canonical form (RFC 8785), and says all that is stored.
    `sabot import` restores the lines in another log, with the same result.
    """
    from sabot.infrastructure.exports.event_lines import export_lines  # noqa: PLC0415 - with the driver

    wanted = [f"shoe/{name}" for name in shoe or ()]
    wanted += [f"table/{name}" for name in table or ()]
    wanted += stream or ()
    with (
        open_log(database, read_only=True) as log,
        open_output(output) as to,
        progress("exporting", total=None if wanted else log.head()) as advance,
    ):
        for number, line in enumerate(export_lines(log, streams=wanted or None), 1):
            to.write(line.decode())
            if number % 1000 == 0:
                advance(1000)
