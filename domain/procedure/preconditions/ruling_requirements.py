"""Requirements of rulings and their execution, for dealing and audit.

The audit checks every irregularity of a coup, because one noted later may justify an earlier
ruling.
"""

from collections.abc import Iterable

from sabot.domain.events import IrregularityNoted
from sabot.domain.procedure.ruling_effects import Rulings, gives_bets_back, takes_card_off
from sabot.domain.rules.rule_pack import RulePack


def is_permitted_ruling(pack: RulePack, noted: IrregularityNoted) -> bool:
    """Return whether the rule pack lists a ruling for an irregularity of this kind."""
    return noted.kind not in pack.rulings or noted.ruling in pack.rulings[noted.kind]


def may_be_voided(noted: Iterable[IrregularityNoted], *, answered_for: bool) -> bool:
    """Return whether an irregularity was ruled to return the bets."""
    return any(gives_bets_back(each, answered_for=answered_for) for each in noted)


def may_be_taken_off(noted: Iterable[IrregularityNoted], rulings: Rulings) -> bool:
    """Return whether a ruling takes a card off its hand."""
    return any(takes_card_off(each, rulings) for each in noted)
