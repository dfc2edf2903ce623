"""Rules on who may hold the shoe at all: who took it rightly, and who is still at the table."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sabot.domain.audit import needs
from sabot.domain.audit.checks.attendance import bet_after_leaving
from sabot.domain.audit.checks.bank.bank_moves import wrong_banker
from sabot.domain.audit.checks.bank.handover import bank_offered_out_of_turn
from sabot.domain.audit.checks.bank.own_hand_banks import bank_not_passed_left
from sabot.domain.audit.checks.shoe_holder import holder_on_record, patrons_hold_shoe
from sabot.domain.audit.fingerprints import with_patron
from sabot.domain.audit.holder_moves import dealt_by, wrong_moves
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.events import (
    BetPlaced,
    CardDrawn,
    PatronLeft,
    PatronSeated,
    ShoeOffered,
    ShoePassed,
    ShoeTaken,
)
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.common import is_house
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.procedure.seating import left_table
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, HOUSE_CONVENTION
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import in_sequence, settle

TAKERS = RuleGroup(family="procedure", concerns="game")


class Dealt(NamedTuple):
    """A coup dealt after its dealer or banker had left the table."""

    coup: Coup
    first: RecordedEvent[CardDrawn]
    left: RecordedEvent[PatronLeft]
    patron: str


@each("departure of a patron who dealt or banked afterwards", None)
def _dealt_after_leaving(shoe: Shoe) -> Sequence[Dealt]:
    """Return the first coup that each patron who had left the table dealt or banked.

    Where a patron banks, the rule checks the banker. Elsewhere it checks the holder of the shoe.
    The house is not checked.
    """
    found: dict[int, Dealt] = {}
    gone = {patron for _, patron, _ in shoe.leavings}
    for coup in shoe.coups.values() if gone else ():
        first = coup.first_card
        who = dealt_by(shoe, coup, first) if first is not None else None
        if first is None or who is None or who not in gone or is_house(shoe, who):
            continue
        left = left_table(shoe, who, first.position)
        if left is not None and not bet_requirements.is_at_table(left):
            found.setdefault(left.position, Dealt(coup, first, left, who))
    return list(found.values())


@TAKERS.rule(
    "H509",
    "shoe-held-after-leaving",
    sources=(ARRETE_2007_ART_55_14, HOUSE_CONVENTION),
    looks_at="shoe",
    needs=(needs.not_coups_alone, needs.card_left_shoe),
    each=_dealt_after_leaving,
    breach_events=(CardDrawn, PatronLeft, ShoeOffered, ShoeTaken),
    follows_from=tuple(
        map(
            code_of,
            (wrong_banker, bank_offered_out_of_turn, bank_not_passed_left, bet_after_leaving),
        )
    ),
    breaks="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        patron-left {"patron": "p3"}
        hands 1 500 | 1: 6; B: 8
    """,
    keeps="""
        load macao-old
        seats p1 p2 p3
        banks p3 200000
        patron-left {"patron": "p3"}
        patron-seated {"seat": 3, "patron": "p3"}
        hands 1 500 | 1: 6; B: 8
    """,
)
def shoe_held_after_leaving(shoe: Shoe, dealt: Dealt) -> Iterator[Breach]:
    """A patron who has left the table deals or banks no coup before coming back to a seat.

    The first card of the coup decides. A patron who leaves during a coup may finish it, and may
    take out the bank and pass the shoe afterwards. Only the first coup after each departure is
    reported, even if it is void. The departure counts from the moment at which it is recorded. A
    patron who never had a seat is not checked: K513 and O510 check to whom a bank is offered.
    """
    coup, first, left, patron = dealt
    since = [event for event in shoe.shoe_moves if left.position < event.position < first.position]
    settle(shoe, (left, *shoe.shoe_moves), (first,))
    taken = events_of((ShoeOffered, ShoeTaken), since)
    breach = Breach(
        f"{patron}, who had left the table, dealt {shoe.coup_name(coup.number)}",
        "a holder who leaves passes the shoe, or comes back to a seat first",
        f"the shoe with {patron}",
        (first, left, *taken),
        coup.number,
        offending_event=first,
    )
    yield with_patron(shoe, breach, patron)


@need("order")
def moves_in_sequence(shoe: Shoe) -> bool:
    """The order of the events in which the shoe was offered, taken and passed is known."""
    in_sequence(shoe, shoe.shoe_moves)
    return True


@TAKERS.rule(
    "H510",
    "shoe-taken-by-wrong-patron",
    sources=(ARRETE_2007_ART_55_14,),
    concerns="form",
    looks_at="shoe",
    games=("punto-banco",),
    needs=(
        needs.not_coups_alone,
        needs.shoe_pack_readable,
        patrons_hold_shoe,
        holder_on_record,
        needs.every_coup_recorded,
        moves_in_sequence,
    ),
    breach_events=(ShoeTaken, ShoePassed),
    breaks="""
        patron-seated {"seat": 1, "patron": "p1"}
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p3"}
        coup P 4 5  B K 8
    """,
    keeps="""
        patron-seated {"seat": 1, "patron": "p1"}
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        shoe-offered {"to": "p1"}
        shoe-taken {"by": "p1"}
        coup P 4 5  B K 8
    """,
)
def shoe_taken_by_wrong_patron(shoe: Shoe) -> Iterator[Breach]:
    """The patron to whom the shoe is offered takes it, and its holder alone passes it, once.

    The last offer stands, even after a taking, until its patron refuses it or the shoe is passed. A
    refusal by another patron meanwhile has no effect. Without an offer anybody may take the shoe:
    the record then does not show whose turn it was. So the first holder of a shoe may be a patron
    without a seat. The house may take a shoe that was offered to a patron, and may pass it. A
    second passing without a taking in between is a breach, unless a coup was dealt in between: the
    record then lacks a taking. A first passing without a taking on record is not judged. After a
    wrong taking, the taker and the patron to whom the shoe was offered may both pass it. H503
    checks to whom the shoe is offered.
    """
    yield from wrong_moves(shoe, shoe.shoe_moves, "the shoe", by_offer=False)


class Stayed(NamedTuple):
    """A passing by a patron who is said to leave, and what the patron did at the table later."""

    passed: RecordedEvent[ShoePassed]
    later: RecordedEvent[BetPlaced | ShoeTaken]


@each("passing by a patron who leaves", "nobody passed the shoe to leave the table")
def _passed_to_leave(shoe: Shoe) -> Sequence[tuple[RecordedEvent[ShoePassed], Stayed | None]]:
    """Return each passing with the reason `left`, and the first later bet or taking by its patron.

    A passing by the house is not checked.
    """
    passes = [
        event
        for event in events_of(ShoePassed, shoe.shoe_moves)
        if event.payload.reason == "left" and not is_house(shoe, event.payload.by)
    ]
    return [(passed, _stayed(shoe, passed)) for passed in passes]


def _stayed(shoe: Shoe, passed: RecordedEvent[ShoePassed]) -> Stayed | None:
    """Return what a patron did who passed the shoe to leave, and neither left nor sat down again.

    A departure may be recorded before the passing, since the patron last took the shoe.
    """
    who, first = passed.payload.by, _next_act(shoe, passed)
    took = [e for e in events_of(ShoeTaken, shoe.shoe_moves) if e.position < passed.position]
    since = next((e.position for e in reversed(took) if e.payload.by == who), 0)
    went = [event.position for event, patron, _ in shoe.leavings if patron == who]
    came = [
        event.position
        for event, _, patron in shoe.seatings
        if patron == who and is_of(event, PatronSeated)
    ]
    if first is None or any(since < each < first.position for each in went):
        return None
    anew = any(passed.position < each < first.position for each in came)
    return None if anew else Stayed(passed, first)


def _next_act(
    shoe: Shoe, passed: RecordedEvent[ShoePassed]
) -> RecordedEvent[BetPlaced | ShoeTaken] | None:
    """Return the first bet or taking of the shoe by a patron after passing it, or None."""
    who = passed.payload.by
    placed = (bet.placed for coup in shoe.coups.values() for bet in coup.bets.values())
    acts: list[RecordedEvent[BetPlaced | ShoeTaken]] = [
        *(event for event in events_of(ShoeTaken, shoe.shoe_moves) if event.payload.by == who),
        *(event for event in events_of(BetPlaced, placed) if event.payload.patron == who),
    ]
    later = [event for event in acts if event.position > passed.position]
    return min(later, key=lambda event: event.position, default=None)


@TAKERS.rule(
    "H511",
    "untrue-departure-of-holder",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(
        needs.not_coups_alone,
        needs.shoe_pack_readable,
        patrons_hold_shoe,
        needs.shoe_seats_known,
        needs.every_coup_recorded,
        moves_in_sequence,
    ),
    each=_passed_to_leave,
    breach_events=(ShoePassed, BetPlaced, ShoeTaken),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 16000}
        shoe-passed {"by": "p1", "reason": "left"}
        bank p2 10000
        coup p1 player 6000 | P 4 2  B K 9
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 6000 | P 4 2  B K 9
        bank-withdrawn {"by": "p1", "amount": 16000}
        shoe-passed {"by": "p1", "reason": "left"}
        patron-left {"patron": "p1"}
        bank p2 10000
        coup p3 player 6000 | P 4 2  B K 9
    """,
)
def untrue_departure_of_holder(
    shoe: Shoe, passing: tuple[RecordedEvent[ShoePassed], Stayed | None]
) -> Iterator[Breach]:
    """A patron who passes the shoe to leave the table leaves it.

    A patron who leaves may give up a bank early, and the next banker need not match it. So a patron
    who stays must not give leaving as the reason. A later bet or taking in the same shoe is a
    breach if the patron neither left nor took a seat anew. The departure must be on record after
    the patron last took the shoe and before that bet or taking. The new seat must be taken between
    the passing and that bet or taking; a move to another seat is not enough. The first bet or
    taking is shown. A patron who neither bets nor takes the shoe later keeps the rule, even without
    a recorded departure.
    """
    passed, stayed = passing
    if stayed is None:
        return
    settle(shoe, (passed,), (stayed.later,))
    who = passed.payload.by
    did = "took the shoe again" if is_of(stayed.later, ShoeTaken) else "bet on"
    said = f"{who} passed the shoe to leave the table, and {did}"
    required = "a patron who stays passes the shoe by choice"
    yield with_patron(shoe, Breach(said, required, "passed as left", (passed, stayed.later)), who)


RULES = (*TAKERS.rules,)
"""Every rule of this module."""
