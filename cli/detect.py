"""``sabot detect``: who bet as if the cards still face down had been known."""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
import typer

from cli.console import (
    Column,
    DatabaseOption,
    ExitCode,
    FormatOption,
    OutputOption,
    emit,
    open_log,
    progress,
    say,
)
from cli.plain import counted
from domain.errors import BadInput
from domain.protection.detection import Plan
from domain.protection.findings import Finding, Report, report

KEYS: Final = (
    "test",
    "subject",
    "shoe",
    "coup",
    "log10_e",
    "first_alarm_coup",
    "edge_estimate",
    "interval",
    "explanation",
    "events",
)
COLUMNS: Final = (
    Column("test"),
    Column("subject"),
    Column("shoe"),
    Column("coup", right=True),
    Column("log10_e", right=True),
    Column("first_alarm_coup", "first alarm", right=True),
    Column("edge_estimate", "edge", right=True),
    Column("interval"),
    Column("explanation"),
    Column("events", in_table=False),
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("detect")(_detect)


def _detect(
    *,
    alpha: Annotated[
        float, typer.Option("--alpha", help="The level: the share of false findings allowed.")
    ] = 0.001,
    database: DatabaseOption = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """Ask of every patron whether he bet as if cards had been known; exit 1 where one did."""
    from infrastructure.detecting import detect_log  # noqa: PLC0415 - slow

    if not 0 < alpha < 1:
        raise BadInput(f"--alpha {alpha:g} is no level; give one between 0 and 1, as 0.001")
    with open_log(database, read_only=True) as log, progress("reading shoes") as advance:
        found = report(detect_log(log, Plan(alpha=alpha), advance))
    rows = list(_rows(found))
    document = {"alpha": found.alpha, "subjects": found.subjects, "findings": rows}
    emit(rows, COLUMNS, form, output, document=document)
    say(_in_words(found))
    if found.findings:
        raise typer.Exit(ExitCode.FINDINGS)


def _rows(found: Report) -> Iterator[dict[str, object]]:
    for finding in found.findings:
        yield _row(finding)


def _row(finding: Finding) -> dict[str, object]:
    record = msgspec.to_builtins(finding)
    return {key: record[key] for key in KEYS}


def _in_words(found: Report) -> str:
    many = len(found.findings)
    return (
        f"{counted(found.subjects, 'subject')} tested at level {found.alpha:g}: "
        f"{counted(many, 'finding') if many else 'no findings'}"
    )
