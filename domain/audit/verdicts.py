"""What a rule came to on a shoe, and how it fares while what it looks at is gone through."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

from sabot.domain.audit.rule import Breach, Doubt, Judgement, Rule
from sabot.domain.procedure.games import game_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason


def by_text(skipped: Mapping[Reason, int]) -> dict[str, int]:
    """Return counts of reasons by their texts, in the order of these."""
    texts: Counter[str] = Counter()
    for reason, times in skipped.items():
        texts[reason.text] += times
    return dict(sorted(texts.items()))


class RuleResult(Struct, frozen=True):
    """What a rule came to on a shoe.

    ``checked`` counts the coups (or 1 for the shoe) that it could judge; ``not_applicable`` counts,
    by reason, those that it could not.
    """

    code: str
    result: Literal["pass", "fail", "not-applicable"]
    checked: int
    not_applicable: dict[Reason, int]

    @property
    def reasons(self) -> dict[str, int]:
        """How often it could not judge, by the texts of the reasons."""
        return by_text(self.not_applicable)


class InDoubt(Struct, frozen=True, order=True):
    """What a rule could not judge of a shoe or a coup, since an order is doubtful."""

    coup: int | None
    code: str
    reason: str


Missing = Callable[[Any], Reason | None]
"""What tells why a view does not meet a need; None where it does."""


class RuleTally(Struct):
    """How a rule fares while what it looks at is gone through.

    ``needs`` are those that have to be asked of each thing that it looks at. ``in_doubt`` are the
    reasons, among those skipped, that are of a doubtful order.
    """

    rule: Rule
    needs: tuple[Missing, ...]
    checked: int = 0
    found: int = 0
    not_applicable: dict[Reason, int] = {}
    in_doubt: list[InDoubt] = []

    def answer(self, view: object, lacks: dict[Missing, Reason | None]) -> Judgement:
        """Return what the rule answers; ``lacks`` keeps what the view lacks, for other rules."""
        for missing in self.needs:
            if missing in lacks:
                reason = lacks[missing]
            else:
                reason = lacks[missing] = missing(view)
            if reason is not None:
                return reason
        return self.rule.judge(view)

    def skip(self, reason: Reason, coup: int | None = None) -> None:
        """Count what could not be judged, by the reason."""
        self.not_applicable[reason] = self.not_applicable.get(reason, 0) + 1
        if reason.kind == "order-unknown":
            self.in_doubt.append(InDoubt(coup, self.rule.code, reason.text))

    def skip_alike(self, reason: Reason, coups: int) -> None:
        """Take so many coups that could not be judged out of those that were looked at."""
        self.checked -= coups
        self.not_applicable[reason] = self.not_applicable.get(reason, 0) + coups

    def count_answer(
        self, answer: tuple[Breach | Doubt, ...], coup: int | None = None
    ) -> list[Breach]:
        """Count an answer; return the breaches in it. What was in doubt was not looked at."""
        self.checked += 1
        breaches: list[Breach] = []
        for each in answer:
            if isinstance(each, Doubt):
                self.skip(each.reason, coup)
            else:
                breaches.append(each)
        self.found += len(breaches)
        return breaches

    def result(self, nothing: Reason) -> RuleResult:
        """Return what it came to; ``nothing`` is the reason where there was nothing to see."""
        result: Literal["pass", "fail", "not-applicable"] = (
            "pass" if self.checked else ("not-applicable")
        )
        if not self.checked and not self.not_applicable:
            self.skip(nothing)
        return RuleResult(
            self.rule.code, "fail" if self.found else result, self.checked, self.not_applicable
        )


def tally_of(rule: Rule) -> RuleTally:
    """Return the tally of a rule that has looked at nothing yet."""
    return RuleTally(rule, tuple([need.missing for need in rule.needs]))


def leave_unneeded(tallies: list[RuleTally], shoe: Shoe) -> list[tuple[RuleTally, Reason]]:
    """Ask once, of a shoe, for what all of its coups meet or lack together.

    What they meet is no longer among the needs of a rule.

    Returns:
        the rules that apply to none of its coups, with the reason.
    """
    game = game_of(shoe.pack).name
    lacks: dict[Missing, Reason | None] = {}
    unmet = []
    for tally in tallies:
        left: list[Missing] = []
        for need in tally.rule.needs:
            if need.games and game not in need.games:
                continue
            if need.of_shoe is None:
                left.append(need.missing)
                continue
            if need.of_shoe not in lacks:
                lacks[need.of_shoe] = need.of_shoe(shoe)
            reason = lacks[need.of_shoe]
            if reason is None:
                continue
            if not left and reason.kind != "order-unknown":
                unmet.append((tally, reason))
                break
            left.append(need.missing)
        tally.needs = tuple(left)
    return unmet
