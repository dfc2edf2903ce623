"""Find the stakes by which the payments and the player of a hand are judged.

A payment is judged by the stake at its settlement. A later change or withdrawal of the stake does
not change the amount due. While the bets are open nothing is settled yet: a payment made then is
compared with the stake at the close.
"""

from collections.abc import Iterable
from itertools import product
from typing import Final

from msgspec.structs import replace

from sabot.domain.events import BetCarried, BetChanged, BetPlaced
from sabot.domain.events.bank import ExcessReturned
from sabot.domain.events.envelope import RecordedEvent, events_of, is_of
from sabot.domain.procedure.patron_bank import (
    bank_events_of,
    bank_of,
    open_bets,
    total_staked,
)
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import order_unknown, settle

_NEVER: Final = 1 << 62
"""A position after every event, for bets that were never closed."""


def stake_after(event: RecordedEvent) -> int:
    """Return the stake after an event, in minor units."""
    payload = event.payload
    return payload.amount if isinstance(payload, BetPlaced | BetCarried | BetChanged) else 0


def stakes_of(coup: Coup, bet: Bet) -> tuple[RecordedEvent, ...]:
    """Return the events that set a bet's stake: its placement, then its changes."""
    excess = [event for event in bank_events_of(coup).excess if event.payload.bet == bet.number]
    return bet.placed, *sorted([*bet.changes, *excess], key=lambda event: event.position)


def lies_after(event: RecordedEvent, lay: int) -> int:
    """Return the stake that an event leaves, in minor units.

    ``lay`` is the stake before the event.
    """
    payload = event.payload
    if isinstance(payload, ExcessReturned):
        return max(0, lay - payload.amount)
    return stake_after(event)


def settled_at(coup: Coup, settled: Iterable[RecordedEvent]) -> int:
    """Return the position of the record at which a bet's stake counts.

    It is the first settling event, or the close of bets if that came later.
    """
    closed = coup.bets_closed
    first = min(event.position for event in settled)
    return max(first, _NEVER if closed is None else closed)


def of_the_order(
    coup: Coup, stakes: Iterable[RecordedEvent], settled: Iterable[RecordedEvent]
) -> list[tuple[RecordedEvent, RecordedEvent]]:
    """Return the pairs of events whose order determines the stake at the settlement."""
    stakes, settled = list(stakes), list(settled)
    first = min(event.position for event in settled)
    closes = [event for event in (coup.no_more_bets, *coup.cards[:1]) if event is not None]
    behind = [event for event in stakes if event.position > first]
    return [*product(stakes, settled), *product(behind, closes)]


def with_settled_stakes(shoe: Shoe, coup: Coup) -> Coup:
    """Return a coup in which each bet has the stake for which it was settled.

    A bet keeps its final stake if the order of its changes and its settlement is unknown, or if a
    void or a ruling returns it.
    """
    if shoe.coverage == "coups" or coup.voided is not None:
        return coup
    then = {
        bet.number: was
        for bet in coup.bets.values()
        if bet.moves
        and (bet.changes or bet.returned)
        and (was := _when_settled(shoe, coup, bet)) is not bet
    }
    if then and coup.irregularities:
        then = {number: bet for number, bet in then.items() if number not in coup.refunded_bets}
    return replace(coup, bets={**coup.bets, **then}) if then else coup


def _when_settled(shoe: Shoe, coup: Coup, bet: Bet) -> Bet:
    stakes = stakes_of(coup, bet)
    at = settled_at(coup, bet.moves)
    later = [event for event in stakes if event.position > at]
    if not later or not order_known(shoe, coup, bet, stakes[1:]):
        return bet
    lay = 0
    staked: RecordedEvent[BetPlaced | BetCarried | BetChanged] = bet.placed
    for event in stakes:
        if event.position > at:
            break
        lay = lies_after(event, lay)
        if is_of(event, BetChanged):
            staked = event
    if bet.staked not in later:
        staked = bet.staked
    back = sum(event.payload.amount for event in events_of(ExcessReturned, later))
    return replace(
        bet,
        amount=lay or bet.amount,
        withdrawn=not lay,
        staked=staked,
        returned=bet.returned - back,
    )


def with_covered_stakes(coup: Coup) -> Coup:
    """Return a coup in which the bet that was partly returned has the stake that the bank covers.

    A return of another amount has a finding of its own. This is for games with one bet on the
    bank's hand. The coup is returned unchanged if the bank has no limit, if more than one bet was
    partly returned, or if the stakes fit the bank.
    """
    part, bank = bank_events_of(coup), bank_of(coup)
    partly = [bet for bet in open_bets(coup) if bet.returned]
    if bank is None or part.unlimited or len(partly) != 1:
        return coup
    bet = partly[0]
    covered = bet.amount + bank - total_staked(coup)
    if covered == bet.amount or not 0 <= covered <= bet.amount + bet.returned:
        return coup
    right = replace(bet, amount=covered, withdrawn=not covered)
    return replace(coup, bets={**coup.bets, bet.number: right})


# -- At the close of bets ------------------------------------------------------------------------


def late_stakes_of(coup: Coup, bet: Bet) -> list[RecordedEvent]:
    """Return the events by which a bet was placed or changed after the close of bets."""
    closed = _NEVER if coup.bets_closed is None else coup.bets_closed
    return [event for event in (bet.placed, *bet.changes) if event.position > closed]


def with_stakes_in_time(coup: Coup) -> Coup:
    """Return a coup in which each late bet or changed bet has its stake at the close of bets."""
    closed = coup.bets_closed
    if closed is None:
        return coup
    late = [bet for bet in coup.bets.values() if late_stakes_of(coup, bet)]
    return replace(
        coup, bets={**coup.bets, **{bet.number: lying_at(coup, bet, closed) for bet in late}}
    )


# -- When a hand was given ------------------------------------------------------------------------


def with_stakes_when_given(shoe: Shoe, coup: Coup, given: RecordedEvent) -> Coup:
    """Return a coup with the stakes and claims that decide who plays a hand.

    These are the stakes and claims at the event that gave the hand, or at the close of bets if that
    came later. A part of a stake that the bank did not cover never counts.

    Raises:
        Unknown: a stake was placed, changed or claimed late, and it is unknown whether the hand had
            been given by then.
    """
    if coup.bets_closed is None:
        return coup
    at = max(given.position, coup.bets_closed)
    claims = bank_events_of(coup).claims
    made = [*claims, *(event for bet in coup.bets.values() for event in (bet.placed, *bet.changes))]
    late = [event for event in made if event.position > coup.bets_closed]
    settle(shoe, late, [given])
    if all(event.position <= at for event in late):
        return coup
    bets = {number: lying_at(coup, bet, at) for number, bet in coup.bets.items()}
    banked = coup.banked
    if banked is not None:
        banked = replace(banked, claims=[each for each in claims if each.position <= at])
    return replace(coup, bets=bets, banked=banked)


def lying_at(coup: Coup, bet: Bet, at: int) -> Bet:
    """Return a bet with the stake that it had at a position of the record."""
    lay = 0
    for event in stakes_of(coup, bet):
        if event.position <= at or is_of(event, ExcessReturned):
            lay = lies_after(event, lay)
    return replace(bet, amount=lay, withdrawn=not lay)


def order_known(shoe: Shoe, coup: Coup, bet: Bet, stakes: Iterable[RecordedEvent]) -> bool:
    """Return whether the order that determines a stake is known."""
    if shoe.order is None:
        return True
    pairs = of_the_order(coup, stakes, bet.moves)
    return all(order_unknown(shoe, *pair) is None for pair in pairs)
