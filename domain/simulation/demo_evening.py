"""The evening of `sabot demo`: three tables, their people, and planted mistakes."""

import random
from collections.abc import Callable
from typing import Final

from msgspec import Struct

from sabot.domain import events as ev
from sabot.domain.simulation.cheats.cheats import EdgeSorter
from sabot.domain.simulation.cheats.knowledge import SORTED, FirstCard
from sabot.domain.simulation.demo_mistakes import (
    BankerStood,
    BetCapping,
    BetNeverSettled,
    CommissionHalved,
    LoserLeft,
    Mistake,
    PalmedCard,
    PastPosting,
    PlayerDrew,
    ResultMiscalled,
    ShortBurn,
    TotalsMiscalled,
    WinnerOverpaid,
)
from sabot.domain.simulation.evening import Evening, ShoeOfEvening, TablePlan
from sabot.domain.simulation.patrons.habits import (
    Copycat,
    Flat,
    Martingale,
    SideBettor,
    TieLover,
    Trend,
)
from sabot.domain.simulation.patrons.patron import Patron
from sabot.domain.simulation.patrons.side_counter import SideCounter

DAY: Final = "20260314"
OPENS_US: Final = 1_773_516_600_000_000
"""2026-03-14T19:30:00Z."""
_MINUTE_US: Final = 60_000_000
_SEED: Final = "an evening in March"


class Planted(Struct, frozen=True):
    """A planned mistake, and the name of its shoe."""

    shoe: str
    mistake: Mistake


class Demonstration(Struct, frozen=True):
    """The evenings of the three tables, and their mistakes."""

    evenings: tuple[Evening, ...]
    mistakes: tuple[Planted, ...]


def plan_demonstration(pack_text: Callable[[str], str]) -> Demonstration:
    """Plan the evening.

    ``pack_text`` returns a shipped rule pack's text by name. Random seeds are fixed, so the evening
    is always the same.
    """
    plans = (_big(pack_text), _mini(pack_text), _midi(pack_text))
    evenings = tuple(Evening(plan, random.Random(f"{_SEED}, {plan.table}")) for plan in plans)
    mistakes = tuple(
        Planted(f"{plan.table}-{plan.day}-{number}", one)
        for plan in plans
        for number, shoe in enumerate(plan.shoes, 1)
        for one in shoe.interventions
        if isinstance(one, Mistake)
    )
    return Demonstration(evenings, mistakes)


def _big(pack_text: Callable[[str], str]) -> TablePlan:
    """Plan the big table: a caller and two payers. Patrons hold the shoe."""
    unit = 10_000
    return TablePlan(
        table="B1",
        pack=pack_text("classic-8"),
        decks=8,
        opens_us=OPENS_US,
        inventory=25_000_000,
        limits=(ev.Limit(5000, 1_000_000), ev.Limit(2500, 100_000, "tie")),
        crew=(
            ev.Crew("caller", "carla"),
            ev.Crew("payer-1", "pavel"),
            ev.Crew("payer-2", "petra"),
            ev.Crew("supervisor", "simon"),
        ),
        patrons=(
            Patron(name="p-1031", seat=2, habit=Flat(unit=unit), bankroll=1_000_000),
            Patron(name="p-1064", seat=4, habit=Trend(unit=2 * unit), bankroll=1_500_000),
            Patron(name="p-1090", seat=5, habit=Martingale(unit=unit), bankroll=2_000_000),
            Patron(
                name="p-1122",
                seat=8,
                habit=TieLover(unit=3 * unit),
                bankroll=1_000_000,
                sits_out=0.1,
            ),
            Patron(
                name="p-1147",
                seat=11,
                habit=Trend(unit=unit, follows=False),
                bankroll=1_000_000,
                joins=9,
            ),
            Patron(
                name="p-1180",
                seat=13,
                habit=Flat(unit=5 * unit, side="random"),
                bankroll=3_000_000,
                sits_out=0.3,
            ),
        ),
        shoes=(
            ShoeOfEvening(
                interventions=(BankerStood(5), WinnerOverpaid(37)),
                reliefs=((30, ev.Crew("caller", "chen")),),
                batch="GB-8801",
            ),
            ShoeOfEvening(
                interventions=(
                    TotalsMiscalled(11),
                    PastPosting(26),
                    CommissionHalved(48),
                ),
                reliefs=((25, ev.Crew("caller", "carla")),),
                batch="GB-8802",
            ),
        ),
        day=DAY,
    )


def _mini(pack_text: Callable[[str], str]) -> TablePlan:
    """Plan a mini table without commission. One patron counts the Dragon 7."""
    unit = 2500
    return TablePlan(
        table="M4",
        pack=pack_text("ez-baccarat"),
        decks=8,
        opens_us=OPENS_US + 20 * _MINUTE_US,
        inventory=8_000_000,
        limits=(ev.Limit(1000, 200_000), ev.Limit(500, 20_000, "dragon-7")),
        crew=(ev.Crew("dealer", "dora"), ev.Crew("supervisor", "simon")),
        patrons=(
            Patron(name="p-2007", seat=1, habit=SideBettor(unit=unit), bankroll=300_000),
            Patron(name="p-2019", seat=2, habit=SideCounter(unit=4 * unit), bankroll=600_000),
            Patron(
                name="p-2033", seat=4, habit=Flat(unit=2 * unit, side="player"), bankroll=300_000
            ),
            Patron(name="p-2058", seat=5, habit=Copycat(unit=unit), bankroll=300_000),
            Patron(
                name="p-2071",
                seat=7,
                habit=Flat(unit=unit, side="random"),
                bankroll=200_000,
                quits_ahead=25_000,
            ),
        ),
        shoes=(
            ShoeOfEvening(
                interventions=(PlayerDrew(19), BetCapping(52)),
                reliefs=((40, ev.Crew("dealer", "dmitri")),),
                shuffler="SM-0417",
            ),
            ShoeOfEvening(
                interventions=(ShortBurn(), LoserLeft(33)),
                shuffler="SM-0417",
            ),
        ),
        day=DAY,
    )


def _midi(pack_text: Callable[[str], str]) -> TablePlan:
    """Plan a private midi table. Its guest requests decks, a shuffler and turned cards."""
    unit = 100_000
    guest = EdgeSorter(unit=unit, spread=3, camouflage=0.15)
    ivory = ShoeOfEvening(batch="PU-3300", shuffler="SM-0922", turned=SORTED)
    return TablePlan(
        table="P7",
        pack=pack_text("midi"),
        decks=8,
        opens_us=OPENS_US + 45 * _MINUTE_US,
        inventory=60_000_000,
        limits=(ev.Limit(50_000, 5_000_000),),
        crew=(ev.Crew("dealer", "mei"), ev.Crew("supervisor", "sofia")),
        patrons=(
            Patron(
                name="p-3301",
                seat=3,
                habit=guest,
                bankroll=30_000_000,
                channel=FirstCard(accuracy=0.95),
            ),
            Patron(
                name="p-3302",
                seat=4,
                habit=Copycat(unit=unit, of="p-3301"),
                bankroll=10_000_000,
                sits_out=0.2,
            ),
            Patron(name="p-3340", seat=7, habit=TieLover(unit=unit), bankroll=10_000_000),
        ),
        shoes=(
            ivory,
            ShoeOfEvening(
                interventions=(ResultMiscalled(22), BetNeverSettled(41)),
                batch=ivory.batch,
                shuffler=ivory.shuffler,
                turned=ivory.turned,
            ),
            ShoeOfEvening(
                interventions=(PalmedCard(30),),
                reliefs=((12, ev.Crew("dealer", "dmitri")),),
                batch=ivory.batch,
                shuffler=ivory.shuffler,
                turned=ivory.turned,
            ),
        ),
        day=DAY,
    )
