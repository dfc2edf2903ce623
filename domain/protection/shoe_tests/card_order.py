"""The order of a shoe's cards, and known orders from which the next shoe may have been made.

Known orders are those of earlier shoes, and those in which makers deliver packs. Cards of an
earlier shoe are taken in two orders: as they left the shoe, and as each coup is picked up, hand by
hand. A poor or false shuffle leaves parts of such an order in the next shoe
(`sabot.domain.protection.shoe_tests.order_evidence`).
"""

from collections.abc import Sequence
from typing import Final, Literal

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import POINTS, RANKS, Card, suit_of

Face = Card | None
"""A card of an order; None for a face-down card, whose place is left out."""
Level = Literal["suits", "ranks", "values"]


class Orders(Struct, frozen=True):
    """The order of a shoe's cards, in two versions.

    ``left`` is the order in which the cards left the shoe, ``picked`` the order in which coups are
    picked up.
    """

    shoe: str
    left: tuple[Face, ...]
    picked: tuple[Face, ...]


def orders_of(shoe: Shoe) -> Orders:
    """Read the orders of a shoe."""
    left: list[Face] = []
    hands: dict[int, dict[str, list[Face]]] = {}
    for event in shoe.left:
        payload = event.payload
        left.append(payload.card)
        if isinstance(payload, ev.CardDrawn):
            coup = hands.setdefault(payload.coup, {"player": [], "banker": []})
            coup.setdefault(payload.hand, []).append(payload.card)
    picked = [card for coup in hands.values() for hand in coup.values() for card in hand]
    return Orders(shoe.name, tuple(left), tuple(picked))


UP: Final = tuple(RANKS)
DOWN: Final = UP[::-1]
FACTORY_ORDERS: Final[dict[str, tuple[str, ...]]] = {
    name: tuple(rank + suit for suit, ranks in suits for rank in ranks)
    for name, suits in {
        "american": (("s", UP), ("d", UP), ("c", DOWN), ("h", DOWN)),
        "suits-up": tuple((suit, UP) for suit in "sdch"),
        "suits-down": tuple((suit, DOWN) for suit in "sdch"),
    }.items()
}
"""The orders of new packs, by the names that a rule pack lists (``cards.factory_orders``).

``american`` is ace to king of spades and of diamonds, then king to ace of clubs and of hearts.
"""


class KnownOrder(Struct, frozen=True):
    """An order from which a shoe may have been made, read in one direction.

    ``source`` describes it. ``cycle`` is True if the order repeats, as with packs that lie on top
    of each other. ``cards`` are names of cards at one level of detail.
    """

    source: str
    cards: tuple[str, ...]
    cycle: bool = False


def known_orders(
    earlier: Sequence[Orders], factory: Sequence[str], level: Level
) -> list[KnownOrder]:
    """List the orders with which a shoe is compared, in both directions each."""
    found: list[KnownOrder] = []
    for before in earlier:
        shoe = f"the cards of shoe {before.shoe}"
        for order, how in ((before.left, "as dealt"), (before.picked, "as picked up")):
            names = tuple(
                named(card, level) for card in order if card is not None and is_known(card, level)
            )
            found.append(KnownOrder(f"{shoe}, {how}", names))
            found.append(KnownOrder(f"{shoe}, {how}, backwards", names[::-1]))
    for name in factory:
        cards = tuple(named(card, level) for card in FACTORY_ORDERS[name])
        found.append(KnownOrder(f"new packs in the order {name}", cards, cycle=True))
        found.append(KnownOrder(f"new packs in the order {name}, backwards", cards[::-1], True))
    # coups of two cards are picked up as they were dealt
    different = {order.cards: order for order in reversed(found) if order.cards}
    return list(different.values())[::-1]


def level_of(order: Sequence[Face]) -> Level | None:
    """Return the finest level of detail at which all shown cards are recorded, or None."""
    shown = [card for card in order if card is not None]
    if not shown:
        return None
    if any(card[0] == "0" for card in shown):
        return "values"
    return "ranks" if any(suit_of(card) is None for card in shown) else "suits"


def is_known(card: Face, level: Level) -> bool:
    """Return whether a card is recorded in this detail."""
    if card is None or (level != "values" and card[0] == "0"):
        return False
    return level != "suits" or suit_of(card) is not None


def named(card: str, level: Level) -> str:
    """Return a card's name at a level of detail."""
    if level == "suits":
        return card
    return card[0] if level == "ranks" else str(POINTS[card[0]])


def copies_of(level: Level, decks: int) -> dict[str, int]:
    """Count the cards of a full shoe by name."""
    found: dict[str, int] = {}
    for card in FACTORY_ORDERS["american"]:
        name = named(card, level)
        found[name] = found.get(name, 0) + decks
    return found
