"""Rule on sorting cards after the game, before they are moved on."""

from collections.abc import Iterator, Sequence

from sabot.domain.audit import floor_needs
from sabot.domain.audit.floor_view import BatchView, ShoeSummary, time_of
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import ShoeEnded
from sabot.domain.events.card_batch import (
    CardsDestroyed,
    CardsIssued,
    CardsSealed,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_40,
)
from sabot.domain.timeline.sequence import (
    PUT_BACK_IN_ORDER,
)

SORTING = RuleGroup(family="procedure", concerns="form")

_Game = tuple[RecordedEvent, ShoeSummary]
"""The event that ended a game with the cards, and the game's last shoe."""


@need("shoe", "no shoe of the batch has ended", "nothing-to-check")
def shoe_ended(view: BatchView) -> bool:
    """A shoe of the batch has ended."""
    return any(shoe.ended is not None for shoe in view.shoes)


@each("game", "the cards were not moved on after a shoe ended", "not-due", "batch")
def _games(view: BatchView) -> Sequence[_Game]:
    """Return each game that ended, with its last shoe.

    A game ends when the cards are issued to a table, sealed for any purpose, or destroyed, even if
    only some decks were. A return from a table does not end it. Cards that have not been moved on
    since the end of the shoe are not checked. A shoe that has no end on record is not checked.
    """
    batch = view.batch
    ended = [shoe for shoe in view.shoes if shoe.ended is not None]
    marks: list[RecordedEvent] = [stay.issued for stay in batch.stays]
    marks += [seal.closed for seal in batch.seals]
    marks += batch.destroyed
    games: list[_Game] = []
    begins = 0
    for mark in sorted(marks, key=time_of):
        of_game = [shoe for shoe in ended if begins <= shoe.ends <= time_of(mark)]
        if of_game:
            games.append((mark, max(of_game, key=lambda shoe: shoe.ends)))
        begins = time_of(mark)
    return games


@SORTING.rule(
    "V607",
    "unsorted-cards",
    order=(PUT_BACK_IN_ORDER,),
    sources=(ARRETE_2007_ART_40,),
    looks_at="batch",
    needs=(
        floor_needs.clocks_comparable,
        floor_needs.custody_says(
            "that cards are put back in order after the game", lambda custody: custody.put_back
        ),
        shoe_ended,
    ),
    each=_games,
    breach_events=(CardsIssued, CardsSealed, CardsDestroyed, ShoeEnded),
    breaks="""
        with custody.put_back = true
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        shoe H-1 {"batch": "B-1"}
        cards B-1 cards-destroyed {"by": "sam"}
    """,
    keeps="""
        with custody.put_back = true
        cards B-1 cards-received {"source": "maker", "decks": 8, "by": "sam"}
        shoe H-1 {"batch": "B-1"}
        cards B-1 cards-sorted {"by": "ann"}
        cards B-1 cards-destroyed {"by": "sam"}
    """,
)
def unsorted_cards(view: BatchView, game: _Game) -> Iterator[Breach]:
    """After the game the cards are put back in the maker's order and looked over for marks.

    The cards have to be put back between the end of the game's last shoe and the event that ends
    the game. Where the clocks leave the order open, no breach is reported.
    """
    event, shoe = game
    if not any(_lies_between(view, shoe.ends, each, event) for each in view.batch.sortings):
        yield Breach(
            f"the cards of shoe {shoe.name} were moved on without being put back in order",
            "after the game the cards are put back in the maker's order and looked over for marks",
            "not put back between the end of the shoe and the next event of the cards",
            (event, *((shoe.ended,) if shoe.ended is not None else ())),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


def _lies_between(
    view: BatchView, since_us: int, event: RecordedEvent, until: RecordedEvent
) -> bool:
    """Return whether an event may have happened after one moment and before another."""
    at = time_of(event)
    return not view.surely_before(at, since_us) and not view.surely_before(time_of(until), at)


RULES = (*SORTING.rules,)
"""Every rule of this module."""
