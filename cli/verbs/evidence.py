"""``sabot evidence``: sign the log, publish its tree, and prove its events."""

from pathlib import Path
from typing import Annotated

import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    FormatOption,
    OutputOption,
    emit,
    open_log,
    open_output,
    printable,
    say,
)
from sabot.cli.output_files import check_ending
from sabot.cli.settings import FORCE
from sabot.cli.verbs.accesses import noted
from sabot.domain.events.points_in_time import format_time, parse_event
from sabot.domain.values.errors import BadInput
from sabot.domain.values.safe_text import shell_word
from sabot.infrastructure.evidence.publishing import (
    event_tree,
    newest_of,
    publish,
    remember_published,
)
from sabot.infrastructure.evidence.signing_keys import key_file
from sabot.infrastructure.evidence.timestamps import read_certificates, request_timestamp
from sabot.infrastructure.evidence.witnesses import parse_witness, request_cosignature
from sabot.infrastructure.exports.evidence_bundle import write_bundle

FolderArgument = Annotated[Path, typer.Argument(metavar="FOLDER", help="A published directory.")]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    verbs = typer.Typer(
        help="Sign the log, publish its tree, and prove its events.", no_args_is_help=True
    )
    verbs.command("init")(_init)
    verbs.command("checkpoint")(_checkpoint)
    verbs.command("set-aside")(_set_aside)
    verbs.command("publish")(_publish)
    verbs.command("prove")(_prove)
    verbs.command("cosign")(_cosign)
    verbs.command("timestamp")(_timestamp)
    app.add_typer(verbs, name="evidence")


def _init(database: DatabaseOption = None) -> None:
    """Start signing a log that has no signing key yet.

    A new log has a key from its first event on. This verb creates a signing key for a log that an
    older version of Sabot wrote. The events are signed as they are now: earlier changes cannot be
    detected.
    """
    with open_log(database) as log:
        key = log.checkpoints.adopt()
        events = log.head()
        say(f"signing key: {key_file(log.origin)} (keep it secret, and off this machine's backups)")
    say(f"public key: {key.verifier}")
    say(
        f"events from {events + 1} on are protected; the {events} before are signed as they are now"
    )


def _checkpoint(
    database: DatabaseOption = None,
    output: OutputOption = "-",
) -> None:
    """Write a checkpoint of all events now, and print it.

    Give it to a person outside the casino. With it, `sabot verify --checkpoint` detects missing
    last events, an old copy, and any change of the events that it covers.
    """
    with open_log(database) as log:
        log.check_ends()
        if not log.checkpoints.write():
            raise BadInput(
                f"no checkpoint can be written: {log.checkpoints.problem or 'the log is empty'}"
            )
        note = newest_of(log.database).note
    with open_output(output, (".checkpoint", ".txt")) as to:
        to.write(note)


def _set_aside(
    sizes: Annotated[
        list[int],
        typer.Argument(
            metavar="EVENTS…", min=1, help="Number of events that the checkpoint covers."
        ),
    ],
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Your name.")],
    note: Annotated[str, typer.Option("--note", metavar="TEXT", help="The reason.")],
    database: DatabaseOption = None,
) -> None:
    """Set aside stored checkpoints that are false, or that the log's key has not signed.

    Nothing is deleted: the log gets an event that says which checkpoint is set aside, by whom and
    why. `sabot verify` reports it, and no longer compares the log with that checkpoint. Checkpoints
    kept outside are compared as before. First find out why the checkpoint does not match the log.
    If the log itself was altered, correct checkpoints do not match it either. Do not set correct
    checkpoints aside: they prove the alteration.
    """
    with open_log(database) as log:
        for size in sizes:
            receipt = log.set_aside(size, by=by, note=note)
            say(f"the checkpoint of {size} events is set aside, as event {receipt.index} says")
        log.checkpoints.write()


def _publish(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The directory to publish.")],
    entries: Annotated[
        bool,
        typer.Option("--entries", help="Publish the events too. Default: their hashes alone."),
    ] = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Update a published directory to the newest checkpoint.

    The directory holds tiles of hashes (https://c2sp.org/tlog-tiles), the signed checkpoint and the
    public key. Copy it to storage outside the casino. A log whose checkpoint does not continue the
    published one is refused with exit code 3. Only new events are read. `sabot verify --published
    FOLDER` compares the log with it, up to the last published event.
    """
    with open_log(database, read_only=True) as log:
        log.check()
        if entries:
            noted(log, "evidence publish", "the whole log")
        published = publish(log.database, folder, entries=entries)
    if warning := remember_published(published, folder):
        say(f"warning: {warning}")
    row = {
        "folder": str(folder),
        "origin": published.checkpoint.origin,
        "events": published.checkpoint.size,
        "root": published.checkpoint.root.hex(),
        "key": str(published.key),
    }
    columns = [Column(name, right=name == "events") for name in row]
    emit([row], columns, form, output)


def _cosign(
    folder: FolderArgument,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The witness's address.")],
    witness: Annotated[
        str, typer.Option("--witness", metavar="KEY", help="The witness's public key.")
    ],
) -> None:
    """Have a witness cosign the published checkpoint (https://c2sp.org/tlog-witness).

    The witness cosigns only a checkpoint that extends the one it cosigned before. Its cosignature
    is added to the checkpoint; `sabot verify --witness KEY` requires it. Run this after each
    publish.
    """
    key = parse_witness(witness)
    at = request_cosignature(folder, url, key)
    say(f"{key.name} cosigned the checkpoint in {folder} at {format_time(at * 1_000_000)}")


def _timestamp(
    folder: FolderArgument,
    url: Annotated[str, typer.Option("--url", metavar="URL", help="The authority's address.")],
    authority: Annotated[
        Path,
        typer.Option(
            "--tsa", metavar="FILE", help="The authority's certificates, from the root on (PEM)."
        ),
    ],
) -> None:
    """Have a time-stamping authority stamp the published checkpoint (RFC 3161).

    The token is stored in FOLDER/timestamps; `openssl ts -verify` can check it too. `sabot verify
    --tsa FILE` checks the time stamps.
    """
    stamped = request_timestamp(folder, url, read_certificates(authority))
    say(f"{stamped.checkpoint.size} events existed at {stamped.at.isoformat()}, by {url}")


def _prove(
    shoe: Annotated[
        str | None, typer.Option("--shoe", metavar="SHOE", help="Prove the events of this shoe.")
    ] = None,
    event: Annotated[
        str | None,
        typer.Option("--event", metavar="EVENT", help="Prove this event (149 or #149) alone."),
    ] = None,
    database: DatabaseOption = None,
    output: OutputOption = "-",
) -> None:
    """Write the proof that events are in the log.

    --shoe writes a bundle, a zip file with the events, their proofs, the checkpoint, the rule pack,
    the audit and a page to print. `sabot verify BUNDLE` checks it without a database. --event
    writes one proof as text (https://c2sp.org/tlog-proof).
    """
    if (shoe is None) == (event is None):
        raise BadInput("give --shoe or --event, one of them")
    index = None if event is None else parse_event(event)
    check_ending(output, (".zip",) if event is None else (".tlog-proof", ".proof", ".txt"))
    with open_log(database, read_only=True) as log:
        noted(log, "evidence prove", f"event {index}" if shoe is None else f"shoe {shoe}")
        if index is not None:
            log.check()
            text = str(event_tree(log.database).proof(index))
            with open_output(output) as to:
                to.write(text)
            return
        assert shoe is not None
        if output == "-":
            raise BadInput("a bundle is a zip file; name it with --output FILE.zip")
        write_bundle(log, shoe, Path(output), printable, replace=FORCE.get())
    say(f"the bundle is {output}; `sabot verify {shell_word(output)}` checks it")
