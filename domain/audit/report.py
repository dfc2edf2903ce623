"""Summarize many audits: findings, rules passed, and rules not applicable."""

from collections import Counter
from collections.abc import Iterable
from typing import Final

import msgspec
from msgspec import Struct

from sabot.domain.audit.audit_scope import AuditScope
from sabot.domain.audit.engine import FloorAudit, PackUsed, ShoeAudit
from sabot.domain.audit.explained_findings import with_explanations
from sabot.domain.audit.finding_reviews import OPEN, FindingReview, FindingState
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.floor_view import ShoeSummary
from sabot.domain.audit.rulebook import FLOOR_RULES, RULES
from sabot.domain.audit.verdicts import RuleResult, by_text
from sabot.domain.rules.unknown_wager import UnknownWager
from sabot.domain.timeline.evidence import Reason, ReasonKind

_CAUSES: Final = frozenset(code for rule in FLOOR_RULES for code in rule.follows_from)
"""Codes of the rules from whose breaches those of the floor's rules may follow."""

KINDS_OF_REASON: Final[dict[ReasonKind, str]] = {
    "other-game": "other game",
    "not-asked": "not asked for",
    "not-required": "not required by the rule pack",
    "nothing-to-check": "nothing to check",
    "not-due": "not due yet",
    "record-incomplete": "record incomplete",
    "order-unknown": "order of events unknown",
}
"""The name of each kind of reason for not applying a rule, in the order of reports.

A rule with a later reason was nearer to being applied.
"""


class RuleReport(Struct):
    """The result of one rule over many shoes.

    ``checked`` counts the coups or shoes that the rule could judge. ``not_applicable`` counts the
    others, by reason.
    """

    code: str
    findings: int = 0
    checked: int = 0
    not_applicable: Counter[Reason] = msgspec.field(default_factory=Counter)

    @property
    def reasons(self) -> dict[str, int]:
        """How often the rule was not applicable, by reason text."""
        return by_text(self.not_applicable)

    @property
    def main_reason(self) -> Reason | None:
        """Why the rule was not applied in the nearest case. None if it was applied.

        The kinds of reasons are in order: a shoe with an incomplete record is nearer than one
        without an event to check, and that one is nearer than a shoe of another game. Of reasons
        of one kind, it is the most frequent.
        """
        if self.checked or not self.not_applicable:
            return None
        kinds = list(KINDS_OF_REASON)
        return min(
            self.not_applicable,
            key=lambda one: (-kinds.index(one.kind), -self.not_applicable[one], one.text),
        )

    @property
    def result(self) -> str:
        """The result of the rule: ``fail``, ``pass`` or ``not-applicable``."""
        if self.findings:
            return "fail"
        return "pass" if self.checked else "not-applicable"

    def row(self) -> dict[str, object]:
        """Return the result as a plain record."""
        return {
            "code": self.code,
            "findings": self.findings,
            "looked": self.checked,
            "not_applicable": self.reasons,
        }


class AuditReport(Struct):
    """The result of an audit of many shoes.

    It includes the audit of the floor and the result of every rule.

    ``batches`` and ``tables`` count the batches and tables audited with the shoes. ``traces`` are
    the shoes' summaries, from which the floor is audited. ``packs`` counts the shoes by rule pack,
    ``without_pack`` those whose pack cannot be read. ``unknown_wagers`` counts the bets on wagers
    that the shoe's rule pack does not offer. ``with_floor`` tells whether batches and tables were
    audited.

    ``findings`` are those in ``scope``; ``outside`` are the others. Shoes, coups and rule results
    are counted for shoes with an event in the scope. ``traces`` has all shoes.

    ``states`` has the states of reviewed findings by fingerprint, ``reviews`` the remarks.
    ``removed`` are reviewed findings that are no longer found, with their last details.
    """

    shoes: int = 0
    coups: int = 0
    batches: int = 0
    tables: int = 0
    findings: list[Finding] = []
    rules: dict[str, RuleReport] = msgspec.field(
        default_factory=lambda: {rule.code: RuleReport(rule.code) for rule in RULES}
    )
    traces: list[ShoeSummary] = []
    packs: Counter[PackUsed] = msgspec.field(default_factory=Counter)
    without_pack: int = 0
    unknown_wagers: Counter[UnknownWager] = msgspec.field(default_factory=Counter)
    with_floor: bool = False
    scope: AuditScope = AuditScope()
    outside: list[Finding] = []
    reviews: dict[str, FindingReview] = {}
    states: dict[str, FindingState] = {}
    removed: list[Finding] = []

    def add(self, audit: ShoeAudit, *, in_scope: bool = True) -> None:
        """Add the audit of a shoe.

        ``in_scope`` is whether an event of the shoe is in the scope.
        """
        self.traces.append(audit.trace)
        findings = self._keep(audit.findings, in_scope=in_scope)
        if not in_scope:
            return
        self.shoes += 1
        self.coups += self._coups(audit)
        if audit.pack is None:
            self.without_pack += 1
        else:
            self.packs[audit.pack] += 1
        self.unknown_wagers.update(audit.unknown_wagers)
        self._count(audit.verdicts, findings)

    def _coups(self, audit: ShoeAudit) -> int:
        """Return the number of coups whose first card is in the period of the audit."""
        period = self.scope.period
        if not period.is_bounded:
            return audit.coups
        return sum(period.holds(coup.first.us) for coup in audit.trace.dealt)

    def add_floor(self, audit: FloorAudit) -> None:
        """Add the audit of the floor, after all shoes.

        Findings of the shoes may explain its findings.
        """
        self.batches, self.tables, self.with_floor = audit.batches, audit.tables, True
        known = [each for each in (*self.findings, *self.outside) if each.code in _CAUSES]
        findings = with_explanations(audit.findings, known)
        self._count(audit.verdicts, self._keep(findings))

    def _keep(self, findings: Iterable[Finding], *, in_scope: bool = True) -> list[Finding]:
        """Add findings, and return those that are in the scope."""
        kept: list[Finding] = []
        for finding in findings:
            holds = in_scope and self.scope.holds(finding, self._tables_of(finding))
            (kept if holds else self.outside).append(finding)
        self.findings += kept
        return kept

    def _tables_of(self, finding: Finding) -> set[str | None]:
        """Return the tables that a finding concerns."""
        if not self.scope.tables:
            return set()
        kind, _, name = finding.stream.partition("/")
        if kind == "table":
            return {name}
        if finding.shoe is not None:
            return {each.table for each in self.traces if each.name == finding.shoe}
        return {each.table for each in self.traces if kind == "cards" and each.batch == name}

    def limit_removed(self) -> None:
        """Leave out removed findings outside the scope."""
        self.removed = [
            each for each in self.removed if self.scope.holds(each, self._tables_of(each))
        ]

    def leave_floor(self, reason: Reason) -> None:
        """Record why the rules beyond one shoe were not applied."""
        for rule in FLOOR_RULES:
            self.rules[rule.code].not_applicable[reason] += 1

    def state_of(self, finding: Finding) -> FindingState:
        """Return the state of a finding. A finding without remarks is open."""
        return self.states.get(finding.fingerprint, OPEN)

    def listed(self, *, resolved: bool = False) -> list[Finding]:
        """Return the findings to list: all that are not resolved, and notes.

        Args:
            resolved: add those that are resolved, and those reviewed and no longer found.
        """
        if resolved:
            return [*self.findings, *self.removed]
        return [each for each in self.findings if self.state_of(each).state != "resolved"]

    @property
    def breaches(self) -> list[Finding]:
        """The findings that somebody still has to deal with.

        Notes and resolved findings are left out.
        """
        return [
            finding
            for finding in self.findings
            if finding.severity != "note" and self.state_of(finding).is_unresolved
        ]

    @property
    def resolved(self) -> list[Finding]:
        """The resolved findings, whether or not the record still shows the breach."""
        every = self.listed(resolved=True)
        return [each for each in every if self.state_of(each).state == "resolved"]

    def _count(self, verdicts: Iterable[RuleResult], findings: Iterable[Finding]) -> None:
        for verdict in verdicts:
            rule = self.rules[verdict.code]
            rule.checked += verdict.checked
            skipped = rule.not_applicable
            for reason, times in verdict.not_applicable.items():
                # `Counter.update` takes ten times as long for one reason
                skipped[reason] = skipped.get(reason, 0) + times
        for finding in findings:
            self.rules[finding.code].findings += 1

    def document(self, *, resolved: bool = False) -> dict[str, object]:
        """Return the report in plain types.

        The same audits give the same document. ``resolved`` is as in `listed`.
        """
        return {
            **({"scope": self.scope.document()} if self.scope.is_limited else {}),
            "shoes": self.shoes,
            "coups": self.coups,
            "batches": self.batches,
            "tables": self.tables,
            "findings": [
                {**msgspec.to_builtins(finding), **self.state_of(finding).row()}
                for finding in self.listed(resolved=resolved)
            ],
            "resolved": len(self.resolved),
            "rules": [rule.row() for rule in self.rules.values()],
            "packs": self.pack_rows(),
            "bets_not_judged": [
                {**msgspec.to_builtins(unknown), "bets": bets}
                for unknown, bets in sorted(self.unknown_wagers.items(), key=str)
            ],
        }

    def applied(self) -> int:
        """Return the number of rules applied at least once."""
        return sum(1 for rule in self.rules.values() if rule.checked)

    def not_applied(self) -> dict[ReasonKind, dict[str, list[str]]]:
        """Return the rules that were never applied, by kind and text of the reason.

        Kinds are in the order of `KINDS_OF_REASON`, rules in that of the rulebook.
        """
        kinds: dict[ReasonKind, dict[str, list[str]]] = {kind: {} for kind in KINDS_OF_REASON}
        for rule in self.rules.values():
            reason = rule.main_reason
            if reason is not None:
                kinds[reason.kind].setdefault(reason.text, []).append(rule.code)
        return {kind: reasons for kind, reasons in kinds.items() if reasons}

    def pack_rows(self) -> list[dict[str, object]]:
        """Return the rule packs as records, by name and version."""
        return [
            {
                "name": pack.name,
                "version": pack.version,
                "sha256": pack.sha256,
                "title": pack.title,
                "named": pack.named,
                "shoes": shoes,
                "recalled": list(pack.recalled),
                "sources": list(pack.sources),
            }
            for pack, shoes in sorted(self.packs.items())
        ]

    def moved(self) -> dict[tuple[str, int], int]:
        """Return the house's surplus from all unresolved findings.

        A negative amount is a shortage. The totals are in minor units, by currency and its number
        of decimals. Unknown amounts are left out.
        """
        sums: dict[tuple[str, int], int] = {}
        for finding in self.listed():
            money = finding.money
            if money.house is not None:
                currency = (money.currency or "", money.minor_units)
                sums[currency] = sums.get(currency, 0) + money.house
        return dict(sorted(sums.items()))
