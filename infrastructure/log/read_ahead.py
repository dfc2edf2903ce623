"""Read the next streams of the log in a thread, while the caller works on the one before."""

import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Final

from sabot.domain.events.envelope import RecordedEvent
from sabot.infrastructure.log.reader import LogReader

_AHEAD: Final = 2
"""Number of streams read ahead."""
_SWITCH_S: Final = 0.001
"""How long the thread waits for Python's lock after each answer of the driver, at most.

With Python's usual 5 ms it often falls behind, since an audit of a shoe takes 3 ms.
"""


def processors() -> int:
    """Return how many processors this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def read_ahead(log: LogReader, streams: Iterable[str]) -> Iterator[list[RecordedEvent]]:
    """Yield the events of each stream, in the order of the streams.

    The database drivers release Python's lock while the database works, so reading takes place on
    another processor, if there is one. Memory use is that of three streams.

    Raises:
        UntrustedLog: as `LogReader.read`, for the stream whose turn it is.
    """
    if processors() == 1:
        yield from map(log.read, streams)
        return
    waiting: deque[Future[list[RecordedEvent]]] = deque()
    usual_s = sys.getswitchinterval()
    with ThreadPoolExecutor(1, "read-ahead") as thread:
        try:
            sys.setswitchinterval(min(_SWITCH_S, usual_s))
            for stream in streams:
                waiting.append(thread.submit(log.read, stream))
                if len(waiting) > _AHEAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            sys.setswitchinterval(usual_s)
            thread.shutdown(cancel_futures=True)
