"""What identifies a breach: a fingerprint that is the same wherever and whenever it is found.

It is taken over the rule's code, the shoe, the coup and what identifies the breach within them:
the bet, the card of a hand, the fact that broke the rule. Indexes of a log, clocks and wording
do not enter, so the same breach has the same fingerprint in another store, after the record is
imported again, and once other rules have been added.
"""

import hashlib
from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec.structs import replace

from domain import facts as f
from domain.audit.rule import Breach
from domain.event import Event
from domain.shoe import Shoe

Identity = tuple[str | int, ...]

_ONE_A_COUP: Final = (
    f.ShoeLoaded, f.CoupOpened, f.NoMoreBets, f.TotalsCalled, f.ResultCalled, f.CoupClosed,
    f.CoupVoided, f.ShoeEnded,
)  # fmt: skip
"""Facts of which a coup (or the shoe) has one: the rule and the coup say which is meant."""

_encode: Final = msgspec.json.Encoder(order="sorted").encode


def identity_of(shoe: Shoe, breach: Breach) -> Identity:
    """Return what tells a breach from others of its rule on the same coup.

    A rule may say so itself (``Breach.key``). Else it is the first fact that shows the breach,
    by what it is about and not by its place: bet 2, the Player hand's third card.
    """
    if breach.key is not None:
        return breach.key
    about = _about(shoe, breach.events[0]) if breach.events else ()
    return about if breach.patron is None else (*about, breach.patron)


def blaming(shoe: Shoe, breach: Breach, patron: str | None) -> Breach:
    """Return the breach with the patron whom it is about; its identity stays what it was."""
    return replace(breach, patron=patron, key=identity_of(shoe, breach))


def told(event: Event, history: Iterable[Event]) -> Identity:
    """Return what tells a fact of a stream from others: what it says, and its place among equals.

    Its version would be another wherever the stream has a fact more before it that is not of it.
    """
    same = sum(each.version < event.version and each.fact == event.fact for each in history)
    return (f.name_of(event.fact), _encode(event.fact).decode(), same + 1)


def fingerprint(code: str, shoe: str, coup: int | None, identity: Identity, nth: int = 1) -> str:
    """Return the SHA-256, in hex, of a canonical JSON array; ``nth`` tells equal breaches apart."""
    return hashlib.sha256(_encode(["sabot-finding/1", code, shoe, coup, identity, nth])).hexdigest()


def _about(shoe: Shoe, event: Event) -> Identity:
    fact = event.fact
    match fact:
        case f.BetPlaced() | f.BetCarried():
            return ("bet", fact.bet)
        case f.CardDrawn():
            return ("card", fact.hand, _nth(shoe, event, fact))
        case _ if isinstance(fact, _ONE_A_COUP):
            return (f.name_of(fact),)
        case _:
            return (f.name_of(fact), _encode(fact).decode())


def _nth(shoe: Shoe, drawn: Event, fact: f.CardDrawn) -> int:
    """Return a card's place in its hand, from 1."""
    coup = shoe.coups.get(fact.coup)
    before = [*coup.cards, *coup.late] if coup is not None else []
    return 1 + sum(
        1
        for event in before
        if event.version < drawn.version
        and isinstance(event.fact, f.CardDrawn)
        and (event.fact.hand, event.fact.seat) == (fact.hand, fact.seat)
    )
