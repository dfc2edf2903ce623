"""Count who is named when one cheat, a sorter, plays among honest patrons for many shoes.

    python -m benchmarks.protection_names [--shoes N] [--seeds N]

Eight honest patrons and a sorter of 6 to 9 play at one table under two dealers. After each shoe the
report is made as `sabot detect` makes it, and every subject that it names is counted.
"""

import argparse
import sys
from collections import Counter

from sabot.domain.protection.detection.detection import observe
from sabot.domain.protection.detection.subjects import Plan, initial_state
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.simulation import Session, deal_shoe, parse_lineup
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import pack_text

HONEST = "flat,trend,martingale,main-counter,tie-lover,side-bettor,quitter:quits=5000,dawdler"
CHEAT = "edge-sorter:accuracy={}"


def _named(subject: dict[str, str]) -> str:
    """Return the person or thing that a finding names, without the shoe."""
    return ", ".join(f"{kind} {name}" for kind, name in subject.items() if kind != "shoe")


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
        session = Session(
            pack=pack_text("classic-8"),
            decks=8,
            table="T1",
            patrons=parse_lineup(f"{HONEST},{CHEAT.format(options.accuracy)}", 14),
            start_us=1_800_000_000_000_000,
            seed=f"names-{seed}",
            dealers=("anna", "ben"),
        )
        state = initial_state(Plan())
        found: set[str] = set()
        for number in range(1, options.shoes + 1):
            events = list(deal_shoe(session, number))
            stream = next(e.stream for e in events if e.stream.startswith("shoe/"))
            observe(state, fold(stream, [e for e in events if e.stream == stream]))
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
