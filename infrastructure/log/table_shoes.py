"""Find the shoes of a table without the summary tables.

The loadings of all shoes are read, by an index of the database on them. Of each shoe of this table,
the first and the last event are read too.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import chain
from typing import Final

from sabot.domain.events import EventCorrected, ShoeLoaded
from sabot.domain.events.points_in_time import DAY_US, Index, PointInTime, Time, with_table_times
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import NotFound
from sabot.domain.values.suggestions import not_in_log
from sabot.infrastructure.log.codec import NAMES
from sabot.infrastructure.log.reader import LogReader
from sabot.infrastructure.log.streams import StreamInfo
from sabot.infrastructure.log.table_records import TABLE_PREFIX

_SHOE_PREFIX: Final = "shoe/"


def tables_of_shoes(log: LogReader) -> dict[str, str]:
    """Return the table of each shoe that was loaded at one, by the shoe's stream."""
    return _tables_of_shoes(log, log.head())


@lru_cache(maxsize=1)
def _tables_of_shoes(log: LogReader, head: int) -> dict[str, str]:
    tables: dict[str, str | None] = {}
    corrected: set[str] = set()
    names = [NAMES[ShoeLoaded], NAMES[EventCorrected]]
    loaded: set[tuple[str, int]] = set()
    for event in chain.from_iterable(log.scan(names=names, prefix=_SHOE_PREFIX, until=head)):
        payload = event.payload
        if isinstance(payload, ShoeLoaded):
            tables.setdefault(event.stream, payload.table)
            loaded.add((event.stream, event.version))
        elif isinstance(payload, EventCorrected):
            of_loading = (event.stream, payload.version) in loaded
            if of_loading or isinstance(payload.instead, ShoeLoaded):
                corrected.add(event.stream)
    tables.update((stream, fold(stream, log.read(stream)).table) for stream in corrected)
    return {stream: table for stream, table in tables.items() if table is not None}


def shoes_at(log: LogReader, table: str) -> list[StreamInfo]:
    """Return the shoes of a table, in the order in which they began."""
    streams = [stream for stream, at in tables_of_shoes(log).items() if at == table]
    found = filter(None, map(log.stream, streams))
    return sorted(found, key=lambda shoe: shoe.first_index)


def check_has_stream(log: LogReader, stream: str) -> None:
    """Check that the log has a stream.

    Raises:
        NotFound: it has none of that name.
    """
    if log.version(stream):
        return
    kind, _, name = stream.partition("/")
    other = {"shoe": "table", "table": "shoe"}.get(kind)
    if other is None:
        known = (each.stream for each in log.streams())
        raise not_in_log("stream", stream, known, "list events with: sabot log")
    if log.version(f"{other}/{name}"):
        raise NotFound(f"no {kind} {name!r}; a {other} has this name: --{other} {name}")
    raise not_in_log(
        kind, name, (each.stream.partition("/")[2] for each in log.streams(f"{kind}/"))
    )


def check_table(log: LogReader, table: str) -> None:
    """Check that a table is known.

    Raises:
        NotFound: no event names it.
    """
    if log.version(TABLE_PREFIX + table):
        return
    known = set(tables_of_shoes(log).values())
    if table not in known:
        known |= {each.stream.removeprefix(TABLE_PREFIX) for each in log.streams(TABLE_PREFIX)}
        raise not_in_log("table", table, sorted(known))


def last_begun(shoes: Iterable[StreamInfo], moment: PointInTime | None) -> str | None:
    """Return the stream of the shoe that began last, by a moment. None if none had begun."""
    begun = [shoe for shoe in shoes if moment is None or _has_begun(shoe, moment)]
    last = max(begun, key=lambda shoe: shoe.first_index, default=None)
    return None if last is None else last.stream


def _has_begun(shoe: StreamInfo, moment: PointInTime) -> bool:
    if isinstance(moment, Index):
        return shoe.first_index <= moment.index
    first = shoe.first_at_us
    return (shoe.first_recorded_us if first is None else first) <= moment.us


def is_after_the_end(shoes: Sequence[StreamInfo], moment: Time, latest_us: int) -> bool:
    """Return whether a time of day before the shoes is meant as one after their end.

    A time of day that the shoes never reached is before their first event on one day, and after
    their last event on the next day. The nearer of the two is meant.
    """
    firsts = [
        shoe.first_recorded_us if shoe.first_at_us is None else shoe.first_at_us for shoe in shoes
    ]
    return bool(firsts) and moment.us + DAY_US - latest_us < min(firsts) - moment.us


def last_clock(log: LogReader, shoes: Iterable[StreamInfo]) -> int | None:
    """Return the latest time of the table's clock at the ends of shoes. None without shoes."""
    return max((_last_time(log, shoe) for shoe in shoes), default=None)


def _last_time(log: LogReader, shoe: StreamInfo) -> int:
    if shoe.last_at_us is not None:
        return shoe.last_at_us
    times = [time for _, time in with_table_times(log.read(shoe.stream))]
    return times[-1] if times else shoe.last_recorded_us
