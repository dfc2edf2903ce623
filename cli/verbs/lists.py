"""``sabot tables``, ``shoes``, ``patrons``, ``ledger``, ``commission``: lists from summary tables.

Each verb brings the summary tables up to date first.
"""

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Final

import typer

from sabot.cli.console import Column, DatabaseOption, FormatOption, OutputOption, emit, say
from sabot.cli.output import amount_column, with_amounts
from sabot.cli.settings import show_time
from sabot.cli.text.words import wager_shown
from sabot.cli.verbs.accesses import noted
from sabot.cli.verbs.freshness import up_to_date
from sabot.domain.values.suggestions import not_in_log
from sabot.infrastructure.patron_names import read_names
from sabot.infrastructure.projections import patron_money, queries

if TYPE_CHECKING:
    from sabot.infrastructure.log.event_log import EventLog

TableOption = Annotated[
    str | None, typer.Option("--table", metavar="TABLE", help="Only this table.")
]
ShoeOption = Annotated[str | None, typer.Option("--shoe", metavar="SHOE", help="Only this shoe.")]


def register(app: typer.Typer) -> None:
    """Add the verbs."""
    app.command("tables")(_tables)
    app.command("shoes")(_shoes)
    app.command("patrons")(_patrons)
    app.command("ledger")(_ledger)
    app.command("commission")(_commission)


def _number(value: object) -> str:
    return "" if value is None else f"{value:,}"


def _percent(value: object) -> str:
    return "" if value is None else f"{value} %"


def _machine(*keys: str) -> list[Column]:
    return [Column(key, in_table=False) for key in keys]


_CURRENCY = [Column("currency", "", rank=-2), *_machine("minor_units")]


def _tables(
    database: DatabaseOption = None, form: FormatOption = None, output: OutputOption = "-"
) -> None:
    """List the tables: state, handle, win, drop and hold.

    Win and hold cover the table's last session, from opening to closing. They are shown once the
    table is closed and its drop box is counted: win = closing + credits + drop - opening - fills,
    hold = win / drop. "won on bets" is what the house won on the recorded bets of all shoes of the
    table.
    """
    with up_to_date(database) as log, queries.reading_views(log) as connection:
        records = queries.tables(connection)
    money = (
        "handle", "won", "opening", "closing", "fills", "credits", "bought", "drop_counted",
        "win", "estimated_win",
    )  # fmt: skip
    columns = [
        Column("table", style="bold"),
        Column("state"),
        Column("shoe"),
        Column("coup", right=True, show=_number, rank=2),
        Column("phase", rank=3),
        Column("shoes", right=True, show=_number, rank=5),
        Column("coups", right=True, show=_number, rank=4),
        amount_column("handle", rank=1),
        amount_column("won", "won on bets", rank=3),
        amount_column("drop_counted", rank=-1),
        amount_column("win", rank=-1),
        Column("hold_percent", right=True, show=_percent, rank=-1),
        *_CURRENCY,
        Column("missing", in_table=False),
        *[amount_column(key, in_table=False) for key in money[2:7]],
        amount_column("estimated_win", in_table=False),
        *_machine(
            "session", "opened_us", "closed_us", "pack", "pack_version", "shoe_pack", "last_index"
        ),
    ]
    rows = [{**with_amounts(record, *money), "hold_percent": _hold(record)} for record in records]
    emit(rows, columns, form, output)
    _tell_other_currencies(records)


def _tell_other_currencies(records: Iterable[queries.Record]) -> None:
    """Write a note on shoes in another currency, whose bets are not in a table's sums."""
    for record in records:
        others = record.get("other_currencies")
        if others:
            of = (
                f"{len(others)} shoe{'s' * (len(others) > 1)} in {', '.join(dict.fromkeys(others))}"
            )
            say(
                f"table {record['table']}: bets of {of} are not in its sums in {record['currency']}"
            )


def _hold(record: dict[str, object]) -> float | None:
    """Return win divided by drop, in percent to two decimals, or None."""
    win, drop = record.get("win"), record.get("drop_counted")
    if not isinstance(win, int) or not isinstance(drop, int) or not drop:
        return None
    return round(100 * win / drop, 2)


def _shoes(
    table: TableOption = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the shoes: rule pack, coups, results and money.

    "won" is what the house won on the bets of the shoe.
    """
    with up_to_date(database) as log, queries.reading_views(log) as connection:
        if table is not None:
            queries.check_table(connection, table)
        records = queries.shoes(connection, table)
    emit([with_amounts(record, *_SHOE_MONEY) for record in records], _SHOES, form, output)


_SHOE_MONEY: Final = (
    "handle", "won", "taken", "paid", "commission", "marked", "collected", "bank_won", "levy",
    "owed",
)  # fmt: skip
_SHOES: Final = [
    Column("name", style="bold", name="shoe"),
    Column("table_name", name="table"),
    Column("pack"),
    Column("state", rank=1),
    Column("first_us", show=show_time, rank=3),
    Column("coups", right=True, rank=-1),
    Column("player_wins", "P", right=True, rank=-1),
    Column("banker_wins", "B", right=True, rank=-1),
    Column("ties", "T", right=True, rank=-1),
    Column("voids", right=True, rank=2),
    Column("cards_out", right=True, rank=4),
    amount_column("handle", rank=1),
    amount_column("won", rank=-1),
    amount_column("owed", rank=2),
    *_CURRENCY,
    Column("corrections", right=True, rank=5),
    *[amount_column(key, in_table=False) for key in _SHOE_MONEY[2:9]],
    *_machine(
        "scope", "pack_version", "pack_sha256", "decks", "batch", "version", "first_index",
        "last_index", "last_us", "ended_index", "ended_us", "free_hands", "cards_burned",
        "bets", "requests", "irregularities",
    ),
]  # fmt: skip


def _patrons(
    table: TableOption = None,
    with_names: Annotated[
        bool,
        typer.Option("--names", help="Show the names that `sabot names` keeps outside the log."),
    ] = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the patrons: bets, handle, result and debts.

    "owed" is commission still owed. The result is the patron's win less all commission, paid or
    still owed. A patron who bets in two currencies has two rows.
    """
    with up_to_date(database) as log, queries.reading_views(log) as connection:
        if table is not None:
            queries.check_table(connection, table)
        records = patron_money.patrons(connection, table)
        known = _names(log) if with_names else {}
    if with_names:
        records = [{**record, "name": known.get(str(record["patron"]), "")} for record in records]
    columns = [
        Column("patron", style="bold"),
        *([Column("name")] if with_names else []),
        Column("shoes", right=True),
        Column("bets", right=True, show=_number),
        amount_column("handle"),
        amount_column("result"),
        amount_column("owed"),
        amount_column("bought", rank=1),
        *_CURRENCY,
        Column("last_index", in_table=False),
    ]
    money = ("handle", "result", "owed", "bought")
    emit([with_amounts(record, *money) for record in records], columns, form, output)


def _names(log: "EventLog") -> dict[str, str]:
    noted(log, "patrons", "all names")
    return read_names(log.origin)


def _ledger(
    patron: Annotated[str, typer.Argument(metavar="PATRON", help="The patron.")],
    shoe: ShoeOption = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List a patron's bets, payments and balances.

    "chips" is the change in the patron's chips, and "chips balance" its running total. "result
    balance" is the running total of the patron's win less all commission, paid or still owed. A
    stake is subtracted when it is lost, not when it is placed.
    """
    with up_to_date(database) as log, queries.reading_views(log) as connection:
        if shoe is not None:
            queries.check_shoe(connection, shoe)
        records = list(patron_money.ledger(connection, patron, shoe=shoe))
        if not records and not patron_money.has_bet(connection, patron):
            known = patron_money.patron_names(connection)
            raise not_in_log("patron", patron, known)
    sides = ("chips", "result", "owed")
    money = (*sides, *(f"{side}_balance" for side in sides))
    shown = [with_amounts(record, *money) for record in records]
    emit(shown, _LEDGER, form, output)


_LEDGER: Final = [
    Column("log_index", name="event", right=True, show=lambda value: f"#{value}"),
    Column("at_us", show=show_time, rank=2),
    Column("table_name", rank=4, name="table"),
    Column("shoe"),
    Column("coup", right=True, show=_number),
    Column("wager", show=wager_shown, rank=1),
    Column("kind", items=True, show=lambda kind: str(kind).replace("-", "\n")),
    amount_column("chips"),
    amount_column("chips_balance", rank=1),
    amount_column("result", in_table=False),
    amount_column("result_balance"),
    amount_column("owed", in_table=False),
    amount_column("owed_balance", rank=3),
    *_CURRENCY,
    *_machine("patron", "bet", "stream"),
]


def _commission(
    shoe: ShoeOption = None,
    owing: Annotated[
        bool, typer.Option("--owing", help="Only where commission is still owed.")
    ] = False,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the commission of each patron in each shoe.

    Commission is kept from the payment at once, or marked and collected later; the rest is owed.
    """
    with up_to_date(database) as log, queries.reading_views(log) as connection:
        if shoe is not None:
            queries.check_shoe(connection, shoe)
        records = patron_money.commission(connection, shoe=shoe, owing=owing)
    columns = [
        Column("name", style="bold", name="shoe"),
        Column("table_name", name="table", rank=1),
        Column("state", rank=2),
        Column("patron", style="bold", rank=-1),
        amount_column("at_once", rank=-1),
        amount_column("marked", rank=-1),
        amount_column("collected", rank=-1),
        amount_column("owed"),
        *_CURRENCY,
        Column("last_index", in_table=False),
    ]
    money = ("at_once", "marked", "collected", "owed")
    emit([with_amounts(record, *money) for record in records], columns, form, output)
