"""What is known of everybody who is tested, and what was known of those now in a coup elsewhere."""

from typing import Final

from msgspec import Struct, field

from sabot.domain.protection.e_process.late_bets import LateBets
from sabot.domain.protection.e_process.test_martingale import Bettor, Tally, start_bettor
from sabot.domain.protection.money.edge_interval import Edge
from sabot.domain.protection.money.win_rate import WinRate
from sabot.domain.protection.observation.coup_timeline import Unsure
from sabot.domain.protection.reporting.coverage import Coverage
from sabot.domain.protection.shoe_tests.whole_shoe_tests import ShoeTests

LEAST_LEVEL: Final = 1e-300
"""Chances are told no smaller: a level below could never be reached."""


class Plan(Struct, frozen=True):
    """What is tested, fixed before the evidence.

    ``groups`` are patrons read as one, by name; ``pairs`` tests every pair that was at a table
    together.
    """

    alpha: float = 0.001
    groups: dict[str, tuple[str, ...]] = {}
    pairs: bool = True


class Group(Struct):
    """Patrons tested together: read as one bettor, and averaged; the shares of either."""

    as_one: Bettor
    shares: list[float] = field(default_factory=lambda: [0.5, 0.5])
    tally: Tally = field(default_factory=Tally)


class Held(Struct):
    """A coup in play: who is in it, and what was known when they entered it.

    Kept only of those who were taught since by a coup of another table.
    """

    present: dict[str, None] = {}
    patrons: dict[str, Bettor] = {}
    groups: dict[str, Group] = {}
    late: dict[str, LateBets] = {}
    edges: dict[str, Edge] = {}


class Protection(Struct):
    """Everything that is known of everybody, after the coups so far.

    ``under`` and ``edges_under`` are by patron and dealer; ``held`` is by shoe, of the coups in
    play, and ``playing`` names by patron the shoes in a coup of which he is. ``unsure`` counts the
    bets that are no evidence, since a face may have come before them.
    """

    plan: Plan = Plan()
    coups: int = 0
    patrons: dict[str, Bettor] = {}
    groups: dict[str, Group] = {}
    pairs: dict[tuple[str, str], Tally] = {}
    dealers: dict[str, Tally] = {}
    under: dict[tuple[str, str], Tally] = {}
    late: dict[str, LateBets] = {}
    edges: dict[str, Edge] = {}
    edges_under: dict[tuple[str, str], Edge] = {}
    wins: dict[tuple[str, str, int], WinRate] = {}
    shoes: ShoeTests = field(default_factory=ShoeTests)
    coverage: Coverage = field(default_factory=dict)
    unsure: Unsure = field(default_factory=dict)
    held: dict[str, Held] = {}
    playing: dict[str, list[str]] = {}


def initial_state(plan: Plan | None = None) -> Protection:
    """Return the state before the first coup."""
    state = Protection(plan or Plan())
    for name, patrons in state.plan.groups.items():
        state.groups[name] = Group(start_bettor(float, *patrons))
    return state


def strangers(state: Protection) -> list[tuple[str, str]]:
    """List the groups' members who were at no table, each after his group."""
    return [
        (name, member)
        for name, members in state.plan.groups.items()
        for member in members
        if member not in state.patrons
    ]
