"""How fast a reel runs by itself: by the table's clock or at a steady pace, 1 to 64 times."""

from typing import Final

from sabot.cli.replay.playback import Playback

SPEEDS: Final = (1, 2, 4, 8, 16, 32, 64)
STEADY_S: Final = 0.8
"""Seconds for an event at a steady pace, and where the record has no clock."""
LONGEST_S: Final = 10.0
"""Nobody waits longer for an event: idle time at a table is cut short."""
SHORTEST_S: Final = 0.05
"""Facts of the same instant still come one by one."""


class Speed:
    """Runs a reel forward as time goes by.

    ``by_clock`` waits between two events as long as the table's clock says. ``stops`` halts
    where a finding shows. ``playing`` is whether it runs.
    """

    def __init__(self, speed: int = 1, *, by_clock: bool = True, stops: bool = True) -> None:
        """Take a speed of `SPEEDS`, or the nearest to it."""
        self.speed = min(SPEEDS, key=lambda known: abs(known - speed))
        self.by_clock = by_clock
        self.stops = stops
        self.playing = False
        self._saved_s = 0.0

    def faster(self) -> None:
        """Run at twice the speed, up to the highest."""
        self.speed = min(self.speed * 2, SPEEDS[-1])

    def slower(self) -> None:
        """Run at half the speed, down to 1."""
        self.speed = max(self.speed // 2, SPEEDS[0])

    def play(self, playing: bool) -> None:
        """Start or halt."""
        self.playing = playing
        self._saved_s = 0.0

    def advance(self, reel: Playback, elapsed_s: float) -> bool:
        """Move the reel by what happened in so many seconds; tell whether it moved.

        It halts at the end, and where a finding shows if it is to.
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
        """Return how long the event after a position lets one wait, at speed 1."""
        now, then = reel.events[position - 1].at_us, reel.events[position].at_us
        if not self.by_clock or now is None or then is None:
            return STEADY_S
        return min(max((then - now) / 1_000_000, SHORTEST_S), LONGEST_S)
