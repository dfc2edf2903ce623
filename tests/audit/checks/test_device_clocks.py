"""The rules of `checks/device_clocks.py`: breaches, near misses, and legal cases."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.audits.audit_run import load_shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt
from tests.support.device_records import (
    CARDS,
    device_shoe,
    verdict_on,
)
from tests.support.rule_cases import Case, checks_of
from tests.support.thorough import one_store, slow

pytestmark = one_store


def clocks(*at_ms: int, recorded_ms: int = 0) -> Shoe:
    """A chip reader tells of two seats. A clock has jumped from two seconds on."""
    pack = pack_text("classic-8") + "\n[clocks]\ntolerance_ms = 250\njump_ms = 2000\n"
    felt = Felt(pack).ready()
    for seat, at in enumerate(at_ms, 1):
        felt.tell("chips", at, ev.PatronSeated(seat, f"p{seat}"), recorded_ms=recorded_ms)
    return felt.shoe


def ahead(days: int) -> Shoe:
    """Without a tolerance for clocks, a seat is told with a time so many days ahead of the log."""
    felt = Felt().ready()
    at_ms = 86_400_000 * days
    felt.tell("chips", at_ms, ev.PatronSeated(1, "p1"), recorded_ms=20_000)
    felt.tell("chips", at_ms + 1000, ev.PatronSeated(2, "p2"), recorded_ms=20_000)
    return felt.shoe


def back(seconds: int) -> Shoe:
    """Without a tolerance for clocks, the second of three seats is told with an earlier time."""
    felt = Felt().ready()
    for seat, at in enumerate((3600, 3600 - seconds, 3602), 1):
        told = ev.PatronSeated(seat, f"p{seat}")
        felt.tell("chips", 1000 * at, told, recorded_ms=3_600_000)
    return felt.shoe


def numbers(*seqs: int) -> Shoe:
    """A chip reader tells of seats under these numbers."""
    felt = Felt().ready()
    for seq in seqs:
        felt.tell("chips", 20_000 + seq, ev.PatronSeated(seq, f"p{seq}"), seq=seq)
    return felt.shoe


CASES = (
    Case("clock-jump", None, lambda: clocks(20_000, 17_999), lambda: clocks(20_000, 18_000)),
    Case(
        "clock-jump",
        None,
        lambda: clocks(22_001, 23_000, recorded_ms=20_000),
        lambda: clocks(22_000, 22_000, recorded_ms=20_000),
    ),
    Case("clock-jump", None, lambda: ahead(366), lambda: ahead(364)),
    Case("clock-jump", None, lambda: back(1800), lambda: back(60)),
    Case("device-number-gap", None, lambda: numbers(1, 3), lambda: numbers(1, 3, 2)),
    # the numbers of two devices run on from each other: a's 2 stands where d's 2 is missing
    Case(
        "device-number-gap",
        None,
        """
        bare
        told a 60 2 patron-seated {"seat": 2, "patron": "p2"}
        told d 61 3 patron-seated {"seat": 3, "patron": "p3"}
        """,
        """
        bare
        told a 60 2 patron-seated {"seat": 2, "patron": "p2"}
        told d 61 2 patron-seated {"seat": 3, "patron": "p3"}
        """,
    ),
)

test_a_breach_is_found_on_its_coup, test_a_near_miss_is_clean_and_was_looked_at = checks_of(CASES)


# -- The order as a whole --------------------------------------------------------------------------


@slow
@pytest.mark.parametrize("other", ["table/T1", "shoe/other"])
def test_a_number_given_in_another_stream_is_no_gap(log, other):
    from sabot.domain.events.envelope import NewEvent  # noqa: PLC0415

    seat = ev.PatronSeated(1, "p1")
    elsewhere = ev.ChipsBought("p1", 5) if other == "table/T1" else ev.PatronSeated(2, "p2")
    payloads = [
        ("shoe/h", seat, 1),
        (other, elsewhere, 2),
        ("shoe/h", seat, 3),
        ("shoe/h", seat, 5),
    ]
    log.append(
        [NewEvent(stream, payload, device="terminal", seq=seq) for stream, payload, seq in payloads]
    )
    code = "device-number-gap"
    (found,) = [x for x in audit_shoe(load_shoe(log, "shoe/h")).findings if x.code == code]
    assert found.message == "terminal: message 4 is missing"
    assert audit_shoe(load_shoe(log, "shoe/h", until=3)).findings == []
    # a later event of another stream changes nothing of what stood at an index
    log.append([NewEvent(other, elsewhere, device="terminal", seq=4)])
    assert audit_shoe(load_shoe(log, "shoe/h")).findings == []
    assert len(audit_shoe(load_shoe(log, "shoe/h", until=4)).findings) == 1


# -- Events of several devices ---------------------------------------------------------------------


AHEAD_ONCE = """
    terminal -20000 open
    chips -9000 bet player 500
    terminal -3000 limits 900
    terminal {ahead} limits 800
    terminal -1000 limits 700
    terminal 0 call
    reader 1000 P 4
    reader 2000 B K
    reader 3000 P 5
    reader 4000 B 8
    terminal 5000 result P
    chips {paid} pay 500
    terminal 7000 close
"""
"""A coup as three devices tell it; one clock is ahead at one event, and right at the next."""


def test_a_clock_that_was_ahead_once_orders_nothing_for_the_rest_of_the_shoe():
    shoe = device_shoe(AHEAD_ONCE.format(ahead=55_000, paid=6000))
    (found,) = audit_shoe(shoe).findings
    assert found.code == "clock-jump"
    early = device_shoe(AHEAD_ONCE.format(ahead=55_000, paid=4500))
    found_early, doubts = verdict_on(early, "settlement-before-result")
    assert found_early == 0
    assert "no usable clock" in next(iter(doubts))
    right = device_shoe(AHEAD_ONCE.format(ahead=-2000, paid=6000))
    assert audit_shoe(right).findings == []


def test_a_clock_that_came_back_may_have_been_set_back_so_that_neither_side_is_believed():
    """It is 20 seconds on, then 15 seconds back: ahead at the call, or slow since then?"""
    slow = CARDS.replace("terminal 5", "terminal -5").replace("terminal 7", "terminal -3")
    shoe = device_shoe(f"terminal -20000 open\nchips -9000 bet player 500\nterminal 0 call{slow}")
    (found,) = audit_shoe(shoe).findings
    assert found.code == "clock-jump"
    for code in ("card-before-bets-closed", "settlement-before-result"):
        assert "no usable clock" in next(iter(verdict_on(shoe, code)[1]))
