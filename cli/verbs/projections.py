"""``sabot project``: bring the read models up to date, keep them so, or make them anew."""

from typing import Annotated

import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    FormatOption,
    OutputOption,
    emit,
    open_log,
    say,
)
from sabot.cli.verbs.freshness import catch_up


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("project")(_project)


def _project(  # noqa: PLR0913 - a choice an option
    *,
    follow: Annotated[
        bool, typer.Option("--follow", help="Go on as the log grows, until interrupted.")
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Empty the read models first, and make them anew.")
    ] = False,
    batch: Annotated[
        int, typer.Option("--batch", min=1, max=1_000_000, help="Facts a transaction, at most.")
    ] = 5000,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Bring the read models (tables, shoes, coups, bets, ledgers) up to the head of the log.

    The reading verbs do that by themselves; with --follow, beside the tables, they have nothing
    left to do. It may be killed at any moment and started again, and run twice at once.
    """
    from sabot.infrastructure.projections.projector import Projector  # noqa: PLC0415 - slow to import

    open_log(database, read_only=True).close()
    with open_log(database) as log:
        projector = Projector(log, batch=batch)
        if rebuild:
            projector.rebuild()
        events = catch_up(projector, log.head())
        row = {"events": events, "position": projector.position(), "head": log.head()}
        emit([row], [Column(key, right=True) for key in row], form, output)
        if follow:
            say("following the log; interrupt to stop")
            for taken in projector.follow():
                say(f"{taken} more events, up to {projector.position()}")
