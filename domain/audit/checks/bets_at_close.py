"""The stakes on the layout when the bets of a coup were closed.

The table differential and the limits on shared seats apply to these stakes. A bet that is made,
changed or withdrawn later is a separate breach and is reported only as that.
"""

from sabot.domain.audit.checks.bets import closing_events
from sabot.domain.audit.needs import not_coups_alone
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import settle

Staked = list[tuple[RecordedEvent, Bet]]
"""Events that placed, changed or withdrew stakes, each with its bet."""


def staked_in_time(shoe: Shoe, coup: Coup) -> Staked:
    """Return the events that placed, changed or withdrew stakes before the close of bets, in order.

    If no event closed the bets, or the record has no times within coups, all events are returned.
    """
    closed = coup.bets_closed if not_coups_alone.missing(shoe) is None else None
    return [each for each in staked_ever(coup) if closed is None or each[0].position < closed]


def staked_ever(coup: Coup) -> Staked:
    """Return all events of a coup that placed, changed or withdrew stakes, in order."""
    staked = [(event, bet) for bet in coup.bets.values() for event in (bet.placed, *bet.changes)]
    return sorted(staked, key=lambda each: each[0].position)


def closed_by(coup: Coup) -> RecordedEvent | None:
    """Return the event that closed the bets, or None.

    It is the call, or the first card if that came earlier.
    """
    return min(closing_events(coup), key=lambda event: event.position, default=None)


def stakes_at_close(staked: Staked) -> dict[int, tuple[Bet, int]]:
    """Return the bets that have a stake after these events, by number."""
    stakes = {bet.number: (bet, stake_after(event)) for event, bet in staked}
    return {number: (bet, stake) for number, (bet, stake) in stakes.items() if stake}


def settle_close(shoe: Shoe, coup: Coup) -> None:
    """Make sure that the stakes at the close of bets are known.

    Raises:
        Unknown: it is not known whether a stake was placed, changed or withdrawn before the close.
    """
    settle(shoe, [event for event, _ in staked_ever(coup)], closing_events(coup))
