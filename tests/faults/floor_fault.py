"""The definition of a fault that involves several shoes or tables.

An evening is dealt without a fault first. The fault then takes its events, all streams in order of
time, and returns them changed.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import force_setattr, replace

from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent
from tests.faults.fault import Family, codes_of

MINUTE_US: Final = 60_000_000
HOUR_US: Final = 60 * MINUTE_US
DEVICE: Final = "afterwards"
Drafts = list[NewEvent]
Tampers = Callable[[Sequence[NewEvent]], Drafts | None]
"""Returns the evening as it is with the fault in it; None where it has no place for it."""


class FloorFault(Struct, frozen=True, kw_only=True):
    """A fault in the custody of cards or in the keeping of a table.

    ``codes`` are the audit's rules that report it, by number (docs/rules.md). The first always
    does, and it belongs to ``family``. The others report it where it has more than one effect.
    """

    name: str
    family: Family
    what: str
    codes: tuple[str, ...]
    tampers: Tampers

    def __post_init__(self) -> None:
        force_setattr(self, "codes", codes_of(self.codes))


def first(drafts: Sequence[NewEvent], kind: type, **fields: object) -> NewEvent | None:
    """Return the first event of a kind with these fields."""
    for draft in drafts:
        if isinstance(draft.payload, kind) and all(
            getattr(draft.payload, key) == value for key, value in fields.items()
        ):
            return draft
    return None


def without(drafts: Sequence[NewEvent], *gone: NewEvent | None) -> Drafts | None:
    """Return the evening without some events. Return None if one of them is missing."""
    return None if None in gone else [draft for draft in drafts if draft not in gone]


def changed(drafts: Sequence[NewEvent], old: NewEvent | None, **fields: object) -> Drafts | None:
    """Replace an event."""
    if old is None:
        return None
    new = replace(old, payload=replace(old.payload, **fields))
    return [new if draft is old else draft for draft in drafts]


def with_more(drafts: Sequence[NewEvent], *more: NewEvent) -> Drafts:
    """Add events, in order of time."""
    return sorted([*drafts, *more], key=lambda draft: draft.at_us or 0)


def behind(before: NewEvent, payload: ev.Event, minutes: int = 0, number: int = 1) -> NewEvent:
    """Return an event of a device of its own, shortly after another one in the same stream."""
    at_us = (before.at_us or 0) + minutes * MINUTE_US + 1000 * number
    device = f"{DEVICE}/{before.stream}"
    return NewEvent(before.stream, payload, at_us, before.actor, device, number)


def of_stream(drafts: Iterable[NewEvent], stream: str) -> Drafts:
    """Return the events of a stream."""
    return [draft for draft in drafts if draft.stream == stream]


def fault(name: str, family: Family, what: str, tampers: Tampers, *codes: str) -> FloorFault:
    """Return a kind of fault with the fields of `FloorFault`."""
    return FloorFault(name=name, family=family, what=what, codes=codes, tampers=tampers)
