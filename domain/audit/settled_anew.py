"""Find the settlements that corrections changed after the result of their coup was known.

Both records are compared, bet by bet and patron by patron.
"""

from collections import Counter
from collections.abc import Collection, Iterator

from msgspec import Struct, field

from sabot.domain.audit.findings import Finding
from sabot.domain.audit.late_corrections import (
    Late,
    corrections_of_bet,
    is_of_stake,
    is_result_known,
    of_commission,
)
from sabot.domain.events import BetPaid, BetTaken, CommissionCollected
from sabot.domain.procedure.own_hands import seat_of
from sabot.domain.procedure.patron_bank import bank_events_of, levy_charged
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe


class SettledAnew(Struct):
    """The settlements that corrections after the result of a coup changed.

    ``bets`` are the bets as first recorded, or those that a correction added. ``chips`` is what
    each person has more by the corrected record, in minor units; the key None has the settlements
    of bets that are not on record. Patrons whose commission was marked otherwise are in
    ``marks_shown`` if a finding of the first record shows it, and otherwise in ``marks_counted``:
    the change is in ``chips``, or in a bet given to another patron.
    """

    bets: list[Bet] = []
    chips: Counter[str | None] = field(default_factory=Counter)
    marks_counted: set[str] = set()
    marks_shown: set[str] = set()


def settled_anew(
    shoe: Shoe, without: Shoe, coup: int, late: Late, gone: Collection[Finding]
) -> SettledAnew:
    """Return the settlements that corrections after the result of a coup changed.

    Bet and settlement may both be corrected, so that neither record has a wrong payment. Commission
    counts by patron, since a correction of the bet that it names moves no money. A bet whose stake
    is the same in both records is left out if a finding of the first record shows an amount of its
    patron, and so is the patron's commission. ``gone`` are such findings, and ``without`` is the
    shoe without the corrections.
    """
    before, now = coup_or_empty(without, coup), coup_or_empty(shoe, coup)
    commission = _collected(now)
    commission.subtract(_collected(before))
    shown = {patron for each in gone for patron in each.money.patrons}
    anew = SettledAnew()
    for bet, first, then in _late_bets(without, before, now, late):
        is_shown = bet.patron in shown and _stake(before, first) == _stake(now, then)
        if _marked(first) != _marked(then):
            (anew.marks_shown if is_shown else anew.marks_counted).update(_patrons(first, then))
        if is_shown or len(_patrons(first, then)) > 1:
            continue
        net = _won(then) - _won(first)
        if _kept(then) != _kept(first):
            net -= commission.pop(bet.patron, 0)
        if net:
            anew.bets.append(bet)
            anew.chips[bet.patron] += net
    if is_result_known(without, coup, of_commission(late)):
        for patron in commission.keys() - shown - _paying_marks(before) - _paying_marks(now):
            anew.chips[patron] -= commission[patron]
    if anew.bets or any(anew.chips.values()):
        _add_others(anew.chips, before, now, late)
    return anew


def _late_bets(
    without: Shoe, before: Coup, now: Coup, late: Late
) -> Iterator[tuple[Bet, Bet | None, Bet | None]]:
    """Yield the bets that were corrected after the result, as first recorded and as corrected."""
    for number in sorted(before.bets.keys() | now.bets.keys()):
        first, then = before.bets.get(number), now.bets.get(number)
        bet = first or then
        of_bet = corrections_of_bet(late, number)
        if bet is not None and is_result_known(without, before.number, of_bet):
            yield bet, first, then


def _add_others(chips: Counter[str | None], before: Coup, now: Coup, late: Late) -> None:
    """Add the changes for persons other than the patrons who bet.

    If a stake was corrected, settlements of unrecorded bets are included under None. A patron who
    banks has the opposite of all these changes, less the increase of the levy.
    """
    if any(map(is_of_stake, late)):
        chips[None] = _paid_to_no_bet(now) - _paid_to_no_bet(before)
    banker = bank_events_of(now).banker or bank_events_of(before).banker
    if banker is not None:
        taken = levy_charged(now) - levy_charged(before)
        chips[banker] -= chips.total() + taken


def coup_or_empty(shoe: Shoe, number: int) -> Coup:
    """Return a coup of a shoe, without events if the record does not have it: nothing moved."""
    return shoe.coups.get(number) or Coup(number)


def _won(bet: Bet | None) -> int:
    """Return what a patron won with a bet, less the commission marked, in minor units."""
    return 0 if bet is None else bet.paid - bet.taken - bet.marked


def _stake(coup: Coup, bet: Bet | None) -> tuple[str, str, int, int | None] | None:
    """Return what decides the amount due to a bet: patron, wager, amount, own hand's seat."""
    if bet is None:
        return None
    seat = seat_of(bet)
    return bet.patron, bet.wager, bet.amount, seat if ("patron", seat) in coup.others else None


def _patrons(*bets: Bet | None) -> set[str]:
    return {bet.patron for bet in bets if bet is not None}


def _marked(bet: Bet | None) -> tuple[str, int] | None:
    """Return the commission marked for a bet, in minor units, with its patron."""
    return None if bet is None or not bet.marked else (bet.patron, bet.marked)


def _paying_marks(coup: Coup) -> set[str]:
    """Return the patrons whose commission for a coup was marked, to be collected later."""
    return {bet.patron for bet in coup.bets.values() if bet.marked}


def _kept(bet: Bet | None) -> int:
    """Return the commission that was collected at once and names a bet, in minor units."""
    return 0 if bet is None or bet.marked else bet.collected


def _collected(coup: Coup) -> Counter[str]:
    """Return the commission collected from each patron for a coup, whatever bet it names."""
    collected: Counter[str] = Counter()
    events = {event.position: event for event in (*coup.events, *coup.unmatched_events)}
    for payload in (event.payload for event in events.values()):
        if isinstance(payload, CommissionCollected):
            collected[payload.patron] += payload.amount
    return collected


def _paid_to_no_bet(coup: Coup) -> int:
    """Return what settlements of bets that are not on record paid, less what they took."""
    paid = 0
    for event in coup.unmatched_events:
        payload = event.payload
        if isinstance(payload, BetPaid | BetTaken) and payload.bet not in coup.bets:
            paid += payload.amount if isinstance(payload, BetPaid) else -payload.amount
    return paid
