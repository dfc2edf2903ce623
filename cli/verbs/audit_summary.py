"""What an audit looked at and what it did not, in words.

How findings stand in a table: their columns, and what is said in each.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from sabot.cli.console import Column
from sabot.cli.text.words import counted, money
from sabot.domain.audit import Finding
from sabot.domain.audit.report import AuditReport
from sabot.domain.audit.table_order import DOUBTFUL


def in_words(report: AuditReport) -> str:
    """Say what was found, what was clean, and what was not looked at and why."""
    if not (report.shoes or report.batches or report.tables):
        return "no shoe in the log: nothing was looked at"
    found = len(report.findings)
    head = (
        f"{counted(report.shoes, 'shoe')}, {counted(report.coups, 'coup')}: "
        f"{counted(found, 'finding') if found else 'no findings'}"
    )
    looked = sum(1 for each in report.rules.values() if each.checked)
    lines = [f"{head}, {looked} of {len(report.rules)} rules looked"]
    batches = f"{report.batches} batch{'es' if report.batches != 1 else ''} of cards"
    beyond = [batches] * bool(report.batches) + [counted(report.tables, "table")] * bool(
        report.tables
    )
    lines += [f"  together with {' and '.join(beyond)}"] if beyond else []
    packs = [f"{pack.name} {pack.version} ({pack.sha256[:12]})" for pack in sorted(report.packs)]
    lines += [f"  judged by {', '.join(packs)}"] if packs else []
    lines += [
        f"  assumed in {pack.name}, no source cited: {_assumptions(pack.recalled)}"
        for pack in sorted(report.packs)
        if pack.recalled
    ]
    reasons: dict[str, list[str]] = {}
    for each in report.rules.values():
        if not each.checked and each.not_applicable:
            reason = min(each.not_applicable, key=lambda one: (-each.not_applicable[one], one.text))
            if reason.kind != "order-unknown":
                reasons.setdefault(reason.text, []).append(each.code)
    lines += [f"  not looked at, {reason}: {', '.join(codes)}" for reason, codes in reasons.items()]
    return "\n".join([*lines, *doubts(report)])


def _assumptions(recalled: Iterable[str]) -> str:
    """Write what a pack assumes on one line, without saying each time that the house does."""
    return "; ".join(said.removeprefix("house convention: ") for said in recalled)


def doubts(report: AuditReport) -> list[str]:
    """Say which rules left something unjudged since an order is doubtful: how much, and why.

    A rule that passes on all else says it too. Its reasons are told together where they differ
    in the time alone; then one of them stands for all.
    """
    lines = []
    for each in report.rules.values():
        alike: dict[str, list[tuple[str, int]]] = {}
        for reason, times in each.reasons.items():
            head, in_doubt, why = reason.partition(DOUBTFUL)
            if in_doubt:
                alike.setdefault(head + in_doubt, []).append((why, times))
        for head, whys in alike.items():
            times = sum(times for _, times in whys)
            such_as = "such as " if len(whys) > 1 else ""
            lines.append(
                f"  not judged {counted(times, 'time')} by {each.code}, {head}{such_as}{whys[0][0]}"
            )
    return lines


SEVERITY_STYLE: Final = {"high": "bold red", "medium": "yellow", "low": "cyan"}


def ranges(numbers: Sequence[int]) -> str:
    """Write event indexes shortly: ``12-15 19``."""
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
    """Write the number of a coup; a breach of no coup has none."""
    return "" if coup is None else str(coup)


def where_said(stream: object) -> str:
    """Write what a finding is of: a shoe by its name, all else by its stream."""
    return str(stream).removeprefix("shoe/")


def house_said(effect: object) -> str:
    """Write what the house has too much by a breach; nothing where nobody can say."""
    if not isinstance(effect, dict) or effect["house"] is None:
        return ""
    return money(effect["house"], effect["minor_units"])


FINDING_COLUMNS: Final = (
    Column("severity", "", style=by_severity),
    Column("shoe", in_table=False),
    Column("stream", "where", show=where_said, style="bold"),
    Column("coup", right=True, show=coup_said),
    Column("family", in_table=False),
    Column("code", "rule"),
    Column("message", "what happened"),
    Column("required"),
    Column("shown", in_table=False),
    Column("cites", in_table=False),
    Column(
        "events", show=lambda events: ranges(events) if isinstance(events, (list, tuple)) else ""
    ),
    Column("fingerprint", "finding", show=lambda mark: str(mark)[:12]),
    Column("at", in_table=False),
    Column("at_us", in_table=False),
    Column("clock", in_table=False),
    Column("dealer"),
    Column("supervisor", in_table=False),
    Column("patron"),
    Column("money", "house", right=True, show=house_said),
    *[
        Column(key, in_table=False)
        for key in ("number", "group", "former_code", "former_fingerprint")
    ],
)


def rows_of(findings: Iterable[Finding]) -> Iterator[dict[str, object]]:
    """Return findings as rows of those columns."""
    return (msgspec.to_builtins(finding) for finding in findings)
