"""The rule of a shuffle in mid-shoe: cards that are being dealt from keep their order.

A shoe is shuffled and cut before its first card, and dealt to its cut card; no card goes back into
it. Where something went wrong with the cards, or with the machine, somebody rules what becomes of
them; what is shuffled when no card of it is dealt any more harms nobody.
"""

from collections.abc import Iterator
from typing import Final

from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import CLEAN, Answer, Breach, Doubt, Rule
from domain.audit.timing import doubt
from domain.event import Event
from domain.facts import IrregularityNoted, ShoeShuffled
from domain.rulings import CARDS_STAY
from domain.shoe import Shoe

_OF_BETS: Final = ("late-bet", "wrong-payment", "wrong-call", "abandoned-bet")
"""Irregularities that give no ground to shuffle."""


def _in_mid_shoe(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is not None and shoe.pack.endless:
        return "a continuous shuffler shuffles all the time"
    if not shoe.shuffles or not shoe.left:
        return "no card has left the shoe" if shoe.shuffles else "the record tells of no shuffle"
    if shoe.order is None and shoe.shuffles[-1].version < shoe.left[0].version:
        return CLEAN
    return tuple(_judged(shoe))


def _judged(shoe: Shoe) -> Iterator[Breach | Doubt]:
    """Yield a breach for each place of the shoe at which what was left of it was shuffled."""
    told: set[int] = set()
    for event in shoe.shuffles:
        before = [card for card in shoe.left if card.version < event.version]
        after = next((card for card in shoe.left if card.version > event.version), None)
        doubtful = _in_doubt(shoe, event) if after is not None else None
        if doubtful is not None:
            yield Doubt(doubtful)
        elif before and after is not None and len(before) not in told:
            told.add(len(before))
            if not _may_be_ruled(shoe, event):
                yield _breach(event, before, after)


def _in_doubt(shoe: Shoe, event: Event) -> str | None:
    """Say why nobody knows whether cards left the shoe both before a shuffle and behind it."""
    if shoe.order is None:
        return None
    return doubt(shoe, event, shoe.left[0]) or doubt(shoe, event, shoe.left[-1])


def _breach(event: Event, before: list[Event], after: Event) -> Breach:
    out = len(before)
    by = event.fact.by if isinstance(event.fact, ShoeShuffled) else ""
    return Breach(
        f"{by} shuffled the shoe when {out} card{'s' if out > 1 else ''} had left it",
        "a shoe is shuffled before its first card, and else on a ruling",
        "nothing was noted",
        (event, before[-1], after),
        getattr(after.fact, "coup", None),
        key=("cards", out),
    )


def _may_be_ruled(shoe: Shoe, event: Event) -> bool:
    """Tell whether somebody ruled on cards or machine about then, or may still do so.

    That is: since the last coup before the shuffle began, and until the next one that is closed or
    void, or the shoe has ended.
    """
    begun = (coup.events[0].version for coup in shoe.coups.values() if coup.events)
    since = max((first for first in begun if first < event.version), default=0)
    coups = shoe.coups.values()
    over = [*(coup.closed or coup.voided for coup in coups), shoe.ended]
    ends = [each.version for each in over if each is not None and each.version > event.version]
    if not ends:
        return True
    noted = [
        each
        for each in (*shoe.irregularities, *shoe.shuffler_faults)
        if not isinstance(each.fact, IrregularityNoted)
        or (each.fact.kind not in _OF_BETS and each.fact.ruling not in CARDS_STAY)
    ]
    return any(since < each.version < min(ends) for each in noted)


RULES: Final = (
    Rule(
        "shoe-was-shuffled-in-mid-shoe",
        "procedure",
        "high",
        "Who may shuffle what is left of a shoe ends what the shuffle and the cut have bound.",
        (
            "field-facts.md 3 A3, A4, A7 (no card goes back into the shoe), A11",
            "arrêté of 14 May 2007, arts 55-14, 58",
        ),
        on_shoe=_in_mid_shoe,
    ),
)
