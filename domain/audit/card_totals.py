"""Compare the cards of a shoe with the counts at its end.

Sources: ARRETE_2007_ART_55_14 (whole packs of 52) and ARRETE_2007_ART_40 (a missing card is
reported).
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import Final

from sabot.domain.events import CardBurned, CardDrawn, ShoeEnded
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.games import game_of
from sabot.domain.procedure.macao import rules_of
from sabot.domain.rules.tableau_hands import TABLEAUX
from sabot.domain.state.coup_state import first_event_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import (
    FIRST_TWO,
    FULL_DECK,
    VALUE,
    Card,
    format_card,
    rank_of,
    suit_of,
)

_MOST_NAMED: Final = 8
"""The most kinds of missing cards that a message lists."""


def end_of(shoe: Shoe) -> ShoeEnded | None:
    """Return the event that ended the shoe. None if it has not ended."""
    return shoe.ended.payload if shoe.ended is not None else None


def is_endless(shoe: Shoe) -> bool:
    """Return whether cards go back into the shoe during play."""
    return shoe.pack is not None and shoe.pack.endless


def left_by_end(shoe: Shoe) -> list[RecordedEvent[CardBurned | CardDrawn]]:
    """Return the cards that left the shoe before the remaining ones were counted.

    A card after the end of the shoe is among those counted, and Q103 reports it. If the count fits
    with these cards, they were only recorded late.
    """
    end, remained = shoe.ended, None
    if end is not None:
        remained = len(end.payload.faces) or end.payload.left
    if end is None or remained is None or len(shoe.left) + remained == shoe.size:
        return shoe.left
    return [event for event in shoe.left if event.position < end.position]


def card_counts(shoe: Shoe, end: ShoeEnded) -> list[int]:
    """Return the number of cards by each final count.

    A total consists of the cards that left the shoe and those that remained, counted by number or
    by face. In a shoe to which cards return, remaining cards are compared only if there are too
    many.
    """
    counts = [end.counted] if end.counted is not None else []
    if is_endless(shoe):
        return counts + [left for left in (end.left or 0, len(end.faces)) if left > shoe.size]
    gone = len(left_by_end(shoe))
    counts += [gone + end.left] if end.left is not None else []
    return counts + ([gone + len(end.faces)] if end.faces else [])


def cards_behind_gaps(shoe: Shoe) -> Iterator[tuple[RecordedEvent, int]]:
    """Yield each card that was drawn after skipped places, with the number of places skipped."""
    last = 0
    for event in shoe.left:
        place = event.payload.place
        if place is None:
            last += 1
            continue
        if place > last + 1:
            yield event, place - last - 1
        last = place


def shown_by_gaps(shoe: Shoe, gaps: Iterable[tuple[RecordedEvent, int]]) -> list[RecordedEvent]:
    """Return cards drawn after skipped places, with the coups that lacking coups precede."""
    return [each for card, places in gaps for each in (card, *coup_behind_gap(shoe, card, places))]


def coup_behind_gap(shoe: Shoe, card: RecordedEvent, skipped: int) -> list[RecordedEvent]:
    """Return the beginning of a card's coup, if the coups that the record lacks had skipped cards.

    The card is the first of a coup that skips numbers, and so many cards may have been dealt in the
    coups of these numbers.

    Args:
        shoe: the shoe.
        card: the card that was drawn after skipped places.
        skipped: the number of places.
    """
    coup = next((each for each in shoe.coups.values() if each.first_card is card), None)
    if coup is None:
        return []
    before = max((number for number in shoe.coups if number < coup.number), default=0)
    least, most = _cards_of_a_coup(shoe)
    lacking = coup.number - before - 1
    fits = least * lacking <= skipped and (most is None or skipped <= most * lacking)
    return [event for event in (first_event_of(coup),) if event is not None and lacking and fits]


def _cards_of_a_coup(shoe: Shoe) -> tuple[int, int | None]:
    """Return the least and the most cards of a coup. The most is None if each patron has a hand."""
    rules = rules_of(shoe.pack)
    if rules is not None:
        return 2 * rules.dealt, None
    hands = len(TABLEAUX) + 1 if game_of(shoe.pack).name == "baccarat-banque" else 2
    return FIRST_TWO * hands, (FIRST_TWO + 1) * hands


Placed = tuple[RecordedEvent[CardBurned | CardDrawn], int]
"""A card that left the shoe, and its place in the shoe."""


def placed_cards(shoe: Shoe) -> Iterator[Placed]:
    """Yield the cards that left the shoe and have a recorded place, in order."""
    for event in shoe.left:
        if event.payload.place is not None:
            yield event, event.payload.place


def unplaced_before(shoe: Shoe) -> Counter[int]:
    """Return how many cards without a place left the shoe just before a card, by its position."""
    unplaced: Counter[int] = Counter()
    for before, card in pairwise(shoe.left):
        if before.payload.place is None:
            unplaced[card.position] = unplaced[before.position] + 1
    return unplaced


def cards_recorded_again(shoe: Shoe) -> list[RecordedEvent[CardDrawn | CardBurned]]:
    """Return the cards that have the same place in the shoe as the card before them."""
    places = [event.payload.place for event in shoe.left]
    return [
        event
        for event, before, place in zip(shoe.left[1:], places, places[1:], strict=False)
        if place is not None and place == before
    ]


def describe_missing_cards(shoe: Shoe) -> str:
    """Return text that names the missing cards. Empty if they cannot be determined.

    They can be determined only if the remaining cards were counted by face. Cards that left the
    shoe unseen may be of any kind. So a kind counts as missing only if more of its cards are
    missing than left unseen.
    """
    end = end_of(shoe)
    if end is None or not end.faces or not shoe.decks or is_endless(shoe):
        return ""
    cards = [event.payload.card for event in left_by_end(shoe)]
    seen: list[Card] = [card for card in (*cards, *end.faces) if card is not None]
    unseen = cards.count(None)
    kind = _kind_of(seen)
    due, there = Counter(map(kind, FULL_DECK)), Counter(map(kind, seen))
    lack = {each: shoe.decks * due[each] - there[each] - unseen for each in due}
    return _named([(each, lack[each]) for each in due if lack[each] > 0], sure=not unseen)


def _named(lacking: list[tuple[Card, int]], *, sure: bool) -> str:
    if not lacking or len(lacking) > _MOST_NAMED:
        return ""
    least = "" if sure else "at least "
    return ", ".join(
        f"{least}{'' if lack == 1 and sure else f'{lack} of '}{format_card(card)}"
        for card, lack in lacking
    )


def _kind_of(seen: Iterable[Card]) -> Callable[[Card], Card]:
    """Return a function that gives the kind of a card, by which cards are counted.

    The kind is suit and rank, the rank, or the value. The least detailed card on record decides
    which.
    """
    seen = list(seen)
    if all(suit_of(card) is not None for card in seen):
        return lambda card: card
    if all(rank_of(card) is not None for card in seen):
        return lambda card: card[0]  # type: ignore[return-value]
    return lambda card: "0" if not VALUE[card] else card[0]  # type: ignore[return-value]
