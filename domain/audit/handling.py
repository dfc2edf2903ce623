"""Rules of handling: how cards go from the shoe to the hands."""

from typing import Final

from domain.audit.restoring import restored
from domain.audit.rule import (
    CLEAN,
    HEADLESS,
    NO_CARDS,
    TWO_HANDS,
    Answer,
    Breach,
    CoupView,
    Doubt,
    Rule,
    is_undealt,
)
from domain.audit.timing import doubt, doubt_in_row
from domain.coup import Coup
from domain.event import Event
from domain.facts import CardBurned, CardDrawn, Hand
from domain.shoe import Shoe

_TWO: Final = 2
"""The cards that each hand is dealt first."""
_FIRST_FOUR: tuple[Hand, ...] = ("player", "banker", "player", "banker")
_IN_ORDER: Final = frozenset(
    _FIRST_FOUR + thirds for thirds in ((), ("player",), ("banker",), ("player", "banker"))
)
"""The hands of a whole coup's cards, as they are dealt rightly."""


def _order(view: CoupView) -> Answer:
    if view.shoe.scope == "coups":
        return "the record does not give the order of the cards"
    if view.headless or not view.coup.cards:
        return HEADLESS if view.headless else NO_CARDS
    doubtful = doubt_in_row(view.shoe, view.coup.cards)
    if doubtful is not None:
        return doubtful
    hands = tuple([getattr(event.fact, "hand", "") for event in view.coup.cards])
    if hands not in _IN_ORDER and view.coup.reassigned:
        to = restored(view)
        cards = view.coup.cards
        hands = tuple([to.get(card.version, hand) for card, hand in zip(cards, hands, strict=True)])
    if hands in _IN_ORDER:
        return CLEAN
    due = [*_FIRST_FOUR, *sorted(hands[4:], key=lambda hand: hand != "player")]
    for place, (shown, required) in enumerate(zip(hands, due, strict=False)):
        if shown != required:
            return (
                Breach(
                    f"card {place + 1} went to the {shown}",
                    "Player, Banker, Player, Banker, then Player's third before Banker's",
                    ", ".join(hands),
                    tuple(view.coup.cards),
                    done=view.coup.cards[place],
                ),
            )
    return CLEAN


def _may_lack_cards(view: CoupView) -> str | None:
    """Say why a coup without its first cards is none the worse."""
    if is_undealt(view.coup):
        return "nothing was dealt, and no bet lay"
    if view.headless:
        return HEADLESS
    return "the record may lack cards" if view.shoe.scope == "coups" else None


def _too_few(view: CoupView) -> Answer:
    coup = view.coup
    if coup.voided is not None:
        return "the coup was voided"
    if coup.closed is None and coup.result_called is None:
        return "the coup is still in play"
    player, banker = len(coup.player), len(coup.banker)
    if view.dealt and coup.closed is not None:
        behind = _behind(view.shoe, coup, coup.closed)
        player, banker = player - behind.count("player"), banker - behind.count("banker")
    if min(player, banker) >= _TWO:
        return CLEAN
    if not view.dealt and (reason := _may_lack_cards(view)) is not None:
        return reason
    if coup.given_back:
        return "its bets went back on a ruling"
    return (
        Breach(
            f"the coup was closed on {player} and {banker} cards",
            "two cards to each hand",
            f"player {player}, banker {banker}",
            (*coup.cards, *([coup.closed] if coup.closed else [])),
            done=coup.closed or coup.result_called,
        ),
    )


def _behind(shoe: Shoe, coup: Coup, closed: Event) -> list[str]:
    """Return the hands of the cards that surely came when the coup was closed."""
    return [
        getattr(card.fact, "hand", "")
        for card in coup.cards
        if card.version > closed.version and doubt(shoe, card, closed) is None
    ]


def _places(shoe: Shoe) -> Answer:
    places = [event.fact.place for event in shoe.left]  # type: ignore[union-attr]
    first = places[0] if places else None
    if first is not None and places == list(range(first, first + len(places))):
        return CLEAN
    placed = [
        (event, event.fact.place)
        for event in shoe.left
        if isinstance(event.fact, (CardDrawn, CardBurned)) and event.fact.place is not None
    ]
    if not placed:
        return "the record does not give the cards' places in the shoe"
    breaches: list[Breach | Doubt] = []
    last, before = placed[0][0], placed[0][1] - 1
    for event, place in placed:
        if shoe.scope == "coups" and place > before:
            # what left the shoe in between need not stand in a record of coups
            before = place - 1
        if place != before + 1:
            doubtful = doubt(shoe, last, event)
            if doubtful is not None:
                breaches.append(Doubt(doubtful))
                last, before = event, place
                continue
            coup = event.fact.coup if isinstance(event.fact, (CardDrawn, CardBurned)) else None
            said = f"card {place} of the shoe after card {before}"
            breaches.append(Breach(said, f"card {before + 1}", f"card {place}", (event,), coup))
        last, before = event, place
    return tuple(breaches)


RULES = (
    Rule(
        "cards-were-dealt-out-of-order",
        "procedure",
        "high",
        "Cards go to Player, Banker, Player, Banker; Player's third comes before Banker's.",
        ("field-facts.md 3 A7", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_order,
        games=TWO_HANDS,
    ),
    Rule(
        "coup-was-closed-on-too-few-cards",
        "procedure",
        "high",
        "Each hand has two cards at least before the coup is decided.",
        ("field-facts.md 1.2, 3 A11",),
        on_coup=_too_few,
        games=TWO_HANDS,
    ),
    Rule(
        "cards-places-in-the-shoe-skip",
        "procedure",
        "high",
        "Cards leave the shoe one after the other; a place passed over is a card unaccounted for.",
        ("field-facts.md 3 A7",),
        on_shoe=_places,
    ),
)
