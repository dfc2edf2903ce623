"""How often Python looks for cycles, while events come and go by the hundred thousand."""

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

_AT: Final = 20_000
"""So many more containers made than freed call the collector: a long shoe makes fewer."""


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Spare what is there already the collector's looks, and let it look at the rest seldom.

    A shoe refers to nothing that refers to it: it goes as soon as nobody holds it. The collector
    would find nothing in it, and go each time through the program and its rules as well, which
    took a twelfth of an audit. Whoever has set something aside himself (`gc.freeze`) is left alone.
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
