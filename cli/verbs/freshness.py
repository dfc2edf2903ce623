"""Summary tables for the verbs that read them: updated first, or reported as out of date."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlalchemy.exc import DBAPIError

from sabot.cli.console import open_log, progress, say
from sabot.cli.settings import ZONE
from sabot.domain.events.points_in_time import parse_moment
from sabot.domain.values.errors import BadInput, Unavailable
from sabot.infrastructure.projections import queries
from sabot.infrastructure.projections.projector import Projector

if TYPE_CHECKING:
    from sabot.domain.events.points_in_time import PointInTime
    from sabot.infrastructure.log.event_log import EventLog


@contextlib.contextmanager
def up_to_date(database: str | None) -> Iterator["EventLog"]:
    """Open an existing log with its summary tables updated to the current head.

    Without permission to write them, the summary tables are used as they are, with a warning about
    their age.

    Raises:
        BadInput: there is no log.
        UntrustedLog: the log ends before the last event in the summary tables.
    """
    # a mistyped path must not create a log
    open_log(database, read_only=True).close()
    with contextlib.ExitStack() as stack:
        try:
            log = stack.enter_context(open_log(database))
            catch_up(Projector(log), log.head())
        except (BadInput, DBAPIError, Unavailable) as error:
            log = stack.enter_context(open_log(database, read_only=True))
            _tell_age(log, Projector(log), error)
        yield log


def catch_up(projector: "Projector", head: int) -> int:
    """Update the summary tables to the log's head; return the number of events processed."""
    behind = max(0, head - projector.position())
    done = 0
    with progress("updating the summary tables", behind) as advance:
        for taken in projector.catch_up():
            done += taken
            advance(taken)
    return done


def moment_of(log: "EventLog", text: str | None, name: str | None = None) -> "PointInTime | None":
    """Return a moment given as text, or None.

    A time without a date is the most recent one that the shoe or table has reached.

    Raises:
        BadInput: the text is neither an event nor a time.
    """

    def latest() -> int | None:
        with log.database.reading() as connection:
            return queries.last_clock(connection, name)

    return None if text is None else parse_moment(text, latest, ZONE.get())


def _tell_age(log: "EventLog", projector: "Projector", error: Exception) -> None:
    head, position = log.head(), projector.position()
    if position < head:
        why = str(getattr(error, "orig", None) or error).splitlines()[0].partition(";")[0]
        say(
            f"sabot: warning: summary tables are {head - position:,} events behind (event "
            f"#{position} of #{head}) and cannot be updated; the list below is incomplete: {why}"
        )
