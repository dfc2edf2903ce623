"""Check the reported edge of detected sorters: is its lower bound above honest play?

    python -m benchmarks.protection_edge [--sorters N]

A sorter of 6 to 9 with accuracy 1.0 makes flat bets. The lower bound is read when the evidence
reaches 1,000 : 1 and at the end of the shoe. `benchmarks.protection_shoes` deals the cards.
"""

import argparse
import math
import sys

from benchmarks.protection_shoes import SIDES, Patron, coups_of, fresh_order, seeded, sorter
from sabot.domain.protection.money.edge_interval import (
    first_card_worth,
    honest_worth,
    start_edge,
)

DECKS = 8
ALARM = math.log(1000)


def lower_ends(seed: int) -> list[float]:
    """Return the lower bound at the alarm, and at the end of the shoe."""
    rng = seeded("edge", seed)
    patron, edge, found = Patron(sorter((6, 7, 8, 9), 1.0), rng), start_edge().coups, []
    patron.enter("1")
    for coup in coups_of(fresh_order(rng)):
        on = SIDES[0] if coup.cards[0] >= 6 else SIDES[1]
        edge.take(first_card_worth(DECKS)[coup.cards[0]][SIDES.index(on)])
        if patron.play(coup) >= ALARM and not found:
            found.append((edge.interval() or (0.0, 0.0))[0])
    return [*found, (edge.interval() or (0.0, 0.0))[0]]


def main() -> None:
    """Print how many lower bounds are above honest play."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sorters", type=int, default=50)
    many = parser.parse_args().sorters
    honest = max(honest_worth(DECKS))
    alarm, end = zip(*map(lower_ends, range(many)), strict=True)
    for when, found in (("at the alarm", alarm), ("at the end of the shoe", end)):
        above = sum(low > honest for low in found)
        sys.stdout.write(
            f"{when}: above honest play {above} of {many}, least {min(found):.2%}, "
            f"median {sorted(found)[many // 2]:.2%}\n"
        )


if __name__ == "__main__":
    main()
