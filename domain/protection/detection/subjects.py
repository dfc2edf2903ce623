"""The state of all tested subjects. It includes copies for coups in play elsewhere."""

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
"""The smallest level that can be reported; a smaller one could never be reached."""


class Plan(Struct, frozen=True):
    """The tests to make, fixed before the evidence is seen.

    ``groups`` are patrons read as one bettor, by name. ``pairs`` tests every pair of patrons who
    were at a table together.
    """

    alpha: float = 0.001
    groups: dict[str, tuple[str, ...]] = {}
    pairs: bool = True


class Group(Struct):
    """Patrons tested together.

    ``shares`` are those of the test as one bettor and of the average.
    """

    as_one: Bettor
    shares: list[float] = field(default_factory=lambda: [0.5, 0.5])
    tally: Tally = field(default_factory=Tally)


class Held(Struct):
    """A coup in play, with its patrons' state on entering it.

    States are kept only for patrons who have since been updated by a coup at another table.
    """

    present: dict[str, None] = {}
    patrons: dict[str, Bettor] = {}
    groups: dict[str, Group] = {}
    late: dict[str, LateBets] = {}
    edges: dict[str, Edge] = {}


class Protection(Struct):
    """The state of all subjects after the coups so far.

    ``under`` and ``edges_under`` are by patron and dealer. ``held`` maps a shoe to its coup in
    play, and ``playing`` a patron to the shoes whose coups they are in. ``unsure`` counts the bets
    excluded from evidence because a face may have preceded them.
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
    """Return the group members who were at no table, each as group and member."""
    return [
        (name, member)
        for name, members in state.plan.groups.items()
        for member in members
        if member not in state.patrons
    ]
