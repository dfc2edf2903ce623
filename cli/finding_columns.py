"""How findings stand in a table: their columns, and what is said in each."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from cli.console import Column
from cli.money import money
from domain.audit import Finding

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
)


def rows_of(findings: Iterable[Finding]) -> Iterator[dict[str, object]]:
    """Return findings as rows of those columns."""
    return (msgspec.to_builtins(finding) for finding in findings)
