"""Rules of asking for a card: who may have one is dealt it, and who may not does not ask.

Whatever a hand was dealt against the rules, `choosing` tells; here it is called on two cards.
"""

from collections.abc import Iterator
from typing import Final

from domain.audit import wings
from domain.audit.choosing import CITES, GAMES, unjudged
from domain.audit.lacking import COUPS_ALONE, NO_CHOICES, choices_lack
from domain.audit.rule import Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_in_row
from domain.banking import SIDES, Side, banked, drawing_of, given_to, has_natural, position_in
from domain.cards import Card, pretty, total
from domain.event import Event
from domain.facts import Hand
from domain.facts.bank import ChoiceMade
from domain.strategy.drawing import Choice
from domain.tableau import is_natural
from domain.tableaux import in_play

_TWO: Final = 2
_HANDS: Final[tuple[Hand, ...]] = SIDES
_HANDS_OF_WINGS: Final[tuple[Hand, ...]] = wings.HANDS


def withheld(view: CoupView) -> Answer:
    """Answer for the rule that a card is dealt to who asks for it, where he may have it."""
    return _unjudged(view) or tuple(
        Breach(
            f"the {hand} asked for a card, and had none",
            "who asks for a card that he may have is dealt it",
            f"the {hand} was called on {' '.join(map(pretty, cards))}",
            (*_called(view), *_choices(view, hand)),
            key=("hand", hand),
        )
        for hand, cards, allowed in _asked_in_vain(view)
        if "draw" in allowed
    )


def _where_it_stands(view: CoupView) -> Answer:
    had = {getattr(drawn.fact, "hand", None) for drawn, _ in view.coup.taken_off}
    return _unjudged(view) or tuple(
        Breach(
            f"the {hand} asked for a card on {total(cards)}",
            _required(view, hand, cards),
            f"the {hand} asked for a card, and had none",
            (*reversed(_choices(view, hand)), *_called(view)),
            patron=_who(view, hand),
            key=("hand", hand),
        )
        for hand, cards, allowed in _asked_in_vain(view)
        if "draw" not in allowed and hand not in had
    )


def _who(view: CoupView, hand: Hand) -> str | None:
    """Return who asked for a card last, as the record names him, or else who plays the hand."""
    named = getattr(_choices(view, hand)[-1].fact, "by", None)
    held = banked(view.coup).banker if hand == "banker" else given_to(view.coup, hand)
    return named if isinstance(named, str) else held


def _required(view: CoupView, hand: Hand, cards: list[Card]) -> str:
    """Say why a hand stands."""
    over = not in_play(view.coup) if wings.is_banque(view) else has_natural(view.coup)
    if over or is_natural(total(cards)):
        return "a natural has no third card, and ends the coup unless it is one wing's alone"
    return f"the {hand} stands on {total(cards)}: that is not its player's to choose"


def _unjudged(view: CoupView) -> str | None:
    """Why nobody can say who asked for a card and had none."""
    if view.shoe.scope == "coups":
        return COUPS_ALONE
    reason = unjudged(view)
    if reason:
        return reason
    if not _called(view):
        return "the coup is still in play"
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    return doubt_in_row(view.shoe, banked(view.coup).choices)


def _called(view: CoupView) -> tuple[Event, ...]:
    """Return the fact behind which no card of the coup comes."""
    called = view.coup.result_called or view.coup.closed
    return () if called is None else (called,)


def _asked_in_vain(view: CoupView) -> Iterator[tuple[Hand, list[Card], tuple[Choice, ...]]]:
    """Yield the hands of two cards that asked for a third last, and what they could do."""
    last: dict[Hand, Choice] = {}
    for event in banked(view.coup).choices:
        if isinstance(event.fact, ChoiceMade):
            last[event.fact.hand] = event.fact.choice
    for hand in _HANDS_OF_WINGS if wings.is_banque(view) else _HANDS:
        if last.get(hand) == "draw" and len(cards := _cards(view, hand)) == _TWO:
            yield hand, cards, _allowed(view, hand)


def _cards(view: CoupView, hand: Hand) -> list[Card]:
    return view.coup.player if hand == "player" else wings.cards_of(view.coup, hand)


def _allowed(view: CoupView, hand: Hand) -> tuple[Choice, ...]:
    """Return what a hand could do about a third card."""
    if wings.is_banque(view):
        return wings.allowed(view, hand)
    rules = drawing_of(view.shoe)
    side: Side = "player" if hand == "player" else "banker"
    if rules is None or has_natural(view.coup):
        return ("stand",)
    return rules.choices(position_in(view.coup, side))


def _choices(view: CoupView, hand: Hand) -> list[Event]:
    return [
        event
        for event in banked(view.coup).choices
        if isinstance(event.fact, ChoiceMade) and event.fact.hand == hand
    ]


RULES: Final = (
    Rule(
        "hand-asked-where-it-must-stand",
        "procedure",
        "low",
        "Where the rules leave no choice nobody asks: who does tells the other side of his cards.",
        CITES,
        on_coup=_where_it_stands,
        games=GAMES,
    ),
)
