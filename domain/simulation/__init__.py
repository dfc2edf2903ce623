"""Simulated shoes: an automatic dealer, patrons with habits, and what can go wrong.

What is dealt is dealt by the same rules that prompt a dealer at a table; see
`domain.simulation.croupier`. Chance and time are arguments everywhere.
"""

from domain.simulation.croupier import Croupier
from domain.simulation.kinds import EVERYBODY
from domain.simulation.lineup import HABITS, parse_lineup
from domain.simulation.patrons import Patron
from domain.simulation.plan import ShoePlan
from domain.simulation.session import Session, deal_shoe, deal_shoes, draft_of, plan_of

__all__ = [
    "EVERYBODY",
    "HABITS",
    "Croupier",
    "Patron",
    "Session",
    "ShoePlan",
    "deal_shoe",
    "deal_shoes",
    "draft_of",
    "parse_lineup",
    "plan_of",
]
