"""What a stream says once its corrections have taken effect; the facts themselves stay."""

import msgspec

from sabot.domain.events import Fact, FactCorrected
from sabot.domain.events.envelope import Event


def effective(history: list[Event]) -> list[Event]:
    """Return the history with every corrected fact replaced, or left out where nothing happened.

    The last correction of a fact holds; one that was itself corrected away has no effect, and
    one that names a fact still to come never has any: it would change what it cannot know.
    The list given is returned where nothing was corrected.
    """
    instead: dict[int, Fact | None] = {}
    for event in reversed(history):
        fact = instead.get(event.version, event.fact)
        if type(fact) is FactCorrected and fact.version < event.version:
            instead.setdefault(fact.version, fact.instead)
    if not instead:
        return history
    return [event for event in (_corrected(event, instead) for event in history) if event]


def _corrected(event: Event, instead: dict[int, Fact | None]) -> Event | None:
    if event.version not in instead:
        return event
    fact = instead[event.version]
    return None if fact is None else msgspec.structs.replace(event, fact=fact)
