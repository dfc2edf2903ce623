"""The size of a run: some cases and few examples, or all of them with SABOT_TEST_FULL=1.

The smaller run tries the same cases every time. It leaves the slow tests to ``pytest -m slow``,
which `.ci/run` runs too. A test named by its ``file::test`` has all cases of its marks.
"""

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import TypeVar

import pytest
from hypothesis import settings

T = TypeVar("T")

STORES = ("sqlite", "postgresql")

FULL = os.environ.get("SABOT_TEST_FULL") == "1"


def a_part(cases: Iterable[T], of: int) -> list[T]:
    """Return every ``of``-th case from the first on, or all cases in the full run.

    For a product of parameters, choose an ``of`` that has no factor in common with the number of
    values of any of them. Then each value of each parameter is among the cases.
    """
    return list(cases)[:: 1 if FULL else of]


each_once = pytest.mark.each_once
"""Of a product of parameters, the stores among them, try each value of each at least once.

The full run tries the whole product.
"""

every_third = pytest.mark.every_third
"""Of a long list of cases, take every third from the first on. The full run takes all."""

one_store = pytest.mark.one_store
"""Try on SQLite or on PostgreSQL, in turn from test to test, what is no matter of the store.

The full run tries both. Marks a test or, as ``pytestmark``, those of a file. What is about the
store has no such mark: it is always tried on both.
"""

only_full = pytest.mark.only_full
"""Try in the full run alone: a long run of which the same file has a short one."""

slow = pytest.mark.slow
"""Marks a test that takes about half a second of processor time or more.

A run of all tests leaves it out, and ``pytest -m slow`` runs it. A run of its file has it too.
"""


def chosen(tests: Sequence[pytest.Function], *, slow_too: bool) -> list[pytest.Function]:
    """Return the tests of a run: all in the full run, otherwise what their marks leave."""
    if FULL:
        return list(tests)
    kept: list[pytest.Function] = []
    turn: Counter[object] = Counter()
    for (module, _), cases in groupby(
        tests, lambda test: (test.path, test.nodeid.partition("[")[0])
    ):
        family = [case for case in cases if slow_too or not case.get_closest_marker("slow")]
        if not family or family[0].get_closest_marker("only_full"):
            continue
        if family[0].get_closest_marker("every_third"):
            family = family[::3]
        elif family[0].get_closest_marker("each_once"):
            family = _covering(family)
        elif family[0].get_closest_marker("one_store"):
            family = list(_in_turn(family, turn, module))
        kept += family
    return kept


def _values(test: pytest.Function) -> list[tuple[int, str]]:
    """The value of each parameter of a case, by its place in the case's name."""
    return list(enumerate(test.callspec._idlist)) if hasattr(test, "callspec") else []


def _covering(family: list[pytest.Function]) -> list[pytest.Function]:
    """Return few cases among which each value of each parameter is, about equally often."""
    used: Counter[tuple[int, str]] = Counter()
    missing = {value for case in family for value in _values(case)}
    kept = []
    while missing:
        best = max(
            family,
            key=lambda case: (
                sum(value in missing for value in _values(case)),
                -sum(used[value] for value in _values(case)),
            ),
        )
        kept.append(best)
        used.update(_values(best))
        missing.difference_update(_values(best))
    return [case for case in family if case in kept] if kept else family


def _in_turn(
    family: list[pytest.Function], turn: Counter[object], module: object
) -> Iterator[pytest.Function]:
    """Yield each case once, on the store whose turn it is in this module."""
    by_rest: dict[tuple[str, ...], list[pytest.Function]] = {}
    for case in family:
        rest = tuple(name for _, name in _values(case) if name not in STORES)
        by_rest.setdefault(rest, []).append(case)
    for cases in by_rest.values():
        yield cases[turn[module] % len(cases)]
        turn[module] += len(cases) > 1


def tries(few: int, many: int) -> settings:
    """Have hypothesis try a few examples, or many in the full run."""
    return settings(max_examples=many if FULL else few)
