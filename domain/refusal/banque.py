"""What baccarat banque forbids of the bank and of who holds it; of stakes, see `wings`."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain import facts as f
from domain.bank import Bank
from domain.bankrules import BankRule
from domain.coup import Coup
from domain.dealing import prompt
from domain.facts import bank as k
from domain.games.banque_bank import (
    best_bid,
    candidates,
    is_broken,
    least_bank,
    next_bank,
    proven,
    unproven,
)
from domain.money import spelled
from domain.refusal import banking, cards, coups, people, wings
from domain.shoe import Shoe, middle_of
from domain.tableaux import cover_due, frozen, rule_of


def _money(shoe: Shoe, amount: int) -> str:
    return spelled(amount, shoe.pack.money.minor_units if shoe.pack is not None else 2)


def _rule(shoe: Shoe) -> BankRule:
    assert shoe.pack is not None
    return shoe.pack.bank or BankRule()


# -- Before the cards -------------------------------------------------------------------------


def _session(shoe: Shoe, fact: k.SessionCalled) -> str | None:
    rule = rule_of(shoe)
    if rule.sessions is None and rule.shoes is None:
        return "the rule pack numbers no sessions"
    if shoe.sessions:
        return "the session of this shoe was called already"
    if rule.sessions is not None and fact.session > rule.sessions:
        return f"a day has {rule.sessions} sessions at most"
    if rule.shoes is not None and fact.shoe > rule.shoes:
        return f"a session has {rule.shoes} shoes at most"
    return None


def _bid(shoe: Shoe, fact: k.BankBid) -> str | None:
    if rule_of(shoe).award != "auction":
        return "the bank is not put up to auction; have him put his name down"
    reason = _awarded(shoe)
    if reason is not None:
        return reason
    best = best_bid(shoe)
    if best is not None and fact.amount <= best.amount:
        return f"{best.by} bid {_money(shoe, best.amount)}; bid more"
    return _size(shoe, fact.amount)


def _list(shoe: Shoe, fact: k.BankListed) -> str | None:
    if rule_of(shoe).award == "auction":
        return "the bank is put up to auction; say what he bids"
    if fact.by in [event.fact.by for event in shoe.listed]:  # type: ignore[union-attr]
        return f"{fact.by} put his name down already"
    return _awarded(shoe)


def _awarded(shoe: Shoe) -> str | None:
    """Say that the first bank has been given away, where it has."""
    if shoe.banks or shoe.holder is not None or shoe.offered is not None:
        return f"the first bank was awarded already; {prompt(shoe).text}"
    return None


def _prove(_shoe: Shoe, fact: k.FundsProven) -> str | None:
    return None if fact.amount else "say how much he proved"


def _shuffle(shoe: Shoe, fact: f.ShoeShuffled) -> str | None:
    due = next_bank(shoe)
    if due is not None and not shoe.left:
        return f"the bank comes before the shuffle; {due.text}"
    if shoe.cuts:
        return f"the cards were cut; {prompt(shoe).text}"
    by = [event.fact.by for event in shoe.shuffles]  # type: ignore[union-attr]
    if rule_of(shoe).last_shuffle and shoe.holder in by:
        return f"{shoe.holder}, who banks, has shuffled, and he shuffles last"
    return cards.before_first_card(shoe, fact)


def _name_cutter(shoe: Shoe, fact: f.CutterNamed) -> str | None:
    if not rule_of(shoe).names_cutter:
        return "the rule pack does not let the banker name who cuts"
    if fact.by != shoe.holder:
        return f"{shoe.holder or 'nobody'} banks, and names who cuts; not {fact.by}"
    if not shoe.shuffles or shoe.cuts:
        return f"it is not the time to name who cuts; {prompt(shoe).text}"
    return None


def _cut(shoe: Shoe, fact: f.ShoeCut) -> str | None:
    if rule_of(shoe).names_cutter:
        named = [event.fact.cutter for event in shoe.cutters[-1:]]  # type: ignore[union-attr]
        if not named:
            return f"{shoe.holder} names who cuts first"
        if fact.by != named[0]:
            return f"{named[0]} was named to cut, not {fact.by}"
    return cards.before_first_card(shoe, fact)


def _limits(shoe: Shoe, fact: f.LimitsChanged) -> str | None:
    if rule_of(shoe).bank == "open" and any(each.maximum < f.MAX_INT for each in fact.limits):
        return "an open bank holds every stake, and no maximum may be set; say: limits MIN-"
    return None


# -- Places -----------------------------------------------------------------------------------


def _sit(shoe: Shoe, fact: f.PatronSeated) -> str | None:
    if fact.seat == middle_of(shoe):
        return f"{fact.seat} is the banker's place, between the wings; give another seat"
    if fact.patron in shoe.seats.values():
        return f"{fact.patron} sits already; say that he moved"
    return people.sit(shoe, fact)


def _move(shoe: Shoe, fact: f.PatronMoved) -> str | None:
    if prompt(shoe).fact == fact:
        return None
    if shoe.current is not None:
        return f"coup {shoe.current.number} is open; places are changed between coups"
    if fact.patron == shoe.holder or fact.seat == middle_of(shoe):
        return f"the place between the wings is the banker's; {prompt(shoe).text}"
    if fact.patron not in shoe.seats.values():
        return f"{fact.patron} does not sit here; say that he sat down"
    assert shoe.pack is not None
    if fact.seat > shoe.pack.table.seats or fact.seat in shoe.seats:
        return f"seat {fact.seat} is not free; give another one"
    return None


def _leave(shoe: Shoe, fact: f.PatronLeft) -> str | None:
    if fact.patron == shoe.holder:
        return f"{fact.patron} banks; he gives the bank up first"
    if any(each.bet.patron == fact.patron for each in frozen(shoe, _next(shoe))):
        return f"a stake of {fact.patron}'s is frozen; it is settled first"
    return people.leave(shoe, fact)


# -- The bank ---------------------------------------------------------------------------------


def _size(shoe: Shoe, amount: int) -> str | None:
    rule = _rule(shoe)
    if not amount or amount < rule.minimum:
        return f"a bank is {_money(shoe, rule.minimum)} at least, not {_money(shoe, amount)}"
    if rule.maximum is not None and amount > rule.maximum:
        return f"a bank is {_money(shoe, rule.maximum)} at most, not {_money(shoe, amount)}"
    return None


def _post(shoe: Shoe, fact: k.BankPosted) -> str | None:
    if shoe.holder != fact.by:
        return f"the bank is not {fact.by}'s; {prompt(shoe).text}"
    if shoe.bank is not None:
        return f"{shoe.bank.holder}'s bank lies there; raise it, or take it out first"
    now = prompt(shoe)
    if now.awaits != "bank":
        return f"he does not put it up now; {now.text}"
    if shoe.match is not None:
        if fact.amount != shoe.match:
            return f"he took the bank over at {_money(shoe, shoe.match)}; that is what he puts up"
        return _proven(shoe, fact.by, fact.amount)
    return _anew(shoe, fact)


def _anew(shoe: Shoe, fact: k.BankPosted) -> str | None:
    least = least_bank(shoe)
    if fact.amount < least:
        return f"the bank is his for {_money(shoe, least)} at least"
    return _proven(shoe, fact.by, fact.amount) or _size(shoe, fact.amount)


def _proven(shoe: Shoe, patron: str, more: int) -> str | None:
    lacking = unproven(shoe, patron, more)
    if not lacking:
        return None
    shown = _money(shoe, proven(shoe, patron))
    return f"{patron} proved {shown}; he proves {_money(shoe, lacking)} more before he puts that up"


def _raise(shoe: Shoe, fact: k.BankRaised) -> str | None:
    bank = shoe.bank
    if bank is None or bank.holder != fact.by:
        return f"{fact.by} has no bank on the table; {prompt(shoe).text}"
    if not fact.amount:
        return "a bank is raised by something"
    reason = _proven(shoe, fact.by, fact.amount)
    if reason is not None:
        return reason
    coup = shoe.current
    return _raise_between(shoe, bank, fact) if coup is None else _raise_in(coup, fact, shoe)


def _raise_between(shoe: Shoe, bank: Bank, fact: k.BankRaised) -> str | None:
    if fact.coup is not None:
        return "no coup is open; leave its number out"
    if bank.amount <= 0 and bank.withdrawn_last is not None:
        return f"{bank.holder} has taken his bank; he gives it up"
    if not is_broken(shoe) and not _rule(shoe).raises:
        return "the rule pack does not let a bank be raised between coups"
    return _size(shoe, bank.amount + fact.amount)


def _raise_in(coup: Coup, fact: k.BankRaised, shoe: Shoe) -> str | None:
    if fact.coup != coup.number:
        return f"coup {coup.number} is open; give its number"
    if coup.no_more_bets is not None:
        return "no more bets was called; the bank stands"
    more = cover_due(coup)
    if not more:
        return "stakes beyond the bank are paid in rotation, unless the banker accepts them all"
    return None if fact.amount == more else f"{_money(shoe, more)} lies beyond the bank: add that"


def _withdraw(shoe: Shoe, fact: k.BankWithdrawn) -> str | None:
    bank = shoe.bank
    if bank is None or bank.holder != fact.by:
        return f"{fact.by} has no bank on the table"
    if shoe.current is not None:
        return f"coup {shoe.current.number} is open; settle it first"
    if not fact.amount or fact.amount != bank.amount:
        return f"a banker who retires takes all {_money(shoe, bank.amount)}, and says so"
    return None if prompt(shoe).fact == fact or is_broken(shoe) else _retire_early(shoe, bank)


def _retire_early(shoe: Shoe, bank: Bank) -> str | None:
    if frozen(shoe, _next(shoe)):
        return "stakes are frozen; the bank stays until they are settled"
    if bank.coups < _rule(shoe).deals:
        return f"a banker plays {_rule(shoe).deals} coups before he may retire"
    return None


def _pass(shoe: Shoe, fact: f.ShoePassed) -> str | None:
    bank = shoe.bank
    if bank is not None and bank.amount > 0:
        left = _money(shoe, bank.amount)
        return f"{left} of {bank.holder}'s bank lies there; he takes it out first"
    reason = people.pass_on(shoe, fact)
    if reason is not None or fact.reason in ("ruling", "left"):
        return reason
    if bank is None:
        return f"who undertakes the bank plays a coup first; {prompt(shoe).text}"
    due = next_bank(shoe)
    why = due.fact.reason if due is not None and isinstance(due.fact, f.ShoePassed) else "lost"
    return None if fact.reason == why else f"the bank is given up: {why}, not {fact.reason}"


def _accept(shoe: Shoe, fact: k.BankUnlimited) -> str | None:
    bank, coup = shoe.bank, shoe.current
    if bank is None or bank.holder != fact.by:
        return f"{fact.by} has no bank on the table"
    if bank.unlimited:
        return "the bank has no limit already"
    if prompt(shoe).fact == fact:
        return None
    excess = shoe.pack.excess if shoe.pack is not None else None
    if excess is None or excess.option != "rotation-or-accept":
        return "the rule pack does not let a banker take on stakes beyond his bank"
    if coup is None or fact.coup != coup.number or coup.no_more_bets is not None:
        return "all stakes are accepted while bets are open; give the coup's number"
    return None if wings.beyond(coup) > 0 else "no stake lies beyond the bank"


def _offer(shoe: Shoe, fact: f.ShoeOffered) -> str | None:
    if shoe.banks:
        return banking.CHECKS[f.ShoeOffered](shoe, fact)
    reason = people.hold(shoe, fact)
    if reason is not None:
        return reason
    best = best_bid(shoe) if rule_of(shoe).award == "auction" else None
    if fact.to not in candidates(shoe) or fact.amount != (best.amount if best else None):
        return f"the bank is not his; {prompt(shoe).text}"
    return None


def _refuse(shoe: Shoe, fact: f.ShoeRefused) -> str | None:
    if not shoe.banks and rule_of(shoe).award == "auction":
        return f"{fact.by} bid for the bank; he is bound by it"
    return people.hold(shoe, fact)


def _next(shoe: Shoe) -> Coup:
    """Return the coup that is opened next, or is in play."""
    return shoe.current or Coup(max(shoe.coups, default=0) + 1)


def _open(shoe: Shoe, fact: f.CoupOpened) -> str | None:
    if fact.free:
        return "there are no free hands at this table; open the coup for stakes"
    return coups.open_coup(shoe, fact)


CHECKS: Final[Mapping[type, Callable[[Shoe, Any], str | None]]] = {
    k.SessionCalled: _session,
    k.BankBid: _bid,
    k.BankListed: _list,
    k.FundsProven: _prove,
    k.BankPosted: _post,
    k.BankRaised: _raise,
    k.BankWithdrawn: _withdraw,
    k.BankUnlimited: _accept,
    f.LimitsChanged: _limits,
    f.ShoeShuffled: _shuffle,
    f.CutterNamed: _name_cutter,
    f.ShoeCut: _cut,
    f.PatronSeated: _sit,
    f.PatronMoved: _move,
    f.PatronLeft: _leave,
    f.ShoeOffered: _offer,
    f.ShoeTaken: banking.CHECKS[f.ShoeTaken],
    f.ShoeRefused: _refuse,
    f.ShoePassed: _pass,
    f.ShoeEnded: banking.CHECKS[f.ShoeEnded],
    f.CoupOpened: _open,
    **wings.CHECKS,
}
"""What baccarat banque refuses in place of what every game refuses."""
