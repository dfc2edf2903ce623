"""What the rule pack forbids of bets."""

from sabot.domain import events as ev
from sabot.domain.procedure.bet_requirements import (
    FREE_HAND_WITHOUT_BETS,
    SEAT_EXISTS,
    WAGER_OFFERED,
    has_seat,
    offers,
)
from sabot.domain.procedure.common import coup_differential, left_to_carry, limit_for, lying_bets
from sabot.domain.procedure.preconditions.card_events import coup_at
from sabot.domain.procedure.preconditions.people_events import check_patron_total
from sabot.domain.procedure.requirement import Violation
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import format_amount


def check_bet(shoe: Shoe, payload: "ev.BetPlaced") -> str | None:
    """Refuse a bet that comes late, on what is not offered, or outside the limits."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if coup.free:
        return Violation("this is a free hand; nobody bets on it", FREE_HAND_WITHOUT_BETS)
    if coup.no_more_bets is not None:
        return "no more bets was called; the bet waits for the next coup"
    if payload.bet in coup.bets:
        return f"bet {payload.bet} lies there already; change that one, or give the next number"
    assert shoe.pack is not None
    if payload.seat is not None and not has_seat(shoe.pack, payload.seat):
        most = shoe.pack.table.seats
        return Violation(f"there is no seat {payload.seat}; the table has {most}", SEAT_EXISTS)
    refused = _stake(shoe, payload.wager, payload.amount)
    return refused or check_patron_total(shoe, payload.patron, payload.wager, payload.amount)


def check_carry(shoe: Shoe, payload: ev.BetCarried) -> str | None:
    """Refuse a bet that no tie left on the felt."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    same = [
        bet
        for bet in lying_bets(shoe, coup)
        if (bet.patron, bet.wager, bet.amount) == (payload.patron, payload.wager, payload.amount)
    ]
    if not same:
        return "no tie left such a bet on the felt; place it as a new bet"
    return None


def check_change(shoe: Shoe, payload: "ev.BetChanged | ev.BetWithdrawn") -> str | None:
    """Refuse to move a bet once bets are closed, or one that is frozen."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    bet = coup.bets.get(payload.bet)
    if bet is None or bet.withdrawn:
        return f"there is no bet {payload.bet} on the felt"
    if coup.no_more_bets is not None:
        return "no more bets was called; the bet stands"
    assert shoe.pack is not None
    if bet.carried and not shoe.pack.tie.withdrawable:
        return "this bet is frozen; it stands for this coup"
    if not isinstance(payload, ev.BetChanged):
        return None
    refused = _stake(shoe, bet.wager, payload.amount)
    return refused or check_patron_total(shoe, bet.patron, bet.wager, payload.amount - bet.amount)


def no_more_bets(shoe: Shoe, payload: ev.NoMoreBets) -> str | None:
    """Refuse a second call, and one while the two sides differ by too much."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if coup.no_more_bets is not None:
        return "no more bets was called already"
    assert shoe.pack is not None
    held = [] if shoe.pack.tie.withdrawable or coup.free else left_to_carry(shoe, coup)
    if held:
        return f"a tie holds {held[0].patron}'s bet on {held[0].wager}; carry it over first"
    most, now = shoe.pack.limits.differential, coup_differential(coup)
    if most is not None and now > most:
        units = shoe.pack.money.minor_units
        return (
            f"Player and Banker bets differ by {format_amount(now, units)}, and the table takes "
            f"{format_amount(most, units)}; have bets on the heavier side taken down"
        )
    return None


def _stake(shoe: Shoe, wager: str, amount: int) -> str | None:
    assert shoe.pack is not None
    if not offers(shoe.pack, wager):
        offered = ", ".join(wager.name for wager in shoe.pack.wagers)
        return Violation(f"this table does not offer {wager!r}; it offers {offered}", WAGER_OFFERED)
    if amount == 0:
        return "a bet needs a stake"
    limit = limit_for(shoe, wager)
    if limit is not None and not limit.minimum <= amount <= limit.maximum:
        units = shoe.pack.money.minor_units
        if limit.maximum == ev.MAX_INT:
            least, given = format_amount(limit.minimum, units), format_amount(amount, units)
            return f"a stake on {wager} is {least} at least, not {given}"
        least, most, given = (
            format_amount(each, units) for each in (limit.minimum, limit.maximum, amount)
        )
        return f"the limits on {wager} are {least} to {most}, not {given}"
    return None
