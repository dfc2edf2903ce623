"""Stakes that a coup leaves on the layout of two tableaux: tied or split.

Source: REGOLE_DEL_GIOCO_BACCARA, WIKIPEDIA_IT_BACCARA (à cheval).
"""

from collections import Counter

from msgspec import Struct
from msgspec.structs import replace

from sabot.domain.procedure.patron_bank import bank_events_of, open_bets
from sabot.domain.procedure.two_tableaux.tableaux import (
    hands_are_dealt,
    natural_paid_before_void,
    outcome_at,
)
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.tableau_hands import PARTS, TABLEAUX
from sabot.domain.state.coup_state import BankedCoup, Bet, Coup
from sabot.domain.state.shoe import Shoe


class Frozen(Struct, frozen=True):
    """A stake that the previous coup left on the layout.

    It is a whole bet, or one half of a bet à cheval; ``wager`` is the place where it is now.
    ``free`` is True if the patron may withdraw it before the next coup. ``amount`` is in minor
    units.
    """

    bet: Bet
    wager: str
    amount: int
    free: bool


def stakes_held_for(shoe: Shoe, coup: Coup) -> list[Frozen]:
    """Return the stakes that earlier coups left on the layout, in order of bets.

    A tied stake stays if the pack says so. Of a stake à cheval, a tied half stays on its tableau
    while the other half is settled. If both halves tied, or one won and one lost, the whole stake
    stays à cheval. A stake that was à cheval cannot be withdrawn (REGOLE_DEL_GIOCO_BACCARA). A void
    coup leaves the stakes as they were before it. A change of bank frees the stakes.
    """
    before = shoe.coups.get(coup.number - 1)
    if shoe.pack is None or before is None:
        return []
    if bank_events_of(before).nth != (
        coup.banked.nth if coup.banked is not None else len(shoe.banks)
    ):
        return []
    if before.voided is not None:
        return [
            each
            for each in stakes_held_for(shoe, before)
            if not _is_settled_or_withdrawn(each, before)
        ]
    return _left_by(shoe.pack, before) if hands_are_dealt(before) else []


def _left_by(pack: RulePack, before: Coup) -> list[Frozen]:
    """Return the stakes that a coup leaves on the layout."""
    came = {tableau: outcome_at(before, tableau) for tableau in TABLEAUX}
    found = []
    for bet in open_bets(before):
        tableaux = PARTS.get(bet.wager, ())
        tied = [tableau for tableau in tableaux if came[tableau] == "ties"]
        if len(tableaux) == 1 and tied and pack.tie.bets_stay:
            found.append(Frozen(bet, bet.wager, bet.amount, pack.tie.withdrawable))
        elif len(tableaux) > 1 and len(tied) == 1:
            found.append(Frozen(bet, tied[0], bet.amount // 2, free=False))
        elif len(tableaux) > 1 and (tied or came["right"] != came["left"]):
            found.append(Frozen(bet, bet.wager, bet.amount, free=False))
    return found


def _is_settled_or_withdrawn(each: Frozen, voided: Coup) -> bool:
    """Return whether a stake was paid in a void coup, or withdrawn before."""
    mine = [
        bet
        for bet in voided.bets.values()
        if bet.carried and (bet.patron, bet.wager) == (each.bet.patron, each.wager)
    ]
    if each.free and any(bet.withdrawn for bet in mine):
        return True
    return each.wager == natural_paid_before_void(voided) and any(bet.paid for bet in mine)


def coup_after(coup: Coup, nth: int) -> Coup:
    """Return an empty coup with the next number, against the shoe's ``nth`` bank.

    Functions about held stakes need a coup as an argument, and the next one may not exist yet.
    """
    return Coup(coup.number + 1, banked=BankedCoup(nth=nth))


def to_carry(shoe: Shoe, coup: Coup) -> list[Frozen]:
    """Return what this coup has not carried over yet of the held stakes, in order.

    A patron's stakes on one wager may be carried over as one bet, and one stake as several bets.
    """
    carried: Counter[tuple[str, str]] = Counter()
    for bet in coup.bets.values():
        if bet.carried:
            carried[bet.patron, bet.wager] += _first_amount(bet)
    waiting = []
    for each in stakes_held_for(shoe, coup):
        place = each.bet.patron, each.wager
        lies = min(carried[place], each.amount)
        carried[place] -= lies
        if lies < each.amount:
            waiting.append(replace(each, amount=each.amount - lies))
    return waiting


def _first_amount(bet: Bet) -> int:
    """Return the amount with which a bet was first placed or carried."""
    payload = bet.placed.payload
    return payload.amount
