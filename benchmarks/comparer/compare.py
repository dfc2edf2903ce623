"""Compare the program's results for the frozen cases with the frozen results.

    python -m benchmarks.comparer.compare [--only CLASS,...] [--case PATTERN] [--jobs N]
                                          [--every N] [--others]

If all are equal, it prints ``N cases equal under the renames`` and exits with 0. Otherwise it
prints the differences by rule, with the first cases of each, and exits with 1. `README.md` explains
what is compared. `renames.toml` holds the renames and the accepted differences. ``--case`` takes a
shell pattern. ``--every N`` compares one case of N. ``--others`` lists the reasons without a kind.
"""

import argparse
import sys
import time
import traceback
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import cache
from multiprocessing import Pool
from typing import Final, NamedTuple

import msgspec

from benchmarks.comparer import program, reasons
from benchmarks.comparer.cases import (
    CLASSES,
    Packs,
    canonical,
    decoded,
    expected_path,
    input_path,
    names,
    read_lines,
    unpacked,
)
from benchmarks.comparer.renames import Difference, Renames, differences

AT_ONCE: Final = 8
"""Cases that a worker takes at a time."""
FIRST: Final = 3
"""Cases of a difference that are shown."""

_packs: Final = cache(Packs.read)
Job = tuple[bytes, bytes]
"""The input line and the expected line of a case."""


class Outcome(NamedTuple):
    """The number of compared cases, and both kinds of differences."""

    cases: int
    differences: list[Difference]
    accepted: Counter[int]


def audited(line: bytes) -> bytes:
    """Return the program's results for an input line, in the form of an expected line.

    If the program raises an error, the result is the type of the error.
    """
    case = unpacked(decoded(line), _packs())
    try:
        told = program.audit(case.rows, floor=case.floor)
    except Exception as error:  # noqa: BLE001 - whatever it is, the case has it on record
        traceback.print_exc(limit=-3)
        told = {"error": type(error).__name__}
    return canonical({"case": case.name, **told})


def compared(job: Job, renames: Renames | None = None) -> list[Difference]:
    """Return the differences between the program's results and the frozen ones for a case."""
    line, expected = job
    told = audited(line)
    if told == expected and renames is None:
        return []
    due, shown = decoded(expected), decoded(told)
    if "error" in due or "error" in shown:
        text = f"{due.get('error', 'no error')} -> {shown.get('error', 'no error')}"
        same = due.get("error") == shown.get("error")
        return [] if same else [Difference(due["case"], "(program)", "failed", text)]
    return list(differences(due, shown, renames or Renames.read()))


def jobs_of(name: str, pattern: str = "*", every: int = 1) -> list[Job]:
    """Return the cases of a class whose names match, or one of every N of them.

    Raises:
        ValueError: inputs and expected lines are not of the same cases.
    """
    inputs, expected = read_lines(input_path(name)), read_lines(expected_path(name))
    if len(inputs) != len(expected):
        raise ValueError(f"{name}: {len(inputs)} inputs and {len(expected)} expected lines")
    jobs = zip(inputs, expected, strict=True)
    return [
        job
        for place, job in enumerate(jobs)
        if place % every == 0 and (pattern == "*" or fnmatchcase(name_of(job[1]), pattern))
    ]


class _Named(msgspec.Struct):
    case: str


def name_of(line: bytes) -> str:
    """Return the name of the case on a line."""
    return decoded(line, type=_Named).case


def compare(jobs: Iterable[Job], each: Callable[..., Iterable[list[Difference]]] = map) -> Outcome:
    """Compare cases.

    Args:
        jobs: the cases.
        each: the function that spreads the work: `map`, or that of a pool.
    """
    chosen = list(jobs)
    renames = Renames.read()
    found: list[Difference] = []
    accepted: Counter[int] = Counter()
    for of_case in each(compared, chosen):
        for difference in of_case:
            entry = next(
                (n for n, entry in enumerate(renames.accepted) if entry.covers(difference)), None
            )
            if entry is None:
                found.append(difference)
            else:
                accepted[entry] += 1
    return Outcome(len(chosen), found, accepted)


def report(outcome: Outcome, *, whole: bool) -> Iterator[str]:
    """Yield the lines that describe an outcome. ``whole`` means that all cases were compared."""
    by_rule: dict[tuple[str, str], list[Difference]] = defaultdict(list)
    for difference in outcome.differences:
        by_rule[difference.rule, difference.aspect].append(difference)
    for (rule, aspect), found in sorted(by_rule.items(), key=lambda item: -len(item[1])):
        cases = len({each.case for each in found})
        yield f"{rule}: {aspect}: {len(found):,} differences in {cases:,} cases"
        yield from (f"    {each.case}: {each.text}" for each in found[:FIRST])
    for number, entry in enumerate(Renames.read().accepted):
        if outcome.accepted[number]:
            yield f"accepted {outcome.accepted[number]:,} times: {entry.reason}"
        elif whole:
            yield f"accepted, but no longer seen: {entry.case} {entry.rule}: {entry.reason}"
    if outcome.differences:
        cases = len({each.case for each in outcome.differences})
        yield f"{cases:,} of {outcome.cases:,} cases differ"
    else:
        yield f"{outcome.cases:,} cases equal under the renames"


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--only", default="", help=f"classes of {', '.join(CLASSES)}")
    parser.add_argument("--case", default="*", help="a shell pattern of names of cases")
    parser.add_argument("--every", type=int, default=1, help="one case out of so many")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--others", action="store_true", help="list reasons without a kind")
    asked = parser.parse_args(arguments)
    began = time.perf_counter()
    only = tuple(filter(None, asked.only.split(",")))
    if unknown := set(only) - set(CLASSES):
        parser.error(f"no class of cases: {', '.join(sorted(unknown))}")
    jobs = [job for name in names(only) for job in jobs_of(name, asked.case, asked.every)]
    if asked.others:
        print("\n".join(others(jobs)))
        return 0
    with Pool(asked.jobs) as pool:
        outcome = compare(jobs, lambda work, of: pool.imap(work, of, AT_ONCE))
    whole = not only and asked.case == "*" and asked.every == 1
    print("\n".join(report(outcome, whole=whole)))
    print(f"{time.perf_counter() - began:.0f} s", file=sys.stderr)
    return 1 if outcome.differences else 0


def others(jobs: Iterable[Job]) -> list[str]:
    """Return the reasons without a kind that the program gives for cases."""
    for line, _ in jobs:
        audited(line)
    return sorted(reasons.OTHERS)


if __name__ == "__main__":
    sys.exit(main())
