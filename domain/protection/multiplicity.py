"""Which subjects' evidence stands once it is remembered how many were tested.

e-BH (Wang and Ramdas 2022): of n e-values the k largest are kept, k as large as can be with the
k-th at least n / (alpha k). The expected share of false ones among those kept is then at most
alpha, however the e-values hang together. They must be current values of e-processes: the
running maximum of a test martingale is no e-value.

A level spent over looks that have no end.

Whoever follows a log looks again after each shoe, and nobody knows how often he will. So each
look gets a share of the level, settled by its number alone, and the shares of all looks that can
ever be made sum to 1: that any of them shows a chance below its own share of the level has a
chance of at most the level, however the looks hang together, and whenever one stops. The same
numbers hold for who asks once afterwards.
"""

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

Subject = TypeVar("Subject", bound=Hashable)


def keep_subjects(log_e: Mapping[Subject, float], alpha: float) -> list[Subject]:
    """Return the subjects kept at a level, the strongest first.

    Args:
        log_e: the natural logarithm of each subject's e-value.
        alpha: the share of false discoveries that is allowed, above 0 and at most 1.
    """
    ranked = sorted(log_e, key=lambda subject: -log_e[subject])
    kept = 0
    for rank, subject in enumerate(ranked, 1):
        if log_e[subject] >= math.log(len(ranked)) - math.log(alpha) - math.log(rank):
            kept = rank
    return ranked[:kept]


def look_cost(nth: int) -> int:
    """Return by how much the chance of a look is multiplied: one over its share of the level.

    Looks come in blocks of 1, 2, 4, 8 and so on. The blocks' shares are 1/(1·2), 1/(2·3), 1/(3·4)
    and so on, which sum to 1, and the looks of a block have equal ones. So the thousandth look
    costs 56,320, where a thousand looks and no more would cost a thousand each.

    Args:
        nth: the number of the look, from 1.
    """
    block = nth.bit_length() - 1
    return (1 << block) * (block + 1) * (block + 2)
