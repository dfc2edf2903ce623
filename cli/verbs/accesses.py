"""The access log: who read case files, exports and names."""

from typing import TYPE_CHECKING

from sabot.cli.console import say
from sabot.infrastructure.access_log import note_access

if TYPE_CHECKING:
    from sabot.infrastructure.log.event_log import EventLog


def noted(log: "EventLog", verb: str, what: str) -> None:
    """Note an access. Write a warning if it has to be noted but cannot be."""
    warning = note_access(log.database, log.origin, verb, what)
    if warning:
        say(f"warning: {warning}")
