"""Run Python's garbage collector less often during long work."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_AT: Final = 20_000
"""The net number of new containers that triggers the collector.

Even a long shoe creates fewer.
"""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Exclude existing objects from garbage collection; collect the rest rarely.

    A shoe has no reference cycles, so it is freed with its last reference, and the collector finds
    nothing in it. Without this function the collector traversed the program and its rules again and
    again, which took a twelfth of an audit. Objects that the caller excluded before (`gc.freeze`)
    remain excluded.
    """
    thresholds, aside = gc.get_threshold(), gc.get_freeze_count()
    if not aside:
        gc.freeze()
    gc.set_threshold(max(_AT, thresholds[0]) if thresholds[0] else 0, *thresholds[1:])
    try:
        yield
    finally:
        gc.set_threshold(*thresholds)
        if not aside:
            gc.unfreeze()
