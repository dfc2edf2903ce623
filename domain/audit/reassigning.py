"""Rules of cards that a ruling gives to the other hand: those that were so ruled, and no other."""

from typing import Final

from domain.audit.believing import believed, next_begins
from domain.audit.playing_out import ruled_so
from domain.audit.restoring import NOT_RULED, unrestorable
from domain.audit.rule import CLEAN, TWO_HANDS, Answer, Breach, CoupView, Rule
from domain.audit.timing import doubt_among
from domain.cards import total
from domain.event import Event
from domain.facts import CardReassigned
from domain.tableau import banco_draws

_TWO: Final = 2
"""The cards that each hand is dealt first."""


def _not_given(view: CoupView) -> Answer:
    coup = view.coup
    ruled = ruled_so(view, "card-to-banker")
    if not ruled:
        return "no card was ruled to be Banker's"
    if view.open:
        return "the coup is still in play"
    if coup.voided is not None:
        return "the coup was voided"
    if coup.reassigned:
        return CLEAN
    player, banker = coup.player, coup.banker
    punto, banco = total(player[:_TWO]), total(banker[:_TWO])
    if len(player) <= _TWO or not banco_draws(punto, banco, None):
        return "no card was due to Banker"
    return (
        Breach(
            "Player's card too many was not given to Banker, to whom one was due",
            f"Banker draws to {banco}: the card is his third",
            "it stayed with Player",
            (*ruled, coup.cards[-1]),
            done=coup.result_called or coup.closed,
        ),
    )


def _unruled(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.reassigned:
        return "no card was given to the other hand"
    if ruled_so(view, "card-to-banker"):
        return _to_banker(view)
    wrong = [(event, unrestorable(view, event)) for event in coup.reassigned]
    found = tuple(_given(event, reason) for event, reason in wrong if reason is not None)
    return (doubt_among(view.shoe, coup.reassigned, coup.cards) if found else None) or found


def _to_banker(view: CoupView) -> Answer:
    """Return a breach where a card was so ruled to be Banker's, and the ruling does not hold."""
    until = next_begins(view.shoe, view.coup)
    by = getattr(view.coup.reassigned[0].fact, "by", None)
    belief = believed(view, lambda fact: fact.ruling == "card-to-banker", until, by)
    if belief.excuses or belief.doubts:
        return CLEAN if belief.excuses else belief.doubts[0]
    return tuple(
        Breach(
            f"{getattr(event.fact, 'hand', 'a hand')}'s card was given to the other hand, "
            f"and {belief.said}",
            "a card goes to the other hand by a ruling on a wrong draw that there was",
            belief.said,
            (event, *belief.shown),
        )
        for event in view.coup.reassigned
    )


def _given(event: Event, reason: str) -> Breach:
    """Return the breach that a card was given to the other hand."""
    fact = event.fact
    assert isinstance(fact, CardReassigned)
    if reason == NOT_RULED:
        return Breach(
            f"{fact.hand}'s card was given to the other hand, and nobody had ruled so",
            "a card goes to the other hand by a ruling that is noted",
            reason,
            (event,),
        )
    return Breach(
        f"{fact.hand}'s card was restored to the other hand, and {reason}",
        "a card is restored at once, and to the hand to which it was due",
        reason,
        (event,),
    )


RULES: Final = (
    Rule(
        "card-was-not-given-to-banker",
        "procedure",
        "medium",
        "A card that Player should not have had is the one that Banker would have had.",
        ("field-facts.md 3 A9: NJ, Pa. (recalled)",),
        on_coup=_not_given,
        games=TWO_HANDS,
    ),
    Rule(
        "card-changed-hands-without-a-ruling",
        "procedure",
        "high",
        "Whoever may give a card to the other hand decides who wins.",
        ("field-facts.md 3 A9",),
        on_coup=_unruled,
        games=TWO_HANDS,
    ),
)
