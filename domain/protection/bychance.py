"""Findings that rest on a chance: of a shoe's order, of its backs, of a dealer's errors."""

import math

from domain.protection.backs import merged
from domain.protection.coverage import Coverage, Made
from domain.protection.finding import BASIS, Finding
from domain.protection.orders import Run
from domain.protection.payments import clustering
from domain.protection.shoetests import Repeat, ShoeTests, Sorted


def by_chance(tests: ShoeTests, level: float) -> list[Finding]:
    """List what has a chance below the level, each allowing for how often its test was made."""
    return [*_orders(tests, level), *_backs(tests, level), *_payments(tests, level)]


def _orders(tests: ShoeTests, level: float) -> list[Finding]:
    """Shoes whose order repeats an earlier one, allowing for the number of shoes compared."""
    found = []
    for repeat in tests.repeats:
        chance = min(1.0, repeat.run.expected * tests.compared)
        if chance <= level:
            said = _said_of(repeat.run, chance, tests.compared)
            found.append(_by_chance("order-of-the-shoe", _place(repeat), chance, said, repeat))
    return found


def _said_of(run: Run, chance: float, compared: int) -> str:
    how = "backwards" if run.backwards else "forwards"
    lay = "as its coups were picked up" if run.picked_up else "as it left the shoe"
    return (
        f"{run.length} cards in a row, from place {run.at + 1}, come as {run.length} of shoe "
        f"{run.earlier} did {how}, {lay} (by {run.level}); the chance of that in a uniform shuffle "
        f"is at most {chance:.1e} (a bound), allowing for {compared} shoes compared."
    )


def _backs(tests: ShoeTests, level: float) -> list[Finding]:
    """Shoes and pools whose backs hang together with rank, allowing for all that were tested."""
    found = []
    pools = _pools(tests)
    many = len(tests.backs) + len(pools)
    for one in tests.backs:
        backs = one.backs
        chance = min(1.0, backs.chance * many)
        if chance > level:
            continue
        said = (
            f"of {backs.inside} cards of value {_values(backs.values)}, {backs.inside_turned} lay "
            f"turned, of the other {backs.cards - backs.inside} only "
            f"{backs.turned - backs.inside_turned}; were backs and faces unrelated, the chance of "
            f"that is {chance:.1e} (an exact permutation test), allowing for the choice of values "
            f"and {many} tests of backs."
        )
        found.append(_by_chance("backs-against-rank", _place(one), chance, said))
    for pool, shoes in pools.items():
        chance = min(1.0, merged(one.backs.chance for one in shoes) * many)
        if chance > level:
            continue
        said = (
            f"over {len(shoes)} shoes of {pool} backs lay by rank; were they unrelated, the chance "
            f"of that is at most {chance:.1e} (exact permutation tests, merged by their geometric "
            f"mean, which holds however they hang together), allowing for {many} tests of backs."
        )
        subject = {"table": shoes[-1].table} if shoes[-1].table else {"shoe": shoes[-1].shoe}
        found.append(_by_chance("backs-across-shoes", subject, chance, said))
    return found


def _pools(tests: ShoeTests) -> dict[str, list[Sorted]]:
    """The shoes dealt from the same cards, where there are several."""
    pools: dict[str, list[Sorted]] = {}
    for one in tests.backs:
        pools.setdefault(one.pool, []).append(one)
    return {pool: shoes for pool, shoes in pools.items() if len(shoes) > 1}


def _payments(tests: ShoeTests, level: float) -> list[Finding]:
    """Dealers whose errors in patrons' favour fall on one, allowing for all pairs rated."""
    rated = clustering(tests.payments)
    found = []
    for (dealer, patron), one in rated:
        chance = min(1.0, float(one) * len(rated))
        if chance > level:
            continue
        pair = tests.payments[dealer, patron]
        said = (
            f"{pair.favours} of {pair.bets} bets that {dealer} settled for {patron} were settled "
            f"wrongly in {patron}'s favour; were {dealer}'s errors to fall alike on all bets of a "
            f"kind that {dealer} settled, the chance of so many is {chance:.1e} (an exact "
            f"permutation test by wager and outcome), allowing for {len(rated)} pairs of dealer "
            "and patron. It speaks of payments, not of cards."
        )
        subject = {"patron": patron, "dealer": dealer}
        shoe, coup = pair.last or (None, None)
        found.append(
            Finding(
                "payments-cluster", BASIS["payments-cluster"], subject, shoe, coup,
                -math.log10(max(chance, 1e-300)), None, None, None, said, pair.events,
            )
        )  # fmt: skip
    return found


def cover_pools(tests: ShoeTests) -> Coverage:
    """Say which tests over several shoes, and over pairs, were made."""
    pools, rated = len(_pools(tests)), len(clustering(tests.payments))
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


def _place(at: Repeat | Sorted) -> dict[str, str]:
    return {"table": at.table, "shoe": at.shoe} if at.table else {"shoe": at.shoe}


def _by_chance(
    test: str, subject: dict[str, str], chance: float, said: str, at: Repeat | None = None
) -> Finding:
    log10_e = -math.log10(max(chance, 1e-300))
    return Finding(
        test, BASIS[test], subject, subject.get("shoe"), at.coup if at else None, log10_e,
        None, None, None, said, at.events if at else [],
    )  # fmt: skip
