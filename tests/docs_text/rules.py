"""The text of docs/rules.md: the groups of the rules with their letters, and a line a rule."""

from collections.abc import Iterable, Sequence
from typing import Final

from sabot.domain.audit import RULES
from sabot.domain.audit.rule import GROUPS

_HEAD: Final = """# The rules

Written by `python -m tests.docs_text.write_rules`; a test compares it with the program.

Every rule has a permanent number and a code. The letter of the number is that of the rule's group,
its first digit the series that the group is in: 1 the cards of a coup, 2 bets and money, 3 the
shoe, 4 the record, 5 games in which patrons bank, 6 the floor. A number is never used again.
`sabot rules B201` tells one of them whole: its reason, its sources, and a shoe that breaks it. The
former code is what the rule was called before it had a number; it is still understood.

"""


def rules_markdown() -> str:
    """Return the page."""
    rules = sorted(RULES, key=lambda rule: rule.number)
    groups = [
        (letter, f"[{group}](#{group})", sum(rule.group == group for rule in rules))
        for letter, group in GROUPS.items()
    ]
    parts = [_HEAD + _table(("letter", "group", "rules"), groups)]
    for group in GROUPS.values():
        lines = [
            (rule.number, f"`{rule.code}`", rule.severity, rule.why, _code(rule.former_code))
            for rule in rules
            if rule.group == group
        ]
        head = ("number", "code", "severity", "why", "former code")
        parts.append(f"## {group}\n\n{_table(head, lines)}")
    return "\n".join(parts)


def _code(code: str | None) -> str:
    return "" if code is None else f"`{code}`"


def _table(head: Sequence[str], lines: Iterable[Sequence[object]]) -> str:
    rule = ["---"] * len(head)
    return "".join(f"| {' | '.join(map(str, line))} |\n" for line in (head, rule, *lines))
