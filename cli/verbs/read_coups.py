"""A table of the first coups of a dry run of an import."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Final

from sabot.cli.console import Column, Format, emit
from sabot.cli.settings import show_time
from sabot.cli.text.event_text import currency_of
from sabot.cli.text.words import money
from sabot.domain.rules.labels import wager_label
from sabot.domain.values.cards import Card, format_card
from sabot.domain.values.errors import SabotError
from sabot.infrastructure.rule_packs import pack_text, shipped_text

if TYPE_CHECKING:
    from sabot.infrastructure.imports.coup_line import Called, CoupRecord, Wagered


_COLUMNS: Final = (
    Column("shoe", style="bold"),
    Column("coup", right=True),
    Column("at", rank=1),
    Column("player", wraps=True),
    Column("banker", wraps=True),
    Column("called", rank=2),
    Column("bets", wraps=True, rank=-1),
)


def show_coups(records: Sequence["CoupRecord"], rules: str | None) -> None:
    """Write a table of coups to standard output.

    Args:
        records: the coups.
        rules: the rule pack of coups that name none. It has the currency of the amounts.
    """
    rows = []
    for record in records:
        content = record.content
        currency = _currency(record.rules, rules)
        rows.append(
            {
                "shoe": record.shoe,
                "coup": record.coup,
                "at": "" if content.at_us is None else show_time(content.at_us),
                "player": _hand(content.player),
                "banker": _hand(content.banker),
                "called": "" if content.called is None else _called(content.called),
                "bets": ", ".join(_bet(bet, *currency) for bet in content.bets),
            }
        )
    shown = [column for column in _COLUMNS if any(row[column.key] for row in rows)]
    emit(rows, shown, Format.TABLE)


def _hand(cards: Iterable[Card]) -> str:
    return " ".join(map(format_card, cards))


def _called(called: "Called") -> str:
    totals = (called.player, called.banker)
    said = "" if totals == (None, None) else ":".join("?" if t is None else str(t) for t in totals)
    return " ".join(filter(None, (called.outcome, said)))


def _bet(bet: "Wagered", decimals: int, currency: str) -> str:
    net = "" if bet.net is None else f" ({'+' if bet.net > 0 else ''}{money(bet.net, decimals)})"
    amount = f"{money(bet.amount, decimals)} {currency}".rstrip()
    return f"{bet.patron} {amount} {wager_label(bet.wager)}{net}"


def _currency(named: str | None, given: str | None) -> tuple[int, str]:
    try:
        # a line names a shipped pack, the option perhaps a file
        text = shipped_text(named) if named is not None else pack_text(given or "classic-8")
    except SabotError:
        return 2, ""
    return currency_of(text)
