"""The auditor: rules as data, run over folded shoes.

Each rule is one small function.
"""

from sabot.domain.audit.engine import PackUsed, ShoeAudit, audit_part, audit_shoe
from sabot.domain.audit.finding_money import Effect
from sabot.domain.audit.findings import Finding
from sabot.domain.audit.rule import Breach, Family, Rule, Severity
from sabot.domain.audit.rulebook import RULES, find_rule
from sabot.domain.audit.verdicts import RuleResult

__all__ = [
    "RULES",
    "Breach",
    "Effect",
    "Family",
    "Finding",
    "PackUsed",
    "Rule",
    "RuleResult",
    "Severity",
    "ShoeAudit",
    "audit_part",
    "audit_shoe",
    "find_rule",
]
