"""Rule on the conservation of chips: all gains and losses of a shoe add up to zero."""

from collections.abc import Iterable, Iterator, Sequence

from sabot.domain.audit import needs
from sabot.domain.audit.ceased_bets import Ceased, ceased_in_order
from sabot.domain.audit.checks.payments import why_payments_unjudged
from sabot.domain.audit.completeness import (
    BETS_MISSING,
    bank_lacks_bets,
    bets_missing,
    coups_missing,
)
from sabot.domain.audit.coup_view import cashier_of, excess_moved, view_coup
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, each, need
from sabot.domain.audit.settled_stakes import with_settled_stakes
from sabot.domain.events import BetPaid, BetTaken
from sabot.domain.events.bank import BankPosted, BankRaised, BankWithdrawn, LevyTaken
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.chip_flow import Imbalance, imbalances
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.rules.payouts import Cashier
from sabot.domain.rules.sources import (
    HOUSE_CONVENTION,
)
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

MONEY = RuleGroup(
    family="payout",
    concerns="money",
    games=("chemin-de-fer", "macao", "victoria", "baccarat-banque"),
)


@each("imbalance", None, about="bets")
def _imbalances(shoe: Shoe) -> Sequence[Imbalance]:
    """Return the differences between chips moved and chips held that no other rule reports.

    A difference that wrong payments of bets explain is reported by P201 to P204, the settlement of
    a bet without a stake by R401, and a bank left in an unfinished last coup by Q101 or I306. Where
    the record lacks bets against a bank, that bank is left out; where it lacks coups, a withdrawal
    is.
    """
    return [
        off
        for off in imbalances(shoe)
        if (off.bank is None or not bank_lacks_bets(shoe, off.bank))
        and not (is_of(off.event, BankWithdrawn) and coups_missing(shoe))
        and not _told_elsewhere(shoe, off.event)
        and not _follows_from_payments(shoe, off)
        and not _left_in_coup(shoe, off)
    ]


@need("bets", BETS_MISSING)
def bets_of_a_coup_recorded(shoe: Shoe) -> bool:
    """The record holds bets of a coup, or the chips do not balance even without them."""
    dealt = [coup for coup in shoe.coups.values() if coup.cards]
    return not dealt or not all(map(bets_missing, dealt)) or bool(_imbalances.of(shoe))


@MONEY.rule(
    "K517",
    "chip-balance-mismatch",
    sources=(HOUSE_CONVENTION,),
    looks_at="shoe",
    needs=(needs.bank_put_up, bets_of_a_coup_recorded),
    each=_imbalances,
    breach_events=(BankPosted, BankRaised, BankWithdrawn, BetTaken, BetPaid, LevyTaken),
    breaks="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 4000 | P 4 5  B K 6
        shoe-passed {"by": "p1", "reason": "lost"}
    """,
    keeps="""
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        coup p2 player 4000 | P 4 5  B K 6
        bank-withdrawn {"by": "p1", "amount": 6000}
        shoe-passed {"by": "p1", "reason": "lost"}
    """,
)
def chip_balance_mismatch(_shoe: Shoe, off: Imbalance) -> Iterator[Breach]:
    """No bank gives out more than it holds or is left unclaimed; no bet loses beyond its stake.

    The finding shows the payment, the withdrawal, the last move of the bank, or the last take of
    the bet.
    """
    yield Breach(
        off.message,
        off.expected,
        off.observed,
        (off.event,),
        off.coup,
        "the record does not say whose money it was" if off.bank is not None else None,
        off.patron,
    )


def _told_elsewhere(shoe: Shoe, event: RecordedEvent) -> bool:
    """Return whether another rule reports the settlement of a bet that had no stake.

    This includes a stake that was lowered after it was taken, unless too much was taken.
    """
    match event.payload:
        case BetTaken(coup=number, bet=named) | BetPaid(coup=number, bet=named):
            coup = shoe.coups.get(number)
        case _:
            return False
    if coup is None or named not in coup.bets:
        return False
    if isinstance(ceased_in_order(shoe, coup, coup.bets[named]), Ceased):
        return True
    bet = with_settled_stakes(shoe, coup).bets[named]
    return is_of(event, BetTaken) and bet is not coup.bets[named] and bet.taken <= bet.amount


def _follows_from_payments(shoe: Shoe, off: Imbalance) -> bool:
    """Return whether wrong payments, which other rules report, account for an imbalance.

    If a bank overpaid patrons, it holds that much less than its banker takes out. If it paid too
    little, it holds that much more.
    """
    cashier = cashier_of(shoe)
    match off.event.payload:
        case BetTaken(coup=number, bet=bet) | BetPaid(coup=number, bet=bet) if off.bank is None:
            gains = _wrong_gains(shoe, shoe.coups[number], cashier)
            return bool(gains and gains.get(bet))
    assert off.bank is not None
    against = [coup for coup in shoe.coups.values() if bank_events_of(coup).nth == off.bank]
    wrong = _wrong_gains_of(shoe, against, cashier)
    if wrong is None:
        return False
    bank = shoe.banks[off.bank - 1]
    if off.event in bank.below[:1] and not is_of(off.event, BankWithdrawn):
        return wrong > 0 and wrong >= -bank.amount
    beyond = next((more for event, more in bank.beyond if event is off.event), None)
    return wrong != 0 and wrong == (beyond if beyond is not None else -bank.amount)


def _wrong_gains_of(shoe: Shoe, coups: Iterable[Coup], cashier: Cashier | None) -> int | None:
    """Return by how much the bets of some coups were settled wrongly, in the patrons' favour.

    None if that is unknown for one of the coups.
    """
    wrong = 0
    for coup in coups:
        gains = _wrong_gains(shoe, coup, cashier)
        if gains is None:
            return None
        wrong += sum(gains.values())
    return wrong


def _wrong_gains(shoe: Shoe, coup: Coup, cashier: Cashier | None) -> dict[int, int] | None:
    """Return by how much each bet of a coup was settled wrongly, in the patron's favour.

    None where payments of the coup are not judged.
    """
    view = view_coup(shoe, coup, cashier)
    if not coup.bets:
        return {}
    if why_payments_unjudged(view) is not None:
        return None
    dues = ((bet, view.due(bet, bet.amount)) for bet in view.coup.bets.values() if bet.moves)
    return {bet.number: excess_moved(bet, due) for bet, due in dues if due is not None}


def _left_in_coup(shoe: Shoe, off: Imbalance) -> bool:
    """Return whether a bank was left behind because the shoe ended during its coup.

    Another rule reports the coup as neither finished nor voided.
    """
    last = shoe.coups.get(max(shoe.coups, default=0))
    if off.bank != len(shoe.banks) or last is None or last.over or shoe.ended is None:
        return False
    return shoe.bank is not None and bank_events_of(last).nth == off.bank and bool(last.bets)


RULES = (*MONEY.rules,)
"""Every rule of this module."""
