"""Cards that come when their coup is closed: which of them are of its hands all the same.

A coup that is closed has its cards, and was settled on them: one more is in none of its hands. But
where a hand still waited for a card the close came too early, and the card is the hand's.
"""

from typing import Final

from domain.cards import Card, total
from domain.clocks import Order
from domain.coup import Coup
from domain.event import Event
from domain.facts import CardDrawn
from domain.facts.bank import ChoiceMade
from domain.shoe.state import Shoe
from domain.tableau import banco_draws, punto_draws

_AS_THEY_CAME: Final = Order([], {}, came_so=True)
_TWO: Final = 2


def is_late(shoe: Shoe, coup: Coup, drawn: Event, fact: CardDrawn) -> bool:
    """Tell whether a card surely came behind the close of its coup, and no hand waited for it."""
    closed = coup.closed
    return closed is not None and _behind(shoe, closed, drawn) and not _awaited(shoe, coup, fact)


def _behind(shoe: Shoe, closed: Event, drawn: Event) -> bool:
    """Tell whether a card surely came behind a close that was told before it.

    Of one device its numbers tell; of two their clocks, and where the pack says what these are
    worth nobody knows before the facts are put in their order at the table.
    """
    if drawn.device == closed.device:
        return drawn.seq is None or closed.seq is None or drawn.seq > closed.seq
    if shoe.order is None and shoe.pack is not None and shoe.pack.clocks is not None:
        return False
    return (shoe.order or _AS_THEY_CAME).doubt(closed, drawn) is None


def _awaited(shoe: Shoe, coup: Coup, fact: CardDrawn) -> bool:
    """Tell whether a hand waits for a card: one of its first, one asked for, one that is due."""
    cards = coup.hand(fact.hand, fact.seat)
    macao = shoe.pack.macao if shoe.pack is not None else None
    first = macao.dealt if macao is not None else _TWO
    said = [
        event.fact.choice
        for event in (coup.banked.choices if coup.banked is not None else ())
        if isinstance(event.fact, ChoiceMade)
        and (event.fact.hand, event.fact.seat) == (fact.hand, fact.seat)
    ]
    if len(cards) < first or said.count("draw") > len(cards) - first:
        return True
    return not said and macao is None and len(cards) == first and _due(coup, fact, cards)


def _due(coup: Coup, fact: CardDrawn, cards: list[Card]) -> bool:
    """Tell whether a third card is due by the tableau, where nobody told what was chosen."""
    banco = total(coup.banker[:_TWO])
    if fact.hand != "banker":
        return punto_draws(total(cards), banco)
    third = total(coup.player[_TWO : _TWO + 1]) if len(coup.player) > _TWO else None
    return len(coup.player) >= _TWO and banco_draws(total(coup.player[:_TWO]), banco, third)
