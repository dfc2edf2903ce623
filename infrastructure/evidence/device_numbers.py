"""Check the sequence numbers of devices: skipped ones, and ones used again.

A skipped number shows that an event was never recorded, but not that the log was changed. A number
used twice shows a change, since the store accepts each number of a device only once.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

import msgspec
from msgspec import Struct

from sabot.infrastructure.evidence.verification_result import Problem, Verification

_MOST_RANGES: Final = 10_000
"""The most ranges of numbers that are remembered of a device, so that memory has a bound."""

_LISTED: Final = 5
"""The number of devices, and of gaps of a device, that a remark names."""


class _Stated(Struct):
    """The device and the sequence number in a line."""

    device: str
    seq: int | None


class _Ranges:
    """The numbers of a device, as separate ascending ranges."""

    def __init__(self) -> None:
        self.firsts: list[int] = []
        self.lasts: list[int] = []
        self.too_many = False

    def add(self, number: int) -> bool:
        """Add a number. Return False if it was added before."""
        firsts, lasts = self.firsts, self.lasts
        at = len(lasts) if not lasts or number > lasts[-1] else bisect_right(firsts, number)
        if at and number <= lasts[at - 1]:
            return False
        joins_before = at > 0 and number == lasts[at - 1] + 1
        joins_after = at < len(firsts) and number == firsts[at] - 1
        if joins_before and joins_after:
            lasts[at - 1] = lasts.pop(at)
            firsts.pop(at)
        elif joins_before:
            lasts[at - 1] = number
        elif joins_after:
            firsts[at] = number
        elif len(firsts) >= _MOST_RANGES:
            self.too_many = True
        else:
            firsts.insert(at, number)
            lasts.insert(at, number)
        return True

    def gaps(self) -> list[tuple[int, int]]:
        """Return the first and the last number of each gap."""
        pairs = zip(self.lasts, self.firsts[1:], strict=False)
        return [(before + 1, after - 1) for before, after in pairs]


class DeviceNumbers:
    """The sequence numbers of all devices of a log."""

    def __init__(self) -> None:
        self._devices: dict[str, _Ranges] = {}
        self._repeated: list[Problem] = []

    def add(self, index: int, stream: str | None, device: str, number: int) -> None:
        """Add the number that a device gave to an event."""
        ranges = self._devices.get(device)
        if ranges is None:
            ranges = self._devices[device] = _Ranges()
        if not ranges.too_many and not ranges.add(number):
            message = (
                f"event {index} has number {number} of {_named(device)}, and so has an earlier "
                "event: it was recorded again, which the store does not permit"
            )
            self._repeated.append(Problem(message, index, None, stream, "seq"))

    def add_line(self, index: int, line: bytes) -> None:
        """Add the number in an event's line, if the line has one."""
        try:
            stated = msgspec.json.decode(line, type=_Stated)
        except (msgspec.MsgspecError, RecursionError):
            return
        if stated.seq is not None:
            self.add(index, None, stated.device, stated.seq)

    def report(self, result: Verification) -> None:
        """Add the numbers used again to the problems, and the skipped ones to the remarks."""
        for problem in self._repeated:
            result.found(problem)
        reason = "removed, or never recorded" if result.altered else "never recorded"
        remarks = list(self._remarks(reason))
        result.remarks += remarks[:_LISTED]
        if len(remarks) > _LISTED:
            result.remarks.append(f"{len(remarks) - _LISTED} more devices skipped numbers")

    def _remarks(self, reason: str) -> Iterator[str]:
        for device, ranges in sorted(self._devices.items()):
            if ranges.too_many:
                yield (
                    f"the numbers of {_named(device)} have more than {_MOST_RANGES} gaps, and were "
                    "not checked"
                )
            elif gaps := ranges.gaps():
                count = sum(last - first + 1 for first, last in gaps)
                said = ", ".join(
                    str(first) if first == last else f"{first} to {last}"
                    for first, last in gaps[:_LISTED]
                )
                more = f" and {len(gaps) - _LISTED} more gaps" if len(gaps) > _LISTED else ""
                yield (
                    f"{_named(device)} skipped {count} number{'s' if count > 1 else ''} "
                    f"({said}{more}): these events were {reason}"
                )


def _named(device: str) -> str:
    return f"device {device}" if device else "a device without a name"
