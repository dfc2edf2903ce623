"""Judges how far Player and Banker bets lay apart: what the house stands to lose in a coup."""

from itertools import accumulate
from typing import Final

from domain.audit.at_the_close import Staked, close_in_doubt, lying, staked_ever, staked_in_time
from domain.audit.identity import blaming
from domain.audit.rule import CLEAN, Answer, Breach, CoupView
from domain.audit.undoing import stake_after, stake_before
from domain.audit.wording import money
from domain.coup import Bet
from domain.event import Event

_SIDES: Final = {"player": 1, "banker": -1}


def _unjudged(view: CoupView) -> str | None:
    if view.shoe.scope == "coups":
        return "the record may lack bets"
    if not view.coup.bets:
        return "the coup has no bets"
    if view.open and view.coup.bets_closed is None:
        return "the bets are still open"
    return None


def too_far_apart(view: CoupView) -> Answer:
    """Judge the difference between Player and Banker bets as they lay when they were closed."""
    shoe = view.shoe
    most = shoe.pack.limits.differential if shoe.pack is not None else None
    if most is None:
        return "the pack caps no table differential"
    reason = _unjudged(view)
    if reason is not None:
        return reason
    staked = staked_in_time(shoe, view.coup)
    sums, late = _sums(staked), _sums(staked_ever(view.coup))
    if all(abs(each["player"] - each["banker"]) <= most for each in (sums, late)):
        return CLEAN
    doubtful = close_in_doubt(shoe, view.coup)
    apart = sums["player"] - sums["banker"]
    if doubtful is not None or abs(apart) <= most:
        return doubtful or CLEAN
    event, by = _exceeded(staked, most)
    breach = Breach(
        f"Player and Banker bets differ by {money(shoe, abs(apart))}",
        f"a table differential of {money(shoe, most)} at most",
        f"player {money(shoe, sums['player'])}, banker {money(shoe, sums['banker'])}",
        tuple(bet.placed for bet, _ in lying(staked).values()),
        done=event,
    )
    return (blaming(shoe, breach, by.patron),)


def _sums(staked: Staked) -> dict[str, int]:
    """Return what lay on either side, in minor units."""
    bets = lying(staked).values()
    return {side: sum(stake for bet, stake in bets if bet.wager == side) for side in _SIDES}


def _exceeded(staked: Staked, most: int) -> tuple[Event, Bet]:
    """Return the fact from which on the bets were too far apart on one side, and its bet."""
    steps = (_SIDES.get(bet.wager, 0) * _step(event, bet) for event, bet in staked)
    beyond = [(apart > most) - (apart < -most) for apart in accumulate(steps)]
    place = len(beyond) - 1
    while place and beyond[place - 1] == beyond[-1]:
        place -= 1
    return staked[place]


def _step(event: Event, bet: Bet) -> int:
    """Return by how much a fact raised a stake, or lowered it (negative)."""
    return stake_after(event) - stake_before(bet, event)
