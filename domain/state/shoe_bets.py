"""What bets do to a shoe: placed, changed, taken, paid, and the commission that they owe."""

from typing import Final

from sabot.domain import events as f
from sabot.domain.events.envelope import Event
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.projection import Handler
from sabot.domain.state.shoe_state import Shoe


def _bet_placed(shoe: Shoe, event: Event, fact: "f.BetPlaced | f.BetCarried") -> None:
    coup = shoe.coups.get(fact.coup) or shoe.coup(fact.coup)
    coup.events.append(event)
    number = fact.bet
    if number in coup.bets:
        coup.strays.append(event)
        return
    bet = coup.bets[number] = Bet(
        number, fact.patron, fact.wager, fact.amount, event, event, shoe.limits
    )
    if type(fact) is not f.BetCarried:
        return
    bet.carried = True
    if (made := _made_before(shoe, bet, fact.coup)) is not None:
        bet.staked, bet.limits = made.staked, made.limits


def _made_before(shoe: Shoe, bet: Bet, coup: int) -> Bet | None:
    """Return the bet of the coup before that a tie left on the felt, as large as this one."""
    before = shoe.coups.get(coup - 1)
    if before is None:
        return None
    same = (bet.patron, bet.wager, bet.amount)
    bets = before.bets.values()
    return next((one for one in bets if (one.patron, one.wager, one.amount) == same), None)


def bet_of(shoe: Shoe, event: Event, coup_number: int, number: int) -> Bet | None:
    """Return the bet that a fact names, the fact kept with its coup; None where there is none."""
    coup = shoe.coups.get(coup_number) or shoe.coup(coup_number)
    coup.events.append(event)
    bet = coup.bets.get(number)
    if bet is None:
        coup.strays.append(event)
    return bet


def _bet_changed(shoe: Shoe, event: Event, fact: f.BetChanged) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.changes.append(event)
        bet.amount, bet.withdrawn = fact.amount, not fact.amount
        bet.staked, bet.limits = event, shoe.limits


def _bet_withdrawn(shoe: Shoe, event: Event, fact: f.BetWithdrawn) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None and bet.withdrawn:
        shoe.coup(fact.coup).strays.append(event)
    elif bet is not None:
        bet.changes.append(event)
        bet.withdrawn = True


def _bet_taken(shoe: Shoe, event: Event, fact: f.BetTaken) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.taken += fact.amount
    if shoe.bank is not None:
        shoe.bank.takes(event, fact.amount)


def _bet_paid(shoe: Shoe, event: Event, fact: f.BetPaid) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.paid += fact.amount
        bet.after_commission = bet.after_commission or fact.after_commission
    if shoe.bank is not None:
        shoe.bank.pays(event, fact.amount)


def _bet_pushed(shoe: Shoe, event: Event, fact: f.BetPushed) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.moves.append(event)
        bet.pushed = True


def _commission_marked(shoe: Shoe, event: Event, fact: f.CommissionMarked) -> None:
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None:
        bet.marked += fact.amount
        shoe.owed[bet.patron] = shoe.owed.get(bet.patron, 0) + fact.amount


def settles_marks(shoe: Shoe, fact: f.CommissionCollected) -> bool:
    """Tell whether commission is collected of what was marked, and not at once, with its bet.

    It is where no coup is named; and of a coup, where the patron has marks there, on the bet that
    is named, or on any if none is. A bet that nobody placed is no bet of his that was won.
    """
    if fact.coup is None:
        return True
    coup = shoe.coups.get(fact.coup)
    bets = coup.bets if coup is not None else {}
    if fact.bet is not None:
        bet = bets.get(fact.bet)
        return bet is None or (bet.patron == fact.patron and bet.marked > 0)
    return any(bet.marked for bet in bets.values() if bet.patron == fact.patron)


def _commission_collected(shoe: Shoe, event: Event, fact: f.CommissionCollected) -> None:
    of_marks = settles_marks(shoe, fact)
    if of_marks:
        shoe.owed[fact.patron] = shoe.owed.get(fact.patron, 0) - fact.amount
    if fact.coup is None:
        return
    if fact.bet is None:
        coup = shoe.coup(fact.coup)
        coup.events.append(event)
        if not of_marks:
            coup.collected[fact.patron] = coup.collected.get(fact.patron, 0) + fact.amount
        return
    bet = bet_of(shoe, event, fact.coup, fact.bet)
    if bet is not None and bet.patron == fact.patron:
        bet.collected += fact.amount
    elif bet is not None:
        # another's bet: he owes nothing on it
        coup = shoe.coup(fact.coup)
        coup.collected[fact.patron] = coup.collected.get(fact.patron, 0) + fact.amount


def _bet_abandoned(shoe: Shoe, event: Event, fact: f.BetAbandoned) -> None:
    if bet_of(shoe, event, fact.coup, fact.bet) is not None:
        shoe.abandoned.append(event)


HANDLERS: Final[dict[type, Handler[Shoe]]] = {
    f.BetPlaced: _bet_placed,
    f.BetCarried: _bet_placed,
    f.BetChanged: _bet_changed,
    f.BetWithdrawn: _bet_withdrawn,
    f.BetTaken: _bet_taken,
    f.BetPaid: _bet_paid,
    f.BetPushed: _bet_pushed,
    f.CommissionMarked: _commission_marked,
    f.CommissionCollected: _commission_collected,
    f.BetAbandoned: _bet_abandoned,
}
