"""An audit as one self-contained HTML page for reading, printing and filing.

It has no script, font, image or external address: the page's content security policy allows only
its own style sheet. Text from a record is always escaped.
"""

from collections import Counter
from collections.abc import Callable
from importlib.resources import files

import markupsafe
from msgspec import Struct

from sabot.domain.audit import RULES, Finding, Rule
from sabot.domain.audit.finding_reviews import FindingState
from sabot.domain.audit.findings import in_numbers, unexplained
from sabot.domain.audit.report import KINDS_OF_REASON, AuditReport
from sabot.domain.values.money import format_amount
from sabot.domain.values.safe_text import shell_word
from sabot.infrastructure.audits.audit_run import Provenance
from sabot.infrastructure.exports.html_page import Show, environment, hash_source


class _Group(Struct, frozen=True):
    """The findings of a rule with their states and amounts.

    ``unknown`` are the reasons for missing amounts.
    """

    rule: Rule
    findings: list[Finding]
    states: list[FindingState]
    amounts: list[str]
    unknown: list[str]


class _Row(Struct, frozen=True):
    """A rule that was applied, with the reasons for what it could not judge.

    The most frequent reason comes first.
    """

    rule: Rule
    result: str
    looked: int
    findings: int
    skipped: list[tuple[str, int]]


class _Skipped(Struct, frozen=True):
    """The rules that were not applied for one kind of reason, by the reason itself."""

    kind: str
    rules: int
    reasons: list[tuple[str, list[Rule]]]


def audit_page(  # noqa: PLR0913 - what the page shows, and how
    report: AuditReport,
    provenance: Provenance,
    show: Show,
    *,
    resolved: bool = False,
    show_moment: Callable[[str], str] = str,
    complete: Callable[[str], str] = str,
) -> str:
    """Return an audit as an HTML page.

    The same audit gives the same text.

    Args:
        report: the audit.
        provenance: its provenance.
        show: makes text of a record safe to display (control and bidirectional characters).
        resolved: whether to list resolved findings too.
        show_moment: writes a time that is given as ISO 8601 text.
        complete: adds to the command that writes the page again what the reader has to type.
    """
    listed = report.listed(resolved=resolved)
    unresolved = report.listed()
    folder = files("sabot.infrastructure") / "exports" / "templates"
    style = (folder / "audit.css").read_text(encoding="utf-8")
    rows = [_row(rule, report) for rule in RULES if report.rules[rule.code].checked]
    skipped = _skipped(report)
    return environment(show).from_string(
        (folder / "audit.html.j2").read_text(encoding="utf-8")
    ).render(
        report=report,
        provenance=provenance,
        packs=report.pack_rows(),
        unresolved=unresolved,
        in_numbers=in_numbers(unresolved),
        others=len(report.listed(resolved=True)) - len(unresolved),
        with_resolved=resolved,
        show_moment=show_moment,
        command=complete(_command(provenance, resolved=resolved)),
        severities=Counter(finding.severity for finding in unexplained(unresolved)),
        results=Counter(row.result for row in rows),
        skipped=skipped,
        skipped_rules=sum(part.rules for part in skipped),
        money=[_total(*paid) for paid in report.moved().items()],
        groups=_groups(report, listed),
        unknown_wagers=sorted(report.unknown_wagers.items(), key=str),
        rows=rows,
        style=markupsafe.Markup(style),  # noqa: S704 - our own file
        style_hash=hash_source(style),
    )  # fmt: skip


def _command(provenance: Provenance, *, resolved: bool) -> str:
    """Return the command that writes the page again, but for its log and time zone."""
    names = "".join(f" {shell_word(name)}" for name in provenance.named)
    every = " --all" if resolved else ""
    return f"sabot audit{names} --until {provenance.last_index} --format html{every}"


def _groups(report: AuditReport, findings: list[Finding]) -> list[_Group]:
    """Return the findings by rule, the most severe first.

    Equally severe rules keep the rulebook's order.
    """
    found: dict[str, list[Finding]] = {}
    for finding in findings:
        found.setdefault(finding.code, []).append(finding)
    order = {"high": 0, "medium": 1, "low": 2, "note": 3}
    rules = sorted((rule for rule in RULES if rule.code in found), key=lambda r: order[r.severity])
    return [
        _Group(
            rule,
            found[rule.code],
            [report.state_of(finding) for finding in found[rule.code]],
            [_amount(finding) for finding in found[rule.code]],
            sorted({f.money.unknown for f in found[rule.code] if f.money.unknown is not None}),
        )
        for rule in rules
    ]


def _amount(finding: Finding) -> str:
    money = finding.money
    if money.house is None:
        return ""
    return f"{format_amount(money.house, money.minor_units)} {money.currency or ''}".rstrip()


def _total(currency: tuple[str, int], house: int) -> str:
    name, minor_units = currency
    amount = f"{format_amount(abs(house), minor_units)} {name}".rstrip()
    if not house:
        return f"house even ({name})" if name else "house even"
    return f"house {'over' if house > 0 else 'short'} {amount}"


def _row(rule: Rule, report: AuditReport) -> _Row:
    came = report.rules[rule.code]
    skipped = sorted(came.reasons.items(), key=lambda pair: (-pair[1], pair[0]))
    return _Row(rule, came.result, came.checked, came.findings, skipped)


def _skipped(report: AuditReport) -> list[_Skipped]:
    """Return the rules that were not applied, by kind of reason and by reason."""
    rules = {rule.code: rule for rule in RULES}
    return [
        _Skipped(
            KINDS_OF_REASON[kind],
            sum(map(len, reasons.values())),
            [(reason, [rules[code] for code in codes]) for reason, codes in reasons.items()],
        )
        for kind, reasons in report.not_applied().items()
    ]
