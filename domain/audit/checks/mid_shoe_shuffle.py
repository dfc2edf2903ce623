"""Rule on shuffles while a shoe is being dealt."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardBurned,
    CardDrawn,
    IrregularityNoted,
    ShoeShuffled,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.ruling_effects import CARDS_STAY
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
)
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import after, before, every

SHUFFLING = RuleGroup(family="procedure", concerns="game")

_POSITION: Final = attrgetter("position")


@need("rules", "a continuous shuffler shuffles all the time", "not-required")
def no_continuous_shuffler(shoe: Shoe) -> bool:
    """The shoe is not a continuous shuffler."""
    return shoe.pack is None or not shoe.pack.endless


_OF_BETS: Final = ("late-bet", "wrong-payment", "wrong-call", "abandoned-bet")
"""Irregularities that do not justify a shuffle."""


@each("shuffle", "no shuffle was recorded", "record-incomplete")
def _shuffles(shoe: Shoe) -> Sequence[tuple[RecordedEvent[ShoeShuffled], int]]:
    """Return the shuffles, each with the number of cards that had left the shoe.

    Of several shuffles after the same card, only the first is checked.
    """
    out = [bisect_left(shoe.left, each.position, key=_POSITION) for each in shoe.shuffles]
    first = dict(zip(reversed(out), reversed(shoe.shuffles), strict=True))
    return [(event, cards) for cards, event in reversed(first.items())]


@SHUFFLING.rule(
    "S315",
    "mid-shoe-shuffle",
    sources=(ARRETE_2007_ART_55_14, ARRETE_2007_ART_58),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        no_continuous_shuffler,
        needs.present(_shuffles),
        needs.card_left_shoe,
    ),
    each=_shuffles,
    breach_events=(ShoeShuffled, CardDrawn, CardBurned),
    breaks="""
        coup P 4 5  B K 8
        shoe-shuffled {"by": "ann"}
        coup P 4 5  B K 8
    """,
    keeps="""
        coup P 4 5  B K 8
        shoe-shuffled {"by": "ann"}
    """,
)
def mid_shoe_shuffle(
    shoe: Shoe, shuffle: tuple[RecordedEvent[ShoeShuffled], int]
) -> Iterator[Breach]:
    """A shoe is not shuffled between its first card and its last, except for a fault of the cards.

    A burned card is also a card of the shoe. A recorded fault of the shuffler permits a shuffle. An
    irregularity permits one too, even without a ruling or a named person. An irregularity of bets,
    payments or calls (`late-bet`, `abandoned-bet`, `wrong-payment`, `wrong-call`) does not permit a
    shuffle. An irregularity whose ruling leaves the cards in place (`play-on`, `stand`,
    `no-bet-hand`, `card-to-banker`) does not permit one either. The fault or irregularity is
    recorded after the start of the last coup before the shuffle, and before the next end of a coup
    or of the shoe. Until that end the shuffle is not a breach.
    """
    event, out = shuffle
    first, last = shoe.left[0], shoe.left[-1]
    begun = every((partial(before, shoe, event, last), partial(after, shoe, event, first)))
    if begun and not _ruled_on(shoe, event):
        cards = f"{out} card{'s' if out > 1 else ''}"
        yield Breach(
            f"{event.payload.by} shuffled the shoe after {cards} had left it",
            "a shoe is shuffled only before its first card, or on a ruling",
            "no such fault was noted in time",
            (event, shoe.left[out - 1], shoe.left[out]),
            shoe.left[out].payload.coup,
            key=("cards", out),
        )


def _ruled_on(shoe: Shoe, shuffle: RecordedEvent) -> bool:
    """Return whether a fault that justifies a shuffle was noted in time.

    It is also True while such a note may still follow. The note is in time between the last coup
    before the shuffle and the end of the next coup, or the end of the shoe.
    """
    begun = (coup.events[0].position for coup in shoe.coups.values() if coup.events)
    since = max((first for first in begun if first < shuffle.position), default=0)
    over = [*(coup.closed or coup.voided for coup in shoe.coups.values()), shoe.ended]
    ends = [each.position for each in over if each is not None and each.position > shuffle.position]
    if not ends:
        return True
    noted: list[RecordedEvent] = [
        *filter(_gives_ground, shoe.irregularities),
        *shoe.shuffler_faults,
    ]
    return any(since < each.position < min(ends) for each in noted)


def _gives_ground(noted: RecordedEvent[IrregularityNoted]) -> bool:
    """Return whether an irregularity justifies a shuffle.

    It has to concern the cards or the machine. A ruling that leaves the cards in place justifies
    none.
    """
    return noted.payload.kind not in _OF_BETS and noted.payload.ruling not in CARDS_STAY


RULES = (*SHUFFLING.rules,)
"""Every rule of this module."""
