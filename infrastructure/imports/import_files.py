"""Import a batch of files into the log, completely or not at all (`sabot import`)."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import Final, TypeVar

import msgspec

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.exports.event_lines import is_event_line
from sabot.infrastructure.files.text_input import BOM
from sabot.infrastructure.imports.batch import Added, Batch, Placed
from sabot.infrastructure.imports.coup_line import CoupLine, CoupRecord, read_coup_line
from sabot.infrastructure.imports.input_files import Peeked, check_names, opened
from sabot.infrastructure.imports.input_lines import Complain, Complaints, numbered_lines, read_each
from sabot.infrastructure.imports.mapped_coups import mapped_coups
from sabot.infrastructure.imports.mapping import Mapping
from sabot.infrastructure.imports.restoring import Restoring
from sabot.infrastructure.imports.strict_json import loads
from sabot.infrastructure.log.event_log import EventLog

T = TypeVar("T")

_KEYS: Final = frozenset(field.name for field in msgspec.structs.fields(CoupLine))


def import_files(  # noqa: PLR0913 - the options of the verb
    log: EventLog,
    names: Sequence[str],
    *,
    mapping: Mapping | None = None,
    rules: str | None = None,
    actor: str = "",
    dry_run: bool = False,
    advance: Callable[[int], None] = lambda _done: None,
    watch: Callable[[CoupRecord], None] = lambda _record: None,
) -> Added:
    """Import coup lines, mapped files or an export.

    Return the additions.

    Args:
        log: the log.
        names: paths, and ``-`` for standard input; all of them are one batch.
        mapping: the mapping with which to read the files, unless they are coup lines.
        rules: the rule pack of every line that names none.
        actor: the person responsible for the events.
        dry_run: read and check everything, and write nothing.
        advance: called with the number of bytes read since the last call.
        watch: called with each coup that was read.

    Raises:
        BadInput: a file cannot be read; the message lists all errors found.
        Conflict: a coup or a shoe has other content elsewhere, or a shoe has grown during the
        import.
        Unavailable: the database failed; the import can be repeated.
    """
    check_names(names)
    complaints = Complaints()
    counted = _Counted(advance)
    with closing(counted.files(names)) as files:
        first = next(files, None)
        if first is None:
            return Added()
        export = mapping is None and is_event_line(first.first)
        every = _alike(chain([first], files), export=export, mapped=mapping is not None)
        if export:
            restoring = Restoring(log, complaints)
            rows = restoring.rows(every, counted.tell)
            if dry_run:
                _exhaust(rows)
            else:
                restoring.add(log, _ahead(log, rows))
            return restoring.added
        batch = Batch(log, complaints, actor=actor, rules=rules)
        drafts = batch.drafts(_coups(every, mapping, complaints.add, watch), counted.tell)
        if dry_run:
            _exhaust(drafts)
        else:
            log.load(_ahead(log, drafts), expected=batch.expected)
        return batch.added


def restore_files(
    log: EventLog, names: Sequence[str], *, advance: Callable[[int], None] = lambda _done: None
) -> int:
    """Restore a log's export into an empty log.

    Return the number of events.

    Args:
        log: the empty log.
        names: the files of the export in their order; ``-`` is standard input.
        advance: called with the number of bytes read since the last call.

    Raises:
        BadInput: a file is not an export, or the log is not empty.
    """
    check_names(names)
    complaints = Complaints()
    counted = _Counted(advance)
    with closing(counted.files(names)) as files:
        restoring = Restoring(log, complaints, whole=True)
        rows = restoring.rows(_exports(files), counted.tell)
        return restoring.restore(log, _ahead(log, rows))


class _Counted:
    """The input files, opened one after the other, with the number of bytes read of them."""

    def __init__(self, advance: Callable[[int], None]) -> None:
        self._advance = advance
        self._opened: list[Peeked] = []
        self._told = 0

    def files(self, names: Sequence[str]) -> Generator[Peeked]:
        """Yield the open files."""
        for name in names:
            with opened(name) as file:
                self._opened.append(file)
                yield file

    def tell(self, _records: int) -> None:
        """Report how many bytes were read since the last call."""
        taken = sum(file.taken for file in self._opened)
        self._advance(taken - self._told)
        self._told = taken


def _alike(files: Iterator[Peeked], *, export: bool, mapped: bool) -> Iterator[Peeked]:
    """Refuse a batch that has both exports and coup lines."""
    for file in files:
        if not mapped and file.first and is_event_line(file.first) != export:
            raise BadInput(
                "the input mixes an export and coup lines; import them separately", file.name
            )
        yield file


def _exports(files: Iterator[Peeked]) -> Iterator[Peeked]:
    """Refuse a file that is not an export."""
    for file in files:
        if file.first and not is_event_line(file.first):
            raise BadInput(
                "it is neither a backup nor the export of a log; `sabot import` reads other files",
                file.name,
            )
        yield file


def _coups(
    files: Iterator[Peeked],
    mapping: Mapping | None,
    complain: Complain,
    watch: Callable[[CoupRecord], None],
) -> Iterator[Placed]:
    for file in files:
        name = file.name
        if mapping is None:
            _check_coup_lines(file)
            lines = numbered_lines(file, name, complain)
            records = read_each(lines, read_coup_line, name, complain)
        else:
            try:
                records = mapped_coups(file, name, mapping, complain)
            except BadInput as error:
                # the whole file does not fit the mapping; the others are still read
                complain(error)
                continue
        for number, record in records:
            watch(record)
            yield name, number, record


def _check_coup_lines(file: Peeked) -> None:
    """Refuse a file whose first line shows that it needs a mapping.

    Raises:
        BadInput: it is CSV, a record line, or JSON with none of the keys of a coup line.
    """
    first = file.first.removeprefix(BOM).strip()
    if not first or first.startswith(b"["):
        return
    what = "this is not JSON; CSV"
    if first.startswith(b"{"):
        try:
            keys = loads(first)
        except BadInput:
            return
        if isinstance(keys, dict) and "stream" in keys and keys.keys() & {"fact", "event"}:
            raise BadInput("these are lines of a log; use sabot record < FILE", f"{file.name}:1")
        if not isinstance(keys, dict) or not keys or _KEYS & keys.keys():
            return
        what = "this JSON has no key of a coup line; it"
    raise BadInput(
        f"{what} is read by a mapping: `sabot import --draft FILE > mapping.toml` writes a "
        "draft to edit, and `--mapping mapping.toml` uses it",
        f"{file.name}:1",
    )


def _ahead(log: EventLog, batches: Iterator[list[T]]) -> Iterator[list[T]]:
    """Read all input before storing any of it, if both use the same connection."""
    return iter(list(batches)) if log.database.url.database == MEMORY else batches


def _exhaust(batches: Iterator[object]) -> None:
    for _ in batches:
        pass
