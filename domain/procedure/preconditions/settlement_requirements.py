"""Requirements at the end of a coup or shoe, shared by dealing and audit."""

from sabot.domain.events import CardsCleared
from sabot.domain.rules.rule_pack import RulePack


def are_covered(pack: RulePack, cleared: CardsCleared) -> bool:
    """Return whether the cleared cards are covered, if the rule pack requires it."""
    return not pack.settling.covered or cleared.covered is not False


def is_collected_by_the_end(owed: int) -> bool:
    """Return whether exactly the marked commission was collected."""
    return owed == 0


def is_collected_before_leaving(owed: int) -> bool:
    """Return whether a patron owes no commission."""
    return owed <= 0


def has_shown_cut_card(reason: str | None, *, shown: bool) -> bool:
    """Return whether the cut card has appeared, if it decides the end of the shoe."""
    return reason != "cut-card" or shown


def is_within_last(coup: int, last: int | None) -> bool:
    """Return whether a coup is not after the last one."""
    return last is None or coup <= last
