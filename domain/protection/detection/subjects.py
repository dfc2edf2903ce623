"""The state of all tested subjects, with copies for coups in play at other tables."""

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

    ``groups`` are patrons tested as one bettor, by name of the group. ``pairs`` is True to test
    every pair of patrons who were at a table together. ``watched`` are patrons named in advance,
    for example on a tip: they have a larger prior weight.
    """

    alpha: float = 0.001
    groups: dict[str, tuple[str, ...]] = {}
    pairs: bool = True
    watched: tuple[str, ...] = ()


class Group(Struct):
    """Patrons who are tested together.

    ``shares`` are the shares of evidence of two tests: the group as one bettor, and the average of
    its members.
    """

    as_one: Bettor
    shares: list[float] = field(default_factory=lambda: [0.5, 0.5])
    tally: Tally = field(default_factory=Tally)


class Held(Struct):
    """A coup in play, with the state of its patrons when they entered it.

    States are kept only for patrons whom a coup at another table has updated since. ``named`` are
    the patrons who had been named by then.
    """

    present: dict[str, None] = {}
    patrons: dict[str, Bettor] = {}
    groups: dict[str, Group] = {}
    late: dict[str, LateBets] = {}
    edges: dict[str, Edge] = {}
    named: frozenset[str] = frozenset()


class Protection(Struct):
    """The state of all subjects after the coups so far.

    ``under`` and ``edges_under`` are keyed by patron and dealer. ``held`` maps a shoe to its coup
    in play, and ``playing`` a patron to the shoes at which the patron plays. ``unsure`` counts the
    bets excluded from evidence because a face may have preceded them. ``named`` are the patrons
    whose own evidence once sufficed for a finding. Pairs, groups and dealers are averaged without
    them from then on.
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
    named: dict[str, None] = {}


def initial_state(plan: Plan | None = None) -> Protection:
    """Return the state before the first coup."""
    state = Protection(plan or Plan())
    for name, patrons in state.plan.groups.items():
        state.groups[name] = Group(start_bettor(float, *patrons))
    return state


def strangers(state: Protection) -> list[tuple[str, str]]:
    """List the patrons named in advance who never were at a table.

    Each is a pair of option and patron. The option is for example ``--group team`` or ``--watch``.
    """
    named = [
        *((f"--group {name}", member) for name, of in state.plan.groups.items() for member in of),
        *(("--watch", patron) for patron in state.plan.watched),
    ]
    return [(option, patron) for option, patron in named if patron not in state.patrons]


# -- Prior weights --------------------------------------------------------------------------------

KIND_SHARES: Final = {
    "patron": 0.75,
    "group": 0.08,
    "late": 0.08,
    "pair": 0.03,
    "dealer": 0.03,
    "under": 0.03,
}
"""The share of alpha of each kind of subject, split among its subjects. The sum is 1.

Most cheats are a single patron, and there are many more pairs than patrons.
"""
WATCHED: Final = 10
"""A watched patron has the prior weight of so many others."""


def patron_share(state: Protection, patron: str) -> float:
    """Return a patron's share of the prior weight of all patrons met so far."""
    met = state.patrons.keys()
    weights = len(met) + (WATCHED - 1) * sum(name in met for name in state.plan.watched)
    mine = WATCHED if patron in state.plan.watched else 1
    return KIND_SHARES["patron"] * mine / max(1, weights)
