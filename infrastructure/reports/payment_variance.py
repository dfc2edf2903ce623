"""Report on payment variance: bets whose settlement differs from the amount due."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.checks.commission import (
    bets_collected_later,
    bets_with_collections,
    charged_in_all,
    uncharged_commission,
)
from sabot.domain.audit.coup_view import (
    CoupView,
    cashier_of,
    excess_moved,
    is_settled_as_due,
    view_coup,
)
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet
from sabot.infrastructure.reports.model import Column, Report, Row, Table, Unknown, Value
from sabot.infrastructure.reports.records import (
    OF_COUP,
    Currency,
    Played,
    Records,
    coups_of,
    money_in,
    named_wager,
)

KIND: Final = "payment-variance"
TITLE: Final = "Payment variance"

_COLUMNS: Final = (
    *OF_COUP,
    Column("dealer", "dealer"),
    Column("patron", "patron"),
    Column("wager", "wager"),
    Column("stake", "stake", "money"),
    Column("due", "due to the patron", "money"),
    Column("settled", "settled", "money"),
    Column("difference", "difference", "money"),
    Column("what", "what", weight=2),
)
_BY_DEALER: Final = (
    Column("dealer", "dealer"),
    Column("bets", "bets settled", "count"),
    Column("wrong", "settled wrongly", "count"),
    Column("rate", "rate", "rate"),
    Column("over", "overpaid", "money"),
    Column("under", "underpaid", "money"),
    Column("net", "net to patrons", "money"),
)
_UNKNOWN_DUE: Final = "the record's cards, or the rule pack, do not settle the wager"


class Variance(Struct, frozen=True):
    """A bet with the amount due, and the difference in the patron's favour, in minor units."""

    played: Played
    bet: Bet
    due: Due | None
    difference: int

    @property
    def what(self) -> str:
        """The kind of difference, as text."""
        bet = self.bet
        if self.due is None:
            return "not judged"
        if not bet.settled:
            return "never settled"
        if self.due.kind == "take" and not bet.taken:
            return "losing bet not collected"
        if self.due.kind == "pay" and not bet.paid:
            return "winning bet not paid"
        if bet.paid - bet.taken == self.due.paid - self.due.taken:
            return "commission"
        return "overpaid" if self.difference > 0 else "underpaid"


class Tally(Struct):
    """The settlements of a dealer, with differences in minor units."""

    bets: int = 0
    wrong: int = 0
    over: int = 0
    under: int = 0


def payment_variance(records: Records) -> Report:
    """Return the bets whose settlement differs from the amount due, and sums by dealer."""
    rows: list[Row] = []
    tallies: dict[tuple[Currency, str], Tally] = {}
    for each in settlements(records):
        if each.due is None or each.difference or not each.bet.settled:
            rows.append(_row(each))
        _count(tallies, each)
    variance = Table(
        "bets",
        "Bets",
        _COLUMNS,
        tuple(rows),
        _totals(tallies),
        "Every bet was settled as due in this period.",
        (
            (
                "Amounts are the patron's: winnings after commission, or the stake lost. A "
                "difference above zero is in the patron's favour."
            ),
        ),
    )
    return Report(KIND, TITLE, (variance, _by_dealer(tallies)))


def settlements(records: Records) -> Iterator[Variance]:
    """Yield the bets of the period that were settled or had to be."""
    for shoe in records.shoes:
        cashier = cashier_of(shoe)
        for played in coups_of(shoe, records.scope):
            view = view_coup(shoe, played.coup, cashier)
            if not view.dealt or view.coup.voided is not None:
                continue
            for bet, due in settled_bets(view):
                yield Variance(played, bet, due, _difference(view, bet, due))
            yield from _unsettled(played, view)


def settled_bets(view: CoupView) -> Iterator[tuple[Bet, Due | None]]:
    """Yield the settled bets of a coup, each with the amounts due to it.

    Commission that was collected for the whole coup, or later, is assigned to the bets that owe it.
    """
    dues = bets_with_collections(view)[0] if view.coup.collected else view.settlements_due
    for bet, due in dues:
        later = 0
        if uncharged_commission(bet, due):
            on, _rest = bets_collected_later(view.shoe, bet.patron)
            later = on.get((view.coup.number, bet.number), 0)
        yield (replace(bet, collected=bet.collected + later) if later else bet), due


def _difference(view: CoupView, bet: Bet, due: Due | None) -> int:
    """Return the amount that a patron was paid too much; 0 if the amount due is unknown.

    Commission on the sum of a patron's winnings may differ from that on each bet by its rounding.
    """
    if due is None or is_settled_as_due(bet, due):
        return 0
    as_paid = bet.paid - bet.taken == due.paid - due.taken
    if as_paid and view.coup.collected and charged_in_all(view, bet.patron):
        return 0
    return excess_moved(bet, due)


def _unsettled(played: Played, view: CoupView) -> Iterator[Variance]:
    """Yield the unsettled bets of a closed coup."""
    coup = view.coup
    if coup.closed is None:
        return
    for bet in coup.bets.values():
        if bet.settled or bet.withdrawn or bet.number in coup.refunded_bets:
            continue
        due = view.due(bet, bet.amount)
        # a push moves no chips, so that its settlement may be left out of a record
        if due is None or due.kind != "push":
            yield Variance(played, bet, due, 0 if due is None else -due.net)


def _count(tallies: dict[tuple[Currency, str], Tally], each: Variance) -> None:
    tally = tallies.setdefault((each.played.currency, each.played.dealer or ""), Tally())
    tally.bets += 1
    tally.wrong += bool(each.difference)
    tally.over += max(0, each.difference)
    tally.under -= min(0, each.difference)


def _row(each: Variance) -> Row:
    played, bet, due = each.played, each.bet, each.due
    currency = played.currency
    return (
        *played.head(),
        played.dealer,
        bet.patron,
        named_wager(bet.wager),
        money_in(currency, bet.amount),
        money_in(currency, due.net) if due is not None else Unknown(_UNKNOWN_DUE),
        money_in(currency, bet.net) if bet.settled else None,
        money_in(currency, each.difference) if due is not None else None,
        each.what,
    )


def _totals(tallies: dict[tuple[Currency, str], Tally]) -> tuple[Row, ...]:
    nets: dict[Currency, int] = {}
    for (currency, _dealer), tally in tallies.items():
        nets[currency] = nets.get(currency, 0) + tally.over - tally.under
    return tuple(
        ("total", *[None] * 9, money_in(currency, net), None)
        for currency, net in sorted(nets.items())
        if net
    )


def _by_dealer(tallies: dict[tuple[Currency, str], Tally]) -> Table:
    rows: list[tuple[Value, ...]] = []
    for (currency, dealer), tally in sorted(tallies.items(), key=lambda each: each[0][::-1]):
        amounts = (tally.over, tally.under, tally.over - tally.under)
        rows.append(
            (
                dealer or Unknown("the record names no dealer"),
                tally.bets,
                tally.wrong,
                Fraction(tally.wrong, tally.bets),
                *(money_in(currency, amount) for amount in amounts),
            )
        )
    return Table("dealers", "By dealer", _BY_DEALER, tuple(rows), empty="No bet was settled.")
