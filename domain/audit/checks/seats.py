"""Rules on how many patrons may share a seat or a box.

A rule checks voided coups too, unless it needs `needs.not_voided`.

A breach that was noted, ruled on and put right is reported as a note
(`sabot.domain.audit.put_right`). This does not apply to rules on whole shoes (``looks_at="shoe"``).
"""

from collections.abc import Collection, Iterator, Sequence
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.checks.bets_at_close import settle_close, staked_in_time, stakes_at_close
from sabot.domain.audit.coup_profile import CoupProfile, ShoeProfile
from sabot.domain.audit.coup_view import CoupView
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import BetCarried, BetPlaced, PatronMoved, PatronSeated, ShoeLoaded
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.preconditions import bet_requirements
from sabot.domain.procedure.seating import seat_of, seats_at
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.shoe import Shoe

SEATS = RuleGroup(family="procedure", concerns="form")
_SHARED: Final = "how many patrons share a seat"


def _per_seat(shoe: Shoe) -> int:
    """Return how many patrons may share a seat. It is 0 if the rule pack does not say."""
    return (shoe.pack.table.per_seat or 0) if shoe.pack is not None else 0


@each("seat taken", "the record gives no seats", "record-incomplete", "seats")
def _seats_taken(shoe: Shoe) -> Sequence[tuple[int, RecordedEvent]]:
    """Return each seat that a patron took, with the event, which may seat several patrons there."""
    taken = {(event.position, seat): (seat, event) for event, seat, _ in shoe.seatings}
    return list(taken.values())


@SEATS.rule(
    "B210",
    "excess-patrons-at-seat",
    sources=(ARRETE_2007_ART_55_14,),
    looks_at="shoe",
    needs=(needs.shoe_pack_says(_SHARED, lambda pack: pack.table.per_seat is not None),),
    each=_seats_taken,
    breach_events=(PatronSeated, PatronMoved, ShoeLoaded),
    breaks="""
        with table.per_seat = 1
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 2, "patron": "p3"}
        coup P 4 5  B K 8
    """,
    keeps="""
        with table.per_seat = 1
        patron-seated {"seat": 2, "patron": "p2"}
        patron-seated {"seat": 3, "patron": "p3"}
        coup P 4 5  B K 8
    """,
)
def excess_patrons_at_seat(shoe: Shoe, taken: tuple[int, RecordedEvent]) -> Iterator[Breach]:
    """No more patrons sit at a seat, or at a box, than the rule pack allows.

    Each patron has one seat: the last one taken, until the patron leaves. A patron who moves to a
    taken seat changes places with the last who took it. Each event by which a patron takes a full
    seat is a breach, even if no coup follows or the patron does not bet.
    """
    seat, event = taken
    patrons = seats_at(shoe, event.position + 1).get(seat, [])
    assert shoe.pack is not None
    if not bet_requirements.has_room_for_patrons(shoe.pack, len(patrons)):
        yield Breach(
            f"{len(patrons)} patrons sat at seat {seat}: {' and '.join(patrons)}",
            f"{shoe.pack.table.per_seat} at most",
            ", ".join(patrons),
            (event,),
            patron=patrons[-1],
            key=("seat", seat, patrons[-1]),
        )


# -- Bets on a seat --------------------------------------------------------------------------------


def _by_seat(view: CoupView, bets: Sequence[Bet]) -> dict[int, dict[str, int]]:
    """Return the patrons who bet on each seat, each with the number of the first bet there."""
    seats: dict[int, dict[str, int]] = {}
    for bet in sorted(bets, key=lambda bet: bet.placed.position):
        seat = bet.placed.payload.seat or seat_of(view.shoe, bet)
        if seat is not None:
            seats.setdefault(seat, {}).setdefault(bet.patron, bet.number)
    return seats


def _lying_bets(view: CoupView) -> list[Bet]:
    """Return the bets with a stake when the bets were closed, or when the coup ended before."""
    return [bet for bet, _ in stakes_at_close(staked_in_time(view.shoe, view.coup)).values()]


@need("order")
def lying_bets_known(view: CoupView) -> bool:
    """If a seat may have too many patrons, the bets on it at the close of bets are known."""
    most, bets = _per_seat(view.shoe), list(view.coup.bets.values())
    if len({bet.patron for bet in bets}) > most and any(
        len(patrons) > most for patrons in _by_seat(view, bets).values()
    ):
        settle_close(view.shoe, view.coup)
    return True


@need("bets", "no bet was on the layout when the bets were closed", "nothing-to-check")
def bets_lay_there(view: CoupView) -> bool:
    """A bet was on the layout at the close of bets."""
    return bool(_lying_bets(view))


@each("seat", "the record does not give the seats of the bets", "record-incomplete", "seats")
def _seats_bet_on(view: CoupView) -> Sequence[tuple[int, dict[str, int]]]:
    """Return the seats with bets, each with its patrons and their first bets there.

    The rule counts a bet if its stake was on the layout when the bets were closed. If nothing
    closed them, the stake at the end of the coup counts. So it does not count a bet that was placed
    late, or withdrawn in time.
    """
    return list(_by_seat(view, _lying_bets(view)).items())


def _seated(coup: CoupProfile, _: ShoeProfile) -> bool:
    """Return True for a coup without errors in which no seat has too many patrons."""
    return coup.seated


@SEATS.rule(
    "B211",
    "excess-bettors-on-seat",
    sources=(ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5),
    needs=(
        needs.pack_says(_SHARED, lambda pack: pack.table.per_seat is not None),
        needs.has_bets,
        lying_bets_known,
        bets_lay_there,
    ),
    each=_seats_bet_on,
    due=needs.betting_over,
    follows_from=("excess-patrons-at-seat",),
    breach_events=(BetPlaced, BetCarried, PatronSeated, PatronMoved, ShoeLoaded),
    clean_when=_seated,
    breaks="""
        with table.per_seat = 1
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500, "seat": 2}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "tie", "amount": 500, "seat": 2}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
    """,
    keeps="""
        with table.per_seat = 1
        coup-opened {"coup": 1}
        bet-placed {"coup": 1, "bet": 1, "patron": "p1", "wager": "tie", "amount": 500, "seat": 2}
        bet-placed {"coup": 1, "bet": 2, "patron": "p2", "wager": "tie", "amount": 500, "seat": 3}
        no-more-bets {"coup": 1}
        deal P 4 5  B K 8
        due
    """,
)
def excess_bettors_on_seat(view: CoupView, used: tuple[int, dict[str, int]]) -> Iterator[Breach]:
    """No more patrons bet on a seat, or on a box, than the rule pack allows.

    A bet is on the seat that it names, or else on the seat of its patron when it was placed. A bet
    is not counted if neither seat is known. Several bets of a patron on a seat are counted as one.
    The finding shows the first bet of each patron on the seat, and when these patrons took it.
    """
    seat, patrons = used
    assert view.shoe.pack is not None
    if not bet_requirements.has_room_for_bets(view.shoe.pack, len(patrons)):
        most = _per_seat(view.shoe)
        placed = tuple(view.coup.bets[bet].placed for bet in patrons.values())
        yield Breach(
            f"{len(patrons)} patrons bet on seat {seat}: {' and '.join(patrons)}",
            f"{most} at most",
            ", ".join(patrons),
            (*placed, *_seatings(view.shoe, seat, patrons)),
            patron=list(patrons)[most],  # the patrons who came last are too many
            key=("seat", seat),
            offending_event=placed[most],
        )


def _seatings(shoe: Shoe, seat: int, patrons: Collection[str]) -> list[RecordedEvent]:
    """Return the events that seated these patrons at a seat."""
    seated = {e.position: e for e, at, who in shoe.seatings if at == seat and who in patrons}
    return list(seated.values())


RULES = (*SEATS.rules,)
"""Every rule of this module."""
