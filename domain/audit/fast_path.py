"""What coups are answered by their shapes, so that no rule has to look at each of them."""

from collections.abc import Callable

from msgspec import Struct

from sabot.domain.audit.coup_profile import (
    CachedVerdicts,
    CleanCoup,
    CoupProfiles,
    answered_in,
    clears,
    has_profiles,
    setting_of,
)
from sabot.domain.audit.profiles import CoupProfile  # noqa: TC001
from sabot.domain.audit.rule import NO_BREACH, CoupView, Judgement
from sabot.domain.audit.verdicts import RuleTally
from sabot.domain.rules.payouts import Cashier
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason

Check = tuple[RuleTally, Callable[[CoupView], Judgement]]
"""A rule that looks at each coup, with what it counts."""


class _Met(Struct):
    """A shape that so many coups of the shoe have: why rules do not apply, which others look."""

    reasons: tuple[tuple[int, Reason], ...]
    others: list[Check]
    coups: int = 1


class Answers:
    """What a shoe's coups are answered by their shapes: each shape is asked about once.

    What was answered is kept: shoes dealt by one pack have the same shapes.
    """

    def __init__(self, shoe: Shoe, cashier: Cashier | None, checks: list[Check]) -> None:
        """Take the shoe, the cashier of its pack, and the rules that look at each coup."""
        self._shoe, self._cashier, self._all = shoe, cashier, checks
        profiled = has_profiles(shoe)
        self._shapes = CoupProfiles(shoe, cashier) if profiled else None
        self._setting = setting_of(shoe)
        self._known = answered_in(self._setting) if profiled else {}
        self._met: dict[CoupProfile, _Met] = {}

    def rules_left_to_ask(self, coup: Coup) -> tuple[CleanCoup | None, list[Check]]:
        """Take the answers that the coup's shape gives; return the rules that have to look.

        And what was worked out of a coup that went by the book.
        """
        told = self._shapes.profile_of(coup) if self._shapes is not None else None
        if told is None:
            return None, self._all
        shape = told.shape
        met = self._met.get(shape)
        if met is not None:
            met.coups += 1
            return told, met.others
        known = self._known.get(shape) or self._ask(told)
        if known is None:
            return told, self._all
        others = [self._all[place] for place in known.others]
        self._met[shape] = _Met(known.reasons, others)
        return told, others

    def _ask(self, told: CleanCoup) -> CachedVerdicts | None:
        """Ask the rules about the first coup of a shape; None where one of them found a breach."""
        shape, view = told.shape, told.view(self._shoe, self._cashier)
        reasons: list[tuple[int, Reason]] = []
        others: list[int] = []
        for place, (tally, check) in enumerate(self._all):
            if not clears(tally.rule, shape, self._setting):
                others.append(place)
                continue
            answer = check(view)
            if isinstance(answer, Reason):
                reasons.append((place, answer))
            elif answer is not NO_BREACH:
                return None
        known = self._known[shape] = CachedVerdicts(tuple(reasons), tuple(others))
        return known

    def count(self) -> None:
        """Count the answers that shapes gave; many shapes have the same reasons."""
        alike: dict[tuple[tuple[int, Reason], ...], int] = {}
        for met in self._met.values():
            alike[met.reasons] = alike.get(met.reasons, 0) + met.coups
        for reasons, coups in alike.items():
            for place, reason in reasons:
                self._all[place][0].skip_alike(reason, coups)
