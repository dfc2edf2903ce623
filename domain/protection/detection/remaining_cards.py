"""The unseen cards of a shoe at a moment.

They are counted by rank and suit as far as known. A face once shown counts as seen, even if the
coup is voided later. A card burned or left face down does not.
"""

from collections.abc import Sequence

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.corrections import apply_corrections
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.events.points_in_time import PointInTime, events_until
from sabot.domain.protection.detection.follower import OpenShoe
from sabot.domain.protection.money.wager_values import left_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import Card
from sabot.domain.values.errors import BadInput


class Unseen(Struct, frozen=True):
    """The unseen cards of a shoe, by rank and suit, by rank, or by value.

    How the shown faces are recorded decides which. Up to ``lacking`` of the cards may have been
    seen without being on record.
    """

    shoe: Shoe
    cards: dict[Card, int]
    shown: int
    lacking: int


def unseen_at(
    stream: str,
    history: Sequence[RecordedEvent],
    moment: PointInTime | None = None,
    coup: int | None = None,
) -> Unseen:
    """Return the unseen cards of a shoe at a moment.

    With ``coup``, return those before the first card of that coup.

    Raises:
        BadInput: the shoe was not loaded by then, no card of that coup is on record, or the unseen
            cards cannot be determined.
    """
    events = events_until(apply_corrections(list(history)), moment)
    if coup is not None:
        events = _before(events, coup)
    opened = OpenShoe(stream)
    for event in events:
        if type(event.payload) is not ev.EventCorrected:
            opened.take(event)
    watcher = opened.watcher
    if watcher is None:
        raise BadInput(f"shoe {opened.shoe.name} was not loaded by then; give a later --at")
    watcher.finish()
    seen = watcher.seen
    if seen.broken:
        raise BadInput(f"what was unseen in shoe {opened.shoe.name} is not known: {seen.broken}")
    cards = left_of(opened.shoe.decks, seen.shown)
    if cards is None:
        raise BadInput(
            f"more cards of a kind were shown than shoe {opened.shoe.name} was loaded with"
        )
    return Unseen(opened.shoe, cards, len(seen.shown), watcher.lacking)


def _before(events: Sequence[RecordedEvent], coup: int) -> list[RecordedEvent]:
    for place, event in enumerate(events):
        if isinstance(event.payload, ev.CardDrawn) and event.payload.coup >= coup:
            return list(events[:place])
    raise BadInput(f"no card of coup {coup}, or after it, is in the record; give another --coup")
