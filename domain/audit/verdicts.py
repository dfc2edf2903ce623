"""What a rule came to on a shoe, and how it fares while what it looks at is gone through."""

from typing import Literal

from msgspec import Struct

from sabot.domain.audit.rule import Breach, Doubt, Rule
from sabot.domain.audit.table_order import DOUBTFUL


class RuleResult(Struct, frozen=True):
    """What a rule came to on a shoe.

    ``looked`` counts the coups (or 1 for the shoe) that it could judge; ``skipped`` counts,
    by reason, those that it could not.
    """

    code: str
    result: Literal["pass", "fail", "not-applicable"]
    looked: int
    skipped: dict[str, int]


class InDoubt(Struct, frozen=True, order=True):
    """What a rule could not judge of a shoe or a coup, since an order is doubtful."""

    coup: int | None
    code: str
    reason: str


class RuleTally(Struct):
    """How a rule fares while what it looks at is gone through.

    ``in_doubt`` are the reasons, among those skipped, that are of a doubtful order.
    """

    rule: Rule
    looked: int = 0
    found: int = 0
    skipped: dict[str, int] = {}
    in_doubt: list[InDoubt] = []

    def skip(self, reason: str, coup: int | None = None) -> None:
        """Count what could not be judged, by the reason."""
        self.skipped[reason] = self.skipped.get(reason, 0) + 1
        if DOUBTFUL in reason:
            self.in_doubt.append(InDoubt(coup, self.rule.code, reason))

    def skip_alike(self, reason: str, coups: int) -> None:
        """Take so many coups that could not be judged out of those that were looked at."""
        self.looked -= coups
        self.skipped[reason] = self.skipped.get(reason, 0) + coups

    def take(self, answer: tuple[Breach | Doubt, ...], coup: int | None = None) -> list[Breach]:
        """Count an answer; return the breaches in it. What was in doubt was not looked at."""
        self.looked += 1
        breaches: list[Breach] = []
        for each in answer:
            if isinstance(each, Doubt):
                self.skip(each.reason, coup)
            else:
                breaches.append(each)
        self.found += len(breaches)
        return breaches

    def verdict(self, nothing: str) -> RuleResult:
        """Return what it came to; ``nothing`` is the reason where there was nothing to see."""
        result: Literal["pass", "fail", "not-applicable"] = (
            "pass" if self.looked else ("not-applicable")
        )
        if not self.looked and not self.skipped:
            self.skip(nothing)
        return RuleResult(
            self.rule.code, "fail" if self.found else result, self.looked, self.skipped
        )
