"""Habits that a lineup can name, and their options."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.simulation.cheats.knowledge import Channel
from sabot.domain.simulation.cheats.schemes import Scheme
from sabot.domain.simulation.patrons.habits import Habit
from sabot.domain.simulation.patrons.patron import Favour

Value = int | float | str
Given = dict[str, Value]
Kind = Literal["money", "number", "times", "share", "side", "name", "wager", "values"]


class Option(Struct, frozen=True):
    """An option of a habit: kind, meaning and default."""

    name: str
    kind: Kind
    what: str
    default: Value | None = None


class Options:
    """The values of a patron's options, read by type."""

    def __init__(self, values: Mapping[str, Value | None]) -> None:
        """Take the values by option name. It is None means an option without a value."""
        self._values = values

    def whole(self, name: str) -> int:
        """Return an option that is a whole number: an amount, factor or count."""
        value = self._values[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} is a whole number, not {value!r}")
        return value

    def whole_or_none(self, name: str) -> int | None:
        """Return a whole-number option, or None without a value."""
        return None if self._values[name] is None else self.whole(name)

    def share(self, name: str) -> float:
        """Return an option that is a share."""
        value = self._values[name]
        if not isinstance(value, int | float):
            raise TypeError(f"{name} is a share, not {value!r}")
        return value

    def text(self, name: str) -> str:
        """Return an option that is a name or another text."""
        value = self._values[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} is text, not {value!r}")
        return value

    def only(self, *names: str) -> dict[str, Value | None]:
        """Return the options with these names, and their values."""
        return {name: self._values[name] for name in names}


class Plays(Struct, frozen=True):
    """A patron's habit, and a cheat's channel, scheme and favour."""

    habit: Habit
    channel: Channel | None = None
    scheme: Scheme | None = None
    favour: Favour | None = None


class HabitKind(Struct, frozen=True):
    """A betting habit of simulated patrons, which ``--patrons`` selects by its name.

    ``build`` makes the habit of one patron from the options. ``seen_by`` names the tests that can
    detect a cheat with this habit. It is empty for an honest habit.
    """

    name: str
    what: str
    build: Callable[["Options"], Plays]
    options: tuple[Option, ...] = ()
    seen_by: tuple[str, ...] = ()


UNIT: Final = Option("unit", "money", "usual stake, in minor units", 2500)
EVERYBODY: Final = (
    UNIT,
    Option("bankroll", "money", "chips to begin with, in minor units", 1_000_000),
    Option("sits", "share", "share of coups without a bet", 0.0),
    Option("quits", "money", "winnings at which to leave (default: never)"),
    Option("joins", "number", "coup before which to sit down (0: at the start)", 0),
    Option("holds", "share", "chance of accepting the shoe when offered", 0.8),
    Option("bank", "number", "bank to post, in units, where patrons bank", 4),
    Option("retires", "share", "chance of giving up a bank that won", 0.2),
    Option("raises", "share", "chance of raising the bank to cover the stakes", 0.5),
    Option("banco", "share", "chance of going banco", 0.05),
    Option("whim", "share", "share of free choices made by tossing a coin", 0.0),
)
"""Options of every habit."""
