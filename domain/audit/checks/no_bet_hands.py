"""The rule of no-bet hands: cards that went wrong, and are dealt to the end without bets."""

from typing import Final

from sabot.domain.audit.rule import CLEAN, TWO_HANDS, Answer, Breach, CoupView, Rule
from sabot.domain.events import CardBurned, IrregularityNoted, Ruling
from sabot.domain.events.envelope import Event
from sabot.domain.procedure.common import hand_due


def ruled_so(view: CoupView, ruling: Ruling) -> list[Event]:
    """Return the irregularities of a coup that were ruled so."""
    return [
        event
        for event in view.coup.irregularities
        if isinstance(event.fact, IrregularityNoted) and event.fact.ruling == ruling
    ]


def _no_bet_hand(view: CoupView) -> Answer:
    coup = view.coup
    ruled = ruled_so(view, "no-bet-hand")
    if not ruled:
        return "no coup was ruled a no-bet hand"
    if view.open:
        return "the coup is still in play"
    wrong = []
    if coup.voided is None and not coup.given_back:
        wrong.append("its bets were not given back")
    if hand_due(coup.player, coup.banker) is not None:
        wrong.append("its cards were not dealt to the end")
    burned = [
        event
        for event in coup.events
        if isinstance(event.fact, CardBurned) and event.fact.reason == "ruling"
    ]
    if burned:
        wrong.append("a card of it was burned")
    if not wrong:
        return CLEAN
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
        "no-bet-hand-was-not-played-out",
        "procedure",
        "medium",
        "Cards that were seen are used up without bets, so that nothing of the shoe is lost.",
        ("field-facts.md 3 A9: Zender, games protection",),
        on_coup=_no_bet_hand,
        games=TWO_HANDS,
    ),
)
