"""Worker processes that import modules only from the same places as this process.

A process of `multiprocessing` is started with ``python -c``, which searches the current folder
first. A file ``json.py`` there would be executed. The same holds for the process that tracks shared
resources. ``PYTHONSAFEPATH`` prevents both. After its start a worker takes over the module path of
this process, so that a source tree that is not installed still works.
"""

import multiprocessing
import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any, Final, TypeVar

from sabot.domain.values.errors import SabotError
from sabot.infrastructure.log.read_ahead import processors

T = TypeVar("T")
R = TypeVar("R")

_SAFE_PATH: Final = "PYTHONSAFEPATH"
_DEATHS: Final = 3
"""So often may workers be killed before one of them gives a result."""


_EVENTS_EACH: Final = 200_000
"""To start a worker takes as long as to audit some 140,000 events."""
_MOST: Final = 8
"""Each worker has connections of its own, and a server allows a hundred."""


def usual_workers(events: int) -> int:
    """Return how many processes to use for a log with so many events, on this computer."""
    return max(1, min(events // _EVENTS_EACH, processors(), _MOST))


def can_be_started() -> bool:
    """Return whether workers can be prevented from importing from the current folder.

    False if this process runs with ``python -E``.
    """
    return bool(sys.flags.safe_path or not sys.flags.ignore_environment)


@contextmanager
def pool(
    workers: int, begin: Callable[..., None], given: tuple[Any, ...]
) -> Iterator[ProcessPoolExecutor]:
    """Start worker processes for the duration of the ``with`` block.

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


def shared_out(
    workers: int,
    begin: Callable[..., None],
    given: tuple[Any, ...],
    work: Callable[[T], R],
    tasks: Iterable[T],
) -> Iterator[R]:
    """Let worker processes do tasks. Yield the results in the order of the tasks.

    If a worker is killed, the tasks without a result are given to new workers.

    Args:
        workers: the number of processes.
        begin: a function called first in each process, with the arguments ``given``.
        given: its arguments.
        work: a function that does one task, with the same result whenever it is called.
        tasks: the tasks.

    Raises:
        SabotError: workers end again and again without a result.
    """
    left = deque(tasks)
    deaths = 0
    while left:
        try:
            with pool(workers, begin, given) as executor:
                for result in executor.map(work, list(left)):
                    left.popleft()
                    deaths = 0
                    yield result
        except BrokenProcessPool as error:
            deaths += 1
            if deaths == _DEATHS:
                raise SabotError(
                    f"worker processes ended {deaths} times without a result: something killed "
                    "them, perhaps for lack of memory; use fewer --workers"
                ) from error


@contextmanager
def _safe_path() -> Iterator[None]:
    """Exclude the current folder from the module path of processes started in the block."""
    before = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    try:
        yield
    finally:
        if before is None:
            del os.environ[_SAFE_PATH]
        else:
            os.environ[_SAFE_PATH] = before
