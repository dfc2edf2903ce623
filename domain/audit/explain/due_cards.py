"""Explain which cards and payments were due where cards were drawn wrongly."""

from collections.abc import Collection, Iterator
from functools import partial
from typing import Final

from sabot.domain.audit.checks.moved_cards import dealt_card_burned_without_ruling
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.explain.payment_reasons import owed_said
from sabot.domain.audit.explain.steps import Step
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.tableau_result import hands_by_tableau
from sabot.domain.rules.coup_result import Result, result_of
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.third_card_table import why_banker, why_player
from sabot.domain.state.money_text import format_money
from sabot.domain.values.cards import FIRST_TWO, VALUE, Card, format_card, total

_BURNED: Final = code_of(dealt_card_burned_without_ruling)
_WON: Final = {"P": "Player wins", "B": "Banker wins", "T": "a tie"}
CARDS_DUE: Final = "the cards that were due"
"""The name of the steps on the cards that should have come."""


def _fixes_hands(pack: RulePack | None) -> bool:
    """Return whether the rules fix every draw, so that no hand has a choice."""
    return pack is not None and not (pack.drawing or pack.macao or pack.tableaux)


def due_card_steps(view: CoupView, found: Collection[Finding]) -> Iterator[Step]:
    """Yield the hands, the result and the payments that the third-card table required.

    Nothing is yielded for a coup whose cards were correct, or whose hands may choose.
    """
    wrong = [each for each in found if each.family == "tableau" or each.code == _BURNED]
    if not wrong or not view.dealt or not _fixes_hands(view.shoe.pack):
        return
    told = {index for each in wrong if each.code == _BURNED for index in each.events}
    stay = [drawn for drawn, _ in view.coup.removed_cards if drawn.index in told]
    hands = hands_by_tableau(view, stay)
    if isinstance(hands, str):
        yield Step("result", CARDS_DUE, "unknown", hands, None, None)
        return
    player, banker = hands
    result = result_of(player, banker)
    due = f"Player {_said(player)}, Banker {_said(banker)}: {_WON[result.outcome]}"
    yield Step("result", CARDS_DUE, due, _why(player, banker), None, None)
    yield from _payments(view, result)


def _payments(view: CoupView, result: Result) -> Iterator[Step]:
    """Yield a step for the payment of each bet that a result requires."""
    for bet in view.coup.bets.values():
        owed = view.cashier.due(bet.wager, result, bet.amount) if view.cashier else None
        if owed is None or bet.withdrawn:
            continue
        spell = partial(format_money, view.shoe)
        what = f"{bet.patron}'s {spell(bet.amount)} on {wager_label(bet.wager)}, by {CARDS_DUE}"
        why = f"{wager_label(bet.wager)} lost" if owed.kind == "take" else owed.line
        yield Step("payment", what, owed_said(owed, spell), why, None, None)


def _said(cards: list[Card]) -> str:
    return f"{' '.join(map(format_card, cards))} = {total(cards)}"


def _why(player: list[Card], banker: list[Card]) -> str:
    both = total(player[:FIRST_TWO]), total(banker[:FIRST_TWO])
    third = VALUE[player[FIRST_TWO]] if len(player) > FIRST_TWO else None
    reasons = dict.fromkeys((why_player(*both), why_banker(*both, third)))
    return "; ".join(reasons)
