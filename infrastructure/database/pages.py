"""Read a long table page by page.

Each page is selected by the last key of the page before. In a damaged SQLite file a query may
return rows that do not fulfil its condition, or not in their order. Reading on by such keys could
go on forever, so they are refused.
"""

from collections.abc import Callable, Iterator, Sequence
from operator import gt, itemgetter, lt
from typing import Any, TypeVar

from sabot.infrastructure.database.driver_errors import damaged

R = TypeVar("R", bound=Sequence[Any])

Rows = list[tuple[Any, ...]]
"""Rows as the drivers return them."""


def pages(
    read: Callable[[Any], list[R]],
    start: object,
    size: int,
    *,
    key: Callable[[R], object] = itemgetter(0),
    back: bool = False,
) -> Iterator[list[R]]:
    """Yield pages of rows until one is not full.

    Args:
        read: returns the first rows behind a key, in the order of their keys.
        start: the key behind which the first page begins.
        size: the number of rows of a full page.
        key: returns the key of a row, by default its first column.
        back: whether keys decrease.

    Raises:
        UntrustedLog: the database returned rows in another order, or not behind the key.
    """
    after: Any = start
    while rows := read(after):
        found = [key(row) for row in rows]
        if not _in_order([after, *found], back=back):
            raise damaged(f"behind {after} it returned rows that do not belong there")
        yield rows
        if len(rows) < size:
            return
        after = found[-1]


def _in_order(keys: list[Any], *, back: bool) -> bool:
    try:
        return all(map(gt if back else lt, keys, keys[1:]))
    except TypeError:  # keys of several types
        return False
