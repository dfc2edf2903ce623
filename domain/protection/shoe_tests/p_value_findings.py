"""Findings of the tests that have p-values: order of a shoe, card backs, dealers' errors.

Each p-value is corrected for all tests of its kind that are ever made.
"""

import math

from msgspec import Struct

from sabot.domain.protection.multiplicity import look_cost
from sabot.domain.protection.reporting.coverage import Coverage, Made
from sabot.domain.protection.reporting.finding import BASIS, Finding
from sabot.domain.protection.shoe_tests.card_backs import LOOK, merge_chances
from sabot.domain.protection.shoe_tests.whole_shoe_tests import OrderTested, ShoeTests, Sorted


def by_chance(tests: ShoeTests, level: float) -> list[Finding]:
    """Return the findings with a corrected p-value at or below the level.

    The correction covers all tests of a kind that can ever be made: the probability that the kind
    ever reports anything under its null hypothesis is at most the level
    (`sabot.domain.protection.multiplicity`).
    """
    return [*_orders(tests, level), *_backs(tests, level), *_payments(tests, level)]


def _orders(tests: ShoeTests, level: float) -> list[Finding]:
    """Return the findings on shoes that keep parts of a known order.

    Each shoe has its own share of the level.
    """
    found = []
    for tested in tests.orders:
        chance = min(1.0, 10**-tested.evidence.log10_e * look_cost(tested.nth))
        if chance <= level:
            explanation = _describe_order(tested, chance)
            found.append(
                _by_chance("order-of-the-shoe", _place(tested), chance, explanation, tested)
            )
    return found


def _describe_order(tested: OrderTested, chance: float) -> str:
    evidence = tested.evidence
    return (
        f"The cards keep parts of a known order, mostly of {evidence.source}. Of {evidence.cards} "
        f"cards shown, {len(evidence.predicted)} were at least three times as likely by that order "
        f"as by chance. After a uniform shuffle the chance of such evidence "
        f"(10^{evidence.log10_e:.1f} to 1) is at most {chance:.1e} (Ville's inequality). This is "
        f"corrected for all shoes ever tested: as number {tested.nth}, "
        f"{_share(look_cost(tested.nth))}."
    )


def _share(many: int) -> str:
    """Return text on a test's share of alpha. The shares of all tests sum to 1."""
    return f"this test's share is 1/{many:,} of alpha"


def _backs(tests: ShoeTests, level: float) -> list[Finding]:
    """Return the findings on shoes and pools of cards whose backs depend on rank.

    Half of a shoe's share of alpha is for its own backs, half for those of its pool at that time.
    """
    found = []
    for one in tests.backs:
        backs, share = one.backs, 2 * look_cost(one.nth)
        chance = min(1.0, backs.chance * share)
        if chance > level:
            continue
        explanation = (
            f"{backs.inside_turned} of the {backs.inside} cards of value {_values(backs.values)} "
            f"had their backs turned; of the other {backs.cards - backs.inside} cards, "
            f"{backs.turned - backs.inside_turned} did. If backs and faces were unrelated, the "
            f"chance of this would be at most {chance:.1e} (exact permutation test). This is "
            f"corrected for the choice of values, for testing again after every {LOOK} cards and "
            f"for all tests of backs ever made: {_share(share)}."
        )
        found.append(_by_chance("backs-against-rank", _place(one), chance, explanation, one))
    for look in _pools(tests).values():
        if look.chance > level:
            continue
        last = look.last
        explanation = (
            f"Over {look.shoes} shoes of {last.pool}, up to {last.shoe}, the orientation of the "
            f"backs depends on the rank of the cards. If backs and ranks were unrelated, the "
            f"chance of this would be at most {look.chance:.1e}. Exact permutation tests of the "
            f"shoes are merged by their geometric mean, which also holds for tests that depend on "
            f"each other. The chance is corrected for all tests of backs ever made: "
            f"{_share(2 * look_cost(last.nth))}."
        )
        subject = {"table": last.table} if last.table else {"shoe": last.shoe}
        found.append(_by_chance("backs-across-shoes", subject, look.chance, explanation))
    return found


class Look(Struct, frozen=True):
    """One evaluation of the merged backs of a pool, made after its last shoe."""

    shoes: int
    last: Sorted
    chance: float


def _pools(tests: ShoeTests) -> dict[str, Look]:
    """Return the most significant look at each pool that has several shoes.

    A look is made after each shoe of the pool.
    """
    chances: dict[str, list[float]] = {}
    best: dict[str, Look] = {}
    for one in tests.backs:
        mine = chances.setdefault(one.pool, [])
        mine.append(one.backs.chance)
        if len(mine) > 1:
            look = Look(len(mine), one, min(1.0, merge_chances(mine) * 2 * look_cost(one.nth)))
            known = best.get(one.pool)
            if known is None or look.chance < known.chance:
                best[one.pool] = look
    return best


def _payments(tests: ShoeTests, level: float) -> list[Finding]:
    """Return the findings on dealers whose errors favour one patron.

    Each pair of dealer and patron is tested at its own share of alpha.
    """
    found = []
    for (dealer, patron), pair in tests.payments.items():
        chance = pair.chance * look_cost(pair.nth) if pair.nth else 1.0
        if chance > level:
            continue
        explanation = (
            f"{pair.favours} of {pair.bets} bets that {dealer} settled for {patron} were settled "
            f"wrongly in {patron}'s favour. If the errors of {dealer} were independent of the "
            f"patron, the chance of this would ever be at most {chance:.1e} (exact permutations by "
            f"coup, wager and outcome; Ville's inequality). This is corrected for all pairs of "
            f"dealer and patron ever tested: as number {pair.nth}, {_share(look_cost(pair.nth))}. "
            "The test is about payments, not about cards."
        )
        subject = {"patron": patron, "dealer": dealer}
        shoe, coup = pair.last or (None, None)
        found.append(
            Finding(
                "payments-cluster", BASIS["payments-cluster"], subject, shoe, coup,
                -math.log10(max(chance, 1e-300)), None, None, None, explanation,
                events=pair.events,
            )
        )  # fmt: skip
    return sorted(found, key=lambda one: -one.log10_e)


def cover_pools(tests: ShoeTests) -> Coverage:
    """Return the coverage of the tests over several shoes, and over pairs."""
    pools, rated = len(_pools(tests)), sum(pair.nth > 0 for pair in tests.payments.values())
    found: Coverage = {}
    if pools:
        found["backs-across-shoes"] = Made(pools)
    else:
        why = "no two shoes of the same cards with backs in the record"
        found["backs-across-shoes"] = Made(0, {why: 1})
    if rated:
        found["payments-cluster"] = Made(rated)
    elif tests.payments:
        why = "no dealer made an error in a patron's favour on bets that others made too"
        found["payments-cluster"] = Made(0, {why: 1})
    return found


def _values(values: tuple[int, ...]) -> str:
    return ", ".join(str(value) for value in values)


def _place(at: OrderTested | Sorted) -> dict[str, str]:
    return {"table": at.table, "shoe": at.shoe} if at.table else {"shoe": at.shoe}


def _by_chance(
    test: str,
    subject: dict[str, str],
    chance: float,
    explanation: str,
    at: OrderTested | Sorted | None = None,
) -> Finding:
    log10_e = -math.log10(max(chance, 1e-300))
    return Finding(
        test, BASIS[test], subject, subject.get("shoe"),
        at.coup if isinstance(at, OrderTested) else None, log10_e,
        None, None, None, explanation, events=at.events if at else [],
    )  # fmt: skip
