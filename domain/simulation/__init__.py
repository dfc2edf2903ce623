"""Simulated shoes: an automatic dealer, patrons with habits, mistakes and cheats.

The dealer follows the same rules that prompt a dealer at a table; see
`sabot.domain.simulation.dealer`. Randomness and time are always arguments.
"""

from sabot.domain.simulation.dealer import Dealer
from sabot.domain.simulation.patrons.options import EVERYBODY
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.simulation.patrons.patron_spec import HABITS, parse_lineup
from sabot.domain.simulation.sessions import Session, deal_shoe, deal_shoes, draft_of, plan_of
from sabot.domain.simulation.shoe_plan import ShoePlan

__all__ = [
    "EVERYBODY",
    "HABITS",
    "Dealer",
    "Patron",
    "Session",
    "ShoePlan",
    "deal_shoe",
    "deal_shoes",
    "draft_of",
    "parse_lineup",
    "plan_of",
]
