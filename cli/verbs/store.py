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
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.database.roles import PROJECTOR, RECORDER, secure
from sabot.infrastructure.evidence.checkpoint_table import stored_keys
from sabot.infrastructure.evidence.publishing import newest_of
from sabot.infrastructure.evidence.signing_keys import key_file, load_key


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
    """Show the log's identity, its address, its events and who signs it.

    signed is the number of events that the newest checkpoint covers. signing_key is the file of the
    private key, if this machine has it.
    """
    with open_log(database) as log:
        keys = stored_keys(log.database)
        try:
            signed = newest_of(log.database).checkpoint.size
        except NotFound:
            signed = 0
        row = {
            "origin": log.origin,
            "database": str(log.database),
            "events": log.head(),
            "signed": signed,
            "public_key": keys[-1].verifier_key if keys else "",
            "signing_key": str(key_file(log.origin)) if load_key(log.origin) else "",
        }
    columns = [Column(name, right=name in {"events", "signed"}) for name in row]
    emit([row], columns, form, output)
