"""Who knew the next card, straight from the log."""

from collections.abc import Callable, Iterator

from domain.protection.detection import Plan, Protection, observe, start
from domain.shoe import Shoe
from infrastructure.auditing import load_shoe, shoe_streams
from infrastructure.log import EventLog


def shoes_of(log: EventLog) -> Iterator[Shoe]:
    """Read every shoe, in the order in which they began.

    Raises:
        UntrustedLog: events are missing from the log, at its end perhaps.
    """
    for stream in shoe_streams(log):
        yield load_shoe(log, stream)


def detect_log(log: EventLog, plan: Plan, advance: Callable[[int], None]) -> Protection:
    """Take in every shoe of a log; ``advance`` is told of each."""
    state = start(plan)
    for shoe in shoes_of(log):
        observe(state, shoe)
        advance(1)
    return state
