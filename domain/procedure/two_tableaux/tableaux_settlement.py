"""What the stakes on two tableaux come to: one natural at once, then losers, then all winners.

A tableau that alone has a natural is paid of the bank, as far as it reaches, before the other is
played on. What it lacked is no lost claim: once losers are taken, every winner is paid in
rotation as far as the funds of the bank extend (WIKIPEDIA_BANQUE).
"""

from typing import Final, Literal

from sabot.domain import events as ev
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.patron_bank import bank_events_of, bank_of, open_bets
from sabot.domain.procedure.settlement_order import as_far_as_it_goes, due_move, settle_bets
from sabot.domain.procedure.two_tableaux.tableaux import (
    alone_natural,
    in_rotation,
    natural_paid_before_void,
    outcome_at,
    parts_of,
)
from sabot.domain.rules.payouts import Due
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.tableau_hands import CONDITIONS, Outcome
from sabot.domain.rules.wagers import PayLine, Wager
from sabot.domain.state.coup_state import Bet, Coup
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.money import share_of

_ORDER: Final = {"take": 0, "push": 1, "pay": 2}

Dues = list[tuple[Bet, Due]]


def due_at_once(shoe: Shoe, coup: Coup) -> Dues:
    """Return what a natural of one tableau alone is paid before the other is played on.

    Whom the bank does not reach is paid nothing then: his claim lasts to the end of the coup.
    """
    tableau = alone_natural(coup)
    theirs = [(bet, due) for bet, due in _whole(shoe, coup) if bet.wager == tableau]
    reached = as_far_as_it_goes(theirs, _funds(coup))
    return [(bet, due) for bet, due in reached if due.kind == "pay"]


def kept_at_once(shoe: Shoe, coup: Coup) -> Dues:
    """Return what a natural had been paid, or should have, when the coup was voided: it stands."""
    return due_at_once(shoe, coup) if natural_paid_before_void(coup) is not None else []


def due_in_all(shoe: Shoe, coup: Coup) -> Dues:
    """Return what is due to each stake in all, as far as the bank goes, in the order of settling.

    Who is paid at once comes first, whatever is added to it later; then losers, what is neither
    won nor lost, and winners in rotation.
    """
    first = {bet.number for bet, _ in due_at_once(shoe, coup)}
    dues = _at_the_end(shoe, coup)
    dues.sort(key=lambda each: each[0].number not in first)
    return dues


def pay_at_once(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Say whom of a natural to pay before the other tableau is played on; None: nobody."""
    for bet, due in due_at_once(shoe, coup):
        if not bet.settled:
            return _settle(bet, due, ev.BetPaid(coup.number, bet.number, due.paid))
    return None


def next_settlement(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Say which bet is settled next once the hands are called; None where every one is."""
    before = {bet.number: due.paid for bet, due in due_at_once(shoe, coup)}
    for bet, due in _at_the_end(shoe, coup):
        payload = due_move(shoe, coup, bet, due) or _rest(coup, bet, due, before.get(bet.number, 0))
        if payload is not None:
            return _settle(bet, due, payload)
    return settle_bets(shoe, coup, [])


def _rest(coup: Coup, bet: Bet, due: Due, before: int) -> ev.BetPaid | None:
    """Return what a natural that the bank did not reach is paid of what the losers left."""
    if bet.wager != alone_natural(coup) or bet.paid != before or due.paid <= before:
        return None
    return ev.BetPaid(coup.number, bet.number, due.paid - before)


def _settle(bet: Bet, due: Due, payload: ev.ShoeEvent) -> NextAction:
    return NextAction("settle", f"{bet.patron}, {bet.wager}: {due.line}", payload)


def _at_the_end(shoe: Shoe, coup: Coup) -> Dues:
    """Return what is due in all: losers, pushes, winners in rotation."""
    whole = sorted(_whole(shoe, coup), key=lambda each: _ORDER[each[1].kind])
    money, before = _funds(coup), {}
    if money is None:
        return whole
    for bet, due in due_at_once(shoe, coup):
        before[bet.number] = due.paid
        money -= due.paid
    open_claims = [
        (bet, Due(due.kind, due.paid - before.get(bet.number, 0), due.taken, line=due.line))
        for bet, due in whole
    ]
    return [
        (bet, Due("pay", due.paid + before[bet.number], line=due.line))
        if bet.number in before
        else (bet, due)
        for bet, due in as_far_as_it_goes(open_claims, money)
    ]


def _funds(coup: Coup) -> int | None:
    """Return what the bank of a coup has to pay with; None where it has no limit."""
    return None if bank_events_of(coup).unlimited else bank_of(coup)


def _whole(shoe: Shoe, coup: Coup) -> Dues:
    """Return what is due to each stake if the bank can pay, in rotation."""
    if shoe.pack is None:
        return []
    dues = [(bet, _due(shoe.pack, coup, bet)) for bet in in_rotation(coup, open_bets(coup))]
    return [(bet, due) for bet, due in dues if due is not None]


def _line_of(wager: Wager, came: Outcome) -> PayLine | Literal["lost", "unknown"]:
    return wager.line_where(lambda on: CONDITIONS[on](came))


def _due(pack: RulePack, coup: Coup, bet: Bet) -> Due | None:
    """Return what is due to a stake, if the bank can pay; None: record or pack do not say.

    The parts of a stake à cheval are judged apart; what they come to together is paid or taken.
    """
    wager, parts = pack.wager(bet.wager), parts_of(bet)
    if wager is None or not parts or sum(parts.values()) != bet.amount:
        return None
    net, lines = 0, []
    for tableau, amount in parts.items():
        came = outcome_at(coup, tableau)
        if came is None:
            return None
        line = _line_of(wager, came)
        if isinstance(line, str):
            net -= amount
            lines.append(f"{tableau} lost")
            continue
        lines.append(f"{tableau} {line.on} pays {line.pays}")
        if line.pays != "push":
            to, one = line.ratio.numerator, line.ratio.denominator
            net += share_of(amount, to, one, pack.money.rounding, pack.money.unit)
    said = ", ".join(lines)
    if net > 0:
        return Due("pay", net, line=said)
    return Due("take", taken=-net, line=said) if net < 0 else Due("push", line=said)
