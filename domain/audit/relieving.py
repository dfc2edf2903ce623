"""Rules of cards burned on the way: a dealer is relieved, or a dead game comes to life."""

from domain.audit.rule import Answer, Breach, Rule
from domain.audit.timing import doubt_among
from domain.relieving import Occasion, Why, burned, occasions
from domain.shoe import Shoe

_CITES = ("field-facts.md 3 A9", "La. 42:III-3106")
_WHEN: dict[Why, str] = {
    "relief": "another dealer took over",
    "dead-game": "the table came to life",
}


def _unburned(shoe: Shoe, why: Why, cards: int | None, nothing: str) -> Answer:
    if cards is None:
        return f"the pack does not say what is burned when {_WHEN[why]}"
    if shoe.scope == "coups":
        return "the record may lack burned cards"
    due = [each for each in occasions(shoe, why) if each.until is not None]
    if not due:
        return nothing
    breaches = []
    for each in due:
        shown = burned(shoe, each)
        if len(shown) == cards:
            continue
        assert each.until is not None
        doubtful = doubt_among(shoe, (each.event, *shown), (each.until,))
        if doubtful is not None:
            return doubtful
        breaches.append(_breach(each, cards, len(shown)))
    return tuple(breaches)


def _breach(occasion: Occasion, cards: int, shown: int) -> Breach:
    until = occasion.until
    assert until is not None
    return Breach(
        f"{_WHEN[occasion.why]}, and {shown or 'no'} card{'s' if shown > 1 else ''} "
        f"{'were' if shown > 1 else 'was'} burned before the next",
        f"{cards} burned before the next coup's first card",
        f"{shown} burned",
        (until, occasion.event),
        getattr(until.fact, "coup", None),
    )


def _on_relief(shoe: Shoe) -> Answer:
    cards = shoe.pack.burn.relief if shoe.pack is not None else None
    return _unburned(shoe, "relief", cards, "no dealer was relieved before a coup")


def _after_a_dead_game(shoe: Shoe) -> Answer:
    cards = shoe.pack.burn.dead_game if shoe.pack is not None else None
    return _unburned(shoe, "dead-game", cards, "the table was never dead")


RULES = (
    Rule(
        "burn-on-relief-was-not-as-the-pack-says",
        "procedure",
        "medium",
        "Who leaves may know the next card, and who comes may have been told of it.",
        _CITES,
        on_shoe=_on_relief,
    ),
    Rule(
        "burn-after-a-dead-game-was-not-as-the-pack-says",
        "procedure",
        "medium",
        "While nobody plays the shoe lies there, and somebody may have looked at its next card.",
        _CITES,
        on_shoe=_after_a_dead_game,
    ),
)
