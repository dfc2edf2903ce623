"""What an audit could not judge: wagers, rule packs, and orders of events that are unknown."""

from typing import TYPE_CHECKING

from sabot.domain.audit.report import AuditReport

if TYPE_CHECKING:
    from sabot.domain.timeline.evidence import Reason


def gaps(report: AuditReport) -> list[str]:
    """Return one line for each part of the record that was not judged, with the reason."""
    wagers = [
        f"{_counted(bets, 'bet')} not judged: {unknown}"
        for unknown, bets in sorted(report.unknown_wagers.items(), key=str)
    ]
    unread = report.without_pack
    packs = [f"{_counted(unread, 'shoe')} not judged, because the rule pack cannot be read"]
    return [*wagers, *(packs if unread else []), *order_unknown(report)]


def order_unknown(report: AuditReport) -> list[str]:
    """Return the rules that were not applied because the order of two events is unknown.

    Reasons that differ only in the times are combined into one line, which shows one example.
    """
    lines = []
    for each in report.rules.values():
        alike: dict[str, list[Reason]] = {}
        for reason in sorted(each.not_applicable):
            if reason.kind == "order-unknown" and reason.why:
                alike.setdefault(reason.what, []).append(reason)
        for order, reasons in alike.items():
            times = sum(each.not_applicable[reason] for reason in reasons)
            such_as = "for example " if len(reasons) > 1 else ""
            why = f"{such_as}{reasons[0].why}"
            lines.append(f"{each.code} not judged {_counted(times, 'time')}: {order}: {why}")
    return lines


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"
