"""``sabot import`` and ``sabot record``: events from files and devices."""

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import msgspec
import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    FormatOption,
    emit,
    open_log,
    open_or_begin_log,
    open_output,
    progress,
    say,
    tell_waiting,
)
from sabot.cli.text.words import counted, to_json
from sabot.cli.verbs.read_coups import show_coups
from sabot.cli.verbs.record_options import (
    CertificateOption,
    ClientsOption,
    IdleOption,
    KeyOption,
    ListenOption,
    NewOption,
    OwnPacksOption,
    StrictOption,
    TokenOption,
)
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.errors import BadInput, SabotError, UntrustedLog
from sabot.domain.values.safe_text import shell_word
from sabot.infrastructure.database.database_urls import MEMORY, database_url
from sabot.infrastructure.evidence.bundles import EVENTS_FILE, has_events
from sabot.infrastructure.evidence.export_verification import (
    check_whole_log,
    export_file_lines,
    verify_lines,
)
from sabot.infrastructure.evidence.publishing import parse_key, read_published
from sabot.infrastructure.imports.import_files import import_files
from sabot.infrastructure.imports.input_files import opened as opened_file
from sabot.infrastructure.imports.input_files import size_of
from sabot.infrastructure.imports.mapping import load_mapping, shipped_mappings
from sabot.infrastructure.imports.mapping_draft import draft_mapping
from sabot.infrastructure.imports.recording import LineGroups, Recording
from sabot.infrastructure.log.patient_log import PatientLog
from sabot.infrastructure.rule_packs import pack_text

if TYPE_CHECKING:
    from sabot.infrastructure.imports.batch import Added
    from sabot.infrastructure.imports.coup_line import CoupRecord
    from sabot.infrastructure.imports.recording import Answer
    from sabot.infrastructure.log.event_log import EventLog


CHUNK_BYTES = 1 << 20
FIRST_COUPS = 10
"""Number of coups that a dry run shows."""

ActorOption = Annotated[
    str,
    typer.Option(
        "--actor",
        metavar="NAME",
        help="Person or system responsible for the entries.",
        show_default=False,
    ),
]


FilesArgument = Annotated[
    list[str] | None,
    typer.Argument(metavar="FILE", help="File to read; - is standard input."),
]
MappingOption = Annotated[
    str | None,
    typer.Option(
        "--mapping",
        "-m",
        metavar="MAPPING",
        help="Mapping that describes the file's format: a name or a .toml file.",
    ),
]
MappingsOption = Annotated[bool, typer.Option("--mappings", help="List the included mappings.")]
DraftOption = Annotated[
    str | None,
    typer.Option(
        "--draft", metavar="FILE", help="Write a draft of a mapping for this file, and stop."
    ),
]
RulesOption = Annotated[
    str | None,
    typer.Option(
        "--rules",
        metavar="PACK",
        help="Rule pack for shoes that name none: a name or a .toml file.",
    ),
]
DryRunOption = Annotated[
    bool,
    typer.Option("--dry-run", help="Check everything and show the first coups, without writing."),
]
PublishedOption = Annotated[
    Path | None,
    typer.Option(
        "--published",
        metavar="FOLDER",
        help="Verify exports first against this published directory.",
    ),
]
LogKeyOption = Annotated[
    str | None,
    typer.Option(
        "--key", metavar="KEY", help="With --published: the log's public key, or its file."
    ),
]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command("import")(_import)
    app.command("record")(_record)


def _import(  # noqa: PLR0913, PLR0917 - a verb's options
    files: FilesArgument = None,
    mapping: MappingOption = None,
    mappings: MappingsOption = False,
    draft: DraftOption = None,
    rules: RulesOption = None,
    actor: ActorOption = "",
    dry_run: DryRunOption = False,
    published: PublishedOption = None,
    key: LogKeyOption = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
) -> None:
    """Import coups from files.

    A file holds coup lines (one JSON object a line), an export of another log, or any format that a
    mapping describes. Either all files are imported or none. A coup that is already in the log is
    skipped. docs/import.md describes the formats.
    """
    if mappings or draft is not None:
        if files or (mappings and draft is not None):
            raise BadInput("--mappings and --draft FILE stand alone; give the files afterwards")
        _list_mappings(form) if draft is None else _draft(draft)
        return
    if key is not None and published is None:
        raise BadInput("--key is the key of a published directory; give it with --published")
    if not files:
        raise BadInput("Missing argument FILE: give the files to import; see sabot import --help")
    for name in files:
        _refuse_bundle(name)
    read_by = None if mapping is None else load_mapping(mapping)
    if rules is not None:
        pack_text(rules)
    if published is not None:
        _check_published(files, published, key)
    opened = _log_to_look_at(database) if dry_run else open_or_begin_log(database)
    with (
        _first_coups(rules, show=dry_run and form is None) as watch,
        opened as log,
        progress("reading", total=size_of(files)) as advance,
    ):
        added = import_files(
            log,
            files,
            mapping=read_by,
            rules=rules,
            actor=actor,
            dry_run=dry_run,
            advance=advance,
            watch=watch,
        )
        if not (added.events or added.already):
            raise BadInput(f"no coups in {', '.join(files)}; docs/import.md describes the lines")
    say(_told(added, dry_run))
    if form is not None:
        row = msgspec.to_builtins(added)
        emit([row], [Column(key, right=True) for key in row], form, document=row)


@contextmanager
def _first_coups(rules: str | None, *, show: bool) -> Iterator[Callable[["CoupRecord"], None]]:
    """Yield a function that takes each coup that is read, and show the first ones at the end.

    They are shown after an error too.
    """
    first: list[CoupRecord] = []

    def watch(record: "CoupRecord") -> None:
        if len(first) < FIRST_COUPS:
            first.append(record)

    try:
        yield watch
    finally:
        if show and first:
            show_coups(first, rules)


def _refuse_bundle(name: str) -> None:
    """Say how the events of an evidence bundle are imported.

    Raises:
        BadInput: the file is a bundle.
    """
    if has_events(Path(name)):
        file = shell_word(name)
        raise BadInput(
            f"{name} is an evidence bundle; verify it, and import its events: "
            f"sabot verify {file} && unzip -p {file} {EVENTS_FILE} | sabot import -"
        )


def _check_published(files: Sequence[str], published: Path, key: str | None) -> None:
    """Refuse exports that differ from what was published.

    Raises:
        UntrustedLog: a line was altered, added, moved or cut off.
        BadInput: a file cannot be read twice, has the events of one shoe only, or has events after
            the published ones.
    """
    folder = (read_published(published, parse_key(key)), published)
    for name in files:
        if not Path(name).is_file():
            raise BadInput(f"--published needs the export as a file, and {name} is none")
        check_whole_log(Path(name))
        result = verify_lines(export_file_lines(Path(name)), key=folder[0].key, published=folder)
        if result.altered:
            problem = result.problems[0]
            raise UntrustedLog(f"{name}, line {problem.index}: {problem.message}")
        if result.events > result.covered:
            raise BadInput(
                f"{name}, line {result.covered + 1}: the published checkpoint covers only the "
                f"{result.covered} lines before, so nothing shows that later lines are from the "
                "log; publish again, or import only the lines before"
            )


def _list_mappings(form: FormatOption) -> None:
    rows = [
        {"mapping": name, "format": known.format, "title": known.title}
        for name in shipped_mappings()
        for known in [load_mapping(name)]
    ]
    columns = [Column("mapping", style="bold"), Column("format"), Column("title", wraps=True)]
    emit(rows, columns, form)


def _draft(name: str) -> None:
    with opened_file(name) as file:
        text = draft_mapping(file)
    with open_output("-") as stream:
        stream.write(text)
    say(
        "a draft: save it as mapping.toml, edit it, then check it with: sabot import --dry-run "
        f"--mapping mapping.toml {shell_word(name)}"
    )


def _record(  # noqa: PLR0913, PLR0917 - an option each
    actor: ActorOption = "",
    rules: OwnPacksOption = None,
    strict: StrictOption = False,
    new: NewOption = False,
    listen: ListenOption = None,
    tls_cert: CertificateOption = None,
    tls_key: KeyOption = None,
    token_file: TokenOption = None,
    clients: ClientsOption = 100,
    idle: IdleOption = 600,
    database: DatabaseOption = None,
) -> None:
    """Record events from standard input, or over TCP.

    Each line is a JSON object. Each is answered on standard output, in order, once it is saved:
    {"line":1,"index":57,"version":12,"known":false}, or {"line":2,"error":"…"} if it is not a
    valid event. While a PostgreSQL server is down, recording waits until the server is back.
    docs/import.md describes the format.
    """
    if strict and listen is not None:
        raise BadInput("--strict is for standard input; with --listen every line is answered")
    packs = {pack.name: text for text in map(pack_text, rules or ()) for pack in [parse_pack(text)]}
    files, limits = (tls_cert, tls_key), (clients, idle)
    how = None if listen is None else _listening(listen, files, token_file, limits)
    stop = threading.Event()
    with open_or_begin_log(database, patient=True) as log:
        patient = PatientLog(log, tell_waiting, stop=stop)
        first = not new and patient.is_empty()
        recording = Recording(patient, actor=actor, packs=packs, expects_first=first)
        if how is not None:
            how(recording, stop)
            return
        if _record_input(recording, strict=strict):
            raise typer.Exit(ExitCode.BAD_INPUT)


def _listening(
    address: str,
    files: tuple[Path | None, Path | None],
    token_file: str | None,
    limits: tuple[int, int],
) -> Callable[[Recording, threading.Event], None]:
    """Return the function that takes the lines of clients, after checking all options."""
    # TLS takes longer to import than a line to be recorded
    from sabot.cli.verbs.record_listener import listening, serve  # noqa: PLC0415

    how = listening(address, files, token_file, limits)
    return lambda recording, stop: serve(recording, how, stop, _answer)


def _record_input(recording: Recording, *, strict: bool) -> int:
    """Record the lines of standard input. Return the number of refused ones."""
    refused = 0
    for group in LineGroups().read(_what_waits):
        try:
            answers = recording.take(group, stop_at_refusal=strict)
        except SabotError:
            say(f"sabot: standard input:{group[0][0]}: not confirmed, nor any later line")
            raise
        sys.stdout.write("".join(map(_answer, answers)))
        sys.stdout.flush()
        for answer in answers:
            if answer.receipt is None:
                refused += 1
                say(f"sabot: standard input:{answer.line}: {answer.error}")
        if refused and strict:
            break
    return refused


def _what_waits() -> bytes:
    """Wait for standard input and return the bytes available."""
    if sys.stdin is None:
        return b""
    return os.read(sys.stdin.fileno(), CHUNK_BYTES)


def _answer(answer: "Answer") -> str:
    receipt = answer.receipt
    if receipt is None:
        return to_json({"line": answer.line, "error": answer.error}) + "\n"
    known = "true" if receipt.known else "false"
    return (
        f'{{"line":{answer.line},"index":{receipt.index},"version":{receipt.version},'
        f'"known":{known}}}\n'
    )


def _log_to_look_at(database: str | None) -> "EventLog":
    """Open the log for reading, or an empty one if it does not exist.

    The empty log is in memory, so that nothing is created.
    """
    url = database_url(database)
    try:
        there = url.drivername != "sqlite" or Path(str(url.database)).exists()
    except (OSError, ValueError):
        there = True  # opening it raises the error of the name
    return open_log(database, read_only=True) if there else open_log(MEMORY, create=True)


def _told(added: "Added", dry_run: bool) -> str:
    shoes, coups = counted(added.shoes, "shoe"), counted(added.coups, "coup")
    payloads = counted(added.events, "event")
    were = "coup was" if added.already == 1 else "coups were"
    known = f"; {added.already} {were} in the log already" if added.already else ""
    what = "would add" if dry_run else "added"
    return f"{what} {shoes}, {coups}, {payloads}{known}"
