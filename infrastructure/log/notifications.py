"""Wait until the log grows.

A notification is only a hint: a follower reads the log after each hint, and after a timeout. So a
lost hint delays an event, but loses none.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import sleep

from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.driver_errors import unavailable
from sabot.infrastructure.database.engines import driver_of

Wait = Callable[[float], None]
"""Returns once the log may have grown, at the latest after this many seconds."""


@contextmanager
def hints(database: Database) -> Iterator[Wait]:
    """Yield a hint when the log may have grown: by NOTIFY on PostgreSQL, by a timeout on SQLite.

    Reading SQLite's head takes a few microseconds, less than a check of ``PRAGMA data_version``,
    and works for a database in memory too.
    """
    if database.is_sqlite:
        yield sleep
        return
    with unavailable(database.statements), database.statements.connect() as connection:
        driver = driver_of(connection)
        driver.execute("LISTEN sabot_log")

        def wait(seconds: float) -> None:
            for _ in driver.notifies(timeout=seconds, stop_after=1):
                pass

        try:
            yield wait
        finally:
            # unread notifications would stay in the buffer of a connection returned to the pool
            connection.invalidate()
