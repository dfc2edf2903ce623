"""Faults of the bank of two tableaux: its owner, its amount, the shuffle and the cut."""

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import NextAction
from sabot.domain.procedure.patron_bank import bank_of, total_staked
from sabot.domain.procedure.two_tableaux.bank_award import (
    best_bid,
    is_broken,
    least_bank,
    proven_funds,
)
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.simulation.table import SimulatedTable
from sabot.domain.state.bank_state import Bank
from tests.faults.any_bank import unjudged
from tests.faults.fault import Events, FaultKind


def _others(table: SimulatedTable, but: str | None) -> list[str]:
    return [who for _, who in sorted(table.shoe.seats.items()) if who != but]


def _awarded(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    shoe = table.shoe
    if not isinstance(payload, ev.ShoeOffered) or shoe.banks:
        return None
    asked = [
        each.payload.by for each in shoe.listed if isinstance(each.payload, bank_ev.BankListed)
    ]
    others = [who for who in _others(table, payload.to) if who not in asked]
    return (replace(payload, to=others[0]),) if others else None


def _offered(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeOffered) or not table.shoe.banks:
        return None
    others = _others(table, payload.to)
    return (replace(payload, to=others[-1]),) if others else None


def _below(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    best = best_bid(table.shoe)
    if not isinstance(payload, bank_ev.BankPosted) or table.shoe.banks or best is None:
        return None
    return (replace(payload, amount=best.amount - 1),) if best.by == payload.by else None


def _unequal(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.BankPosted) or table.shoe.match is None:
        return None
    if not table.shoe.banks:
        return None
    return (replace(payload, amount=payload.amount + 100),)


def _made_up_short(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.BankRaised) or payload.coup is not None:
        return None
    least = least_bank(table.shoe)
    bank = table.shoe.bank
    if bank is None or not is_broken(table.shoe) or bank.amount + payload.amount < least:
        return None
    return (replace(payload, amount=least - bank.amount - 100),)


def _beyond_the_seated(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    """A standing patron stakes more than is left of the bank."""
    coup, least = table.shoe.current, table.limits.minimum
    if not isinstance(payload, ev.NoMoreBets) or coup is None or unjudged(coup):
        return None
    amount = max(0, (bank_of(coup) or 0) - total_staked(coup)) + least
    return (ev.BetPlaced(coup.number, max(coup.bets) + 1, "a bystander", "right", amount), payload)


def _raised_in_coup(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    coup, bank = table.shoe.current, table.shoe.bank
    if not isinstance(payload, ev.NoMoreBets) or coup is None or bank is None or unjudged(coup):
        return None
    return (bank_ev.BankRaised(bank.holder, table.limits.minimum, coup.number), payload)


def _stayed(table: SimulatedTable, due: NextAction) -> Events | None:
    if not isinstance(due.payload, ev.PatronMoved):
        return None
    least = least_bank(table.shoe)
    who = due.payload.patron
    funds = (bank_ev.FundsProven(who, least),) if rule_of(table.shoe).proven else ()
    return (*funds, bank_ev.BankPosted(who, least))


def _unproven(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, bank_ev.BankPosted) or not rule_of(table.shoe).proven:
        return None
    if table.shoe.match is not None:
        return None
    return (replace(payload, amount=proven_funds(table.shoe, payload.by) + 100),)


def _third_session(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return (replace(payload, session=3),) if isinstance(payload, bank_ev.SessionCalled) else None


def _shuffled(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeShuffled) or payload.by != table.shoe.holder:
        return None
    return (payload, ev.ShoeShuffled(table.floor))


def _cut(table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    if not isinstance(payload, ev.ShoeCut) or not rule_of(table.shoe).names_cutter:
        return None
    others = _others(table, payload.by)
    return (replace(payload, by=others[0]),) if others else None


def _bank_at_open(table: SimulatedTable, due: NextAction) -> Bank | None:
    bank = table.shoe.bank
    return bank if isinstance(due.payload, ev.CoupOpened) and bank is not None else None


def _too_soon(table: SimulatedTable, due: NextAction) -> Events | None:
    bank = _bank_at_open(table, due)
    if bank is None or bank.coups or bank.amount <= 0:
        return None
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount), ev.ShoePassed(bank.holder, "chosen"))


def _in_part(table: SimulatedTable, due: NextAction) -> Events | None:
    bank = _bank_at_open(table, due)
    if bank is None or not bank.coups or bank.amount < 2:
        return None
    return (bank_ev.BankWithdrawn(bank.holder, bank.amount // 2),)


def _left_behind(_table: SimulatedTable, payload: ev.ShoeEvent) -> Events | None:
    return () if isinstance(payload, bank_ev.BankWithdrawn) else None


def _kind(name: str, what: str, *codes: str, of_coup: bool = False, **more: object) -> FaultKind:
    return FaultKind(
        name=name,
        family="procedure",
        what=what,
        codes=codes,
        of_coup=of_coup,
        **more,  # type: ignore[arg-type]
    )


_ANOTHER_AMOUNT = "K514"

KINDS = (
    _kind(
        "bank-awarded-to-another",
        "the first bank goes to somebody whom it does not fall to",
        "W501",
        alters=_awarded,
    ),
    _kind(
        "bank-below-its-bid",
        "the highest bidder puts up less than he bid",
        "W502",
        _ANOTHER_AMOUNT,
        alters=_below,
    ),
    _kind(
        "successor-passed-over",
        "a bank that was given up is offered to another than the next",
        "K513",
        alters=_offered,
    ),
    _kind(
        "bank-continued-at-more",
        "a successor puts up more than the bank that he continues",
        _ANOTHER_AMOUNT,
        alters=_unequal,
    ),
    _kind(
        "banker-keeps-his-seat",
        "a banker does not take the place between the tableaux",
        "W503",
        _ANOTHER_AMOUNT,
        "W502",
        acts=_stayed,
    ),
    _kind(
        "open-bank-unproven",
        "an open bank is put up beyond what its banker proved",
        "W504",
        alters=_unproven,
    ),
    _kind(
        "third-session",
        "a third session of a day is opened",
        "W505",
        alters=_third_session,
    ),
    _kind(
        "shuffled-after-the-banker",
        "the croupier shuffles once more after the banker has",
        "W506",
        alters=_shuffled,
    ),
    _kind(
        "cut-by-another",
        "another cuts than the banker named",
        "W507",
        alters=_cut,
    ),
    _kind(
        "bank-of-wings-taken-at-once",
        "a banker retires before he has played a coup",
        "K515",
        "H502",
        acts=_too_soon,
    ),
    _kind(
        "broken-bank-made-up-short",
        "a broken bank is made up to less than the agreed minimum, and played on",
        "W508",
        alters=_made_up_short,
    ),
    _kind(
        "bystander-beyond-the-seated",
        "somebody who stands stakes more than the seated leave of the bank",
        "K518",
        of_coup=True,
        alters=_beyond_the_seated,
    ),
    _kind(
        "limited-bank-raised",
        "a banker adds to a limited bank while stakes lie there, and accepts nothing",
        "K519",
        of_coup=True,
        alters=_raised_in_coup,
    ),
    _kind(
        "half-the-bank-of-wings-taken",
        "a banker takes half of his bank, and goes on",
        "K516",
        acts=_in_part,
    ),
    FaultKind(
        name="bank-of-wings-left-behind",
        family="payout",
        what="a banker gives his bank up, and his chips stay on the table",
        codes=("K517",),
        of_coup=False,
        alters=_left_behind,
    ),
)
