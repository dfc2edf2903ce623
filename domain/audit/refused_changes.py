"""Find wrong changes of a stake that the table did not follow when it settled the bet.

A bet that is raised after the result and paid by its former stake is paid as due. The same applies
to a bet that was carried over with a wrong stake, and paid by the stake that was left on the
layout. The finding about the change then moves no money, and there is no finding about the payment.
"""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from sabot.domain.audit.late_change_reversals import LETTING_STAND, stake_before
from sabot.domain.audit.settled_stakes import order_known
from sabot.domain.events import BetChanged, IrregularityNoted
from sabot.domain.events.envelope import is_of
from sabot.domain.procedure.patron_bank import open_bets
from sabot.domain.procedure.preconditions.bet_requirements import Stake, stake_of
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.rules.payouts import Due
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import order_unknown

Dues = list[tuple[Bet, Due | None]]
"""Settled bets, each with the amount due; None where it is unknown."""


def with_former_stakes(
    shoe: Shoe, coup: Coup, dues_of: Callable[[Coup], Dues], is_as_due: Callable[[Bet, Due], bool]
) -> tuple[Coup, Dues]:
    """Return a coup in which a bet has its former stake if it was settled exactly by that.

    Args:
        shoe: the shoe.
        coup: the coup, in which each bet has the stake for which it was settled.
        dues_of: computes the amounts due to the settled bets of a coup.
        is_as_due: whether a bet was settled as due.

    Returns:
        The coup, and the amounts due to its bets.
    """
    dues = dues_of(coup)
    former = {
        bet.number: replace(bet, amount=stake)
        for bet, due in dues
        if (bet.changes or bet.is_carried_anew) and due is not None and not is_as_due(bet, due)
        if (stake := _stake_in_time(shoe, coup, bet) or _stake_before(shoe, coup, bet))
    }
    if not former:
        return coup, dues
    tried = dues_of(replace(coup, bets={**coup.bets, **former}))
    kept = {
        bet.number: bet
        for bet, due in tried
        if bet.number in former and due is not None and is_as_due(bet, due)
    }
    if not kept:
        return coup, dues
    coup = replace(coup, bets={**coup.bets, **kept})
    return coup, dues_of(coup)


def _stake_in_time(shoe: Shoe, coup: Coup, bet: Bet) -> int:
    """Return the stake of a bet before its first late change, in minor units.

    It is 0 if no change is certain to be late, or if a ruling let late bets stand.
    """
    closed = coup.bets_closed
    if closed is None or any(_lets_stand(event.payload) for event in coup.irregularities):
        return 0
    late = [event for event in bet.changes if event.position > closed and is_of(event, BetChanged)]
    if not late or not order_known(shoe, coup, bet, bet.changes):
        return 0
    closes = [event for event in (coup.no_more_bets, *coup.cards[:1]) if event is not None]
    if any(order_unknown(shoe, each, late[0]) is not None for each in closes):
        return 0
    return stake_before(bet, late[0])


def _stake_before(shoe: Shoe, coup: Coup, bet: Bet) -> int:
    """Return the stake of the previous coup that a bet was carried over from, in minor units.

    It is what the patron had there on the wager, less the other carried bets on it. It is 0 if it
    is not on record, or if the stake was changed again.
    """
    before = shoe.coups.get(coup.number - 1)
    if before is None or before.opened is None or before.voided is not None or bet.changes:
        return 0
    if not bet.is_carried_anew or shoe.coverage == "coups":
        return 0
    if shoe.pack is not None and shoe.pack.tableaux is not None:
        held = stakes_held_for(shoe, coup)
        left = [(each.bet.patron, each.wager, each.amount) for each in held]
    else:
        left = [(each.patron, each.wager, each.amount) for each in open_bets(before)]
    others = [each for each in open_bets(coup) if each.carried and each.number != bet.number]
    return max(0, _on_wager(bet, left) - _on_wager(bet, map(stake_of, others)))


def _on_wager(bet: Bet, stakes: Iterable[Stake]) -> int:
    """Return what the patron of a bet has in all on its wager, in minor units."""
    return sum(amount for *place, amount in stakes if place == [bet.patron, bet.wager])


def _lets_stand(noted: IrregularityNoted) -> bool:
    return noted.kind == "late-bet" and noted.ruling in LETTING_STAND
