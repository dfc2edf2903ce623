"""Waiting for the log to grow.

What wakes a follower is a hint, never the news itself: it reads the log after each hint, and
after a while without one. So a lost hint costs a moment, and no event.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep

from sabot.infrastructure.database.database import Database, unavailable
from sabot.infrastructure.database.engines import driver_of

Wait = Callable[[float], None]
"""Return once the log may have grown, after so many seconds at the latest."""


@contextmanager
def hints(database: Database) -> Iterator[Wait]:
    """Listen for growth: NOTIFY on PostgreSQL; on SQLite, where nobody calls, just the clock.

    Reading SQLite's head takes a few microseconds, less than asking first (``PRAGMA
    data_version``) whether the file has changed, and works for a database in memory too.
    """
    if database.is_sqlite:
        yield sleep
        return
    with unavailable(), database.statements.connect() as connection:
        driver = driver_of(connection)
        driver.execute("LISTEN sabot_log")

        def wait(seconds: float) -> None:
            for _ in driver.notifies(timeout=seconds, stop_after=1):
                pass

        try:
            yield wait
        finally:
            # The pool gets it back as it was: a hint that nobody reads would stay in its buffer.
            connection.invalidate()
