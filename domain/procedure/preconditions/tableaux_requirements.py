"""Requirements of one banker against two tableaux, shared by dealing and audit."""

from collections.abc import Container, Sequence
from typing import Literal

from sabot.domain.events import CutterNamed, ShoeOffered
from sabot.domain.events.bank import BankBid, SessionCalled
from sabot.domain.procedure.preconditions.bet_requirements import Stake
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.pack_sections import BankAward, BankRule, TableauxRule
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_61,
    BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
    REGOLE_DEL_GIOCO_BACCARA,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_IT_BACCARA,
)
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


@requirement("W501", ARRETE_2007_ART_61, BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE)
def is_awarded(
    award: BankAward, offer: ShoeOffered, best: BankBid | None, names: Sequence[str]
) -> bool:
    """The first bank goes to the highest bidder, to the first name on the list, or by lot."""
    if award == "auction":
        return best is not None and (offer.to, offer.amount) == (best.by, best.amount)
    return offer.to in (names[:1] if award == "list" else names)


@requirement("W502", BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE)
def keeps_bid(best: BankBid | None, banker: str, amount: int) -> bool:
    """A patron who gets the first bank for a bid puts up at least the amount bid."""
    return best is None or banker != best.by or amount >= best.amount


@requirement("W503", BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE)
def may_put_up(rule: TableauxRule, *, in_place: bool) -> bool:
    """A new banker takes the seat between the tableaux before putting up the bank."""
    return in_place or not rule.swap


@requirement("W504", ARRETE_2007_ART_61)
def is_proven(rule: TableauxRule, put: int, proven: int) -> bool:
    """A banker puts up no more than the funds proven before."""
    return not rule.proven or put <= proven


@requirement("W508", WIKIPEDIA_BACCARAT_BANQUE)
def is_made_up(rule: BankRule, least_stake: int, bank: int, added: int) -> bool:
    """A bank below the least stake is raised to the agreed minimum, or given up."""
    return bank >= least_stake or (added > 0 and bank + added >= rule.minimum)


@requirement("W505", ARRETE_2007_ART_61)
def is_permitted_session(fault: SessionFault | None) -> bool:
    """A day has no more sessions, and a session no more shoes, than the rule pack allows."""
    return fault is None


@requirement("W506", WIKIPEDIA_BACCARAT_BANQUE)
def may_shuffle(banker: str | None, shuffled: Container[str]) -> bool:
    """Nobody shuffles the cards after the banker has shuffled them."""
    return banker not in shuffled


@requirement("W507", BOUSSAC_BACCARA_A_DEUX_TABLEAUX, WIKIPEDIA_BACCARAT_BANQUE)
def is_bankers_cutter(naming: CutterNamed | None, banker: str | None, cutter: str) -> bool:
    """The banker alone names the patron who cuts the cards, and that patron cuts them."""
    return naming is not None and (naming.by, naming.cutter) == (banker, cutter)


@requirement("W509", WIKIPEDIA_BACCARAT_BANQUE)
def may_go_bank_again(most: int | None, lost: int) -> bool:
    """A patron who lost the permitted number of bancos in a row does not go bank again at once."""
    return most is None or lost < most


@requirement("W510", WIKIPEDIA_IT_BACCARA, REGOLE_DEL_GIOCO_BACCARA)
def leaves_held_stake(carried: int, stake: int) -> bool:
    """A held stake that may not be taken up stays on the layout until it is won or lost."""
    return stake >= carried


@requirement("W511", WIKIPEDIA_IT_BACCARA, REGOLE_DEL_GIOCO_BACCARA)
def was_held(waiting: Container[Stake], stake: Stake) -> bool:
    """A stake is carried to the next coup only if a tie or a split of the tableaux left it."""
    return stake in waiting


@requirement("W512", ARRETE_2007_ART_61)
def is_whole_units(rule: TableauxRule, wager: str, amount: int) -> bool:
    """A stake is a whole number of the table's units, and à cheval each half of it is."""
    return amount % (rule.stake_unit * len(PARTS.get(wager, ("one",)))) == 0


@requirement("W513", WIKIPEDIA_BACCARAT_BANQUE)
def is_on_own_tableau(rule: TableauxRule, sits: Tableau | None, wager: str) -> bool:
    """A patron seated at the right or left tableau stakes on that one, or on both (à cheval)."""
    return not rule.own_tableau or sits is None or wager not in TABLEAUX or wager == sits
