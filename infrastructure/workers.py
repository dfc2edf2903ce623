"""Processes that share a piece of work, and import from nowhere but where this one does.

A process of `multiprocessing` is started with ``python -c``, which looks for modules in the
current folder before all others: a ``json.py`` that lies there would be run. So is the process that
tracks what the others share. Both are told not to (``PYTHONSAFEPATH``). After its start a worker
takes the path of modules over from this process, so that a source tree that is not installed goes
on working.
"""

import multiprocessing
import os
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any, Final

_SAFE_PATH: Final = "PYTHONSAFEPATH"


def can_be_started() -> bool:
    """Whether a worker can be kept from the current folder; not where ``python -E`` runs this."""
    return bool(sys.flags.safe_path or not sys.flags.ignore_environment)


@contextmanager
def pool(
    workers: int, begin: Callable[..., None], given: tuple[Any, ...]
) -> Iterator[ProcessPoolExecutor]:
    """Start processes for as long as the block runs; ``begin`` is called first in each.

    What has not begun when the block ends is dropped.
    """
    # a forked process would share the connections of this one
    context = multiprocessing.get_context("spawn")
    with _safe_path(), ProcessPoolExecutor(workers, context, begin, given) as executor:
        try:
            yield executor
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Have the processes that are started meanwhile leave the current folder out."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
