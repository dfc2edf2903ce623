"""Count the coups until the alarm at alpha = 1e-6, with two figures for comparison.

    python -m benchmarks.protection_power [--full] [--random | --all-tests]

The first figure is the information bound: log(1/alpha) divided by the information that side and
class share in a coup. The best test that knows the scheme from the start needs so many coups. The
second is the money test: the number of flat bets after which the scheme's mean win is as many
standard deviations above an honest Banker bettor's as alpha requires. It is exact except for the
normal quantile.

``--random`` draws random schemes: any class of values, accuracy, camouflage, spread and part-time
play. ``--all-tests`` also runs the tests of outcomes, which enumerate every coup.
"""

import argparse
import math
import statistics
import sys
from statistics import NormalDist

from benchmarks.protection_shoes import (
    Patron,
    class_share,
    coups_of,
    fresh_order,
    information,
    part_time,
    seeded,
    sorter,
    whim,
)
from sabot.domain.protection.money.edge_interval import first_card_worth

ALPHA = 1e-6
ACCURACIES = (1.0, 0.9, 0.8, 0.7, 0.6)
CAMOUFLAGES = (0.0, 0.25, 0.5)
HIGH = (6, 7, 8, 9)
PATIENCE = 20_000


def coups_to_alarm(habit, rng, *, outcomes=False):
    """Play shoe after shoe until the combined evidence of all tests reaches 1/alpha."""
    patron = Patron(habit, rng)
    shoe = 0
    while patron.coups < PATIENCE:
        shoe += 1
        patron.enter(str(shoe))
        for coup in coups_of(fresh_order(rng)):
            # accounts of outcomes that are idle keep their share of the evidence, unused
            if patron.play(coup, outcomes=outcomes) >= -math.log(ALPHA) or patron.coups >= PATIENCE:
                break
        else:
            continue
        break
    return patron.coups


def money_bets(values, accuracy, camouflage):
    """Return the flat bets that the money test needs to tell the scheme from honest play."""
    worth = first_card_worth(8)
    inside = frozenset(values)
    mean = honest = 0.0
    for value in range(10):
        chance = 4 / 13 if value == 0 else 1 / 13
        right = accuracy if value in inside else 1 - accuracy
        player = right * (1 - camouflage) + camouflage / 2
        mean += chance * (player * worth[value][0] + (1 - player) * worth[value][1])
        honest += chance * worth[value][1]
    # a bet wins or loses about a unit unless it ties: 9.5 % of coups
    variance = 0.904 - mean**2
    gain = mean - honest
    return math.inf if gain <= 0 else NormalDist().inv_cdf(1 - ALPHA) ** 2 * variance / gain**2


def grid(trials, rng):
    """Print a row for each scheme: the tests, the bound, their ratio, and the money test."""
    print("accuracy camouflage  runs   mean  median     10%     90%   bound  ratio     money")
    good = True
    for camouflage in CAMOUFLAGES:
        for accuracy in ACCURACIES:
            gained = information(class_share(HIGH), accuracy, camouflage)
            bound = -math.log(ALPHA) / gained
            many = max(5, min(trials, int(trials * 100 / bound)))
            found = sorted(
                coups_to_alarm(sorter(HIGH, accuracy, camouflage), rng) for _ in range(many)
            )
            mean = statistics.fmean(found)
            print(
                f"{accuracy:8.1f} {camouflage:10.2f} {many:5} {mean:6.0f} "
                f"{statistics.median(found):7.0f} {found[len(found) // 10]:7} "
                f"{found[-1 - len(found) // 10]:7} {bound:7.0f} "
                f"{mean / bound:6.2f} {money_bets(HIGH, accuracy, camouflage):9.0f}",
                flush=True,
            )
            if camouflage == 0 and accuracy in (1.0, 0.8):
                good = good and mean / bound <= 1.3
    return good


def all_tests(trials, rng):
    """Print the mean coups as a multiple of the bound, with every test, for two accuracies."""
    for accuracy in (1.0, 0.8):
        bound = -math.log(ALPHA) / information(class_share(HIGH), accuracy)
        found = [
            coups_to_alarm(sorter(HIGH, accuracy), rng, outcomes=True) / bound
            for _ in range(trials)
        ]
        error = statistics.stdev(found) / math.sqrt(trials)
        print(
            f"accuracy {accuracy}, all accounts, {trials} runs: "
            f"{statistics.fmean(found):.3f} times the bound, standard error {error:.3f}",
            flush=True,
        )


def at_random(trials, rng):
    """Print the ratio of the coups until alarm to the bound for random schemes."""
    ratios = {"all the time": [], "part-time": [], "part-time, not told when": []}
    drawn = 0
    while drawn < trials:
        values = [value for value in range(10) if rng.random() < 0.5]
        if not 0 < len(values) < 10:
            continue
        drawn += 1
        accuracy = rng.uniform(0.75, 1.0)
        camouflage = rng.choice((0.0, 0.0, 0.25))
        share = rng.choice((1.0, 1.0, 0.5))
        habit = sorter(values, accuracy, camouflage, rng.choice((1, 5)))
        if share < 1:
            habit = part_time(habit, whim, share)
        needs = coups_to_alarm(habit, rng)
        cards = class_share(values)
        bound = -math.log(ALPHA) / information(cards, accuracy, camouflage) / share
        # who is not told when it is at work sees whims among the bets
        untold = -math.log(ALPHA) / information(cards, accuracy, 1 - (1 - camouflage) * share)
        ratios["part-time" if share < 1 else "all the time"].append(needs / bound)
        if share < 1:
            ratios["part-time, not told when"].append(needs / untold)
        print(
            f"{''.join(map(str, values)):10} accuracy {accuracy:.2f} camouflage {camouflage:.2f} "
            f"part {share:.1f}: {needs} coups, bound {bound:.0f}, ratio {needs / bound:.2f}",
            flush=True,
        )
    ratios["together"] = ratios["all the time"] + ratios["part-time"]
    for name, found in ratios.items():
        cuts = statistics.quantiles(found, n=10)
        print(
            f"{name}: {len(found)} schemes, times the bound: 10 % {cuts[0]:.2f}, "
            f"median {statistics.median(found):.2f}, 90 % {cuts[-1]:.2f}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--random", action="store_true")
    parser.add_argument("--all-tests", action="store_true", help="with the accounts of outcomes")
    parser.add_argument("--seed", default="power")
    args = parser.parse_args()
    rng = seeded(args.seed)
    if args.all_tests:
        all_tests(1000 if args.full else 20, rng)
        return 0
    if args.random:
        at_random(300 if args.full else 20, rng)
        return 0
    if not grid(1000 if args.full else 60, rng) and args.full:
        print("slower than 1.3 times the bound")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
