"""Late changes of a bet that were undone on a ruling: they are no further late changes.

A bet that is raised too late is told once. Where the floor rules on late bets and the stake goes
back, all of it or in part, that is the ruling's doing; what is left of the raise bears its money.
"""

from collections.abc import Callable, Iterator

from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import settle


def stake_before(bet: Bet, late: RecordedEvent) -> int:
    """Return what lay on the wager before an event of the bet, in minor units."""
    stake = 0
    for event in (bet.placed, *bet.changes):
        if event.position >= late.position:
            break
        stake = stake_after(event)
    return stake


def put_back(bet: Bet, closed: int, ruled: int) -> bool | None:
    """Tell whether a bet lies as before it was changed too late; None where it was not so.

    Args:
        bet: the bet, which was placed in time.
        closed: the version of the event that closed the bets.
        ruled: the version of the ruling on what had happened by then.
    """
    late = (event for event in bet.changes if closed < event.position < ruled)
    first = next(late, None)
    if first is None:
        return None
    return stake_after(bet.changes[-1]) == stake_before(bet, first)


def reversals(coup: Coup, bet: Bet, is_late: Callable[[RecordedEvent], bool]) -> frozenset[int]:
    """Return the versions of the changes by which a late one went back on a ruling."""
    return frozenset(event.position for event in _back(coup, bet, is_late))


def _back(
    coup: Coup, bet: Bet, is_late: Callable[[RecordedEvent], bool]
) -> Iterator[RecordedEvent]:
    first: RecordedEvent | None = None
    lay = should = stake_after(bet.placed)
    for event in bet.changes:
        stake = stake_after(event)
        if first is None and is_late(event):
            first, should = event, lay
        elif first is not None and (lay - should) * (stake - should) >= 0:
            closer = abs(stake - should) < abs(lay - should)
            if closer and _was_ruled(coup, first, event):
                yield event
        lay = stake


def _was_ruled(coup: Coup, since: RecordedEvent, until: RecordedEvent) -> bool:
    """Tell whether somebody ruled on late bets between two events."""
    return any(
        since.position < event.position < until.position for event in rulings_on_late_bets(coup)
    )


def rulings_on_late_bets(coup: Coup) -> list[RecordedEvent]:
    """Return what was ruled of late bets, but that they stand."""
    return [
        event
        for event in coup.irregularities
        if event.payload.kind == "late-bet" and event.payload.ruling not in ("stand", "play-on")
    ]


def settle_reversals(shoe: Shoe, coup: Coup) -> None:
    """Make sure that it is known whether a change came on a ruling on late bets, or before it.

    Raises:
        Unknown: it is not, of one of them.
    """
    noted = rulings_on_late_bets(coup) if shoe.order is not None else []
    if noted:
        again = [event for bet in coup.bets.values() for event in bet.changes[1:]]
        settle(shoe, again, noted)
