"""A coup of two bets, and the rulings on it."""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.findings import Finding
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt

CREW = (ev.Crew("dealer", "ann"), ev.Crew("supervisor", "sue"))

BETS = (ev.BetPlaced(1, 1, "p1", "player", 1000), ev.BetPlaced(1, 2, "p2", "banker", 2000))


def noted(kind: str, ruling: str = "none", coup: int | None = 1, by: str | None = "sue"):
    return ev.IrregularityNoted(kind, ruling, coup, by)


def staked(rules: str = "classic-8", crew: tuple[ev.Crew, ...] = CREW) -> Felt:
    """A coup with 1000 on Player and 2000 on Banker, its bets closed."""
    return Felt(rules, crew=crew).ready().put(ev.CoupOpened(1), *BETS, ev.NoMoreBets(1))


def dealt(cards: str = "> P 9  B 2  P K  B 3", **how: object) -> Felt:
    """Nine and five lie there, if nothing else is said: Player has won."""
    return staked(**how).cards(cards)


def only_finding(shoe: Shoe) -> Finding:
    (found,) = audit_shoe(shoe).findings
    return found
