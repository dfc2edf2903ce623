"""Freeze the inputs of the comparer and the program's results for them.

    python -m benchmarks.comparer.freeze [--expected-only] [--only CLASS,...] [--jobs N]

Without a flag it makes new inputs with the current program (`inputs.py`). With ``--expected-only``
it audits the stored inputs. Both are deterministic.
"""

import argparse
import time
from multiprocessing import Pool

from benchmarks.comparer.cases import (
    CLASSES,
    Packs,
    canonical,
    expected_path,
    input_path,
    names,
    packed,
    read_lines,
    write_lines,
)
from benchmarks.comparer.compare import AT_ONCE, audited


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n", maxsplit=1)[0])
    parser.add_argument("--expected-only", action="store_true")
    parser.add_argument("--only", default="", help=f"classes of {', '.join(CLASSES)}")
    parser.add_argument("--jobs", type=int, default=2)
    asked = parser.parse_args()
    only = tuple(filter(None, asked.only.split(",")))
    if not asked.expected_only:
        freeze_inputs(only or CLASSES, asked.jobs)
    for name in names(only):
        began = time.perf_counter()
        with Pool(asked.jobs) as pool:
            told = list(pool.imap(audited, read_lines(input_path(name)), AT_ONCE))
        size = write_lines(expected_path(name), told)
        print(f"expected/{name}: {len(told):,} cases, {size:,} bytes, {_since(began)}", flush=True)


def freeze_inputs(wanted: tuple[str, ...], jobs: int) -> None:
    """Make the inputs of some classes. Pack texts that are stored already stay."""
    from benchmarks.comparer.inputs import MAKERS  # noqa: PLC0415 - it may rot; compare does not

    stays = [name for name in CLASSES if name not in wanted]
    packs = Packs.read() if stays and any(input_path(name).exists() for name in stays) else Packs()
    with Pool(jobs) as pool:
        for name in wanted:
            began = time.perf_counter()
            lines, events = [], 0
            for case in MAKERS[name](pool):
                events += len(case.rows)
                lines.append(canonical(packed(case, packs)))
            size = write_lines(input_path(name), lines)
            print(
                f"inputs/{name}: {len(lines):,} cases, {events:,} events, {size:,} bytes, "
                f"{_since(began)}",
                flush=True,
            )
    print(f"inputs/packs: {packs.write():,} bytes")


def _since(began: float) -> str:
    return f"{time.perf_counter() - began:.0f} s"


if __name__ == "__main__":
    main()
