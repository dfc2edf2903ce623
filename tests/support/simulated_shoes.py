"""Simulated shoes: honest patrons of several habits, and one edge sorter."""

from functools import lru_cache

import msgspec

from sabot.domain import events as ev
from sabot.domain.simulation import Patron, Session, deal_shoe
from sabot.domain.simulation.cheats.cheats import EdgeSorter
from sabot.domain.simulation.cheats.knowledge import FirstCard
from sabot.domain.simulation.patrons.habits import Flat, Martingale, TieLover, Trend
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import pack_text

HONEST = (
    Patron(name="flat", seat=1, habit=Flat()),
    Patron(name="trend", seat=2, habit=Trend()),
    Patron(name="doubles", seat=3, habit=Martingale()),
    Patron(name="ties", seat=4, habit=TieLover()),
)


def sorter(accuracy, **habit):
    """Return a bettor who knows whether the next card is 6 to 9, with this accuracy."""
    return Patron(
        name="cheat", seat=5, habit=EdgeSorter(**habit), channel=FirstCard(accuracy=accuracy)
    )


@lru_cache(maxsize=16)
def streams(patrons, count, seed="evening", pack=("classic-8", 8), table="T1", *, coups=None):
    """Return the events of so many shoes, one after the other in one log.

    With ``coups``, each shoe ends after so many.
    """
    session = Session(
        pack=pack_text(pack[0]), decks=pack[1], table=table, patrons=patrons,
        start_us=1_800_000_000_000_000, seed=seed,
    )  # fmt: skip
    found, index = [], 0
    for number in range(1, count + 1):
        events = []
        for dealt in deal_shoe(session, number):
            index += 1
            event, over = dealt, coups and dealt.payload == ev.CoupOpened(coups + 1)
            if over:
                event = msgspec.structs.replace(dealt, payload=ev.ShoeEnded())
            events.append(msgspec.structs.replace(event, index=index))
            if over:
                break
        found.append(tuple(events))
    return tuple(found)


@lru_cache(maxsize=16)
def shoes(patrons, count, seed="evening", pack=("classic-8", 8)):
    """Return the same as shoes instead of events."""
    dealt = streams(patrons, count, seed, pack)
    return tuple(fold(events[0].stream, events) for events in dealt)
