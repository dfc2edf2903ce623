"""What a lineup can name: habits, and the options that each takes."""

from collections.abc import Callable, Mapping
from typing import Final, Literal

from msgspec import Struct

from sabot.domain.simulation.cheats.knowledge import Channel
from sabot.domain.simulation.cheats.schemes import Scheme
from sabot.domain.simulation.patrons.habits import Habit
from sabot.domain.simulation.patrons.patron import Favour

Given = dict[str, int | float | str]
Kind = Literal["money", "number", "times", "share", "side", "name", "wager", "values"]


class Option(Struct, frozen=True):
    """An option of a habit: how it is written, what it means, and what holds without it."""

    name: str
    kind: Kind
    what: str
    default: int | float | str | None = None


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
    build: Callable[[Mapping[str, object]], Plays]
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
