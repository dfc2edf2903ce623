"""``sabot log``: the events of the log, in words or as stored."""

import sys
from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    Format,
    FormatOption,
    OnlyShoesOption,
    OutputOption,
    emit,
    printable,
    say,
)
from sabot.cli.settings import show_time
from sabot.cli.text.event_text import currency_of, describe
from sabot.cli.verbs.freshness import moment_of, only_checked, recorded_range, up_to_date
from sabot.domain.events import EventCorrected, ShoeLoaded, TableOpened, name_of
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.events.points_in_time import Index, PointInTime, Time, format_time
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.log.codec import NAMES
from sabot.infrastructure.log.filters import EventFilter, Selector, check_names
from sabot.infrastructure.log.people import check_patron
from sabot.infrastructure.log.table_shoes import check_has_stream, check_table

if TYPE_CHECKING:
    from sabot.infrastructure.log.event_log import EventLog


_COLUMNS: Final = (
    Column("index", right=True, show=lambda index: f"#{index}", style="bold"),
    Column("at_us", show=show_time),
    Column("at", in_table=False),
    Column("stream"),
    Column("version", in_table=False),
    Column("name", rank=1),
    Column("what", wraps=True),
    *[
        Column(key, in_table=False)
        for key in (
            "recorded",
            "recorded_us",
            "actor",
            "device",
            "seq",
            "event_id",
        )
    ],
    Column("fact", in_table=False, name="payload"),
)


TableOption = Annotated[
    str | None,
    typer.Option("--table", metavar="TABLE", help="Only this table and its shoes."),
]
StreamOption = Annotated[
    list[str] | None,
    typer.Option(
        "--stream", metavar="STREAM", help="Only this stream, for example shoe/H-1 (repeatable)."
    ),
]
NameOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name",
        metavar="EVENT",
        help="Only this kind of event, for example bet-placed (repeatable).",
    ),
]
PatronOption = Annotated[
    str | None,
    typer.Option(
        "--patron", metavar="PATRON", help="Only events about this patron or the patron's bets."
    ),
]
CoupOption = Annotated[int | None, typer.Option("--coup", min=1, help="Only this coup.")]
SinceOption = Annotated[
    str | None,
    typer.Option(
        "--since",
        metavar="WHEN",
        help="From this event (149 or #149) or time (21:15: its last occurrence) on.",
    ),
]
UntilOption = Annotated[
    str | None,
    typer.Option(
        "--until",
        metavar="WHEN",
        help="Up to this event (149 or #149) or time (21:15: its last occurrence).",
    ),
]
LastOption = Annotated[
    int | None, typer.Option("--last", "-n", min=1, help="Only the last N events.")
]
FollowOption = Annotated[
    bool, typer.Option("--follow", "-f", help="Continue as the log grows, until Ctrl+C.")
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("log")(_log)


def _log(  # noqa: PLR0913 - one filter an option
    *,
    shoe: OnlyShoesOption = None,
    table: TableOption = None,
    stream: StreamOption = None,
    name: NameOption = None,
    patron: PatronOption = None,
    coup: CoupOption = None,
    since: SinceOption = None,
    until: UntilOption = None,
    last: LastOption = None,
    follow: FollowOption = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the events of the log.

    An event must match every filter. 21:15 alone means the most recent 21:15 on the table's clock.
    """
    streams = [f"shoe/{one}" for one in shoe or ()] + list(stream or ())
    names = check_names(name or ())
    if follow:
        _check_follow(endless=until is None and last is None, form=form, output=output)
    from_end = last is not None and (since, until) == (None, None)
    part = bool(streams or table or last) if patron is None else from_end
    with up_to_date(database, whole=not part) as log:
        if not follow:
            _check_known(log, streams, table, None if part else patron)
        of = table or next(iter(streams), None)
        bounds = _bounds(log, since, until, of, follow=follow)
        selection = EventFilter(frozenset(streams), table, names, patron, coup, *bounds)
        selector, told = Selector(log, selection), _Teller(log)
        if follow:
            _follow(selector, told, form)
            return
        emit(map(told, _matching(selector, last, part=part)), _COLUMNS, form, output)


def _matching(selector: "Selector", last: int | None, *, part: bool) -> Iterator[RecordedEvent]:
    """Return the matching events, and report what was checked.

    ``part`` is whether only a part of the log was.
    """
    found = None if last is None else selector.last(last)
    checked = selector.check(found) if part else []
    rest = iter(chain.from_iterable(selector.scan()) if found is None else found)
    first = list(islice(rest, 1))
    if checked:
        only_checked(*checked)
    if not first:
        say("no events match these filters")
    return chain(first, rest)


def _bounds(
    log: "EventLog", since: str | None, until: str | None, of: str | None, *, follow: bool
) -> tuple[PointInTime | None, PointInTime | None]:
    """Return the moment just before the first event, and that of the last one.

    An event that is still to come can be followed.
    """
    if follow:
        return _just_before(moment_of(log, since, of)), None
    first, last = recorded_range(log, since, until, of)
    return _just_before(first), last


def _just_before(moment: PointInTime | None) -> PointInTime | None:
    """Return the moment just before a given one.

    A filter leaves out its first moment, so this lets ``--since`` include the moment given.
    """
    match moment:
        case None:
            return None
        case Index(index=index):
            return Index(index - 1)
        case Time(us=us):
            return Time(us - 1)


def _check_follow(*, endless: bool, form: Format | None, output: str) -> None:
    if not endless:
        raise BadInput("--follow cannot be combined with --until or --last")
    if output != "-" or form is Format.JSON:
        raise BadInput("--follow writes to standard output only, as table, tsv, jsonl or csv")


def _check_known(
    log: "EventLog", streams: list[str], table: str | None, patron: str | None
) -> None:
    for stream in streams:
        check_has_stream(log, stream)
    if table is not None:
        check_table(log, table)
    if patron is not None:
        check_patron(log, patron)


def _currency(log: "EventLog", stream: str) -> tuple[int, str]:
    """Return the decimals and the name of a stream's currency, as the record gives it now."""
    if stream.startswith("table/"):
        opened = chain.from_iterable(log.scan(streams=[stream], names=[NAMES[TableOpened]]))
        named = (event.payload.currency for event in opened if is_of(event, TableOpened))
        return 2, next(filter(None, named), "")
    kinds = [NAMES[ShoeLoaded], NAMES[EventCorrected]]
    told = chain.from_iterable(log.scan(streams=[stream], names=kinds))
    pack = fold(stream, told).pack
    return (2, "") if pack is None else (pack.money.minor_units, pack.money.currency)


class _Teller:
    """Converts events to rows, with amounts in the currency of each shoe."""

    def __init__(self, log: "EventLog") -> None:
        self._log = log
        self._currencies: dict[str, tuple[int, str]] = {}

    def __call__(self, event: RecordedEvent) -> dict[str, object]:
        """Return the event as a record."""
        return {
            "index": event.index,
            "at": None if event.at_us is None else format_time(event.at_us),
            "stream": event.stream,
            "version": event.version,
            "name": name_of(event.payload),
            "what": self.describe(event),
            "recorded": format_time(event.recorded_us),
            "at_us": event.at_us,
            "recorded_us": event.recorded_us,
            "actor": event.actor,
            "device": event.device,
            "seq": event.seq,
            "event_id": event.event_id,
            "fact": msgspec.to_builtins(event.payload),
        }

    def describe(self, event: RecordedEvent) -> str:
        """Describe the event, with amounts in its stream's currency."""
        stream = event.stream
        if isinstance(event.payload, ShoeLoaded):
            self._currencies[stream] = currency_of(event.payload.pack)
        elif stream not in self._currencies:
            self._currencies[stream] = _currency(self._log, stream)
        return describe(event.payload, *self._currencies[stream])


def _follow(selector: "Selector", told: _Teller, form: Format | None) -> None:
    """Write events as they arrive; flush each batch."""
    if form is Format.TABLE or (form is None and sys.stdout is not None and sys.stdout.isatty()):
        for events in selector.follow():
            for event in events:
                clock = event.recorded_us if event.at_us is None else event.at_us
                line = f"#{event.index} {show_time(clock)} {event.stream} {told.describe(event)}"
                sys.stdout.write(printable(line) + "\n")
            sys.stdout.flush()
    else:
        emit(_flushed(selector, told), _COLUMNS, form)


def _flushed(selector: "Selector", told: _Teller) -> Iterator[dict[str, object]]:
    for events in selector.follow():
        yield from map(told, events)
        sys.stdout.flush()
