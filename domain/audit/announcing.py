"""The rule of a last coup that was called: it is the last, until another is called so in time."""

from collections.abc import Iterator
from typing import Final

from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import Answer, Breach, Doubt, Rule
from domain.audit.timing import doubt_among
from domain.coup import Coup
from domain.event import Event
from domain.facts import IrregularityNoted, LastCoupCalled
from domain.shoe import Shoe


def _went_on(shoe: Shoe) -> Answer:
    if not shoe.last_coup_called:
        return "no coup was called the last"
    if shoe.scope == "coups":
        return COUPS_ALONE
    return tuple(_dealt_on(shoe))


def _dealt_on(shoe: Shoe) -> Iterator[Breach | Doubt]:
    """Yield a breach for each coup that was called the last, and the shoe went on behind it.

    Once the cut card is out, the pack says which coup is the last: others hold the call against it.
    """
    latest, told = max(shoe.coups, default=0), set[int]()
    for event in shoe.last_coup_called:
        last = _named(shoe, event)
        after = _first_behind(shoe, last, event) if latest > last else None
        if after is None or last in told:
            continue
        first = after.cards[0]
        again = [each for each in shoe.last_coup_called if _named(shoe, each) > last]
        put_right = (*_noted(shoe, event), *again, *_cut_card(shoe))
        doubtful = doubt_among(shoe, (event, *put_right), (first,))
        if doubtful is not None:
            yield Doubt(doubtful)
        elif not any(each.version < first.version for each in put_right):
            told.add(last)
            yield Breach(
                f"coup {after.number} was dealt, and coup {last} had been called the last",
                "no coup comes behind the one that is called the last",
                f"coup {latest} was the last to begin",
                (event, first),
                after.number,
                key=("last", last),
                done=first,
            )


def _named(shoe: Shoe, event: Event) -> int:
    """Return the coup that was called the last; where none is named, the one that comes next."""
    if isinstance(event.fact, LastCoupCalled) and event.fact.coup is not None:
        return event.fact.coup
    begun = (each for each in shoe.coups.values() if each.events)
    return 1 + max((c.number for c in begun if c.events[0].version < event.version), default=0)


def _first_behind(shoe: Shoe, last: int, called: Event) -> Coup | None:
    """Return the first coup behind the last that was dealt once that had been called."""
    behind = (
        coup
        for coup in shoe.coups.values()
        if coup.number > last and coup.cards and coup.cards[0].version > called.version
    )
    return min(behind, key=lambda coup: coup.cards[0].version, default=None)


def _noted(shoe: Shoe, called: Event) -> list[Event]:
    """Return what was noted of a wrong call behind that of the last coup."""
    return [
        event
        for event in shoe.irregularities
        if isinstance(event.fact, IrregularityNoted)
        and event.fact.kind == "wrong-call"
        and event.version > called.version
    ]


def _cut_card(shoe: Shoe) -> tuple[Event, ...]:
    return () if shoe.cut_card is None else (shoe.cut_card.event,)


RULES: Final = (
    Rule(
        "shoe-went-on-after-its-last-coup-was-called",
        "procedure",
        "low",
        "Who hears that a coup is the last bets and leaves by it; a shoe is not ended at will.",
        ("field-facts.md 3 A4", "seeds S0, S1"),
        on_shoe=_went_on,
    ),
)
