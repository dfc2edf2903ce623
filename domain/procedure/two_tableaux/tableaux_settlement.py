"""Settlement at two tableaux: a single natural at once, then losers, then winners.

If only one tableau has a natural, the bank pays it, as far as its funds allow, before the other
tableau plays on. The unpaid part remains due: after losers are taken, every winner is paid in
rotation as far as the bank's funds allow (WIKIPEDIA_BACCARAT_BANQUE).
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
from sabot.domain.rules.labels import odds_label, wager_label
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
    """Return the payments of a natural that is paid before the other tableau plays on.

    A bet for which the bank has no chips left is omitted; it remains due until the end of the coup.
    """
    tableau = alone_natural(coup)
    if tableau is None:
        return []
    theirs = [(bet, due) for bet, due in _whole(shoe, coup) if bet.wager == tableau]
    reached = as_far_as_it_goes(theirs, _funds(coup))
    return [(bet, due) for bet, due in reached if due.kind == "pay"]


def kept_at_once(shoe: Shoe, coup: Coup) -> Dues:
    """Return what was due for a natural, if it was paid before the coup was voided.

    Such payments stay valid. The result is empty if there are none.
    """
    return due_at_once(shoe, coup) if natural_paid_before_void(coup) is not None else []


def due_in_all(shoe: Shoe, coup: Coup) -> Dues:
    """Return what the bank can pay to each stake.

    In order of settlement: bets paid at once, then losers, pushes, and winners in rotation.
    """
    first = {bet.number for bet, _ in due_at_once(shoe, coup)}
    dues = _at_the_end(shoe, coup)
    dues.sort(key=lambda each: each[0].number not in first)
    return dues


def payment_turns(shoe: Shoe, coup: Coup) -> dict[int, int]:
    """Return the turn of payment of each winning bet, by bet number.

    A patron's bets have one turn. Bets that are paid at once have turns of their own.
    """
    first = {bet.number for bet, _ in due_at_once(shoe, coup)}
    winners = [bet for bet, due in due_in_all(shoe, coup) if due.kind == "pay"]
    turns = list(dict.fromkeys((bet.number in first, bet.patron) for bet in winners))
    return {bet.number: turns.index((bet.number in first, bet.patron)) for bet in winners}


def pay_at_once(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Return the next payment of a natural that is paid at once, or None."""
    for bet, due in due_at_once(shoe, coup):
        if not bet.settled:
            return _settle(bet, due, ev.BetPaid(coup.number, bet.number, due.paid))
    return None


def next_settlement(shoe: Shoe, coup: Coup) -> NextAction | None:
    """Return the next settlement after the call of the hands. None if all are settled."""
    before = {bet.number: due.paid for bet, due in due_at_once(shoe, coup)}
    for bet, due in _at_the_end(shoe, coup):
        payload = due_move(shoe, coup, bet, due) or _rest(coup, bet, due, before.get(bet.number, 0))
        if payload is not None:
            return _settle(bet, due, payload)
    return settle_bets(shoe, coup, [])


def _rest(coup: Coup, bet: Bet, due: Due, before: int) -> ev.BetPaid | None:
    """Return the second payment of a natural that was not paid in full at once.

    The bank could not pay all of it then. After the losers' stakes are taken, the bank pays the
    rest from them.
    """
    if bet.wager != alone_natural(coup) or bet.paid != before or due.paid <= before:
        return None
    return ev.BetPaid(coup.number, bet.number, due.paid - before)


def _settle(bet: Bet, due: Due, payload: ev.ShoeEvent) -> NextAction:
    return NextAction(
        "settle", f"{bet.patron}'s bet on {wager_label(bet.wager)}: {due.line}", payload
    )


def _at_the_end(shoe: Shoe, coup: Coup) -> Dues:
    """Return the amounts due at the end of the coup: losers, pushes, winners in rotation."""
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
    """Return the bank's funds for a coup, in minor units. None means no limit."""
    return None if bank_events_of(coup).unlimited else bank_of(coup)


def _whole(shoe: Shoe, coup: Coup) -> Dues:
    """Return what is due to each stake if the bank can pay all, in order of rotation."""
    if shoe.pack is None:
        return []
    dues = [(bet, _due(shoe.pack, coup, bet)) for bet in in_rotation(coup, open_bets(coup))]
    return [(bet, due) for bet, due in dues if due is not None]


def _line_of(wager: Wager, came: Outcome) -> PayLine | Literal["lost", "unknown"]:
    return wager.line_where(lambda on: CONDITIONS[on](came))


def _line_label(tableau: str, line: PayLine) -> str:
    """Return what a tableau pays: ``the left tableau pays 1 to 1``."""
    does = "pushes" if line.pays == "push" else f"pays {odds_label(line.pays)}"
    return f"{wager_label(tableau)} {does}"


def _due(pack: RulePack, coup: Coup, bet: Bet) -> Due | None:
    """Return what is due to a stake if the bank can pay all.

    The halves of a stake à cheval are judged separately, and their sum is paid or taken. None if
    the record or the pack does not determine it.
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
            lines.append(f"{wager_label(tableau)} lost")
            continue
        lines.append(_line_label(tableau, line))
        if line.pays != "push":
            to, one = line.ratio.numerator, line.ratio.denominator
            net += share_of(amount, to, one, pack.money.rounding, pack.money.unit)
    said = ", ".join(lines)
    if net > 0:
        return Due("pay", net, line=said)
    return Due("take", taken=-net, line=said) if net < 0 else Due("push", line=said)
