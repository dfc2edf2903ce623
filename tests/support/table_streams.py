"""A shoe together with the record of its table.

The amounts are fixed: a table of 1.00 to 10.00 (100 to 1000 in cents), bets of 5.00 within these
limits and of 500.00 beyond them.
"""

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import fold
from sabot.domain.state.table_state import fold as fold_table
from tests.support.coup_notation import START_US, Felt
from tests.support.faulty_log import WRONG_PAYOUT

NARROW, WIDE = (ev.Limit(100, 1000),), (ev.Limit(100, 100_000),)
OUTSIDE = "bet-outside-limits"
WRONG = WRONG_PAYOUT
SECOND_US = 1_000_000

LAWFUL = "p1 player 500 | P 4 5  B K 8"
LARGE = "p1 player 50000 | P 4 5  B K 8"
OVERPAID = "p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 600"
CREW = (ev.Crew("dealer", "zoe"), ev.Crew("supervisor", "max"))


def opened(limits=(), crew=()):
    return ev.TableOpened(1_000_000, limits=limits, crew=crew)


def coups(*lines, rules="classic-8", stream="shoe/H-1", **more):
    """Return the events of a shoe at T1."""
    felt = Felt(rules, stream=stream, table="T1", **more).ready()
    for line in lines:
        felt.coup(line)
    return felt.payloads


def before_coup(payloads, number):
    """Return the index of a coup's first event among the events of a shoe."""
    return payloads.index(ev.CoupOpened(number))


def recorded(payloads, table=(), stream="shoe/H-1"):
    """Return events of a log: a shoe's a second apart, with the table's inserted.

    ``table`` are pairs of a place and an event of the table, which goes before the shoe's event at
    that place.
    """
    events = []

    def put(stream, payload):
        index = len(events) + 1
        version = 1 + sum(each.stream == stream for each in events)
        at = START_US + index * SECOND_US
        events.append(
            RecordedEvent(
                index, stream, version, at, at, "", stream, version, payload, position=version
            )
        )

    for place, payload in enumerate(payloads):
        for _, told in (each for each in table if each[0] == place):
            put("table/T1", told)
        put(stream, payload)
    for _, told in (each for each in table if each[0] >= len(payloads)):
        put("table/T1", told)
    return events


def shoe_of(events):
    """Return the shoe of a record, with the table's limits."""
    shoe = fold("shoe/H-1", [each for each in events if each.stream == "shoe/H-1"])
    theirs = [each for each in events if each.stream == "table/T1"]
    if theirs:
        shoe.at_table = fold_table("table/T1", theirs)
    return shoe


def outside(shoe):
    """Return the coups in which a bet is found outside the limits."""
    return [each.coup for each in audit_shoe(shoe).findings if each.code == OUTSIDE]


def skipped(shoe, code=OUTSIDE):
    (verdict,) = (each for each in audit_shoe(shoe).verdicts if each.code == code)
    return verdict.reasons
