"""Requirements of banks and banco claims, for dealing and audit."""

from collections.abc import Container
from typing import Literal

from sabot.domain.events import ShoeOffered
from sabot.domain.events.bank import BancoCalled
from sabot.domain.procedure.patron_bank import NextBanker, bank_events_of, entitled_to_suivi
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.procedure.two_tableaux.held_stakes import stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import rule_of, tableau_of
from sabot.domain.rules.pack_sections import BankRule
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_56_1,
    ARRETE_2007_ART_58,
    ARRETE_2007_ART_59,
    BOUSSAC_BACCARA_A_DEUX_TABLEAUX,
    BRITANNICA_BACCARAT_CHEMIN_DE_FER,
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_MACAO,
)
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


@requirement("K511", BOUSSAC_BACCARA_A_DEUX_TABLEAUX)
def may_stake(banker: str | None, patron: str) -> bool:
    """The banker does not stake against the banker's own bank."""
    return patron != banker


@requirement("K510", BRITANNICA_BACCARAT_CHEMIN_DE_FER, WIKIPEDIA_BACCARAT_BANQUE)
def may_go_bank(obstacle: BancoObstacle | None) -> bool:
    """Nobody goes bank without the right; banco suivi at chemin de fer is for the last loser."""
    return obstacle is None


@requirement(
    "K514", ARRETE_2007_ART_58, WIKIPEDIA_BACCARAT_CHEMIN_DE_FER, WIKIPEDIA_BACCARAT_BANQUE
)
def is_right_bank(rule: BankRule, match: int | None, amount: int) -> bool:
    """A bank is within the rule pack's limits, or equals the bank that it has to match."""
    if match is not None:
        return amount == match
    return rule.minimum <= amount and (rule.maximum is None or amount <= rule.maximum)


@requirement(
    "K505",
    BRITANNICA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_BANQUE,
    WIKIPEDIA_BACCARAT_MACAO,
)
def is_his_bank(patron: str, whose: Container[str | None]) -> bool:
    """The patron to whom the bank is offered takes it, puts it up and gives it up."""
    return patron in whose


@requirement("K504", ETHIER_LEE_2023_CHEMIN_DE_FER_1, WIKIPEDIA_BACCARAT_BANQUE)
def is_banker(bank: Bank, patron: str) -> bool:
    """Only the banker adds chips to the bank or takes chips out of it."""
    return patron == bank.holder


@requirement("K512", WIKIPEDIA_BACCARAT_BANQUE)
def may_accept_all(pack: RulePack, *, staked: int, bank: int) -> bool:
    """A banker accepts all stakes only if they exceed the bank, and before the coup is over."""
    return lets_accept(pack) and staked > bank


@requirement("K515", WIKIPEDIA_BACCARAT_BANQUE)
def has_dealt_enough(rule: BankRule, coups: int) -> bool:
    """No bank is taken out before the coups that the pack requires, or while stakes are frozen."""
    return coups >= rule.deals


@requirement("K513", WIKIPEDIA_BACCARAT_CHEMIN_DE_FER)
def is_offered_to_heir(heir: NextBanker | None, offer: ShoeOffered) -> bool:
    """A bank is offered in turn; given up by choice, it goes to a patron who matches it."""
    return heir is None or (heir.patron, heir.amount) == (offer.to, offer.amount)


@requirement("Y502", ARRETE_2007_ART_56_1, ARRETE_2007_ART_59)
def is_ticketed(tickets: int | None, levied: int, ticket: str | None) -> bool:
    """Tickets are detached for the full amount of a levy."""
    return ticket is not None if tickets is None else tickets == levied


@requirement(
    "K502",
    ETHIER_LEE_2023_CHEMIN_DE_FER_1,
    BRITANNICA_BACCARAT_CHEMIN_DE_FER,
    WIKIPEDIA_BACCARAT_BANQUE,
)
def covers(bank: int, staked: int) -> bool:
    """A bank covers the stakes against it; at two tableaux a bank without a limit covers all."""
    return staked <= bank
