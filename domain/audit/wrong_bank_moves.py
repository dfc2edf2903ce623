"""Find the wrong payments, levies and additions in a patron's bank.

A bank that paid an amount too much holds less by this amount than its banker expects and the
croupier calls. So a wrong balance, or a wrongly announced amount of the bank, may follow from them.
A bet that was never settled counts as a payment of 0.
"""

from collections.abc import Iterable

from msgspec import Struct

from sabot.domain.audit.announced_bank import excess_called
from sabot.domain.audit.checks.bank.levy import levy_or_end, won_on_the_cards
from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.checks.unsettled_bets import is_never_settled
from sabot.domain.audit.coup_view import CoupView, cashier_of, excess_moved, view_coup
from sabot.domain.events.bank import BankRaised, BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, levy_charged, total_staked
from sabot.domain.rules.pack_sections import LevyRule
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


class WrongMove(Struct, frozen=True):
    """A move that left a wrong amount in a bank.

    ``amount`` is what the bank lacks, in minor units; negative if it has too much. ``event`` placed
    the bet, is the levy or the addition, or ended a coup without a levy. ``bet`` is None if the
    move is not a payment.
    """

    event: RecordedEvent
    amount: int
    bet: Bet | None = None


def wrong_moves_of_bank(shoe: Shoe, nth: int, until: int | None = None) -> list[WrongMove] | None:
    """Return the wrong moves of a bank, which is the ``nth`` of its shoe.

    Args:
        shoe: the shoe.
        nth: the number of the bank, from 1.
        until: the number of the coup before which they are wanted; None for all.

    Returns:
        the moves, or None where the payments of a coup are not judged.
    """
    coups = [coup for coup in shoe.coups.values() if bank_events_of(coup).nth == nth]
    return wrong_moves_of(shoe, [c for c in coups if until is None or c.number < until])


def wrong_moves_of(shoe: Shoe, coups: Iterable[Coup]) -> list[WrongMove] | None:
    """Return the wrong moves of coups. None where the payments of one of them are not judged."""
    cashier = cashier_of(shoe)
    moves: list[WrongMove] = []
    for coup in coups:
        view = view_coup(shoe, coup, cashier)
        if not coup.bets:
            continue
        if why_payments_unjudged(view) is not None:
            return None
        bets = [bet for bet in view.coup.bets.values() if bet.moves or is_never_settled(view, bet)]
        dues = ((bet, view.due(bet, bet.amount)) for bet in bets)
        paid = [
            WrongMove(bet.placed, excess_moved(bet, due), bet)
            for bet, due in dues
            if due is not None
        ]
        moves += [move for move in (*paid, *_wrong_levy(view), *_short(view.coup)) if move.amount]
    return moves


def moves_behind_call(shoe: Shoe, coup: Coup) -> list[RecordedEvent]:
    """Return the wrong moves of earlier coups that account for a wrong call.

    Without them the bank would hold what was called. The result is empty if they add up to another
    amount.
    """
    more = excess_called(coup)
    moves = wrong_moves_of_bank(shoe, bank_events_of(coup).nth, coup.number) if more else None
    total = sum(move.amount for move in moves or [])
    return [move.event for move in moves or []] if total == more else []


def moves_by(bank: Bank, more: int) -> list[RecordedEvent]:
    """Return the single withdrawals or additions of a bank that equal a difference.

    Args:
        bank: the bank.
        more: what it lacks, in minor units; negative if it has too much.
    """
    kind = BankWithdrawn if more > 0 else BankRaised
    moves = events_of((BankRaised, BankWithdrawn), bank.moves)
    return [e for e in moves if isinstance(e.payload, kind) and e.payload.amount == abs(more)]


def _short(coup: Coup) -> list[WrongMove]:
    """Return the chips added to a bank for the stakes of a coup, with their shortage."""
    raised, bank = bank_events_of(coup).raised, bank_of(coup)
    if not raised or bank is None:
        return []
    return [WrongMove(raised[-1], max(0, total_staked(coup) - bank))]


def _wrong_levy(view: CoupView) -> list[WrongMove]:
    """Return the levy of a coup, or the end of a coup without one, with its surplus."""
    pack, shown = view.shoe.pack, levy_or_end(view.coup)
    if pack is None or not shown:
        return []
    levy = pack.levy or LevyRule()
    won = won_on_the_cards(view) if view.coup.voided is None else 0
    return [WrongMove(shown[0], levy_charged(view.coup) - levy.on(won))]
