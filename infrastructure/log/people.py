"""The patrons and crew that a log names."""

from collections.abc import Iterator
from typing import Final

import msgspec

from sabot.domain.events.base import EventBase
from sabot.domain.events.people import Crew, Seat
from sabot.domain.values.suggestions import not_in_log
from sabot.infrastructure.log.codec import NAMES
from sabot.infrastructure.log.event_log import EventLog

PATRON_KEYS: Final = ("patron", "by", "to", "person")
"""Keys of events that may name a patron."""
_CREW_KEYS: Final = ("person", "crew", "instead")
_MOST_LISTED: Final = 30
"""The most names of the crew that an error lists."""


def check_patron(log: EventLog, patron: str) -> None:
    """Check that a patron is named in the log.

    Raises:
        NotFound: no event names the patron; the message suggests a similar name.
    """
    _check(log, "patron", patron, (*PATRON_KEYS, "seats", "instead"))


def check_dealer(log: EventLog, dealer: str) -> None:
    """Check that a member of the crew is named in the log.

    Raises:
        NotFound: no event names the person; the message suggests a similar name.
    """
    _check(log, "dealer", dealer, _CREW_KEYS)


def _check(log: EventLog, what: str, name: str, keys: tuple[str, ...]) -> None:
    kinds = [
        tag
        for kind, tag in NAMES.items()
        if not set(keys).isdisjoint(field.name for field in msgspec.structs.fields(kind))
    ]
    known: set[str] = set()
    for events in log.scan(names=kinds):
        known.update(each for event in events for each in _named(event.payload, keys))
        if name in known:
            return
    # no verb lists dealers
    raise not_in_log(what, name, known, None if what == "patron" else _crew_in_words(known))


def _crew_in_words(known: set[str]) -> str:
    """Return text for the people who worked at tables."""
    listed = ", ".join(sorted(known)[:_MOST_LISTED])
    more = f" and {len(known) - _MOST_LISTED} more" if len(known) > _MOST_LISTED else ""
    return f"the crew on record is {listed}{more}" if known else "no crew is on record"


def _named(payload: EventBase, keys: tuple[str, ...]) -> Iterator[str]:
    """Yield the names under these keys of an event, or of the event in a correction."""
    for key in keys:
        match getattr(payload, key, None):
            case str(name):
                yield name
            case tuple(several):
                for each in several:
                    if isinstance(each, Crew):
                        yield each.person
                    elif isinstance(each, Seat):
                        yield each.patron
            case EventBase() as instead:
                yield from _named(instead, keys)
            case _:
                pass
