"""Requirements of banks and banco claims, for dealing and audit."""

from collections.abc import Container
from typing import Literal

from sabot.domain.events import ShoeOffered
from sabot.domain.events.bank import BancoCalled
from sabot.domain.procedure.patron_bank import NextBanker, bank_events_of, entitled_to_suivi
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import rule_of, tableau_of
from sabot.domain.rules.pack_sections import BankRule
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.state.bank_state import Bank
from sabot.domain.state.coup_state import Coup
from sabot.domain.state.shoe import Shoe

BancoObstacle = Literal["own-bank", "not-entitled", "no-limit", "frozen", "other-tableau"]
"""Why a patron may not go banco.

``own-bank``: the patron is the banker. ``not-entitled``: banco suivi was claimed, but another
patron lost the banco of the previous coup. Only at two tableaux: the bank has no limit
(``no-limit``), stakes are held (``frozen``), or the patron sits on the other tableau
(``other-tableau``).
"""


def banco_obstacle(
    shoe: Shoe, coup: Coup, claim: BancoCalled, *, unlimited: bool
) -> BancoObstacle | None:
    """Return why a patron may not go banco. Return None if it is allowed.

    ``unlimited`` is whether the bank had no limit at the time of the claim.
    """
    if not may_stake(bank_events_of(coup).banker, claim.patron):
        return "own-bank"
    if shoe.pack is None or shoe.pack.tableaux is None:
        is_entitled = not claim.suivi or claim.patron == entitled_to_suivi(shoe, coup)
        return None if is_entitled else "not-entitled"
    if unlimited:
        return "no-limit"
    if stakes_held_for(shoe, coup):
        return "frozen"
    sits = tableau_of(coup, claim.patron)
    is_own = not rule_of(shoe).own_tableau or sits is None or claim.on in (None, sits, "both")
    return None if is_own else "other-tableau"


def lets_accept(pack: RulePack) -> bool:
    """Return whether the rule pack lets a banker accept stakes beyond the bank."""
    return pack.excess is not None and pack.excess.option == "rotation-or-accept"


def may_stake(banker: str | None, patron: str) -> bool:
    """Return whether a patron is not the banker."""
    return patron != banker


def may_go_bank(obstacle: BancoObstacle | None) -> bool:
    """Return whether nothing forbids a banco claim."""
    return obstacle is None


def is_right_bank(rule: BankRule, match: int | None, amount: int) -> bool:
    """Return whether a bank is within the limits, or equals the bank that it has to match."""
    if match is not None:
        return amount == match
    return rule.minimum <= amount and (rule.maximum is None or amount <= rule.maximum)


def is_his_bank(patron: str, whose: Container[str | None]) -> bool:
    """Return whether a patron is among the persons who may own the bank."""
    return patron in whose


def is_banker(bank: Bank, patron: str) -> bool:
    """Return whether a patron holds the bank."""
    return patron == bank.holder


def may_accept_all(pack: RulePack, *, staked: int, bank: int) -> bool:
    """Return whether a banker may accept all stakes."""
    return lets_accept(pack) and staked > bank


def has_dealt_enough(rule: BankRule, coups: int) -> bool:
    """Return whether a banker has dealt the coups that the rule pack requires."""
    return coups >= rule.deals


def is_offered_to_heir(heir: NextBanker | None, offer: ShoeOffered) -> bool:
    """Return whether a bank is offered to the next banker, at the amount to match."""
    return heir is None or (heir.patron, heir.amount) == (offer.to, offer.amount)


def is_ticketed(tickets: int | None, levied: int, ticket: str | None) -> bool:
    """Return whether tickets were detached for the full amount of a levy."""
    return ticket is not None if tickets is None else tickets == levied


def covers(bank: int, staked: int) -> bool:
    """Return whether a bank covers the stakes against it."""
    return staked <= bank
