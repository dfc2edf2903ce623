"""The shapes in which a report can be written, and which of them is meant."""

import sys
from enum import StrEnum
from pathlib import Path

from domain.errors import BadInput


class ReportFormat(StrEnum):
    """The shapes in which what was found can be written."""

    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"
    SARIF = "sarif"
    HTML = "html"


def report_format(
    form: ReportFormat | None, output: str, *, without: tuple[ReportFormat, ...] = ()
) -> ReportFormat:
    """Return the format that was asked for: by itself, by the name of the output, or by a terminal.

    Args:
        form: what ``--format`` says, if it does.
        output: where it goes.
        without: formats in which this report cannot be written.

    Raises:
        BadInput: it is asked for in one of those.
    """
    meant = form or _meant(output)
    if meant in without:
        offered = ", ".join(each.value for each in ReportFormat if each not in without)
        raise BadInput(f"this is not written as {meant.value}; there are {offered}")
    return meant


def _meant(output: str) -> ReportFormat:
    if output == "-":
        on_terminal = sys.stdout is not None and sys.stdout.isatty()
        return ReportFormat.TABLE if on_terminal else ReportFormat.TSV
    suffix = Path(output).suffix.lower().removeprefix(".")
    suffix = {"htm": "html"}.get(suffix, suffix)
    return next((form for form in ReportFormat if form.value == suffix), ReportFormat.TSV)
