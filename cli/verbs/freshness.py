"""Read models for the verbs that read: brought up to date first, or their age is told."""

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sabot.cli.console import open_log, progress, say

if TYPE_CHECKING:
    from sabot.domain.events.points_in_time import PointInTime
    from sabot.infrastructure.log.event_log import EventLog
    from sabot.infrastructure.projections.projector import Projector


@contextlib.contextmanager
def up_to_date(database: str | None) -> Iterator["EventLog"]:
    """Open a log that is there, with its read models up to the head of this moment.

    Who may read the log but not write the read models is answered from them as they are, and
    told how far they go.

    Raises:
        BadInput: there is no log.
        UntrustedLog: the log ends before what the read models have seen of it.
    """
    from sqlalchemy.exc import DBAPIError  # noqa: PLC0415 - slow to import, as what follows

    from sabot.domain.values.errors import BadInput, Unavailable  # noqa: PLC0415
    from sabot.infrastructure.projections.projector import Projector  # noqa: PLC0415

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
    with progress("bringing the read models up to date", behind) as advance:
        for taken in projector.catch_up():
            done += taken
            advance(taken)
    return done


def moment_of(log: "EventLog", text: str | None, name: str | None = None) -> "PointInTime | None":
    """Read a moment; a time without its date is the last that a shoe or table has reached.

    Raises:
        BadInput: it is neither an event nor a time.
    """
    from sabot.domain.events.points_in_time import parse_moment  # noqa: PLC0415
    from sabot.infrastructure.projections import queries  # noqa: PLC0415 - slow to import

    def latest() -> int | None:
        with log.database.reading() as connection:
            return queries.last_clock(connection, name)

    return None if text is None else parse_moment(text, latest)


def _tell_age(log: "EventLog", projector: "Projector", error: Exception) -> None:
    head, position = log.head(), projector.position()
    if position < head:
        why = str(getattr(error, "orig", None) or error).splitlines()[0]
        say(
            f"sabot: the read models end at event {position} and the log at {head}; what follows "
            f"is {head - position} events old, since they cannot be written: {why}"
        )
