"""What rules answer to coups that were dealt and settled by the book, without looking at each.

Most coups are opened, bet on, called, dealt by the tableau, called again, settled to the last unit
as is due, and closed, one step after the other. Of such a coup a rule may see nothing but its
profile (`sabot.domain.audit.coup_profile`), and of its shoe nothing but the `ShoeProfile`: it says
so with ``clean_when``. What it answers to the first coup of a profile it answers to every other one
in that setting, be it of another shoe; so it is asked once. Where a coup has no profile, or a rule
finds a breach in the first coup of it, each rule looks at it closely.
"""

from functools import lru_cache
from typing import NamedTuple

from msgspec import Struct

from sabot.domain.audit.coup_profile import (
    CleanCoup,
    CoupProfile,
    CoupProfiles,
    ShoeProfile,
    has_profiles,
)
from sabot.domain.audit.rule import NO_BREACH, Rule
from sabot.domain.audit.verdicts import Missing, RuleTally
from sabot.domain.rules.payouts import Cashier
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason


class CachedVerdicts(NamedTuple):
    """What a profile says, by the places of the rules among those that are asked.

    ``reasons`` say why rules do not apply; ``others`` look at each coup of the profile. What is
    left is clean.
    """

    reasons: tuple[tuple[int, Reason], ...]
    others: tuple[int, ...]


def _has_unassigned_irregularity(shoe: Shoe) -> bool:
    """Tell whether an irregularity was noted of no coup by name: it may be of one all the same.

    A coup that has a profile has none of its own; one that names another coup is that one's.
    """
    return any(event.payload.coup is None for event in shoe.irregularities)


def setting_of(shoe: Shoe) -> ShoeProfile:
    """Return what of a shoe the rules see beside its coups, where `has_profiles` tells so."""
    return ShoeProfile(
        shoe.pack_text,
        shoe.loaded.payload.pack_named if shoe.loaded is not None else True,
        shoe.ended is not None,
        shoe.cut_card is not None,
        _has_unassigned_irregularity(shoe),
    )


@lru_cache(maxsize=64)
def answered_in(
    _setting: ShoeProfile, _rules: tuple[str, ...]
) -> dict[CoupProfile, CachedVerdicts]:
    """Return what rules, by their codes, answered so far to the profiles of a setting.

    More is written into it.
    """
    return {}


def clears(rule: Rule, coup: CoupProfile, shoe: ShoeProfile) -> bool:
    """Tell whether a coup's profile says all that a rule would see in it."""
    return rule.clean_when is not None and rule.clean_when(coup, shoe)


class _Met(Struct):
    """A profile that so many coups of the shoe have: why rules do not apply, which others look."""

    reasons: tuple[tuple[int, Reason], ...]
    others: list[RuleTally]
    coups: int = 1


class AnswersByProfile:
    """What a shoe's coups are answered by their profiles: of each profile rules are asked once.

    What was answered is kept: shoes dealt by one pack have the same profiles.
    """

    def __init__(self, shoe: Shoe, cashier: Cashier | None, tallies: list[RuleTally]) -> None:
        """Take the shoe, the cashier of its pack, and the rules that look at each coup."""
        self._shoe, self._cashier, self._all = shoe, cashier, tallies
        profiled = has_profiles(shoe)
        self._profiles = CoupProfiles(shoe, cashier) if profiled else None
        self._setting = setting_of(shoe)
        codes = tuple([tally.rule.code for tally in tallies])
        self._known = answered_in(self._setting, codes) if profiled else {}
        self._met: dict[CoupProfile, _Met] = {}

    def rules_left_to_ask(self, coup: Coup) -> tuple[CleanCoup | None, list[RuleTally]]:
        """Take the answers that the coup's profile gives; return the rules that have to look.

        And what was worked out of a coup that went by the book.
        """
        clean = self._profiles.profile_of(coup) if self._profiles is not None else None
        if clean is None:
            return None, self._all
        profile = clean.profile
        met = self._met.get(profile)
        if met is not None:
            met.coups += 1
            return clean, met.others
        known = self._known.get(profile) or self._ask(clean)
        if known is None:
            return clean, self._all
        others = [self._all[place] for place in known.others]
        self._met[profile] = _Met(known.reasons, others)
        return clean, others

    def _ask(self, clean: CleanCoup) -> CachedVerdicts | None:
        """Ask the rules about the first coup of a profile; None where one found a breach."""
        profile, view = clean.profile, clean.view(self._shoe, self._cashier)
        lacks: dict[Missing, Reason | None] = {}
        reasons: list[tuple[int, Reason]] = []
        others: list[int] = []
        for place, tally in enumerate(self._all):
            if not clears(tally.rule, profile, self._setting):
                others.append(place)
                continue
            answer = tally.answer(view, lacks)
            if isinstance(answer, Reason):
                reasons.append((place, answer))
            elif answer is not NO_BREACH:
                return None
        known = self._known[profile] = CachedVerdicts(tuple(reasons), tuple(others))
        return known

    def count(self) -> None:
        """Count the answers that profiles gave; many profiles have the same reasons."""
        alike: dict[tuple[tuple[int, Reason], ...], int] = {}
        for met in self._met.values():
            alike[met.reasons] = alike.get(met.reasons, 0) + met.coups
        for reasons, coups in alike.items():
            for place, reason in reasons:
                self._all[place].skip_alike(reason, coups)
