"""Give each patron in the record of a shoe one spelling of the name.

A patron who sits down as "P1" and bets as "p1" is one person. Rules compare the names of patrons as
texts, so the shoe is folded again with the spelling that was recorded first. The crew keeps its
own: rules that compare patrons with the crew use `plain_name`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, TypeVar, get_args

import msgspec
from msgspec.structs import replace

from sabot.domain.events import CardReassigned, Event, EventCorrected, Seat, ShoeLoaded
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.values.names import plain_name

E = TypeVar("E", bound=Event | Seat)

_KEYS: Final = ("patron", "by", "to", "cutter", "banked")
_NAMES: Final = {
    kind: keys
    for kind in (*get_args(Event), Seat)
    # the receiver of a card that is reassigned is a hand
    if kind is not CardReassigned
    and (keys := [each.name for each in msgspec.structs.fields(kind) if each.name in _KEYS])
}
"""The fields of each kind of event that may name a patron."""
_NAMING: Final = {*_NAMES, ShoeLoaded, EventCorrected}


def with_one_spelling(shoe: Shoe) -> Shoe:
    """Return a shoe in which each patron has the spelling of the name that was recorded first.

    Case, character width and spaces of names are ignored. The same shoe is returned if no name has
    two spellings. Cost: linear in the number of events.
    """
    payloads = [event.payload for event in shoe.history]
    names = dict.fromkeys(_named([each for each in payloads if type(each) in _NAMING]))
    first: dict[str, str] = {}
    spelled = {name: first.setdefault(plain_name(name), name) for name in names}
    if len(first) == len(spelled):
        return shoe
    again = fold(
        shoe.stream,
        [replace(event, payload=_spelled(event.payload, spelled)) for event in shoe.history],
    )
    again.at_table, again.seqs_in_other_streams = shoe.at_table, shoe.seqs_in_other_streams
    return again


def _named(payloads: Iterable[Event | Seat]) -> Iterator[str]:
    """Yield the names in events, in order."""
    for payload in payloads:
        for key in _NAMES.get(type(payload), ()):
            if (name := getattr(payload, key)) is not None:
                yield name
        if type(payload) is ShoeLoaded:
            yield from _named(payload.seats)
        elif type(payload) is EventCorrected and payload.instead is not None:
            yield from _named((payload.instead,))


def _spelled(payload: E, spelled: Mapping[str, str]) -> E:
    """Return an event with other spellings of its names."""
    changes: dict[str, object] = {
        key: spelled[name]
        for key in _NAMES.get(type(payload), ())
        if (name := getattr(payload, key)) is not None
    }
    match payload:
        case ShoeLoaded(seats=seats):
            changes["seats"] = tuple(_spelled(each, spelled) for each in seats)
        case EventCorrected(instead=instead) if instead is not None:
            changes["instead"] = _spelled(instead, spelled)
        case _:
            pass
    return replace(payload, **changes) if changes else payload
