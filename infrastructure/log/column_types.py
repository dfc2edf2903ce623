"""Check the types of stored values in a table of events that Sabot did not create.

SQLite checks the types in the tables that Sabot makes. Another table may hold anything.
"""

from collections.abc import Callable, Collection
from types import NoneType
from typing import Final

from sabot.domain.values.errors import UntrustedLog
from sabot.infrastructure.database.database import Database
from sabot.infrastructure.database.database_urls import MEMORY
from sabot.infrastructure.log.codec import COLUMN_TYPES

_KEEPS_TYPES: Final = (
    "SELECT (SELECT strict FROM pragma_table_list WHERE name = 'log_event'), count(*)"
    " FROM pragma_table_info('log_event') WHERE \"notnull\""
)
"""Whether SQLite checks types, and how many columns have to have a value."""

_SQL_TYPES: Final = {int: "'integer'", str: "'text'", NoneType: "'null'"}
_WRONG: Final = " OR ".join(
    f"typeof({column}) NOT IN ({', '.join(_SQL_TYPES[kind] for kind in kinds)})"
    for column, kinds in COLUMN_TYPES.items()
)
_OF_ANOTHER_TYPE: Final = "SELECT id FROM log_event WHERE {wrong}".replace("{wrong}", _WRONG)
_TWICE: Final = "SELECT id FROM log_event GROUP BY id HAVING count(*) > 1"


def keeps_types(database: Database) -> bool:
    """Return whether the table of events accepts only values of the right types."""
    if not database.is_sqlite or database.url.database == MEMORY:
        return True
    return database.fetch(_KEEPS_TYPES) == [(1, 8)]


def check_types(database: Database, isolated: Callable[[], Collection[int]]) -> None:
    """Check the values of a table that also accepts others.

    ``isolated`` returns the indexes of events to be skipped.

    Raises:
        UntrustedLog: a value is of another type, or two events have one index.
    """
    wrong = database.fetch(_OF_ANOTHER_TYPE) + database.fetch(_TWICE)
    skipped = isolated() if wrong else ()
    if indexes := [index for (index,) in wrong if index not in skipped]:
        raise UntrustedLog(
            f"event {indexes[0]} cannot be trusted: it has values of another type, or the index of "
            "another event; somebody made the table of events anew: compare the log with an export "
            "or a backup"
        )
