"""Parse lineups of patrons: ``flat:3,trend:2,edge-sorter:1:accuracy=0.9``.

A lineup is a list of groups separated by commas. A group is a habit, a number of patrons (default
1), and options as ``name=value``, separated by colons. Patrons are named by habit and number
(``flat-2``) and sit in the order given.
"""

from collections.abc import Callable
from typing import Final, get_args

from sabot.domain.events import MAX_INT
from sabot.domain.simulation.cheats.cheat_catalog import CHEATS
from sabot.domain.simulation.patrons.habits import (
    Copycat,
    Dawdler,
    Flat,
    Habit,
    MainCounter,
    Martingale,
    Side,
    SideBettor,
    TieLover,
    Trend,
)
from sabot.domain.simulation.patrons.options import (
    EVERYBODY,
    Given,
    HabitKind,
    Option,
    Options,
    Plays,
)
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.simulation.patrons.side_counter import COUNTS, SideCounter
from sabot.domain.values.errors import BadInput

_POINT_VALUES: Final = 10


def _side(default: Side) -> Option:
    return Option("side", "side", "player, banker or random", default)


def _plain(habit: Callable[..., Habit], *names: str) -> Callable[[Options], Plays]:
    """Return a function that builds a habit from the options with these names."""

    def build(given: Options) -> Plays:
        return Plays(habit(**given.only("unit", *names)))

    return build


def _trend(*, follows: bool) -> Callable[[Options], Plays]:
    return lambda given: Plays(Trend(unit=given.whole("unit"), follows=follows))


HABITS: Final[dict[str, HabitKind]] = {
    kind.name: kind
    for kind in (
        HabitKind(
            "flat", "bets the same stake on every coup", _plain(Flat, "side"), (_side("banker"),)
        ),
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
            "bets on Player or Banker, and on most coups also on the tie",
            _plain(TieLover, "side"),
            (_side("player"),),
        ),
        HabitKind(
            "side-bettor",
            "bets on Player or Banker, and makes a random side bet on every coup",
            _plain(SideBettor, "side"),
            (_side("random"),),
        ),
        HabitKind(
            "copycat",
            "copies the bets of another patron",
            _plain(Copycat, "of"),
            (Option("of", "name", "whom to copy (empty: the largest bet)", ""),),
        ),
        HabitKind(
            "dawdler",
            'changes sides at random after "no more bets": a breach without card knowledge',
            _plain(Dawdler, "share"),
            (Option("share", "share", "share of coups with a late change", 0.2),),
        ),
        HabitKind(
            "main-counter",
            "counts the main bets from the visible cards: legal, and worthless",
            _plain(MainCounter, "spread"),
            (Option("spread", "times", "largest stake, in units", 4),),
        ),
        HabitKind(
            "counter",
            "counts a side bet from the visible cards, and bets on it when it pays",
            _plain(SideCounter, "side", "wager", "margin"),
            (
                _side("banker"),
                Option("wager", "wager", f"{', '.join(COUNTS)} (empty: all)", ""),
                Option(
                    "margin",
                    "share",
                    "smallest expectation to bet at, as a share of the stake",
                    0.0,
                ),
            ),
        ),
        HabitKind(
            "quitter",
            "bets flat and leaves when ahead",
            _plain(Flat, "side"),
            (_side("random"), Option("quits", "money", "winnings at which to leave", 10_000)),
        ),
        HabitKind(
            "sitter-out",
            "bets flat and sits out some coups",
            _plain(Flat, "side"),
            (_side("random"), Option("sits", "share", "share of coups without a bet", 0.3)),
        ),
        *CHEATS,
    )
}
"""Every habit that a lineup can name."""


def parse_lineup(text: str, seats: int) -> tuple[Patron, ...]:
    """Parse a lineup for this number of seats.

    Raises:
        BadInput: a habit or option is unknown, a value is out of range, or seats are too few.
    """
    patrons: list[Patron] = []
    numbers: dict[str, int] = {}
    for group in filter(None, (part.strip() for part in text.split(","))):
        kind, count, given = _read_group(group)
        if len(patrons) + count > seats:
            raise BadInput(f"the table has {seats} seats; write fewer patrons than {text!r}")
        for index in range(count):
            numbers[kind.name] = numbers.get(kind.name, 0) + 1
            name = f"{kind.name}-{numbers[kind.name]}"
            of_group: Given = {"index": index, "count": count}
            patrons.append(_patron(kind, name, len(patrons) + 1, given | of_group))
    if not patrons:
        raise BadInput("a lineup names one patron at least, as in flat:3,trend:2")
    return tuple(patrons)


def _patron(kind: HabitKind, name: str, seat: int, given: Given) -> Patron:
    defaults = {option.name: option.default for option in (*EVERYBODY, *kind.options)}
    options = Options(defaults | given)
    plays = kind.build(options)
    return Patron(
        name=name,
        seat=seat,
        habit=plays.habit,
        channel=plays.channel,
        scheme=plays.scheme,
        favour=plays.favour,
        bankroll=options.whole("bankroll"),
        sits_out=options.share("sits"),
        quits_ahead=options.whole_or_none("quits"),
        joins=options.whole("joins"),
        holds=options.share("holds"),
        bank=options.whole("bank"),
        retires=options.share("retires"),
        raises=options.share("raises"),
        banco=options.share("banco"),
        whim=options.share("whim"),
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
        case "money" | "number" | "times":
            return int(_number(text, what, least=int(option.kind != "number"), most=MAX_INT))
        case "share":
            return _share(text, what)
        case "side":
            return _one_of(text, what, get_args(Side))
        case "values":
            return _values(text, what)
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


def _values(text: str, what: str) -> str:
    once = len(set(text)) == len(text) < _POINT_VALUES  # all of them would tell nothing
    if not (text.isascii() and text.isdigit() and once):
        raise BadInput(f"{what} are point values, as 6789, not {text!r}")
    return text


def _one_of(text: str, what: str, allowed: tuple[str, ...]) -> str:
    if text not in allowed:
        raise BadInput(f"{what} is {', '.join(filter(None, allowed))}, not {text!r}")
    return text
