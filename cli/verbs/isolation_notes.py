"""Notes on isolated events, and on false isolations, which have no effect."""

from typing import TYPE_CHECKING, Final

from sabot.cli.console import say

if TYPE_CHECKING:
    from sabot.infrastructure.log.event_log import EventLog

_MOST: Final = 10


def tell_isolations(log: "EventLog") -> None:
    """Write isolated events and false isolations to standard error, the first few of each."""
    isolated, false = log.isolated(), log.false_isolations()
    for index, stated in list(isolated.items())[:_MOST]:
        say(f"note: event {index} is not read: {stated.by} isolated it ({stated.note})")
    for place, stated in list(false.items())[:_MOST]:
        login = log.stored(place).login or "unknown"
        say(
            f"warning: event {place} (by {stated.by}, login {login}) isolates event "
            f"{stated.index}, but that event can be read, was changed since, or is not in "
            "the log; it is not skipped. Ask who stated this, and run `sabot verify`"
        )
    for number, what in ((len(isolated), "isolated events"), (len(false), "false isolations")):
        if number > _MOST:
            say(f"note: {number - _MOST} more {what} are in the stream audit/isolated")
