"""The list of bets on the layout: patron, wager, stake and outcome."""

from collections.abc import Sequence
from typing import Final

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from sabot.cli.text.words import counted, money, printable
from sabot.domain.rules.labels import wager_label
from sabot.domain.views.table_view import Felt, FeltBet

_STATE_STYLE: Final = {"paid": "green", "taken": "red", "withdrawn": "dim", "pushed": "yellow"}


def list_bets(state: Felt, bets: Sequence[FeltBet], most: int | None = None) -> RenderableType:
    """List bets by seat, at most ``most`` of them, with their outcomes."""
    ordered = sorted(bets, key=lambda bet: (bet.seat is None, bet.seat or 0, bet.bet))
    shown = ordered if most is None else ordered[:most]
    table = Table(box=None, expand=True, padding=(0, 1, 0, 0), header_style="dim", show_edge=False)
    table.add_column("seat", justify="right", no_wrap=True)
    table.add_column("patron", ratio=2, min_width=6, no_wrap=True, overflow="ellipsis")
    table.add_column("wager", ratio=2, min_width=6, no_wrap=True, overflow="ellipsis")
    table.add_column(f"stake {printable(state.currency)}".rstrip(), justify="right", no_wrap=True)
    table.add_column("outcome", justify="right", no_wrap=True)
    table.add_column("commission", justify="right", no_wrap=True)
    table.add_column("", ratio=1, no_wrap=True, overflow="ellipsis")
    for bet in shown:
        table.add_row(*_bet_cells(bet, state.minor_units))
    if len(shown) == len(bets):
        return table
    more = counted(len(bets) - len(shown), "more bet")
    return Group(table, Text(f"     and {more}", style="dim"))


def _bet_cells(bet: FeltBet, minor_units: int) -> list[Text | str]:
    """Return a bet's cells: seat, patron, wager, stake, outcome, commission and notes."""
    won = f"+{money(bet.paid, minor_units)}" if bet.paid else ""
    lost = f"-{money(bet.taken, minor_units)}" if bet.taken else ""
    state = bet.state if bet.state in ("pushed", "withdrawn") else ""
    kept = [money(bet.collected, minor_units)] if bet.collected else []
    owed = [f"{money(bet.marked, minor_units)} owed"] if bet.marked > bet.collected else []
    notes = (["after a tie"] if bet.carried else []) + (["changed"] if bet.changed else [])
    return [
        "" if bet.seat is None else str(bet.seat),
        Text(printable(bet.patron)),
        Text(printable(wager_label(bet.wager))),
        money(bet.amount, minor_units),
        Text(" ".join(filter(None, (won, lost, state))), style=_STATE_STYLE.get(bet.state, "")),
        " ".join(kept + owed),
        Text(", ".join(notes), style="dim"),
    ]
