"""The rule of cards that were dealt and then burned: each asks for a ruling that takes it off.

A ruling is of what lay there: all that was drawn before its first card was burned. Who takes the
next card off as well, once that came in the place of another, needs a ruling on that one too.
"""

from typing import Final

from domain.audit.believing import Belief, believed, next_begins
from domain.audit.lacking import COUPS_ALONE
from domain.audit.rule import CLEAN, Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt
from domain.event import Event
from domain.rulings import takes_card_off


def _burned_unruled(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.taken_off:
        return "no card was taken off its hand"
    if view.shoe.scope == "coups":
        return CLEAN if coup.irregularities else COUPS_ALONE
    belief, rounds = _belief(view), _rounds(view)
    unruled = rounds[len(belief.excuses) :]
    if not unruled:
        return CLEAN
    if view.open:
        return "the coup is still in play"
    if len(belief.doubts) >= len(unruled):
        return belief.doubts[0]
    spent = "each ruling had taken its card off" if belief.excuses else belief.said
    return tuple(
        Breach(
            f"a card was taken off its hand and burned, and {spent}",
            "cards on the felt stay there until somebody rules otherwise",
            "none was noted" if not coup.irregularities else spent,
            (drawn, burned, *belief.shown),
            done=burned,
            key=("taken-off", nth),
        )
        for burns in unruled
        for nth, drawn, burned in burns
    )


def _belief(view: CoupView) -> Belief:
    """Return which irregularities of a coup let cards be taken off their hands."""
    shoe = view.shoe
    rulings = shoe.pack.rulings if shoe.pack is not None else {}
    until = next_begins(shoe, view.coup)
    return believed(view, lambda fact: takes_card_off(fact, rulings), until)


_Burns = list[tuple[int, Event, Event]]


def _rounds(view: CoupView) -> list[_Burns]:
    """Return the cards taken off by what one ruling can be of, each with its number."""
    rounds: list[_Burns] = []
    for nth, (drawn, burned) in enumerate(view.coup.taken_off, 1):
        if not rounds or _came_behind(view, drawn, rounds[-1][0][2]):
            rounds.append([])
        rounds[-1].append((nth, drawn, burned))
    return rounds


def _came_behind(view: CoupView, drawn: Event, burned: Event) -> bool:
    """Tell whether a card was surely drawn when another had been burned."""
    return drawn.version > burned.version and doubt(view.shoe, drawn, burned) is None


RULES: Final = (
    Rule(
        "dealt-card-was-burned-without-a-ruling",
        "procedure",
        "high",
        "A card that is taken off its hand changes the coup: that is ruled on, and never quiet.",
        ("field-facts.md 3 A7, A9", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_burned_unruled,
    ),
)
