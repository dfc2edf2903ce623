"""False alarms of the tests of foreknowledge over honest play.

    python -m benchmarks.protection_false_alarms [--full] [--workers N] [--riffles N]

Each patron-shoe is a test of its own: does its evidence ever reach 1/alpha? Under a uniform
shuffle at most a share alpha may (Ville); a count above what a binomial of that chance shows in
99.9 % of all runs fails. Next-card tests by default over a few thousand patron-shoes; ``--full``
takes a million, and 20,000 with the tests of outcomes, which need an enumeration a coup.
``--riffles`` shuffles by so many riffles from the discards of the shoe before instead: no
guarantee is claimed then, and the count only shows what happens.
"""

import argparse
import math
import sys
import time
from multiprocessing import Pool

from benchmarks.protection_shoes import (
    HONEST,
    Patron,
    coups_of,
    fresh_order,
    most_by_chance,
    riffled,
    seeded,
)

ALPHAS = (0.05, 0.01, 0.001)


def run(job):
    """Deal a block of shoes to every habit; count those that ever reached each level."""
    seed, first, shoes, outcomes, riffles = job
    hits = {name: [0] * len(ALPHAS) for name in HONEST}
    rng = seeded(seed, first, riffles, outcomes)
    cards = fresh_order(rng)
    for shoe in range(first, first + shoes):
        cards = riffled(cards, rng, riffles) if riffles else fresh_order(rng)
        dealt = list(coups_of(cards))
        for name, habit in HONEST.items():
            patron = Patron(habit, rng)
            patron.enter(str(shoe))
            for coup in replayed(dealt):
                patron.play(coup, outcomes=outcomes)
            for place, alpha in enumerate(ALPHAS):
                hits[name][place] += patron.highest >= -math.log(alpha)
    return shoes, hits


def replayed(dealt):
    """Show the coups again, each with the outcomes before it alone."""
    whole = dealt[-1].outcomes if dealt else []
    for place, coup in enumerate(dealt):
        coup.outcomes = whole[:place]
        yield coup


def table(title, shoes, args, *, outcomes):
    """Run, print a row a habit, and say whether every count is as it may be."""
    riffles, workers, seed = args.riffles, args.workers, args.seed
    block = 50 if not outcomes else 10
    jobs = [
        (seed, first, min(block, shoes - first), outcomes, riffles)
        for first in range(0, shoes, block)
    ]
    totals = {name: [0] * len(ALPHAS) for name in HONEST}
    began = time.monotonic()
    done = 0
    with Pool(workers) as pool:
        for count, hits in pool.imap_unordered(run, jobs):
            done += count
            for name, found in hits.items():
                totals[name] = [a + b for a, b in zip(totals[name], found, strict=True)]
            if sys.stderr.isatty():
                print(f"\r{done}/{shoes} shoes", end="", file=sys.stderr)
    took = time.monotonic() - began
    print(f"\n{title}: {shoes * len(HONEST)} patron-shoes, {took:.0f} s")
    bounds = [most_by_chance(shoes, alpha) for alpha in ALPHAS]
    print(f"{'habit':14}" + "".join(f"{'alpha ' + str(alpha):>16}" for alpha in ALPHAS))
    good = True
    for name, found in totals.items():
        print(f"{name:14}" + "".join(f"{hits / shoes:>16.5f}" for hits in found))
        good = good and all(hits <= most for hits, most in zip(found, bounds, strict=True))
    whole = [sum(found[place] for found in totals.values()) for place in range(len(ALPHAS))]
    everybody = shoes * len(HONEST)
    print(f"{'all':14}" + "".join(f"{hits / everybody:>16.5f}" for hits in whole))
    print(f"{'may be':14}" + "".join(f"{most / shoes:>16.5f}" for most in bounds))
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--patron-shoes", type=int, help="instead of 4,500 or a million")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--riffles", type=int, default=0)
    parser.add_argument("--seed", default="honest")
    args = parser.parse_args()
    habits = len(HONEST)
    cheap, dear = (1_000_000, 20_000) if args.full else (4_500, 225)
    cheap = args.patron_shoes or cheap
    how = f"{args.riffles} riffles" if args.riffles else "uniform shuffle"
    good = table(f"next card, {how}", math.ceil(cheap / habits), args, outcomes=False)
    good = table(f"all tests, {how}", math.ceil(dear / habits), args, outcomes=True) and good
    if not good and not args.riffles:
        print("more false alarms than chance allows")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
