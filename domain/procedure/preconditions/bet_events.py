"""Checks of bets and limits."""

from sabot.domain import events as ev
from sabot.domain.procedure.common import coup_differential, left_to_carry, limit_for, lying_bets
from sabot.domain.procedure.preconditions.bet_requirements import (
    are_together_within_limits,
    has_room_for_bets,
    has_seat,
    is_displayed,
    is_offered,
    is_within_differential,
    is_within_limits,
    leaves_held_bet,
    not_yet_carried,
    staked_together,
    takes_bets,
    was_left_by_tie,
)
from sabot.domain.procedure.preconditions.card_events import check_ratios, coup_at
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.procedure.seating import seat_of, seats_at
from sabot.domain.rules.labels import wager_label
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe


def check_bet(shoe: Shoe, payload: "ev.BetPlaced") -> Violation | None:
    """Refuse a bet that is late, outside the limits, or on a wager that is not offered."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if not takes_bets(coup):
        return Violation("this is a free hand; nobody bets on it", "B206")
    if coup.no_more_bets is not None:
        return Violation("bets are closed; place the bet in the next coup", "B201")
    if payload.bet in coup.bets:
        said = f"bet {payload.bet} is on the table already; change it, or give the next number"
        return Violation(said, "R401")
    assert shoe.pack is not None
    if payload.seat is not None and not has_seat(shoe.pack, payload.seat):
        most = shoe.pack.table.seats
        return Violation(f"there is no seat {payload.seat}; the table has {most}", "B205")
    return (
        _stake(shoe, payload.wager, payload.amount)
        or _patron_total(shoe, payload, payload.amount)
        or _bettors(shoe, coup, payload)
    )


def _bettors(shoe: Shoe, coup: Coup, payload: "ev.BetPlaced") -> Violation | None:
    """Refuse a bet on a seat that already has the permitted number of bettors."""
    assert shoe.pack is not None
    seat = payload.seat or next(
        (seat for seat, patrons in seats_at(shoe).items() if payload.patron in patrons), None
    )
    standing = [bet for bet in coup.bets.values() if not bet.withdrawn]
    patrons = {bet.patron for bet in standing if seat_of(shoe, bet) == seat}
    if seat is None or has_room_for_bets(shoe.pack, len(patrons | {payload.patron})):
        return None
    others = " and ".join(sorted(patrons))
    return Violation(f"{others} already bet on seat {seat}; bet on another seat", "B211")


def check_carry(shoe: Shoe, payload: ev.BetCarried) -> Violation | None:
    """Refuse to carry over a bet that no tie left on the layout."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if not takes_bets(coup):
        return Violation("this is a free hand; no bet is carried into it", "B206")
    left = [(bet.patron, bet.wager, bet.amount) for bet in lying_bets(shoe, coup)]
    stake = payload.patron, payload.wager, payload.amount
    if was_left_by_tie(not_yet_carried(left, coup), stake):
        return None
    return Violation("no tie left such a bet on the layout; place it as a new bet", "B212")


def check_change(shoe: Shoe, payload: "ev.BetChanged | ev.BetWithdrawn") -> Violation | None:
    """Refuse to change a bet after bets are closed, or to lower a held bet."""
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    bet = coup.bets.get(payload.bet)
    if bet is None or bet.withdrawn:
        return Violation(f"there is no bet {payload.bet} on the layout", "R401")
    if coup.no_more_bets is not None:
        return Violation("bets are closed; the bet stands", "B203")
    assert shoe.pack is not None
    if bet.carried and not shoe.pack.tie.withdrawable:
        is_kept = leaves_held_bet(bet.placed.payload.amount, stake_left(payload))
        rule = "" if is_kept else "B213"
        return Violation("this bet is frozen; it stands for this coup", rule)
    if not isinstance(payload, ev.BetChanged):
        return None
    refused = _stake(shoe, bet.wager, payload.amount)
    return refused or _patron_total(shoe, bet.placed.payload, payload.amount - bet.amount)


def stake_left(payload: "ev.BetChanged | ev.BetWithdrawn") -> int:
    """Return the stake left after a change or withdrawal, in minor units."""
    return payload.amount if isinstance(payload, ev.BetChanged) else 0


def no_more_bets(shoe: Shoe, payload: ev.NoMoreBets) -> Violation | None:
    """Refuse a call of "no more bets" that is not allowed now.

    It is refused if it is the second one, if Player and Banker bets differ by too much, or if bets
    held by a tie are not carried over.
    """
    coup = coup_at(shoe, payload.coup)
    if isinstance(coup, str):
        return coup
    if coup.no_more_bets is not None:
        return Violation("bets are closed already")
    assert shoe.pack is not None
    held = [] if shoe.pack.tie.withdrawable or coup.free else left_to_carry(shoe, coup)
    if held:
        first = f"{held[0].patron}'s bet on {wager_label(held[0].wager)}"
        return Violation(f"a tie holds {first}; carry it over first", "B213")
    now = coup_differential(coup)
    if is_within_differential(shoe.pack, now):
        return None
    most = shoe.pack.limits.differential or 0
    return Violation(
        f"Player and Banker bets differ by {format_money(shoe, now)}, and the table takes "
        f"{format_money(shoe, most)}; have bets on the heavier side taken down",
        "L202",
    )


def change_limits(shoe: Shoe, payload: ev.LimitsChanged) -> Violation | None:
    """Refuse limits that the pack does not permit or that were not displayed."""
    assert shoe.pack is not None
    if not is_displayed(shoe.pack, payload):
        return Violation("a change of the limits is displayed first", "L204")
    return check_ratios(shoe.pack, payload.limits)


def _stake(shoe: Shoe, wager: str, amount: int) -> Violation | None:
    assert shoe.pack is not None
    if not is_offered(shoe.pack, wager):
        offered = ", ".join(wager.name for wager in shoe.pack.wagers)
        return Violation(f"this table does not offer {wager!r}; it offers {offered}", "B204")
    if amount == 0:
        return Violation("a bet needs a stake")
    limit = limit_for(shoe, wager)
    if limit is None or is_within_limits(limit, amount):
        return None
    least, most, given = (
        format_money(shoe, each) for each in (limit.minimum, limit.maximum, amount)
    )
    said = f"the limits on {wager_label(wager)} are {least} to {most}, not {given}"
    if limit.maximum == ev.MAX_INT:
        said = f"a stake on {wager_label(wager)} is {least} at least, not {given}"
    return Violation(said, "L201")


def _patron_total(
    shoe: Shoe, placed: "ev.BetPlaced | ev.BetCarried", amount: int
) -> Violation | None:
    """Refuse an amount that brings a patron's total on a wager above the limit."""
    limit, coup = limit_for(shoe, placed.wager), shoe.current
    if shoe.pack is None or shoe.pack.limits.per != "patron" or limit is None or coup is None:
        return None
    place = staked_together(shoe.pack, placed)
    standing = (bet for bet in coup.bets.values() if not bet.withdrawn)
    now = amount + sum(
        bet.amount for bet in standing if staked_together(shoe.pack, bet.placed.payload) == place
    )
    if are_together_within_limits(limit, now):
        return None
    return Violation(
        f"{placed.patron} would have {format_money(shoe, now)} on {wager_label(placed.wager)}, and "
        f"{format_money(shoe, limit.maximum)} is the most for all bets of a patron on it",
        "L205",
    )
