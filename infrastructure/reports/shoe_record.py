"""The shoe record: each shoe of a period, from loading to the count of its cards."""

from collections import Counter
from typing import Final

from sabot.domain.state.shoe import Shoe
from sabot.domain.values.cards import format_card
from sabot.domain.views.coup_view import called_outcome, dealt_outcome
from sabot.infrastructure.reports.model import Column, Moment, Report, Row, Table, Unknown, Value
from sabot.infrastructure.reports.records import Played, Records, coups_of, times_of

KIND: Final = "shoe-record"
TITLE: Final = "Shoe record"

_COLUMNS: Final = (
    Column("from", "from", "time"),
    Column("shoe", "shoe"),
    Column("table", "table"),
    Column("decks", "decks", "count"),
    Column("batch", "batch"),
    Column("seal", "seals of the batch", weight=2),
    Column("rule_pack", "rule pack"),
    Column("cutter", "cut by"),
    Column("cut_depth", "cut at", "count"),
    Column("stop", "behind cut card", "count"),
    Column("burns", "burned", weight=2),
    Column("coups", "coups", "count"),
    Column("player", "P", "count"),
    Column("banker", "B", "count"),
    Column("tie", "T", "count"),
    Column("void", "void", "count"),
    Column("cards_out", "cards out", "count"),
    Column("cards_left", "left", "count"),
    Column("irregularities", "irregularities", "count"),
    Column("findings", "findings", "count"),
)


def shoe_record(records: Records) -> Report:
    """Return the record of each shoe that was loaded or dealt from in a period."""
    seals = {
        batch.name: ", ".join(seal.number for seal in (*batch.makers, *batch.seals))
        for batch in records.batches
    }
    found = Counter(finding.shoe for finding in records.own_findings())
    rows = []
    for shoe in records.shoes:
        played = list(coups_of(shoe, records.scope))
        if played or _loaded_in(shoe, records):
            rows.append(_row(shoe, played, seals, found[shoe.name]))
    table = Table(
        "shoes",
        "Shoes",
        _COLUMNS,
        tuple(rows),
        empty="No shoe was loaded or dealt from in this period.",
        notes=(
            (
                "Coups and results are those of the period; cut, burns and cards are those of the "
                "whole shoe. Findings are those of the period, without notes."
            ),
        ),
    )
    return Report(KIND, TITLE, (table,))


def _loaded_in(shoe: Shoe, records: Records) -> bool:
    if shoe.loaded is None or records.scope.dealers:
        return False
    return records.scope.covers(times_of(shoe.history)[shoe.loaded.index])


def _row(shoe: Shoe, played: list[Played], seals: dict[str, str], findings: int) -> Row:
    first = shoe.history[0]
    loaded = shoe.loaded.payload if shoe.loaded is not None else None
    came = Counter(
        "void" if each.coup.voided else called_outcome(each.coup) or dealt_outcome(each.coup)
        for each in played
    )
    cut = shoe.cuts[-1].payload if shoe.cuts else None
    ended = shoe.ended.payload if shoe.ended is not None else None
    batch = loaded.batch if loaded is not None else None
    left: Value = Unknown("the shoe has not ended")
    if ended is not None:
        left = Unknown("the end of the shoe gives no count") if ended.left is None else ended.left
    return (
        Moment(times_of(shoe.history)[first.index]),
        shoe.name,
        shoe.table,
        shoe.decks,
        batch,
        seals.get(batch or "") or None,
        _pack(shoe),
        cut.by if cut is not None else _cut_lacks(shoe),
        cut.depth if cut is not None else None,
        shoe.stop_cards[-1].payload.behind if shoe.stop_cards else None,
        _burns(shoe),
        len(played),
        came["P"],
        came["B"],
        came["T"],
        came["void"],
        len(shoe.left),
        left,
        len(shoe.irregularities),
        findings,
    )


def _pack(shoe: Shoe) -> Value:
    if shoe.pack is None:
        return Unknown("the rule pack of the shoe cannot be read")
    return f"{shoe.pack.name} version {shoe.pack.version}"


def _cut_lacks(shoe: Shoe) -> Value:
    return Unknown("no cut is on record") if shoe.coverage == "whole" else None


def _burns(shoe: Shoe) -> str | None:
    """Return the number of burned cards, with the faces that were seen."""
    if not shoe.burned:
        return None
    faces = [format_card(event.payload.card) for event in shoe.burned if event.payload.card]
    shown = f" ({' '.join(faces)} face up)" if faces else ""
    return f"{len(shoe.burned)}{shown}"
