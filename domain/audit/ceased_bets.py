"""Find bets that ended before they were settled.

A bet ends when it is withdrawn, reduced to nothing, or returned.
"""

from operator import attrgetter
from typing import Final

from msgspec import Struct

from sabot.domain.audit.needs import not_coups_alone
from sabot.domain.audit.settled_stakes import lies_after, of_the_order, settled_at, stakes_of
from sabot.domain.events import (
    BetCarried,
    BetPlaced,
    BetWithdrawn,
    CommissionCollected,
    CommissionMarked,
)
from sabot.domain.events.bank import ExcessReturned
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.games import house_covers
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, order_unknown

_POSITION: Final = attrgetter("position")


class Ceased(Struct, frozen=True):
    """The end of a bet before it was settled.

    ``event`` is the event that left no stake, ``stake`` the stake before it in minor units.
    ``settled`` are events that settled the bet afterwards. ``again`` are later placements and
    withdrawals under the same bet number, before the settlement.
    """

    event: RecordedEvent
    stake: int
    settled: tuple[RecordedEvent, ...]
    again: tuple[RecordedEvent, ...] = ()


def end_of_bet(coup: Coup, bet: Bet) -> Ceased | None:
    """Return how a bet ended before it was settled. None if it did not.

    A payment made while the bets are open counts as made when they close. A bet withdrawn by then
    is due nothing, and a bet placed again is judged by its last stake. A bet withdrawn later is
    judged as it was settled (`sabot.domain.audit.settled_stakes`).
    """
    if not (bet.withdrawn or bet.changes) or not (bet.moves or bet.commission):
        return None
    settled = _settlement_events(coup, bet)
    at = settled_at(coup, bet.moves or settled)
    lay = stake = 0
    last: RecordedEvent | None = None
    for event in stakes_of(coup, bet):
        if event.position > at:
            break
        now = lies_after(event, lay)
        if now:
            last = None
        elif last is None:
            last, stake = event, lay
        lay = now
    return (
        None
        if last is None
        else Ceased(last, stake, settled, _second_placements(coup, bet, last, at))
    )


def moved_for_nothing(shoe: Shoe, coup: Coup, bet: Bet) -> Ceased | Reason | None:
    """Return the end of a bet that was settled afterwards.

    Returns a `Reason` if it is unknown whether the bet had ended. Returns None if the later
    payments cancel out, or if other rules report them: the rules on voids, rulings, bet numbers
    used twice, and stakes returned although the house covers them.
    """
    how = ceased_in_order(shoe, coup, bet)
    if isinstance(how, Ceased) and (how.again or _told_as_early(bet, how)):
        return None
    if isinstance(how, Ceased) and is_of(how.event, ExcessReturned) and house_covers(shoe.pack):
        return None
    return how


def ceased_in_order(shoe: Shoe, coup: Coup, bet: Bet) -> Ceased | Reason | None:
    """Return how a settled bet ended before its settlement.

    Returns a `Reason` if the order of the events is unknown. Returns None for a bet that a ruling
    or a void returns, and for a bet whose chips were all put back.
    """
    if coup.voided is not None or bet.number in coup.refunded_bets:
        return None
    if not (bet.withdrawn or bet.changes) or not (bet.moves or bet.commission):
        return None
    if bet.paid and bet.taken and not bet.net:
        return None
    return stake_unknown(shoe, coup, bet) or end_of_bet(coup, bet)


def stake_unknown(shoe: Shoe, coup: Coup, bet: Bet) -> Reason | None:
    """Return why it is unknown whether a bet had a stake when settled. None if it is known."""
    settled = _settlement_events(coup, bet)
    stakes = stakes_of(coup, bet)
    if not settled or all(lies_after(event, bet.amount) for event in stakes):
        return None
    lacks = not_coups_alone.missing(shoe)
    if lacks is not None or shoe.order is None:
        return lacks
    pairs = of_the_order(coup, stakes[1:], settled)
    return next(filter(None, (order_unknown(shoe, *pair) for pair in pairs)), None)


def _told_as_early(bet: Bet, how: Ceased) -> bool:
    """Return whether payments that came before the end of a bet cancel out."""
    return not bet.net and how.settled[-1].position < how.event.position


def _second_placements(
    coup: Coup, bet: Bet, gone: RecordedEvent, at: int
) -> tuple[RecordedEvent, ...]:
    """Return the placements and withdrawals of a bet under a number used before.

    Only events between the end of the first bet and its settlement count.
    """
    again = [
        event
        for event in coup.unmatched_events
        if isinstance(event.payload, BetPlaced | BetCarried | BetWithdrawn)
        and event.payload.bet == bet.number
        and gone.position < event.position <= at
    ]
    placed = (
        place for place, each in enumerate(again) if not isinstance(each.payload, BetWithdrawn)
    )
    return tuple(again[next(placed, len(again)) :])


def _settlement_events(coup: Coup, bet: Bet) -> tuple[RecordedEvent, ...]:
    """Return a bet's settlement and commission events in order."""
    charged = [event for event in coup.events if _charges(event, bet)]
    return tuple(sorted([*bet.moves, *charged], key=_POSITION))


def _charges(event: RecordedEvent, bet: Bet) -> bool:
    match event.payload:
        case CommissionMarked(bet=number):
            return number == bet.number
        case CommissionCollected(bet=number, patron=patron):
            return (number, patron) == (bet.number, bet.patron)
        case _:
            return False
