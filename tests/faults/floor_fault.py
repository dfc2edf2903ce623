"""What a fault beyond one shoe is: an evening that is told otherwise than it was dealt.

An evening is dealt first, and then told otherwise: a fault takes its facts, all streams in order
of time, and returns them as they are once it has happened.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain import events as f
from sabot.domain.events.envelope import Draft
from tests.faults.fault import Family

MINUTE_US: Final = 60_000_000
HOUR_US: Final = 60 * MINUTE_US
DEVICE: Final = "afterwards"
Drafts = list[Draft]
Tampers = Callable[[Sequence[Draft]], Drafts | None]
"""Returns the evening as it is with the fault in it; None where it has no place for it."""


class FloorFault(Struct, frozen=True, kw_only=True):
    """A way in which cards are kept wrongly, or a table is.

    ``codes`` are the audit's rules that report it: the first always, and of ``family``; the
    others where it shows there too.
    """

    name: str
    family: Family
    what: str
    codes: tuple[str, ...]
    tampers: Tampers


def first(drafts: Sequence[Draft], kind: type, **fields: object) -> Draft | None:
    """Return the first fact of a kind with these fields."""
    for draft in drafts:
        if isinstance(draft.fact, kind) and all(
            getattr(draft.fact, key) == value for key, value in fields.items()
        ):
            return draft
    return None


def without(drafts: Sequence[Draft], *gone: Draft | None) -> Drafts | None:
    """Leave facts out; None where one of them is not there."""
    return None if None in gone else [draft for draft in drafts if draft not in gone]


def changed(drafts: Sequence[Draft], old: Draft | None, **fields: object) -> Drafts | None:
    """Change a fact."""
    if old is None:
        return None
    new = replace(old, fact=replace(old.fact, **fields))
    return [new if draft is old else draft for draft in drafts]


def with_more(drafts: Sequence[Draft], *more: Draft) -> Drafts:
    """Add facts, in order of time."""
    return sorted([*drafts, *more], key=lambda draft: draft.at_us or 0)


def behind(before: Draft, fact: f.Fact, minutes: int = 0, number: int = 1) -> Draft:
    """Return a fact that happens in a stream soon after another; a device of its own tells it."""
    at_us = (before.at_us or 0) + minutes * MINUTE_US + 1000 * number
    device = f"{DEVICE}/{before.stream}"
    return Draft(before.stream, fact, at_us, before.actor, device, number)


def of_stream(drafts: Iterable[Draft], stream: str) -> Drafts:
    """Return the facts of a stream."""
    return [draft for draft in drafts if draft.stream == stream]


def fault(name: str, family: Family, what: str, tampers: Tampers, *codes: str) -> FloorFault:
    """Return a kind of fault; see `FloorFault`."""
    return FloorFault(name=name, family=family, what=what, codes=codes, tampers=tampers)
