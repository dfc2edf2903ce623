"""The rule of a game that goes on from one shoe to the next: it goes on from who held the last."""

from collections import defaultdict
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from domain.audit.floor import Floor, ShoeTrace
from domain.audit.rule import Answer, Breach, Rule


def _another(floor: Floor) -> Answer:
    following = [(before, shoe) for before, shoe in _following(floor) if shoe.banked is not None]
    if not following:
        return "no shoe says from whom of the shoe before its game goes on"
    return tuple(
        Breach(
            f"{shoe.name} goes on from {shoe.banked}, and {before.last_holder} held the shoe last",
            f"{before.last_holder}, who held {before.name} last",
            str(shoe.banked),
            tuple(event for event in (shoe.loaded, before.last) if event is not None),
            shoe=shoe.name,
            patron=shoe.banked,
        )
        for before, shoe in following
        if before.last_holder is not None and before.last_holder != shoe.banked
    )


def _following(floor: Floor) -> Iterator[tuple[ShoeTrace, ShoeTrace]]:
    """Yield the shoes of each table with the one before."""
    at: dict[str, list[ShoeTrace]] = defaultdict(list)
    for shoe in floor.shoes:
        if shoe.table is not None and shoe.loaded is not None:
            at[shoe.table].append(shoe)
    for shoes in at.values():
        yield from pairwise(sorted(shoes, key=lambda shoe: shoe.begins))


RULES: Final = (
    Rule(
        "next-shoe-goes-on-from-another",
        "procedure",
        "low",
        "Once a pack is dealt out, the bank goes on from who had it last: nobody skips a turn.",
        ("field-facts.md 1.2, 3 A17", "seeds S0, S1 (Macao, Chemin de fer)"),
        on_floor=_another,
        by_clock=True,
    ),
)
