"""``sabot verify``: check that a log, an export or a bundle has not changed since it was signed."""

import shlex
import sys
from pathlib import Path
from typing import Annotated

import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    Format,
    FormatOption,
    OutputOption,
    emit,
    open_log,
    say,
)
from sabot.cli.text.words import counted
from sabot.domain.values.errors import BadInput, NewerEvent, UntrustedLog
from sabot.infrastructure.evidence.bundles import is_bundle
from sabot.infrastructure.evidence.checkpoint import Checkpoint
from sabot.infrastructure.evidence.outside import Outside
from sabot.infrastructure.evidence.publishing import parse_key, read_published, read_small
from sabot.infrastructure.evidence.signed_note import VerifierKey, split_note
from sabot.infrastructure.evidence.tiles import CHECKPOINT_FILE
from sabot.infrastructure.evidence.verification_result import Problem, Verification
from sabot.infrastructure.evidence.witnesses import parse_witness
from sabot.infrastructure.files.text_input import is_sqlite
from sabot.infrastructure.files.whole_file import write_whole
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.whole_log import check_log, newer_events

WhatArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE|FOLDER",
        help="An export, a bundle or a published directory. Default: the log of --database.",
        show_default=False,
    ),
]
KeyOption = Annotated[
    str | None,
    typer.Option(
        "--key",
        metavar="KEY",
        help="The log's public key as you were given it, or a file with it.",
    ),
]
PublishedOption = Annotated[
    Path | None,
    typer.Option("--published", metavar="FOLDER", help="A published directory to compare with."),
]
CheckpointOption = Annotated[
    Path | None,
    typer.Option(
        "--checkpoint", metavar="FILE", help="A checkpoint that you have kept, to compare with."
    ),
]
RememberOption = Annotated[
    Path | None,
    typer.Option(
        "--remember",
        metavar="FILE",
        help="Compare with the checkpoint in this file, if any, and keep the newest there.",
    ),
]
WitnessOption = Annotated[
    list[str] | None,
    typer.Option(
        "--witness",
        metavar="KEY",
        help="Public key of a witness that must have cosigned the checkpoint (repeatable).",
    ),
]
QuorumOption = Annotated[
    int | None,
    typer.Option(
        "--quorum", min=1, help="How many of the witnesses must have cosigned. Default: all."
    ),
]
AuthorityOption = Annotated[
    Path | None,
    typer.Option(
        "--tsa",
        metavar="FILE",
        help="Certificates of the authority whose time stamps are in the directory (PEM).",
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("verify")(_verify)


def _verify(  # noqa: PLR0913, PLR0917 - an option each
    what: WhatArgument = None,
    database: DatabaseOption = None,
    key: KeyOption = None,
    published: PublishedOption = None,
    checkpoint: CheckpointOption = None,
    remember: RememberOption = None,
    witness: WitnessOption = None,
    quorum: QuorumOption = None,
    authority: AuthorityOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Check that a log was not changed since it was signed.

    Exit code 0: no change found; notes on standard error state what could not be checked. 2: there
    is no checkpoint. 3: the log was altered, or has an event that cannot be read. The check of the
    signatures does not interpret the events.
    """
    given = _given(what, published, parse_key(key), _kept(checkpoint, remember))
    remarks = [
        *given.check_witnesses([parse_witness(each) for each in witness or ()], quorum),
        *given.read_timestamps(authority),
    ]
    if what is None:
        with open_log(database, read_only=True) as log:
            result = given.verify_log(log.database)
            _add_unreadable(log, result)
    else:
        result = _verify_file(what, given)
    result.remarks[:0] = remarks
    _show(result, form, output)
    if result.altered:
        raise typer.Exit(ExitCode.UNTRUSTED)
    if remember is not None and result.newest is not None:
        write_whole(remember, result.newest.encode(), mode=0o600)


def _given(
    what: Path | None, published: Path | None, key: VerifierKey | None, kept: str | None
) -> Outside:
    """Read the published directory. Return everything that the log is compared with.

    Raises:
        BadInput: two published directories are given.
    """
    is_folder = what is not None and what.is_dir()
    if is_folder and published is not None:
        raise BadInput(
            f"{what} is a published directory itself: compare it with the other one by "
            f"--checkpoint {published}"
        )
    place = what if is_folder else published
    return Outside(key, (read_published(place, key), place) if place else None, kept)


def _add_unreadable(log: EventLog, result: Verification) -> None:
    """Add unreadable events, which stop the other verbs, if no change was found."""
    if result.altered:
        return
    try:
        check_log(log)
    except NewerEvent:
        newer = newer_events(log)
        result.remarks.append(
            f"written by a newer version of Sabot: {counted(len(newer), 'event')}, the first is "
            f"event {newer[0]}; they are as signed, but other verbs need the newer version"
        )
    except UntrustedLog as error:
        result.found(Problem(str(error)))


def _verify_file(what: Path, given: Outside) -> Verification:
    """Verify a published directory, a bundle or an export."""
    if what.is_dir():
        return given.verify_folder()
    if is_sqlite(what):
        raise BadInput(f"{what} is a log: sabot verify --database {shlex.quote(str(what))}")
    if is_bundle(what):
        return given.verify_bundle(what)
    return given.verify_export(what)


def _kept(checkpoint: Path | None, remember: Path | None) -> str | None:
    """Return the checkpoint that the verifier has kept, or None.

    Raises:
        BadInput: both options are given.
    """
    if checkpoint is not None and remember is not None:
        raise BadInput("--remember FILE compares with the checkpoint in FILE: give no --checkpoint")
    if checkpoint is not None:
        place = checkpoint / CHECKPOINT_FILE if checkpoint.is_dir() else checkpoint
        return _checkpoint_in(place)
    if remember is not None and remember.exists():
        return _checkpoint_in(remember)
    return None


def _checkpoint_in(place: Path) -> str:
    """Return the signed text of a checkpoint in a file.

    Raises:
        BadInput: the file is not a checkpoint.
    """
    text = read_small(place)
    try:
        Checkpoint.parse(split_note(text)[0])
    except UntrustedLog as error:
        raise BadInput(
            f"{place} is not a checkpoint: {error}; give a file that `sabot verify --remember` or "
            "`sabot evidence publish` wrote"
        ) from error
    return text


_COLUMNS = [
    Column("index", right=True),
    Column("until", right=True),
    Column("stream"),
    Column("column"),
    Column("message", wraps=True),
]


def _show(result: Verification, form: Format | None, output: str) -> None:
    rows = [
        {name: getattr(problem, name) for name in Problem.__struct_fields__}
        for problem in result.problems
    ]
    document = {
        "origin": result.origin,
        "key": result.key,
        "events": result.events,
        "covered": result.covered,
        "checkpoints": result.checkpoints,
        "verdict": "altered" if result.altered else "consistent",
        "problems": rows,
        "remarks": result.remarks,
    }
    is_terminal = sys.stdout is not None and sys.stdout.isatty()
    try:
        if rows or output != "-" or form is not None or not is_terminal:
            emit(rows, _COLUMNS, form, output, document=document)
    finally:  # the verdict is told even if the problems cannot be written
        verdict = "ALTERED; compared with" if result.altered else "consistent with"
        say(
            f"{result.origin}: {verdict} {counted(result.checkpoints, 'checkpoint')} covering "
            f"{result.covered} of {result.events} events"
        )
        for remark in result.remarks:
            say(f"note: {remark}")
