"""Report on games in which patrons bank: every bank of a period, from beginning to end."""

from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.events.labels import pass_label
from sabot.domain.procedure.patron_bank import levy_charged
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.reports.model import Column, Moment, Named, Report, Row, Table
from sabot.infrastructure.reports.records import (
    OF_COUP,
    Records,
    coups_of,
    currency_of,
    money_in,
    times_of,
    totals_of,
)

KIND: Final = "player-banked"
TITLE: Final = "Games banked by patrons"

_COLUMNS: Final = (
    Column("from", "from", "time"),
    Column("table", "table"),
    Column("shoe", "shoe"),
    Column("bank", "bank", "count"),
    Column("banker", "banker"),
    Column("before", "bank posted", "money"),
    Column("added", "added", "money"),
    Column("won", "won", "money"),
    Column("paid", "paid", "money"),
    Column("levy", "levy", "money"),
    Column("taken_out", "taken out", "money"),
    Column("after", "bank at the end", "money"),
    Column("coups", "coups", "count"),
    Column("bancos", "bancos", "count"),
    Column("excess", "excess returned", "money"),
    Column("passed", "passed"),
)
_CLAIMS: Final = (
    *OF_COUP,
    Column("patron", "patron"),
    Column("on", "tableau"),
    Column("suivi", "suivi"),
)


class Coups(Struct):
    """Totals of the coups of a bank. ``excess`` and ``levy`` in minor units."""

    coups: int = 0
    bancos: int = 0
    excess: int = 0
    levy: int = 0


def player_banked(records: Records) -> Report:
    """Return the banks that were posted in a period, and the claims of banco."""
    rows: list[Row] = []
    claims: list[Row] = []
    for shoe in records.shoes:
        times = times_of(shoe.history)
        played = _coups(shoe, records)
        passes = _passes(shoe)
        for number, bank in enumerate(shoe.banks, 1):
            at = times[bank.posted.index]
            if not records.scope.covers(at):
                continue
            row = _row(shoe, bank, number, played.get(number, Coups()))
            rows.append((Moment(at), *row, passes.get(number)))
        claims += _claims(shoe, records)
    banks = Table(
        "banks",
        "Banks",
        _COLUMNS,
        tuple(rows),
        totals_of(_COLUMNS, rows),
        "No patron posted a bank in this period.",
        (
            (
                "A bank belongs to the period in which it was posted. Bank after is what was "
                "posted and added, with what it won, less what it paid, the levy and what was "
                "taken out."
            ),
        ),
    )
    bancos = Table(
        "claims", "Claims of banco", _CLAIMS, tuple(claims), empty="Nobody called banco."
    )
    return Report(KIND, TITLE, (banks, bancos))


def _coups(shoe: Shoe, records: Records) -> dict[int, Coups]:
    found: dict[int, Coups] = {}
    for played in coups_of(shoe, records.scope):
        part = played.coup.banked
        if part is None or not part.nth:
            continue
        counts = found.setdefault(part.nth, Coups())
        counts.coups += 1
        counts.bancos += len(part.claims)
        counts.excess += sum(event.payload.amount for event in part.excess)
        counts.levy += levy_charged(played.coup)
    return found


def _row(shoe: Shoe, bank: Bank, number: int, counts: Coups) -> Row:
    currency = currency_of(shoe)
    posted = bank.posted.payload.amount
    figures = (
        posted,
        bank.put_in - posted,
        bank.won,
        bank.paid,
        bank.levy,
        bank.taken_out,
        bank.amount,
    )
    shown = (money_in(currency, figure) for figure in figures)
    excess = money_in(currency, counts.excess)
    of_bank = (shoe.table, shoe.name, number, bank.holder)
    return (*of_bank, *shown, counts.coups, counts.bancos, excess)


def _passes(shoe: Shoe) -> dict[int, Named]:
    """Return why the shoe was passed after each bank, by the number of the bank."""
    found: dict[int, Named] = {}
    for number, bank in enumerate(shoe.banks, 1):
        until = shoe.banks[number].posted.position if number < len(shoe.banks) else shoe.version + 1
        reasons = sorted({
            event.payload.reason
            for event in shoe.shoe_moves
            if isinstance(event.payload, ev.ShoePassed)
            and bank.posted.position < event.position < until
        })  # fmt: skip
        if reasons:
            found[number] = Named(", ".join(reasons), ", ".join(map(pass_label, reasons)))
    return found


def _claims(shoe: Shoe, records: Records) -> list[Row]:
    times = times_of(shoe.history)
    return [
        (
            *played.head(times[claim.index]),
            claim.payload.patron,
            claim.payload.on,
            "yes" if claim.payload.suivi else None,
        )
        for played in coups_of(shoe, records.scope)
        if played.coup.banked is not None
        for claim in played.coup.banked.claims
    ]
