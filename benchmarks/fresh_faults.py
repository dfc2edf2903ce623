"""Inject faults that were described without use of `tests.faults`, and count what the audit finds.

    python -m benchmarks.fresh_faults [--write] [--list FAULT]

Each fault of `benchmarks.fresh_fault_kinds` is injected once into a simulated shoe of every rule
pack in which it can happen (`benchmarks.audit_houses`). It counts as found if the audit of the shoe
has a finding, on the coup of the fault or on the shoe as a whole. Findings that name another as
their cause are not counted as further ones. ``--write`` writes docs/fresh-faults.md.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from benchmarks.altered_record import Record
from benchmarks.audit_houses import House, houses
from benchmarks.audit_mutations import clean
from benchmarks.fresh_fault_kinds import FAULTS, WHOLE_SHOE
from benchmarks.fresh_fault_reasons import REASONS
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.findings import Finding
from sabot.domain.state.shoe import fold

PAGE: Final = Path(__file__).parents[1] / "docs" / "fresh-faults.md"
GAMES: Final = ("punto-banco", "chemin-de-fer", "baccarat-banque", "macao", "victoria")
COUPS: Final = 16
"""Coups of a shoe that is not dealt to its end."""
_HEAD: Final = """
# Fresh faults, and what the audit finds

These faults describe what goes wrong at a table. They were written without knowledge of the faults
of [mutations.md](mutations.md). The benchmark `python -m benchmarks.fresh_faults` injects each of
them once into a simulated shoe of every rule pack in which it can happen, and `--write` writes this
page. A fault is **found** if the audit reports a breach on its coup, or on the shoe as a whole. It
is **one finding** if all other findings of it name this one as their cause.

"""


class Counted(Struct):
    """Counts of one fault: shoes, shoes where it was found, and where it was one finding."""

    shoes: int = 0
    found: int = 0
    once: int = 0


def trials(name: str) -> Iterator[tuple[House, int | None, list[Finding]]]:
    """Yield the rule packs in which a fault can happen, with its coup and the findings."""
    for house in houses(*GAMES):
        stream, history = clean(house, 1, None if name in WHOLE_SHOE else COUPS)
        record = Record(history)
        try:
            FAULTS[name](record)
        except (LookupError, ValueError):
            continue
        yield house, record.coup, list(audit_shoe(fold(stream, record.history())).findings)


def is_found(coup: int | None, found: list[Finding]) -> bool:
    """Return whether a finding is about the coup of a fault, or about the shoe as a whole."""
    return any(coup is None or each.coup in {coup, None} for each in found)


def counted(name: str) -> Counted:
    """Inject a fault everywhere, and count."""
    count = Counted()
    for _, coup, found in trials(name):
        own = [each for each in found if each.explained_by is None]
        count.shoes += 1
        count.found += is_found(coup, found)
        count.once += len(own) == 1 and is_found(coup, own)
    return count


def page() -> str:
    """Return the page of all faults."""
    lines = ["| fault | shoes | found | one finding | why not found, or more than one finding |"]
    lines.append("| --- | --- | --- | --- | --- |")
    total: Counter[str] = Counter()
    for name in FAULTS:
        count = counted(name)
        total.update(shoes=count.shoes, found=count.found, once=count.once)
        why = REASONS.get(name, "") if count.once < count.shoes else ""
        lines.append(f"| {name} | {count.shoes} | {count.found} | {count.once} | {why} |")
    said = (
        f"In all: {len(FAULTS)} faults in {total['shoes']:,} shoes, {total['found']:,} found, "
        f"{total['once']:,} as one finding.\n\n"
    )
    return _HEAD.lstrip() + said + "\n".join(lines) + "\n"


def main() -> None:
    """Inject the faults."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    options.add_argument("--list", metavar="FAULT")
    asked = options.parse_args()
    if asked.list is not None:
        for house, coup, found in trials(asked.list):
            told = [(each.code, each.coup, bool(each.explained_by)) for each in found]
            sys.stdout.write(f"{house.name} {coup}: {told}\n")
        return
    text = page()
    sys.stdout.write(text)
    if asked.write:
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
