"""``sabot names``: the names of patrons, which are stored outside the log."""

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
from sabot.cli.verbs.accesses import noted
from sabot.infrastructure.patron_names import erase_name, read_names, set_name

Patron = Annotated[str, typer.Argument(metavar="PATRON", help="The patron's id in the log.")]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(
        name="names",
        help="Keep the names of patrons outside the log, and erase them.",
        no_args_is_help=True,
    )
    verbs.command("list")(_list)
    verbs.command("set")(_set)
    verbs.command("erase")(_erase)
    app.add_typer(verbs)


def _list(
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the stored names."""
    with open_log(database, read_only=True) as log:
        noted(log, "names", "all names")
        names = read_names(log.origin)
    rows = [{"patron": patron, "name": name} for patron, name in sorted(names.items())]
    emit(rows, [Column("patron", style="bold"), Column("name")], form, output)


def _set(
    patron: Patron,
    name: Annotated[str, typer.Argument(metavar="NAME", help="The patron's name.")],
    database: DatabaseOption = None,
) -> None:
    """Store the name of a patron. It goes to a separate file, and never into the log."""
    with open_log(database, read_only=True) as log:
        place = set_name(log.origin, patron, name)
    say(f"the name of {patron} is kept in {place}")


def _erase(patron: Patron, database: DatabaseOption = None) -> None:
    """Erase the name of a patron. The log and its proofs are unchanged, and still verify."""
    with open_log(database, read_only=True) as log:
        place = erase_name(log.origin, patron)
        noted(log, "names", f"erased the name of {patron}")
    say(f"the name of {patron} is erased from {place}; erase it from backups of that file too")
