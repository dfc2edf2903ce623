"""``sabot rules``: the rules of the audit, or one of them in full."""

import sys
from textwrap import wrap
from typing import Annotated, Final

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
from sabot.domain.audit import RULES, Rule, find_rule
from sabot.domain.audit.example_notation import legend
from sabot.domain.audit.rule import ANY_RULE, Concern
from sabot.domain.audit.rule_text import (
    applies_if,
    checked_of,
    exceptions_of,
    note_of,
    nothing_to_check,
    order_of,
    ordered_events,
    reported_when,
    rests_on,
    shown_by,
    sources_of,
)
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.domain.rules.sources import HOUSE_CONVENTION

_HARMS: Final[dict[Concern, str]] = {
    "money": "money",
    "game": "the integrity of the game",
    "record": "the integrity of the record",
    "form": "form alone",
}
"""What a breach harms, in words."""

_SCOPE: Final = (
    "games",
    "checked",
    "applies_if",
    "order",
    "exceptions",
    "nothing_to_check",
    "reported_when",
)
"""The columns that state to what a rule applies."""

_COLUMNS: Final = (
    Column("number"),
    Column("code", style="bold"),
    Column("group", rank=1),
    Column("family", in_table=False),
    Column("severity", style=by_severity),
    Column("why", name="requirement", wraps=True),
    *[Column(key, in_table=False) for key in (*_SCOPE, "rests_on", "note", "reads")],
    Column(
        "cites",
        wraps=True,
        rank=3,
        show=lambda cites: "; ".join(cites) if isinstance(cites, list) else "",
    ),
    Column("sources", in_table=False, parts=("title", "article", "url")),
    *[Column(key, in_table=False) for key in ("example", "near_miss")],
    *[Column(key, in_table=False) for key in ("former_code", "follows_from")],
)


CodeArgument = Annotated[
    str | None,
    typer.Argument(metavar="CODE", help="Rule to show in full: its code or number."),
]


def register(app: typer.Typer) -> None:
    """Add the verb."""
    app.command("rules")(_rules)


def _rules(
    code: CodeArgument = None,
    form: FormatOption = None,
    output: OutputOption = "-",
) -> None:
    """List the rules of the audit, or show one in full.

    A rule in full has its reason, its sources and a shoe that breaks it.
    """
    if code is not None and _is_read(form, output):
        with open_output(output) as stream:
            stream.write(_whole(find_rule(code)))
        return
    chosen = RULES if code is None else (find_rule(code),)
    emit(map(_row, chosen), _COLUMNS, form, output)


def _row(each: Rule) -> dict[str, object]:
    return {
        "number": each.number,
        "code": each.code,
        "group": each.group,
        "family": each.family,
        "severity": each.severity,
        "why": each.requires,
        "games": list(each.games),
        "checked": checked_of(each),
        "applies_if": applies_if(each),
        "order": order_of(each),
        "exceptions": exceptions_of(each),
        "nothing_to_check": nothing_to_check(each),
        "reported_when": reported_when(each),
        "rests_on": rests_on(each),
        "note": note_of(each),
        "reads": shown_by(each) + ordered_events(each),
        "cites": list(each.cites),
        "sources": sources_of(each),
        "example": EXAMPLES.get(each.code, ""),
        "near_miss": each.keeps,
        "former_code": each.former_code,
        "follows_from": list(each.follows_from),
    }


def _is_read(form: Format | None, output: str) -> bool:
    """Return whether the output is for a person to read.

    A table was requested, or the output is a terminal.
    """
    if form is not None:
        return form is Format.TABLE
    return output == "-" and sys.stdout is not None and sys.stdout.isatty()


def _whole(chosen: Rule) -> str:
    """Return the full text of a rule: requirement, exceptions, conditions, sources and examples."""
    games = ", ".join(chosen.games) or "all"
    lines = [
        f"{chosen.number} {chosen.code}",
        *_wrapped(chosen.requires, "  "),
        "",
        f"  group     {chosen.group}",
        f"  severity  {chosen.severity}: a breach harms {_HARMS[chosen.concerns]}",
        *[f"            {note}" for note in filter(None, [note_of(chosen)])],
        f"  games     {games}",
        f"  checked   {checked_of(chosen)}",
    ]
    follows = ["any rule" if code == ANY_RULE else code for code in chosen.follows_from]
    for label, before, named, behind in (
        ("rests on", "", rests_on(chosen), ": not judged without"),
        ("shown by", "", shown_by(chosen), ""),
        ("reads", "", ordered_events(chosen), ", too"),
        ("example", "breaks ", chosen.also, " too, from which this breach follows"),
        ("follows", "", follows, ""),
        ("old code", "", filter(None, [chosen.former_code]), ""),
    ):
        listed = ", ".join(named)
        lines += _wrapped(f"{label:<10}{before}{listed}{behind}", "  ") if listed else []
    for heading, said in (
        ("not applicable unless", applies_if(chosen)),
        ("order", order_of(chosen)),
        ("exceptions", exceptions_of(chosen)),
        ("nothing to check where", filter(None, [nothing_to_check(chosen)])),
        ("a breach is reported only when", filter(None, [reported_when(chosen)])),
    ):
        stated = [line for each in said for line in _wrapped(each, "    ")]
        lines += ["", f"  {heading}", *stated] if stated else []
    lines += ["", "  sources", *_sources(chosen), *_examples(chosen)]
    return "".join(printable(line) + "\n" for line in lines)


def _sources(chosen: Rule) -> list[str]:
    if not chosen.sources:
        return [f"    {cite}" for cite in chosen.cites]
    lines = []
    for source in chosen.sources:
        lines += [*_wrapped(source.cite, "    "), *_wrapped(source.says, "      ")]
        if source is not HOUSE_CONVENTION:
            lines.append(f"      {source.url or 'source known but not read'}")
    return lines


def _examples(chosen: Rule) -> list[str]:
    example = EXAMPLES.get(chosen.code)
    if not example:
        return []
    what = (
        "a shoe that breaks the rule (rule pack classic-8 and a correct preparation, unless the "
        "example says otherwise)"
    )
    if chosen.of_the_floor:
        what = "streams that break the rule (every shoe: rule pack classic-8, correctly prepared)"
    lines = ["", *_wrapped(what, "  "), *[f"    {step}" for step in example.splitlines()]]
    if chosen.keeps:
        lines += ["", "  a similar example without a breach"]
        lines += [f"    {step}" for step in chosen.keeps.splitlines()]
    lines += ["", "  how the example is written, one step a line"]
    written = f"{example}\n{chosen.keeps}"
    for said in legend(written, of_the_floor=chosen.of_the_floor):
        lines += _wrapped(said, "    ")
    return lines


def _wrapped(text: str, indent: str) -> list[str]:
    return wrap(text, 96, initial_indent=indent, subsequent_indent=indent + "  ")
