"""Check the rules once for many equal coups without errors.

Most coups are opened, bet on, called, dealt by the third-card table, announced, settled exactly as
due and closed, one step after the other. A rule declares with ``clean_when`` that it needs only the
profile of such a coup (`sabot.domain.audit.coup_profile`) and the `ShoeProfile`. Its answer for the
first coup of a profile then holds for every other coup of that profile under the same
`ShoeProfile`, in any shoe. So the rule is run once.

If a coup has no profile, each rule checks the coup itself. If a rule finds a breach in the first
coup of a profile, each rule checks every coup of that profile.
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
from sabot.domain.values.names import plain_name


class CachedVerdicts(NamedTuple):
    """The cached answers of the rules for one profile.

    ``reasons`` are the rules that do not apply, each with the reason. ``others`` are the rules that
    check each coup of the profile themselves. A rule is given by its position in the list of
    tallies. Every coup of the profile keeps all other rules.
    """

    reasons: tuple[tuple[int, Reason], ...]
    others: tuple[int, ...]


def _has_unassigned_irregularity(shoe: Shoe) -> bool:
    """Return whether an irregularity was noted that names no coup.

    Such an irregularity may belong to any coup. A coup with a profile has no irregularity under its
    own number.
    """
    return any(event.payload.coup is None for event in shoe.irregularities)


def _may_have_stranger_bets(shoe: Shoe) -> bool:
    """Return whether a bet may be by one of the crew, or by a patron who had left."""
    names = set(shoe.staff)
    if shoe.at_table is not None:
        names.update(*(crew.values() for crew in shoe.at_table.crew_history.values))
    names = set(map(plain_name, names))
    gone = {who: event.position for event, who, _ in reversed(shoe.leavings)}
    for coup in shoe.coups.values():
        for bet in coup.bets.values():
            who = bet.patron
            last = bet.changes[-1] if bet.changes else bet.placed
            if plain_name(who) in names or (who in gone and gone[who] < last.position):
                return True
    return False


def setting_of(shoe: Shoe) -> ShoeProfile:
    """Return the profile of a shoe that satisfies `has_profiles`."""
    return ShoeProfile(
        shoe.pack_text,
        shoe.loaded.payload.pack_named if shoe.loaded is not None else True,
        shoe.ended is not None,
        shoe.cut_card is not None,
        _has_unassigned_irregularity(shoe),
        bool(shoe.foreign_events),
        _may_have_stranger_bets(shoe),
    )


@lru_cache(maxsize=64)
def answered_in(
    _setting: ShoeProfile, _rules: tuple[str, ...]
) -> dict[CoupProfile, CachedVerdicts]:
    """Return the cache of answers of these rules for shoes with this profile.

    It maps the profile of a coup to the answers. It begins empty, and the caller adds to it.
    """
    return {}


def clears(rule: Rule, coup: CoupProfile, shoe: ShoeProfile) -> bool:
    """Return whether a coup's profile shows that the coup keeps a rule."""
    return rule.clean_when is not None and rule.clean_when(coup, shoe)


class _Met(Struct):
    """A profile that occurred in the shoe, with the number of its coups.

    ``reasons`` are the rules that do not apply. ``others`` are the rules to run on each coup.
    """

    reasons: tuple[tuple[int, Reason], ...]
    others: list[RuleTally]
    coups: int = 1


class AnswersByProfile:
    """Audits the coups of a shoe that have a profile, as coups without errors do.

    Each rule is run once for all coups of the same profile. The answers are cached across shoes,
    since shoes of one pack have the same profiles.
    """

    def __init__(self, shoe: Shoe, cashier: Cashier | None, tallies: list[RuleTally]) -> None:
        """Take the shoe, its cashier and the tallies of the rules for coups."""
        self._shoe, self._cashier, self._all = shoe, cashier, tallies
        profiled = has_profiles(shoe)
        self._profiles = CoupProfiles(shoe, cashier) if profiled else None
        self._setting = setting_of(shoe)
        codes = tuple([tally.rule.code for tally in tallies])
        self._known = answered_in(self._setting, codes) if profiled else {}
        self._met: dict[CoupProfile, _Met] = {}

    def rules_left_to_ask(self, coup: Coup) -> tuple[CleanCoup | None, list[RuleTally]]:
        """Apply the cached answers for a coup. Return the rules without one.

        Returns:
            the coup with its profile (None if it has none), and the tallies of those rules.
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
        """Run the rules on the first coup of a profile. Return None if one found a breach."""
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
        """Add cached answers to the tallies, grouped by equal reasons."""
        alike: dict[tuple[tuple[int, Reason], ...], int] = {}
        for met in self._met.values():
            alike[met.reasons] = alike.get(met.reasons, 0) + met.coups
        for reasons, coups in alike.items():
            for place, reason in reasons:
                self._all[place].skip_alike(reason, coups)
