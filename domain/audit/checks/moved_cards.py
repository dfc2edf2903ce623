"""The rule of cards that were dealt and then burned: each asks for a ruling that takes it off.

A ruling is of what lay there: all that was drawn before its first card was burned. Who takes the
next card off as well, once that came in the place of another, needs a ruling on that one too.

Rules of cards that a ruling gives to the other hand: those that were so ruled, and no other.
"""

from typing import Final

from sabot.domain.audit.checks.no_bet_hands import ruled_so
from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.justification import Justification, justified_by, next_begins
from sabot.domain.audit.restored_cards import NOT_RULED, unrestorable
from sabot.domain.audit.rule import NO_BREACH, TWO_HANDS, Answer, Breach, CoupView, Rule
from sabot.domain.audit.table_order import doubt, doubt_among
from sabot.domain.events import CardReassigned
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.ruling_effects import takes_card_off
from sabot.domain.rules.third_card_table import banco_draws
from sabot.domain.values.cards import total


def _burned_unruled(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.removed_cards:
        return "no card was taken off its hand"
    if view.shoe.scope == "coups":
        return NO_BREACH if coup.irregularities else COUPS_ALONE
    belief, rounds = _belief(view), _rounds(view)
    unruled = rounds[len(belief.excuses) :]
    if not unruled:
        return NO_BREACH
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


def _belief(view: CoupView) -> Justification:
    """Return which irregularities of a coup let cards be taken off their hands."""
    shoe = view.shoe
    rulings = shoe.pack.rulings if shoe.pack is not None else {}
    until = next_begins(shoe, view.coup)
    return justified_by(view, lambda payload: takes_card_off(payload, rulings), until)


_Burns = list[tuple[int, RecordedEvent, RecordedEvent]]


def _rounds(view: CoupView) -> list[_Burns]:
    """Return the cards taken off by what one ruling can be of, each with its number."""
    rounds: list[_Burns] = []
    for nth, (drawn, burned) in enumerate(view.coup.removed_cards, 1):
        if not rounds or _came_behind(view, drawn, rounds[-1][0][2]):
            rounds.append([])
        rounds[-1].append((nth, drawn, burned))
    return rounds


def _came_behind(view: CoupView, drawn: RecordedEvent, burned: RecordedEvent) -> bool:
    """Tell whether a card was surely drawn when another had been burned."""
    return drawn.position > burned.position and doubt(view.shoe, drawn, burned) is None


REMOVED_CARD_RULES: Final = (
    Rule(
        "D104",
        "dealt-card-burned-without-ruling",
        "procedure",
        "high",
        "A card that is taken off its hand changes the coup: that is ruled on, and never quiet.",
        ("field-facts.md 3 A7, A9", "arrêté of 14 May 2007, art. 55-14"),
        on_coup=_burned_unruled,
    ),
)


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
        return NO_BREACH
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
    by = view.coup.reassigned[0].payload.by
    belief = justified_by(view, lambda payload: payload.ruling == "card-to-banker", until, by)
    if belief.excuses or belief.doubts:
        return NO_BREACH if belief.excuses else belief.doubts[0]
    return tuple(
        Breach(
            f"{event.payload.hand}'s card was given to the other hand, and {belief.said}",
            "a card goes to the other hand by a ruling on a wrong draw that there was",
            belief.said,
            (event, *belief.shown),
        )
        for event in view.coup.reassigned
    )


def _given(event: RecordedEvent[CardReassigned], reason: str) -> Breach:
    """Return the breach that a card was given to the other hand."""
    payload = event.payload
    if reason == NOT_RULED:
        return Breach(
            f"{payload.hand}'s card was given to the other hand, and nobody had ruled so",
            "a card goes to the other hand by a ruling that is noted",
            reason,
            (event,),
        )
    return Breach(
        f"{payload.hand}'s card was restored to the other hand, and {reason}",
        "a card is restored at once, and to the hand to which it was due",
        reason,
        (event,),
    )


REASSIGNED_CARD_RULES: Final = (
    Rule(
        "D106",
        "card-withheld-from-banker",
        "procedure",
        "medium",
        "A card that Player should not have had is the one that Banker would have had.",
        ("field-facts.md 3 A9: NJ, Pa. (recalled)",),
        on_coup=_not_given,
        games=TWO_HANDS,
    ),
    Rule(
        "D107",
        "card-moved-without-ruling",
        "procedure",
        "high",
        "Whoever may give a card to the other hand decides who wins.",
        ("field-facts.md 3 A9",),
        on_coup=_unruled,
        games=TWO_HANDS,
    ),
)


RULES = (
    *REMOVED_CARD_RULES,
    *REASSIGNED_CARD_RULES,
)
"""Every rule of this family."""
