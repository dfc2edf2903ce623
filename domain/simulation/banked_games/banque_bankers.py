"""Simulated bankers of baccarat banque: they bid, prove funds, take the bank and give it up."""

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.next_action import NextAction
from sabot.domain.procedure.two_tableaux.bank_award import (
    best_bid,
    first_bank_candidates,
    is_broken,
    least_bank,
)
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.simulation.patrons.patron import Sitter
from sabot.domain.simulation.preparation import prepare
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.shoe import Shoe, middle_of

Events = tuple[ev.ShoeEvent, ...]


# -- Before the cards -------------------------------------------------------------------------


def shuffle(table: SimulatedTable, due: NextAction) -> Events:  # noqa: ARG001 - as every answer
    """Have the croupier, a patron of each tableau, and the banker shuffle."""
    shoe = table.shoe
    by = [table.floor]
    if rule_of(shoe).last_shuffle:
        middle = middle_of(shoe)
        beside = (middle + 1, middle - 1)
        by += [shoe.seats[seat] for seat in beside if seat in shoe.seats]
        by += [shoe.holder] if shoe.holder is not None else []
    return tuple(ev.ShoeShuffled(each) for each in by)


def cut(table: SimulatedTable, due: NextAction) -> Events:
    """Cut the cards. If the rules allow, the banker names the cutter."""
    shoe = table.shoe
    if not rule_of(shoe).names_cutter:
        return prepare(table, due)
    others = [who for who in shoe.seats.values() if who != shoe.holder]
    cutter = table.rng.choice(others) if others else table.floor
    depth = table.rng.randint(20, shoe.size - 20)
    named = ev.CutterNamed(shoe.holder or table.floor, cutter)
    return (named, ev.ShoeCut(cutter, depth), table.bound())


# -- The bank ---------------------------------------------------------------------------------


def bank(table: SimulatedTable, due: NextAction) -> Events:
    """Return the events for a due step about the bank.

    The step is a call of the session, a bid, a proof of funds or a bank put up.
    """
    shoe, payload = table.shoe, due.payload
    rule = rule_of(shoe)
    if payload is None:
        if rule.sessions is not None and not shoe.sessions:
            return (bank_ev.SessionCalled(*table.plan.session),)
        if shoe.holder is None:
            return _asked(table)
        return _proves(table, shoe.holder)
    match payload:
        case bank_ev.BankPosted(by=by, amount=least) if shoe.match is None:
            return (bank_ev.BankPosted(by, max(least, _puts_up(table, by))),)
        case bank_ev.BankRaised() if shoe.bank is not None:
            return _made_up(table, shoe.bank, payload)
        case _:
            return (payload,)


def _willing(table: SimulatedTable, least: int) -> list[Sitter]:
    """Return the seated patrons who want the first bank and have not listed themselves."""
    asked = {each.payload.by for each in table.shoe.listed}
    candidates = [each for each in table.sitters if each.seated and each.patron.name not in asked]
    able = [each for each in candidates if each.bankroll >= least]
    if not able and not asked:
        able = candidates[:1]
    return [each for each in able if each.rng.random() < each.patron.holds] or able[:1]


def _asked(table: SimulatedTable) -> Events:
    """Return the events in which patrons bid or list themselves for the first bank."""
    shoe, least = table.shoe, least_bank(table.shoe)
    would = _willing(table, least)
    if not would:
        return table.ended("closing")
    if rule_of(shoe).award != "auction":
        return tuple(bank_ev.BankListed(each.patron.name) for each in would)
    bids: list[bank_ev.BankBid] = []
    best = least - 1
    for sitter in would:
        amount = _puts_up(table, sitter.patron.name)
        if amount > best:
            bids.append(bank_ev.BankBid(sitter.patron.name, amount))
            best = amount
    return tuple(bids)


def _puts_up(table: SimulatedTable, name: str) -> int:
    """Return the bank that a patron would put up, in minor units."""
    sitter, least = table.sitter(name), least_bank(table.shoe)
    if sitter is None:
        return least
    wished = sitter.patron.bank * sitter.patron.habit.unit
    proven = funds_of(table.shoe, name)
    return max(least, min(wished, sitter.bankroll, proven if proven is not None else wished))


def funds_of(shoe: Shoe, name: str) -> int | None:
    """Return a patron's proven funds. None if the pack requires no proof."""
    payloads = [each.payload for each in shoe.funds]
    mine = [payload.amount for payload in payloads if payload.by == name]
    return sum(mine) if rule_of(shoe).proven else None


def _proves(table: SimulatedTable, holder: str) -> Events:
    sitter, least = table.sitter(holder), least_bank(table.shoe)
    have = max(least, sitter.bankroll if sitter is not None else 0)
    return (bank_ev.FundsProven(holder, have, "the cash desk"),)


def _made_up(table: SimulatedTable, bank: Bank, due: bank_ev.BankRaised) -> Events:
    """Return the events that raise a broken bank to the minimum, or give it up.

    The choice depends on the banker's chips and habit.
    """
    if not is_broken(table.shoe):
        return (due,)
    sitter, funds = table.sitter(bank.holder), funds_of(table.shoe, bank.holder)
    room = funds is None or bank.put_in + due.amount <= funds
    able = sitter is not None and room and sitter.bankroll >= due.amount
    if sitter is not None and able and sitter.rng.random() < sitter.patron.raises:
        return (due,)
    lost = ev.ShoePassed(bank.holder, "lost")
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount), lost) if bank.amount > 0 else (lost,)


def holder(table: SimulatedTable, due: NextAction) -> Events:
    """Return the events for a due step about the banker.

    The step is a draw of lots, an offer of the bank, or a change of seat.
    """
    shoe, payload = table.shoe, due.payload
    if payload is None:
        return (ev.ShoeOffered(table.rng.choice(first_bank_candidates(shoe))),)
    if not isinstance(payload, ev.ShoeTaken):
        return (payload,)
    if best_bid(shoe) is not None and not shoe.banks:
        return (payload,)
    sitter, least = table.sitter(payload.by), least_bank(shoe)
    if sitter is None or sitter.bankroll < least:
        return (ev.ShoeRefused(payload.by),)
    # a candidate for the first bank does not refuse it
    if shoe.banks and sitter.rng.random() >= sitter.patron.holds:
        return (ev.ShoeRefused(payload.by),)
    return (payload,)
