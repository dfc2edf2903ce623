"""Report on commission and levies of a period: due, accrued, collected, rounded and missing."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.audit.coup_view import cashier_of, view_coup
from sabot.domain.procedure.patron_bank import bank_events_of, bank_won, levy_charged, levy_due
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.shoe_bets import settles_marks
from sabot.infrastructure.reports.model import Amount, Column, Report, Row, Table, Unknown, Value
from sabot.infrastructure.reports.payment_variance import settled_bets
from sabot.infrastructure.reports.records import (
    OF_COUP,
    Played,
    Records,
    coups_of,
    currency_of,
    events_in,
    money_in,
    totals_of,
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
    Column("rounding", "rounding in it", "money"),
    Column("kept", "deducted at once", "money"),
    Column("marked", "marked", "money"),
    Column("collected", "collected later", "money"),
    Column("short", "charged too little", "money"),
    Column("owed", "still owed", "money"),
)
_LEVIES: Final = (
    *OF_COUP,
    Column("banker", "banker"),
    Column("won", "win of the bank", "money"),
    Column("due", "levy due", "money"),
    Column("taken", "levy taken", "money"),
    Column("short", "charged too little", "money"),
    Column("tickets", "tickets", weight=2),
)
_NOT_SETTLED: Final = "a winning bet has no amount due on record"
_NET: Final = (
    "a payment is on record after commission, which may have been kept at once or collected later"
)
_WRONG_NET: Final = "a payment on record after commission is not the amount due"


class Account(Struct):
    """A patron's commission in a shoe in the period, in minor units.

    ``exact`` is the amount due before rounding. ``unknown`` counts winning bets whose amount due is
    not known. ``net`` counts bets with a payment after commission whose collection is not on
    record, ``wrong_net`` those of them that were not paid as due.
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
    net: int = 0
    wrong_net: int = 0

    def add(self, bet: Bet, due: Due, rate: Fraction) -> None:
        """Add a settled bet; ``rate`` is its commission, of its winnings."""
        self.bets += due.kind == "pay"
        self.winnings += due.paid
        self.exact += due.paid * rate
        self.due += due.commission
        as_due = bet.paid - bet.taken == due.net
        if bet.after_commission:
            untold = bool(due.commission and not bet.commission)
            self.net += untold
            self.wrong_net += untold and not as_due
        elif as_due:
            # the payment was less by the commission, so that any other charge is one too many
            self.kept += due.commission
            self.short -= bet.commission
        else:
            self.short += due.commission - bet.commission


def commission(records: Records) -> Report:
    """Return the commission of each patron in each shoe, and the levies on bankers."""
    rows = [
        _row(shoe, patron, account)
        for shoe in records.shoes
        for patron, account in sorted(accounts_of(shoe, records).items())
    ]
    levies = [
        _levy(played)
        for shoe in records.shoes
        for played in coups_of(shoe, records.scope)
        if levy_due(shoe, played.coup) or levy_charged(played.coup)
    ]
    return Report(KIND, TITLE, (_commission_table(rows), _levy_table(levies)))


def _commission_table(rows: Sequence[Row]) -> Table:
    return Table(
        "commission",
        "Commission on winning bets",
        _COLUMNS,
        tuple(rows),
        totals_of(_COLUMNS, rows),
        "No commission was due, marked or collected in this period.",
        (
            (
                "Due is what the rule pack charges on the winnings, rounded as it says. Short is "
                "the part of it that was not charged; a negative amount was charged too much. "
                "Still owed is what was marked less what was collected of it."
            ),
        ),
    )


def _levy_table(rows: Sequence[Row]) -> Table:
    return Table(
        "levies",
        "Levies on bankers' wins",
        _LEVIES,
        tuple(rows),
        totals_of(_LEVIES, rows),
        "No levy was due or taken in this period.",
    )


def accounts_of(shoe: Shoe, records: Records) -> dict[str, Account]:
    """Return the commission accounts of a shoe in the period, by patron."""
    accounts: dict[str, Account] = {}
    _charges(shoe, records, accounts)
    if not records.scope.dealers:
        _collections(shoe, records, accounts)
    return accounts


def _charges(shoe: Shoe, records: Records, accounts: dict[str, Account]) -> None:
    """Add the commission due and charged on the bets of the period's coups."""
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
            else:
                account.add(bet, due, rate if owes else Fraction(0))


def _collections(shoe: Shoe, records: Records, accounts: dict[str, Account]) -> None:
    """Add the commission withheld, marked and collected in the period.

    The time of each event decides.
    """
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


def _row(shoe: Shoe, patron: str, account: Account) -> Row:
    figures: dict[str, Amount] = {
        "winnings": account.winnings,
        "due": account.due,
        "rounding": account.due - account.exact,
        "kept": account.kept,
        "marked": account.marked,
        "collected": account.collected,
        "short": account.short,
        "owed": account.marked - account.collected,
    }
    shown: dict[str, Value] = {
        key: money_in(currency_of(shoe), figure) for key, figure in figures.items()
    }
    if account.wrong_net:
        shown["short"] = Unknown(_WRONG_NET)
    if account.net:
        shown |= dict.fromkeys(("kept", "marked", "collected", "owed"), Unknown(_NET))
    bets: Value = account.bets
    if account.unknown:
        bets = Unknown(_NOT_SETTLED)
        shown |= dict.fromkeys(("winnings", "due", "rounding", "short"), bets)
    return (shoe.table, shoe.name, patron, bets, *shown.values())


def _levy(played: Played) -> Row:
    part = bank_events_of(played.coup)
    tickets = [ticket for event in part.tickets for ticket in event.payload.tickets]
    tickets += [event.payload.ticket for event in part.levies if event.payload.ticket]
    due, taken = levy_due(played.shoe, played.coup), levy_charged(played.coup)
    figures = (bank_won(played.coup), due, taken, due - taken)
    return (
        *played.head(),
        part.banker,
        *(money_in(played.currency, amount) for amount in figures),
        ", ".join(tickets) or None,
    )
