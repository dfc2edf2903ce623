"""False alarms of the tests of foreknowledge over honest play.

    python -m benchmarks.protection_false_alarms [--full] [--counts FILE] [--riffles N] [--strips]

Each patron-shoe is a test of its own: does its evidence ever reach 1/alpha? Under a uniform
shuffle at most a share alpha may (Ville); a count above what a binomial of that chance shows in
99.9 % of all runs fails. Next-card tests over a few thousand patron-shoes, ``--full`` over a
million; all tests, which need an enumeration a coup, over a few hundred, or 20,000.
``--riffles`` shuffles by so many riffles from the shoe before instead, ``--strips`` puts a strip
cut before each: no guarantee is claimed then, and the count only shows what happens.

A shoe's cards rest on the seed and its number. With ``--counts`` each block of shoes is added to
a file as it is done; a run that finds its block there passes it over, so that it can be stopped
and taken up again. Counts made by other code of the tests are left out.
"""

import argparse
import hashlib
import json
import math
import sys
import time
from multiprocessing import Pool
from pathlib import Path

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
TESTS = Path(__file__).parent.parent / "domain" / "protection"
BLOCK = {"next-card": 50, "all": 10}


def run(job):
    """Deal a block of shoes to every habit; count those that ever reached each level."""
    seed, name, first, shoes = job
    kind, riffles, strips = name.split("/")
    hits = {habit: [0] * len(ALPHAS) for habit in HONEST}
    rng = seeded(seed, name, first)
    cards = fresh_order(rng)
    for shoe in range(first, first + shoes):
        if int(riffles):
            cards = riffled(cards, rng, int(riffles), strips=strips == "strips")
        else:
            cards = fresh_order(rng)
        dealt = list(coups_of(cards))
        for habit, stakes in HONEST.items():
            patron = Patron(stakes, rng)
            patron.enter(str(shoe))
            for coup in replayed(dealt):
                patron.play(coup, outcomes=kind == "all")
            for place, alpha in enumerate(ALPHAS):
                hits[habit][place] += patron.highest >= -math.log(alpha)
    return {"run": name, "first": first, "shoes": shoes, "hits": hits}


def replayed(dealt):
    """Show the coups again, each with the outcomes before it alone."""
    whole = dealt[-1].outcomes if dealt else []
    for place, coup in enumerate(dealt):
        coup.outcomes = whole[:place]
        yield coup


def code_of_tests():
    """A short digest of what makes the factors: counts of other code are not added up."""
    names = ("chances", "evidence", "learner", "mixture", "process", "streak")
    texts = [TESTS / f"{name}.py" for name in names]
    parts = [path.read_bytes() for path in texts if path.exists()]
    return hashlib.sha256(b"\n".join(parts)).hexdigest()[:12]


class Counts:
    """Counts of blocks, in a file of JSON lines where one is given."""

    def __init__(self, path, seed):
        """Read what was counted before."""
        self.path, self.mark = path, {"seed": seed, "code": code_of_tests()}
        self.blocks = {}
        if path is not None and path.exists():
            for line in path.read_text().splitlines():
                block = json.loads(line)
                if self.mark.items() <= block.items():
                    self.blocks[block["run"], block["first"]] = block

    def add(self, block):
        """Keep a block."""
        self.blocks[block["run"], block["first"]] = block
        if self.path is not None:
            with self.path.open("a") as stream:
                stream.write(json.dumps(block | self.mark) + "\n")

    def totals(self, name):
        """Add up a run's blocks: shoes, and hits by habit."""
        mine = [block for (run_name, _), block in self.blocks.items() if run_name == name]
        hits = {
            habit: [sum(block["hits"][habit][at] for block in mine) for at in range(len(ALPHAS))]
            for habit in HONEST
        }
        return sum(block["shoes"] for block in mine), hits


def count(name, patron_shoes, counts, args):
    """Deal what is not counted yet, print a row a habit, and say whether each is as it may be."""
    size = BLOCK[name.split("/")[0]]
    shoes = math.ceil(patron_shoes / len(HONEST))
    jobs = [
        (args.seed, name, first, min(size, shoes - first))
        for first in range(0, shoes, size)
        if (name, first) not in counts.blocks
    ]
    began = time.monotonic()
    with Pool(args.workers) as pool:
        for block in pool.imap_unordered(run, jobs):
            counts.add(block)
            if sys.stderr.isatty():
                print(f"\r{counts.totals(name)[0]}/{shoes} shoes", end="", file=sys.stderr)
            if args.minutes and time.monotonic() - began > 60 * args.minutes:
                pool.terminate()
                break
    return table(name, *counts.totals(name))


def table(name, shoes, totals):
    """Print the shares that ever reached each level, beside what chance may show."""
    print(f"\n{name}: {shoes * len(totals)} patron-shoes")
    if not shoes:
        return True
    bounds = [most_by_chance(shoes, alpha) for alpha in ALPHAS]
    print(f"{'habit':14}" + "".join(f"{'alpha ' + str(alpha):>16}" for alpha in ALPHAS))
    good = True
    for habit, found in totals.items():
        print(f"{habit:14}" + "".join(f"{hits / shoes:>16.5f}" for hits in found))
        good = good and all(hits <= most for hits, most in zip(found, bounds, strict=True))
    whole = [sum(found[at] for found in totals.values()) for at in range(len(ALPHAS))]
    everybody = shoes * len(totals)
    print(f"{'all':14}" + "".join(f"{hits / everybody:>16.5f}" for hits in whole))
    print(f"{'may be':14}" + "".join(f"{most / shoes:>16.5f}" for most in bounds), flush=True)
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--patron-shoes", type=int, help="of the next card; or 4,500, or a million")
    parser.add_argument("--kind", choices=BLOCK, help="one kind of tests alone")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--minutes", type=float, help="stop each kind after so long")
    parser.add_argument("--counts", type=Path, help="a file that keeps the counts")
    parser.add_argument("--riffles", type=int, default=0)
    parser.add_argument("--strips", action="store_true", help="a strip cut before each riffle")
    parser.add_argument("--seed", default="honest")
    args = parser.parse_args()
    many = (
        {"next-card": 1_000_000, "all": 20_000} if args.full else {"next-card": 4_500, "all": 225}
    )
    many["next-card"] = args.patron_shoes or many["next-card"]
    counts = Counts(args.counts, args.seed)
    good = True
    for kind in [args.kind] if args.kind else BLOCK:
        name = f"{kind}/{args.riffles}/{'strips' if args.strips else 'plain'}"
        good = count(name, many[kind], counts, args) and good
    if not good and not args.riffles:
        print("more false alarms than chance allows")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
