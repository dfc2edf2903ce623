"""Texts about the settlement of a bet and about money, which rules share."""

from collections.abc import Callable
from typing import Final

from sabot.domain.audit.rule import Breach, Rule
from sabot.domain.rules.labels import wager_label
from sabot.domain.state.coup_state import Bet

OTHER_HAND_CHOOSES: Final = (
    "another hand chooses by the cards it sees, so the correct result is unknown"
)
"""The reason why the cost of a wrong card is unknown where hands choose in turn."""


def why_no_amount(rule: Rule, breach: Breach) -> str:
    """Return why a breach has no amount, if it has neither an amount nor a reason of its own."""
    if rule.group == "own-hands" and rule.concerns == "game" and not breach.put_right:
        return OTHER_HAND_CHOOSES
    return f"a breach of {rule.family} moves no money by itself"


def result_unknown(wager: str) -> str:
    """Return why the result of a wager is unknown."""
    return (
        "the recorded cards or the rule pack do not determine the result of the bet on "
        f"{wager_label(wager)}"
    )


def describe_settlement(bet: Bet, spell: Callable[[int], str]) -> str:
    """Return text for a bet's settlement. ``spell`` formats an amount."""
    said = []
    if bet.paid or (not bet.taken and not bet.pushed):
        after = " after commission" if bet.after_commission else ""
        said.append(f"paid {spell(bet.paid)}{after}")
    if bet.taken:
        said.append(f"taken {spell(bet.taken)}")
    if bet.pushed:
        said.append("pushed")
    if bet.commission:
        said.append(f"commission {spell(bet.commission)} {'marked' if bet.marked else 'kept'}")
    return ", ".join(said)
