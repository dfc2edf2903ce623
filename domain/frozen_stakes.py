"""What a coup leaves on the felt of two wings for the next one: stakes that tied, or were split.

Source: field-facts.md 1.1 #13; seed S3 (à cheval).
"""

from msgspec import Struct

from domain.banking import banked, standing
from domain.coup import BankedCoup, Bet, Coup
from domain.facts import BetCarried, BetPlaced
from domain.shoe import Shoe
from domain.tableaux import dealt, outcome
from domain.wings import PARTS, WINGS


class Frozen(Struct, frozen=True):
    """What of a bet of the coup before stays on the felt, on which wager.

    ``free``: its patron may take it back before the next coup.
    """

    bet: Bet
    wager: str
    amount: int
    free: bool


def frozen(shoe: Shoe, coup: Coup) -> list[Frozen]:
    """Return what the coup before left on the felt for this one, in the order of its bets.

    A stake that tied stays, where the pack lets ties stay. À cheval, a half that tied stays on
    its wing while the other half is settled; where both tied, or one won and one lost, the whole
    stays à cheval. What was à cheval cannot be taken back (seed S3; field-facts.md 1.1 #13).
    Another bank than the one that it was staked against sets it free.
    """
    before = shoe.coups.get(coup.number - 1)
    if shoe.pack is None or before is None or before.voided is not None or not dealt(before):
        return []
    if banked(before).nth != (coup.banked.nth if coup.banked is not None else len(shoe.banks)):
        return []
    came = {wing: outcome(before, wing) for wing in WINGS}
    found = []
    for bet in standing(before):
        wings = PARTS.get(bet.wager, ())
        tied = [wing for wing in wings if came[wing] == "ties"]
        if len(wings) == 1 and tied and shoe.pack.tie.bets_stay:
            found.append(Frozen(bet, bet.wager, bet.amount, shoe.pack.tie.withdrawable))
        elif len(wings) > 1 and len(tied) == 1:
            found.append(Frozen(bet, tied[0], bet.amount // 2, free=False))
        elif len(wings) > 1 and (tied or came["right"] != came["left"]):
            found.append(Frozen(bet, bet.wager, bet.amount, free=False))
    return found


def after(coup: Coup, nth: int) -> Coup:
    """Return the coup after one, on a bank of the shoe (from 1), before any fact tells of it."""
    return Coup(coup.number + 1, banked=BankedCoup(nth=nth))


def to_carry(shoe: Shoe, coup: Coup) -> list[Frozen]:
    """Return what is frozen and not carried by this coup's facts yet, in order."""
    carried = [(bet.patron, bet.wager, _first(bet)) for bet in coup.bets.values() if bet.carried]
    waiting = []
    for each in frozen(shoe, coup):
        same = (each.bet.patron, each.wager, each.amount)
        if same in carried:
            carried.remove(same)
        else:
            waiting.append(each)
    return waiting


def _first(bet: Bet) -> int:
    """Return the amount with which a bet was placed or carried."""
    fact = bet.placed.fact
    return fact.amount if isinstance(fact, BetPlaced | BetCarried) else bet.amount
