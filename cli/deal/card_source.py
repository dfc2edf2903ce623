"""Sources of the cards of a dealt shoe: a random order or typed cards."""

import random
import secrets
from collections import Counter
from collections.abc import Iterable
from typing import Final

from sabot.domain.events import CardBurned, CardDrawn
from sabot.domain.events.commitment import SealedOrder
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.values.cards import FULL_DECK, POINTS, Card

SALT_BITS: Final = 256


def dice(seed: str | None) -> random.Random:
    """Return the operating system's random generator. With a seed, return one for teaching only."""
    return secrets.SystemRandom() if seed is None else random.Random(seed)


def sealed(decks: int, left: Iterable[RecordedEvent], rng: random.Random) -> SealedOrder:
    """Return a new random order of the unseen cards.

    It has as many cards as are left in the shoe. A card burned face down may be any unseen card. If
    the record gives only the rank or value of a card, any such card counts as seen.
    """
    gone = list(left)
    unseen = Counter(list(FULL_DECK) * decks)
    vague: list[Card] = []
    for event in gone:
        card = event.payload.card if isinstance(event.payload, (CardDrawn, CardBurned)) else None
        if card is None:
            continue
        if card in unseen:
            unseen[card] -= 1
        else:
            vague.append(card)
    # more copies were seen than the decks hold: another card must be missing instead
    cards = sorted((+unseen).elements())
    rng.shuffle(cards)
    for card in vague:
        same = next((one for one in cards if _may_be(card, one)), None)
        if same is not None:
            cards.remove(same)
    return SealedOrder(
        cards[: max(0, 52 * decks - len(gone))], f"{rng.getrandbits(SALT_BITS):064x}"
    )


def _may_be(vague: Card, card: Card) -> bool:
    """Return whether a card known only by its rank or value can be this card."""
    return card[0] == vague or (vague == "0" and POINTS[card[0]] == 0)
