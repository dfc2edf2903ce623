"""``sabot show``: a table as surveillance sees it, now or at any moment."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer
from rich.console import Console

from sabot.cli.console import (
    Column,
    DatabaseOption,
    Format,
    FormatOption,
    OutputOption,
    emit,
    open_output,
)
from sabot.cli.output import DATA_ENDINGS, Amount, format_for
from sabot.cli.output_files import check_ending
from sabot.cli.settings import show_point
from sabot.cli.table_view.felt_drawing import View, felt
from sabot.cli.table_view.tray_drawing import tray
from sabot.cli.text.pages import terminal_width
from sabot.cli.verbs.freshness import only_checked, recorded_moment, up_to_date
from sabot.domain.events import CoupOpened, EventCorrected
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.events.points_in_time import Index, PointInTime, events_until
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.state.table_state import Table
from sabot.domain.state.table_state import fold as fold_table
from sabot.domain.values.cards import format_card
from sabot.domain.values.errors import BadInput, NotFound
from sabot.domain.views.coup_view import FeltCoup, FeltHand
from sabot.domain.views.table_view import Felt, felt_of
from sabot.infrastructure.log.table_shoes import last_begun, shoes_at

if TYPE_CHECKING:
    from rich.console import RenderableType

    from sabot.infrastructure.log.event_log import EventLog


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("show")(_show)


def _show(  # noqa: PLR0913 - a choice an option
    *,
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="TABLE|SHOE",
            help="Table or shoe; default: the latest shoe. Write table/NAME if both exist.",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", metavar="WHEN", help="As of this event (149 or #149) or time."),
    ] = None,
    coup: Annotated[
        int | None,
        typer.Option("--coup", min=1, help="Show this coup at its end; default: the last coup."),
    ] = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Show a table as it is now, or as it was at any moment.

    Shows cards, bets by seat, calls, shoe, limits and crew. 21:15 alone means the most recent 21:15
    on the table's clock. In JSON, "felt" has the shoe, its cards and its bets; "table" has the tray
    and crew, if the table has its own stream.
    """
    with up_to_date(database, whole=False) as log:
        moment = recorded_moment(log, at, name)
        stream, table_name = _find(log, name, moment)
        shoe, moment = _shoe(log, stream, moment, coup)
        table = _table(log, table_name or (shoe.table if shoe is not None else None), moment)
    if (shoe is None or not shoe.version) and table is None:
        until = "" if moment is None else f" up to {show_point(moment)}"
        raise NotFound(f"{name!r} has no event{until}; list events with: sabot log")
    if shoe is not None and coup is not None and coup not in shoe.coups:
        raise NotFound(f"shoe {shoe.name} has no coup {coup} there; it has {len(shoe.coups)} coups")
    only_checked(*[f"shoe {shoe.name}"] if shoe else [], *[f"table {table.name}"] if table else [])
    _write(shoe, table, coup, form, output)


def _find(
    log: "EventLog", name: str | None, moment: PointInTime | None
) -> tuple[str | None, str | None]:
    """Return the stream of the selected shoe, and the table's name if given."""
    kind, bare = _kind_and_name(name or "")
    if kind != "table" and bare and log.version(f"shoe/{bare}"):
        if not kind and log.version(f"table/{bare}"):
            raise BadInput(f"{bare!r} is a shoe and a table; write shoe/{bare} or table/{bare}")
        return f"shoe/{bare}", None
    if not bare and moment is None and (latest := log.latest_stream("shoe/")) is not None:
        return latest, None
    if bare:
        return _shoe_at_table(log, kind, bare, moment), bare
    stream = last_begun(log.streams("shoe/"), moment)
    if stream is None:
        when = "" if moment is None else f" at {show_point(moment)}"
        raise NotFound(f"no shoe was loaded{when}; list events with: sabot log")
    return stream, None


def _shoe(
    log: "EventLog", stream: str | None, moment: PointInTime | None, coup: int | None
) -> tuple[Shoe | None, PointInTime | None]:
    """Return the selected shoe, and the moment of which it is.

    Without a moment it is the end of the coup, and later corrections of its events count.
    """
    if stream is None:
        return None, moment
    events = log.read(stream)
    if moment is not None or coup is None:
        return fold(stream, events_until(events, moment)), moment
    moment = end_of_coup(events, coup)
    known = events_until(events, moment)
    versions = {event.version for event in known}
    later = [
        event
        for event in events_of(EventCorrected, events[len(known) :])
        if event.payload.version in versions
    ]
    return fold(stream, [*known, *later]), moment


def end_of_coup(events: Sequence[RecordedEvent], coup: int) -> Index | None:
    """Return the last event before the next coup is opened. None if no coup follows."""
    opened = {event.payload.coup: event.index for event in events_of(CoupOpened, events)}
    later = [index for index in opened.values() if index > opened.get(coup, index)]
    return Index(min(later) - 1) if later else None


def _kind_and_name(text: str) -> tuple[str, str]:
    """Split ``shoe/NAME`` or ``table/NAME``. The kind is empty if it is not given."""
    kind, _, bare = text.partition("/")
    return (kind, bare) if kind in ("shoe", "table") and bare else ("", text)


def _shoe_at_table(
    log: "EventLog", kind: str, table: str, moment: PointInTime | None
) -> str | None:
    """Return the stream of a table's shoe at a moment. None if it had none."""
    shoes = [] if kind == "shoe" else shoes_at(log, table)
    if kind == "shoe" or not (shoes or log.version(f"table/{table}")):
        raise NotFound(f"no table or shoe {table!r}; list them with: sabot tables, sabot shoes")
    return last_begun(shoes, moment)


def _table(log: "EventLog", name: str | None, moment: PointInTime | None) -> Table | None:
    if name is None:
        return None
    events = events_until(log.read(f"table/{name}"), moment)
    return fold_table(f"table/{name}", events) if events else None


def _write(
    shoe: Shoe | None, table: Table | None, coup: int | None, form: Format | None, output: str
) -> None:
    if form is None and check_ending(output, (".txt", *DATA_ENDINGS)) in DATA_ENDINGS:
        form = format_for(output)
    if form in (None, Format.TABLE):
        _draw(shoe, table, coup, output)
        return
    felt = None if shoe is None else felt_of(shoe, coup)
    document = table_document(felt, table)
    columns = [Column("table"), Column("felt")]
    if form in (Format.TSV, Format.CSV):
        document = _summary(felt, table)
        columns = [Column(key) for key in document]
    emit([document], columns, form, output, document=document)


def table_document(felt: Felt | None, table: Table | None) -> dict[str, Any]:
    """Return the JSON output of `show`."""
    return {
        "table": None if table is None else _table_document(table),
        "felt": None if felt is None else msgspec.to_builtins(felt),
    }


def _table_document(table: Table) -> dict[str, Any]:
    return {
        "table": table.name,
        "open": table.is_open,
        "pack": None if table.pack is None else msgspec.to_builtins(table.pack),
        "crew": dict(sorted(table.crew.items())),
        "limits": msgspec.to_builtins(table.limits),
        "session": _session_document(table) if table.sessions else None,
    }


def _session_document(table: Table) -> dict[str, Any]:
    session = table.sessions[-1]
    names = (
        "number", "game", "currency", "opening", "closing", "fills", "credits", "bought", "drop",
        "win", "estimated_win",
    )  # fmt: skip
    return {name: getattr(session, name) for name in names} | {"missing": list(session.missing)}


def _cards(hand: FeltHand) -> str:
    return " ".join("?" if card.card is None else format_card(card.card) for card in hand.cards)


def _summary_of_coup(coup: FeltCoup | None, minor_units: int) -> dict[str, Any]:
    bets = () if coup is None else coup.bets
    return {
        "coup": None if coup is None else coup.number,
        "player": None if coup is None else _cards(coup.player),
        "banker": None if coup is None else _cards(coup.banker),
        "called": None if coup is None else coup.called,
        "bets": len(bets),
        "staked": Amount.of(sum(bet.amount for bet in bets), minor_units),
    }


def _summary(felt: Felt | None, table: Table | None) -> dict[str, Any]:
    """Return the layout as one row for a spreadsheet."""
    return {
        "table": felt.table if felt is not None else table.name if table is not None else None,
        "shoe": None if felt is None else felt.shoe,
        "event": None if felt is None else felt.index,
        "phase": None if felt is None else felt.phase,
        **_summary_of_coup(*((None, 2) if felt is None else (felt.coup, felt.minor_units))),
        "currency": None if felt is None else felt.currency,
        "cards_out": None if felt is None else felt.left,
    }


def _draw(shoe: Shoe | None, table: Table | None, coup: int | None, output: str) -> None:
    parts: list[RenderableType] = []
    if shoe is not None:
        parts.append(felt(shoe, View(coup=coup)))
    if table is not None:
        units = shoe.pack.money.minor_units if shoe is not None and shoe.pack is not None else 2
        parts.append(tray(table, units))
    with open_output(output) as stream:
        console = Console(
            file=stream,
            force_terminal=None if output == "-" else False,
            highlight=False,
            width=terminal_width(stream),
        )
        for part in parts:
            console.print(part)
