"""The cards of a shoe that nobody had seen at a moment, by rank and suit as far as they are known.

A face that was shown is seen, whatever was voided later; a card burned or left face down is not.
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
    """What nobody had seen, out of a shoe; ``lacking`` cards of it may have been, unrecorded.

    ``cards`` counts by rank and suit, by rank, or by value, as the faces shown are known.
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
    """Say what was unseen in a shoe at a moment, or before the first card of a coup.

    Raises:
        BadInput: the shoe was not loaded by then, no card of that coup is in the record, or what
            was seen cannot be known.
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
