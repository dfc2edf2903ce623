"""Rules of a table: it is open while it is dealt at, and one shoe is dealt there at a time.

Rules of the sessions of a day: each shoe of one is called once, and each has cards of its own.

They look at all shoes of a table, or of a batch of cards, which say themselves of which session
they are. A shoe that does not say it is left aside.
"""

from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from msgspec import Struct

from sabot.domain.audit.floor_view import (
    NO_CLOCK,
    Dealt,
    Floor,
    ShoeSummary,
    TableInterval,
    TableView,
    clock,
)
from sabot.domain.audit.rule import Answer, Breach, Doubt, Rule
from sabot.domain.events.bank import SessionCalled
from sabot.domain.events.envelope import RecordedEvent, events_of

_BEFORE_RECORD: Final = "a shoe was dealt out before the first opening of the table on record"


class DealtWrong(Breach, frozen=True):
    """A breach that cards show of which no more is kept than when they came: ``sighted``.

    They are what it is about, and ``events`` the events beside them.
    """

    sighted: tuple[TableInterval, ...] = ()


class Closure(Struct, frozen=True):
    """A time in which a table was closed: since when, until when; None: its record does not say.

    Without ``since`` it is the time before the record's first opening; without ``until`` it lasts.
    """

    since: RecordedEvent | None
    until: RecordedEvent | None

    @property
    def moves(self) -> tuple[RecordedEvent, ...]:
        """The events that tell of it."""
        return tuple(event for event in (self.since, self.until) if event is not None)

    def holds(self, coup: Dealt, tolerance: int) -> bool:
        """Tell whether the table was surely closed while a coup was dealt."""
        since, until = self.since, self.until
        return (since is None or clock(since) + tolerance < coup.last.us) and (
            until is None or coup.first.us + tolerance < clock(until)
        )

    def sighted(self, coup: Dealt) -> TableInterval:
        """Return the card that shows it: the first of a coup, unless the table closed behind it."""
        began_open = self.since is not None and coup.first.us <= clock(self.since)
        return coup.last if began_open else coup.first


def _tolerance(shoe: ShoeSummary) -> int:
    clocks = shoe.pack.clocks if shoe.pack is not None else None
    return 1000 * clocks.tolerance_ms if clocks is not None else 0


def _closed(view: TableView) -> Answer:
    closures = _closures(view)
    if not closures:
        return "no opening or closing of the table was recorded"
    shoes = [shoe for shoe in view.shoes if shoe.dealt]
    if not shoes:
        return "no coup was dealt at the table"
    answers = [_when_closed(shoe, closures) for shoe in shoes]
    if all(isinstance(answer, str) for answer in answers):
        return next(answer for answer in answers if isinstance(answer, str))
    return tuple(
        each
        for answer in answers
        for each in ((Doubt(answer),) if isinstance(answer, str) else answer)
    )


def _closures(view: TableView) -> list[Closure]:
    """Return when the table was closed, as far as its record says."""
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


def _when_closed(shoe: ShoeSummary, closures: list[Closure]) -> Answer:
    """Say whether a shoe was dealt at its table when that was closed: one breach, if it was."""
    clocked = {move.at_us is not None for each in closures for move in each.moves}
    coups = list(shoe.dealt)
    judged = [coup for coup in coups if len(clocked | {coup.first.clocked, coup.last.clocked}) == 1]
    if not judged:
        return NO_CLOCK
    tolerance = _tolerance(shoe)
    first = closures[0].until if closures[0].since is None else None
    if first is not None and judged[-1].last.us <= clock(first) + tolerance:
        # of the table there is no record yet: whatever it was, nobody wrote it down
        return _BEFORE_RECORD
    found = [
        (coup, closure) for coup in judged for closure in closures if closure.holds(coup, tolerance)
    ]
    doubts = (Doubt(NO_CLOCK),) if len(judged) < len(coups) else ()
    return (*doubts, _dealt_closed(shoe, found)) if found else doubts


def _dealt_closed(shoe: ShoeSummary, found: list[tuple[Dealt, Closure]]) -> Breach:
    coup, closure = found[0]
    more = len({each.coup for each, _ in found}) - 1
    later = f", and {more} more" if more else ""
    return DealtWrong(
        f"shoe {shoe.name} was dealt at {shoe.table} when the table was closed: "
        f"coup {coup.coup}{later}",
        "a table is open while coups are dealt at it",
        "no opening since it was closed" if closure.since is not None else "no opening before it",
        closure.moves[:1],
        shoe=shoe.name,
        key=("shoe", shoe.name),
        sighted=(closure.sighted(coup),),
    )


def _two_shoes(floor: Floor) -> Answer:
    tables = {
        table: dealt
        for table, shoes in floor.at_table.items()
        if (dealt := [shoe for shoe in shoes if shoe.dealt])
    }
    if all(len(shoes) < 2 for shoes in tables.values()):  # noqa: PLR2004 - one beside another
        return "no two shoes were dealt at one table"
    return tuple(each for shoes in tables.values() for each in _beside(shoes))


def _beside(shoes: list[ShoeSummary]) -> Iterator[Breach | Doubt]:
    """Yield a breach for each shoe that was begun before one begun earlier was dealt out."""
    shoes = sorted(shoes, key=lambda shoe: (shoe.dealt.first.us, shoe.name))
    longest = shoes[0]
    for shoe in shoes[1:]:
        first, last = shoe.dealt.first, longest.dealt.last
        if first.clocked is not last.clocked:
            yield Doubt(NO_CLOCK)
        elif first.us + _tolerance(shoe) < last.us:
            yield DealtWrong(
                f"shoe {shoe.name} was dealt at {shoe.table} while shoe {longest.name} was",
                "one shoe at a table at a time",
                f"shoe {longest.name} went on after the first card of {shoe.name}",
                shoe=shoe.name,
                key=("shoe", shoe.name),
                sighted=(first, last),
            )
        longest = max(longest, shoe, key=lambda each: each.dealt.last.us)


TABLE_RULES = (
    Rule(
        "F601",
        "play-at-closed-table",
        "integrity",
        "high",
        "What is dealt at a closed table is in no count of it, and nobody watches.",
        ("field-facts.md 6 (master game: opener and closer)", "COMAR 36.05.03.02, .25"),
        on_table=_closed,
    ),
    Rule(
        "F602",
        "two-shoes-at-table",
        "integrity",
        "high",
        "A second shoe beside the one in use is how cards in a known order come to a table.",
        ("field-facts.md 4 (cooler), 6 (shoe record)",),
        on_floor=_two_shoes,
        by_clock=True,
    ),
)


_Session = tuple[str, str, int]
"""A table, a day, and which session of it."""


def _called_again(floor: Floor) -> Answer:
    calls = [
        (shoe, event, event.payload)
        for shoe in floor.shoes
        for event in events_of(SessionCalled, shoe.sessions)
        if shoe.table is not None and _numbers(shoe)
    ]
    if not calls:
        return "no shoe of a table says of which session it is"
    first: dict[tuple[str | None, str, int, int], tuple[ShoeSummary, RecordedEvent]] = {}
    found = []
    for shoe, event, payload in calls:
        key = (shoe.table, payload.day, payload.session, payload.shoe)
        before, call = first.setdefault(key, (shoe, event))
        if before is shoe:
            continue
        said = f"shoe {payload.shoe} of session {payload.session} was called a second time"
        due = f"one such shoe at {shoe.table} on {payload.day}: {before.name} was it"
        found.append(Breach(said, due, said, (event, call), shoe=shoe.name))
    return tuple(found)


def _numbers(shoe: ShoeSummary) -> bool:
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    return rule is not None and (rule.sessions is not None or rule.shoes is not None)


def _used_cards(floor: Floor) -> Answer:
    pairs = [
        (name, before, shoe)
        for name, shoes in floor.of_batch.items()
        for before, shoe in pairwise([each for each in shoes if _session(each) is not None])
        if shoe.pack is not None and shoe.pack.tableaux is not None
        if shoe.pack.tableaux.new_cards
    ]
    if not pairs:
        return "no two shoes of the same cards say of which session they are, or none need new ones"
    return tuple(
        Breach(
            f"shoe {shoe.name} was loaded with cards of another session",
            "new cards for every session",
            f"batch {name}, of which {before.name} was made in {_said(before)}",
            tuple(each for each in (shoe.loaded, before.loaded) if each is not None),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )
        for name, before, shoe in pairs
        if _session(before) != _session(shoe) and not any(_renewed(floor, name, before, shoe))
    )


def _session(shoe: ShoeSummary) -> _Session | None:
    if not shoe.sessions:
        return None
    payload = shoe.sessions[-1].payload
    return (shoe.table or "", payload.day, payload.session)


def _said(shoe: ShoeSummary) -> str:
    table, day, session = _session(shoe) or ("", "", 0)
    return f"session {session} of {day}" + (f" at {table}" if table else "")


def _renewed(
    floor: Floor, name: str, before: ShoeSummary, shoe: ShoeSummary
) -> Iterator[RecordedEvent]:
    """Yield the deliveries between two shoes after which a batch was of other cards."""
    for batch in floor.batches:
        if batch.name == name:
            yield from (
                event for event in batch.renewed if before.begins < clock(event) < shoe.begins
            )


SESSION_RULES: Final = (
    Rule(
        "F603",
        "repeated-session-shoe",
        "procedure",
        "medium",
        "So many sessions a day, each of so many shoes: numbers called again hide that there are "
        "more.",
        ("field-facts.md 3 A20", "arrêté of 14 May 2007, art. 61"),
        on_floor=_called_again,
    ),
    Rule(
        "F604",
        "cards-from-other-session",
        "integrity",
        "medium",
        "Each session has new cards: who had the old ones in hand could have marked them.",
        ("field-facts.md 1.1 #12", "arrêté of 14 May 2007, art. 58"),
        on_floor=_used_cards,
        by_clock=True,
    ),
)


RULES = (
    *TABLE_RULES,
    *SESSION_RULES,
)
"""Every rule of this family."""
