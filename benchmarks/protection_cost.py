"""Measure coups per second through all tests of game protection, by number of patrons.

    python -m benchmarks.protection_cost [--full]

Shoes are dealt by `benchmarks.protection_tables` and their events read before. The timed part is
the complete work of `sabot.domain.protection` on one core: observations, chances, the tests of
every subject, orders, side bets and payments. The state size is that of `sabot detect --follow`
after so many coups, with the orders of the last shoes.
"""

import argparse
import time

import msgspec

from benchmarks.protection_shoes import HONEST, seeded
from benchmarks.protection_tables import Person, deal_shoe
from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.e_process.next_card_chances import outcome_ways
from sabot.domain.protection.reporting.detection_report import build_report

HABITS = ("whim", "trend", "martingale", "tie-hopeful")


def shoes(patrons, count):
    """Deal shoes with so many patrons of mixed habits."""
    rng = seeded("cost", patrons)
    people = [Person(f"p{n}", HONEST[HABITS[n % len(HABITS)]], rng) for n in range(1, patrons + 1)]
    return [deal_shoe("cost", number, people) for number in range(1, count + 1)]


def size(state):
    """Return the size of the kept state in kilobytes."""
    return len(msgspec.msgpack.encode(state)) / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    print("patrons  subjects   coups  coups/s  ms/coup  state kB  of it orders")
    # the kernels are made once a process
    detect(shoes(2, 1))
    for patrons in (1, 2, 4, 7, 10, 14):
        dealt = shoes(patrons, 20 if args.full else 3)
        # the same cards come for every number of patrons, and are to be counted each time
        outcome_ways.cache_clear()
        began = time.process_time()
        state = detect(dealt)
        took = time.process_time() - began
        print(
            f"{patrons:7} {build_report(state).subjects:9} {state.coups:7} "
            f"{state.coups / took:8.0f} "
            f"{1000 * took / state.coups:8.2f} {size(state):9.0f} {size(state.shoes.recent):13.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
