"""The size of a run: some cases and few examples, or all of them with SABOT_TEST_FULL=1.

The smaller run tries the same cases every time.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

FULL = os.environ.get("SABOT_TEST_FULL") == "1"


def a_part(cases: Iterable[T], of: int) -> list[T]:
    """Return every ``of``-th case from the first on, or all cases in the full run.

    For a product of parameters, choose an ``of`` that has no factor in common with the number of
    values of any of them. Then each value of each parameter is among the cases.
    """
    return list(cases)[:: 1 if FULL else of]


def tries(few: int, many: int) -> settings:
    """Have hypothesis try a few examples, or many in the full run."""
    return settings(max_examples=many if FULL else few)
