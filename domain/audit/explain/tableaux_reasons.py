"""Explain the bank, hands and choices of a baccarat banque coup.

A free choice is never an error. Its cost is computed against an equilibrium for the stakes on both
tableaux (`sabot.domain.odds.optimal_play.banque_equilibrium`). The model assumes that everybody
knows only the totals, and that every card has the same chances whatever came before. There may be
other equilibria.
"""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from sabot.domain.audit.checks.bank.tableaux_hands import HANDS, acts_of, cards_of
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.explain.steps import Step, cards_and_total
from sabot.domain.events import Hand
from sabot.domain.events.bank import HandsCalled
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, drawing_of, given_to
from sabot.domain.procedure.two_tableaux.banco_claims import (
    banco_claimants,
    holder_due,
    rightful_holder,
)
from sabot.domain.procedure.two_tableaux.bank_award import equilibrium, five_of, place_of, split_of
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    banker_choices,
    in_play,
    outcome_at,
    tableau_position,
)
from sabot.domain.rules.drawing_options import Choice
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.tableau_hands import TABLEAUX, Tableau, is_natural_hand
from sabot.domain.state.money_text import format_money
from sabot.domain.values.cards import FIRST_TWO, Card, format_card, total
from sabot.domain.values.errors import BadInput

_OTHER: Final[dict[Choice, Choice]] = {"draw": "stand", "stand": "draw"}


def tableau_steps(view: CoupView) -> Iterator[Step]:
    """Yield the steps for bank, hands and call."""
    yield from _bank(view)
    for hand in HANDS:
        cards = cards_of(view.coup, hand)
        if cards:
            yield _dealt(view, hand, cards)
    if view.dealt:
        yield from (_third(view, hand) for hand in HANDS)
        yield from _called(view)


# -- The bank --------------------------------------------------------------------------------------


def _bank(view: CoupView) -> Iterator[Step]:
    part = bank_events_of(view.coup)
    bank = bank_of(view.coup)
    if part.bank is None:
        return
    called = part.called.payload if part.called is not None else None
    due = _money(view, part.bank)
    shown = _money(view, called.amount) if called is not None else None
    events = () if part.called is None else (part.called.index,)
    why = "chips added and won, less payments, levies and withdrawals"
    differs = None if shown is None else shown != due
    yield Step("bank", f"{part.banker}'s bank", due, why, shown, differs, events)
    if bank is None:
        why = "its banker accepted all stakes, and covers those beyond it"
        yield Step("bank", "what the bank holds", "every stake", why, None, None)
    for taker in banco_claimants(view.shoe, view.coup):
        what = f"{taker.patron} goes bank"
        due = f"{_money(view, taker.amount)} on {wager_label(taker.wager)}"
        why = "claims go right and left in turn from beside the banker; opposite sides share"
        yield Step("bank", what, due, why, None, None, tuple(e.index for e in part.claims))
    for each in stakes_held_for(view.shoe, view.coup):
        what = (
            f"{each.bet.patron}'s frozen {_money(view, each.amount)} on {wager_label(each.wager)}"
        )
        why = "a tie, or a split of both tableaux, left it where it was"
        yield Step("bank", what, "stays for this coup", why, None, None)
    for tableau in TABLEAUX:
        due_to, to = holder_due(view.shoe, view.coup, tableau), given_to(view.coup, tableau)
        if due_to is not None:
            why = "who goes bank on it; else it is held until it loses, and goes to the next"
            rightful = rightful_holder(view.shoe, view.coup, tableau)
            differs = None if to is None else to not in (due_to, rightful)
            given = tuple(e.index for e in part.given if e.payload.hand == tableau)
            yield Step("hand", f"who plays the {tableau}", due_to, why, to, differs, given)


def _money(view: CoupView, amount: int) -> str:
    return format_money(view.shoe, amount)


# -- The hands -------------------------------------------------------------------------------------


def _events(view: CoupView, hand: Hand) -> tuple[int, ...]:
    return tuple(act.event.index for act in acts_of(view.coup) if act.payload.hand == hand)


def _dealt(view: CoupView, hand: Hand, cards: list[Card]) -> Step:
    short = len(cards) < FIRST_TWO and not view.in_play
    return Step(
        "deal",
        f"the {hand}'s first two",
        "two cards",
        "right, left, banker, twice round",
        cards_and_total(cards[:2]),
        None if view.starts_before_record else short,
        _events(view, hand)[:2],
    )


def _third(view: CoupView, hand: Hand) -> Step:
    cards = cards_of(view.coup, hand)
    drew = len(cards) > FIRST_TWO
    waiting = view.in_play and not drew
    shown = None if waiting else f"drew {format_card(cards[2])}" if drew else "stood"
    what, events = f"the {hand}'s third card", _events(view, hand)[2:]
    allowed, why = _allowed(view, hand)
    if len(allowed) == 1:
        differs = None if waiting else drew is (allowed[0] == "stand")
        return Step(allowed[0], what, allowed[0], why, shown, differs, events)
    made: Choice = "draw" if drew else "stand"
    said = [e.payload for e in bank_events_of(view.coup).choices]
    made = next((payload.choice for payload in said if payload.hand == hand), made)
    cost = _cost(view, hand, made)
    return Step("choice", what, "draw or stand", cost, shown, None if waiting else False, events)


def _allowed(view: CoupView, hand: Hand) -> tuple[tuple[Choice, ...], str]:
    """Return the choices that a hand has, and the reason."""
    coup, cards = view.coup, cards_of(view.coup, hand)
    if is_natural_hand(cards):
        return ("stand",), "a natural draws no card"
    if not in_play(coup):
        return ("stand",), "a natural of the banker's, or of both tableaux, ends the coup"
    if hand == "banker":
        allowed = banker_choices(view.shoe, coup)
    else:
        rules = drawing_of(view.shoe)
        position = tableau_position(coup, _tableau(hand))
        allowed = rules.choices(position) if rules is not None else ("draw", "stand")
    return allowed, f"the {hand} {allowed[0]}s on {total(cards[:2])}: there is no choice"


def _tableau(hand: Hand) -> Tableau:
    return "right" if hand == "right" else "left"


def _cost(view: CoupView, hand: Hand, made: Choice) -> str:
    """Return text on the average cost of a free choice, or on why it is unknown."""
    split = split_of(view.coup)
    place = place_of(view.coup) if hand == "banker" else five_of(view.coup, _tableau(hand))
    whose = "of all stakes" if hand == "banker" else f"of the stakes on the {hand}"
    lay = f"an equilibrium where {split} of the stakes lies on the right"
    try:
        solution = equilibrium(split)
        costs = {choice: solution.loss(place, choice) for choice in _OTHER}
    except BadInput:
        return f"free; no optimal play is known here for {split} of the stakes on the right"
    if not any(costs.values()):
        return f"to draw and to stand are worth the same, in {lay}"
    best = min(costs, key=lambda choice: costs[choice])
    other = costs[_OTHER[best]]
    if made == best:
        return f"to {best} is best; to {_OTHER[best]} costs {_percent(other)} {whose}, in {lay}"
    return f"to {made} costs {_percent(other)} {whose} on the average, in {lay}"


def _percent(cost: Fraction) -> str:
    return f"{100 * float(cost):.2f} %"


# -- The call --------------------------------------------------------------------------------------


def _called(view: CoupView) -> Iterator[Step]:
    event = view.coup.result_called
    called: dict[Hand, int] = {}
    if event is not None and isinstance(event.payload, HandsCalled):
        called = {each.hand: each.total for each in event.payload.totals}
    for hand in HANDS:
        cards = cards_of(view.coup, hand)
        due, said = total(cards), called.get(hand)
        shown = None if event is None else "nothing" if said is None else f"called {said}"
        why = (
            f"the banker's cards: {cards_and_total(cards)}"
            if hand == "banker"
            else _came(view, _tableau(hand))
        )
        events = () if event is None else (event.index,)
        differs = None if event is None else said != due
        yield Step("result", f"the {hand}", f"call {due}", why, shown, differs, events)


def _came(view: CoupView, tableau: Tableau) -> str:
    mine, his = cards_of(view.coup, tableau), view.coup.banker
    both = f"{cards_and_total(mine)}, against {cards_and_total(his)}"
    if alone_natural(view.coup) == tableau:
        return f"{both}: the {tableau} wins at once, on its natural"
    return f"{both}: the {tableau} {outcome_at(view.coup, tableau)}"
