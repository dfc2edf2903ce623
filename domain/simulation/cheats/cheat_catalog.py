"""The cheats that a lineup of simulated patrons can name.

Each cheat has hidden knowledge, a scheme that prepares it, and a list of the tests that detect it.

Source: the public cases that docs/protection.md lists.
"""

from collections.abc import Callable
from typing import Final, TypedDict

from sabot.domain.simulation.cheats.cheats import EdgeSorter, Knower, LateMover, Spotter
from sabot.domain.simulation.cheats.knowledge import Channel, FirstCard, FirstFour, Outcome
from sabot.domain.simulation.cheats.schemes import (
    Cooler,
    EarlyCards,
    FalseShuffle,
    FilmedCut,
    Scheme,
    SortedBacks,
)
from sabot.domain.simulation.patrons.habits import Flat
from sabot.domain.simulation.patrons.options import HabitKind, Option, Options, Plays
from sabot.domain.simulation.patrons.patron import Favour

_ACCURACY: Final = Option("accuracy", "share", "how often the knowledge is right", 1.0)
_VALUES: Final = Option("values", "values", "the values that are told apart from the rest", "6789")
_HIDES: Final = (
    Option("camouflage", "share", "share of coups played at random", 0.0),
    Option("works", "share", "share of blocks of ten coups with any cheating", 1.0),
    Option("spread", "times", "stake in units when the card is known", 1),
    Option("relay", "number", "1: the patrons of the group take turns at betting on it", 0),
)
_SORTED: Final = ("next-card", "backs-against-rank", "backs-across-shoes")
_KNOWER: Final = (_ACCURACY, *_HIDES)


class _Hides(TypedDict):
    """How a cheat stakes, hides and takes turns."""

    unit: int
    camouflage: float
    works: float
    spread: int
    team: int
    turn: int


def _hides(given: Options) -> _Hides:
    relay = bool(given.whole("relay"))
    return {
        "unit": given.whole("unit"),
        "camouflage": given.share("camouflage"),
        "works": given.share("works"),
        "spread": given.whole("spread"),
        "team": given.whole("count") if relay else 1,
        "turn": given.whole("index") if relay else 0,
    }


def _class_of(given: Options) -> frozenset[int]:
    return frozenset(map(int, given.text("values")))


def _edge_sorter(given: Options) -> Plays:
    values = _class_of(given)
    return Plays(
        EdgeSorter(**_hides(given), silent=bool(given.whole("silent"))),
        FirstCard(values, given.share("accuracy")),
        SortedBacks(values),
    )


def _four_reader(given: Options) -> Plays:
    values = _class_of(given)
    return Plays(
        EdgeSorter(**_hides(given)),
        FirstFour(values, given.share("accuracy")),
        EarlyCards(values),
    )


def _class_reader(given: Options) -> Plays:
    channel = FirstCard(_class_of(given), given.share("accuracy"))
    return Plays(Knower(**_hides(given)), channel)


def _outcome(given: Options, *, everywhere: bool = False) -> Channel:
    return Outcome(given.share("accuracy"), everywhere)


def _knower(scheme: Callable[[Options], Scheme] | None) -> Callable[[Options], Plays]:
    """Return a cheat who knows the outcomes, either of the cards known by a scheme or of all."""

    def build(given: Options) -> Plays:
        channel = _outcome(given, everywhere=scheme is None)
        made = None if scheme is None else scheme(given)
        return Plays(Knower(**_hides(given)), channel, made)

    return build


def _late(given: Options) -> Plays:
    habit = LateMover(unit=given.whole("unit"), share=given.share("share"))
    return Plays(habit, _outcome(given, everywhere=True))


def _capper(given: Options) -> Plays:
    return Plays(LateMover(unit=given.whole("unit"), share=given.share("share"), moment="result"))


def _friend(given: Options) -> Plays:
    favour = Favour(given.share("share"), given.text("dealer"))
    return Plays(Flat(unit=given.whole("unit"), side="random"), favour=favour)


CHEATS: Final = (
    HabitKind(
        "edge-sorter",
        "sees by its back whether the first card is 6 to 9; bets on Player if so, else on Banker",
        _edge_sorter,
        (*_KNOWER, _VALUES, Option("silent", "number", "1: a spotter makes the requests", 0)),
        _SORTED,
    ),
    HabitKind(
        "spotter",
        "bets the minimum at random, and makes the requests that an edge sorter needs",
        lambda given: Plays(Spotter(unit=given.whole("unit"))),
        (),
        ("requests, in the case file",),
    ),
    HabitKind(
        "marked-cards",
        "knows the class of the first card by marks that no device reads",
        _class_reader,
        (*_KNOWER, _VALUES),
        ("next-card",),
    ),
    HabitKind(
        "first-card-peek",
        "sees the first card before betting, and so knows its class",
        _class_reader,
        (*_KNOWER, _VALUES),
        ("next-card",),
    ),
    HabitKind(
        "four-reader",
        "reads the sorted backs of the first four cards, dealt before the bets close",
        _four_reader,
        (*_KNOWER, _VALUES),
        (*_SORTED, "first-four", "audit: cards before the call"),
    ),
    HabitKind(
        "slug-tracker",
        "knows a run of cards kept by a false shuffle, in every second shoe",
        _knower(lambda given: FalseShuffle(given.whole("cards"))),
        (*_KNOWER, Option("cards", "number", "cards in the run", 60)),
        ("whole-coup", "order-of-the-shoe"),
    ),
    HabitKind(
        "unshuffled",
        "knows every second shoe, which repeats the order of the shoe before",
        _knower(lambda _given: FalseShuffle(8 * 52)),
        _KNOWER,
        ("whole-coup", "order-of-the-shoe"),
    ),
    HabitKind(
        "cooler",
        "knows every second shoe, switched for a prepared one",
        _knower(lambda _given: Cooler()),
        _KNOWER,
        ("whole-coup", "order-of-the-shoe"),
    ),
    HabitKind(
        "cutter",
        "knows a stretch of cards, filmed when the cut card was drawn along the pack",
        _knower(lambda given: FilmedCut(given.whole("cards"), given.whole("begins"))),
        (
            *_KNOWER,
            Option("cards", "number", "number of known cards", 120),
            Option("begins", "number", "place of the first known card in the shoe", 150),
        ),
        ("whole-coup",),
    ),
    HabitKind(
        "insider",
        "knows the result of each coup, from a dealer's signs or an image of the shoe",
        _knower(None),
        _KNOWER,
        ("whole-coup",),
    ),
    HabitKind(
        "late-mover",
        "changes sides before a known third card, once four cards are open",
        _late,
        (_ACCURACY, Option("share", "share", "share of coups at which to try", 0.5)),
        ("late-change", "late-bets", "audit: bets changed late"),
    ),
    HabitKind(
        "capper",
        "caps a winning bet or pinches a losing one as the result is announced",
        _capper,
        (Option("share", "share", "share of coups at which to try", 0.1),),
        ("late-bets", "audit: bets changed late"),
    ),
    HabitKind(
        "friend",
        "bets at random; the dealer pays wins twice, or leaves losing bets",
        _friend,
        (
            Option("share", "share", "share of bets settled so", 0.1),
            Option("dealer", "name", "the colluding dealer (empty: any dealer)", ""),
        ),
        ("payments-cluster", "audit: payments"),
    ),
)
"""Every cheat that a lineup can name."""
