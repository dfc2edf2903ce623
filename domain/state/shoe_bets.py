"""Handlers for bets: placement, changes, settlement and commission."""

from typing import Final

from sabot.domain import events as ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.projection import Handlers
from sabot.domain.state.shoe_state import Shoe


def _bet_placed(shoe: Shoe, event: RecordedEvent[ev.BetPlaced | ev.BetCarried]) -> None:
    payload = event.payload
    coup = shoe.coups.get(payload.coup) or shoe.coup(payload.coup)
    coup.events.append(event)
    number = payload.bet
    if number in coup.bets:
        coup.unmatched_events.append(event)
        return
    bet = coup.bets[number] = Bet(
        number, payload.patron, payload.wager, payload.amount, event, event, shoe.limits
    )
    if type(payload) is not ev.BetCarried:
        return
    bet.carried = True
    if (made := _made_before(shoe, bet, payload.coup)) is not None:
        bet.staked, bet.limits = made.staked, made.limits


def _made_before(shoe: Shoe, bet: Bet, coup: int) -> Bet | None:
    """Return the bet of the previous coup that a carried bet continues.

    Patron, wager and amount must be equal.
    """
    before = shoe.coups.get(coup - 1)
    if before is None:
        return None
    same = (bet.patron, bet.wager, bet.amount)
    bets = before.bets.values()
    return next((one for one in bets if (one.patron, one.wager, one.amount) == same), None)


def bet_of(shoe: Shoe, event: RecordedEvent, coup_number: int, number: int) -> Bet | None:
    """Return the bet that an event names, after adding the event to the coup.

    None if the bet is unknown.
    """
    coup = shoe.coups.get(coup_number) or shoe.coup(coup_number)
    coup.events.append(event)
    bet = coup.bets.get(number)
    if bet is None:
        coup.unmatched_events.append(event)
    return bet


def _bet_changed(shoe: Shoe, event: RecordedEvent[ev.BetChanged]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None:
        bet.changes.append(event)
        bet.amount, bet.withdrawn = payload.amount, not payload.amount
        bet.staked, bet.limits = event, shoe.limits


def _bet_withdrawn(shoe: Shoe, event: RecordedEvent[ev.BetWithdrawn]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None and bet.withdrawn:
        shoe.coup(payload.coup).unmatched_events.append(event)
    elif bet is not None:
        bet.changes.append(event)
        bet.withdrawn = True


def _bet_taken(shoe: Shoe, event: RecordedEvent[ev.BetTaken]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.taken += payload.amount
    if shoe.bank is not None:
        shoe.bank.takes(event, payload.amount)


def _bet_paid(shoe: Shoe, event: RecordedEvent[ev.BetPaid]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.paid += payload.amount
        bet.after_commission = bet.after_commission or payload.after_commission
    if shoe.bank is not None:
        shoe.bank.pays(event, payload.amount)


def _bet_pushed(shoe: Shoe, event: RecordedEvent[ev.BetPushed]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.pushed = True


def _commission_marked(shoe: Shoe, event: RecordedEvent[ev.CommissionMarked]) -> None:
    payload = event.payload
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None:
        bet.marked += payload.amount
        shoe.owed_commission[bet.patron] = shoe.owed_commission.get(bet.patron, 0) + payload.amount


def settles_marks(shoe: Shoe, payload: ev.CommissionCollected) -> bool:
    """Return whether collected commission pays off commission marked earlier.

    A collection without a coup does. A collection for a coup does if the patron has commission
    marked on the named bet, or on any bet of the coup if no bet is named. It also does if the named
    bet is unknown, because such a bet cannot have won. Other commission is collected at once with
    its bet.
    """
    if payload.coup is None:
        return True
    coup = shoe.coups.get(payload.coup)
    bets = coup.bets if coup is not None else {}
    if payload.bet is not None:
        bet = bets.get(payload.bet)
        return bet is None or (bet.patron == payload.patron and bet.marked > 0)
    return any(bet.marked for bet in bets.values() if bet.patron == payload.patron)


def _commission_collected(shoe: Shoe, event: RecordedEvent[ev.CommissionCollected]) -> None:
    payload = event.payload
    of_marks = settles_marks(shoe, payload)
    if of_marks:
        shoe.owed_commission[payload.patron] = (
            shoe.owed_commission.get(payload.patron, 0) - payload.amount
        )
    if payload.coup is None:
        return
    if payload.bet is None:
        coup = shoe.coup(payload.coup)
        coup.events.append(event)
        if not of_marks:
            coup.collected[payload.patron] = coup.collected.get(payload.patron, 0) + payload.amount
        return
    bet = bet_of(shoe, event, payload.coup, payload.bet)
    if bet is not None and bet.patron == payload.patron:
        bet.collected += payload.amount
    elif bet is not None:
        # another patron's bet, on which this patron owes nothing
        coup = shoe.coup(payload.coup)
        coup.collected[payload.patron] = coup.collected.get(payload.patron, 0) + payload.amount


def _bet_abandoned(shoe: Shoe, event: RecordedEvent[ev.BetAbandoned]) -> None:
    payload = event.payload
    if bet_of(shoe, event, payload.coup, payload.bet) is not None:
        shoe.abandoned.append(event)


HANDLERS: Final = Handlers[Shoe]()
HANDLERS.on(ev.BetPlaced, _bet_placed)
HANDLERS.on(ev.BetCarried, _bet_placed)
HANDLERS.on(ev.BetChanged, _bet_changed)
HANDLERS.on(ev.BetWithdrawn, _bet_withdrawn)
HANDLERS.on(ev.BetTaken, _bet_taken)
HANDLERS.on(ev.BetPaid, _bet_paid)
HANDLERS.on(ev.BetPushed, _bet_pushed)
HANDLERS.on(ev.CommissionMarked, _commission_marked)
HANDLERS.on(ev.CommissionCollected, _commission_collected)
HANDLERS.on(ev.BetAbandoned, _bet_abandoned)
