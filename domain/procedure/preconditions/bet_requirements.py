"""Requirements of bets, limits and free hands, shared by dealing and audit."""

from collections import Counter
from collections.abc import Container, Iterable

from sabot.domain.events import BetCarried, BetPlaced, Limit, LimitsChanged, PatronLeft
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.coup_state import Bet, Coup

Stake = tuple[str, str, int]
"""A patron, the wager, and the patron's stake in minor units."""


def stake_of(bet: Bet) -> Stake:
    """Return the stake of a bet when it was placed or carried over."""
    return bet.patron, bet.wager, bet.placed.payload.amount


def not_yet_carried(left: Iterable[Stake], coup: Coup) -> Counter[Stake]:
    """Return the stakes left by the previous coup that this coup has not carried over."""
    return Counter(left) - Counter(stake_of(bet) for bet in coup.bets.values() if bet.carried)


# -- On what, and where ----------------------------------------------------------------------------


def is_offered(pack: RulePack, wager: str) -> bool:
    """Return whether the rule pack offers a wager."""
    return pack.wager(wager) is not None


def has_seat(pack: RulePack, seat: int) -> bool:
    """Return whether the table has a seat of this number."""
    return seat <= pack.table.seats


def is_at_table(left: RecordedEvent[PatronLeft] | None) -> bool:
    """Return whether a patron has not left the table."""
    return left is None


# -- Free hands ------------------------------------------------------------------------------------


def takes_bets(coup: Coup) -> bool:
    """Return whether a coup is dealt with bets."""
    return not coup.free


def is_within_free_hands(pack: RulePack, nth: int) -> bool:
    """Return whether the rule pack allows this number of free hands."""
    return pack.free_hands is None or nth <= pack.free_hands


def comes_before_bets(first: int | None, free_hand: int) -> bool:
    """Return whether a free hand comes before the first coup with bets."""
    return first is None or free_hand < first


def was_requested(open_requests: int) -> bool:
    """Return whether a request for a free hand is open."""
    return open_requests > 0


def first_with_bets(coups: Iterable[Coup]) -> int | None:
    """Return the number of the first coup dealt with bets, or None."""
    return min((coup.number for coup in coups if coup.first_card and not coup.free), default=None)


# -- Limits ----------------------------------------------------------------------------------------


def is_within_limits(limit: Limit | None, amount: int) -> bool:
    """Return whether a stake is within a limit."""
    # no stake keeps a limit whose minimum is above its maximum: `leaves_a_stake` is broken then
    return limit is None or limit.minimum <= amount <= limit.maximum or not leaves_a_stake(limit)


def leaves_a_stake(limit: Limit) -> bool:
    """Return whether the minimum of a limit is not above its maximum."""
    return limit.minimum <= limit.maximum


def is_within_differential(pack: RulePack, apart: int) -> bool:
    """Return whether the bets differ by no more than the table differential."""
    most = pack.limits.differential
    return most is None or abs(apart) <= most


def has_permitted_ratio(pack: RulePack, limit: Limit) -> bool:
    """Return whether a maximum is a multiple of the minimum that the rule pack names."""
    ratios = pack.limits.ratios
    return not ratios or limit.maximum in [ratio * limit.minimum for ratio in ratios]


def is_displayed(pack: RulePack, change: LimitsChanged) -> bool:
    """Return whether a change of the limits is displayed, if the rule pack requires it."""
    return not pack.limits.displayed or change.displayed is not False


def are_together_within_limits(limit: Limit | None, amount: int) -> bool:
    """Return whether a patron's bets on a wager are together within the maximum."""
    return limit is None or amount <= limit.maximum


def staked_together(
    pack: RulePack | None, placed: BetPlaced | BetCarried
) -> tuple[str, str, int | None]:
    """Return what a limit per patron applies to: a patron, a wager, and a seat or None.

    The seat counts where each seat has a hand of its own, so that the wager is on that hand.
    """
    own_hands = pack is not None and pack.macao is not None
    return placed.patron, placed.wager, placed.seat if own_hands else None


# -- Seats and boxes -------------------------------------------------------------------------------


def has_room_for_patrons(pack: RulePack, patrons: int) -> bool:
    """Return whether this number of patrons may share a seat."""
    return pack.table.per_seat is None or patrons <= pack.table.per_seat


def has_room_for_bets(pack: RulePack, patrons: int) -> bool:
    """Return whether this number of patrons may bet on a seat."""
    return pack.table.per_seat is None or patrons <= pack.table.per_seat


# -- Bets that a tie left on the felt --------------------------------------------------------------


def was_left_by_tie(waiting: Container[Stake], stake: Stake) -> bool:
    """Return whether a carried bet is one that a tie left."""
    return stake in waiting


def leaves_held_bet(carried: int, stake: int) -> bool:
    """Return whether a bet that a tie holds is not lowered."""
    return stake >= carried
