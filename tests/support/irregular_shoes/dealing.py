"""How the irregular situations are dealt, and what a patron bets in them."""

from collections.abc import Callable

from sabot.domain import events as ev
from tests.support.every_order import HANDS, VALUE_OF, Deal
from tests.support.third_card_rule import banco_draws, player_draws, points

Bets = Callable[[str], str]
"""The side bet on after a card was seen; empty for no bet."""

HABITS: dict[str, Bets] = {
    "with the card": lambda card: "player" if VALUE_OF[card] else "banker",
    "against the card": lambda card: "banker" if VALUE_OF[card] else "player",
    "only on a high card": lambda card: "player" if VALUE_OF[card] else "",
    "only on a low card": lambda card: "" if VALUE_OF[card] else "banker",
    "always Player": lambda _card: "player",
}
"""What a patron makes of a card that was seen."""


def bet(deal: Deal, coup: int, side: str, number: int = 1, patron: str = "p") -> None:
    """Record a bet, if there is one."""
    if side:
        deal.tell(ev.BetPlaced(coup, number, patron, side, 100))


def draw(deal: Deal, coup: int, cards: list[str], hand: str, card: str | None = None) -> None:
    """Draw the next card, or use one that left the shoe before, and record it."""
    card = deal.draw() if card is None else card
    cards.append(card)
    deal.tell(ev.CardDrawn(coup, hand, card))


def hands_of(cards: list[str]) -> tuple[int, int]:
    """Return both totals of the first four cards."""
    return points(cards[0:4:2]), points(cards[1:4:2])


def play(deal: Deal, coup: int, cards: list[str]) -> None:
    """Deal a coup from its cards to the end. Close it."""
    while len(cards) < 4:
        draw(deal, coup, cards, HANDS[len(cards)])
    player, banker = hands_of(cards)
    third = None
    if player_draws(player, banker):
        draw(deal, coup, cards, "player")
        third = points(cards[4:5])
    if banco_draws(player, banker, third):
        draw(deal, coup, cards, "banker")
    deal.tell(ev.CoupClosed(coup))


def begin(deal: Deal) -> None:
    """Load the shoe at the table, with the patron in a seat."""
    deal.open()
    deal.tell(ev.PatronSeated(1, "p"))
