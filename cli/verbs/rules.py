"""``sabot rules``: the rules of the audit, and any of them whole."""

import sys
from textwrap import wrap
from typing import Annotated

import typer

from sabot.cli.console import (
    Column,
    Format,
    FormatOption,
    OutputOption,
    emit,
    open_output,
    printable,
)
from sabot.cli.verbs.audit_summary import by_severity
from sabot.domain.audit import RULES, Rule, rule
from sabot.domain.audit.examples import EXAMPLES
from sabot.domain.audit.examples.notation import legend


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("rules")(_rules)


def _rules(
    code: Annotated[
        str | None,
        typer.Argument(metavar="[CODE]", help="A rule, to read it whole: its code, its number."),
    ] = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the rules of the audit, or one of them whole: reason, source, a shoe that breaks it."""
    if code is not None and _is_read(form, output):
        with open_output(output) as stream:
            stream.write(_whole(rule(code)))
        return
    chosen = RULES if code is None else (rule(code),)
    rows = [
        {
            "number": each.number,
            "code": each.code,
            "group": each.group,
            "family": each.family,
            "severity": each.severity,
            "why": each.why,
            "cites": list(each.cites),
            "example": EXAMPLES.get(each.code, ""),
            "former_code": each.former_code,
        }
        for each in chosen
    ]
    columns = (
        Column("number", ""),
        Column("code", "rule", style="bold"),
        Column("group"),
        Column("family", in_table=False),
        Column("severity", style=by_severity),
        Column("why"),
        Column("cites", show=lambda cites: "; ".join(cites) if isinstance(cites, list) else ""),
        Column("example", in_table=False),
        Column("former_code", in_table=False),
    )
    emit(rows, columns, form, output)


def _is_read(form: Format | None, output: str) -> bool:
    """Whether a rule is to be read by a person: a table was asked for, or there is a terminal."""
    if form is not None:
        return form is Format.TABLE
    return output == "-" and sys.stdout is not None and sys.stdout.isatty()


def _whole(chosen: Rule) -> str:
    lines = [
        f"{chosen.number} {chosen.code}",
        f"  {chosen.why}",
        "",
        f"  severity   {chosen.severity}",
        f"  group      {chosen.group}",
        f"  family     {chosen.family}",
        *([f"  formerly   {chosen.former_code}"] if chosen.former_code is not None else []),
        f"  looks at   {chosen.looks_at}",
        *[f"  source     {cite}" for cite in chosen.cites],
    ]
    example = EXAMPLES.get(chosen.code)
    if example:
        what = "a shoe that breaks it (classic-8, well prepared, unless it says so):"
        if chosen.of_the_floor:
            what = "streams that break it (every shoe by classic-8, and well prepared):"
        lines += ["", f"  {what}"]
        lines += [f"    {step}" for step in example.splitlines()]
        lines += ["", "  how it is written, a step a line:"]
        for said in legend(example, of_the_floor=chosen.of_the_floor):
            lines += wrap(said, 96, initial_indent="    ", subsequent_indent="      ")
    return "".join(printable(line) + "\n" for line in lines)
