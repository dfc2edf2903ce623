"""Simulate the Ivey cases at the Borgata and at Crockfords: when would the table have been stopped?

    python -m benchmarks.protection_cases [--full] [--svg FILE]

The published judgments (docs/protection.md) give the following facts. Eight decks were used, with
the same cards all session and a shuffler that turns no card. The sorted cards were 6 to 9 at the
Borgata and 7 to 9 at Crockfords. The winnings and the hours are given too. The rest is assumed:

- 72 coups an hour (Wizard of Odds). At Crockfords 800 coups, since no hours are given.
- The stake of a coup is the published win, divided by the exact edge and by the number of coups. In
  the first shoe, while the cards are being sorted, it is a tenth of that.
- Three values are drawn anew for each run, each uniformly. A card of the sorted class that is dealt
  gets turned with a chance between 0.5 and 1. A back is misread up to 3 times in 100. Up to 15
  coups in 100 are bet at random.

Every run deals shoe after shoe of the same 416 cards, uniformly shuffled. It ends when the evidence
of the next-card tests reaches one in a million, or when the first visit is over.
"""

import argparse
import math
import statistics
from pathlib import Path

from msgspec import Struct

from benchmarks.protection_shoes import DECKS, Patron, coups_of, seeded
from sabot.domain.protection.e_process.next_card_chances import coup_totals
from sabot.domain.protection.money.information_value import class_edge
from sabot.domain.protection.shoe_tests.card_backs import sort_test

ALPHAS = (1e-3, 1e-6)
COUPS_AN_HOUR = 72
FRESH = (16 * DECKS, *(4 * DECKS,) * 9)


class Case(Struct, frozen=True):
    """The published figures of a case: the class, the win and the coups of the first visit."""

    name: str
    currency: str
    values: frozenset[int]
    won: int
    coups: int
    in_all: int

    @property
    def stake(self):
        """Return his stake for each coup: the win divided by the exact edge and by the coups."""
        return self.won / float(class_edge(FRESH, self.values)) / self.coups


CASES = (
    Case(
        "Borgata, 11 April 2012", "$", frozenset((6, 7, 8, 9)),
        2_416_000, 16 * COUPS_AN_HOUR, 9_626_000,
    ),
    Case(
        "Crockfords, 20-21 August 2012", "£", frozenset((7, 8, 9)), 7_700_000, 800, 7_700_000,
    ),
)  # fmt: skip


class Run(Struct):
    """One night: evidence and the casino's loss after each coup, and when each level was reached.

    ``stops`` are coups from 1, or None if a level was not reached. ``raised`` is the first coup at
    the full stake. ``backs`` is the coup at which the test of backs alone would have reached one in
    a million if a device had read them.
    """

    evidence: list[float]
    loss: list[float]
    stops: list[int | None]
    raised: int | None = None
    backs: int | None = None


def night(case, rng):
    """Play the first visit until the alarm at one in a million."""
    care, slip, whim = rng.uniform(0.5, 1), rng.uniform(0, 0.03), rng.uniform(0, 0.15)
    values = [0] * FRESH[0] + [v for v in range(1, 10) for _ in range(FRESH[1])]
    turned = [False] * len(values)
    sight = {}

    def habit(_coup, memory):
        dice = memory["rng"]
        high = sight["turned"] != (dice.random() < slip)
        side = "player" if high else "banker"
        memory["side"] = dice.choice(("player", "banker")) if dice.random() < whim else side
        return {memory["side"]: sight["stake"]}

    patron = Patron(habit, rng)
    run = Run([], [], [None] * len(ALPHAS))
    shoe = 0
    while len(run.loss) < case.coups and run.stops[-1] is None:
        shoe += 1
        order = list(range(len(values)))
        rng.shuffle(order)
        patron.enter(str(shoe))
        sight["stake"] = round(case.stake / (10 if shoe == 1 else 1))
        if shoe == 2:
            run.raised = len(run.loss) + 1
        deal(case, order, (values, turned, care), (patron, sight, run), rng)
    return run


def deal(case, order, cards, watched, rng):
    """Deal a shoe. The cards of the class that are dealt are turned for the next shoe."""
    values, turned, care = cards
    patron, sight, run = watched
    faces = [values[card] for card in order]
    at = 1 + (faces[0] or 10)
    seen = []
    for coup in coups_of(faces):
        sight["turned"] = turned[order[at]]
        before = patron.memory.get("net", 0.0)
        log_e = patron.play(coup)
        net = before + result(coup, sight["stake"], patron)
        patron.memory["net"] = net
        run.evidence.append(log_e / math.log(10))
        run.loss.append(net)
        for place, alpha in enumerate(ALPHAS):
            if run.stops[place] is None and log_e >= -math.log(alpha):
                run.stops[place] = len(run.loss)
        mine = order[at : at + len(coup.cards)]
        seen += [(values[card], turned[card]) for card in mine]
        found = sort_test("", seen) if run.backs is None and coup.number % 5 == 0 else None
        if found is not None and found.chance <= ALPHAS[-1]:
            run.backs = len(run.loss)
        for card in mine:
            if values[card] in case.values and not turned[card] and rng.random() < care:
                turned[card] = True
        at += len(coup.cards)
        if run.stops[-1] is not None or len(run.loss) >= case.coups:
            return


def result(coup, stake, patron):
    """Return his win of a coup, 1:1 on Player and 19:20 on Banker."""
    player, banker, _ = coup_totals(coup.cards)
    if player == banker:
        return 0.0
    side = patron.memory["side"]
    if (player > banker) != (side == "player"):
        return -float(stake)
    return float(stake) if side == "player" else 0.95 * stake


def cuts(numbers):
    """Return the 10 %, 50 % and 90 % quantiles of a list."""
    ranked = sorted(numbers)
    return ranked[len(ranked) // 10], statistics.median(ranked), ranked[-1 - len(ranked) // 10]


def told(case, runs):
    """Print the results of the runs of a case."""
    print(f"\n{case.name}: {len(runs)} runs, stake {case.currency}{case.stake:,.0f}")
    raised = [run.raised for run in runs if run.raised is not None]
    print(f"full stakes from coup {statistics.median(raised):.0f} (median)")
    print("level   stopped   coup 10 %  50 %  90 %   lost by then 10 %        50 %        90 %")
    for place, alpha in enumerate(ALPHAS):
        ended = [run for run in runs if run.stops[place] is not None]
        stops = cuts([run.stops[place] for run in ended])
        losses = cuts([run.loss[run.stops[place] - 1] for run in ended])
        print(
            f"{alpha:<8g}{len(ended) / len(runs):7.1%}  {stops[0]:10.0f} {stops[1]:5.0f} "
            f"{stops[2]:5.0f} " + "".join(f"{case.currency}{loss:>14,.0f}" for loss in losses)
        )
    backs = [run.backs for run in runs if run.backs is not None]
    share = len(backs) / len(runs)
    low, half, high = cuts(backs)
    print(f"backs, read by a device, at 1e-06 by then: {share:.1%}, coup {low}, {half:.0f}, {high}")
    mean = statistics.fmean(run.loss[(run.stops[-1] or len(run.loss)) - 1] for run in runs)
    print(
        f"mean loss at 1e-06 {case.currency}{mean:,.0f}; the visit {case.currency}{case.won:,}, "
        f"in all {case.currency}{case.in_all:,}"
    )


def chart(results):
    """Draw the growth of the evidence: the 10 %, 50 % and 90 % quantiles of the runs."""
    width, height, left, top = 360, 220, 46, 34
    parts = [
        (
            '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 860 300" role="img" '
            'font-family="sans-serif" font-size="12"><title>Evidence, two cases rebuilt</title>'
        ),
        '<rect width="860" height="300" fill="white"/>',
    ]
    for place, (case, runs) in enumerate(results):
        x0 = left + place * (width + 70)
        most = 300
        bands = [
            cuts([run.evidence[min(at, len(run.evidence) - 1)] for run in runs])
            for at in range(most)
        ]

        def spot(at, value, x0=x0, most=most):
            return f"{x0 + at * width / most:.1f},{top + height * (1 - (value + 1) / 9):.1f}"

        capped = [tuple(min(max(value, -1), 8) for value in band) for band in bands]
        up = [spot(at, band[2]) for at, band in enumerate(capped)]
        down = [spot(at, band[0]) for at, band in reversed(list(enumerate(capped)))]
        middle = [spot(at, band[1]) for at, band in enumerate(capped)]
        parts += [
            f'<text x="{x0}" y="18" font-size="13">{case.name}</text>',
            f'<polygon points="{" ".join(up + down)}" fill="#9ecae1"/>',
            (
                f'<polyline points="{" ".join(middle)}" fill="none" stroke="#08519c" '
                'stroke-width="2"/>'
            ),
        ]
        for level in (0, 3, 6):
            x, y = spot(0, level).split(",")
            parts.append(
                f'<line x1="{x}" y1="{y}" x2="{x0 + width}" y2="{y}" stroke="#888" '
                f'stroke-dasharray="4 3"/><text x="{x0 - 8}" y="{y}" text-anchor="end" '
                f'dominant-baseline="middle">1e{level}</text>'
            )
        for at in range(0, most + 1, 50):
            x = spot(at, -1).split(",")[0]
            parts.append(f'<text x="{x}" y="{top + height + 16}" text-anchor="middle">{at}</text>')
        parts.append(
            f'<text x="{x0 + width / 2}" y="{top + height + 36}" text-anchor="middle">coup</text>'
        )
    return "\n".join([*parts, "</svg>\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--full", action="store_true", help="2,000 runs a case instead of 40")
    parser.add_argument("--seed", default="cases")
    parser.add_argument("--svg", type=Path, help="draw the evidence there")
    args = parser.parse_args()
    results = []
    for case in CASES:
        many = 2_000 if args.full else 40
        runs = [night(case, seeded(args.seed, case.name, number)) for number in range(many)]
        told(case, runs)
        results.append((case, runs))
    if args.svg is not None:
        args.svg.write_text(chart(results))


if __name__ == "__main__":
    main()
