"""Explain the bank, the choices and the levy of a coup in which a patron is the banker.

The cost of a free choice is the expected value that it loses against optimal play. Optimal play is
computed for a full shoe with the same number of decks, where each side sees its own cards
(`sabot.domain.odds.optimal_play`). The computation ignores the levy and the cards already dealt.
"""

from collections.abc import Iterator
from fractions import Fraction

from sabot.domain.audit.checks.bank.levy import won_on_the_cards
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.settled_stakes import with_stakes_when_given
from sabot.domain.odds.optimal_play.chemin_de_fer_game import decks, game_of
from sabot.domain.odds.optimal_play.chemin_de_fer_solution import solve
from sabot.domain.procedure.patron_bank import (
    SIDES,
    Side,
    bank_events_of,
    drawing_of,
    given_to,
    has_natural,
    levy_charged,
    plays_player,
    position_in,
)
from sabot.domain.rules.drawing_options import Choice, DrawingTable, Position
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.timeline.evidence import Unknown
from sabot.domain.values.cards import FIRST_TWO, format_card


def loss_of(
    shoe_decks: int, rules: DrawingTable, position: Position, choice: Choice
) -> Fraction | None:
    """Return the average cost of a choice per unit staked. None if the game has no solution."""
    stock = decks(shoe_decks)
    return solve(game_of(stock, rules, "cards", "cards")).loss(position, choice)


def bank_steps(view: CoupView) -> Iterator[Step]:
    """Yield steps for the bank and the player against it."""
    part = bank_events_of(view.coup)
    if part.bank is None or drawing_of(view.shoe) is None:
        return
    due = format_money(view.shoe, part.bank)
    called = part.called.payload if part.called is not None else None
    shown = format_money(view.shoe, called.amount) if called is not None else None
    yield Step(
        "bank", f"{part.banker}'s bank", due,
        "chips added and won, less payments, levies and withdrawals",
        shown, None if shown is None else shown != due,
        () if part.called is None else (part.called.index,),
    )  # fmt: skip
    to, player = given_to(view.coup, "player"), plays_player(view.shoe, _when_given(view))
    if player is not None:
        why = "the highest stake, the first in order among equals; or who goes bank"
        events = tuple(event.index for event in part.given)
        yield Step(
            "hand", "who plays the hand", player, why, to, None if to is None else to != player,
            events,
        )  # fmt: skip


def _when_given(view: CoupView) -> Coup:
    """Return a coup with the stakes as they were when its Player hand was last given."""
    given = bank_events_of(view.coup).given
    try:
        return with_stakes_when_given(view.shoe, view.coup, given[-1]) if given else view.coup
    except Unknown:
        return view.coup


def choice_steps(view: CoupView) -> Iterator[Step]:
    """Yield a step for each hand's third card.

    It gives the required draw or stand, or the choice and its cost.
    """
    rules = drawing_of(view.shoe)
    if rules is None or not view.dealt:
        return
    for side in SIDES:
        if has_natural(view.coup):
            yield _natural(view, side)
        else:
            yield _decision(view, rules, side)


def _natural(view: CoupView, side: Side) -> Step:
    drew = len(view.coup.hand(side)) > FIRST_TWO
    why = "a natural on either side ends the coup"
    shown = "drew" if drew else "stood"
    return Step("stand", f"{side.capitalize()}'s third card", "stand", why, shown, drew, ())


def _decision(view: CoupView, rules: DrawingTable, side: Side) -> Step:
    hand = view.coup.hand(side)
    drew = len(hand) > FIRST_TWO
    waiting = view.in_play and not drew
    shown = None if waiting else f"drew {format_card(hand[2])}" if drew else "stood"
    events = tuple(
        event.index for event in bank_events_of(view.coup).choices if event.payload.hand == side
    )
    position = position_in(view.coup, side, "cards")
    allowed = rules.choices(position)
    made: Choice = "draw" if drew else "stand"
    what = f"{side.capitalize()}'s third card"
    if len(allowed) == 1:
        why = f"{side.capitalize()} {position.total} {allowed[0]}s: there is no choice"
        differs = None if waiting else made not in allowed
        return Step(allowed[0], what, allowed[0], why, shown, differs, events)
    costs = {
        choice: loss_of(view.shoe.decks, rules, position, choice) or Fraction(0)
        for choice in allowed
    }
    said = " and ".join(f"to {choice} costs {_percent(cost)}" for choice, cost in costs.items())
    why = (
        f"{side.capitalize()} {position.hand} may choose: {said}, on the average of a whole shoe, "
        "of the stake"
    )
    return Step("choice", what, "draw or stand", why, shown, None if waiting else False, events)


def _percent(cost: Fraction) -> str:
    return f"{100 * float(cost):.2f} %" if cost else "nothing"


def levy_steps(view: CoupView) -> Iterator[Step]:
    """Yield a step for the levy on the bank's winnings."""
    rule = view.shoe.pack.levy if view.shoe.pack is not None else None
    part = bank_events_of(view.coup)
    if rule is None or part.banker is None or view.coup.result_called is None:
        return
    won = won_on_the_cards(view)
    due = rule.on(won)
    why = f"{rule.rate} of the {format_money(view.shoe, max(0, won))} that the bank won"
    done = bool(part.levies) or view.coup.closed is not None
    yield Step(
        "levy", "levy", format_money(view.shoe, due), why,
        format_money(view.shoe, levy_charged(view.coup)) if done else None,
        levy_charged(view.coup) != due if done else None,
        tuple(event.index for event in part.levies),
    )  # fmt: skip
