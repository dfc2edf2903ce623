"""``sabot store``: secure, check, back up or restore a log."""

import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from msgspec import to_builtins

from sabot.cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    YourNameOption,
    emit,
    open_log,
    open_or_begin_log,
    printable,
    progress,
    say,
)
from sabot.cli.text.words import counted
from sabot.cli.verbs.accesses import noted
from sabot.cli.verbs.freshness import catch_up, only_checked
from sabot.cli.verbs.isolation_notes import tell_isolations
from sabot.domain.events.points_in_time import parse_event
from sabot.domain.values.errors import BadInput, NewerEvent, NotFound, Unavailable, UntrustedLog
from sabot.infrastructure.access_log import Access, accesses
from sabot.infrastructure.backups import (
    Copied,
    check_restorable,
    events_in,
    passes,
    restore_backup,
    write_backup,
)
from sabot.infrastructure.database.roles import ROLES, Secured, secure
from sabot.infrastructure.database.schema_check import SchemaFault, schema_faults
from sabot.infrastructure.database.sqlite_files import has_wal_reset_bug
from sabot.infrastructure.evidence.checkpoint_table import stored_keys
from sabot.infrastructure.evidence.publishing import last_published, newest_of
from sabot.infrastructure.evidence.signed_heads import own_head
from sabot.infrastructure.evidence.signing_keys import key_file, load_key
from sabot.infrastructure.files.text_input import is_sqlite
from sabot.infrastructure.imports.import_files import restore_files
from sabot.infrastructure.imports.input_files import size_of
from sabot.infrastructure.log.whole_log import check_log
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.views import views_elsewhere, views_file
from sabot.infrastructure.projections.views_check import MOST, ViewFault, view_faults

if TYPE_CHECKING:
    from sabot.infrastructure.log.event_log import EventLog


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(
        help="Secure, check, back up or restore a log.",
        no_args_is_help=True,
    )
    verbs.command("migrate")(_migrate)
    verbs.command("secure")(_secure)
    verbs.command("info")(_info)
    verbs.command("check")(_check)
    verbs.command("backup")(_backup)
    verbs.command("restore")(_restore)
    verbs.command("isolate")(_isolate)
    verbs.command("accesses")(_accesses)
    app.add_typer(verbs, name="store")


def _migrate(database: DatabaseOption = None) -> None:
    """Create the database tables or update them. Every verb that writes does this first."""
    with open_or_begin_log(database) as log:
        say(f"the log {log.origin} at {log.database} is up to date")


def _check(
    *,
    views: Annotated[
        bool, typer.Option("--views", help="Compare the summary tables with the events instead.")
    ] = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Compare the database with the schema of a new log.

    Tables, columns, constraints, indexes and triggers are compared, and on PostgreSQL functions,
    policies, rights and memberships of roles: run this as the owner there. Other tables, views,
    sequences, types, operators, collations and statistics in the schema are unexpected, and on
    PostgreSQL publications. A SQLite file is checked for damage. Exit code 3 if anything is
    missing, changed or unexpected, or if the head of the log does not match its first and last
    events. `sabot verify` checks the events.

    With --views the summary tables are computed from the events once more, in memory, and compared
    row by row. The rights of an auditor suffice. `sabot project --rebuild` rebuilds them.
    """
    if views:
        _check_views(database, form, output)
        return
    with open_log(database, read_only=True) as log:
        faults = schema_faults(log.database)
        where = str(log.database)
        if not faults:
            log.check_ends()
            only_checked()
    emit(
        [fault._asdict() for fault in faults], list(map(Column, SchemaFault._fields)), form, output
    )
    if faults:
        say(
            f"{counted(len(faults), 'difference')} from a new log at {where}: find out who made "
            "them and run `sabot verify`; docs/running.md explains how to repair them"
        )
        raise typer.Exit(ExitCode.UNTRUSTED)
    say(f"the database at {where} matches that of a new log")


def _check_views(database: str | None, form: Format | None, output: str) -> None:
    with open_log(database, read_only=True) as log:
        check_log(log)
        faults, where = view_faults(log, catch_up), str(log.database)
        position, beside = Projector(log).position(), views_file(log)
        if position < log.head() and beside is not None and beside.exists():
            with views_elsewhere(log, catch_up):  # which the reading verbs use then
                faults += view_faults(log, catch_up)
    emit([fault._asdict() for fault in faults], list(map(Column, ViewFault._fields)), form, output)
    if faults:
        most = " or more" if len(faults) >= MOST else ""
        say(
            f"{counted(len(faults), 'difference')}{most} between the summary tables of {where} and "
            "the events: find out who may write them, and run `sabot project --rebuild`"
        )
        raise typer.Exit(ExitCode.UNTRUSTED)
    if not position:
        say(
            f"the summary tables of {where} are empty: no event was projected yet; `sabot project` "
            "fills them, and verbs that need them compute them until then"
        )
        return
    say(f"the summary tables of {where} match the events up to event {position}")


def _backup(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="File to write.")],
    force: ForceOption = False,
    database: DatabaseOption = None,
) -> None:
    """Back up the log while it is in use.

    The backup is one SQLite file with everything that the log holds, and can be read with
    --database FILE. It is read again and compared with the log before it gets its name.
    `sabot store restore` restores it into either kind of database. The backup of a damaged log is
    kept as evidence, and the exit code is 3.
    """
    if str(file) == "-":
        raise BadInput("a backup is a file, not a stream; give its name")
    with (
        open_log(database, read_only=True) as log,
        progress("backing up", total=passes(log) * log.head()) as advance,
    ):
        noted(log, "store backup", "the whole log")
        made = write_backup(log, file, replace=force, advance=advance)
        try:
            check_log(log)
        except UntrustedLog as error:
            raise UntrustedLog(
                f"the log is damaged: {error}; {file} is a copy of it as it is, to be kept as "
                "evidence"
            ) from error
        except NewerEvent:
            say(_made(file, made))
            raise
        say(_made(file, made))


def _made(file: Path, copied: Copied) -> str:
    return f"{file} is a backup of {_told(copied)}"


def _told(copied: Copied) -> str:
    events, checkpoints = counted(copied.events, "event"), counted(copied.checkpoints, "checkpoint")
    told = f"the log {copied.origin}: {events}, {checkpoints}, root {copied.root}"
    left = copied.events - copied.covered
    return f"{told}; {counted(left, 'event')} signed by no checkpoint" if left else told


def _restore(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE", help="Backup, or export of a whole log; - is standard input."
        ),
    ],
    database: DatabaseOption = None,
) -> None:
    """Restore a backup, or the export of a whole log, into an empty store.

    Everything is kept: indexes, clocks, logins and the log's name, so that the store exports the
    same bytes again. A backup also has the public keys and checkpoints, and is verified against
    them first. On PostgreSQL run this as the owner of the database, and then `sabot store secure`.
    """
    backup = len(files) == 1 and files != ["-"] and is_sqlite(files[0])
    if backup:
        check_restorable(database)
    total = (events_in(files[0]) or 0) * 2 if backup else size_of(files)
    with open_or_begin_log(database) as log, progress("restoring", total) as advance:
        if backup:
            told = _told(restore_backup(log, files[0], advance=advance))
        else:
            events = restore_files(log, files, advance=advance)
            told = f"{counted(events, 'event')} of the log {log.origin}{_CUT}"
    say(f"restored {told}")


_CUT: Final = (
    "; an export does not show whether its end is missing: compare the number of events with that "
    "of the original log, or the restored log with a published directory, by "
    "`sabot verify --published FOLDER`"
)


def _isolate(
    event: Annotated[str, typer.Argument(metavar="EVENT", help="The event (149 or #149).")],
    by: YourNameOption,
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="The reason.")],
    database: DatabaseOption = None,
) -> None:
    """Isolate a stored event that cannot be read, so that the other verbs skip it.

    Nothing is deleted or changed: the log gets an event that says which event is skipped, by whom
    and why. `sabot audit` and `sabot store info` name isolated events.
    """
    index = parse_event(event)
    with open_log(database) as log:
        receipt = log.isolate(index, by=by, note=note)
    say(f"event {index} is isolated, as event {receipt.index} says")


def _accesses(
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the access log: who read case files, exports, bundles and names.

    On PostgreSQL the entries are in a table that `sabot store secure` makes. For a SQLite log they
    are in the file that SABOT_ACCESS_LOG names.
    """
    with open_log(database, read_only=True) as log:
        rows = [to_builtins(each) for each in accesses(log.database)]
    emit(rows, [Column(name) for name in Access.__struct_fields__], form, output)


def _logins(role: str) -> typer.models.OptionInfo:
    option: typer.models.OptionInfo = typer.Option(
        f"--{role}", metavar="LOGIN", help=f"Grant the role {role} alone (repeatable)."
    )
    return option


def _secure(  # noqa: PLR0913 - an option each
    *,
    database: DatabaseOption = None,
    grant: Annotated[
        list[str] | None,
        typer.Option(
            "--grant", metavar="LOGIN", help="Grant all roles to this login (repeatable)."
        ),
    ] = None,
    recorder: Annotated[list[str] | None, _logins("recorder")] = None,
    dealer: Annotated[list[str] | None, _logins("dealer")] = None,
    supervisor: Annotated[list[str] | None, _logins("supervisor")] = None,
    surveillance: Annotated[list[str] | None, _logins("surveillance")] = None,
    projector: Annotated[list[str] | None, _logins("projector")] = None,
    auditor: Annotated[list[str] | None, _logins("auditor")] = None,
    administrator: Annotated[list[str] | None, _logins("administrator")] = None,
) -> None:
    """Create the tables and roles on PostgreSQL. Run this as the owner of the database.

    sabot_dealer may record what happens at tables, through a database function that sets index,
    version, time and login. sabot_supervisor may record rulings and corrections. sabot_recorder may
    record both, and import. sabot_surveillance may review findings. sabot_auditor may only read.
    sabot_projector may write the summary tables. sabot_administrator may read for backups. PUBLIC
    may no longer connect to the database. Triggers reject changes by the owner too, but the owner
    can remove the triggers.
    """
    named = (recorder, dealer, supervisor, surveillance, projector, auditor, administrator)
    logins = {
        role: [*(grant or ()), *(granted or ())] for role, granted in zip(ROLES, named, strict=True)
    }
    with open_or_begin_log(database) as log:
        _say_secured(secure(log.engine, logins))


def _say_secured(done: Secured) -> None:
    for role, granted in done.granted.items():
        say(f"{role}: {', '.join(map(printable, granted)) or 'nobody'}")
    if done.foreign:
        say(
            f"others on this server may grant {', '.join(done.foreign)}, so these roles have no "
            "rights here: the logins above have theirs directly; name any that is missing again"
        )
    if done.taken:
        say(
            f"rights on the log were taken from: {', '.join(map(printable, done.taken))}; if one "
            "of them is to have a role, name it"
        )


def _info(
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Show the log's identity, its address, its events and its signing key.

    signed is the number of events that the newest checkpoint covers. projected is the number of
    events in the summary tables; it is empty if this login may not read them. signing_key is the
    file of the private key, if this machine has it, and signed_here the number of events in the
    last checkpoint that it signed of this log. published is the number of events that this
    user published last, and published_in the directory.
    """
    with open_log(database, read_only=True) as log:
        log.check_ends()
        only_checked()
        keys = stored_keys(log.database)
        try:
            signed = newest_of(log.database).checkpoint.size
        except NotFound:
            signed = 0
        published = last_published(log.origin)
        key, head = _own_key(log)
        row = {
            "origin": log.origin,
            "database": str(log.database),
            "events": log.head(),
            "signed": signed,
            "projected": _projected(log),
            "public_key": keys[-1].verifier_key if keys else "",
            "signing_key": key,
            "signed_here": head,
            "published": published.events if published else None,
            "published_in": published.folder if published else "",
        }
        bug = log.database.is_sqlite and has_wal_reset_bug()
        dangers = log.database.dangers()
        tell_isolations(log)
    columns = [Column(name, right=name in _COUNTS) for name in row]
    emit([row], columns, form, output)
    for danger in dangers:
        say(f"warning: {danger}")
    if bug:
        say(
            f"warning: SQLite {sqlite3.sqlite_version}, which this Python uses, has the WAL-reset "
            "bug (https://sqlite.org/wal.html#walresetbug): two programs that write at the same "
            "moment can damage the file. Sabot's own processes avoid it; let no other program "
            "write to the log, and use a Python with SQLite 3.51.3 or newer"
        )


def _own_key(log: "EventLog") -> tuple[str, int | None]:
    """Return the file of this machine's key, and how many events it signed last.

    The file may be damaged or open to other users: a warning says so.
    """
    place = key_file(log.origin)
    try:
        head = own_head(log.database, log.origin)
        has_key = load_key(log.origin) is not None
    except BadInput as error:
        say(f"warning: {error}")
        return str(place), None
    signed = head.size if head is not None and not head.set_aside else None
    return str(place) if has_key else "", signed


_COUNTS: Final = {"events", "signed", "projected", "signed_here", "published"}


def _projected(log: "EventLog") -> int | None:
    try:
        return Projector(log).position()
    except Unavailable:
        return None
