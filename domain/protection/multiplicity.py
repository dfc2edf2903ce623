"""Control of multiple testing: over subjects by e-BH, over looks by alpha-spending.

e-BH (Wang and Ramdas 2022): of n e-values the k largest are reported, with the largest k such that
the k-th is at least n / (alpha k). The expected share of false discoveries among them is at most
alpha under any dependence. They must be current values of e-processes: the running maximum of a
test martingale is not an e-value.

Alpha-spending: a log is looked at after each shoe, an unlimited number of times. Each look gets a
share of the level that depends on its number only, and the shares of all looks sum to 1. So the
probability that any look has a p-value below its share of the level is at most the level, under any
dependence and any stopping rule. A single look afterwards gives the same numbers.
"""

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

Subject = TypeVar("Subject", bound=Hashable)


def keep_subjects(log_e: Mapping[Subject, float], alpha: float) -> list[Subject]:
    """Return the subjects reported at a level, the strongest first.

    Args:
        log_e: the natural logarithm of each subject's e-value.
        alpha: the false discovery rate, above 0 and at most 1.
    """
    ranked = sorted(log_e, key=lambda subject: -log_e[subject])
    cutoff = 0
    for rank, subject in enumerate(ranked, 1):
        if log_e[subject] >= math.log(len(ranked)) - math.log(alpha) - math.log(rank):
            cutoff = rank
    return ranked[:cutoff]


def look_cost(nth: int) -> int:
    """Return the inverse of a look's share of the level.

    The look's p-value is multiplied by it. Looks come in blocks of 1, 2, 4, 8 and so on. The
    blocks' shares are 1/(1·2), 1/(2·3), 1/(3·4) and so on, which sum to 1, divided equally within a
    block. So the thousandth look costs 56,320, where a fixed plan of a thousand looks would cost a
    thousand each.

    Args:
        nth: the number of the look, from 1.
    """
    block = nth.bit_length() - 1
    return (1 << block) * (block + 1) * (block + 2)
