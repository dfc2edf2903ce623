"""Patrons in a line of text: ``flat:3,trend:2,edge-sorter:1:accuracy=0.9``.

A lineup is groups apart by commas; a group is a habit, how many patrons have it (one where no
number stands), and options as ``name=value``, apart by colons. Patrons are named by habit and
number (``flat-2``) and sit in the order in which they are written.
"""

from collections.abc import Callable, Mapping
from typing import Final, Literal, get_args

from msgspec import Struct

from domain.errors import BadInput
from domain.facts import MAX_INT
from domain.simulation.cheats import Channel, EdgeSorter, FirstCard
from domain.simulation.counting import COUNTS, SideCounter
from domain.simulation.habits import (
    Copycat,
    Flat,
    Habit,
    Martingale,
    Side,
    SideBettor,
    TieLover,
    Trend,
)
from domain.simulation.patrons import Patron

Given = dict[str, int | float | str]
Kind = Literal["money", "number", "share", "side", "name", "wager"]


class Option(Struct, frozen=True):
    """An option of a habit: how it is written, what it means, and what holds without it."""

    name: str
    kind: Kind
    what: str
    default: int | float | str | None = None


class HabitKind(Struct, frozen=True):
    """A habit that a lineup can name."""

    name: str
    what: str
    build: Callable[[Mapping[str, object]], tuple[Habit, Channel | None]]
    options: tuple[Option, ...] = ()


_UNIT: Final = Option("unit", "money", "usual stake, in minor units", 2500)
EVERYBODY: Final = (
    _UNIT,
    Option("bankroll", "money", "chips to begin with, in minor units", 1_000_000),
    Option("sits", "share", "share of coups without a bet", 0.0),
    Option("quits", "money", "leaves when ahead by so much (without it, stays)"),
    Option("joins", "number", "sits down before that coup (0: from the start)", 0),
    Option("holds", "share", "how likely he takes the shoe when offered", 0.8),
)
"""Options that every habit takes."""


def _side(default: Side) -> Option:
    return Option("side", "side", "player, banker or random", default)


def _plain(habit: type[Habit], *names: str) -> Callable[..., tuple[Habit, Channel | None]]:
    """Build a habit whose fields are the options of these names."""

    def build(given: Mapping[str, object]) -> tuple[Habit, Channel | None]:
        return habit(**{name: given[name] for name in ("unit", *names)}), None  # type: ignore[arg-type]

    return build


def _trend(*, follows: bool) -> Callable[..., tuple[Habit, Channel | None]]:
    return lambda given: (Trend(unit=given["unit"], follows=follows), None)


def _edge_sorter(given: Mapping[str, object]) -> tuple[Habit, Channel | None]:
    names = ("unit", "camouflage", "spread")
    sorter = EdgeSorter(**{name: given[name] for name in names})  # type: ignore[arg-type]
    return sorter, FirstCard(accuracy=given["accuracy"])  # type: ignore[arg-type]


HABITS: Final[dict[str, HabitKind]] = {
    kind.name: kind
    for kind in (
        HabitKind("flat", "the same stake every coup", _plain(Flat, "side"), (_side("banker"),)),
        HabitKind("trend", "bets on the side that won last", _trend(follows=True)),
        HabitKind("anti-trend", "bets against the side that won last", _trend(follows=False)),
        HabitKind(
            "martingale",
            "doubles after each loss, up to the table's maximum",
            _plain(Martingale, "side"),
            (_side("banker"),),
        ),
        HabitKind(
            "tie-lover",
            "a main bet, and the tie beside it on most coups",
            _plain(TieLover, "side"),
            (_side("player"),),
        ),
        HabitKind(
            "side-bettor",
            "a main bet, and a side bet by whim every coup",
            _plain(SideBettor, "side"),
            (_side("random"),),
        ),
        HabitKind(
            "copycat",
            "bets as another does",
            _plain(Copycat, "of"),
            (Option("of", "name", "whom he copies (empty: the largest bet)", ""),),
        ),
        HabitKind(
            "counter",
            "counts a side bet by the cards that everybody saw, and bets it when it pays",
            _plain(SideCounter, "side", "wager", "margin"),
            (
                _side("banker"),
                Option("wager", "wager", f"{', '.join(COUNTS)} (empty: all)", ""),
                Option("margin", "share", "expectation that he asks for, of the stake", 0.0),
            ),
        ),
        HabitKind(
            "quitter",
            "a flat bettor who leaves when ahead",
            _plain(Flat, "side"),
            (_side("random"), Option("quits", "money", "leaves when ahead by so much", 10_000)),
        ),
        HabitKind(
            "sitter-out",
            "a flat bettor who sits out now and then",
            _plain(Flat, "side"),
            (_side("random"), Option("sits", "share", "share of coups without a bet", 0.3)),
        ),
        HabitKind(
            "edge-sorter",
            "knows by its back whether the first card is 6 to 9: Player if so, else Banker",
            _edge_sorter,
            (
                Option("accuracy", "share", "how often he reads the back right", 1.0),
                Option("camouflage", "share", "share of coups that he plays by whim", 0.0),
                Option("spread", "number", "times the unit that he stakes when he knows", 1),
            ),
        ),
    )
}
"""Every habit that a lineup can name."""


def parse_lineup(text: str, seats: int) -> tuple[Patron, ...]:
    """Read a lineup for a table of so many seats.

    Raises:
        BadInput: a habit or option is unknown, a value is out of range, or seats are too few.
    """
    patrons: list[Patron] = []
    numbers: dict[str, int] = {}
    for group in filter(None, (part.strip() for part in text.split(","))):
        kind, count, given = _read_group(group)
        if len(patrons) + count > seats:
            raise BadInput(f"the table has {seats} seats; write fewer patrons than {text!r}")
        for _ in range(count):
            numbers[kind.name] = numbers.get(kind.name, 0) + 1
            name = f"{kind.name}-{numbers[kind.name]}"
            patrons.append(_patron(kind, name, len(patrons) + 1, given))
    if not patrons:
        raise BadInput("a lineup names one patron at least, as in flat:3,trend:2")
    return tuple(patrons)


def _patron(kind: HabitKind, name: str, seat: int, given: Given) -> Patron:
    options = {option.name: option.default for option in (*EVERYBODY, *kind.options)} | given
    habit, channel = kind.build(options)
    return Patron(
        name=name,
        seat=seat,
        habit=habit,
        channel=channel,
        bankroll=options["bankroll"],  # type: ignore[arg-type]
        sits_out=options["sits"],  # type: ignore[arg-type]
        quits_ahead=options["quits"],  # type: ignore[arg-type]
        joins=options["joins"],  # type: ignore[arg-type]
        holds=options["holds"],  # type: ignore[arg-type]
    )


def _read_group(text: str) -> tuple[HabitKind, int, Given]:
    name, *rest = (part.strip() for part in text.split(":"))
    kind = HABITS.get(name)
    if kind is None:
        raise BadInput(f"there is no habit {name!r}; there are {', '.join(HABITS)}")
    count = 1
    if rest and "=" not in rest[0]:
        count = int(_number(rest.pop(0), f"the number of {name} patrons", least=1, most=200))
    known = {option.name: option for option in (*EVERYBODY, *kind.options)}
    given: Given = {}
    for part in rest:
        key, _, value = part.partition("=")
        if key not in known:
            raise BadInput(f"{name} has no option {key!r}; it has {', '.join(known)}")
        given[key] = _value(known[key], value, name)
    return kind, count, given


def _value(option: Option, text: str, habit: str) -> int | float | str:
    what = f"{habit}'s {option.name}"
    match option.kind:
        case "money" | "number":
            return int(_number(text, what, least=int(option.kind == "money"), most=MAX_INT))
        case "share":
            return _share(text, what)
        case "side":
            return _one_of(text, what, get_args(Side))
        case "wager":
            return _one_of(text, what, ("", *COUNTS))
        case "name":
            return text


def _number(text: str, what: str, least: int, most: int) -> int:
    if not (text.isascii() and text.isdigit() and least <= int(text[:20]) <= most):
        raise BadInput(f"{what} is a whole number from {least}, not {text!r}")
    return int(text)


def _share(text: str, what: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0.0 <= share <= 1.0:
        raise BadInput(f"{what} is a share from 0 to 1, not {text!r}")
    return share


def _one_of(text: str, what: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise BadInput(f"{what} is {', '.join(filter(None, allowed))}, not {text!r}")
    return text
