"""What an audit looked at and what it did not, in words."""

from cli.plain import counted
from domain.audit.report import AuditReport
from domain.audit.timing import DOUBTFUL


def in_words(report: AuditReport) -> str:
    """Say what was found, what was clean, and what was not looked at and why."""
    if not (report.shoes or report.batches or report.tables):
        return "no shoe in the log: nothing was looked at"
    found = len(report.findings)
    head = (
        f"{counted(report.shoes, 'shoe')}, {counted(report.coups, 'coup')}: "
        f"{counted(found, 'finding') if found else 'no findings'}"
    )
    looked = sum(1 for each in report.rules.values() if each.looked)
    lines = [f"{head}, {looked} of {len(report.rules)} rules looked"]
    batches = f"{report.batches} batch{'es' if report.batches != 1 else ''} of cards"
    beyond = [batches] * bool(report.batches) + [counted(report.tables, "table")] * bool(
        report.tables
    )
    lines += [f"  together with {' and '.join(beyond)}"] if beyond else []
    packs = [f"{pack.name} {pack.version} ({pack.sha256[:12]})" for pack in sorted(report.packs)]
    lines += [f"  judged by {', '.join(packs)}"] if packs else []
    lines += [
        f"  only recalled in {pack.name}, no law: {'; '.join(pack.recalled)}"
        for pack in sorted(report.packs)
        if pack.recalled
    ]
    reasons: dict[str, list[str]] = {}
    for each in report.rules.values():
        if not each.looked and each.skipped:
            reason = min(each.skipped, key=lambda one: (-each.skipped[one], one))
            if DOUBTFUL not in reason:
                reasons.setdefault(reason, []).append(each.code)
    lines += [f"  not looked at, {reason}: {', '.join(codes)}" for reason, codes in reasons.items()]
    return "\n".join([*lines, *doubts(report)])


def doubts(report: AuditReport) -> list[str]:
    """Say which rules left something unjudged since an order is doubtful: how much, and why.

    A rule that passes on all else says it too. Its reasons are told together where they differ
    in the time alone; then one of them stands for all.
    """
    lines = []
    for each in report.rules.values():
        alike: dict[str, list[tuple[str, int]]] = {}
        for reason, times in sorted(each.skipped.items()):
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
