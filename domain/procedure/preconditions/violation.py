"""A refusal, and the rule of the audit that forbids the same."""

from typing import Self


class Violation(str):
    """The reason for a refusal, with the next step.

    ``rule`` is the number of the audit's rule that the event breaks. It is empty if the event
    breaks none: the entry is incomplete, say, or another event comes first.
    """

    __slots__ = ("rule",)

    rule: str

    def __new__(cls, text: str, rule: str = "") -> Self:
        """Create a violation from its text."""
        made = super().__new__(cls, text)
        made.rule = rule
        return made
