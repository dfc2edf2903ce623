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
from concurrent.futures import Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from typing import Final, TypeVar

from sabot.domain.values.errors import SabotError
from sabot.infrastructure.log.read_ahead import processors

T = TypeVar("T")
R = TypeVar("R")

_SAFE_PATH: Final = "PYTHONSAFEPATH"
_DEATHS: Final = 3
"""So often may workers be killed before this process goes on without them."""
_IN_ADVANCE: Final = 2
"""The number of tasks that a worker has at one time, so that it does not wait for the next."""

_EVENTS_EACH: Final = 100_000
"""Audited in the time that a worker takes to start. Meanwhile this process audits as well."""
_MOST: Final = 8
"""Each worker has connections of its own, and a server allows a hundred."""


def usual_workers(events: int) -> int:
    """Return the usual number of processes for this number of events on this computer."""
    return max(1, min(events // _EVENTS_EACH, processors(), _MOST))


def can_be_started() -> bool:
    """Return whether workers can be prevented from importing from the current folder.

    False if this process runs with ``python -E``.
    """
    return bool(sys.flags.safe_path or not sys.flags.ignore_environment)


@contextmanager
def pool(workers: int, begin: Callable[[], None]) -> Iterator[ProcessPoolExecutor]:
    """Start worker processes for the duration of the ``with`` block.

    ``begin`` is called first in each. Tasks that have not begun at the end of the block are
    dropped.
    """
    # a forked process would share this process's connections
    context = multiprocessing.get_context("spawn")
    with _safe_path(), ProcessPoolExecutor(workers, context, begin) as executor:
        try:
            yield executor
        finally:
            executor.shutdown(wait=True, cancel_futures=True)


def shared_out(
    workers: int,
    begin: Callable[[], None],
    work: Callable[[T], R],
    here: Callable[[T], R],
    tasks: Iterable[T],
) -> Iterator[R]:
    """Do tasks in worker processes and in this one. Yield the results in the order of the tasks.

    If a worker is killed, new ones do its tasks again. If that happens again and again, this
    process does what is left. Results that come before their turn are kept in memory.

    Args:
        workers: the number of processes, this one included.
        begin: a function called first in each worker process.
        work: a function that does one task in a worker.
        here: a function that does one task in this process, with the same result.
        tasks: the tasks.
    """
    left, results = dict(enumerate(tasks)), dict[int, Future[R]]()
    turn = deaths = 0
    while left:
        helpers = workers - 1 if deaths < _DEATHS else 0
        try:
            with pool(helpers, begin) if helpers else nullcontext() as executor:
                for place, result in _results(left.copy(), work, here, executor, helpers):
                    results[place] = result
                    del left[place]
                    while turn in results:
                        yield results.pop(turn).result()
                        turn += 1
        except BrokenProcessPool:
            deaths += 1


def _results(
    tasks: dict[int, T],
    work: Callable[[T], R],
    here: Callable[[T], R],
    executor: ProcessPoolExecutor | None,
    helpers: int,
) -> Iterator[tuple[int, Future[R]]]:
    """Do numbered tasks, and yield their results as they come.

    Raises:
        BrokenProcessPool: a worker was killed.
    """
    waiting, out = deque(tasks.items()), dict[int, Future[R]]()
    while waiting or out:
        while executor is not None and waiting and len(out) < helpers * _IN_ADVANCE:
            place, task = waiting.popleft()
            out[place] = executor.submit(work, task)
        if waiting:
            place, task = waiting.popleft()
            yield place, _done(here, task)
        for place, result in list(out.items()):
            if result.done() or not waiting:
                if isinstance(error := result.exception(), BrokenProcessPool):
                    raise error
                del out[place]
                yield place, result


def _done(work: Callable[[T], R], task: T) -> Future[R]:
    """Do a task now. Its error is raised when its result is asked for, in its turn."""
    done = Future[R]()
    try:
        done.set_result(work(task))
    except SabotError as error:
        done.set_exception(error)
    return done


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
