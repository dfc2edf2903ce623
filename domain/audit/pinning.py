"""The rule that a shoe is dealt by what was put down when it was loaded: it is not put in anew."""

from domain.audit.rule import CLEAN, Answer, Breach, Rule
from domain.corrections import effective
from domain.event import Event
from domain.facts import CardBurned, CardDrawn, FactCorrected, ShoeLoaded
from domain.shoe import Shoe


def _changed(shoe: Shoe) -> Answer:
    if not shoe.corrections:
        return "nothing was corrected"
    loaded = next((each for each in shoe.history if isinstance(each.fact, ShoeLoaded)), None)
    cards = (each for each in shoe.history if isinstance(each.fact, (CardDrawn, CardBurned)))
    first = next(cards, None)
    if loaded is None or first is None:
        return "the record has no loading of the shoe, or no card"
    late = [
        event
        for event in shoe.corrections
        if isinstance(event.fact, FactCorrected)
        and event.fact.version == loaded.version
        and event.version > first.version
    ]
    if not late:
        return CLEAN
    before = _of(loaded, [each for each in shoe.history if each.version <= first.version])
    now = _of(loaded, shoe.history)
    if before == now:
        return CLEAN
    what = "its loading" if now is None or before is None else _what(before, now)
    return (
        Breach(
            f"{what} was put in anew when the shoe was being dealt",
            "a shoe is dealt by the rules and from the decks put down before its first card",
            f"{what} corrected after it",
            (late[-1], first, loaded),
            key=("loading",),
        ),
    )


def _of(loaded: Event, history: list[Event]) -> tuple[str, int] | None:
    """Return the pack and the decks of a loading, as a history has it; None where it has none."""
    for event in effective(history):
        if event.version == loaded.version and isinstance(event.fact, ShoeLoaded):
            return event.fact.pack, event.fact.decks
    return None


def _what(before: tuple[str, int], now: tuple[str, int]) -> str:
    pack, decks = before[0] != now[0], before[1] != now[1]
    return " and ".join(["its rule pack"] * pack + ["the number of its decks"] * decks)


RULES = (
    Rule(
        "loading-was-changed-after-the-first-card",
        "integrity",
        "high",
        "Rules that are put in behind the cards make any payment right, and any count.",
        ("field-facts.md 3 A1, A27", "Singapore, Casino Control Act s. 100"),
        on_shoe=_changed,
    ),
)
