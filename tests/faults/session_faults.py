"""Wrong sessions of a day: a name used twice, or cards of another session."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events.bank import SessionCalled
from sabot.domain.events.envelope import NewEvent
from tests.faults.custody_faults import used_again
from tests.faults.floor_fault import Drafts, fault


def _calls(drafts: Sequence[NewEvent]) -> tuple[NewEvent, NewEvent] | None:
    """Return the first two session calls at a table that name two sessions."""
    loaded = {
        each.stream: each.payload for each in drafts if isinstance(each.payload, ev.ShoeLoaded)
    }
    first: dict[str | None, NewEvent] = {}
    for draft in drafts:
        if isinstance(draft.payload, SessionCalled):
            before = first.setdefault(loaded[draft.stream].table, draft)
            if _session(before) != _session(draft):
                return before, draft
    return None


def _session(draft: NewEvent) -> tuple[str, int]:
    assert isinstance(draft.payload, SessionCalled)
    return draft.payload.day, draft.payload.session


def _called_again(drafts: Sequence[NewEvent]) -> Drafts | None:
    calls = _calls(drafts)
    if calls is None:
        return None
    before, again = calls
    return [replace(each, payload=before.payload) if each is again else each for each in drafts]


def _old_cards(drafts: Sequence[NewEvent]) -> Drafts | None:
    return used_again(drafts) if _calls(drafts) is not None else None


KINDS: Final = (
    fault("session-called-twice", "procedure",
          "a shoe is called as another of its day was called before",
          _called_again, "F603"),
    fault("cards-of-the-last-session", "integrity",
          "the shoe of a session is loaded with the cards of the one before",
          _old_cards, "F604",
          "M604"),
)  # fmt: skip
