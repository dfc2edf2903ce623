"""Measure coups per second through all tests of game protection, by number of patrons.

    python -m benchmarks.protection_cost [--full]

Shoes are dealt and their events read before. The timed part is the complete work of
`sabot.domain.protection` on one core: observations, chances, the tests of every subject, orders,
side bets and payments. The state size is that of `sabot detect --follow` after so many coups, with
the orders of the last shoes.
"""

import argparse
import random
import time

import msgspec

from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.e_process.next_card_chances import outcome_ways
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Patron, Session, deal_shoe
from sabot.domain.simulation.patrons.habits import Flat, Martingale, SideBettor, Trend
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import pack_text

HABITS = (Flat(side="random"), Trend(), Martingale(), SideBettor())


def shoes(patrons, count):
    """Deal shoes with so many patrons of mixed habits."""
    pack = pack_text("classic-8")
    seats = parse_pack(pack).table.seats
    here = tuple(
        Patron(name=f"p{n}", seat=n, habit=HABITS[n % len(HABITS)])
        for n in range(1, min(patrons, seats) + 1)
    )
    session = Session(
        pack=pack, decks=8, table="T1", patrons=here, start_us=1_800_000_000_000_000, seed="cost"
    )
    found = []
    for number in range(1, count + 1):
        events = list(deal_shoe(session, number))
        found.append(fold(events[0].stream, events))
    return found


def size(state):
    """Return the size of the kept state in kilobytes."""
    return len(msgspec.msgpack.encode(state)) / 1000


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args()
    random.seed(0)
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
