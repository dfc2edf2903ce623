"""Explain each hand of a coup of macao or victoria.

A choice is never an error. Where the game is solved
(`sabot.domain.odds.optimal_play.own_hand_play`), the step gives the value of each choice against
optimal play. Otherwise it states that no solution is published.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.checks.bank.own_hand_cards import Act, acts_of
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.explain.steps import Step
from sabot.domain.events import CardDrawn
from sabot.domain.events.bank import CardRejected, ChoiceMade, HandsCalled
from sabot.domain.odds.optimal_play.own_hand_play import (
    Banker,
    OwnHandSolution,
    Punter,
    punter_at,
    solve_own_hand,
)
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import OwnHand, hands_in_turn
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.macao_hands import MacaoRules, Score, compare_hands, score_of
from sabot.domain.rules.wagers import Wager
from sabot.domain.state.money_text import format_money
from sabot.domain.values.cards import VALUE, Card, format_card

_FOR: Final = (
    "computed for one punter alone, with the chances of a full pack and every drawn ten or face "
    "rejected"
)
_OTHER: Final[dict[Choice, Choice]] = {"draw": "stand", "stand": "draw"}


def hand_steps(view: CoupView) -> Iterator[Step]:
    """Yield each hand's cards, choices and result, in turn."""
    rules = rules_of(view.shoe.pack)
    hands = hands_in_turn(view.shoe, view.coup)
    if rules is None or not view.coup.cards:
        return
    acts = list(acts_of(view))
    for hand in hands:
        mine = [act for act in acts if act.key == (hand.hand, hand.seat)]
        yield _dealt(rules, hand, mine, view)
        yield from (step for act in mine for step in _chosen(view, rules, hands, hand, act))
    if view.dealt:
        for hand in hands:
            yield _came_to(view, rules, hand, hands[-1])


def _name(hand: OwnHand) -> str:
    return f"{hand.who}, who banks" if hand.seat is None else f"{hand.who} at seat {hand.seat}"


def _sum(rules: MacaoRules, cards: tuple[Card, ...]) -> str:
    total = score_of(rules, cards)
    return f"{' '.join(map(format_card, cards))} = {'bust' if total.bust else total.total}"


def _dealt(rules: MacaoRules, hand: OwnHand, mine: list[Act], view: CoupView) -> Step:
    acts = [(act, act.payload.card) for act in mine if isinstance(act.payload, CardDrawn)]
    drawn = acts[: rules.dealt]
    first = tuple(card for _, card in drawn)
    cards = f"{rules.dealt} card" + "s" * (rules.dealt > 1)
    return Step(
        "deal",
        f"{_name(hand)}, at first",
        cards,
        "clockwise from the banker's left, the banker last",
        _sum(rules, first) if first else "nothing",
        len(first) < rules.dealt and not view.in_play,
        tuple(act.event.index for act, _ in drawn),
    )


def _chosen(
    view: CoupView, rules: MacaoRules, hands: list[OwnHand], hand: OwnHand, act: Act
) -> Iterator[Step]:
    """Yield the step for a choice, with its average value."""
    events = (act.event.index,)
    lay = _sum(rules, act.before.cards)
    if isinstance(act.payload, CardRejected):
        why = "a drawn ten or face may be rejected for another card"
        allowed = act.before.may_reject(rules)
        due = "free" if allowed else "the card stays"
        shown = f"rejected {' '.join(map(format_card, act.before.cards[-1:]))}"
        yield Step("choice", f"{_name(hand)}, on {lay}", due, why, shown, not allowed, events)
    elif isinstance(act.payload, ChoiceMade):
        beyond = act.payload.choice == "draw" and not act.before.may_draw(rules)
        over = act.before.stood or beyond
        why = _scored(view, rules, hands, hand, act) if not over else "the hand had come to its end"
        shown = f"{act.payload.choice}s"
        due = "nothing" if over else "free"
        yield Step("choice", f"{_name(hand)}, on {lay}", due, why, shown, over, events)
    elif act.before.asked and len(act.before.cards) >= rules.dealt:
        asked = len(act.before.cards) < rules.dealt + act.before.asked
        due = "the card asked for" if asked else "no card"
        shown = f"drew {format_card(act.payload.card)}"
        yield Step(
            "draw", f"{_name(hand)}, on {lay}", due, _WHY_DRAWN[asked], shown, not asked, events
        )


# -- The cost of a choice --------------------------------------------------------------------------


def _scored(
    view: CoupView, rules: MacaoRules, hands: list[OwnHand], hand: OwnHand, act: Act
) -> str:
    """Return text on the average value of each choice, or on why no value is known."""
    pack = view.shoe.pack
    assert isinstance(act.payload, ChoiceMade)
    assert pack is not None
    solution = solve_own_hand(rules, pack.wagers[0])
    if solution is None:
        return f"no published solution: {_ANY_NUMBER}"
    reason = _unsolved(rules, hands, act)
    if reason is not None:
        return f"no published solution: {reason}"
    place = _place(rules, pack.wagers[0], hands, hand, act)
    stake = sum(bet.amount for bet in view.coup.bets.values() if not bet.withdrawn)
    return _worth(solution, place, act.payload.choice, partial(format_money, view.shoe), stake)


_PUNTER_AND_BANKER: Final = 2
_WHY_DRAWN: Final = {
    True: "the hand asked for a card",
    False: "the hand has every card that it asked for",
}
_ANY_NUMBER: Final = "the number of cards that a hand may draw is not limited"


def _unsolved(rules: MacaoRules, hands: list[OwnHand], act: Act) -> str | None:
    """Return why no solution covers a choice. None if one does."""
    if len(hands) != _PUNTER_AND_BANKER:
        return "several hands play against the banker's"
    drawn = hands[0].cards[rules.dealt :] if act.payload.hand == "banker" else ()
    if act.before.asked or (drawn and rules.reject and VALUE[drawn[0]] == 0):
        return "a ten or face was drawn that might be kept"
    return None


def _place(
    rules: MacaoRules, wager: Wager, hands: list[OwnHand], hand: OwnHand, act: Act
) -> "Punter | Banker":
    """Return the state of the solved game in which a choice was made."""
    score = act.before.score(rules)
    if hand.hand == "patron":
        # only a pair of ten-valued cards may be unknown, and it pays like any other hand
        return punter_at(rules, wager, replace(score, pair=bool(score.pair)))
    drawn = hands[0].cards[rules.dealt :]
    return Banker(score.total, VALUE[drawn[0]] if drawn else None)


def _worth(
    solution: OwnHandSolution,
    place: "Punter | Banker",
    choice: Choice,
    spell: Callable[[int], str],
    stake: int,
) -> str:
    loss, other = solution.loss(place, choice), solution.loss(place, _OTHER[choice])
    if loss is None or other is None:
        return f"optimal play never comes here; {_FOR}"
    if not loss and not other:
        return f"to draw and to stand are worth the same; {_FOR}"
    if not loss:
        said = f"as optimal play has it; to {_OTHER[choice]} loses {_percent(other)} on the average"
    else:
        cost = spell(round(loss * stake))
        said = f"to {choice} loses {_percent(loss)} on the average, {cost}"
    return f"{said}; {_FOR}"


def _percent(loss: Fraction | float) -> str:
    return f"{100 * float(loss):.2f} % of the stake"


# -- The result of a hand --------------------------------------------------------------------------


def _came_to(view: CoupView, rules: MacaoRules, hand: OwnHand, banker: OwnHand) -> Step:
    score = hand.score(rules)
    event = view.coup.result_called
    called = None
    if event is not None and isinstance(event.payload, HandsCalled):
        said = {(each.hand, each.seat): each.total for each in event.payload.totals}
        called = said.get((hand.hand, hand.seat))
    due = "bust" if score.bust else str(score.total)
    if hand.hand == "banker":
        why = f"the banker's cards: {_sum(rules, hand.cards)}"
    else:
        why = _compared(rules, score, banker.score(rules))
    return Step(
        "result",
        _name(hand),
        f"call {due}",
        why,
        None if event is None else "nothing" if called is None else f"called {called}",
        None if event is None else called != score.total,
        () if event is None else (event.index,),
    )


def _compared(rules: MacaoRules, mine: Score, his: Score) -> str:
    shown = compare_hands(rules, mine, his)
    if mine.bust:
        return "over nine is bust, and loses whatever the banker has"
    if his.bust:
        return "the banker is bust"
    both = f"{mine.total} against {his.total}"
    if mine.total != his.total:
        return f"{both}: the {shown.better} wins"
    if shown.better != "neither":
        return f"{both} on {mine.cards} cards against {his.cards}: fewer cards win"
    return f"{both} on as many cards"
