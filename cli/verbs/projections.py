"""``sabot project``: update, follow or rebuild the summary tables."""

import math
import time
from collections.abc import Callable
from functools import partial
from typing import Annotated, Final, TypeVar

import typer

from sabot.cli.console import (
    Column,
    DatabaseOption,
    FormatOption,
    OutputOption,
    emit,
    open_log,
    say,
    tell_waiting,
)
from sabot.cli.verbs.freshness import catch_up
from sabot.domain.values.errors import ConnectionLost
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.log.patient_log import wait_for
from sabot.infrastructure.log.whole_log import check_for_lists
from sabot.infrastructure.projections.projector import Projector

_TOLD_EVERY_S: Final = 60.0

T = TypeVar("T")


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("project")(_project)


def _project(  # noqa: PLR0913 - a choice an option
    *,
    follow: Annotated[
        bool, typer.Option("--follow", help="Continue as the log grows, until Ctrl+C.")
    ] = False,
    rebuild: Annotated[
        bool, typer.Option("--rebuild", help="Empty the summary tables first.")
    ] = False,
    batch: Annotated[
        int, typer.Option("--batch", min=1, max=1_000_000, help="Maximum events per transaction.")
    ] = 5000,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Update the summary tables.

    The verbs that read them do this themselves. Run with --follow to keep them up to date as
    events arrive; it waits while a PostgreSQL server is down. The process may be killed and
    restarted at any time; two may run at once.
    """
    with open_log(database, patient=follow) as log:
        do = partial(_patiently, log) if follow else _at_once
        do(lambda: check_for_lists(log))
        projector = Projector(log, batch=batch)
        if rebuild:
            do(projector.rebuild)
        begun = do(projector.position)
        do(lambda: catch_up(projector, log.head()))
        position, head = do(projector.position), do(log.head)
        row = {"events": position - begun, "position": position, "head": head}
        emit([row], [Column(key, right=True) for key in row], form, output)
        if follow:
            say("following the log; press Ctrl+C to stop")
            _follow(projector, log)


def _at_once(do: Callable[[], T]) -> T:
    """Do something once. A lost connection ends it."""
    return do()


def _patiently(log: EventLog, do: Callable[[], T]) -> T:
    """Do something, and repeat it when the database was restarted."""
    while True:
        try:
            return do()
        except ConnectionLost as error:
            wait_for(log.database, error, tell_waiting)


def _follow(projector: Projector, log: EventLog) -> None:
    """Keep the summary tables up to date, also after a restart of the database.

    Progress is reported at most once a minute, so that the journal of a service does not grow with
    each commit.
    """
    taken, told_at = 0, -math.inf
    while True:
        try:
            for more in projector.follow():
                taken += more
                if time.monotonic() - told_at >= _TOLD_EVERY_S:
                    say(f"{taken} more events, up to {projector.position()}")
                    taken, told_at = 0, time.monotonic()
        except ConnectionLost as error:
            wait_for(log.database, error, tell_waiting)
