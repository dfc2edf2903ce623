"""A log with two shoes: one with breaches of several kinds, and one clean."""

from collections.abc import Sequence

from sabot.cli.console import guard
from sabot.cli.main import build
from sabot.domain import events as ev
from sabot.domain.events.envelope import NewEvent, RecordedEvent
from sabot.infrastructure.log.event_log import EventLog
from tests.support.coup_notation import Felt

CREW = (ev.Crew("caller", "ann"), ev.Crew("supervisor", "sue"))


def faulty_shoe(name: str = "H-1") -> list[RecordedEvent]:
    """Return a shoe with five breaches on coups 1 to 4. Its second coup is clean."""
    felt = Felt(stream=f"shoe/{name}", crew=CREW, table="T1").ready()
    felt.coup("p1 player 1000, p2 banker 200 | P 2 4 3  B K 7")
    felt.coup("p1 player 500 | P 4 5  B K 8")
    felt.put(ev.CrewChanged("caller", "bob"))
    felt.coup("p1 tie 500, p2 banker 500 | P 4 4  B K 9 | T 8-9 | 1 take 500, 2 pay 500")
    return felt.coup("p2 tie 500 | P 4 5  B K 9 | T | 1 pay 4500").events


WRONG_DRAW = "player-drew-against-table"
WRONG_CALL = "miscalled-result"
WRONG_COMMISSION = "wrong-commission"
WRONG_PAYOUT = "wrong-payout"
FOUND = {(WRONG_DRAW, 1), (WRONG_CALL, 3), (WRONG_COMMISSION, 3), (WRONG_PAYOUT, 4)}
"""The rules that find the breaches, and the coup of each."""


def clean_shoe(name: str = "H-2") -> list[RecordedEvent]:
    """Return a shoe without a breach."""
    return Felt("midi", stream=f"shoe/{name}").ready().coup("p1 banker 500 | P 4 4  B K 9").events


def drafts(events: Sequence[RecordedEvent]) -> list[NewEvent]:
    """Return the events as drafts in the order of the table."""
    return [NewEvent(event.stream, event.payload, event.at_us, "ann", "d1") for event in events]


def recorded(url: str, *shoes: Sequence[RecordedEvent]) -> None:
    """Record shoes, or the faulty and the clean one by default."""
    with EventLog.open(url) as log:
        for events in shoes or (faulty_shoe(), clean_shoe()):
            log.append(drafts(events))


def sabot(*arguments: str) -> int:
    """Run a command line and return its exit code."""
    return guard(build(), arguments)
