"""Rules on who is at the table: the crew that deals, and the patrons who bet.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach is a note if it was
noted, ruled on and put right (`sabot.domain.audit.put_right`), unless the rule looks at the whole
shoe (`looks_at="shoe"`).
"""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPlaced,
    CardDrawn,
    CrewChanged,
    PatronLeft,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.procedure.seating import left_table
from sabot.domain.rules.labels import wager_label
from sabot.domain.rules.sources import HOUSE_CONVENTION
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.state.table_context import crew_at, crew_emptied
from sabot.domain.state.table_state import Table
from sabot.domain.timeline.evidence import settle
from sabot.domain.values.names import plain_name

ATTENDANCE = RuleGroup(family="procedure", concerns="game")


def _nobody_strange(_coup: CoupProfile, shoe: ShoeProfile) -> bool:
    """Return whether the shoe has no bet by its crew, and none by a patron who had left."""
    return not shoe.stranger_bets


# -- Who bets --------------------------------------------------------------------------------------


@ATTENDANCE.rule(
    "B214",
    "bet-by-crew",
    sources=(HOUSE_CONVENTION,),
    needs=(needs.has_bets,),
    each=needs.bets,
    breach_events=(BetPlaced, BetCarried),
    clean_when=_nobody_strange,
    breaks="""
        load classic-8 {"crew": [{"post": "caller", "person": "carl"}]}
        coup carl player 500 | P 4 5  B K 8
    """,
    keeps="""
        load classic-8 {"crew": [{"post": "caller", "person": "carl"}]}
        coup p1 player 500 | P 4 5  B K 8
    """,
)
def bet_by_crew(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """Nobody of the crew on duty bets at the table.

    The crew on duty are the people at a post when the bet is placed, by the records of the shoe and
    of its table. Case, character width and spaces of names are ignored. A person who has left the
    post may bet. A bet that was withdrawn or returned is still a breach. A bet that a tie carried
    over is checked again in the next coup. Where the record names no crew, every bet keeps the
    rule.
    """
    who, crew = plain_name(bet.patron), crew_at(view.shoe, bet.placed)
    post = next((post for post, person in crew.items() if plain_name(person) == who), None)
    if post is not None:
        yield _barred(view, bet, f"{bet.patron}, who was {post},", "no bet by the crew", ())


def _barred(
    view: CoupView, bet: Bet, who: str, expected: str, events: tuple[RecordedEvent, ...]
) -> Breach:
    stake = format_money(view.shoe, bet.amount)
    return Breach(
        f"{who} bet {stake} on {wager_label(bet.wager)}",
        expected,
        f"a bet of {stake}",
        (bet.placed, *events),
        patron=bet.patron,
        key=("bet", bet.number),
        stake=0,
    )


@ATTENDANCE.rule(
    "B215",
    "bet-after-leaving",
    sources=(HOUSE_CONVENTION,),
    needs=(needs.has_bets,),
    each=needs.bets,
    breach_events=(BetPlaced, BetCarried, BetChanged, PatronLeft),
    one_cause=True,
    clean_when=_nobody_strange,
    breaks="""
        patron-seated {"seat": 1, "patron": "p1"}
        patron-left {"patron": "p1"}
        coup p1 player 500 | P 4 5  B K 8
    """,
    keeps="""
        patron-seated {"seat": 1, "patron": "p1"}
        patron-left {"patron": "p1"}
        patron-seated {"seat": 2, "patron": "p1"}
        coup p1 player 500 | P 4 5  B K 8
    """,
)
def bet_after_leaving(view: CoupView, bet: Bet) -> Iterator[Breach]:
    """A patron who has left the table bets, or raises a bet, only after coming back to a seat.

    A patron without a seat who did not leave may bet. A patron who left without having had a seat
    must take one to bet again: the record shows a return only by a seat. A bet recorded as carried
    over is not checked, but a raise of it is checked. A bet that was withdrawn or returned is still
    a breach. The bets after one departure are one finding.
    """
    before = 0
    for event in (bet.placed, *events_of(BetChanged, bet.changes)):
        amount = event.payload.amount
        left = left_table(view.shoe, bet.patron, event.position)
        is_new = amount > before and not is_of(event, BetCarried)
        if is_new and not bet_requirements.is_at_table(left):
            assert left is not None
            settle(view, (event,), (left,))
            bet_earlier = f"bet {format_money(view.shoe, before)} and " if before else ""
            who = f"{bet.patron}, who had {bet_earlier}left,"
            events = (event, left) if before else (left,)
            breach = _barred(view, bet, who, "no bet, or a seat first", events)
            yield replace(breach, stake=before)
            return
        before = amount


# -- Who deals -------------------------------------------------------------------------------------


_Absence = tuple[RecordedEvent[CrewChanged], RecordedEvent[CardDrawn]]


@each("absence of the crew", None)
def _absences(shoe: Shoe) -> Sequence[_Absence]:
    """Return each change that left every post empty, with the first card drawn since then."""
    if not any(change.payload.person is None for change in shoe.crew_changes) and not (
        shoe.at_table is not None and _was_deserted(shoe.at_table)
    ):
        return []
    found: dict[tuple[str, int], _Absence] = {}
    for card in events_of(CardDrawn, shoe.left):
        change = crew_emptied(shoe, card)
        if change is not None:
            found.setdefault((change.stream, change.position), (change, card))
    return list(found.values())


def _was_deserted(table: Table) -> bool:
    """Return whether a change of the crew in a table's record ever left nobody at any post."""
    told = table.crew_history
    crews = zip(told.events, told.values, strict=True)
    return any(not crew and is_of(event, CrewChanged) for event, crew in crews)


@ATTENDANCE.rule(
    "H508",
    "cards-dealt-without-crew",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(needs.not_coups_alone, needs.card_left_shoe),
    each=_absences,
    breach_events=(CardDrawn, CrewChanged),
    breaks="""
        load classic-8 {"crew": [{"post": "caller", "person": "carl"}]}
        crew-changed {"post": "caller", "person": null}
        coup P 4 5  B K 8
    """,
    keeps="""
        load classic-8 {"crew": [{"post": "caller", "person": "carl"}]}
        crew-changed {"post": "caller", "person": null}
        crew-changed {"post": "caller", "person": "dora"}
        coup P 4 5  B K 8
    """,
)
def cards_dealt_without_crew(shoe: Shoe, absence: _Absence) -> Iterator[Breach]:
    """No card is drawn for a hand while every post of the table is empty.

    The posts are empty after a change of the crew that leaves nobody at any post, in the shoe's
    record or the table's. A post counts as occupied if either record names somebody at it, or if
    the clocks leave this open. The posts of a table that was closed, or opened without a crew, are
    not taken as empty. Burned cards are not checked. Only the first card of each absence is
    reported.
    """
    left, card = absence
    if left.stream == card.stream:
        settle(shoe, (left,), (card,))
    yield Breach(
        "cards were dealt while nobody was at any post",
        "a crew at the table",
        "every post empty",
        (card, left),
        card.payload.coup,
        offending_event=card,
    )


RULES = (*ATTENDANCE.rules,)
"""Every rule of this module."""
