"""``sabot cards``: batches of decks, and the chain of custody of a batch."""

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sabot.cli.console import Column, DatabaseOption, FormatOption, OutputOption, emit
from sabot.cli.settings import show_moment, show_time
from sabot.cli.text.event_text import describe
from sabot.cli.verbs.freshness import up_to_date
from sabot.domain.events import name_of
from sabot.domain.events.points_in_time import format_time, with_table_times
from sabot.domain.state.batch_state import fold
from sabot.domain.values.errors import NotFound
from sabot.infrastructure.audits.audit_run import CARDS_PREFIX
from sabot.infrastructure.projections import queries

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from sabot.domain.state.batch_state import Batch
    from sabot.infrastructure.log.event_log import EventLog

    Shoe = Mapping[str, Any]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("cards")(_cards)


def _cards(
    batch: Annotated[
        str | None, typer.Argument(metavar="BATCH", help="Batch whose chain of custody to show.")
    ] = None,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List batches of cards, or one chain of custody.

    The chain of custody has the events of the batch and of the shoes dealt from it, by the
    clocks of the devices that reported them.
    """
    with up_to_date(database) as log:
        with queries.reading_views(log) as connection:
            shoes = [shoe for shoe in queries.shoes(connection) if shoe["batch"] is not None]
        if batch is None:
            used = Counter(shoe["batch"] for shoe in shoes)
            emit([_row(each, used[each.name]) for each in _batches(log)], _LIST, form, output)
            return
        rows = sorted(
            [*_chain(log, batch), *_dealt([shoe for shoe in shoes if shoe["batch"] == batch])],
            key=lambda row: (row["at_us"], row["index"]),
        )
    emit(rows, _CHAIN, form, output)


_LIST = (
    Column("batch", style="bold"),
    Column("where"),
    Column("decks", right=True),
    Column("backs", show=lambda backs: ", ".join(backs) if isinstance(backs, list) else ""),
    Column("seal"),
    Column("shoes", right=True),
    Column("defects", right=True, rank=1),
    Column("last", name="last_at", show=show_moment, rank=2),
    Column("received", in_table=False),
    Column("tables", in_table=False),
    Column("corrections", in_table=False),
    Column("version", in_table=False),
)
_CHAIN = (
    Column("index", right=True, show=lambda index: f"#{index}", style="bold"),
    Column("at_us", show=show_time),
    Column("at", in_table=False),
    Column("stream", in_table=False),
    Column("name", in_table=False),
    Column("what", wraps=True),
    Column("actor", rank=1),
)


def _batches(log: "EventLog") -> "Iterator[Batch]":
    for info in log.streams(CARDS_PREFIX):
        yield fold(info.stream, log.read(info.stream))


def _row(batch: "Batch", shoes: int) -> dict[str, object]:
    last = batch.history[-1]
    clock = last.recorded_us if last.at_us is None else last.at_us
    return {
        "batch": batch.name,
        "where": batch.where,
        "decks": batch.decks,
        "backs": list(batch.backs),
        "seal": batch.seal.number if batch.seal is not None else None,
        "shoes": shoes,
        "defects": len(batch.defects),
        "last": format_time(clock),
        "received": sum(event.payload.decks for event in batch.received),
        "tables": list(dict.fromkeys(stay.table for stay in batch.stays)),
        "corrections": len(batch.corrections),
        "version": batch.version,
    }


def _chain(log: "EventLog", batch: str) -> Iterator[dict[str, Any]]:
    events = log.read(f"{CARDS_PREFIX}{batch}")
    if not events:
        raise NotFound(f"no batch {batch!r} in the log; list them with: sabot cards")
    for event, at_us in with_table_times(events):
        yield {
            "index": event.index, "at": format_time(at_us), "stream": event.stream,
            "name": name_of(event.payload), "what": describe(event.payload), "actor": event.actor,
            "at_us": at_us,
        }  # fmt: skip


def _dealt(shoes: "Sequence[Shoe]") -> Iterator[dict[str, Any]]:
    """Yield the times when each shoe of the batch was loaded and ended."""
    for shoe in shoes:
        where = f" at table {shoe['table_name']}" if shoe["table_name"] else ""
        said = (
            ("shoe-loaded", f"loaded into shoe {shoe['name']}{where}", "first"),
            ("shoe-ended", f"shoe {shoe['name']} ended", "ended"),
        )
        for name, what, moment in said:
            if shoe[f"{moment}_index"] is not None:
                at_us = shoe[f"{moment}_us"]
                yield {
                    "index": shoe[f"{moment}_index"], "at": format_time(at_us),
                    "stream": shoe["stream"],
                    "name": name, "what": what, "actor": "", "at_us": at_us,
                }  # fmt: skip
