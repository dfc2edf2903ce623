"""Rules on tables.

A table is open while coups are dealt, and deals one shoe at a time, in the currency and the game of
the table. The next shoe continues from the last holder.
"""

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple, get_args

from sabot.domain.audit import floor_needs
from sabot.domain.audit.floor_view import (
    DealtCoup,
    Floor,
    Moment,
    ShoeSummary,
    TableView,
    of_one_kind_of_clock,
    time_of,
)
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import (
    CardDrawn,
    ShoeLoaded,
    ShoePassed,
    ShoeTaken,
    TableClosed,
    TableOpened,
)
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.labels import game_label
from sabot.domain.rules.rule_pack import GameName
from sabot.domain.rules.sources import (
    COMAR_36_05_03_02,
    HOUSE_CONVENTION,
    LAC_42_III_3105,
    SINGAPORE_CASINO_CONTROL_ACT_100,
    WIKIPEDIA_BACCARAT_MACAO,
)
from sabot.domain.timeline.evidence import answered
from sabot.domain.timeline.sequence import OPENED_BEFORE_PLAY

TABLES = RuleGroup(family="integrity", concerns="game")

# -- Closed tables --------------------------------------------------------------------------------


class Closure(NamedTuple):
    """A period in which a table was closed.

    ``since`` is None for a closure before the first recorded opening. ``until`` is None for a
    closure that has not ended.
    """

    since: RecordedEvent | None
    until: RecordedEvent | None

    @property
    def events(self) -> tuple[RecordedEvent, ...]:
        """The events that begin and end the closure."""
        return tuple(event for event in (self.since, self.until) if event is not None)

    def covers(self, coup: DealtCoup, tolerance_us: int) -> bool:
        """Return whether the table was certainly closed during a part of the coup."""
        since, until = self.since, self.until
        return (since is None or time_of(since) + tolerance_us < coup.last.us) and (
            until is None or coup.first.us + tolerance_us < time_of(until)
        )

    def card_of(self, coup: DealtCoup) -> Moment:
        """Return a card drawn while the table was closed.

        It is the first card of the coup, or the last one if the table was still open at the first.
        """
        began_open = self.since is not None and coup.first.us <= time_of(self.since)
        return coup.last if began_open else coup.first


def _closures(view: TableView) -> list[Closure]:
    """Return the periods in which the table was closed, by its record."""
    found: list[Closure] = []
    since: RecordedEvent | None = None
    known = False
    for session in view.table.sessions:
        if session.opened is not None and (since is not None or not known):
            found.append(Closure(since, session.opened))
            since, known = None, True
        if session.closed is not None:
            since, known = session.closed, True
    return [*found, Closure(since, None)] if since is not None else found


@need("table", "no opening or closing of the table was recorded")
def opening_on_record(view: TableView) -> bool:
    """The record holds when the table was opened or closed."""
    return bool(_closures(view))


class _Dealt(NamedTuple):
    """Coups of one shoe whose clocks can, or cannot, be compared with the table's."""

    shoe: ShoeSummary
    coups: list[DealtCoup]
    comparable: bool


@each("shoe", "no coup was dealt at the table", about="shoe")
def _dealt(view: TableView) -> Sequence[_Dealt]:
    """Return the coups of each shoe dealt at the table, separately if clocks cannot be compared."""
    clocked = {move.at_us is not None for closure in _closures(view) for move in closure.events}
    found = []
    for shoe in view.shoes:
        kinds: dict[bool, list[DealtCoup]] = {}
        for coup in shoe.dealt:
            one_kind = len(clocked | {coup.first.clocked, coup.last.clocked}) == 1
            kinds.setdefault(one_kind, []).append(coup)
        found += [_Dealt(shoe, coups, comparable) for comparable, coups in kinds.items()]
    return found


@TABLES.rule(
    "F601",
    "play-at-closed-table",
    order=(OPENED_BEFORE_PLAY,),
    sources=(COMAR_36_05_03_02, LAC_42_III_3105),
    looks_at="table",
    needs=(opening_on_record,),
    each=_dealt,
    breach_events=(CardDrawn, TableOpened, TableClosed),
    breaks="""
        table T1 table-opened {"inventory": 1000}
        table T1 table-closed {"inventory": 1000}
        shoe H-1 {"table": "T1"}
    """,
    keeps="""
        table T1 table-opened {"inventory": 1000}
        shoe H-1 {"table": "T1"}
        table T1 table-closed {"inventory": 1000}
    """,
)
def play_at_closed_table(view: TableView, dealt: _Dealt) -> Iterator[Breach]:
    """A table is open while coups are dealt at it.

    A table is closed from a closing to the next opening. It is also closed before the first opening
    on record, unless a closing comes first. A coup lasts from its first card to its last, without
    burned cards. It is a breach if any part of a coup lies in a closure, beyond the clock tolerance
    of the rule pack. Voided coups are checked too. All coups of a shoe are one finding, which shows
    a card of the first coup. A shoe is not judged if all its coups came before the first opening on
    record: the record may begin later than the table. A shoe is not judged either if its clocks
    cannot be compared with the table's, because only one of the two has times of the table's clock.
    """
    shoe, coups, comparable = dealt
    if not comparable:
        raise floor_needs.clocks_apart()
    closures, tolerance = _closures(view), shoe.tolerance_us
    first = closures[0].until if closures[0].since is None else None
    # the record does not say whether the table was open before
    earlier = first is not None and coups[-1].last.us <= time_of(first) + tolerance
    answered("a shoe was dealt before the first recorded opening of the table" if earlier else None)
    while_closed = [
        (coup, closure) for coup in coups for closure in closures if closure.covers(coup, tolerance)
    ]
    if not while_closed:
        return
    coup, closure = while_closed[0]
    more = len({each.coup for each, _ in while_closed}) - 1
    yield Breach(
        f"shoe {shoe.name} was dealt at {shoe.table} while the table was closed: "
        f"coup {coup.coup}{f', and {more} more' if more else ''}",
        "a table is open while coups are dealt at it",
        "no opening since it was closed" if closure.since is not None else "no opening before it",
        closure.events[:1],
        shoe=shoe.name,
        key=("shoe", shoe.name),
        cards=(closure.card_of(coup),),
    )


# -- Shoes of a table -----------------------------------------------------------------------------

_Pair = tuple[ShoeSummary, ShoeSummary]
"""A shoe, and one that was dealt or loaded before it."""


@each("later shoe", "the table dealt only one shoe", about="shoe")
def _dealt_after(floor: Floor) -> Sequence[_Pair]:
    """Return each shoe of a table after the first, with the earlier shoe that ended last.

    A shoe without a coup is not checked.
    """
    pairs: list[_Pair] = []
    for shoes in floor.at_table.values():
        dealt = [shoe for shoe in shoes if shoe.dealt]
        dealt.sort(key=lambda shoe: (shoe.dealt.first.us, shoe.name))
        pairs += zip(dealt[1:], accumulate(dealt, _that_ended_last), strict=False)
    return pairs


def _that_ended_last(one: ShoeSummary, other: ShoeSummary) -> ShoeSummary:
    return max(one, other, key=lambda shoe: shoe.dealt.last.us)


@TABLES.rule(
    "F602",
    "two-shoes-at-table",
    sources=(HOUSE_CONVENTION,),
    looks_at="floor",
    each=_dealt_after,
    breach_events=(CardDrawn,),
    breaks="""
        shoe H-1 {"table": "T1"} open
        shoe H-2 {"table": "T1"}
        shoe H-1 coup-opened {"coup": 2}
        shoe H-1 no-more-bets {"coup": 2}
        shoe H-1 card-drawn {"coup": 2, "hand": "player", "card": "4"}
    """,
    keeps="""
        shoe H-1 {"table": "T1"}
        shoe H-2 {"table": "T1"}
    """,
)
def two_shoes_at_table(_floor: Floor, pair: _Pair) -> Iterator[Breach]:
    """The first card of a shoe comes after the last card of every earlier shoe at its table.

    Cards of voided coups are included, burned cards are not. The clock tolerance of the rule pack
    is allowed. Two shoes are not judged if one has times of the table's clock and the other only
    the recorded clock.
    """
    shoe, other = pair
    first, last = shoe.dealt.first, other.dealt.last
    if first.clocked is not last.clocked:
        raise floor_needs.clocks_apart()
    if first.us + shoe.tolerance_us < last.us:
        yield Breach(
            f"shoe {shoe.name} was dealt at {shoe.table} while shoe {other.name} was",
            "one shoe at a table at a time",
            f"shoe {other.name} went on after the first card of {shoe.name}",
            shoe=shoe.name,
            key=("shoe", shoe.name),
            cards=(first, last),
        )


@each(
    "shoe with a first banker",
    "no shoe names a first banker",
    "record-incomplete",
    "shoe",
)
def _going_on(floor: Floor) -> Sequence[_Pair]:
    """Return each shoe with a first banker, with the shoe loaded before it at the table.

    A shoe without a first banker, or whose loading is not on record, is not checked.
    """
    return [
        (shoe, before)
        for shoes in floor.at_table.values()
        for before, shoe in pairwise(shoe for shoe in shoes if shoe.loaded is not None)
        if shoe.banked is not None
    ]


@TABLES.rule(
    "H505",
    "wrong-first-banker",
    sources=(WIKIPEDIA_BACCARAT_MACAO, HOUSE_CONVENTION),
    family="procedure",
    concerns="form",
    looks_at="floor",
    each=_going_on,
    breach_events=(ShoeLoaded, ShoeTaken, ShoePassed),
    breaks="""
        shoe H-1 {"table": "T1"} open
        shoe H-1 shoe-taken {"by": "p1"}
        shoe H-1 shoe-ended {"left": 410, "counted": 416, "reason": "withdrawn"}
        shoe H-2 {"table": "T1", "banked": "p2"}
    """,
    keeps="""
        shoe H-1 {"table": "T1"} open
        shoe H-1 shoe-taken {"by": "p1"}
        shoe H-1 shoe-ended {"left": 410, "counted": 416, "reason": "withdrawn"}
        shoe H-2 {"table": "T1", "banked": "p1"}
    """,
)
def wrong_first_banker(floor: Floor, pair: _Pair) -> Iterator[Breach]:
    """The next shoe at a table continues from the patron who held the last shoe at its end.

    The last shoe is the one that was loaded at the table before this shoe. The holder of the last
    shoe is the person in whose hands it was last, even if that person passed it before its end. If
    nobody took the last shoe, its holder is the first banker that it names. If no holder is on
    record, any first banker is accepted. The shoes of a table are not judged if only some of their
    loadings have times of the table's clock.
    """
    shoe, before = pair
    if not of_one_kind_of_clock(each.loaded for each in floor.at_table[shoe.table or ""]):
        raise floor_needs.clocks_apart()
    if before.last_holder not in (None, shoe.banked):
        yield Breach(
            f"{shoe.name} starts with {shoe.banked}, but {before.last_holder} held the shoe last",
            f"{before.last_holder}, who held {before.name} last",
            str(shoe.banked),
            (*shoe.loading, *(before.loading if before.held is None else (before.held,))),
            shoe=shoe.name,
            patron=shoe.banked,
        )


# -- Currency and game -----------------------------------------------------------------------------


@need("table", "the record does not give the currency of the table")
def currency_on_record(view: TableView) -> bool:
    """The record holds an opening of the table with its currency."""
    return any(session.currency is not None for session in view.table.sessions)


@each("shoe with a rule pack", "no shoe of the table has a rule pack", about="shoe")
def _with_pack(view: TableView) -> Sequence[ShoeSummary]:
    """Return the shoes of a table whose loading and rule pack are on record.

    A shoe without its loading or a readable rule pack is not checked.
    """
    return [shoe for shoe in view.shoes if shoe.pack is not None and shoe.loaded is not None]


@TABLES.rule(
    "F610",
    "currency-of-another-table",
    concerns="record",
    sources=(HOUSE_CONVENTION,),
    looks_at="table",
    needs=(currency_on_record,),
    each=_with_pack,
    breach_events=(ShoeLoaded, TableOpened),
    breaks="""
        table T1 table-opened {"inventory": 1000, "currency": "CHF"}
        shoe H-1 {"table": "T1"}
    """,
    keeps="""
        table T1 table-opened {"inventory": 1000, "currency": "EUR"}
        shoe H-1 {"table": "T1"}
    """,
)
def currency_of_another_table(view: TableView, shoe: ShoeSummary) -> Iterator[Breach]:
    """A shoe is played in the currency of its table at the time when the shoe was loaded.

    The currency of a table is that of its last opening with a currency before the shoe was loaded.
    A shoe loaded before the first such opening is compared with that opening. An opening within the
    clock tolerance of the rule pack may have come before or after the loading. Capital and small
    letters make no difference. If the clocks cannot be compared, a shoe is judged only if the
    answer is the same for every opening.
    """
    assert shoe.pack is not None
    played = shoe.pack.money.currency
    others = _opened_otherwise(view, shoe, _currency, played.upper())
    if others:
        currencies = dict.fromkeys(map(_currency, others))
        yield Breach(
            f"shoe {shoe.name} was played in {played} at a table of {', '.join(currencies)}",
            f"a shoe in {' or '.join(currencies)}",
            f"a rule pack in {played}",
            (*shoe.loading, *others[:1]),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


@need("table", "the record does not give the game of the table")
def game_on_record(view: TableView) -> bool:
    """The record holds an opening of the table that names a game of a rule pack."""
    return any(_game(each.opened) for each in view.table.sessions if each.opened is not None)


@TABLES.rule(
    "F611",
    "game-of-another-table",
    concerns="record",
    sources=(SINGAPORE_CASINO_CONTROL_ACT_100,),
    looks_at="table",
    needs=(game_on_record,),
    each=_with_pack,
    breach_events=(ShoeLoaded, TableOpened),
    breaks="""
        table T1 table-opened {"inventory": 1000, "game": "chemin-de-fer"}
        shoe H-1 {"table": "T1"}
    """,
    keeps="""
        table T1 table-opened {"inventory": 1000, "game": "punto-banco"}
        shoe H-1 {"table": "T1"}
    """,
)
def game_of_another_table(view: TableView, shoe: ShoeSummary) -> Iterator[Breach]:
    """A shoe is dealt in the game for which its table was opened.

    The game of a table is that of its last opening with a game before the shoe was loaded. An
    opening whose `game` is not a game of a rule pack is ignored: the house may use names of its
    own. A shoe loaded before the first opening with a game is compared with that opening. An
    opening within the clock tolerance of the rule pack may have come before or after the loading.
    If the clocks cannot be compared, a shoe is judged only if the answer is the same for every
    opening.
    """
    assert shoe.pack is not None
    game = shoe.pack.game
    others = _opened_otherwise(view, shoe, _game, game)
    if others:
        games = " or ".join(dict.fromkeys(game_label(_game(each)) for each in others))
        yield Breach(
            f"shoe {shoe.name} was dealt in {game_label(game)} at a table opened for {games}",
            f"a shoe of {games}",
            f"a rule pack of {game_label(game)}",
            (*shoe.loading, *others[:1]),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


_Opening = RecordedEvent[TableOpened]


def _currency(opened: _Opening) -> str:
    return (opened.payload.currency or "").upper()


def _game(opened: _Opening) -> str:
    """Return the game of an opening, or an empty text if it names no game of a rule pack."""
    game = (opened.payload.game or "").strip().lower().replace(" ", "-").replace("_", "-")
    return game if game in get_args(GameName) else ""


def _opened_otherwise(
    view: TableView, shoe: ShoeSummary, told: Callable[[_Opening], str], played: str
) -> list[_Opening]:
    """Return the openings that may count for a shoe, if none of them tells what was played.

    Raises:
        Unknown: the clocks do not show which opening counts.
    """
    opened = _opened_for(view, shoe, told)
    others = [each for each in opened if told(each) != played]
    if len(others) == len(opened):
        return others
    if others and not of_one_kind_of_clock((*opened, *shoe.loading)):
        raise floor_needs.clocks_apart()
    return []


def _opened_for(
    view: TableView, shoe: ShoeSummary, told: Callable[[_Opening], str]
) -> list[_Opening]:
    """Return the openings of a kind, one of which is the last before the shoe was loaded."""
    sessions = view.table.sessions
    opened = [each.opened for each in sessions if each.opened is not None and told(each.opened)]
    if not of_one_kind_of_clock((*opened, *shoe.loading)):
        return opened
    tolerance = shoe.tolerance_us
    certain = sum(time_of(each) + tolerance < shoe.begins for each in opened)
    possible = sum(time_of(each) - tolerance <= shoe.begins for each in opened)
    return opened[max(certain - 1, 0) : possible] or opened[:1]


RULES = (*TABLES.rules,)
"""Every rule of this module."""
