"""Requirements at the end of a coup or shoe, shared by dealing and audit."""

from sabot.domain.events import CardsCleared
from sabot.domain.procedure.preconditions.requirement import requirement
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    BACCARAT_COMMISSION_DRILL,
    DESPACHO_55_2004_PLAY,
    NYCRR_9_5324_21,
    POKER_ONLINE_GURU_DEALERS_DUTIES,
)


@requirement("E208", ARRETE_2007_ART_55_14)
def are_covered(pack: RulePack, cleared: CardsCleared) -> bool:
    """The cards of a coup are covered when they go to the discards."""
    return not pack.settling.covered or cleared.covered is not False


@requirement(
    "P206",
    POKER_ONLINE_GURU_DEALERS_DUTIES,
    BACCARAT_COMMISSION_DRILL,
    NYCRR_9_5324_21,
)
def is_collected_by_the_end(owed: int) -> bool:
    """By the end of the shoe all marked commission is collected, and no more than was owed."""
    return owed == 0


@requirement(
    "P207",
    POKER_ONLINE_GURU_DEALERS_DUTIES,
    BACCARAT_COMMISSION_DRILL,
    NYCRR_9_5324_21,
)
def is_collected_before_leaving(owed: int) -> bool:
    """Marked commission is collected before the patron leaves the table."""
    return owed <= 0


@requirement("Z304", ARRETE_2007_ART_55_14, ARRETE_2007_ART_58)
def has_shown_cut_card(reason: str | None, *, shown: bool) -> bool:
    """A shoe that ends by its cut card ends only after the cut card has shown."""
    return reason != "cut-card" or shown


@requirement("Z301", ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, DESPACHO_55_2004_PLAY)
def is_within_last(coup: int, last: int | None) -> bool:
    """Once the cut card has shown, no coup follows the one that the rule pack makes the last."""
    return last is None or coup <= last
