"""Requirements of one banker against two tableaux, shared by dealing and audit."""

from collections.abc import Container, Sequence
from typing import Literal

from sabot.domain.events import CutterNamed, ShoeOffered
from sabot.domain.events.bank import BankBid, SessionCalled
from sabot.domain.procedure.preconditions.bet_requirements import Stake
from sabot.domain.rules.pack_sections import BankAward, BankRule, TableauxRule
from sabot.domain.rules.tableau_hands import PARTS, TABLEAUX, Tableau

SessionFault = Literal["session", "shoe", "again"]
"""An error in a session call.

``session`` or ``shoe``: the number is too high. ``again``: a second call differs from the first.
"""


def session_fault(
    rule: TableauxRule, call: SessionCalled, first: SessionCalled | None
) -> SessionFault | None:
    """Return the error in a session call, or None.

    ``first`` is the first call of the shoe.
    """
    if rule.sessions is not None and call.session > rule.sessions:
        return "session"
    if rule.shoes is not None and call.shoe > rule.shoes:
        return "shoe"
    return None if first in (None, call) else "again"


def is_awarded(
    award: BankAward, offer: ShoeOffered, best: BankBid | None, names: Sequence[str]
) -> bool:
    """Return whether the first bank is offered to the patron to whom it is awarded."""
    if award == "auction":
        return best is not None and (offer.to, offer.amount) == (best.by, best.amount)
    return offer.to in (names[:1] if award == "list" else names)


def keeps_bid(best: BankBid | None, banker: str, amount: int) -> bool:
    """Return whether a banker puts up at least the amount of their own best bid."""
    return best is None or banker != best.by or amount >= best.amount


def may_put_up(rule: TableauxRule, *, in_place: bool) -> bool:
    """Return whether the banker sits between the tableaux, if the rule pack requires it."""
    return in_place or not rule.swap


def is_proven(rule: TableauxRule, put: int, proven: int) -> bool:
    """Return whether the banker's proven funds cover what the banker puts up."""
    return not rule.proven or put <= proven


def is_made_up(rule: BankRule, least_stake: int, bank: int, added: int) -> bool:
    """Return whether a broken bank is raised to the agreed minimum."""
    return bank >= least_stake or (added > 0 and bank + added >= rule.minimum)


def is_permitted_session(fault: SessionFault | None) -> bool:
    """Return whether a session call has no error."""
    return fault is None


def is_bankers_cutter(naming: CutterNamed | None, banker: str | None, cutter: str) -> bool:
    """Return whether the banker named the patron who cuts."""
    return naming is not None and (naming.by, naming.cutter) == (banker, cutter)


def may_go_bank_again(most: int | None, lost: int) -> bool:
    """Return whether a patron lost fewer bancos in a row than the rule pack permits."""
    return most is None or lost < most


def leaves_held_stake(carried: int, stake: int) -> bool:
    """Return whether a held stake is not lowered."""
    return stake >= carried


def was_held(waiting: Container[Stake], stake: Stake) -> bool:
    """Return whether a carried stake is one that was left on the layout."""
    return stake in waiting


def is_whole_units(rule: TableauxRule, wager: str, amount: int) -> bool:
    """Return whether a stake, or each half of one à cheval, is a whole number of units."""
    return amount % (rule.stake_unit * len(PARTS.get(wager, ("one",)))) == 0


def is_on_own_tableau(rule: TableauxRule, sits: Tableau | None, wager: str) -> bool:
    """Return whether a seated patron stakes on their own tableau, or on both."""
    return not rule.own_tableau or sits is None or wager not in TABLEAUX or wager == sits
