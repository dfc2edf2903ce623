"""Checks at baccarat banque before the deal: sessions, bids, shuffle, cut and limits."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import bank_events, bet_events, card_events, people_events
from sabot.domain.procedure.preconditions.tableaux_requirements import (
    is_bankers_cutter,
    is_permitted_session,
    session_fault,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.procedure.two_tableaux.bank_award import best_bid, next_bank
from sabot.domain.procedure.two_tableaux.tableaux import rule_of
from sabot.domain.rules.pack_sections import BankRule
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe


def bank_rule(shoe: Shoe) -> BankRule:
    """Return the pack's section on banks, or its defaults."""
    assert shoe.pack is not None
    return shoe.pack.bank or BankRule()


def _session(shoe: Shoe, payload: bank_ev.SessionCalled) -> Violation | None:
    rule = rule_of(shoe)
    if rule.sessions is None and rule.shoes is None and not rule.new_cards:
        return Violation("the rule pack numbers no sessions")
    first = shoe.sessions[0].payload if shoe.sessions else None
    fault = session_fault(rule, payload, first)
    if fault == "again" or (first is not None and fault is None):
        said = "the session of this shoe was called already"
        return Violation(said, "" if is_permitted_session(fault) else "W505")
    if is_permitted_session(fault):
        return None
    said = f"a day has {rule.sessions} sessions at most"
    if fault == "shoe":
        said = f"a session has {rule.shoes} shoes at most"
    return Violation(said, "W505")


def _bid(shoe: Shoe, payload: bank_ev.BankBid) -> Violation | None:
    if rule_of(shoe).award != "auction":
        return Violation("the bank is not auctioned; type: list PATRON")
    reason = _awarded(shoe)
    if reason is not None:
        return reason
    best = best_bid(shoe)
    if best is not None and payload.amount <= best.amount:
        return Violation(f"{best.by} bid {format_money(shoe, best.amount)}; bid more")
    return bank_events.check_bank_size(shoe, payload.amount)


def _list(shoe: Shoe, payload: bank_ev.BankListed) -> Violation | None:
    if rule_of(shoe).award == "auction":
        return Violation("the bank is auctioned; type: bid PATRON AMOUNT")
    if payload.by in [event.payload.by for event in shoe.listed]:
        return Violation(f"{payload.by} is on the list for the bank already")
    return _awarded(shoe)


def _awarded(shoe: Shoe) -> Violation | None:
    """Return a refusal if the first bank was already awarded. None otherwise."""
    if shoe.banks or shoe.holder is not None or shoe.offered is not None:
        return Violation(f"the first bank was awarded already; {next_action(shoe).text}")
    return None


def _prove(_shoe: Shoe, payload: bank_ev.FundsProven) -> Violation | None:
    return None if payload.amount else Violation("give the amount that was proved")


def _shuffle(shoe: Shoe, payload: ev.ShoeShuffled) -> Violation | None:
    due = next_bank(shoe)
    if due is not None and not shoe.left:
        return Violation(f"the bank comes before the shuffle; {due.text}")
    by = [event.payload.by for event in shoe.shuffles]
    if rule_of(shoe).last_shuffle and shoe.holder in by and not shoe.cuts:
        said = f"{shoe.holder}, the banker, shuffled last; nobody shuffles after the banker"
        return Violation(said, "W506")
    return card_events.check_shuffle(shoe, payload)


def _name_cutter(shoe: Shoe, payload: ev.CutterNamed) -> Violation | None:
    if not rule_of(shoe).names_cutter:
        return Violation("the rule pack does not let the banker name who cuts")
    if not is_bankers_cutter(payload, shoe.holder, payload.cutter):
        said = f"the banker names who cuts: {shoe.holder or 'nobody'}, not {payload.by}"
        return Violation(said, "W507")
    if not shoe.shuffles or shoe.cuts:
        return Violation(f"it is not the time to name who cuts; {next_action(shoe).text}")
    return None


def _cut(shoe: Shoe, payload: ev.ShoeCut) -> Violation | None:
    if rule_of(shoe).names_cutter:
        naming = shoe.cutters[-1].payload if shoe.cutters else None
        if not is_bankers_cutter(naming, shoe.holder, payload.by):
            said = f"{shoe.holder} names who cuts first"
            if naming is not None:
                said = f"{naming.cutter} was named to cut, not {payload.by}"
            return Violation(said, "W507")
    return people_events.check_cut(shoe, payload)


def _limits(shoe: Shoe, payload: ev.LimitsChanged) -> Violation | None:
    if rule_of(shoe).bank == "open" and any(each.maximum < ev.MAX_INT for each in payload.limits):
        return Violation(
            "an open bank accepts every stake, so no maximum may be set; type: limits MIN-"
        )
    return bet_events.change_limits(shoe, payload)


CHECKS: Final[Mapping[type, Callable[[Shoe, Any], Violation | None]]] = {
    bank_ev.SessionCalled: _session,
    bank_ev.BankBid: _bid,
    bank_ev.BankListed: _list,
    bank_ev.FundsProven: _prove,
    ev.LimitsChanged: _limits,
    ev.ShoeShuffled: _shuffle,
    ev.CutterNamed: _name_cutter,
    ev.ShoeCut: _cut,
}
"""Checks at baccarat banque before the deal that replace the general ones."""
