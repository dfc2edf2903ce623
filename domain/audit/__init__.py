"""The auditor: it applies the rules to the recorded shoes, tables and batches of cards.

Each rule is one decorated function in `checks`.
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
