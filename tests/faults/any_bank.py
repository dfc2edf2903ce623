"""Faults with a patron's bank in any game with such a bank."""

from collections.abc import Iterator
from itertools import count

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction, next_action
from sabot.domain.procedure.patron_bank import (
    bank_events_of,
    bank_of,
    claims_of,
    open_bets,
    total_staked,
)
from sabot.domain.procedure.seating import may_cut, next_to_cut
from sabot.domain.simulation.dealer import answer
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.coup_state import Coup
from tests.faults.fault import Events, FaultKind


def _against_nobody(table: SimulatedTable, due: NextAction) -> Events | None:
    """Stakes are accepted although the holder of the shoe puts up no bank."""
    if not isinstance(due.payload, bank_ev.BankPosted) or table.shoe.coups:
        return None
    return _dealt(table, due.payload)


def _dealt(table: SimulatedTable, post: bank_ev.BankPosted) -> Iterator[ev.ShoeEvent]:
    """Deal until a stake has won or lost, without a bank."""
    yield from _readied(table)
    seats, wager = sorted(table.shoe.seats.items()), table.pack.wagers[0].name
    seat, who = next((seat, who) for seat, who in seats if who != post.by)
    for number in count(1):
        yield ev.CoupOpened(number)
        stake = ev.BetPlaced(number, 1, who, wager, table.limits.minimum, seat)
        if table.pack.macao is not None:
            yield from (stake, ev.NoMoreBets(number))
        else:
            yield bank_ev.BankCalled(number, post.amount)
            # what a tie leaves there is carried
            yield from (stake,) if number == 1 else ()
        while table.shoe.current is not None:
            yield from answer(table, next_action(table.shoe))
        bets = table.shoe.coups[number].bets.values()
        if any(bet.paid or bet.taken for bet in bets):
            return


def _readied(table: SimulatedTable) -> Iterator[ev.ShoeEvent]:
    """Prepare the cards, in games that prepare them only after the bank is put up."""
    if not table.shoe.shuffles:
        yield from answer(table, NextAction("shuffle", "the banker shuffles"))
    while not table.shoe.cuts:
        heir = next_to_cut(table.shoe)
        if heir is not None and may_cut(table.shoe) is None:
            yield ev.CutOffered(heir)
        yield from answer(table, NextAction("cut", "the cards are cut"))
    while (due := next_action(table.shoe)).expects in ("stop-card", "burn-up", "burn-down"):
        yield from answer(table, due)


def unjudged(coup: Coup) -> bool:
    """Return whether all stakes are held, or somebody goes bank, or nobody stakes."""
    return bank_events_of(coup).unlimited or bool(claims_of(coup)) or not total_staked(coup)


def _accepted_nothing(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup, bank = table.shoe.current, table.shoe.bank
    if not isinstance(payload, ev.NoMoreBets) or coup is None or bank is None or unjudged(coup):
        return None
    if total_staked(coup) > (bank_of(coup) or 0):
        return None
    return (bank_ev.BankUnlimited(bank.holder, coup.number), payload)


def _held_sent_back(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """The last stake is returned in full, although the bank covers every stake."""
    coup = table.shoe.current
    if not isinstance(payload, ev.NoMoreBets) or coup is None or unjudged(coup):
        return None
    lying = [bet for bet in open_bets(coup) if not bet.carried]
    if len(lying) < 2 or total_staked(coup) > (bank_of(coup) or 0):
        return None
    return (bank_ev.ExcessReturned(coup.number, lying[-1].number, lying[-1].amount), payload)


def _more_than_staked(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup = table.shoe.current
    if not isinstance(payload, bank_ev.ExcessReturned) or coup is None:
        return None
    return (replace(payload, amount=coup.bets[payload.bet].amount + table.limits.minimum),)


_EXCESS = "K508"

ACCEPTING = FaultKind(
    name="bank-unlimited-for-nothing",
    family="procedure",
    what="a banker takes all stakes on where none goes beyond his bank",
    codes=("K512",),
    of_coup=False,
    alters=_accepted_nothing,
)
AGAINST_NOBODY = FaultKind(
    name="staked-against-no-bank",
    family="payout",
    what="nobody puts up a bank, and stakes are taken in against it",
    codes=("K501",),
    of_coup=False,
    acts=_against_nobody,
)
ANYWHERE = (ACCEPTING, AGAINST_NOBODY)
"""Wherever a patron banks."""

KINDS = (
    *ANYWHERE,
    FaultKind(
        name="held-stake-sent-back",
        family="procedure",
        what="a stake that the bank covers goes back",
        codes=(_EXCESS,),
        alters=_held_sent_back,
    ),
    FaultKind(
        name="more-sent-back-than-staked",
        family="procedure",
        what="more goes back of a stake than was staked",
        codes=(_EXCESS,),
        alters=_more_than_staked,
    ),
)
"""Where one banks against two hands, or two tableaux."""
