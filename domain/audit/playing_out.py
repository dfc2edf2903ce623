"""Rules of cards that went wrong and are played all the same: no-bet hands, cards given over."""

from domain.audit.rule import CLEAN, TWO_HANDS, Answer, Breach, CoupView, Rule
from domain.cards import total
from domain.event import Event
from domain.facts import CardBurned, IrregularityNoted, Ruling
from domain.procedure import hand_due
from domain.tableau import banco_draws

_TWO = 2


def _ruled(view: CoupView, ruling: Ruling) -> list[Event]:
    return [
        event
        for event in view.coup.irregularities
        if isinstance(event.fact, IrregularityNoted) and event.fact.ruling == ruling
    ]


def _no_bet_hand(view: CoupView) -> Answer:
    coup = view.coup
    ruled = _ruled(view, "no-bet-hand")
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
            money=tuple((bet.patron, bet.net) for bet in coup.bets.values() if bet.net) or None,
        ),
    )


def _not_given(view: CoupView) -> Answer:
    coup = view.coup
    ruled = _ruled(view, "card-to-banker")
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
        ),
    )


def _unruled(view: CoupView) -> Answer:
    coup = view.coup
    if not coup.reassigned:
        return "no card was given to the other hand"
    if _ruled(view, "card-to-banker"):
        return CLEAN
    return tuple(
        Breach(
            f"{getattr(event.fact, 'hand', 'a hand')}'s card was given to the other hand, "
            "and nobody had ruled so",
            "a card goes to the other hand by a ruling that is noted",
            "no such ruling",
            (event,),
        )
        for event in coup.reassigned
    )


RULES = (
    Rule(
        "no-bet-hand-was-not-played-out",
        "procedure",
        "medium",
        "Cards that were seen are used up without bets, so that nothing of the shoe is lost.",
        ("field-facts.md 3 A9: Zender, games protection",),
        on_coup=_no_bet_hand,
        games=TWO_HANDS,
    ),
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
