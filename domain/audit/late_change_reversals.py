"""Find the changes of a bet that undo a late bet or change on a ruling.

Restoring a stake on a ruling is not another late change, so a stake raised too late is reported
once. If only part of the raise was undone, the finding has the money of the rest.
"""

from collections.abc import Callable, Iterator
from typing import Final

from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import settle

LETTING_STAND: Final = ("stand", "play-on")
"""Rulings that let late bets stand."""


def stake_before(bet: Bet, late: RecordedEvent) -> int:
    """Return the stake before an event, in minor units."""
    stake = 0
    for event in (bet.placed, *bet.changes):
        if event.position >= late.position:
            break
        stake = stake_after(event)
    return stake


def put_back(bet: Bet, closed: int, ruled: int) -> bool | None:
    """Return whether a bet's late changes were reversed. None if it had none.

    They are reversed if the bet has the stake from before its first late change.

    Args:
        bet: the bet, which was placed in time.
        closed: the position of the event that closed the bets.
        ruled: the position of the event that ruled on late bets.
    """
    late = (event for event in bet.changes if closed < event.position < ruled)
    first = next(late, None)
    if first is None:
        return None
    return stake_after(bet.changes[-1]) == stake_before(bet, first)


def reversals(coup: Coup, bet: Bet, is_late: Callable[[RecordedEvent], bool]) -> frozenset[int]:
    """Return the positions of the changes that reversed a late bet or change after a ruling."""
    return frozenset(event.position for event in _back(coup, bet, is_late))


def _back(
    coup: Coup, bet: Bet, is_late: Callable[[RecordedEvent], bool]
) -> Iterator[RecordedEvent]:
    first: RecordedEvent | None = None
    lay = should = 0
    for event in (bet.placed, *bet.changes):
        stake = stake_after(event)
        if first is None and is_late(event):
            first, should = event, lay
        elif first is not None and (lay - should) * (stake - should) >= 0:
            closer = abs(stake - should) < abs(lay - should)
            if closer and _was_ruled(coup, first, event):
                yield event
        lay = stake


def _was_ruled(coup: Coup, since: RecordedEvent, until: RecordedEvent) -> bool:
    """Return whether late bets were ruled on between two events."""
    return any(
        since.position < event.position < until.position for event in rulings_on_late_bets(coup)
    )


def rulings_on_late_bets(coup: Coup) -> list[RecordedEvent]:
    """Return the rulings on late bets that do not let the bets stand."""
    return [
        event
        for event in coup.irregularities
        if event.payload.kind == "late-bet" and event.payload.ruling not in LETTING_STAND
    ]


def settle_reversals(shoe: Shoe, coup: Coup) -> None:
    """Check that rulings and bet changes have a known order.

    Raises:
        Unknown: the order of a change and a ruling is not known.
    """
    noted = rulings_on_late_bets(coup) if shoe.order is not None else []
    if noted:
        again = [event for bet in coup.bets.values() for event in bet.changes[1:]]
        settle(shoe, again, noted)
