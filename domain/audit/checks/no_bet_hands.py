"""The rule of no-bet hands: cards that went wrong, and are dealt to the end without bets."""

from typing import Final

from sabot.domain.audit.rule import NO_BREACH, TWO_HANDS, Answer, Breach, CoupView, Rule
from sabot.domain.events import CardBurned, Ruling
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.common import hand_due


def ruled_so(view: CoupView, ruling: Ruling) -> list[RecordedEvent]:
    """Return the irregularities of a coup that were ruled so."""
    return [event for event in view.coup.irregularities if event.payload.ruling == ruling]


def _no_bet_hand(view: CoupView) -> Answer:
    coup = view.coup
    ruled = ruled_so(view, "no-bet-hand")
    if not ruled:
        return "no coup was ruled a no-bet hand"
    if view.open:
        return "the coup is still in play"
    wrong = []
    if coup.voided is None and not coup.fully_refunded:
        wrong.append("its bets were not given back")
    if hand_due(coup.player, coup.banker) is not None:
        wrong.append("its cards were not dealt to the end")
    burned = [
        event for event in events_of(CardBurned, coup.events) if event.payload.reason == "ruling"
    ]
    if burned:
        wrong.append("a card of it was burned")
    if not wrong:
        return NO_BREACH
    shown = ", ".join(wrong)
    return (
        Breach(
            f"the coup was ruled a no-bet hand, and {shown}",
            "the bets go back, and the cards are dealt to the end without any",
            shown,
            (*ruled, *burned),
            done=burned[0] if burned else coup.closed or coup.voided,
        ),
    )


RULES: Final = (
    Rule(
        "I309",
        "no-bet-hand-not-played-out",
        "procedure",
        "medium",
        "Cards that were seen are used up without bets, so that nothing of the shoe is lost.",
        ("field-facts.md 3 A9: Zender, games protection",),
        on_coup=_no_bet_hand,
        games=TWO_HANDS,
    ),
)
