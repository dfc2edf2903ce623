"""Which subjects' evidence stands once it is remembered how many were tested.

e-BH (Wang and Ramdas 2022): of n e-values the k largest are kept, k as large as can be with the
k-th at least n / (alpha k). The expected share of false ones among those kept is then at most
alpha, however the e-values hang together. They must be current values of e-processes: the
running maximum of a test martingale is no e-value.
"""

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

Subject = TypeVar("Subject", bound=Hashable)


def keep(log_e: Mapping[Subject, float], alpha: float) -> list[Subject]:
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
