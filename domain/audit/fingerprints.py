"""Compute the fingerprint of a breach: its permanent name in every audit and store.

It is a hash of the rule's code, the shoe, the coup and the identity of the breach within them: the
bet, the card of a hand, or the event that broke the rule. It does not depend on log indexes, clocks
or wording. So it stays the same in another store, after the record is imported again, and when
rules are added.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, NamedTuple

import msgspec
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit.rule import Breach, Rule
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe

Identity = tuple[str | int, ...]

_ONE_A_COUP: Final = (
    ev.ShoeLoaded, ev.CoupOpened, ev.NoMoreBets, ev.TotalsCalled, ev.ResultCalled, ev.CoupClosed,
    ev.CoupVoided, ev.ShoeEnded,
)  # fmt: skip
"""Types of events that occur once in a coup or shoe, so that the type identifies the event."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def identity_of(shoe: Shoe, breach: Breach) -> Identity:
    """Return text that identifies a breach among those of its rule and coup.

    The rule may give it (``Breach.key``). Otherwise it is the subject of the first event,
    independent of the event's position, for example bet 2 or the Player hand's third card.
    """
    if breach.key is not None:
        return breach.key
    about = _about(shoe, breach.events[0]) if breach.events else ()
    return about if breach.patron is None else (*about, breach.patron)


def identity_beyond_shoe(breach: Breach) -> Identity:
    """Return text that identifies a breach outside a shoe.

    It is unique within the rule and the stream. A rule that can find several breaches gives it
    (``Breach.key``). Otherwise it is the type of the first event.
    """
    if breach.key is not None:
        return breach.key
    return tuple(ev.name_of(event.payload) for event in breach.events[:1])


def with_patron(shoe: Shoe, breach: Breach, patron: str | None) -> Breach:
    """Return the breach with its patron set and its identity unchanged."""
    return replace(breach, patron=patron, key=identity_of(shoe, breach))


def identity_of_event(event: RecordedEvent, history: Sequence[RecordedEvent]) -> Identity:
    """Return text that identifies an event in its stream.

    It consists of the event's content and its number among events of equal content. The event's
    position would change if an earlier event were added to the stream.
    """
    content = _encode(event.payload)
    same = _positions(_History(history, len(history))).get(content, [])
    nth = bisect_left(same, event.position) + 1
    return (ev.name_of(event.payload), content.decode(), nth)


class _History(NamedTuple):
    """The events of a stream up to now. It equals only itself, so it can be looked up at once."""

    events: Sequence[RecordedEvent]
    size: int

    def __hash__(self) -> int:
        return hash((id(self.events), self.size))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _History) and self.events is other.events and self[1] == other[1]


@lru_cache(maxsize=1)  # a rule that finds many events of a stream asks for one after the other
def _positions(history: _History) -> dict[bytes, list[int]]:
    """Return the sorted positions of the events of each content."""
    found: dict[bytes, list[int]] = {}
    for event in history.events:
        found.setdefault(_encode(event.payload), []).append(event.position)
    for positions in found.values():
        positions.sort()
    return found


def fingerprint(code: str, shoe: str, coup: int | None, identity: Identity, nth: int = 1) -> str:
    """Return the fingerprint: the hex SHA-256 of a canonical JSON array.

    ``nth`` distinguishes equal breaches.
    """
    return _digest("sabot-finding/2", code, shoe, coup, identity, nth)


def former_fingerprint(
    rule: Rule, shoe: str, coup: int | None, identity: Identity, nth: int = 1
) -> str | None:
    """Return the fingerprint that the finding had under its rule's former code.

    Earlier reviews of the finding use it. None for a rule that had no former code.
    """
    if rule.former_code is None:
        return None
    return _digest("sabot-finding/1", rule.former_code, shoe, coup, identity, nth)


def _digest(*parts: object) -> str:
    return hashlib.sha256(_encode(parts)).hexdigest()


def _about(shoe: Shoe, event: RecordedEvent) -> Identity:
    payload = event.payload
    match payload:
        case ev.BetPlaced() | ev.BetCarried():
            return ("bet", payload.bet)
        case ev.CardDrawn():
            return ("card", payload.hand, _place_in_hand(shoe, event, payload))
        case _ if isinstance(payload, _ONE_A_COUP):
            return (ev.name_of(payload),)
        case _:
            return (ev.name_of(payload), _encode(payload).decode())


def _place_in_hand(shoe: Shoe, drawn: RecordedEvent, payload: ev.CardDrawn) -> int:
    """Return a card's place in its hand, from 1."""
    coup = shoe.coups.get(payload.coup)
    before = [*coup.cards, *coup.late] if coup is not None else []
    return 1 + sum(
        1
        for event in before
        if event.position < drawn.position
        and (event.payload.hand, event.payload.seat) == (payload.hand, payload.seat)
    )
