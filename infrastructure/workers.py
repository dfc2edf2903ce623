"""Worker processes that import modules only from where this process does.

A process of `multiprocessing` is started with ``python -c``, which searches the current folder
first, so a ``json.py`` there would be executed. The same holds for the process that tracks shared
resources. ``PYTHONSAFEPATH`` prevents both. After its start a worker takes over the module path of
this process, so that a source tree that is not installed still works.
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
    """Tell whether workers can be kept from importing from the current folder.

    Not if this process runs with ``python -E``.
    """
    return bool(sys.flags.safe_path or not sys.flags.ignore_environment)


@contextmanager
def pool(
    workers: int, begin: Callable[..., None], given: tuple[Any, ...]
) -> Iterator[ProcessPoolExecutor]:
    """Start worker processes for the duration of the block.

    ``begin`` is called first in each. Tasks that have not begun at the end of the block are
    dropped.
    """
    # a forked process would share this process's connections
    context = multiprocessing.get_context("spawn")
    with _safe_path(), ProcessPoolExecutor(workers, context, begin, given) as executor:
        try:
            yield executor
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _safe_path() -> Iterator[None]:
    """Exclude the current folder from the module path of processes started meanwhile."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
