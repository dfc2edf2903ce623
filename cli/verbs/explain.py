"""``sabot explain``: the reasons for each step of a coup."""

from collections.abc import Iterator
from enum import StrEnum
from typing import Annotated, Final

import msgspec
import typer

from sabot.cli.columns import FIRST_AND_COUNT
from sabot.cli.console import (
    Column,
    DatabaseOption,
    Format,
    OneShoeArgument,
    OutputOption,
    emit,
    open_log,
    open_output,
)
from sabot.cli.output import format_of_extension, format_option
from sabot.cli.text.pages import Line, write_page
from sabot.cli.text.words import to_json
from sabot.cli.verbs.audit_summary import ranges
from sabot.cli.verbs.freshness import only_checked
from sabot.domain.audit import Finding, audit_part
from sabot.domain.audit.explain.coup_reasons import Explanation, explain
from sabot.domain.audit.explain.steps import Step
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.errors import BadInput
from sabot.infrastructure.audits.audit_run import load_shoe, shoe_streams


class _Format(StrEnum):
    """The formats in which a coup can be explained."""

    TEXT = "text"
    TABLE = "table"
    TSV = "tsv"
    JSON = "json"
    JSONL = "jsonl"
    CSV = "csv"


_MOST_DIGITS: Final = 9
_AFTER_MARK: Final = 4
"""The column at which the first line of a step continues."""
_COLUMNS: Final = (
    Column("differs", "", show=lambda differs: "✗" if differs else "", style="bold red"),
    Column("kind", in_table=False),
    Column("what", style="bold"),
    Column("due", wraps=True),
    Column("shown", "recorded", wraps=True),
    Column("why", wraps=True, rank=1),
    Column("findings", wraps=True, rank=2),
    Column(
        "events",
        show=lambda events: ranges(events) if isinstance(events, (list, tuple)) else "",
        parts=FIRST_AND_COUNT,
    ),
)


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("explain")(_explain)


def _explain(
    shoe: OneShoeArgument,
    coup: Annotated[str, typer.Argument(metavar="COUP", help="The number of the coup.")],
    database: DatabaseOption = None,
    form: Annotated[_Format | None, format_option(_Format, "text")] = None,
    output: OutputOption = "-",
) -> None:
    """Explain every card, call and payment of a coup.

    If the table deviated from the rules, the correct step is shown too. After a wrong draw, "the
    cards that were due" are the hands by the third-card table, with the next cards of the shoe. The
    findings of the coup follow.
    """
    if form is None and output != "-":
        form = format_of_extension(output, _Format)
    with open_log(database, read_only=True) as log:
        folded = load_shoe(log, *shoe_streams(log, [shoe]))
    only_checked(f"shoe {shoe}")
    number = _number(coup, folded)
    findings = [found for found in audit_part(folded, [number]) if found.coup == number]
    told = explain(folded, number, findings)
    match form:
        case None | _Format.TEXT:
            with open_output(output) as stream_out:
                write_page(_page(told, findings), stream_out)
        case _Format.JSON:
            document = {
                **msgspec.to_builtins(told),
                "findings": [msgspec.to_builtins(finding) for finding in findings],
            }
            with open_output(output) as stream_out:
                stream_out.write(to_json(document, indent=2) + "\n")
        case _:
            rows = [msgspec.to_builtins(step) for step in told.steps]
            emit(rows, _COLUMNS, Format(form.value), output)


def _number(text: str, shoe: Shoe) -> int:
    """Return the number of a coup, given as text.

    Raises:
        BadInput: it is not a number.
    """
    if not (text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS):
        dealt = f", {min(shoe.coups)} to {max(shoe.coups)}" if shoe.coups else ""
        raise BadInput(f"COUP is a number{dealt}; not {text[:40]!r}")
    return int(text)


def _page(told: Explanation, findings: list[Finding]) -> Iterator[Line]:
    yield f"shoe {told.shoe}, coup {told.coup}"
    yield f"rule pack: {told.pack}" if told.pack is not None else "the rule pack cannot be read"
    yield ""
    for step in told.steps:
        yield from _step(step)
    if findings:
        yield ""
        yield "findings"
        for each in findings:
            yield f"  {each.fingerprint[:12]}  {each.code}: {each.message}"


def _step(step: Step) -> Iterator[Line]:
    """Yield the lines of a step, with what was due if it differs."""
    mark = "✗" if step.differs else " "
    if step.shown is None:
        yield f"{mark} {step.what}: {step.due}, since {step.why}", _AFTER_MARK
    else:
        yield f"{mark} {step.what}: {step.shown}", _AFTER_MARK
        if step.differs:
            yield f"      due: {step.due}"
        yield f"      {step.why}"
    if step.findings:
        yield f"      finding: {', '.join(step.findings)}"
