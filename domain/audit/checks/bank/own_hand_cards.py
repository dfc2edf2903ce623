"""What was done with hands of one's own, in its order: read by all their rules.

A hand is that of the banker, or of the patron at a seat.

Rules of the cards of hands of one's own, at macao and victoria: asked for, dealt, rejected.

What a hand may choose is never a breach, whatever it costs on the average: what is judged is
that nothing was dealt or rejected but what was asked for, and what the cards and the pack allow.
"""

from collections.abc import Iterator
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.checks import choices
from sabot.domain.audit.completeness import COUPS_ALONE, NO_CHOICES, choices_lack
from sabot.domain.audit.rule import Answer, Breach, CoupView, Rule
from sabot.domain.audit.table_order import doubt_in_row
from sabot.domain.events import CardDrawn, Hand
from sabot.domain.events.bank import CardRejected, ChoiceMade
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import Held, held
from sabot.domain.rules.macao_hands import MacaoRules
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.values.cards import Card, pretty

GAMES: Final[tuple[GameName, ...]] = ("macao", "victoria")
CITES: Final = ("field-facts.md 1.2", "seeds S0, S1 (Macao)")
Key = tuple[Hand, int | None]


class Act(Struct):
    """Something done with a hand, and the hand as it lay just before."""

    event: RecordedEvent
    payload: CardDrawn | ChoiceMade | CardRejected
    before: Held

    @property
    def key(self) -> Key:
        """Whose hand it was."""
        return self.payload.hand, self.payload.seat


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
        payload = event.payload
        if not isinstance(payload, CardDrawn | ChoiceMade | CardRejected):
            continue
        key = (payload.hand, payload.seat)
        before = hands.get(key) or Held(
            payload.hand, payload.seat, "", (), 0, stood=False, rejected=0
        )
        yield Act(event, payload, before)
        hands[key] = _after(before, payload)


def _after(hand: Held, payload: "CardDrawn | ChoiceMade | CardRejected") -> Held:
    match payload:
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


def _unasked(view: CoupView) -> Answer:
    reason = unjudged(view)
    if reason:
        return reason
    if choices_lack(view.shoe, view.coup):
        return NO_CHOICES
    dealt = rules_in(view).dealt
    return tuple(
        Breach(
            f"{named(act.key)} was dealt {pretty(act.payload.card)}, which nobody had asked for",
            "a hand has the cards dealt at first, and one more each time it asks",
            f"{faces(act.before.cards)}, {act.before.asked} asked for",
            (act.event,),
        )
        for act in acts_of(view)
        if isinstance(act.payload, CardDrawn) and len(act.before.cards) >= dealt + act.before.asked
    )


def _not_dealt(view: CoupView) -> Answer:
    if view.shoe.pack is not None and view.shoe.pack.game not in GAMES:
        return choices.withheld(view)
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
        if not isinstance(act.payload, ChoiceMade) or act.payload.choice != "draw":
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
    acts = [act for act in acts_of(view) if isinstance(act.payload, CardRejected)]
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
        "O501",
        "unrequested-card",
        "procedure",
        "high",
        "Beyond the cards dealt at first a hand has what it asked for: a card it did not want can "
        "bust it.",
        CITES,
        on_coup=_unasked,
        games=GAMES,
    ),
    Rule(
        "O502",
        "requested-card-not-dealt",
        "procedure",
        "high",
        "Who asks for a card has it before his hand is called.",
        CITES,
        on_coup=_not_dealt,
        games=(*GAMES, *choices.GAMES),
    ),
    Rule(
        "O503",
        "card-beyond-hand-end",
        "procedure",
        "high",
        "A hand ends where it stands, goes bust, or has all the cards that the pack lets it have.",
        CITES,
        on_coup=_beyond,
        games=GAMES,
    ),
    Rule(
        "O504",
        "card-rejection-not-permitted",
        "procedure",
        "medium",
        "Only a drawn ten or face may be rejected, where the pack lets it.",
        CITES,
        on_coup=_rejected,
        games=GAMES,
    ),
)
