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
    """Open a log that is there, with its read models up to the head of this moment.

    Who may read the log but not write the read models is answered from them as they are, and
    told how far they go.

    Raises:
        BadInput: there is no log.
        UntrustedLog: the log ends before what the read models have seen of it.
    """
    # a mistyped path makes no log
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
    """Bring the read models up to the log's head; return how many events that took."""
    behind = max(0, head - projector.position())
    done = 0
    with progress("updating the summary tables", behind) as advance:
        for taken in projector.catch_up():
            done += taken
            advance(taken)
    return done


def moment_of(log: "EventLog", text: str | None, name: str | None = None) -> "PointInTime | None":
    """Read a moment; a time without its date is the last that a shoe or table has reached.

    Raises:
        BadInput: it is neither an event nor a time.
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
