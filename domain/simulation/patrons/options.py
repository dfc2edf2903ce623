"""What a lineup can name: habits, and the options that each takes."""

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
    """An option of a habit: how it is written, what it means, and what holds without it."""

    name: str
    kind: Kind
    what: str
    default: Value | None = None


class Options:
    """The options that hold for a patron, each read as what it is."""

    def __init__(self, values: Mapping[str, Value | None]) -> None:
        """Take the values by the names of the options; None where one has none."""
        self._values = values

    def whole(self, name: str) -> int:
        """Return an option that is a whole number: money, times, how many."""
        value = self._values[name]
        if not isinstance(value, int):
            raise TypeError(f"{name} is a whole number, not {value!r}")
        return value

    def whole_or_none(self, name: str) -> int | None:
        """Return an option that is a whole number; None where it has no value."""
        return None if self._values[name] is None else self.whole(name)

    def share(self, name: str) -> float:
        """Return an option that is a share from 0 to 1."""
        value = self._values[name]
        if not isinstance(value, int | float):
            raise TypeError(f"{name} is a share, not {value!r}")
        return value

    def text(self, name: str) -> str:
        """Return an option that is a name, or what is told by letters and digits."""
        value = self._values[name]
        if not isinstance(value, str):
            raise TypeError(f"{name} is text, not {value!r}")
        return value

    def only(self, *names: str) -> dict[str, Value | None]:
        """Return the options of these names, as they are."""
        return {name: self._values[name] for name in names}


class Plays(Struct, frozen=True):
    """How a patron plays: his habit, and what a cheat has beside it."""

    habit: Habit
    channel: Channel | None = None
    scheme: Scheme | None = None
    favour: Favour | None = None


class HabitKind(Struct, frozen=True):
    """A habit that a lineup can name.

    ``build`` takes the options, and as ``index`` and ``count`` which of how many of his group a
    patron is, from 0. ``seen_by`` are the tests by which a cheat can be seen; nobody else has
    any.
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
    Option("quits", "money", "leaves when ahead by so much (without it, stays)"),
    Option("joins", "number", "sits down before that coup (0: from the start)", 0),
    Option("holds", "share", "how likely he takes the shoe when offered", 0.8),
    Option("bank", "number", "units that he puts up where patrons bank", 4),
    Option("retires", "share", "how likely he gives up a bank that won", 0.2),
    Option("raises", "share", "how likely he raises his bank to cover the stakes", 0.5),
    Option("banco", "share", "how likely he goes bank", 0.05),
    Option("whim", "share", "share of free choices that he tosses a coin for", 0.0),
)
"""Options that every habit takes."""
