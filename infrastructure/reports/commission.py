"""Commission and levies of a period: due, accrued, collected, rounded and short."""

from fractions import Fraction
from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.audit.coup_view import cashier_of, view_coup
from sabot.domain.procedure.patron_bank import bank_events_of, bank_won, levy_charged, levy_due
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.shoe_bets import settles_marks
from sabot.infrastructure.reports.model import (
    Amount,
    Column,
    Moment,
    Report,
    Row,
    Table,
    Unknown,
    Value,
)
from sabot.infrastructure.reports.payment_variance import settled_bets
from sabot.infrastructure.reports.records import (
    Currency,
    Played,
    Records,
    coups_of,
    currency_of,
    events_in,
    money_in,
)

KIND: Final = "commission"
TITLE: Final = "Commission and levies"

_COLUMNS: Final = (
    Column("table", "table"),
    Column("shoe", "shoe"),
    Column("patron", "patron"),
    Column("bets", "bets won", "count"),
    Column("winnings", "winnings", "money"),
    Column("due", "due", "money"),
    Column("rounding", "of it rounding", "money"),
    Column("kept", "kept at once", "money"),
    Column("marked", "marked", "money"),
    Column("collected", "collected later", "money"),
    Column("short", "short", "money"),
    Column("owed", "still owed", "money"),
)
_LEVIES: Final = (
    Column("at", "time", "time"),
    Column("table", "table"),
    Column("shoe", "shoe"),
    Column("coup", "coup", "count"),
    Column("banker", "banker"),
    Column("won", "the bank won", "money"),
    Column("due", "levy due", "money"),
    Column("taken", "levy taken", "money"),
    Column("short", "short", "money"),
    Column("tickets", "tickets", weight=2),
)
_NOT_SETTLED: Final = "a winning bet has no amount due on record"


class Account(Struct):
    """A patron's commission in a shoe in the period, in minor units.

    ``exact`` is the amount due before rounding. ``unknown`` counts winning bets whose amount due is
    not known.
    """

    bets: int = 0
    winnings: int = 0
    exact: Fraction = Fraction(0)
    due: int = 0
    short: int = 0
    kept: int = 0
    marked: int = 0
    collected: int = 0
    unknown: int = 0


def commission(records: Records) -> Report:
    """Return the commission of each patron in each shoe, and the levies on bankers."""
    rows: list[Row] = []
    sums: dict[Currency, list[Amount]] = {}
    levies: list[Row] = []
    levied: dict[Currency, list[Amount]] = {}
    for shoe in records.shoes:
        for patron, account in sorted(accounts_of(shoe, records).items()):
            figures, row = _row(shoe, patron, account)
            rows.append(row)
            _add(sums, currency_of(shoe), figures)
        for played in coups_of(shoe, records.scope):
            if levy_due(shoe, played.coup) or levy_charged(played.coup):
                levies.append(_levy(played))
                _add(levied, played.currency, _levy_figures(played))
    return Report(KIND, TITLE, (_commission_table(rows, sums), _levy_table(levies, levied)))


def _commission_table(rows: list[Row], sums: dict[Currency, list[Amount]]) -> Table:
    totals = (
        ("total", None, None, None, *(money_in(currency, amount) for amount in amounts))
        for currency, amounts in sorted(sums.items())
    )
    return Table(
        "commission",
        "Commission on winning bets",
        _COLUMNS,
        tuple(rows),
        tuple(totals),
        "No commission was due, marked or collected in this period.",
        (
            (
                "Due is what the rule pack charges on the winnings, rounded as it says. Short is "
                "the part of it that was not charged; a negative amount was charged too much. "
                "Still owed is what was marked less what was collected of it."
            ),
        ),
    )


def _levy_table(rows: list[Row], sums: dict[Currency, list[Amount]]) -> Table:
    totals = (
        ("total", *[None] * 4, *(money_in(currency, amount) for amount in amounts), None)
        for currency, amounts in sorted(sums.items())
    )
    return Table(
        "levies",
        "Levies on bankers' wins",
        _LEVIES,
        tuple(rows),
        tuple(totals),
        "No levy was due or taken in this period.",
    )


def _add(sums: dict[Currency, list[Amount]], currency: Currency, figures: list[Amount]) -> None:
    have = sums.setdefault(currency, [0] * len(figures))
    sums[currency] = [one + more for one, more in zip(have, figures, strict=True)]


def accounts_of(shoe: Shoe, records: Records) -> dict[str, Account]:
    """Return the commission accounts of a shoe in the period, by patron."""
    accounts: dict[str, Account] = {}
    _charges(shoe, records, accounts)
    if not records.scope.dealers:
        _collections(shoe, records, accounts)
    return accounts


def _charges(shoe: Shoe, records: Records, accounts: dict[str, Account]) -> None:
    """Add what was due and charged on the bets of the period's coups."""
    cashier = cashier_of(shoe)
    if shoe.pack is None or cashier is None:
        return
    rate = Fraction(*shoe.pack.commission.ratio)
    for played in coups_of(shoe, records.scope):
        view = view_coup(shoe, played.coup, cashier)
        for bet, due in settled_bets(view):
            wager = shoe.pack.wager(bet.wager)
            owes = wager is not None and wager.commission and rate > 0
            if not (owes and (due is None or due.commission)) and not bet.commission:
                continue
            account = accounts.setdefault(bet.patron, Account())
            if due is None:
                account.unknown += 1
                continue
            account.bets += due.kind == "pay"
            account.winnings += due.paid
            account.exact += due.paid * rate if owes else 0
            account.due += due.commission
            # a payment net of its commission owes none
            paid_net = bet.after_commission or bet.paid - bet.taken == due.net
            account.short += 0 if paid_net else due.commission - bet.commission


def _collections(shoe: Shoe, records: Records, accounts: dict[str, Account]) -> None:
    """Add what was kept, marked and collected in the period, by the time of each event."""
    for event, _at in events_in(shoe, records.scope):
        match event.payload:
            case ev.CommissionMarked(coup=number, bet=bet, amount=amount):
                coup = shoe.coups.get(number)
                placed = coup.bets.get(bet) if coup is not None else None
                if placed is not None:
                    accounts.setdefault(placed.patron, Account()).marked += amount
            case ev.CommissionCollected(patron=patron, amount=amount):
                account = accounts.setdefault(patron, Account())
                if settles_marks(shoe, event.payload):
                    account.collected += amount
                else:
                    account.kept += amount
            case _:
                pass


def _row(shoe: Shoe, patron: str, account: Account) -> tuple[list[Amount], Row]:
    currency = currency_of(shoe)
    figures: list[Amount] = [
        account.winnings,
        account.due,
        account.due - account.exact,
        account.kept,
        account.marked,
        account.collected,
        account.short,
        account.marked - account.collected,
    ]
    shown: list[Value] = [money_in(currency, figure) for figure in figures]
    if account.unknown:
        shown[1] = shown[6] = Unknown(_NOT_SETTLED)
    return figures, (shoe.table, shoe.name, patron, account.bets, *shown)


def _levy_figures(played: Played) -> list[Amount]:
    due, taken = levy_due(played.shoe, played.coup), levy_charged(played.coup)
    return [bank_won(played.coup), due, taken, due - taken]


def _levy(played: Played) -> Row:
    part = bank_events_of(played.coup)
    tickets = [ticket for event in part.tickets for ticket in event.payload.tickets]
    tickets += [event.payload.ticket for event in part.levies if event.payload.ticket]
    return (
        Moment(played.at_us),
        played.shoe.table,
        played.shoe.name,
        played.recorded_number,
        part.banker,
        *(money_in(played.currency, amount) for amount in _levy_figures(played)),
        ", ".join(tickets) or None,
    )
