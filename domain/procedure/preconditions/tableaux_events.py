"""Checks of the bank and its banker at baccarat banque.

See `tableaux_award` for checks before the deal, `tableaux_stakes` for stakes.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.labels import pass_label
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import bank_events_of, total_staked
from sabot.domain.procedure.preconditions import (
    bank_events,
    card_events,
    people_events,
    tableaux_award,
    tableaux_stakes,
)
from sabot.domain.procedure.preconditions.bank_requirements import (
    has_dealt_enough,
    is_banker,
    is_his_bank,
    lets_accept,
    may_accept_all,
)
from sabot.domain.procedure.preconditions.tableaux_award import bank_rule
from sabot.domain.procedure.preconditions.tableaux_requirements import (
    is_awarded,
    is_made_up,
    is_proven,
    keeps_bid,
    may_put_up,
)
from sabot.domain.procedure.preconditions.violation import Violation
from sabot.domain.procedure.two_tableaux.bank_award import (
    best_bid,
    first_bank_candidates,
    is_broken,
    least_bank,
    least_stake,
    next_bank,
    proven_funds,
    put_in_by,
)
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import cover_due, rule_of
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.money_text import format_money
from sabot.domain.state.shoe import Shoe, middle_of

# -- Places -----------------------------------------------------------------------------------


def _sit(shoe: Shoe, payload: ev.PatronSeated) -> Violation | None:
    if payload.seat == middle_of(shoe):
        return Violation(
            f"{payload.seat} is the banker's place, between the tableaux; give another seat"
        )
    if payload.patron in shoe.seats.values():
        return Violation(f"{payload.patron} sits at this table already; type: move N PATRON")
    return people_events.check_seat(shoe, payload)


def _move(shoe: Shoe, payload: ev.PatronMoved) -> Violation | None:
    if next_action(shoe).payload == payload:
        return None
    if shoe.current is not None:
        return Violation(f"coup {shoe.current.number} is open; places are changed between coups")
    if payload.patron == shoe.holder or payload.seat == middle_of(shoe):
        return Violation(f"only the banker sits between the tableaux; {next_action(shoe).text}")
    if payload.patron not in shoe.seats.values():
        return Violation(f"{payload.patron} does not sit at this table; type: seat N PATRON")
    assert shoe.pack is not None
    if payload.seat > shoe.pack.table.seats or payload.seat in shoe.seats:
        return Violation(f"seat {payload.seat} is not free; give another one")
    return None


def _leave(shoe: Shoe, payload: ev.PatronLeft) -> Violation | None:
    if payload.patron == shoe.holder:
        return Violation(f"{payload.patron} holds the bank and has to give it up first")
    if any(each.bet.patron == payload.patron for each in stakes_held_for(shoe, _next(shoe))):
        return Violation(f"a stake of {payload.patron}'s is frozen; it is settled first")
    return people_events.check_leaving(shoe, payload)


# -- The bank ---------------------------------------------------------------------------------


def _post(shoe: Shoe, payload: bank_ev.BankPosted) -> Violation | None:
    if not is_his_bank(payload.by, (shoe.holder,)):
        return Violation(f"the bank is not {payload.by}'s; {next_action(shoe).text}", "K505")
    if shoe.bank is not None:
        return Violation(
            f"{shoe.bank.holder}'s bank is on the table; raise it, or take it out first", "K517"
        )
    now, in_place = next_action(shoe), shoe.seats.get(middle_of(shoe)) == payload.by
    if now.expects != "bank":
        rule = "" if may_put_up(rule_of(shoe), in_place=in_place) else "W503"
        return Violation(f"the bank is not posted now; {now.text}", rule)
    if shoe.match is not None:
        wrong = bank_events.check_bank_size(shoe, payload.amount, shoe.match)
        return wrong or _proven(shoe, payload.by, payload.amount)
    return _anew(shoe, payload)


def _anew(shoe: Shoe, payload: bank_ev.BankPosted) -> Violation | None:
    least = least_bank(shoe)
    if payload.amount < least:
        best = best_bid(shoe) if not shoe.banks else None
        rule = "" if keeps_bid(best, payload.by, payload.amount) else "W502"
        return Violation(
            f"the bank was bought for {format_money(shoe, least)}; post at least that", rule
        )
    return _proven(shoe, payload.by, payload.amount) or bank_events.check_bank_size(
        shoe, payload.amount
    )


def _proven(shoe: Shoe, patron: str, more: int) -> Violation | None:
    put, proven = put_in_by(shoe, patron) + more, proven_funds(shoe, patron)
    if is_proven(rule_of(shoe), put, proven):
        return None
    shown, lacking = format_money(shoe, proven), format_money(shoe, put - proven)
    said = f"{patron} proved {shown}; {lacking} more has to be proved first"
    return Violation(said, "W504")


def _raise(shoe: Shoe, payload: bank_ev.BankRaised) -> Violation | None:
    bank = shoe.bank
    if bank is None or not is_banker(bank, payload.by):
        return bank_events.check_banker(shoe, payload.by)
    if not payload.amount:
        return Violation("give the amount that is added to the bank")
    reason = _proven(shoe, payload.by, payload.amount)
    if reason is not None:
        return reason
    coup = shoe.current
    return _raise_between(shoe, bank, payload) if coup is None else _raise_in(coup, payload, shoe)


def _raise_between(shoe: Shoe, bank: Bank, payload: bank_ev.BankRaised) -> Violation | None:
    if payload.coup is not None:
        return Violation("no coup is open; leave its number out", "R401")
    if bank.amount <= 0 and bank.withdrawn_last is not None:
        return Violation(
            f"{bank.holder} has taken the bank's money and has to give the bank up", "K516"
        )
    rule, least = bank_rule(shoe), least_stake(shoe)
    if not is_made_up(rule, least, bank.amount, payload.amount):
        said = f"a broken bank is made up to {format_money(shoe, rule.minimum)} at least"
        return Violation(said, "W508")
    if not is_broken(shoe) and not rule.raises:
        return Violation("the rule pack does not let a bank be raised between coups")
    return bank_events.check_bank_size(shoe, bank.amount + payload.amount)


def _raise_in(coup: Coup, payload: bank_ev.BankRaised, shoe: Shoe) -> Violation | None:
    if payload.coup != coup.number:
        return Violation(f"coup {coup.number} is open; give its number")
    if coup.no_more_bets is not None:
        return Violation("bets are closed; the bank stands", "K506")
    more = cover_due(coup)
    if not more:
        return Violation(
            "stakes beyond the bank are paid in rotation, unless the banker accepts them all",
            "K519",
        )
    if payload.amount == more:
        return None
    return Violation(f"the stakes exceed the bank by {format_money(shoe, more)}; add that")


def _withdraw(shoe: Shoe, payload: bank_ev.BankWithdrawn) -> Violation | None:
    bank = shoe.bank
    if bank is None or not is_banker(bank, payload.by):
        return bank_events.check_banker(shoe, payload.by)
    if shoe.current is not None:
        return Violation(f"coup {shoe.current.number} is open; settle it first", "K515")
    if not payload.amount or payload.amount != bank.amount:
        return Violation(
            f"a banker who retires takes all {format_money(shoe, bank.amount)}", "K516"
        )
    if next_action(shoe).payload == payload or is_broken(shoe):
        return None
    return _retire_early(shoe, bank)


def _retire_early(shoe: Shoe, bank: Bank) -> Violation | None:
    if stakes_held_for(shoe, _next(shoe)):
        return Violation("stakes are frozen; the bank stays until they are settled", "K515")
    rule = bank_rule(shoe)
    if has_dealt_enough(rule, bank.coups):
        return None
    coups = f"{rule.deals} coup{'s' if rule.deals > 1 else ''}"
    return Violation(f"a banker plays {coups} before retiring", "K515")


def _pass(shoe: Shoe, payload: ev.ShoePassed) -> Violation | None:
    bank = shoe.bank
    if bank is not None and bank.amount > 0:
        left = format_money(shoe, bank.amount)
        return Violation(f"{left} is left in {bank.holder}'s bank; withdraw it first", "K517")
    reason = people_events.pass_on(shoe, payload)
    if reason is not None or payload.reason in ("ruling", "left"):
        return reason
    if bank is None:
        said = f"a new banker plays a coup before giving up the bank; {next_action(shoe).text}"
        return Violation(said, "H502")
    due = next_bank(shoe)
    why = (
        due.payload.reason if due is not None and isinstance(due.payload, ev.ShoePassed) else "lost"
    )
    if payload.reason == why:
        return None
    said = f"the reason for giving up the bank is: {pass_label(why)}; type: passes {why}"
    return Violation(said, "H507" if payload.reason == "lost" else "")


def _accept(shoe: Shoe, payload: bank_ev.BankUnlimited) -> Violation | None:
    bank, coup = shoe.bank, shoe.current
    if bank is None or bank.holder != payload.by:
        return Violation(f"{payload.by} has no bank on the table", "R401")
    if bank.unlimited:
        return Violation("the bank is without a limit already")
    if next_action(shoe).payload == payload:
        return None
    if coup is None or payload.coup != coup.number or coup.no_more_bets is not None:
        said = "all stakes are accepted while bets are open; give the coup's number"
        return Violation(said, "K512")
    assert shoe.pack is not None
    bank_as_called = bank_events_of(coup).bank or 0
    if may_accept_all(shoe.pack, staked=total_staked(coup), bank=bank_as_called):
        return None
    said = "no stake exceeds the bank"
    if not lets_accept(shoe.pack):
        said = "the rule pack does not let a banker accept stakes beyond the bank"
    return Violation(said, "K512")


def _offer(shoe: Shoe, payload: ev.ShoeOffered) -> Violation | None:
    if shoe.banks:
        return bank_events.CHECKS[ev.ShoeOffered](shoe, payload)
    reason = people_events.check_holder(shoe, payload)
    if reason is not None:
        return reason
    award = rule_of(shoe).award
    said = f"the bank belongs to another patron; {next_action(shoe).text}"
    if not is_awarded(award, payload, best_bid(shoe), first_bank_candidates(shoe)):
        return Violation(said, "W501")
    return Violation(said) if award != "auction" and payload.amount is not None else None


def _refuse(shoe: Shoe, payload: ev.ShoeRefused) -> Violation | None:
    if not shoe.banks and rule_of(shoe).award == "auction":
        return Violation(f"{payload.by} bid for the bank and is bound by the bid")
    return people_events.check_holder(shoe, payload)


def _next(shoe: Shoe) -> Coup:
    """Return the coup in play, or the next coup if none is in play."""
    return shoe.current or Coup(max(shoe.coups, default=0) + 1)


def _open(shoe: Shoe, payload: ev.CoupOpened) -> Violation | None:
    if payload.free:
        return Violation("there are no free hands at this table; open the coup for stakes")
    return card_events.open_coup(shoe, payload)


CHECKS: Final[Mapping[type, Callable[[Shoe, Any], Violation | None]]] = {
    bank_ev.BankPosted: _post,
    bank_ev.BankRaised: _raise,
    bank_ev.BankWithdrawn: _withdraw,
    bank_ev.BankUnlimited: _accept,
    ev.PatronSeated: _sit,
    ev.PatronMoved: _move,
    ev.PatronLeft: _leave,
    ev.ShoeOffered: _offer,
    ev.ShoeTaken: bank_events.CHECKS[ev.ShoeTaken],
    ev.ShoeRefused: _refuse,
    ev.ShoePassed: _pass,
    ev.ShoeEnded: bank_events.CHECKS[ev.ShoeEnded],
    ev.CoupOpened: _open,
    **tableaux_award.CHECKS,
    **tableaux_stakes.CHECKS,
}
"""Checks at baccarat banque that replace the general ones."""
