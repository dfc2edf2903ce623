"""Simulated card room: the events of a batch from delivery to destruction.

It records what the strictest rule packs require. Cards are inspected and preshuffled by a machine
that prints a receipt, under a supervisor without an open table; they are sealed, counted daily, and
destroyed on return. Missing or extra cards in a shoe are noted and reported at once.
"""

from collections.abc import Sequence
from typing import Final

from sabot.domain import events as ev
from sabot.domain.events import card_batch as c
from sabot.domain.events.envelope import NewEvent, RecordedEvent, events_of
from sabot.domain.simulation.sessions import draft_of

_MINUTE_US: Final = 60_000_000
_MACHINE: Final = ("MD3", "CR-0311")
"""Model and serial number of the card room's machine."""
_KEEPER: Final = "card room"
_SUPERVISOR: Final = "cleo"

# Minutes from the end of each preparation step to the issue.
_PREPARED: Final = {"received": 480, "inspected": 300, "shuffled": 240, "sealed": 235, "count": 60}


class CardRoom:
    """The custody of one batch of cards, with its events before they are stored."""

    def __init__(self, batch: str, decks: int, backs: Sequence[str] = ()) -> None:
        """Create the batch from its name, number of decks and back colours."""
        self.batch, self.decks, self.backs = batch, decks, tuple(backs)
        self.drafts: list[NewEvent] = []
        self._at: str | None = None

    def issue(self, table: str, to: str, at_us: int) -> None:
        """Prepare the cards and issue them to a table."""
        model, serial = _MACHINE
        seal, receipt = f"{self.batch}-1", f"{self.batch}-r"
        before: tuple[tuple[str, ev.CardBatchEvent], ...] = (
            (
                "received",
                c.CardsReceived("card maker", self.decks, _KEEPER, self.backs, (), self.batch),
            ),
            ("inspected", ev.CardsInspected("dalia", "", model, serial, f"{receipt}1")),
            (
                "shuffled",
                c.CardsPreshuffled(
                    "dalia", _SUPERVISOR, model, serial, f"{receipt}2", f"cam-{self.batch}", 14
                ),
            ),
            ("sealed", c.CardsSealed(seal, _SUPERVISOR)),
            ("count", c.CardsCounted(self.decks, _KEEPER)),
        )
        for step, payload in before:
            self._put(payload, at_us - _PREPARED[step] * _MINUTE_US)
        self._put(c.CardsIssued(table, _KEEPER, to), at_us)
        self._put(c.SealOpened(seal, to), at_us + _MINUTE_US // 2)
        self._at = table

    def miscounted(self, off: int, by: str, at_us: int) -> None:
        """Record a shoe that ended with extra cards. A negative number is missing cards."""
        detail = "counted at the end of the shoe"
        self._put(c.CardsFoundBad(by, max(0, -off), max(0, off), 0, detail), at_us)
        self._put(c.DefectReported("surveillance", by), at_us + 2 * _MINUTE_US)

    def destroy(self, at_us: int) -> None:
        """Count the returned cards and destroy them before a witness."""
        self._put(c.CardsReturned(_KEEPER, self._at), at_us)
        self._put(c.CardsSorted(_KEEPER), at_us + 15 * _MINUTE_US)
        self._put(c.CardsCounted(self.decks, _SUPERVISOR), at_us + 20 * _MINUTE_US)
        seal = f"{self.batch}-2"
        self._put(c.CardsSealed(seal, _KEEPER, "destruction"), at_us + 25 * _MINUTE_US)
        self._put(c.CardsDestroyed(_KEEPER, _SUPERVISOR), at_us + 90 * _MINUTE_US)

    def _put(self, payload: ev.CardBatchEvent, at_us: int) -> None:
        seq = len(self.drafts) + 1
        device = f"card-room/{self.batch}"
        self.drafts.append(NewEvent(f"cards/{self.batch}", payload, at_us, _KEEPER, device, seq))


def off_by(events: Sequence[RecordedEvent]) -> int:
    """Return the number of extra cards at a shoe's end, negative for missing cards."""
    loaded = sum(52 * e.payload.decks for e in events_of(ev.ShoeLoaded, events))
    counts = [e.payload.counted for e in events_of(ev.ShoeEnded, events)]
    return counts[0] - loaded if counts and counts[0] is not None else 0


def with_its_cards(events: Sequence[RecordedEvent]) -> list[NewEvent]:
    """Return a dealt shoe's events before they are stored, with its batch's events.

    The batch is used for this shoe only. Batch events are omitted if the shoe has no batch, or one
    with another name than the shoe.
    """
    drafts = [draft_of(event) for event in events]
    first, last = events[0], events[-1]
    loaded = first.payload
    if not isinstance(loaded, ev.ShoeLoaded) or loaded.batch != first.stream.removeprefix("shoe/"):
        return drafts
    begins, ends = first.at_us or 0, last.at_us or 0
    room = CardRoom(loaded.batch, loaded.decks, loaded.backs)
    room.issue(loaded.table or "?", first.actor, begins - 2 * _MINUTE_US)
    off = off_by(events)
    if off:
        room.miscounted(off, last.actor, ends + _MINUTE_US)
    room.destroy(ends + 10 * _MINUTE_US)
    return [*drafts, *room.drafts]
