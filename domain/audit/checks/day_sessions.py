"""Rules on the sessions of a day.

No two shoes of a session have one number, and each has cards of its own. Shoes that do not give
their session are left out.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sabot.domain.audit import floor_needs
from sabot.domain.audit.floor_view import Floor, ShoeSummary, of_one_kind_of_clock, time_of
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import ShoeLoaded
from sabot.domain.events.bank import SessionCalled
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.sources import ARRETE_2007_ART_58, ARRETE_2007_ART_61

DAY_SESSIONS = RuleGroup(family="integrity", concerns="game")

_Pair = tuple[ShoeSummary, ShoeSummary]
"""A shoe, and one that was loaded before it."""
_Call = tuple[ShoeSummary, RecordedEvent[SessionCalled]]
_Session = tuple[str, int]
"""A day, and the number of the session on that day."""


def _calls(floor: Floor) -> list[_Call]:
    """Return the calls of sessions, for shoes whose rule pack numbers sessions or their shoes."""
    return [
        (shoe, call)
        for shoe in floor.shoes
        for call in shoe.sessions
        if shoe.table is not None and _numbers(shoe)
    ]


def _numbers(shoe: ShoeSummary) -> bool:
    rule = shoe.pack.tableaux if shoe.pack is not None else None
    return rule is not None and (rule.sessions is not None or rule.shoes is not None)


@need("calls", "no shoe of the table gives its session")
def sessions_called(floor: Floor) -> bool:
    """A shoe at a table gives its session, and its rule pack limits sessions or shoes."""
    return bool(_calls(floor))


@DAY_SESSIONS.rule(
    "F603",
    "repeated-session-shoe",
    sources=(ARRETE_2007_ART_58, ARRETE_2007_ART_61),
    family="procedure",
    concerns="form",
    looks_at="floor",
    needs=(sessions_called,),
    breach_events=(SessionCalled,),
    breaks="""
        rules deux-tableaux-france-open
        shoe H-1 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        shoe H-2 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-2 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
    """,
    keeps="""
        rules deux-tableaux-france-open
        shoe H-1 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        shoe H-2 shoe-loaded {"table": "T1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-2 session-called {"day": "2026-01-01", "session": 1, "shoe": 2}
    """,
)
def repeated_session_shoe(floor: Floor) -> Iterator[Breach]:
    """At a table, no two shoes of one session are called under the same number.

    The calls of one session are those with the same table, day and number of the session. All calls
    of a shoe are compared, but a shoe may repeat its own call. A shoe is not compared if its table
    is not on record, or if its rule pack limits neither the sessions of a day nor the shoes of a
    session.
    """
    first: dict[tuple[str | None, SessionCalled], _Call] = {}
    for shoe, call in _calls(floor):
        called = call.payload
        before, earlier = first.setdefault((shoe.table, called), (shoe, call))
        if before is not shoe:
            said = f"shoe {called.shoe} of session {called.session} was called twice"
            due = f"one such shoe at {shoe.table} on {called.day}: {before.name} was it"
            yield Breach(said, due, said, (call, earlier), shoe=shoe.name)


@each(
    "later shoe of the same cards",
    "no two shoes of the same cards give their session, or no new cards were needed",
    about="shoe",
)
def _of_same_cards(floor: Floor) -> Sequence[_Pair]:
    """Return each shoe that requires new cards, with the previous shoe of the same batch.

    A shoe without a called session is not checked. A shoe whose rule pack does not require new
    cards for every session is not judged itself.
    """
    return [
        (shoe, before)
        for shoes in floor.of_batch.values()
        for before, shoe in pairwise(shoe for shoe in shoes if _session(shoe) is not None)
        if shoe.pack is not None and shoe.pack.tableaux is not None
        if shoe.pack.tableaux.new_cards
    ]


@DAY_SESSIONS.rule(
    "F604",
    "cards-from-other-session",
    sources=(ARRETE_2007_ART_58,),
    looks_at="floor",
    each=_of_same_cards,
    breach_events=(ShoeLoaded,),
    breaks="""
        rules deux-tableaux-france-open
        shoe H-1 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        shoe H-2 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-2 session-called {"day": "2026-01-01", "session": 2, "shoe": 1}
    """,
    keeps="""
        rules deux-tableaux-france-open
        shoe H-1 shoe-loaded {"batch": "B-1", "decks": 6, "backs": ["red", "blue"]}
        shoe H-1 session-called {"day": "2026-01-01", "session": 1, "shoe": 1}
        shoe H-2 shoe-loaded {"batch": "B-2", "decks": 6, "backs": ["red", "blue"]}
        shoe H-2 session-called {"day": "2026-01-01", "session": 2, "shoe": 1}
    """,
)
def cards_from_other_session(floor: Floor, pair: _Pair) -> Iterator[Breach]:
    """Cards loaded for one session are not loaded for another, on the same day or a later one.

    Two shoes are of one session if table, day and number of the session are the same. The tables
    are compared only if both are on record. If a shoe has several calls, the last one is used. A
    shoe is compared with the shoe of the same batch that was loaded before it. The batch may be
    used again if new decks of it were delivered between the two loadings, after all its earlier
    decks were destroyed. Two shoes of different sessions are not judged if only some of the
    compared events have times of the table's clock. These events are the loadings and the
    deliveries of new cards after a destruction.
    """
    shoe, before = pair
    if not _is_of_session(shoe, before) and not _renewed(floor, shoe, before):
        yield Breach(
            f"shoe {shoe.name} was loaded with cards of another session",
            "new cards for every session",
            f"batch {shoe.batch}, of which {before.name} was made in {_said(before)}",
            (*shoe.loading, *before.loading),
            shoe=shoe.name,
            key=("shoe", shoe.name),
        )


def _is_of_session(shoe: ShoeSummary, before: ShoeSummary) -> bool:
    """Return whether two shoes are of one session. A table that is not on record may be any."""
    one_table = None in (shoe.table, before.table) or shoe.table == before.table
    return one_table and _session(shoe) == _session(before)


def _session(shoe: ShoeSummary) -> _Session | None:
    """Return the day and the number of the session that a shoe called last."""
    if not shoe.sessions:
        return None
    last = shoe.sessions[-1].payload
    return (last.day, last.session)


def _said(shoe: ShoeSummary) -> str:
    day, session = _session(shoe) or ("", 0)
    return f"session {session} of {day}" + (f" at {shoe.table}" if shoe.table else "")


def _renewed(floor: Floor, shoe: ShoeSummary, before: ShoeSummary) -> bool:
    """Return whether a batch got new cards between two of its shoes.

    Raises:
        Unknown: it is not known which of these events came first.
    """
    batch = floor.batches.get(shoe.batch or "")
    renewed = batch.renewed if batch is not None else ()
    if not of_one_kind_of_clock((before.loaded, shoe.loaded, *renewed)):
        raise floor_needs.clocks_apart()
    return any(before.begins < time_of(event) < shoe.begins for event in renewed)


RULES = (*DAY_SESSIONS.rules,)
"""Every rule of this module."""
