"""The rule of a false draw: where the pack says so, it costs the holder the shoe."""

from itertools import pairwise
from typing import Final

from domain.audit.lacking import COUPS_ALONE
from domain.audit.refuting import refuted
from domain.audit.rule import Answer, Breach, Rule
from domain.coup import Coup
from domain.event import Event
from domain.facts import IrregularityNoted, ShoePassed, ShoeTaken
from domain.procedure import false_draw_in
from domain.shoe import Shoe


def _kept(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if shoe.pack is None or not shoe.pack.table.false_draw_passes:
        return "the pack does not say that a false draw costs the shoe"
    if not shoe.shoe_moves:
        return "the record does not say who held the shoe"
    drawn = [(coup, after) for coup, after in pairwise(_dealt(shoe)) if _noted(shoe, coup)]
    if not drawn:
        return "no false draw was noted, or no coup came after it"
    found = []
    for coup, after in drawn:
        noted = false_draw_in(shoe, coup)
        if noted is None:
            # who played Player chose against the rules: that is no fault of who deals
            continue
        holder = _holder_before(shoe, coup.cards[0])
        if holder is None or holder in shoe.staff or holder != _holder_before(shoe, after.cards[0]):
            continue
        between = (noted.version, after.cards[0].version)
        passed = any(
            isinstance(event.fact, ShoePassed) and between[0] < event.version < between[1]
            for event in shoe.shoe_moves
        )
        if not passed:
            said = f"{holder} kept the shoe after a false draw in coup {coup.number}"
            due = "who makes a false draw passes the shoe"
            shown = "no passing before the next coup"
            found.append(
                Breach(
                    said,
                    due,
                    shown,
                    (noted, after.cards[0]),
                    coup.number,
                    patron=holder,
                    done=after.cards[0],
                )
            )
    return tuple(found)


def _noted(shoe: Shoe, coup: Coup) -> bool:
    """Tell whether a false draw was noted, and the cards do not say that there was none."""
    return any(
        isinstance(event.fact, IrregularityNoted)
        and event.fact.kind == "wrong-draw"
        and refuted(shoe, coup, event) is None
        for event in coup.irregularities
    )


def _dealt(shoe: Shoe) -> list[Coup]:
    """Return the coups of which a card was drawn, in their order."""
    dealt = [coup for coup in shoe.coups.values() if coup.cards]
    return sorted(dealt, key=lambda coup: coup.cards[0].version)


def _holder_before(shoe: Shoe, card: Event) -> str | None:
    """Return who held the shoe when a card was drawn."""
    holder = None
    for event in shoe.shoe_moves:
        if event.version > card.version:
            break
        if isinstance(event.fact, ShoeTaken):
            holder = event.fact.by
        elif isinstance(event.fact, ShoePassed):
            holder = None
    return holder


RULES: Final = (
    Rule(
        "shoe-was-kept-after-a-false-draw",
        "procedure",
        "medium",
        "Who cannot deal by the rules deals no longer; he pays nothing else for it.",
        ("field-facts.md 3 A9, A18", "arrêté of 14 May 2007, arts 55-14 and 60"),
        on_shoe=_kept,
    ),
)
