"""The auditor: rules as data, each with one small function, run over folded shoes."""

from domain.audit.engine import PackUsed, ShoeAudit, audit_part, audit_shoe
from domain.audit.finding import Effect, Finding
from domain.audit.rule import Breach, Family, Rule, Severity
from domain.audit.rulebook import RULES, rule
from domain.audit.verdicts import Verdict

__all__ = [
    "RULES",
    "Breach",
    "Effect",
    "Family",
    "Finding",
    "PackUsed",
    "Rule",
    "Severity",
    "ShoeAudit",
    "Verdict",
    "audit_part",
    "audit_shoe",
    "rule",
]
