"""``sabot rules``: the rules of the audit, or one of them in full."""

import sys
from collections.abc import Iterator
from typing import Annotated, Final

import typer

from sabot.cli.console import (
    Column,
    Format,
    FormatOption,
    OutputOption,
    emit,
    open_output,
)
from sabot.cli.text.pages import Line, write_page
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

_LABEL: Final = 14
"""The width of the labels of a rule in full."""

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
            write_page(_page(find_rule(code)), stream)
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


def _page(chosen: Rule) -> Iterator[Line]:
    """Yield the full text of a rule: requirement, exceptions, conditions, sources and examples."""
    yield f"{chosen.number} {chosen.code}"
    yield f"  {chosen.requires}"
    yield ""
    for label, said in _facts(chosen):
        yield f"  {label:<{_LABEL}}{said}", _LABEL + 2
    for heading, sentences in (
        ("applies if", applies_if(chosen)),
        ("order", order_of(chosen)),
        ("exceptions", exceptions_of(chosen)),
        ("nothing to check where", filter(None, [nothing_to_check(chosen)])),
        ("a breach is reported only when", filter(None, [reported_when(chosen)])),
    ):
        stated = [f"    {each}" for each in sentences]
        yield from ["", f"  {heading}", *stated] if stated else []
    yield from ("", "  sources")
    yield from _sources(chosen)
    yield from _examples(chosen)


def _facts(chosen: Rule) -> Iterator[tuple[str, str]]:
    """Yield what a rule is about, what it reads and how it stands to other rules, with labels."""
    yield "group", chosen.group
    yield "severity", f"{chosen.severity}: a breach harms {_HARMS[chosen.concerns]}"
    if note := note_of(chosen):
        yield "", note
    yield "games", ", ".join(chosen.games) or "all"
    yield "checked", checked_of(chosen)
    if needed := rests_on(chosen):
        without = "if the record lacks them, the rule is not applied or reports what is missing"
        yield "needs", f"{', '.join(needed)}; {without}"
    if events := shown_by(chosen):
        yield "evidence", f"{', '.join(events)}: the events that a finding lists"
    if others := ordered_events(chosen):
        yield "also reads", f"{', '.join(others)}: for the order of events"
    if chosen.also:
        first = ", ".join(chosen.also)
        yield "example", f"breaks {first}, too: this rule is about what is done after that breach"
    if chosen.follows_from:
        *most, last = [
            "any other rule" if code == ANY_RULE else code for code in chosen.follows_from
        ]
        causes = f"{', '.join(most)} or {last}" if most else last
        yield "explained by", f"a finding of {causes} that lists the same event"
    if chosen.former_code is not None:
        yield "former code", chosen.former_code


def _sources(chosen: Rule) -> Iterator[Line]:
    if not chosen.sources:
        yield from (f"    {cite}" for cite in chosen.cites)
    for source in chosen.sources:
        yield f"    {source.cite}"
        yield f"      {source.says}"
        if source is not HOUSE_CONVENTION:
            yield f"      {source.url or 'source known but not read'}"


def _examples(chosen: Rule) -> Iterator[Line]:
    example = EXAMPLES.get(chosen.code)
    if not example:
        return
    yield ""
    if chosen.of_the_floor:
        yield "  streams that break the rule (every shoe: rule pack classic-8, correctly prepared)"
    else:
        yield (
            "  a shoe that breaks the rule (rule pack classic-8 and a correct preparation, unless "
            "the example says otherwise)"
        )
    yield from (f"    {step}" for step in example.splitlines())
    if chosen.keeps:
        yield from ("", "  a similar example without a breach")
        yield from (f"    {step}" for step in chosen.keeps.splitlines())
    yield ""
    yield "  how the example is written: each step begins a line; its further lines are indented"
    written = f"{example}\n{chosen.keeps}"
    for said in legend(written, of_the_floor=chosen.of_the_floor):
        yield f"    {said}"
