"""Open a log with up-to-date summary tables."""

import contextlib
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from sqlalchemy.exc import DBAPIError

from sabot.cli.console import open_log, progress, say
from sabot.cli.period_options import ASKED
from sabot.cli.settings import ZONE, show_time
from sabot.domain.events.points_in_time import (
    DAY_US,
    Index,
    Time,
    is_clock,
    parse_moment,
)
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.log.table_shoes import is_after_the_end, last_clock, shoes_at
from sabot.infrastructure.log.whole_log import check_for_lists
from sabot.infrastructure.projections.projector import Projector
from sabot.infrastructure.projections.views import check_current, views_elsewhere

if TYPE_CHECKING:
    from sabot.domain.events.points_in_time import PointInTime
    from sabot.infrastructure.log.event_log import EventLog
    from sabot.infrastructure.log.streams import StreamInfo


@contextlib.contextmanager
def up_to_date(database: str | None, *, whole: bool = True) -> Iterator["EventLog"]:
    """Open and check an existing log. Its summary tables are updated when they are first used.

    So a verb that reads one shoe and no summary table reads nothing but that shoe. Reading never
    changes the file of a SQLite log: its summary tables are then stored in NAME-views, or in
    memory. For a PostgreSQL login that may not write them, they are in memory too.

    Args:
        database: the log.
        whole: check the whole log; otherwise only its head, since the verb reads a part.

    Raises:
        BadInput: there is no log, or the summary tables cannot be brought up to date.
        UntrustedLog: the log is damaged.
    """
    with contextlib.ExitStack() as stack:
        log = stack.enter_context(open_log(database, read_only=True))
        if not whole:
            log.check_ends()
        elif not check_for_lists(log):
            say("note: the log is long: of events already in the summary tables only the versions")
            say("were checked; `sabot audit` reads every event")
        log.prepare_views(partial(_prepare, stack, log, database))
        yield log


def _prepare(stack: contextlib.ExitStack, log: "EventLog", database: str | None) -> None:
    """Update the summary tables to the current head, for as long as the log is open."""
    if wrong := Projector(log).fault():
        say(f"warning: {wrong}; until then this verb computes them for itself")
    if wrong or log.database.is_sqlite or not _updated(database):
        stack.enter_context(views_elsewhere(log, catch_up))
    check_current(log)


def only_checked(*parts: str) -> None:
    """Write to standard error which parts of the log were checked for missing or damaged events."""
    checked = (
        f"{', '.join(parts)} and the end of the log were" if parts else "the ends of the log were"
    )
    say(
        f"note: only {checked} checked for missing or damaged events; "
        "`sabot audit` checks the whole log"
    )


def _updated(database: str | None) -> bool:
    """Update the summary tables of a PostgreSQL log. Return whether the login may do so."""
    try:
        with open_log(database) as log:
            catch_up(Projector(log), log.head())
    except (DBAPIError, Unavailable):
        return False
    return True


def catch_up(projector: "Projector", head: int) -> int:
    """Update the summary tables up to an event. Return the number of events processed."""
    behind = max(0, head - projector.position())
    done = 0
    with progress("updating the summary tables", behind) as advance:
        for taken in projector.catch_up(head):
            done += taken
            advance(taken)
    return done


def _may_be_table(log: "EventLog", name: str) -> bool:
    """Return whether a name may mean a table and all its shoes."""
    return not name.startswith("shoe/") and bool(
        name.startswith("table/") or log.version(f"table/{name}") or not log.version(f"shoe/{name}")
    )


def moment_of(log: "EventLog", text: str | None, name: str | None = None) -> "PointInTime | None":
    """Return a moment given as text, or None.

    A time without a date is the most recent one that the shoe or table has reached.

    Raises:
        BadInput: the text is neither an event nor a time.
    """
    if text is None:
        return None
    return parse_moment(text, lambda: last_clock(log, _shoes_of(log, name)), ZONE.get())


def _shoes_of(log: "EventLog", name: str | None) -> "Sequence[StreamInfo]":
    """Return the shoe of a name, or the shoes of a table. Otherwise all shoes."""
    if name is None:
        return log.streams("shoe/")
    bare = name.removeprefix("shoe/").removeprefix("table/")
    shoe = log.stream(f"shoe/{bare}")
    shoes = shoes_at(log, bare) if _may_be_table(log, name) else []
    return [*shoes, shoe] if shoe is not None else shoes or log.streams("shoe/")


def recorded_moment(
    log: "EventLog", text: str | None, name: str | None = None
) -> "PointInTime | None":
    """Return a moment like `moment_of`, and refuse an event that is not in the log.

    A time of day after the last event of the shoes is the end of the record, and a note says so.
    """
    moment = moment_of(log, text, name)
    if isinstance(moment, Time) and text is not None and is_clock(text):
        shoes = _shoes_of(log, name)
        latest = last_clock(log, shoes)
        if latest is not None and is_after_the_end(shoes, moment, latest):
            of = f"shoe {shoes[0].stream.removeprefix('shoe/')}" if len(shoes) == 1 else "any shoe"
            say(f"note: no event of {of} after {show_time(latest)}; the end of the record is used")
            return Time(moment.us + DAY_US)
    head = log.head()
    if isinstance(moment, Index) and moment.index > head:
        raise BadInput(f"no event {moment}; the last event is #{head}")
    return moment


def recorded_range(
    log: "EventLog", since: str | None, until: str | None, name: str | None = None
) -> "tuple[PointInTime | None, PointInTime | None]":
    """Return the first and the last moment of a range, like `recorded_moment`.

    Raises:
        BadInput: the range ends before it begins.
    """
    first, last = (recorded_moment(log, text, name) for text in (since, until))
    if first is None or last is None:
        return first, last
    if isinstance(first, Index) and isinstance(last, Index):
        backwards = first.index > last.index
    else:
        backwards = _time_of(log, first).us > _time_of(log, last).us
    if backwards:
        raise BadInput(f"--since {since} is later than --until {until}; give the earlier first")
    return first, last


def _time_of(log: "EventLog", moment: "PointInTime") -> Time:
    """Return the time of a moment. An event has that of its device, or else of the log."""
    if isinstance(moment, Time):
        return moment
    event = log.stored(moment.index)
    return Time(event.recorded_us if event.at_us is None else event.at_us)


def read_period(database: str | None, *names: str) -> None:
    """Replace what --since and --until name by a time, or the last event.

    An event that --since names becomes its time on the table's clock. A time of day is that of the
    first of the named shoes or tables, or of the whole log if none is named.

    Raises:
        BadInput: a text is neither an event nor a time, or the log has no such event.
    """
    asked = ASKED.get()
    period = asked.period
    if period.since is None and period.until is None:
        return
    of = next(iter((*names, *asked.tables)), None)
    with open_log(database, read_only=True) as log:
        since, until = recorded_range(log, period.since, period.until, of)
        if since is not None:
            since = _time_of(log, since)
    since_text, until_text = (None if each is None else str(each) for each in (since, until))
    ASKED.set(replace(asked, period=replace(period, since=since_text, until=until_text)))
