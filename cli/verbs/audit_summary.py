"""The summary of an audit as text, and the columns of a table of findings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import wrap
from typing import Final

import msgspec

from sabot.cli.columns import FIRST_AND_COUNT
from sabot.cli.console import Column
from sabot.cli.settings import show_moment, show_time
from sabot.cli.text.words import counted, money
from sabot.domain.audit import Finding, find_rule
from sabot.domain.audit.finding_reviews import OPEN, FindingState
from sabot.domain.audit.findings import in_numbers, unexplained
from sabot.domain.audit.gaps import gaps
from sabot.domain.audit.report import KINDS_OF_REASON, AuditReport

_WIDTH: Final = 80
_ONE_REASON: Final = (
    "Each rule is listed once, with the reason of the shoes in which it came nearest to being "
    "applied. Other shoes may have other reasons."
)


def left_out(report: AuditReport, *, listed: bool = False) -> list[str]:
    """Return one line that counts the findings that are resolved or no longer found.

    It is empty if there are none. ``listed`` is whether they are in the list.
    """
    open_ones = {finding.fingerprint for finding in report.listed()}
    others = [each for each in report.listed(resolved=True) if each.fingerprint not in open_ones]
    states = [report.state_of(finding) for finding in others]
    ways = Counter(_way(state) for state in states)
    if not ways:
        return []
    by_way = ", ".join(f"{count} {way}" for way, count in sorted(ways.items()))
    more = "" if listed else "; --all lists them"
    return [f"resolved or no longer found: {by_way}{more}"]


def _way(state: FindingState) -> str:
    """Return how a finding was left out of the list, in words."""
    if state.by_correction:
        return "removed by a correction"
    return state.outcome or "no longer found"


def summary(report: AuditReport, *, explain_skips: bool = False, resolved: bool = False) -> str:
    """Return the summary: omissions, net effect, number of findings and of rules.

    ``explain_skips`` adds the rules that were not applied, with their reasons, and the parameters
    of the rule packs that have no cited source. ``resolved`` is whether resolved findings are
    listed.
    """
    lines = [*_skipped(report), *_unsourced(report)] if explain_skips else []
    lines += [*_packs(report), *gaps(report), head(report), *left_out(report, listed=resolved)]
    lines += [*_net_effect(report), _rules(report)]
    return "\n".join(lines)


def head(report: AuditReport) -> str:
    """Return one line with the number of findings and of audited items."""
    listed = report.listed()
    own = unexplained(listed)
    severities = Counter[str](finding.severity for finding in own)
    by_weight = ", ".join(
        f"{severities[each]} {each}" for each in SEVERITY_STYLE if severities[each]
    )
    parts = [counted(report.shoes, "shoe"), counted(report.coups, "coup")]
    whole = not report.scope.is_limited
    if report.batches and whole:
        parts.append(f"{report.batches} batch{'es' if report.batches != 1 else ''} of cards")
    parts += [counted(report.tables, "table")] if report.tables and whole else []
    findings, *explained = in_numbers(listed).split(",", 1)
    weighed = f"{findings} ({by_weight})" if own else findings
    return f"{','.join([weighed, *explained])} in {', '.join(parts)}"


def _rules(report: AuditReport) -> str:
    """Return one line with the numbers of rules applied and not applied.

    The latter are counted by kind of reason.
    """
    kinds = {
        kind: sum(map(len, reasons.values())) for kind, reasons in report.not_applied().items()
    }
    line = f"rules: {report.applied()} applied"
    if not kinds:
        return line
    why = ", ".join(f"{number} {KINDS_OF_REASON[kind]}" for kind, number in kinds.items())
    return f"{line}, {sum(kinds.values())} not applicable ({why}); --explain-skips lists them"


def _net_effect(report: AuditReport) -> list[str]:
    """Return the net effect of all findings on the house, by currency."""
    parts = [
        f"house {'over' if house > 0 else 'short'} "
        f"{' '.join(filter(None, (money(abs(house), minor_units), currency)))}"
        for (currency, minor_units), house in report.moved().items()
        if house
    ]
    return [f"net effect: {', '.join(parts)}"] if parts else []


def _packs(report: AuditReport) -> list[str]:
    packs = [
        f"{pack.name} version {pack.version}"
        + ("" if pack.named else " (assumed: the record names none)")
        for pack in sorted(report.packs)
    ]
    return wrap(f"rule packs: {', '.join(packs)}", _WIDTH, break_on_hyphens=False) if packs else []


def _skipped(report: AuditReport) -> list[str]:
    lines = []
    if report.shoes > 1:
        lines += wrap(_ONE_REASON, _WIDTH)
    for kind, reasons in report.not_applied().items():
        lines.append(f"not applicable, {KINDS_OF_REASON[kind]}:")
        for reason, codes in reasons.items():
            lines += wrap(f"{reason}:", _WIDTH, initial_indent="  ", subsequent_indent="  ")
            # a no-break space keeps the number of a rule on the line of its code
            rules = ", ".join(f"{find_rule(code).number}\u00a0{code}" for code in codes)
            told = wrap(
                rules, _WIDTH, initial_indent="    ", subsequent_indent="    ",
                break_on_hyphens=False,
            )  # fmt: skip
            lines += [line.replace("\u00a0", " ") for line in told]
    return lines


def _unsourced(report: AuditReport) -> list[str]:
    lines = []
    for pack in sorted(report.packs):
        if pack.recalled:
            lines.append(f"parameters of rule pack {pack.name} without a cited source:")
            for each in pack.recalled:
                said = each.removeprefix("house convention: ")
                said = said.replace("text not opened: ", "source known but not read: ")
                lines += wrap(said, _WIDTH, initial_indent="  ", subsequent_indent="    ")
    return lines


MONEY_PARTS: Final = ("house", "patron", "currency", "basis", "unknown")
"""Parts of a finding's money with a column of their own in CSV and TSV."""

SEVERITY_STYLE: Final = {"high": "bold red", "medium": "yellow", "low": "cyan", "note": "dim"}


def ranges(numbers: Sequence[int]) -> str:
    """Return event indexes as short ranges, such as ``12-15 19``."""
    parts: list[str] = []
    start = end = None
    for number in sorted(numbers):
        if end is not None and number == end + 1:
            end = number
            continue
        if start is not None:
            parts.append(str(start) if start == end else f"{start}-{end}")
        start = end = number
    if start is not None:
        parts.append(str(start) if start == end else f"{start}-{end}")
    return " ".join(parts)


def by_severity(value: object) -> str:
    """Return the style of a severity."""
    return SEVERITY_STYLE.get(str(value), "")


def coup_said(coup: object) -> str:
    """Return the number of a coup as text. It is empty for a breach without a coup."""
    return "" if coup is None else str(coup)


def where_said(stream: object) -> str:
    """Return where a finding is, as text: the name of the shoe, or else the stream."""
    return str(stream).removeprefix("shoe/")


def house_said(effect: object) -> str:
    """Return the house's gain from a breach as text. It is empty if it is unknown."""
    if not isinstance(effect, dict) or effect["house"] is None:
        return ""
    said = money(effect["house"], effect["minor_units"])
    return f"{said} {effect['currency'] or ''}".rstrip()


STATE_COLUMNS: Final = tuple(
    Column(key, in_table=False)
    for key in (
        "state",
        "outcome",
        "state_by",
        "state_at",
        "state_why",
        "found",
        "found_again",
        "by_correction",
    )
)
"""The columns of a finding's state; a table shows it after what happened."""

FINDING_COLUMNS: Final = (
    Column("severity", style=by_severity),
    Column("number"),
    Column("shoe", in_table=False),
    Column("stream", "shoe", show=where_said, style="bold", rank=-1),
    Column("coup", right=True, show=coup_said, rank=-1),
    Column("family", in_table=False),
    Column("code", rank=2),
    Column("message", wraps=True, rank=-2, note="note"),
    Column("required", wraps=True, rank=5),
    Column("shown", in_table=False),
    Column("cites", in_table=False),
    Column(
        "events",
        show=lambda events: ranges(events) if isinstance(events, (list, tuple)) else "",
        wraps=True,
        rank=4,
        parts=FIRST_AND_COUNT,
    ),
    Column("fingerprint", show=lambda mark: str(mark)[:12], rank=1),
    Column("explained_by", show=lambda mark: str(mark or "")[:12], rank=4),
    Column("at", in_table=False),
    Column("at_us", show=show_time, rank=4),
    Column("clock", in_table=False),
    Column("dealer", rank=3),
    Column("supervisor", in_table=False),
    Column("patron", rank=3),
    Column("money", "over/short", right=True, parts=MONEY_PARTS, show=house_said),
    *[Column(key, in_table=False) for key in ("group", "former_code", "former_fingerprint")],
    *STATE_COLUMNS,
)


def rows_of(report: AuditReport, findings: Iterable[Finding]) -> Iterator[dict[str, object]]:
    """Return findings of a report as rows with the columns of this module.

    A table states the date of each finding if they are not all of one date.
    """
    listed = list(findings)
    dated = len({show_time(each.at_us)[:_DATE] for each in listed if each.at_us is not None}) > 1
    named = {each.fingerprint: _named(each) for each in (*report.findings, *report.outside)}
    return (_row_of(finding, report.state_of(finding), named, dated) for finding in listed)


def _row_of(
    finding: Finding, state: FindingState, named: Mapping[str, str], dated: bool
) -> dict[str, object]:
    """Return a finding with its state as a row.

    ``named`` gives the rule and coup of each finding of the report, by fingerprint. ``dated`` is
    whether a table states the date of the finding.
    """
    explained = finding.explained_by
    note = "; ".join([
        *([_when(finding, dated)] if finding.events else []),
        *([] if state == OPEN else [state.told(show_moment)]),
        *([] if explained is None else [f"explained by {named.get(explained, explained[:12])}"]),
    ])  # fmt: skip
    return {**msgspec.to_builtins(finding), **state.row(), "note": note}


def _when(finding: Finding, dated: bool) -> str:
    """Return the time of day of a finding, with the date if wanted, and its first three events."""
    events = [f"#{event}" for event in finding.events[:_FIRST_EVENTS]]
    more = ["…"] if len(finding.events) > _FIRST_EVENTS else []
    at = show_time(finding.at_us)
    date = [at[:_DATE]] if dated else []
    return " ".join(filter(None, [*date, at[_DATE + 1 :], *events, *more]))


_FIRST_EVENTS: Final = 3
_DATE: Final = 10
"""The length of the date in a time."""


def _named(finding: Finding) -> str:
    """Return the rule and the place of a finding in a few words."""
    place = where_said(finding.stream) if finding.coup is None else f"coup {finding.coup}"
    return f"{finding.number}, {place}"
