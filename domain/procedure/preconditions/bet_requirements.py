"""Requirements of bets, limits and free hands, shared by dealing and audit."""

from collections import Counter
from collections.abc import Container, Iterable

from sabot.domain.events import BetCarried, BetPlaced, Limit, LimitsChanged, PatronLeft
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_55_15,
    COMAR_36_05_03_14,
    DESPACHO_55_2004_ART_13,
    DESPACHO_55_2004_PLAY,
    HOUSE_CONVENTION,
    NSW_MINI_BACCARAT_RULE_1,
    NSW_MINI_BACCARAT_RULE_5,
    PA_CODE_58_629A_2,
    QUEENSLAND_2001_SCHEDULE_1_RULE_11A,
    SINGAPORE_CASINO_CONTROL_ACT_106,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_PUNTO_BANCO,
)
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


@requirement("B204", ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5, DESPACHO_55_2004_ART_13)
def is_offered(pack: RulePack, wager: str) -> bool:
    """A table takes the wagers of its rule pack and no others."""
    return pack.wager(wager) is not None


@requirement("B205", ARRETE_2007_ART_55_14, PA_CODE_58_629A_2, WIKIPEDIA_BACCARAT_BANQUE)
def has_seat(pack: RulePack, seat: int) -> bool:
    """Patrons sit and bet at a seat of the table: 1 to the number of seats in the rule pack."""
    return seat <= pack.table.seats


@requirement("B215", HOUSE_CONVENTION)
def is_at_table(left: RecordedEvent[PatronLeft] | None) -> bool:
    """A patron who has left the table places no bet before coming back to a seat."""
    return left is None


# -- Free hands ------------------------------------------------------------------------------------


@requirement("B206", QUEENSLAND_2001_SCHEDULE_1_RULE_11A, DESPACHO_55_2004_PLAY)
def takes_bets(coup: Coup) -> bool:
    """A free hand is dealt without wagers."""
    return not coup.free


@requirement("B207", DESPACHO_55_2004_PLAY)
def is_within_free_hands(pack: RulePack, nth: int) -> bool:
    """No more free hands are dealt from a shoe than the rule pack allows."""
    return pack.free_hands is None or nth <= pack.free_hands


@requirement("B208", DESPACHO_55_2004_PLAY)
def comes_before_bets(first: int | None, free_hand: int) -> bool:
    """Free hands are dealt at the start of a shoe, before the first coup with bets."""
    return first is None or free_hand < first


@requirement("B209", QUEENSLAND_2001_SCHEDULE_1_RULE_11A)
def was_requested(open_requests: int) -> bool:
    """A free hand is dealt only if a patron asked for it and the request was granted."""
    return open_requests > 0


def first_with_bets(coups: Iterable[Coup]) -> int | None:
    """Return the number of the first coup dealt with bets, or None."""
    return min((coup.number for coup in coups if coup.cards and not coup.free), default=None)


# -- Limits ----------------------------------------------------------------------------------------


@requirement("L201", ARRETE_2007_ART_55_15, COMAR_36_05_03_14)
def is_within_limits(limit: Limit | None, amount: int) -> bool:
    """A bet is within the limits that are in force when its stake is made, or last changed."""
    # no stake keeps a limit whose minimum is above its maximum: `leaves_a_stake` is broken then
    return limit is None or limit.minimum <= amount <= limit.maximum or not leaves_a_stake(limit)


@requirement("L208", HOUSE_CONVENTION)
def leaves_a_stake(limit: Limit) -> bool:
    """The minimum of a limit is not above its maximum."""
    return limit.minimum <= limit.maximum


@requirement("L202", NSW_MINI_BACCARAT_RULE_1)
def is_within_differential(pack: RulePack, apart: int) -> bool:
    """Player and Banker bets differ by no more than the table differential of the rule pack."""
    most = pack.limits.differential
    return most is None or abs(apart) <= most


@requirement("L203", ARRETE_2007_ART_55_15)
def has_permitted_ratio(pack: RulePack, limit: Limit) -> bool:
    """A maximum is one of the multiples of the minimum that the rule pack names."""
    ratios = pack.limits.ratios
    return not ratios or limit.maximum in [ratio * limit.minimum for ratio in ratios]


@requirement("L204", ARRETE_2007_ART_55_15, COMAR_36_05_03_14, SINGAPORE_CASINO_CONTROL_ACT_106)
def is_displayed(pack: RulePack, change: LimitsChanged) -> bool:
    """A change of the limits is displayed to the patrons."""
    return not pack.limits.displayed or change.displayed is not False


@requirement("L205", ARRETE_2007_ART_55_14, HOUSE_CONVENTION)
def are_together_within_limits(limit: Limit | None, amount: int) -> bool:
    """Where limits are per patron, a patron's bets on a wager are together within the maximum."""
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


@requirement("B210", ARRETE_2007_ART_55_14)
def has_room_for_patrons(pack: RulePack, patrons: int) -> bool:
    """No more patrons sit at a seat, or at a box, than the rule pack allows."""
    return pack.table.per_seat is None or patrons <= pack.table.per_seat


@requirement("B211", ARRETE_2007_ART_55_14, NSW_MINI_BACCARAT_RULE_5)
def has_room_for_bets(pack: RulePack, patrons: int) -> bool:
    """No more patrons bet on a seat, or on a box, than the rule pack allows."""
    return pack.table.per_seat is None or patrons <= pack.table.per_seat


# -- Bets that a tie left on the felt --------------------------------------------------------------


@requirement("B212", WIKIPEDIA_BACCARAT_PUNTO_BANCO)
def was_left_by_tie(waiting: Container[Stake], stake: Stake) -> bool:
    """A carried bet is one that a tie left on the layout: same patron, same wager, same stake."""
    return stake in waiting


@requirement("B213", WIKIPEDIA_BACCARAT_PUNTO_BANCO)
def leaves_held_bet(carried: int, stake: int) -> bool:
    """A bet that a tie holds is not lowered, withdrawn or left out before a coup decides it."""
    return stake >= carried
