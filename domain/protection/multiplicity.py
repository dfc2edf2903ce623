"""Control of multiple testing: over subjects by e-BH, over looks by alpha-spending.

e-BH (Wang and Ramdas 2022): each e-value is multiplied by its prior weight, a share of 1. The k
largest products are reported, with the largest k such that the k-th is at least 1 / (alpha k). The
expected share of false discoveries among them is at most alpha under any dependence. They must be
current values of e-processes: the running maximum of a test martingale is not an e-value.

Alpha-spending: a log is looked at after each shoe, an unlimited number of times. Each look gets a
share of the level that depends on its number only, and the shares of all looks sum to 1. So the
probability that any look has a p-value below its share of the level is at most the level, under any
dependence and any stopping rule. A single evaluation at the end gives the same numbers.
"""

import math
from collections.abc import Hashable, Mapping
from typing import TypeVar

Subject = TypeVar("Subject", bound=Hashable)


def keep_subjects(
    log_e: Mapping[Subject, float], alpha: float, shares: Mapping[Subject, float] | None = None
) -> list[Subject]:
    """Return the subjects reported at a level, the strongest first.

    An e-value below 1/alpha counts as 0, so that no subject is reported on less.

    Args:
        log_e: the natural logarithm of each subject's e-value.
        alpha: the false discovery rate, above 0 and at most 1.
        shares: each subject's prior weight. Their sum is at most 1. Default: equal weights.
    """
    least = -math.log(alpha)
    weighted = {
        subject: log + math.log(1 / len(log_e) if shares is None else shares[subject])
        for subject, log in log_e.items()
        if log >= least
    }
    ranked = sorted(weighted, key=lambda subject: -weighted[subject])
    cutoff = 0
    for rank, subject in enumerate(ranked, 1):
        if weighted[subject] >= least - math.log(rank):
            cutoff = rank
    return ranked[:cutoff]


def look_cost(nth: int) -> int:
    """Return the factor by which the p-value of a look is multiplied.

    It is the inverse of the look's share of the level. Looks come in blocks of 1, 2, 4, 8 and so
    on. The blocks' shares are 1/(1·2), 1/(2·3), 1/(3·4) and so on, which sum to 1, divided equally
    within a block. So the factor of the thousandth look is 56,320. A fixed plan of a thousand looks
    would have a factor of a thousand for each.

    Args:
        nth: the number of the look, from 1.
    """
    block = nth.bit_length() - 1
    return (1 << block) * (block + 1) * (block + 2)
