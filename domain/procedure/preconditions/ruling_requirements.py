"""Requirements of rulings and their execution, for dealing and audit.

The audit checks every irregularity of a coup, because one noted later may justify an earlier
ruling.
"""

from collections.abc import Iterable

from sabot.domain.events import IrregularityNoted
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.procedure.ruling_effects import Rulings, gives_bets_back, takes_card_off
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    BOME_MELILLA_2014_19_PAGE_358,
    LAC_42_III_3103,
    NSW_MINI_BACCARAT_RULE_12,
)


@requirement("I303", LAC_42_III_3103)
def is_permitted_ruling(pack: RulePack, noted: IrregularityNoted) -> bool:
    """The ruling on an irregularity is one that the rule pack lists for its kind."""
    return noted.kind not in pack.rulings or noted.ruling in pack.rulings[noted.kind]


@requirement(
    "I305",
    ARRETE_2007_ART_55_14,
    BOME_MELILLA_2014_19_PAGE_358,
    NSW_MINI_BACCARAT_RULE_12,
)
def may_be_voided(noted: Iterable[IrregularityNoted], *, answered_for: bool) -> bool:
    """A coup is voided, or all its bets returned, only for a recorded irregularity ruled so."""
    return any(gives_bets_back(each, answered_for=answered_for) for each in noted)


@requirement("D104", ARRETE_2007_ART_55_14, ARRETE_2007_ART_58)
def may_be_taken_off(noted: Iterable[IrregularityNoted], rulings: Rulings) -> bool:
    """A dealt card is removed from its hand and burned only on a recorded ruling."""
    return any(takes_card_off(each, rulings) for each in noted)
