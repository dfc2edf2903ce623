"""Find the wrong payments, levies and additions in a patron's bank.

A bank that paid an amount too much holds less by this amount than its banker expects and the
croupier calls. So a wrong balance, or a wrongly announced amount of the bank, may follow from them.
A bet that was never settled counts as a payment of 0.

The same holds for a stake that was changed late by the record: if the change did not happen at the
table, or the table did not follow it, the bank holds what was won and lost by the former stake.
"""

from collections.abc import Iterable

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.audit.announced_bank import excess_called
from sabot.domain.audit.checks.bank.levy import levy_or_end, won_on_the_cards
from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.checks.unsettled_bets import is_never_settled
from sabot.domain.audit.coup_view import CoupView, cashier_of, excess_moved, view_coup
from sabot.domain.audit.settled_stakes import late_stakes_of, with_stakes_in_time
from sabot.domain.events.bank import BankPosted, BankRaised, BankWithdrawn
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, levy_charged, total_staked
from sabot.domain.procedure.preconditions import bank_requirements, tableaux_requirements
from sabot.domain.procedure.two_tableaux.bank_award import best_bid
from sabot.domain.rules.pack_sections import LevyRule
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


class WrongMove(Struct, frozen=True):
    """A move that left a wrong amount in a bank.

    ``amount`` is what the bank lacks, in minor units; negative if it has too much. ``event`` placed
    the bet, is the levy or the addition, or ended a coup without a levy. ``bet`` is None if the
    move is not a payment. ``late`` is whether the event is a late bet or a late change of one.
    """

    event: RecordedEvent
    amount: int
    bet: Bet | None = None
    late: bool = False


def coups_of_bank(shoe: Shoe, nth: int, until: int | None = None) -> list[Coup]:
    """Return the coups against a bank, before a coup of this number if one is given."""
    coups = [coup for coup in shoe.coups.values() if bank_events_of(coup).nth == nth]
    return [coup for coup in coups if until is None or coup.number < until]


def wrong_moves_of_bank(shoe: Shoe, nth: int, until: int | None = None) -> list[WrongMove] | None:
    """Return the wrong moves of a bank, which is the ``nth`` of its shoe.

    Args:
        shoe: the shoe.
        nth: the number of the bank, from 1.
        until: the number of the coup before which they are wanted; None for all.

    Returns:
        the moves, or None where the payments of a coup are not judged.
    """
    return wrong_moves_of(shoe, coups_of_bank(shoe, nth, until))


def wrong_moves_of(
    shoe: Shoe, coups: Iterable[Coup], *, in_time: bool = False
) -> list[WrongMove] | None:
    """Return the wrong moves of coups. None where the payments of one of them are not judged.

    With ``in_time`` each bet is judged by its stake at the close of bets, and the event of a late
    bet or change is the first late one.
    """
    cashier = cashier_of(shoe)
    moves: list[WrongMove] = []
    for coup in coups:
        view = view_coup(shoe, coup, cashier)
        if in_time:
            view = replace(view, coup=with_stakes_in_time(view.coup))
        if not coup.bets:
            continue
        if why_payments_unjudged(view) is not None:
            return None
        paid = _wrong_payments(view)
        if in_time:
            paid = [_by_late_stake(coup, move) for move in paid]
        moves += [move for move in (*paid, *_wrong_levy(view), *_short(view.coup)) if move.amount]
    return moves


def _wrong_payments(view: CoupView) -> list[WrongMove]:
    """Return the settlements of bets with each patron's excess.

    To a bet that came late, by a view of the stakes in time, nothing is due.
    """
    moves = []
    for bet in view.coup.bets.values():
        if bet.moves or is_never_settled(view, bet):
            due = view.due(bet, bet.amount)
            if due is not None:
                moves.append(WrongMove(bet.placed, excess_moved(bet, due), bet))
            elif bet.withdrawn and late_stakes_of(view.coup, bet)[:1] == [bet.placed]:
                moves.append(WrongMove(bet.placed, bet.net, bet))
    return moves


def moves_behind_call(shoe: Shoe, coup: Coup) -> list[RecordedEvent]:
    """Return the wrong moves of earlier coups that account for a wrong call.

    Without them the bank would hold what was called. The result is empty if they add up to another
    amount.
    """
    more, nth = excess_called(coup), bank_events_of(coup).nth
    moves = wrong_moves_of_bank(shoe, nth, coup.number) if more else None
    if moves and sum(move.amount for move in moves) == more:
        return [move.event for move in moves]
    return late_stakes_behind(shoe, nth, more, coup.number) if more else []


def late_stakes_behind(
    shoe: Shoe, nth: int, more: int, until: int | None = None
) -> list[RecordedEvent]:
    """Return the late bets and changes that account for a difference of a bank.

    They are all since the last right call of the bank, together with other wrong moves, or a single
    one. The result is empty if they move another amount.

    Args:
        shoe: the shoe.
        nth: the number of the bank, from 1.
        more: what the bank lacks, in minor units; negative if it has too much.
        until: the number of the coup before which they are wanted; None for all.
    """
    coups = coups_of_bank(shoe, nth, until)
    right = [c.number for c in coups if bank_events_of(c).called and not excess_called(c)]
    coups = [coup for coup in coups if coup.number >= max(right, default=0)]
    moves = wrong_moves_of(shoe, coups, in_time=True) or []
    late = [move for move in moves if move.late]
    if late and sum(move.amount for move in moves) == more:
        return [move.event for move in moves]
    return [move.event for move in late if move.amount == more][:1]


def _by_late_stake(coup: Coup, paid: WrongMove) -> WrongMove:
    """Return a payment with the first late bet or change behind it, if there is one."""
    late = late_stakes_of(coup, paid.bet) if paid.bet is not None else []
    return replace(paid, event=late[0], late=True) if late else paid


def put_up_wrongly(shoe: Shoe, coup: Coup, called: int) -> list[RecordedEvent[BankPosted]]:
    """Return the posting of a bank of a wrong amount, if the first call gave a right amount."""
    nth = bank_events_of(coup).nth
    bank = shoe.banks[nth - 1]
    rule = shoe.pack.bank if shoe.pack is not None else None
    if rule is None or coups_of_bank(shoe, nth, coup.number):
        return []
    bid = best_bid(shoe) if bank is shoe.banks[0] else None
    put, called_right = (
        bank_requirements.is_right_bank(rule, bank.amount_to_match, amount)
        and tableaux_requirements.keeps_bid(bid, bank.holder, amount)
        for amount in (bank.posted.payload.amount, called)
    )
    return [bank.posted] if called_right and not put else []


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
