"""Rule on commission that was collected from a patron and not for a bet of that patron.

Commission may be collected once for a coup, or later. The amount is applied to the bets whose
commission is still unpaid. Any amount left over was not owed.

A rule checks voided coups too, unless it needs `needs.not_voided`. A breach that was noted, ruled
on and put right is reported as a note (`sabot.domain.audit.put_right`).
"""

from collections.abc import Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from sabot.domain.audit import needs
from sabot.domain.audit.coup_profile import by_the_book
from sabot.domain.audit.coup_view import CoupView, cashier_of, view_coup
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.events import CommissionCollected
from sabot.domain.events.envelope import RecordedEvent, events_of
from sabot.domain.procedure.two_tableaux.tableaux_settlement import kept_at_once
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.sources import ARRETE_2007_ART_55_14, DESPACHO_55_2004_ART_18
from sabot.domain.state.coup_state import Bet
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import share_of

_UNKNOWN: Final = "the recorded cards or the rule pack do not determine the result of every wager"
BETS_LACKING: Final = "the record may lack bets"
_Dues = list[tuple[Bet, Due | None]]


def uncharged_commission(bet: Bet, due: Due | None) -> int:
    """Return the part of a bet's commission that was not charged, in minor units.

    A bet paid net of commission owes none, whether or not the rule pack permits paying it so.
    """
    if due is None or bet.after_commission or bet.paid - bet.taken == due.net:
        return 0
    return max(0, due.commission - bet.commission)


def bets_with_collections(view: CoupView) -> tuple[_Dues, dict[str, int]]:
    """Return the bets of a coup, with later collections applied to their unpaid commission.

    Returns:
        The bets, each with the amounts due to it; and the commission that was not owed, by patron,
            in minor units.
    """
    dues, over = list(view.settlements_due), {}
    for patron, collected in view.coup.collected.items():
        left = collected
        for place, (bet, due) in enumerate(dues):
            part = min(left, uncharged_commission(bet, due)) if bet.patron == patron else 0
            if part:
                dues[place] = (_with_commission(bet, part), due)
                left -= part
        if left and not charged_in_all(view, patron):
            over[patron] = left
    return dues, over


def charged_in_all(view: CoupView, patron: str) -> bool:
    """Return whether a patron's total commission for a coup is correct.

    It may be collected once for several bets, computed on each bet's winnings or on their sum.
    While the coup is open, too little is also correct, since the rest may follow.
    """
    charged = view.coup.collected.get(patron, 0)
    dues: list[Due] = []
    for bet in _standing_bets(view, patron):
        due = view.due(bet, bet.amount)
        if due is None or bet.after_commission:
            return False
        charged += bet.commission
        if due.commission and (bet.commission or bet.paid - bet.taken != due.net):
            dues.append(due)
    owed = sum(due.commission for due in dues)
    if charged == owed or (view.open and charged < owed) or view.cashier is None:
        return charged <= owed
    rule = view.cashier.pack.commission
    won = sum(due.paid for due in dues)
    return charged == share_of(won, *rule.ratio, rule.rounding, rule.unit)


def _standing_bets(view: CoupView, patron: str) -> Iterator[Bet]:
    """Yield the bets of a patron that were neither withdrawn nor returned."""
    back = view.coup.refunded_bets if view.coup.voided is None else view.coup.bets.keys()
    for bet in view.coup.bets.values():
        if bet.patron == patron and not bet.withdrawn and bet.number not in back:
            yield bet


def _with_commission(bet: Bet, commission: int) -> Bet:
    """Return the bet with a commission added, in minor units."""
    if bet.marked:
        return replace(bet, marked=bet.marked + commission)
    return replace(bet, collected=bet.collected + commission)


def of_another(view: CoupView) -> tuple[int, str] | None:
    """Return the bet whose commission was collected from the wrong patron, and that patron.

    The result is None unless one bet alone lacks commission, one patron alone paid commission that
    was not owed, the two amounts are equal, and the bet belongs to somebody else.
    """
    dues, over = bets_with_collections(view)
    lacking = [(bet, short) for bet, due in dues if (short := uncharged_commission(bet, due))]
    if len(over) != 1 or len(lacking) != 1:
        return None
    [(patron, collected)], [(bet, short)] = over.items(), lacking
    return (bet.number, patron) if collected == short and patron != bet.patron else None


def paid_despite_void(view: CoupView) -> dict[int, int]:
    """Return the payments that remain valid in a void coup, by bet.

    At two tableaux these are payments of a natural that was paid at once.
    """
    if view.coup.voided is None:
        return {}
    return {bet.number: due.paid for bet, due in kept_at_once(view.shoe, view.coup)}


def with_moved_bets(view: CoupView) -> dict[int, int]:
    """Return commission that was collected, though not owed, for bets that had to be returned.

    The keys are bet numbers, the values minor units. If a patron has several such bets, the first
    carries the whole amount.
    """
    coup = view.coup
    if not coup.collected:
        return {}
    back = coup.refunded_bets if coup.voided is None else coup.bets.keys()
    stay = paid_despite_void(view)
    over = bets_with_collections(view)[1]
    with_bets: dict[str, int] = {}
    for bet in coup.bets.values():
        if bet.number in back and bet.net != stay.get(bet.number, 0) and bet.patron in over:
            with_bets.setdefault(bet.patron, bet.number)
    return {number: over[patron] for patron, number in with_bets.items()}


def may_lack_bets(shoe: Shoe) -> bool:
    """Return whether the record begins after the first coup, or has no bet at all."""
    return min(shoe.coups, default=1) > 1 or not any(coup.bets for coup in shoe.coups.values())


def bets_collected_later(shoe: Shoe, patron: str) -> tuple[dict[tuple[int, int], int], int | str]:
    """Return the bets to which commission collected for no coup is applied.

    This concerns packs in which commission is due at once.

    Returns:
        The amounts by coup and bet, in minor units; and the remainder that the patron did not owe,
        or the reason why it is unknown.
    """
    left = -shoe.owed_commission.get(patron, 0) - _of_no_bet(shoe, patron)
    on: dict[tuple[int, int], int] = {}
    if left <= 0 or shoe.pack is None or shoe.pack.commission.due != "at-once":
        return on, 0
    cashier = cashier_of(shoe)
    views = [
        view_coup(shoe, coup, cashier)
        for coup in shoe.coups.values()
        if any(bet.patron == patron for bet in coup.bets.values())
    ]
    for view in views:
        for bet, due in bets_with_collections(view)[0]:
            part = min(left, uncharged_commission(bet, due)) if bet.patron == patron else 0
            if part:
                on[view.coup.number, bet.number] = part
                left -= part
    if left and not all(map(_are_dues_known, views)):
        return on, _UNKNOWN
    if left and may_lack_bets(shoe):
        return on, BETS_LACKING
    return on, left


def _are_dues_known(view: CoupView) -> bool:
    """Return whether the amounts due to all bets of a coup are known.

    In a void coup they are zero.
    """
    if view.coup.voided is not None:
        return True
    return view.dealt and all(due is not None for _, due in view.settlements_due)


def _of_no_bet(shoe: Shoe, patron: str) -> int:
    """Return the commission collected for bets not on record.

    Another rule reports it.
    """
    return sum(
        event.payload.amount
        for coup in shoe.coups.values()
        for event in events_of(CommissionCollected, coup.unmatched_events)
        if event.payload.patron == patron
    )


# -- The rule --------------------------------------------------------------------------------------


@need(
    "bets",
    "no commission was collected for the coup as a whole that was not marked before",
    "nothing-to-check",
)
def collected_for_coup(view: CoupView) -> bool:
    """Commission that pays off no mark was collected for the coup or for another patron's bet."""
    return bool(view.coup.collected)


@need("bets", BETS_LACKING)
def lacks_no_bets(view: CoupView) -> bool:
    """The coup has bets, or the record begins with the first coup and has bets in another."""
    return bool(view.coup.bets) or not may_lack_bets(view.shoe)


@need("cards", _UNKNOWN)
def all_dues_known(view: CoupView) -> bool:
    """The amount due to every bet is known, or all bets were returned."""
    return len(view.coup.refunded_bets) == len(view.coup.bets) or _are_dues_known(view)


@each("patron", None)
def _charged_without_owing(view: CoupView) -> Sequence[tuple[str, int]]:
    """Return the patrons who paid commission that they did not owe, with the amounts.

    If a bet had to be returned but was paid or taken, its commission is reported with that bet. If
    exactly one bet lacks commission, and exactly one other patron paid exactly that amount, P204
    reports the payment with the bet.
    """
    if of_another(view) is not None:
        return ()
    told = {view.coup.bets[number].patron for number in with_moved_bets(view)}
    return [
        (patron, over)
        for patron, over in bets_with_collections(view)[1].items()
        if patron not in told
    ]


COMMISSION = RuleGroup(family="payout", concerns="money")


@COMMISSION.rule(
    "P205",
    "commission-not-due",
    sources=(DESPACHO_55_2004_ART_18, ARRETE_2007_ART_55_14),
    needs=(
        collected_for_coup,
        needs.record_not_coups_alone,
        needs.coup_over,
        lacks_no_bets,
        needs.from_first_card,
        all_dues_known,
    ),
    each=_charged_without_owing,
    breach_events=(CommissionCollected,),
    clean_when=by_the_book,
    breaks="""
        coup p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500
        commission-collected {"patron": "p1", "amount": 25, "coup": 1}
    """,
    keeps="""
        coup p1 banker 500 | P 4 4  B K 9 | B 8-9 | 1 pay 500
        commission-collected {"patron": "p1", "amount": 25, "coup": 1}
    """,
)
def commission_not_due(view: CoupView, charge: tuple[str, int]) -> Iterator[Breach]:
    """No more commission is collected from a patron for a coup than is due on the winnings.

    The rule judges commission collected for the coup as a whole, or for a bet of another patron.
    P204 checks commission for a patron's own bet, and commission that is missing. A collection that
    pays off commission marked on a bet of the coup is not judged here; P206 compares it at the end
    of the shoe. A collected amount is applied to those bets of the patron that still lack
    commission. A bet that was paid net of commission owes no commission, whatever the rule pack
    says. A void or returned bet owes no commission either. Commission that is booked on the wrong
    bet of a coup is not a breach of this rule if the patron's total for the coup is right. The
    total may be computed on each bet's winnings or on their sum.
    """
    patron, over = charge
    amount = format_money(view.shoe, over)
    yield Breach(
        f"commission {amount} was collected from {patron}, who did not owe it",
        "commission on a patron's winnings only",
        f"{amount} too much",
        tuple(_collections_of(view, patron)),
        money=((patron, -over),),
        patron=patron,
        key=("patron", patron),
    )


def _collections_of(view: CoupView, patron: str) -> Iterator[RecordedEvent]:
    """Yield the commission collected from the patron for the coup."""
    for event in events_of(CommissionCollected, view.coup.events):
        if event.payload.patron == patron:
            yield event


RULES = (*COMMISSION.rules,)
"""Every rule of this module."""
