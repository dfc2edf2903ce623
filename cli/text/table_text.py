"""Every fact of a table, its tray and its rules in a sentence, and of what is said of findings."""

from collections.abc import Callable
from typing import Any, Final

from sabot.cli.text.words import Money, by, in_coup
from sabot.domain import events as f
from sabot.domain.events import review as a


def _table_opened(fact: f.TableOpened, m: Money) -> str:
    return f"table opened with {m(fact.inventory)}" + (f" {fact.currency}" if fact.currency else "")


def _adopted(fact: f.RulePackAdopted, _m: Money) -> str:
    approved = f", approved by {fact.approved_by}" if fact.approved_by else ""
    number = f" ({fact.approval})" if fact.approval else ""
    outside = f", by {fact.authority}{number}" if fact.authority or number else ""
    noticed = f", told of it on {fact.noticed}" if fact.noticed else ""
    return f"rule pack {fact.pack} {fact.version} adopted{approved}{outside}{noticed}"


def _filled(fact: f.TableFilled, m: Money) -> str:
    return f"fill of {m(fact.amount)}{_slip(fact.slip)}"


def _credit(fact: f.CreditSent, m: Money) -> str:
    return f"credit of {m(fact.amount)}{_slip(fact.slip)}"


def _drop(fact: f.DropCounted, m: Money) -> str:
    return f"drop of {m(fact.amount)} counted{by(fact.by)}"


def _kept(fact: f.AbandonedKept, m: Money) -> str:
    where = f"bet {fact.bet} of shoe {fact.shoe}, coup {fact.coup}"
    return f"{m(fact.amount)} of {where} kept for its owner, slip {fact.slip}{by(fact.by)}"


def _slip(slip: str | None) -> str:
    return f", slip {slip}" if slip else ""


def _of_finding(fact: a.FindingFact, what: str) -> str:
    where = f"shoe {fact.shoe}{in_coup(fact.coup)}"
    note = f": {fact.note}" if fact.note else ""
    return f"{fact.by} {what} finding {fact.finding[:12]}, {fact.code}, {where}{note}"


def _audit_run(fact: a.AuditRun, _m: Money) -> str:
    found = sum(each.findings for each in fact.counts) or "no"
    return (
        f"{fact.by} audited {fact.shoes} shoes, {fact.coups} coups, up to event "
        f"{fact.last_index}: {found} findings"
    )


TELL_TABLE: Final[dict[type, Callable[[Any, Money], str]]] = {
    f.TableOpened: _table_opened,
    f.RulePackAdopted: _adopted,
    f.ChipsBought: lambda x, m: f"{x.patron} buys chips for {m(x.amount)}",
    f.TableFilled: _filled,
    f.CreditSent: _credit,
    f.DropCounted: _drop,
    f.AbandonedKept: _kept,
    f.AbandonedClaimed: lambda x, m: f"{x.to} gets {m(x.amount)} of slip {x.slip}{by(x.by)}",
    f.TableClosed: lambda x, m: f"table closed with {m(x.inventory)}",
    a.FindingAcknowledged: lambda x, _m: _of_finding(x, "acknowledged"),
    a.FindingCommented: lambda x, _m: _of_finding(x, "commented"),
    a.FindingDisputed: lambda x, _m: _of_finding(x, "disputed"),
    a.FindingResolved: lambda x, _m: _of_finding(x, f"resolved ({x.outcome})"),
    a.AuditRun: _audit_run,
}
"""Each fact of a table, and of the audit, in a sentence."""
