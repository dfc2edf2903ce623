"""Find chips moved for a bet that no longer existed.

The bet had been withdrawn, lowered to zero or returned. Such a bet is due nothing, whatever the
cards. If the withdrawal itself was not allowed, it is reported instead, and the settlement is not
reported a second time:

- The finding of a bet placed, changed or withdrawn late includes all money that the bet moved
(`sabot.domain.audit.finding_money`). So does the finding of excess returned out of order
(`sabot.domain.audit.checks.bank.excess`).
- A bet held by a tie counts as if it had not been taken up. A settlement that is correct for its
stake is not a breach.

The rules on rulings and on voids report bets returned by a ruling and payments in a void coup.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit.ceased_bets import Ceased, ceased_in_order, moved_for_nothing
from sabot.domain.audit.checks import bets, carried_bets
from sabot.domain.audit.checks.bank import excess, tableaux_bets
from sabot.domain.audit.checks.bets import closing_events
from sabot.domain.audit.checks.payments import UNSETTLED, what_moved, why_payments_unjudged
from sabot.domain.audit.completeness import game_of_record
from sabot.domain.audit.coup_view import CoupView, cashier_of, excess_moved, view_coup
from sabot.domain.audit.event_words import name_stake
from sabot.domain.audit.rule import Breach, Doubt, MoneyEffect, Rule
from sabot.domain.audit.verdicts import answer_of
from sabot.domain.events import BetCarried, BetPlaced, BetWithdrawn
from sabot.domain.events.bank import ExcessReturned
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.evidence import Reason, Unknown, answer_or_reason, settle

_LATE: Final = tuple(rule for rule in bets.RULES if rule.code in bets.LATE)
_HELD: Final = (*carried_bets.RULES, *tableaux_bets.RULES)


def settlement_of_ceased(shoe: Shoe, coup: Coup, bet: Bet) -> Iterator[Breach]:
    """Yield a breach if a bet was settled after it had ceased to exist.

    Raises:
        Unknown: it is not known whether the bet existed, or what was due to it.
    """
    end = moved_for_nothing(shoe, coup, bet)
    if isinstance(end, Reason):
        raise Unknown(end)
    if end is None:
        return
    view = view_coup(shoe, coup, cashier_of(shoe))
    if _is_told(view, bet, _LATE):
        return
    held = _is_told(view, bet, _HELD)
    if excess.was_sent_back_wrongly(view, bet):
        return
    gain = _beyond_held_stake(view, bet, end) if held else bet.net
    if gain or not held:
        yield _breach(view, bet, end, gain)


def _is_told(view: CoupView, bet: Bet, rules: tuple[Rule, ...]) -> bool:
    """Return whether one of these rules reports a breach about the bet's stake.

    Raises:
        Unknown: the order of events is unknown, so that the rule cannot be applied.
    """
    for rule in rules:
        if rule.looks_at != "coup" or not rule.is_of(game_of_record(view.shoe)):
            continue
        answer = answer_of(rule, view)
        if not isinstance(answer, Reason):
            if _is_about(answer, bet):
                return True
        elif answer.kind == "order-unknown":
            raise Unknown(answer)
    return False


def _is_about(answer: tuple[Breach | Doubt, ...], bet: Bet) -> bool:
    """Return whether the answer of a rule contains a breach about the stake of a bet.

    Raises:
        Unknown: it contains no such breach, and part of it could not be judged.
    """
    stakes = {bet.placed.position, *(event.position for event in bet.changes)}
    unknown: Reason | None = None
    for each in answer:
        if isinstance(each, Breach):
            if any(event.position in stakes for event in each.events):
                return True
        elif isinstance(each, Doubt):
            unknown = unknown or each.reason
    if unknown is not None:
        raise Unknown(unknown)
    return False


def _beyond_held_stake(view: CoupView, bet: Bet, end: Ceased) -> int:
    """Return by how much the chips that moved exceed what was due to a held stake.

    The amount is in minor units.

    Raises:
        Unknown: the record's cards, or the rule pack, do not determine what was due.
    """
    lying = replace(bet, amount=end.stake, withdrawn=False)
    due = None if why_payments_unjudged(view) else view.due(lying, end.stake)
    if due is None:
        raise Unknown(UNSETTLED)
    return excess_moved(bet, due)


def _breach(view: CoupView, bet: Bet, end: Ceased, gain: int) -> Breach:
    ended = _WHAT_ENDED.get(type(end.event.payload), "was lowered to nothing")
    moved = what_moved(view.shoe, bet)
    return Breach(
        f"{name_stake(view.shoe, bet.patron, end.stake, bet.wager)} {ended}, "
        f"and was settled all the same: {moved}",
        f"nothing: the bet {ended}",
        moved,
        (*end.settled, end.event, bet.placed),
        view.coup.number,
        _gains(view, bet, gain, bet.commission),
        bet.patron,
        ("no-longer-standing", bet.number),
    )


_WHAT_ENDED: Final[dict[type, str]] = {
    BetWithdrawn: "was withdrawn",
    ExcessReturned: "exceeded the bank and was returned",
}
"""What ended a bet, by the type of the event. Any other event lowered it to nothing."""


def _gains(view: CoupView, bet: Bet, gain: int, commission: int) -> tuple[tuple[str, int], ...]:
    """Return how much a patron gained; where a patron is the banker, the banker's gain too.

    Commission is left out, because it belongs to the house.
    """
    banker = view.coup.banked.banker if view.coup.banked is not None else None
    bank = () if banker is None else ((banker, -gain - commission),)
    return ((bet.patron, gain), *bank)


# -- Bets that were placed again under a number in use ---------------------------------------------


def moved_by_placing_again(shoe: Shoe, number: int, event: RecordedEvent) -> MoneyEffect | None:
    """Return the money that a bet placed again moved beyond the amount due to it.

    The bet was placed under a bet number that was already in use. A stake placed again before the
    close is due its winnings. A stake placed late, or withdrawn again, is due nothing. Only the
    last such placement carries the amount; for others the result is None.
    """
    coup, payload = shoe.coups[number], event.payload
    if not isinstance(payload, BetPlaced | BetCarried) or payload.bet not in coup.bets:
        return None
    bet = coup.bets[payload.bet]
    end = ceased_in_order(shoe, coup, bet)
    if not isinstance(end, Ceased):
        return None if end is None else end.text
    placed = [each for each in end.again if not isinstance(each.payload, BetWithdrawn)]
    if not placed or placed[-1] is not event:
        return None
    view = view_coup(shoe, coup, cashier_of(shoe))
    gains = answer_or_reason(partial(_beyond_its_due, view, bet, end.again[-1]))
    return gains.text if isinstance(gains, Reason) else gains


def _beyond_its_due(view: CoupView, bet: Bet, last: RecordedEvent) -> MoneyEffect:
    """Return the money that moved beyond the amount due to the last placement or withdrawal.

    Raises:
        Unknown: it is not known whether that event came before the bets were closed.
    """
    closed, payload = view.coup.bets_closed, last.payload
    settle(view, [last], closing_events(view.coup))
    net = commission = 0
    if isinstance(payload, BetPlaced | BetCarried) and (closed is None or last.position < closed):
        lying = replace(
            bet, patron=payload.patron, wager=payload.wager, amount=payload.amount, withdrawn=False
        )
        due = None if why_payments_unjudged(view) else view.due(lying, payload.amount)
        if due is None:
            return why_payments_unjudged(view) or UNSETTLED.text
        net, commission = due.net, due.commission
    return _gains(view, bet, bet.net - net, bet.commission - commission)
