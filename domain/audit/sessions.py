"""Rules of the sessions of a day: each shoe of one is called once, and each has cards of its own.

They look at all shoes of a table, or of a batch of cards, which say themselves of which session
they are. A shoe that does not say it is left aside.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from domain.audit.dealt import clock
from domain.audit.floor import Floor, ShoeTrace
from domain.audit.rule import Answer, Breach, Rule
from domain.event import Event
from domain.facts.bank import SessionCalled

_Session = tuple[str, str, int]
"""A table, a day, and which session of it."""


def _called_again(floor: Floor) -> Answer:
    calls = [
        (shoe, event, event.fact)
        for shoe in floor.shoes
        for event in shoe.sessions
        if isinstance(event.fact, SessionCalled) and shoe.table is not None and _numbers(shoe)
    ]
    if not calls:
        return "no shoe of a table says of which session it is"
    first: dict[tuple[str | None, str, int, int], tuple[ShoeTrace, Event]] = {}
    found = []
    for shoe, event, fact in calls:
        key = (shoe.table, fact.day, fact.session, fact.shoe)
        before, call = first.setdefault(key, (shoe, event))
        if before is shoe:
            continue
        said = f"shoe {fact.shoe} of session {fact.session} was called a second time"
        due = f"one such shoe at {shoe.table} on {fact.day}: {before.name} was it"
        found.append(Breach(said, due, said, (event, call), shoe=shoe.name))
    return tuple(found)


def _numbers(shoe: ShoeTrace) -> bool:
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    return rule is not None and (rule.sessions is not None or rule.shoes is not None)


def _used_cards(floor: Floor) -> Answer:
    pairs = [
        (name, before, shoe)
        for name, shoes in floor.of_batch.items()
        for before, shoe in pairwise([each for each in shoes if _session(each) is not None])
        if shoe.pack is not None and shoe.pack.tableaux is not None
        if shoe.pack.tableaux.new_cards
    ]
    if not pairs:
        return "no two shoes of the same cards say of which session they are, or none need new ones"
    return tuple(
        Breach(
            f"shoe {shoe.name} was loaded with cards of another session",
            "new cards for every session",
            f"batch {name}, of which {before.name} was made in {_said(before)}",
            tuple(each for each in (shoe.loaded, before.loaded) if each is not None),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for name, before, shoe in pairs
        if _session(before) != _session(shoe) and not any(_renewed(floor, name, before, shoe))
    )


def _session(shoe: ShoeTrace) -> _Session | None:
    fact = shoe.sessions[-1].fact if shoe.sessions else None
    if not isinstance(fact, SessionCalled):
        return None
    return (shoe.table or "", fact.day, fact.session)


def _said(shoe: ShoeTrace) -> str:
    table, day, session = _session(shoe) or ("", "", 0)
    return f"session {session} of {day}" + (f" at {table}" if table else "")


def _renewed(floor: Floor, name: str, before: ShoeTrace, shoe: ShoeTrace) -> Iterator[Event]:
    """Yield the deliveries between two shoes after which a batch was of other cards."""
    for batch in floor.batches:
        if batch.name == name:
            yield from (
                event for event in batch.renewed if before.begins < clock(event) < shoe.begins
            )


RULES: Final = (
    Rule(
        "shoe-of-a-session-was-called-twice",
        "procedure",
        "medium",
        "So many sessions a day, each of so many shoes: numbers called again hide that there are "
        "more.",
        ("field-facts.md 3 A20", "arrêté of 14 May 2007, art. 61"),
        on_floor=_called_again,
    ),
    Rule(
        "cards-of-another-session-were-dealt",
        "integrity",
        "medium",
        "Each session has new cards: who had the old ones in hand could have marked them.",
        ("field-facts.md 1.1 #12", "arrêté of 14 May 2007, art. 58"),
        on_floor=_used_cards,
        by_clock=True,
    ),
)
