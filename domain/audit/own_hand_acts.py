"""What was done with hands of one's own, in its order: read by all their rules.

A hand is that of the banker, or of the patron at a seat.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import CoupView
from domain.audit.timing import doubt_in_row
from domain.cards import Card, pretty
from domain.event import Event
from domain.facts import CardDrawn, Hand
from domain.facts.bank import CardRejected, ChoiceMade
from domain.games.hands import Held
from domain.games.macao import rules_of
from domain.macao import MacaoRules
from domain.rulepack import GameName

GAMES: Final[tuple[GameName, ...]] = ("macao", "victoria")
CITES: Final = ("field-facts.md 1.2", "seeds S0, S1 (Macao)")
Key = tuple[Hand, int | None]


class Act(Struct):
    """Something done with a hand, and the hand as it lay just before."""

    event: Event
    fact: CardDrawn | ChoiceMade | CardRejected
    before: Held

    @property
    def key(self) -> Key:
        """Whose hand it was."""
        return self.fact.hand, self.fact.seat


def unjudged(view: CoupView) -> str | None:
    """Why what was done with the hands of this coup cannot be judged."""
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    if rules_of(view.shoe.pack) is None:
        return "the rule pack cannot be read"
    if not view.coup.cards:
        return "no card was drawn"
    return doubt_in_row(view.shoe, view.coup.events)


def rules_in(view: CoupView) -> MacaoRules:
    """Return what the pack says of hands of one's own, where it can be read."""
    rules = rules_of(view.shoe.pack)
    assert rules is not None
    return rules


def acts_of(view: CoupView) -> Iterator[Act]:
    """Go through what was done with the hands, in its order."""
    hands: dict[Key, Held] = {}
    for event in view.coup.in_time:
        fact = event.fact
        if not isinstance(fact, CardDrawn | ChoiceMade | CardRejected):
            continue
        key = (fact.hand, fact.seat)
        before = hands.get(key) or Held(fact.hand, fact.seat, "", (), 0, stood=False, rejected=0)
        yield Act(event, fact, before)
        hands[key] = _after(before, fact)


def _after(hand: Held, fact: "CardDrawn | ChoiceMade | CardRejected") -> Held:
    match fact:
        case CardDrawn(card=card):
            return replace(hand, cards=(*hand.cards, card))
        case CardRejected():
            return replace(hand, cards=hand.cards[:-1], rejected=hand.rejected + 1)
        case ChoiceMade(choice="draw"):
            return replace(hand, asked=hand.asked + 1)
        case ChoiceMade():
            return replace(hand, stood=True)


def named(key: Key) -> str:
    """Name a hand, by its seat where it is one's own."""
    hand, seat = key
    return f"the {hand} hand" if seat is None else f"the hand at seat {seat}"


def faces(cards: tuple[Card, ...]) -> str:
    """Tell cards by their faces."""
    return " ".join(map(pretty, cards)) or "no card"
