"""What identifies a breach: a fingerprint that is the same wherever and whenever it is found.

It is taken over the rule's code, the shoe, the coup and what identifies the breach within them:
the bet, the card of a hand, the event that broke the rule. Indexes of a log, clocks and wording
do not enter, so the same breach has the same fingerprint in another store, after the record is
imported again, and once other rules have been added.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

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
"""Facts of which a coup (or the shoe) has one: the rule and the coup say which is meant."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def identity_of(shoe: Shoe, breach: Breach) -> Identity:
    """Return what tells a breach from others of its rule on the same coup.

    A rule may say so itself (``Breach.key``). Else it is the first event that shows the breach,
    by what it is about and not by its place: bet 2, the Player hand's third card.
    """
    if breach.key is not None:
        return breach.key
    about = _about(shoe, breach.events[0]) if breach.events else ()
    return about if breach.patron is None else (*about, breach.patron)


def identity_beyond_shoe(breach: Breach) -> Identity:
    """Return what tells a breach from others of its rule in a stream that is no shoe's.

    A rule that finds more than one says so itself (``Breach.key``); else it is the event.
    """
    if breach.key is not None:
        return breach.key
    return tuple(ev.name_of(event.payload) for event in breach.events[:1])


def with_patron(shoe: Shoe, breach: Breach, patron: str | None) -> Breach:
    """Return the breach with the patron whom it is about; its identity stays what it was."""
    return replace(breach, patron=patron, key=identity_of(shoe, breach))


def identity_of_event(event: RecordedEvent, history: Iterable[RecordedEvent]) -> Identity:
    """Return what tells an event of a stream from others: what it says, and its place among equals.

    Its position would be another wherever the stream has an event more before it.
    """
    same = sum(each.position < event.position and each.payload == event.payload for each in history)
    return (ev.name_of(event.payload), _encode(event.payload).decode(), same + 1)


def fingerprint(code: str, shoe: str, coup: int | None, identity: Identity, nth: int = 1) -> str:
    """Return the SHA-256, in hex, of a canonical JSON array; ``nth`` tells equal breaches apart."""
    return _digest("sabot-finding/2", code, shoe, coup, identity, nth)


def former_fingerprint(
    rule: Rule, shoe: str, coup: int | None, identity: Identity, nth: int = 1
) -> str | None:
    """Return the fingerprint that the finding had while rules had their former codes.

    What was said of it then names it so. None where its rule is younger than that.
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
