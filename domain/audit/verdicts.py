"""A rule's result on a shoe, and its tally."""

from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Literal

from msgspec import Struct

from sabot.domain.audit.rule import Breach, Doubt, Judgement, Rule
from sabot.domain.procedure.games import game_of
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason


def by_text(skipped: Mapping[Reason, int]) -> dict[str, int]:
    """Return counts of reasons by their texts, in alphabetical order."""
    texts: Counter[str] = Counter()
    for reason, times in skipped.items():
        texts[reason.text] += times
    return dict(sorted(texts.items()))


class RuleResult(Struct, frozen=True):
    """The result of a rule on a shoe.

    ``checked`` counts the coups that the rule could judge. It is at most 1 for a rule on whole
    shoes. ``not_applicable`` counts the others, by reason.
    """

    code: str
    result: Literal["pass", "fail", "not-applicable"]
    checked: int
    not_applicable: dict[Reason, int]

    @property
    def reasons(self) -> dict[str, int]:
        """The reasons for not applying the rule, with counts."""
        return by_text(self.not_applicable)


class InDoubt(Struct, frozen=True, order=True):
    """A check that was skipped because an order is unknown."""

    coup: int | None
    code: str
    reason: str


Missing = Callable[[Any], Reason | None]
"""Returns the reason why a view does not meet a need; None where it does."""


class RuleTally(Struct):
    """Counts the answers of a rule during an audit.

    ``needs`` are the checks to make for each view. ``found`` counts breaches. ``in_doubt`` lists
    the skipped checks whose reason is an unknown order.
    """

    rule: Rule
    needs: tuple[Missing, ...]
    checked: int = 0
    found: int = 0
    not_applicable: dict[Reason, int] = {}
    in_doubt: list[InDoubt] = []

    def answer(self, view: object, lacks: dict[Missing, Reason | None]) -> Judgement:
        """Return the rule's answer for a view.

        ``lacks`` caches the unmet needs of this view, because rules share them.
        """
        for missing in self.needs:
            if missing in lacks:
                reason = lacks[missing]
            else:
                reason = lacks[missing] = missing(view)
            if reason is not None:
                return reason
        return self.rule.judge(view)

    def skip(self, reason: Reason, coup: int | None = None) -> None:
        """Count one coup or shoe to which the rule was not applied."""
        self.not_applicable[reason] = self.not_applicable.get(reason, 0) + 1
        if reason.kind == "order-unknown":
            self.in_doubt.append(InDoubt(coup, self.rule.code, reason.text))

    def skip_alike(self, reason: Reason, coups: int) -> None:
        """Count coups to which the rule was not applied, all for the same reason.

        They were counted as checked before.
        """
        self.checked -= coups
        self.not_applicable[reason] = self.not_applicable.get(reason, 0) + coups

    def count_answer(
        self, answer: tuple[Breach | Doubt, ...], coup: int | None = None
    ) -> list[Breach]:
        """Count an answer and return its breaches.

        Doubts are counted as not applicable.
        """
        self.checked += 1
        breaches: list[Breach] = []
        for each in answer:
            if isinstance(each, Doubt):
                self.skip(each.reason, coup)
            else:
                breaches.append(each)
        self.found += len(breaches)
        return breaches

    def withdraw(self, reason: Reason, coup: int | None = None, *, found: bool) -> None:
        """Count a breach or a pass, which was counted before, as a check that was not made."""
        self.found -= found
        if found or not any(each.coup == coup for each in self.in_doubt):
            self.skip(reason, coup)

    def result(self, nothing: Reason) -> RuleResult:
        """Return the rule's result.

        ``nothing`` is the reason to give if there was nothing to check.
        """
        result: Literal["pass", "fail", "not-applicable"] = (
            "pass" if self.checked else ("not-applicable")
        )
        if not self.checked and not self.not_applicable:
            self.skip(nothing)
        return RuleResult(
            self.rule.code, "fail" if self.found else result, self.checked, self.not_applicable
        )


def tally_of(rule: Rule) -> RuleTally:
    """Return an empty tally for a rule."""
    return RuleTally(rule, tuple([need.missing for need in rule.needs]))


def answer_of(rule: Rule, view: object) -> Judgement:
    """Return a rule's answer for a single view."""
    return tally_of(rule).answer(view, {})


def unmet_by_shoe(tallies: list[RuleTally], shoe: Shoe) -> list[tuple[RuleTally, Reason]]:
    """Check the needs that depend on the shoe alone, once for all its coups.

    A need that the shoe meets is removed from the tally of the rule.

    Returns:
        the rules that apply to no coup of the shoe, each with the reason.
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
