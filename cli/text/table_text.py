"""Sentences for the events of a table and for comments on findings."""

from collections.abc import Callable
from typing import Any, Final

from sabot.cli.text.words import Money, by, in_coup
from sabot.domain import events as ev
from sabot.domain.events import review as a
from sabot.domain.events.upcasting import current_code


def _table_opened(payload: ev.TableOpened, m: Money) -> str:
    amount = m(payload.inventory)
    currency = payload.currency
    named = currency is None or amount.endswith(f" {currency}")
    return f"table opened with {amount}" + ("" if named else f" {currency}")


def _adopted(payload: ev.RulePackAdopted, _m: Money) -> str:
    approved = f", approved by {payload.approved_by}" if payload.approved_by else ""
    number = f" ({payload.approval})" if payload.approval else ""
    outside = f", by {payload.authority}{number}" if payload.authority or number else ""
    noticed = f", told of it on {payload.noticed}" if payload.noticed else ""
    return f"rule pack {payload.pack} version {payload.version} adopted{approved}{outside}{noticed}"


def _filled(payload: ev.TableFilled, m: Money) -> str:
    return f"fill of {m(payload.amount)}{_slip(payload.slip)}"


def _credit(payload: ev.CreditSent, m: Money) -> str:
    return f"credit of {m(payload.amount)}{_slip(payload.slip)}"


def _drop(payload: ev.DropCounted, m: Money) -> str:
    return f"drop of {m(payload.amount)} counted{by(payload.by)}"


def _kept(payload: ev.AbandonedKept, m: Money) -> str:
    where = f"bet {payload.bet} of shoe {payload.shoe}, coup {payload.coup}"
    return f"{m(payload.amount)} of {where} kept for its owner, slip {payload.slip}{by(payload.by)}"


def _slip(slip: str | None) -> str:
    return f", slip {slip}" if slip else ""


def _of_finding(payload: a.FindingEvent, what: str) -> str:
    where = f"shoe {payload.shoe}{in_coup(payload.coup)}"
    note = f": {payload.note}" if payload.note else ""
    code = current_code(payload.code)
    return f"{payload.by} {what} finding {payload.finding[:12]}, {code}, {where}{note}"


def _audit_run(payload: a.AuditRun, _m: Money) -> str:
    found = sum(each.findings for each in payload.counts) or "no"
    return (
        f"{payload.by} audited {payload.shoes} shoes, {payload.coups} coups, up to event "
        f"{payload.last_index}: {found} findings"
    )


TELL_TABLE: Final[dict[type, Callable[[Any, Money], str]]] = {
    ev.TableOpened: _table_opened,
    ev.RulePackAdopted: _adopted,
    ev.ChipsBought: lambda x, m: f"{x.patron} buys chips for {m(x.amount)}",
    ev.TableFilled: _filled,
    ev.CreditSent: _credit,
    ev.DropCounted: _drop,
    ev.AbandonedKept: _kept,
    ev.AbandonedClaimed: lambda x, m: f"{x.to} gets {m(x.amount)} of slip {x.slip}{by(x.by)}",
    ev.TableClosed: lambda x, m: f"table closed with {m(x.inventory)}",
    a.FindingAcknowledged: lambda x, _m: _of_finding(x, "acknowledged"),
    a.FindingCommented: lambda x, _m: _of_finding(x, "commented"),
    a.FindingDisputed: lambda x, _m: _of_finding(x, "disputed"),
    a.FindingResolved: lambda x, _m: _of_finding(x, f"resolved as {a.OUTCOMES[x.outcome]}"),
    a.AuditRun: _audit_run,
    a.EventIsolated: lambda x, _m: f"{x.by} isolated event {x.index}: {x.note}",
    a.CheckpointSetAside: lambda x, _m: (
        f"{x.by} set aside the checkpoint of {x.size} events: {x.note}"
    ),
}
"""The sentence for each event of a table and of the audit."""
