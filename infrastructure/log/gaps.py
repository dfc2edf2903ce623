"""Find events that are missing or out of order."""

from collections.abc import Sequence
from itertools import pairwise

from sabot.domain.values.errors import UntrustedLog


def check_whole(where: str, after: int, places: list[int]) -> None:
    """Check that indexes or versions have no gap.

    Raises:
        UntrustedLog: a number is missing.
    """
    if places != list(range(after + 1, after + 1 + len(places))):
        due, place = next(each for each in enumerate(places, after + 1) if each[0] != each[1])
        if place < 1:
            raise UntrustedLog(
                f"{where} has an event numbered {place}, which this program never gives: compare "
                "the log with an export or a backup"
            )
        raise UntrustedLog(
            f"event {due} of {where} is missing; somebody removed it, since this program never "
            "leaves a gap: compare the log with an export or a backup"
        )


def check_order(stream: str, places: Sequence[int]) -> None:
    """Check that the indexes of a stream's events increase with their versions.

    Raises:
        UntrustedLog: the indexes do not increase.
    """
    if places != sorted(places):
        before, place = next((one, two) for one, two in pairwise(places) if one >= two)
        raise UntrustedLog(
            f"event {before} of {stream} comes before event {place}; somebody changed their "
            "order: compare the log with an export or a backup"
        )
