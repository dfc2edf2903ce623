"""``sabot store``: create, secure or inspect the log's database."""

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
from sabot.infrastructure.database.roles import PROJECTOR, RECORDER, secure


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(
        help="Create, secure or inspect the log's database.",
        no_args_is_help=True,
    )
    verbs.command("migrate")(_migrate)
    verbs.command("secure")(_secure)
    verbs.command("info")(_info)
    app.add_typer(verbs, name="store")


def _migrate(database: DatabaseOption = None) -> None:
    """Create the database tables or update them; every verb that writes does this itself."""
    with open_log(database) as log:
        say(f"the log {log.origin} at {log.database} is up to date")


def _secure(
    database: DatabaseOption = None,
    grant: Annotated[
        list[str] | None,
        typer.Option(
            "--grant", metavar="USER", help="Grant both roles to this database user (repeatable)."
        ),
    ] = None,
) -> None:
    """Create the tables and roles on PostgreSQL; run this as the owner of the database.

    sabot_recorder may insert and read events. sabot_projector may read the log and write the
    summary tables. Neither may change or delete an event. While the triggers exist, the owner
    cannot either.
    """
    with open_log(database) as log:
        secure(log.engine, grant or ())
    held = f"granted to {', '.join(grant)}" if grant else "grant them to users"
    say(f"roles {RECORDER} and {PROJECTOR} are set up; {held}")


def _info(
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Show the log's identity, its address and its number of events."""
    with open_log(database) as log:
        row = {"origin": log.origin, "database": str(log.database), "events": log.head()}
    emit([row], [Column("origin"), Column("database"), Column("events", right=True)], form, output)
