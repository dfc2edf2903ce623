"""What lay on the felt when the bets of a coup were closed.

What the house stands to lose, and whose chips lie where, is judged by that: a bet that comes late,
or is changed or withdrawn late, is a breach of its own and is told as that alone.
"""

from sabot.domain.audit.checks.bets import closing_events
from sabot.domain.audit.needs import whole_shoe
from sabot.domain.audit.settled_stakes import stake_after
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import settle

Staked = list[tuple[RecordedEvent, Bet]]
"""Events that laid stakes, changed or withdrew them, each with its bet."""


def staked_in_time(shoe: Shoe, coup: Coup) -> Staked:
    """Return the events that laid stakes, changed or withdrew them before the close, in order.

    All of them, where nothing closed the bets, or a record of coups does not tell when.
    """
    closed = coup.bets_closed if whole_shoe.missing(shoe) is None else None
    return [each for each in staked_ever(coup) if closed is None or each[0].position < closed]


def staked_ever(coup: Coup) -> Staked:
    """Return all events that laid stakes, changed or withdrew them, in order."""
    staked = [(event, bet) for bet in coup.bets.values() for event in (bet.placed, *bet.changes)]
    return sorted(staked, key=lambda each: each[0].position)


def closed_by(coup: Coup) -> RecordedEvent | None:
    """Return the event that closed the bets: the call, or a card before it; None where none did."""
    return min(closing_events(coup), key=lambda event: event.position, default=None)


def stakes_at_close(staked: Staked) -> dict[int, tuple[Bet, int]]:
    """Return the bets that lay there once all this was staked, by number, each with its stake."""
    stakes = {bet.number: (bet, stake_after(event)) for event, bet in staked}
    return {number: (bet, stake) for number, (bet, stake) in stakes.items() if stake}


def settle_close(shoe: Shoe, coup: Coup) -> None:
    """Make sure that it is known what lay there when the bets were closed.

    Raises:
        Unknown: of a stake nobody knows whether it was laid, changed or withdrawn by then.
    """
    settle(shoe, [event for event, _ in staked_ever(coup)], closing_events(coup))
