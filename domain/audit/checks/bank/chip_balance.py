"""Rule on the conservation of chips: all gains and losses of a shoe add up to zero."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from sabot.domain.audit import needs
from sabot.domain.audit.announced_bank import excess_called
from sabot.domain.audit.ceased_bets import Ceased, ceased_in_order
from sabot.domain.audit.checks.bank.bank_moves import (
    bank_moved_by_wrong_person,
    late_bank_raise,
)
from sabot.domain.audit.checks.bank.funds import miscalled_bank, stakes_beyond_bank
from sabot.domain.audit.checks.bets import LATE
from sabot.domain.audit.completeness import (
    BETS_MISSING,
    bank_lacks_bets,
    bets_missing,
    coups_missing,
    holds_coups_alone,
)
from sabot.domain.audit.rule import Breach
from sabot.domain.audit.rule_group import RuleGroup, code_of, each, need
from sabot.domain.audit.settled_stakes import (
    late_stakes_of,
    with_settled_stakes,
    with_stakes_in_time,
)
from sabot.domain.audit.wrong_bank_moves import (
    late_stakes_behind,
    moves_by,
    wrong_moves_of,
    wrong_moves_of_bank,
)
from sabot.domain.events import (
    BetCarried,
    BetChanged,
    BetPaid,
    BetPlaced,
    BetTaken,
    BetWithdrawn,
    ShoeEnded,
)
from sabot.domain.events.bank import (
    BankCalled,
    BankPosted,
    BankRaised,
    BankUnlimited,
    BankWithdrawn,
    LevyTaken,
)
from sabot.domain.events.envelope import RecordedEvent, is_of
from sabot.domain.procedure.chip_flow import Imbalance, imbalances
from sabot.domain.procedure.patron_bank import bank_events_of
from sabot.domain.procedure.preconditions.bank_requirements import is_right_bank
from sabot.domain.rules.sources import (
    HOUSE_CONVENTION,
)
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe

_PLACED: Final = (BetPlaced, BetCarried)
MONEY = RuleGroup(
    family="payout",
    concerns="money",
    games=("chemin-de-fer", "macao", "victoria", "baccarat-banque"),
)


@each("imbalance", None, about="bets")
def _imbalances(shoe: Shoe) -> Sequence[Imbalance]:
    """Return the differences between chips moved and chips held that no other rule reports.

    P201 to P204 or E201 report a difference that wrong or missing payments of bets explain. R401
    reports the settlement of a bet without a stake. Q101 or I306 reports a bank left in an
    unfinished last coup. Where the record lacks bets against a bank, that bank is not judged. Where
    the record lacks coups, or holds only coups, no bank is judged.
    """
    return [
        off
        for off in imbalances(shoe)
        if (off.bank is None or not _lacks_coups_or_bets(shoe, off.bank))
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
    follows_from=(
        *(code_of(stakes_beyond_bank), "shoe-end-without-cut-card", code_of(miscalled_bank)),
        *map(code_of, (bank_moved_by_wrong_person, late_bank_raise)),
        *("wrong-bank-amount", "partial-bank-withdrawal", *LATE),
    ),
    breach_events=(
        BankCalled,
        *(BankPosted, BankRaised, BankWithdrawn, BankUnlimited, LevyTaken),
        *(BetTaken, BetPaid),
        *(*_PLACED, BetChanged, BetWithdrawn, ShoeEnded),
    ),
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
def chip_balance_mismatch(shoe: Shoe, off: Imbalance) -> Iterator[Breach]:
    """No bank gives out more than it holds or is left unclaimed; no bet loses beyond its stake.

    A bank holds what was put up, added and taken from bets, less what was paid, levied and taken
    out, in the order of the record. A limited bank pays no more than it holds, and nobody takes
    more out of any bank than it holds. The first payment, levy or withdrawal beyond that amount is
    reported. A bank without a limit may pay more than it holds.

    A bank is left unclaimed if chips remain in it when its banker passed the shoe, another bank was
    put up, or the shoe ended. A bet loses beyond its stake if more was taken in all than its last
    stake.

    The finding shows the payment, the withdrawal, the last move of the bank, or the last take of
    the bet. It also shows the bet that was paid, or the end of the shoe that left the bank behind.
    It may also show what explains the difference: a call or a posting wrong by that amount, a move
    of that amount, or late bets and late changes.
    """
    yield Breach(
        off.message,
        off.expected,
        off.observed,
        (off.event, *_events_behind(shoe, off)),
        off.coup,
        "the record does not say whose money it was" if off.bank is not None else None,
        off.patron,
        offending_event=off.event,
    )


def _events_behind(shoe: Shoe, off: Imbalance) -> list[RecordedEvent]:
    """Return the events that may have led to an imbalance.

    They are the bet that a bank paid, or the end of the shoe that left its last bank behind. If the
    croupier called a bank that differs from the record by the same amount, or the bank was put up
    so, or so much was added to it or taken out, or won or lost by late stakes, that event is among
    them.
    """
    behind: list[RecordedEvent]
    behind = [*_called_so(shoe, off), *_posted_so(shoe, off), *_moved_so(shoe, off)]
    behind += late_stakes_behind(shoe, off.bank, _more(shoe, off)) if off.bank is not None else []
    match off.event.payload:
        case BetTaken(coup=number, bet=named) | BetPaid(coup=number, bet=named):
            bets = shoe.coups[number].bets if number in shoe.coups else {}
            bet = bets.get(named)
            if bet is not None and off.bank is None:
                behind = _lowered_late(shoe.coups[number], bet)
            return [*([bet.placed] if bet is not None else []), *behind]
        case _:
            pass
    left = off.bank == len(shoe.banks) and shoe.banks[-1].amount > 0
    return [*([shoe.ended] if left and shoe.ended is not None else []), *behind]


def _lowered_late(coup: Coup, bet: Bet) -> list[RecordedEvent]:
    """Return the late changes of a bet that was taken by its stake at the close of bets."""
    in_time = with_stakes_in_time(coup).bets[bet.number].amount
    return late_stakes_of(coup, bet) if bet.taken <= in_time else []


def _called_so(shoe: Shoe, off: Imbalance) -> list[RecordedEvent[BankCalled]]:
    """Return the first call of a bank that differed from the record by its imbalance.

    A bank that paid more than it held may have been raised afterwards: then a call of more counts.
    """
    if off.bank is None:
        return []
    bank, more = shoe.banks[off.bank - 1], _more(shoe, off)
    below = off.event in bank.below[:1] and not is_of(off.event, BankWithdrawn)
    coups = [coup for coup in shoe.coups.values() if bank_events_of(coup).nth == off.bank]
    calls = (
        bank_events_of(coup).called
        for coup in coups
        if (excess_called(coup) >= max(more, 1) if below else excess_called(coup) == more)
    )
    return [call for call in calls if call is not None][:1]


def _posted_so(shoe: Shoe, off: Imbalance) -> list[RecordedEvent[BankPosted]]:
    """Return the posting of a bank that would have been right with its imbalance in addition."""
    rule = shoe.pack.bank if shoe.pack is not None else None
    if off.bank is None or rule is None:
        return []
    bank = shoe.banks[off.bank - 1]
    put, right = bank.posted.payload.amount, partial(is_right_bank, rule, bank.amount_to_match)
    return [bank.posted] if not right(put) and right(put + _more(shoe, off)) else []


def _moved_so(shoe: Shoe, off: Imbalance) -> list[RecordedEvent]:
    """Return the other moves of a bank that alone make its imbalance."""
    if off.bank is None:
        return []
    moves = moves_by(shoe.banks[off.bank - 1], _more(shoe, off))
    return [event for event in moves if event is not off.event]


def _more(shoe: Shoe, off: Imbalance) -> int:
    """Return how much more came out of a bank than it held, negative if it kept some."""
    assert off.bank is not None
    bank = shoe.banks[off.bank - 1]
    return next((more for event, more in bank.beyond if event is off.event), -bank.amount)


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
    """Return whether wrong payments and levies, which other rules report, explain an imbalance.

    If a bank overpaid patrons, it holds that much less than its banker takes out. If it paid too
    little, it holds that much more.
    """
    match off.event.payload:
        case BetTaken(coup=number, bet=bet) | BetPaid(coup=number, bet=bet) if off.bank is None:
            wrong_bets = wrong_moves_of(shoe, [shoe.coups[number]]) or []
            return any(move.bet is not None and move.bet.number == bet for move in wrong_bets)
    assert off.bank is not None
    moves = wrong_moves_of_bank(shoe, off.bank)
    if moves is None:
        return False
    wrong = sum(move.amount for move in moves)
    bank = shoe.banks[off.bank - 1]
    if off.event in bank.below[:1] and not is_of(off.event, BankWithdrawn):
        return wrong > 0 and wrong >= -bank.amount
    return wrong != 0 and wrong == _more(shoe, off)


def _lacks_coups_or_bets(shoe: Shoe, nth: int) -> bool:
    """Return whether the record may lack what a bank won or paid."""
    return holds_coups_alone(shoe) or coups_missing(shoe) or bank_lacks_bets(shoe, nth)


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
