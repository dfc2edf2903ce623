"""Requirements of the game that is dealt, shared by dealing and audit.

Each game's class declares what the game has (`sabot.domain.procedure.games`).
"""

from sabot.domain.events import Event
from sabot.domain.procedure.games import foreign_to
from sabot.domain.procedure.preconditions.requirement import Requirement, requirement
from sabot.domain.rules.rule_pack import RulePack
from sabot.domain.rules.sources import (
    ARRETE_2007_ART_55_14,
    ARRETE_2007_ART_58,
    WIKIPEDIA_BACCARAT_MACAO,
)


@requirement("R414", ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, WIKIPEDIA_BACCARAT_MACAO)
def is_of_game(pack: RulePack, event: Event) -> bool:
    """Between coups, a game has only its own events: no bank, for example, if the house banks."""
    return foreign_to(pack, event) is None


@requirement("R415", ARRETE_2007_ART_55_14, ARRETE_2007_ART_58, WIKIPEDIA_BACCARAT_MACAO)
def is_of_coup(pack: RulePack, event: Event) -> bool:
    """A coup has only the events, hands and rulings of the game of its rule pack."""
    return foreign_to(pack, event) is None


def requirement_of(event: Event) -> Requirement[RulePack, Event]:
    """Return the requirement on the game of an event, or of a coup if the event names one."""
    return is_of_game if getattr(event, "coup", None) is None else is_of_coup
