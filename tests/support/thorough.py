"""How much a run tries: a part of the cases and few examples, or all with SABOT_TEST_FULL=1.

What is tried without it is the same in every run.
"""

import os
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

T = TypeVar("T")

FULL = os.environ.get("SABOT_TEST_FULL") == "1"


def a_part(cases: Iterable[T], of: int) -> list[T]:
    """Return every ``of``-th case from the first on; all of them in the full run.

    Over a product of parameters, take an ``of`` that has no factor in common with their numbers:
    each value of each parameter is then among the cases.
    """
    return list(cases)[:: 1 if FULL else of]


def tries(few: int, many: int) -> settings:
    """Have hypothesis try few examples; many in the full run."""
    return settings(max_examples=many if FULL else few)
