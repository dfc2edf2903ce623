"""Sessions of a day that are told wrong: a shoe called as another was, or dealt with its cards."""

from collections.abc import Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain import events as f
from sabot.domain.events.bank import SessionCalled
from sabot.domain.events.envelope import Draft
from tests.faults.custody_faults import used_again
from tests.faults.floor_fault import Drafts, fault


def _calls(drafts: Sequence[Draft]) -> tuple[Draft, Draft] | None:
    """Return the first two calls at a table that tell of two sessions."""
    loaded = {each.stream: each.fact for each in drafts if isinstance(each.fact, f.ShoeLoaded)}
    first: dict[str | None, Draft] = {}
    for draft in drafts:
        if isinstance(draft.fact, SessionCalled):
            before = first.setdefault(loaded[draft.stream].table, draft)
            if _session(before) != _session(draft):
                return before, draft
    return None


def _session(draft: Draft) -> tuple[str, int]:
    assert isinstance(draft.fact, SessionCalled)
    return draft.fact.day, draft.fact.session


def _called_again(drafts: Sequence[Draft]) -> Drafts | None:
    calls = _calls(drafts)
    if calls is None:
        return None
    before, again = calls
    return [replace(each, fact=before.fact) if each is again else each for each in drafts]


def _old_cards(drafts: Sequence[Draft]) -> Drafts | None:
    return used_again(drafts) if _calls(drafts) is not None else None


KINDS: Final = (
    fault("session-called-twice", "procedure",
          "a shoe is called as another of its day was called before",
          _called_again, "shoe-of-a-session-was-called-twice"),
    fault("cards-of-the-last-session", "integrity",
          "the shoe of a session is loaded with the cards of the one before",
          _old_cards, "cards-of-another-session-were-dealt",
          "cards-were-used-for-too-many-shoes"),
)  # fmt: skip
