"""Rules of the cards of hands of one's own, at macao and victoria: asked for, dealt, rejected.

What a hand may choose is never a breach, whatever it costs on the average: what is judged is
that nothing was dealt or rejected but what was asked for, and what the cards and the pack allow.
"""

from domain.audit import asking, choosing
from domain.audit.lacking import NO_CHOICES, choices_lack
from domain.audit.own_hand_acts import (
    CITES,
    GAMES,
    acts_of,
    faces,
    named,
    rules_in,
    unjudged,
)
from domain.audit.rule import Answer, Breach, CoupView, Rule
from domain.cards import pretty
from domain.facts import CardDrawn
from domain.facts.bank import CardRejected, ChoiceMade
from domain.games.hands import held


def _unasked(view: CoupView) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    dealt = rules_in(view).dealt
    return tuple(
        Breach(
            f"{named(act.key)} was dealt {pretty(act.fact.card)}, which nobody had asked for",
            "a hand has the cards dealt at first, and one more each time it asks",
            f"{faces(act.before.cards)}, {act.before.asked} asked for",
            (act.event,),
        )
        for act in acts_of(view)
        if isinstance(act.fact, CardDrawn) and len(act.before.cards) >= dealt + act.before.asked
    )


def _not_dealt(view: CoupView) -> Answer:
    if view.shoe.pack is not None and view.shoe.pack.game not in GAMES:
        return asking.withheld(view)
    reason = unjudged(view)
    if reason:
        return reason
    if view.coup.voided is not None:
        return "the coup was voided"
    called = view.coup.result_called
    if called is None:
        return "the hands have not been called"
    rules = rules_in(view)
    waiting = [
        hand
        for hand in held(view.shoe, view.coup)
        if len(hand.cards) < rules.dealt + hand.asked and hand.may_draw(rules)
    ]
    return tuple(
        Breach(
            f"{named((hand.hand, hand.seat))} was called on {faces(hand.cards)}",
            f"{rules.dealt + hand.asked} cards: those dealt at first, and those asked for",
            f"{len(hand.cards)} cards",
            (called, *view.coup.cards),
            key=("hand", hand.hand, hand.seat or 0),
        )
        for hand in waiting
    )


def _beyond(view: CoupView) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    rules = rules_in(view)
    found = []
    for act in acts_of(view):
        if not isinstance(act.fact, ChoiceMade) or act.fact.choice != "draw":
            continue
        if act.before.stood:
            shown = "it had stood"
        elif not act.before.may_draw(rules):
            shown = f"it had {faces(act.before.cards)}"
        else:
            continue
        due = "a hand that stood, went bust or has all the cards it may have draws no more"
        said = f"{named(act.key)} asked for another card"
        found.append(Breach(said, due, shown, (act.event,)))
    return tuple(found)


def _rejected(view: CoupView) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    rules = rules_in(view)
    acts = [act for act in acts_of(view) if isinstance(act.fact, CardRejected)]
    if not acts:
        return "no card was rejected"
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    due = "a ten or face that was just drawn may be rejected"
    return tuple(
        Breach(
            f"{named(act.key)} rejected {faces(act.before.cards[-1:])}",
            due if rules.reject else "no card may be rejected",
            f"{faces(act.before.cards)}, {act.before.asked} drawn",
            (act.event,),
        )
        for act in acts
        if not act.before.may_reject(rules)
    )


RULES = (
    Rule(
        "card-was-not-asked-for",
        "procedure",
        "high",
        "Beyond the cards dealt at first a hand has what it asked for: a card it did not want can "
        "bust it.",
        CITES,
        on_coup=_unasked,
        games=GAMES,
    ),
    Rule(
        "card-asked-for-was-not-dealt",
        "procedure",
        "high",
        "Who asks for a card has it before his hand is called.",
        CITES,
        on_coup=_not_dealt,
        games=(*GAMES, *choosing.GAMES),
    ),
    Rule(
        "hand-drew-beyond-its-end",
        "procedure",
        "high",
        "A hand ends where it stands, goes bust, or has all the cards that the pack lets it have.",
        CITES,
        on_coup=_beyond,
        games=GAMES,
    ),
    Rule(
        "card-was-rejected-against-the-pack",
        "procedure",
        "medium",
        "Only a drawn ten or face may be rejected, where the pack lets it.",
        CITES,
        on_coup=_rejected,
        games=GAMES,
    ),
)
