"""A device's clock ahead of the log's makes only its own order doubtful.

The tolerance is 250 ms; a clock has jumped where it is ahead by more than 2000 ms.
"""

from collections.abc import Sequence

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.live import LiveAudit
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.pack_sections import Clocks
from sabot.domain.state.shoe import Shoe
from sabot.domain.timeline.ordering import Span, spans_of
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt

PACK = f"{pack_text('classic-8')}\n[clocks]\ntolerance_ms = 250\njump_ms = 2000\n"
LATE = "past-posted-bet"
CALL = 40_000
"""When the call of no more bets is told, by the terminal's clock: 40 s into the evening."""


def coup(ahead: int, bet: int, *, terminal: int = 0, way: Sequence[int] = (10, 10)) -> Shoe:
    """A coup whose chip reader's clock is so far ahead, in milliseconds.

    The bet came so long after the call, and the terminal's clock is so far ahead. The chip reader's
    two events, the bet and the payment, were so long on their way; all others 10 ms.
    """
    felt = Felt(PACK).ready()

    def tell(device: str, at: int, payload: ev.Event, delay: int = 10) -> None:
        out = {"chips": ahead, "terminal": terminal}.get(device, 0)
        felt.tell(device, CALL + at + out, payload, recorded_ms=CALL + at + delay)

    tell("terminal", -20_000, ev.CoupOpened(1))
    tell("terminal", 0, ev.NoMoreBets(1))
    tell("chips", bet, ev.BetPlaced(1, 1, "p1", "player", 500), way[0])
    for at, hand, card in ((5, "player", "4c"), (6, "banker", "Kc"), (7, "player", "5d"),
                           (8, "banker", "8h")):  # fmt: skip
        tell("reader", 1000 * at, ev.CardDrawn(1, hand, card))  # type: ignore[arg-type]
    tell("terminal", 12_000, ev.ResultCalled(1, outcome="P"))
    tell("chips", 16_000, ev.BetPaid(1, 1, 500), way[1])
    tell("terminal", 20_000, ev.CoupClosed(1))
    return felt.shoe


def judged(shoe: Shoe) -> tuple[set[str], list[str]]:
    """What is found, and why the rule of late bets could not judge."""
    audit = audit_shoe(shoe)
    (verdict,) = [each for each in audit.verdicts if each.code == LATE]
    return {each.code for each in audit.findings}, list(verdict.reasons)


AHEAD = "one of the clocks is ahead of the log's, two devices, tolerance 250 ms"
DOUBTFUL = [f"the order of the bet and of the call of no more bets is doubtful: {AHEAD}"]


def test_a_bet_in_time_by_a_clock_that_is_ahead_is_not_said_to_be_late():
    """It came 500 ms before the call. Its device's clock, 1500 ms ahead, says 1000 ms behind."""
    assert judged(coup(1500, -500)) == (set(), DOUBTFUL)


def test_one_event_that_came_at_once_shows_the_clock_for_those_that_took_their_time():
    """The bet took 1600 ms, so that the log had it behind its clock; the payment took 10 ms."""
    assert judged(coup(1500, -500, way=(1600, 10))) == (set(), DOUBTFUL)
    # where all of them took as long nobody can know of it: what audit.md says of a wrong clock
    assert judged(coup(1500, -500, way=(1600, 1600))) == ({LATE}, [])


def test_a_call_by_a_clock_that_is_ahead_clears_no_late_bet():
    """The bet came 500 ms behind the call, and by the clocks 1000 ms before it."""
    assert judged(coup(0, 500, terminal=1500)) == (set(), DOUBTFUL)


@pytest.mark.parametrize("bet", [2000, 4000])
def test_a_bet_that_is_late_by_more_than_the_clock_is_ahead_is_late(bet):
    assert judged(coup(1500, bet)) == ({LATE}, [])


@pytest.mark.parametrize("ahead", [-1500, -200, 0, 260])
def test_a_clock_that_is_behind_or_ahead_within_the_tolerance_is_believed(ahead):
    """The log had its events 10 ms later: 260 ms ahead is 250 by the log."""
    assert judged(coup(ahead, 2000)) == ({LATE}, [])
    assert judged(coup(ahead, 300 - min(ahead, 0)))[0] == {LATE}
    assert judged(coup(ahead, -600)) == (set(), [])


def test_one_millisecond_more_and_it_is_not():
    assert judged(coup(261, 100)) == (set(), DOUBTFUL)
    assert judged(coup(260, 100)) == ({LATE}, [])


def test_who_follows_hears_of_no_late_bet_before_the_chip_reader_has_spoken_again():
    """The bet took 1600 ms, and is late by its clock; the payment shows that the clock is ahead."""
    shoe = coup(1500, -500, way=(1600, 10))
    live = LiveAudit(Shoe(shoe.stream))
    told, doubts = [], []
    for event in shoe.history:
        live.add(event)
        told += [(each.told, each.finding.code) for each in live.changes()]
        doubts += [each.code for each in live.in_doubt]
    assert told == []
    assert LATE in doubts


def test_all_that_a_clock_told_may_have_come_earlier_by_as_much_as_it_was_ahead():
    clocks = Clocks(tolerance_ms=250, jump_ms=2000)

    def spans(*recorded_ms: int) -> list[Span]:
        events = [
            RecordedEvent(
                n,
                "shoe/H-1",
                n,
                1_000_000 * n,
                1000 * ms,
                "",
                "chips",
                n,
                ev.CoupClosed(n),
                position=n,
            )
            for n, ms in enumerate(recorded_ms, 1)
        ]
        return spans_of(events, clocks)

    # 250 ms ahead at the second: believed; 251: each of them 251 ms earlier, or not
    assert spans(1500, 1750, 3500) == [Span(10**6 * n, 10**6 * n) for n in (1, 2, 3)]
    assert spans(1500, 1749, 3500) == [Span(10**6 * n - 251_000, 10**6 * n) for n in (1, 2, 3)]
