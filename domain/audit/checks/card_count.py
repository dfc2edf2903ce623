"""Rules of composition: a shoe holds so many copies of each card, and all are accounted for."""

from collections import Counter
from collections.abc import Iterator
from typing import Final

from sabot.domain.audit.card_totals import end_of, is_endless, missing, totals
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.rule import NO_BREACH, NO_CARDS, Answer, Breach, Rule
from sabot.domain.events import CardBurned, CardDrawn, ShoeEnded
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import FULL_DECK, Card, pretty, rank_of, suit_of

_CITES = ("field-facts.md 3 A2", "seeds S0, S1: whole decks of 52, no jokers")
_ENDLESS = "cards go back into a continuous shuffler, so that none is used up"
_FACES: Final = frozenset(FULL_DECK)
_Seen = tuple[RecordedEvent, int | None, Card]


def _seen(shoe: Shoe) -> Iterator[_Seen]:
    """Every face that was seen, with its event and coup; the faces counted at the end last."""
    for event in _gone(shoe):
        payload = event.payload
        if payload.card is not None:
            yield event, payload.coup, payload.card
    end = end_of(shoe)
    if end is not None and shoe.ended is not None:
        for card in end.faces:
            yield shoe.ended, None, card


def _faces(shoe: Shoe) -> list[Card]:
    """Return every face that was seen."""
    faces: list[Card | None] = [event.payload.card for event in _gone(shoe)]
    end = end_of(shoe)
    if end is not None:
        faces += end.faces
    return [card for card in faces if card is not None]


def _gone(shoe: Shoe) -> list[RecordedEvent[CardBurned | CardDrawn]]:
    """Return the cards that left the shoe for good: none do where they go back into it."""
    return [] if is_endless(shoe) else shoe.left


class _Copies:
    """Copies seen so far, as exactly as each card is known: suit, rank, or ten-valued."""

    def __init__(self, decks: int) -> None:
        self._decks = decks
        self._faces: Counter[str] = Counter()
        self._ranks: Counter[str] = Counter()
        self._tens = 0

    def excess(self, card: Card) -> tuple[str, int, int] | None:
        """Count a card; return what is too many of, how many there are, and the most there can be.

        Only the finest excess is returned: a ninth seven of clubs is not also too many sevens
        until the sevens themselves are too many.
        """
        rank, suit = rank_of(card), suit_of(card)
        if rank is None or rank in "TJQK":
            self._tens += 1
        if rank is not None:
            self._ranks[rank] += 1
        if suit is not None:
            self._faces[card] += 1
            if self._faces[card] > self._decks:
                return pretty(card), self._faces[card], self._decks
        if rank is not None and self._ranks[rank] > 4 * self._decks:
            return (
                f"rank {pretty(card)[: -1 if suit else None]}",
                self._ranks[rank],
                4 * self._decks,
            )
        if (rank is None or rank in "TJQK") and self._tens > 16 * self._decks:
            return "ten-valued cards", self._tens, 16 * self._decks
        return None


def _too_many_copies(shoe: Shoe) -> Answer:
    cards = Counter(_faces(shoe))
    if not cards and is_endless(shoe):
        return _ENDLESS
    if not shoe.decks:
        return "the record does not say how many decks were loaded"
    if not cards:
        return "no face of a card was seen"
    if not _any_excess(cards, shoe.decks):
        return NO_BREACH
    copies = _Copies(shoe.decks)
    lacks = _and(missing(shoe))
    breaches = []
    for event, coup, card in _seen(shoe):
        excess = copies.excess(card)
        if excess is not None:
            what, count, most = excess
            breaches.append(
                Breach(
                    f"copy {count} of {what} from {shoe.decks} decks",
                    f"at most {most}",
                    f"{count} seen{lacks}",
                    (event,),
                    coup,
                )
            )
    return tuple(breaches)


def _and(lacks: str) -> str:
    return f"; missing: {lacks}" if lacks else ""


def _any_excess(cards: Counter[Card], decks: int) -> bool:
    """Tell whether there are too many of anything, before one looks which card was too many."""
    if cards.keys() <= _FACES:
        # no rank has too many cards where no face of it has
        return max(cards.values()) > decks
    ranks: Counter[str] = Counter()
    tens = 0
    for card, count in cards.items():
        if suit_of(card) is not None and count > decks:
            return True
        rank = rank_of(card)
        if rank is not None:
            ranks[rank] += count
        if rank is None or rank in "TJQK":
            tens += count
    return tens > 16 * decks or any(count > 4 * decks for count in ranks.values())


def _too_many_cards(shoe: Shoe) -> Answer:
    if is_endless(shoe):
        return _ENDLESS
    if not shoe.decks:
        return "the record does not say how many decks were loaded"
    if len(shoe.left) <= shoe.size:
        return NO_BREACH if shoe.left else NO_CARDS
    event = shoe.left[shoe.size]
    coup = event.payload.coup
    return (
        Breach(
            f"{len(shoe.left)} cards left a shoe of {shoe.size}",
            f"at most {shoe.size} cards",
            f"{len(shoe.left)} cards",
            (event,),
            coup,
        ),
    )


def _count_at_end(shoe: Shoe) -> Answer:
    if shoe.scope == "coups":
        return COUPS_ALONE
    if not shoe.decks:
        return "the record does not say how many decks were loaded"
    end = end_of(shoe)
    if end is None or shoe.ended is None:
        return "the shoe has not ended"
    told, unlike = totals(shoe, end), _unlike(shoe, end)
    by_face = f", {len(end.faces)} by face" if end.faces else ""
    if not told and not unlike:
        return "the cards were not counted at the end"
    return unlike + tuple(
        Breach(
            f"the cards add up to {total}",
            f"{shoe.decks} decks of 52: {shoe.size} cards",
            f"{len(shoe.left)} left the shoe, {_or(end.left)} remained{by_face}, "
            f"{_or(end.counted)} counted{_and(missing(shoe))}",
            (shoe.ended,),
        )
        for total in dict.fromkeys(told)
        if total != shoe.size
    )


def _unlike(shoe: Shoe, end: ShoeEnded) -> tuple[Breach, ...]:
    """Return a breach where two counts of what remained differ; else both add up, or one does not.

    Where cards go back into the shoe nothing else tells.
    """
    if not (is_endless(shoe) and end.faces and end.left is not None and shoe.ended is not None):
        return ()
    by_face, by_number = len(end.faces), end.left
    if by_face == by_number:
        return ()
    said = f"{by_face} cards were counted by face where {by_number} remained"
    return (Breach(said, "as many faces as cards", said, (shoe.ended,)),)


def _or(count: int | None) -> str:
    return "an unknown number" if count is None else str(count)


RULES = (
    Rule(
        "N301",
        "excess-copies-of-card",
        "composition",
        "high",
        "A shoe of d decks holds d copies of each card, 4d of each rank, 16d ten-valued ones.",
        _CITES,
        on_shoe=_too_many_copies,
    ),
    Rule(
        "N302",
        "excess-cards-dealt",
        "composition",
        "high",
        "A shoe of d decks holds 52d cards.",
        _CITES,
        on_shoe=_too_many_cards,
    ),
    Rule(
        "N303",
        "card-count-mismatch",
        "composition",
        "high",
        "What left the shoe and what remained are all the cards that were loaded.",
        (*_CITES, "arrêté of 14 May 2007, art. 40"),
        on_shoe=_count_at_end,
    ),
)
