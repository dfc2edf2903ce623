"""When a bet ceased to stand: it was withdrawn, lowered to nothing, or all of it went back."""

from operator import attrgetter
from typing import Final

from msgspec import Struct

from sabot.domain.audit.completeness import COUPS_ALONE
from sabot.domain.audit.late_change_reversals import stake_after
from sabot.domain.audit.table_order import doubt_among
from sabot.domain.events import BetCarried, BetPlaced, CommissionCollected, CommissionMarked
from sabot.domain.events.bank import ExcessReturned
from sabot.domain.events.envelope import Event
from sabot.domain.procedure.patron_bank import banked
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

_VERSION: Final = attrgetter("version")


class Ceased(Struct, frozen=True):
    """How a bet ceased to stand before it was settled.

    ``event`` is the one that left nothing on the felt, ``stake`` what lay there before it, in minor
    units. ``stakes`` are all events that made the stake what it was, ``settled`` those by which the
    bet was settled all the same.
    """

    event: Event
    stake: int
    stakes: tuple[Event, ...]
    settled: tuple[Event, ...]


def ceased(coup: Coup, bet: Bet) -> Ceased | None:
    """Return how a bet ceased to stand before it was settled; None where it stood, or never was.

    Of a bet that was taken up, settled and placed again the payments are judged together, against
    the stake that lies there in the end. So are those of a bet that was settled before it ceased.
    """
    if not bet.withdrawn or not (bet.moves or bet.commission):
        return None
    settled = _settled(coup, bet)
    stakes = _stakes(coup, bet)
    lay = stake = 0
    last: Event | None = None
    for event in stakes:
        if event.version > settled[0].version:
            break
        now = _after(event, lay)
        if now:
            last = None
        elif last is None:
            last, stake = event, lay
        lay = now
    return None if last is None else Ceased(last, stake, stakes[1:], settled)


def moved_for_nothing(shoe: Shoe, coup: Coup, bet: Bet) -> Ceased | str | None:
    """Return how a bet ceased to stand for which chips moved; or why nobody knows that it did.

    None where nothing moved, or a rule of its own tells of what did: of void coups, of rulings, and
    of a bet that was placed a second time under its number. What was put right moved nothing.
    """
    if not bet.withdrawn or coup.voided is not None or bet.number in coup.going_back:
        return None
    how = ceased(coup, bet)
    if how is None or (bet.paid and bet.taken and not bet.net) or _placed_again(coup, bet, how):
        return None
    if shoe.scope == "coups":
        return COUPS_ALONE
    return doubt_among(shoe, how.stakes, how.settled) or how


def _placed_again(coup: Coup, bet: Bet, how: Ceased) -> bool:
    return any(
        isinstance(event.fact, BetPlaced | BetCarried)
        and event.fact.bet == bet.number
        and how.event.version < event.version < how.settled[0].version
        for event in coup.strays
    )


def _after(event: Event, lay: int) -> int:
    """Return what lies on the wager after an event, of what lay there before it."""
    fact = event.fact
    if isinstance(fact, ExcessReturned):
        return max(0, lay - fact.amount)
    return stake_after(event)


def _stakes(coup: Coup, bet: Bet) -> tuple[Event, ...]:
    excess = [
        event
        for event in banked(coup).excess
        if isinstance(event.fact, ExcessReturned) and event.fact.bet == bet.number
    ]
    return bet.placed, *sorted([*bet.changes, *excess], key=_VERSION)


def _settled(coup: Coup, bet: Bet) -> tuple[Event, ...]:
    """Return the events that settled a bet, or charged commission on it, in order."""
    charged = [event for event in coup.events if _charges(event, bet)]
    return tuple(sorted([*bet.moves, *charged], key=_VERSION))


def _charges(event: Event, bet: Bet) -> bool:
    fact = event.fact
    if isinstance(fact, CommissionMarked):
        return fact.bet == bet.number
    return isinstance(fact, CommissionCollected) and (fact.bet, fact.patron) == (
        bet.number,
        bet.patron,
    )
