"""Texts about the settlement of a bet, which rules share."""

from collections.abc import Callable

from sabot.domain.rules.labels import wager_label
from sabot.domain.state.coup_state import Bet


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
