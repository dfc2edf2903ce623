"""Count false alarms of the tests of foreknowledge over honest play.

    python -m benchmarks.protection_false_alarms [--full] [--counts FILE] [--riffles N] [--strips]

Each patron in each shoe is one test: does the evidence ever reach 1/alpha? Under a uniform shuffle
this happens with a chance of at most alpha (Ville's inequality). The benchmark fails if a count
exceeds the 99.9 % quantile of a binomial distribution with that chance.

Next-card tests run over a few thousand patron-shoes, or over a million with ``--full``. The tests
of outcomes enumerate every coup, so all tests together run over a few hundred patron-shoes, or over
20,000. The part ``tables`` deals complete tables with `benchmarks.protection_tables` and passes
them through the engine as if they came from a log: patrons, pairs, a group, the dealer, late bets.
In every other shoe the first four cards are on the table before the bets close.

``--riffles N`` riffles instead: new packs for the first shoe, then the discards of the shoe before,
as they were picked up, for nine more shoes. ``--strips`` adds a strip cut before each riffle. Such
shuffles are not uniform, so no guarantee holds and the counts are only shown.

The cards of a shoe depend on the seed and its number. With ``--counts`` the result of each block of
shoes is added to a file. A later run skips the blocks in the file, so a run can be stopped and
continued. Counts of an earlier version of the tests with other results are left out.
"""

import argparse
import hashlib
import json
import math
import sys
import time
from multiprocessing import Pool
from pathlib import Path

import numpy as np

from benchmarks.protection_many import (
    HABITS,
    PickedUp,
    factory_orders,
    fresh_orders,
    play,
    riffled_orders,
    same,
)
from benchmarks.protection_shoes import (
    HONEST,
    Patron,
    coups_of,
    fresh_order,
    most_by_chance,
    seeded,
)
from benchmarks.protection_tables import Person, deal_shoe
from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.reporting.detection_report import subjects_of

ALPHAS = (0.05, 0.01, 0.001)
CHAIN = 10
"""Shoes that are dealt of the same packs, where a shuffle is imperfect."""
CLOSE = 1e-9
"""How far the evidence reckoned in arrays may lie from the program's own."""
BLOCK = {"next-card": 200, "all": 10, "tables": 4}
PROBE = {"next-card": 20, "all": 1, "tables": 1}
SEATS = (
    "flat-banker", "trend", "martingale", "counter", "copycat", "quitter", "tie-hopeful",
    "waits-for-count",
)  # fmt: skip
DAWDLES = 0.3
SUBJECTS = ("patron", "pair", "group", "dealer", "late")


def run(job, evidence=None):
    """Deal a block of shoes to every habit. Count the patrons that ever reach each level.

    ``evidence``, if it is a list, collects the evidence of each patron-shoe.
    """
    seed, name, first, shoes = job
    kind = name.split("/")[0]
    if kind == "tables":
        return tables(job, evidence)
    if kind == "next-card":
        return many(job, evidence)
    hits = {habit: [0] * len(ALPHAS) for habit in HONEST}
    rng = seeded(seed, name, first)
    for shoe in range(shoes):
        dealt = list(coups_of(fresh_order(rng)))
        for habit, stakes in HONEST.items():
            patron = Patron(stakes, rng)
            patron.enter(str(shoe))
            for coup in replayed(dealt):
                patron.play(coup, outcomes=True)
            if evidence is not None:
                evidence.append(patron.log_e)
            for place, alpha in enumerate(ALPHAS):
                hits[habit][place] += patron.highest >= -math.log(alpha)
    return {"run": name, "firsts": [first], "shoes": shoes, "hits": hits}


def many(job, evidence=None):
    """Deal a block of shoes side by side and run only the next-card tests."""
    seed, name, first, shoes = job
    _, riffles, strips = name.split("/")
    rng = np.random.default_rng([*hashlib.sha256(f"{seed}/{name}/{first}".encode()).digest()])
    if int(riffles):
        highest = chained(rng, shoes, int(riffles), strips=strips == "strips")
    else:
        highest = play(rng, fresh_orders(rng, shoes))
    if evidence is not None:
        evidence += list(highest.reshape(-1))
    hits = {
        habit: [int((highest[:, at] >= -math.log(alpha)).sum()) for alpha in ALPHAS]
        for at, habit in enumerate(HABITS)
    }
    return {"run": name, "firsts": [first], "shoes": shoes, "hits": hits}


def chained(rng, shoes, riffles, *, strips):
    """Riffle new packs for a shoe, then its discards for the next, with new evidence each time."""
    rows = math.ceil(shoes / CHAIN)
    cards = factory_orders(rows)
    found = []
    for _ in range(CHAIN):
        cards = riffled_orders(cards, rng, riffles, strips=strips)
        picked = PickedUp(rows)
        found.append(play(rng, cards, picked))
        cards = picked.orders(cards)
    return np.concatenate(found)[:shoes]


def tables(job, evidence=None):
    """Deal a block of tables, with each shoe as a new test. Count subjects and alarms."""
    seed, name, first, shoes = job
    rng = seeded(seed, name, first)
    names = (*SEATS, "dawdler")
    plan = Plan(groups={"all": names})
    hits = {subject: [0] * (1 + len(ALPHAS)) for subject in (*names, *SUBJECTS)}
    for shoe in range(1, shoes + 1):
        people = [Person(habit, HONEST[habit], rng) for habit in SEATS]
        people.append(Person("dawdler", HONEST["whim"], rng, late=DAWDLES))
        dealt = deal_shoe(f"{seed}/{name}/{first}", shoe, people, early=shoe % 2 == 0)
        state = detect([dealt], plan)
        for key, (tally, _) in subjects_of(state).items():
            if evidence is not None:
                evidence.append(tally.log_e)
            high = tally.highest.log_e if tally.highest is not None else 0.0
            reached = [1, *(high >= -math.log(alpha) for alpha in ALPHAS)]
            for subject in {key[0], *({key[1]} if key[0] == "patron" else ())}:
                hits[subject] = [a + b for a, b in zip(hits[subject], reached, strict=True)]
    return {"run": name, "firsts": [first], "shoes": shoes, "hits": hits}


def replayed(dealt):
    """Yield the coups again, each with the outcomes of the earlier coups only."""
    whole = dealt[-1].outcomes if dealt else []
    for place, coup in enumerate(dealt):
        coup.outcomes = whole[:place]
        yield coup


def mark_of(name, seed):
    """Return a short digest of the results of the tests for a few shoes of a run.

    Counts of two runs are added up only if this digest is the same.
    """
    kind = name.split("/")[0]
    evidence = []
    run((seed, name, "probe", PROBE[kind]), evidence)
    told = ",".join(f"{log_e:.6f}" for log_e in evidence)
    return hashlib.sha256(told.encode()).hexdigest()[:12]


class Counts:
    """Counts of a run by block, kept in a file of JSON lines if one is given."""

    def __init__(self, path, seed, name):
        """Read the counts that the file holds for this run."""
        self.path, self.mark = path, {"run": name, "seed": seed, "mark": mark_of(name, seed)}
        self.lines, self.firsts = [], set()
        for line in self._stored():
            if self.mark.items() <= line.items():
                self._take(line)

    def _stored(self):
        if self.path is None or not self.path.exists():
            return []
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    def _take(self, line):
        self.lines.append(line)
        self.firsts.update(line["firsts"])

    def add(self, block):
        """Add a block, in the file too."""
        self._take(block | self.mark)
        if self.path is not None:
            with self.path.open("a") as stream:
                stream.write(json.dumps(self.lines[-1]) + "\n")

    def totals(self):
        """Add up the blocks: shoes, and hits by habit or subject."""
        hits = {
            habit: [
                sum(found)
                for found in zip(*(line["hits"][habit] for line in self.lines), strict=True)
            ]
            for habit in (self.lines[0]["hits"] if self.lines else ())
        }
        return sum(line["shoes"] for line in self.lines), hits

    def pack(self):
        """Merge the run's blocks into one line of the file."""
        if not self.lines:
            return
        shoes, hits = self.totals()
        whole = self.mark | {"firsts": sorted(self.firsts), "shoes": shoes, "hits": hits}
        others = [line for line in self._stored() if not self.mark.items() <= line.items()]
        self.lines = [whole]
        if self.path is not None:
            text = "".join(json.dumps(line) + "\n" for line in [*others, whole])
            fresh = self.path.with_suffix(".new")
            fresh.write_text(text)
            fresh.replace(self.path)


def count(name, patron_shoes, args):
    """Deal the missing blocks, print a row for each habit, and return whether all are in bounds."""
    counts = Counts(args.counts, args.seed, name)
    size = BLOCK[name.split("/")[0]]
    patrons = {"next-card": len(HABITS), "all": len(HONEST), "tables": len(SEATS) + 1}
    shoes = math.ceil(patron_shoes / patrons[name.split("/")[0]])
    jobs = [
        (args.seed, name, first, min(size, shoes - first))
        for first in range(0, shoes, size)
        if first not in counts.firsts
    ]
    began = time.monotonic()
    with Pool(args.workers) as pool:
        for block in pool.imap_unordered(run, jobs):
            counts.add(block)
            if sys.stderr.isatty():
                print(f"\r{counts.totals()[0]}/{shoes} shoes", end="", file=sys.stderr)
            if args.minutes and time.monotonic() - began > 60 * args.minutes:
                pool.terminate()
                break
    counts.pack()
    show = subject_table if name.startswith("tables") else table
    return show(name, *counts.totals())


def table(name, shoes, totals):
    """Print the share that ever reached each level, and the share that chance permits."""
    print(f"\n{name}: {shoes * len(totals)} patron-shoes")
    if not shoes:
        return True
    bounds = [most_by_chance(shoes, alpha) for alpha in ALPHAS]
    print(f"{'habit':16}" + "".join(f"{'alpha ' + str(alpha):>16}" for alpha in ALPHAS))
    good = True
    for habit, found in totals.items():
        print(f"{habit:16}" + "".join(f"{hits / shoes:>16.5f}" for hits in found))
        good = good and all(hits <= most for hits, most in zip(found, bounds, strict=True))
    whole = [sum(found[at] for found in totals.values()) for at in range(len(ALPHAS))]
    everybody = shoes * len(totals)
    print(f"{'all':16}" + "".join(f"{hits / everybody:>16.5f}" for hits in whole))
    print(f"{'may be':16}" + "".join(f"{most / shoes:>16.5f}" for most in bounds), flush=True)
    return good


def subject_table(name, shoes, totals):
    """Print the same for the subjects of complete tables, by habit and by kind.

    Patrons and pairs of one shoe see the same cards, so their counts are not independent. They are
    shown but not checked.
    """
    print(f"\n{name}: {shoes} shoes")
    good = True
    for subject, (tests, *found) in totals.items():
        if not tests:
            continue
        alone = tests <= shoes
        bounds = [most_by_chance(tests, alpha) for alpha in ALPHAS]
        shares = "".join(
            f"{hits / tests:>11.5f} " + (f"({most / tests:.5f})" if alone else " " * 9)
            for hits, most in zip(found, bounds, strict=True)
        )
        print(f"{subject:15} {tests:8} {shares}", flush=True)
        fits = all(hits <= most for hits, most in zip(found, bounds, strict=True))
        good = good and (fits or not alone)
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
    full = {"next-card": 1_000_000, "all": 20_000, "tables": 20_000}
    many = full if args.full else {"next-card": 4_500, "all": 225, "tables": 144}
    many["next-card"] = args.patron_shoes or many["next-card"]
    good = True
    kinds = [args.kind] if args.kind else ["next-card"] if args.riffles else [*BLOCK]
    for kind in kinds:
        if kind == "next-card" and same(np.random.default_rng(1)) > CLOSE:
            print("the arrays differ from the program: benchmarks/protection_many.py")
            return 1
        name = f"{kind}/{args.riffles}/{'strips' if args.strips else 'plain'}"
        good = count(name, many[kind], args) and good
    if not good and not args.riffles:
        print("more false alarms than chance allows")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
