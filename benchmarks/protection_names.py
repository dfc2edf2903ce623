"""Count who is named when one cheat, a sorter, plays among honest patrons for many shoes.

    python -m benchmarks.protection_names [--shoes N] [--seeds N]

Eight honest patrons and a sorter of 6 to 9 play at one table under two dealers, who deal in turns.
`benchmarks.protection_tables` deals. After each shoe the report is made as `sabot detect` makes it,
and every subject that it names is counted.
"""

import argparse
import sys
from collections import Counter

from benchmarks.protection_shoes import HONEST, seeded, sorter
from benchmarks.protection_tables import Person, deal_shoe
from sabot.domain.protection.detection.detection import observe
from sabot.domain.protection.detection.subjects import Plan, initial_state
from sabot.domain.protection.reporting.detection_report import build_report

HABITS = ("flat-banker", "trend", "martingale", "counter", "tie-hopeful", "quitter", "chop")
DAWDLES = 0.3
SORTED = (6, 7, 8, 9)


def _named(subject: dict[str, str]) -> str:
    """Return the person or thing that a finding names, without the shoe."""
    return ", ".join(f"{kind} {name}" for kind, name in subject.items() if kind != "shoe")


def _people(seed: int, accuracy: float) -> list[Person]:
    """Return the patrons: habits, one who changes sides late, and the sorter."""
    rng = seeded("names", seed)
    return [
        *(Person(habit, HONEST[habit], rng) for habit in HABITS),
        Person("dawdler", HONEST["whim"], rng, late=DAWDLES),
        Person("sorter", sorter(SORTED, accuracy), rng),
    ]


def main() -> None:
    """Print each named subject and the first shoe after which it was named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--shoes", type=int, default=10)
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--accuracy", type=float, default=1.0)
    options = parser.parse_args()
    named: Counter[str] = Counter()
    firsts: dict[str, list[int]] = {}
    for seed in range(options.seeds):
        people = _people(seed, options.accuracy)
        state = initial_state(Plan())
        found: set[str] = set()
        for number in range(1, options.shoes + 1):
            dealer = ("anna", "ben")[number % 2]
            observe(state, deal_shoe(f"names-{seed}", number, people, dealer))
            subjects = {
                f"{finding.test}: {_named(finding.subject)}"
                for finding in build_report(state).findings
            }
            for subject in sorted(subjects):
                named[subject] += 1
                if subject not in found:
                    found.add(subject)
                    firsts.setdefault(subject, []).append(number)
    for subject, times in named.most_common():
        sys.stdout.write(f"{subject}: in {times} reports, first after shoe {firsts[subject]}\n")


if __name__ == "__main__":
    main()
