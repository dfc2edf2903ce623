"""``sabot store``: make the log's tables, guard them by roles, and say what the log is."""

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


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(
        help="The log itself: make its tables, guard them by roles, say what it is.",
        no_args_is_help=True,
    )
    verbs.command("migrate")(_migrate)
    verbs.command("secure")(_secure)
    verbs.command("info")(_info)
    app.add_typer(verbs, name="store")


def _migrate(database: DatabaseOption = None) -> None:
    """Bring the tables up to date, or make them; every verb that writes does so by itself."""
    with open_log(database) as log:
        say(f"the log {log.origin} at {log.database} is up to date")


def _secure(
    database: DatabaseOption = None,
    grant: Annotated[
        list[str] | None,
        typer.Option(
            "--grant", metavar="USER", help="Grant both roles to this user of the server."
        ),
    ] = None,
) -> None:
    """Make the tables and the roles that guard them on PostgreSQL; run it as their owner.

    sabot_recorder may insert and read, sabot_projector read the log and write read models;
    neither may change or delete an event, nor may the owner while the triggers stand.
    """
    from sabot.infrastructure.database.roles import PROJECTOR, RECORDER, secure  # noqa: PLC0415 - slow

    with open_log(database) as log:
        secure(log.engine, grant or ())
    held = f"granted to {', '.join(grant)}" if grant else "grant them to users"
    say(f"roles {RECORDER} and {PROJECTOR} hold their rights; {held}")


def _info(
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Say which log this is, where it lies, and how long it is."""
    with open_log(database) as log:
        row = {"origin": log.origin, "database": str(log.database), "events": log.head()}
    emit([row], [Column("origin"), Column("database"), Column("events", right=True)], form, output)
