"""`sabot import`: a batch of files into the log, all or nothing."""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from itertools import chain
from typing import TypeVar

from sabot.domain.values.errors import BadInput
from sabot.infrastructure.database.database import MEMORY
from sabot.infrastructure.exports.event_lines import is_event_line
from sabot.infrastructure.imports.batch import Added, Batch, Placed
from sabot.infrastructure.imports.coup_line import read_coup_line
from sabot.infrastructure.imports.input_files import Peeked, check_names, opened
from sabot.infrastructure.imports.input_lines import Complain, Complaints, numbered_lines, read_each
from sabot.infrastructure.imports.mapped_coups import mapped_coups
from sabot.infrastructure.imports.mapping import Mapping
from sabot.infrastructure.imports.restoring import Restoring
from sabot.infrastructure.log.event_log import EventLog

T = TypeVar("T")


def import_files(  # noqa: PLR0913 - the options of the verb
    log: EventLog,
    names: Sequence[str],
    *,
    mapping: Mapping | None = None,
    rules: str | None = None,
    actor: str = "",
    dry_run: bool = False,
    advance: Callable[[int], None] = lambda _done: None,
) -> Added:
    """Take coup lines, mapped files or an export into the log; return what it adds.

    Args:
        log: the log.
        names: paths, and ``-`` for standard input; all of them are one batch.
        mapping: how the files are to be read, where they are no coup lines.
        rules: the pack of every line that names none.
        actor: who vouches for the events.
        dry_run: read and check everything, and write nothing.
        advance: is told how many lines were read since.

    Raises:
        BadInput: something in a file cannot be read; all that was found is told.
        Conflict: a coup or a shoe has other content elsewhere, or a shoe has grown meanwhile.
        Unavailable: the database failed; the batch can be given again.
    """
    check_names(names)
    complaints = Complaints()
    with closing(_files(names)) as files:
        first = next(files, None)
        if first is None:
            return Added()
        export = mapping is None and is_event_line(first.first)
        every = _alike(chain([first], files), export=export, mapped=mapping is not None)
        if export:
            restoring = Restoring(log, complaints)
            rows = restoring.rows(every, advance)
            if dry_run:
                _exhaust(rows)
            else:
                restoring.restore(log, _ahead(log, rows))
            return restoring.added
        batch = Batch(log, complaints, actor=actor, rules=rules)
        drafts = batch.drafts(_coups(every, mapping, complaints.add), advance)
        if dry_run:
            _exhaust(drafts)
        else:
            log.load(_ahead(log, drafts), expected=batch.expected)
        return batch.added


def _files(names: Sequence[str]) -> Generator[Peeked]:
    """Open each file when its turn comes."""
    for name in names:
        with opened(name) as stream:
            yield stream


def _alike(files: Iterator[Peeked], *, export: bool, mapped: bool) -> Iterator[Peeked]:
    """Refuse an export among coups, or coups among exports: a batch is one or the other."""
    for file in files:
        if not mapped and file.first and is_event_line(file.first) != export:
            raise BadInput(
                "the batch has an export and coup lines; give them one after the other", file.name
            )
        yield file


def _coups(
    files: Iterator[Peeked], mapping: Mapping | None, complain: Complain
) -> Iterator[Placed]:
    for file in files:
        name = file.name
        if mapping is None:
            lines = numbered_lines(file, name, complain)
            records = read_each(lines, read_coup_line, name, complain)
        else:
            try:
                records = mapped_coups(file, name, mapping, complain)
            except BadInput as error:
                # the file as a whole does not fit the mapping; the others are still read
                complain(error)
                continue
        for number, record in records:
            yield name, number, record


def _ahead(log: EventLog, batches: Iterator[list[T]]) -> Iterator[list[T]]:
    """Read everything before anything is staged, where one connection must do for both."""
    return iter(list(batches)) if log.database.url.database == MEMORY else batches


def _exhaust(batches: Iterator[object]) -> None:
    for _ in batches:
        pass
