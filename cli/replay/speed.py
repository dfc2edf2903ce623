"""The speed of a playback: by the table's clock or at a steady pace, 1 to 64 times."""

from typing import Final

from sabot.cli.replay.playback import Playback

SPEEDS: Final = (1, 2, 4, 8, 16, 32, 64)
STEADY_S: Final = 0.8
"""Seconds per event at a steady pace, or where the record has no clock."""
LONGEST_S: Final = 10.0
"""The maximum wait for an event in seconds: idle time at a table is cut short."""
SHORTEST_S: Final = 0.05
"""The minimum wait in seconds: events of the same instant are still shown one by one."""


class Speed:
    """Runs a playback forward in time.

    ``by_clock`` waits between two events as long as the table's clock did. ``stops`` pauses at
    findings. ``playing`` is True while it runs.
    """

    def __init__(self, speed: int = 1, *, by_clock: bool = True, stops: bool = True) -> None:
        """Use the value of `SPEEDS` nearest to ``speed``."""
        self.speed = min(SPEEDS, key=lambda known: abs(known - speed))
        self.by_clock = by_clock
        self.stops = stops
        self.playing = False
        self._saved_s = 0.0

    def faster(self) -> None:
        """Double the speed, up to the maximum."""
        self.speed = min(self.speed * 2, SPEEDS[-1])

    def slower(self) -> None:
        """Halve the speed, down to 1."""
        self.speed = max(self.speed // 2, SPEEDS[0])

    def play(self, playing: bool) -> None:
        """Start or pause."""
        self.playing = playing
        self._saved_s = 0.0

    def advance(self, reel: Playback, elapsed_s: float) -> bool:
        """Advance the playback by an elapsed time in seconds. Return whether its position changed.

        It pauses at the end and, with ``stops``, at findings.
        """
        if not self.playing:
            return False
        self._saved_s += elapsed_s * self.speed
        position = reel.position
        while position < len(reel) and self._saved_s >= (wait := self.wait_s(reel, position)):
            self._saved_s -= wait
            position += 1
            if self.stops and any(mark.position == position for mark in reel.marks):
                self.play(playing=False)
                break
        if position >= len(reel):
            self.play(playing=False)
        moved = position != reel.position
        reel.seek(position)
        return moved

    def wait_s(self, reel: Playback, position: int) -> float:
        """Return the wait before the event after a position, in seconds at speed 1."""
        now, then = reel.events[position - 1].at_us, reel.events[position].at_us
        if not self.by_clock or now is None or then is None:
            return STEADY_S
        return min(max((then - now) / 1_000_000, SHORTEST_S), LONGEST_S)
