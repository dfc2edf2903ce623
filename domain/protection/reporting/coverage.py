"""Coverage: how often each test was made, and why it was not made in other cases.

A test without data counts as not made, never as passed.
"""

from collections.abc import Iterable
from typing import Final

from msgspec import Struct

from sabot.domain.protection.e_process.coup_evidence import Evidence
from sabot.domain.protection.money.win_rate import MISSING

TESTS: Final[dict[str, str]] = {
    "next-card": "coup",
    "whole-coup": "coup",
    "first-four": "coup",
    "late-change": "coup",
    "late-bets": "coup",
    "order-of-the-shoe": "shoe",
    "backs-against-rank": "shoe",
    "backs-across-shoes": "batch",
    "payments-cluster": "pair",
    "side-bets": "shoe",
    "win-rate": "coup",
}
"""Every test and its unit of count (a pair is a dealer and a patron)."""


_OF_COUPS: Final = ("next-card", "whole-coup", "first-four", "late-change", "late-bets")


class Made(Struct):
    """The number of times that a test was made, and was not made, by reason."""

    times: int = 0
    lacked: dict[str, int] = {}

    def lack(self, why: str) -> None:
        """Count one case in which the test could not be made, with the reason."""
        self.lacked[why] = self.lacked.get(why, 0) + 1


Coverage = dict[str, Made]

NO_BETS: Final = "no bets in the record"
NO_MAIN_BETS: Final = "nobody bet on Player or Banker"
NOT_DOWN: Final = "the first four cards did not lie face down while bets were taken"
NO_CHANGE: Final = "no bet was changed after a face was shown"
FACE_UP: Final = "the first card lay face up in the shoe"
FACE_IN_SHOE: Final = "a card of the coup lay face up in the shoe"
NO_FIRST: Final = "the first card is not in the record"
UNORDERED: Final = "by the devices' clocks no bet was surely made before the cards were seen"


def cover_coup(coverage: Coverage, evidence: Evidence) -> None:
    """Count the tests that a coup allowed."""
    for test, why in _missing_inputs(evidence):
        made = coverage.setdefault(test, Made())
        if why:
            made.lack(why)
        else:
            made.times += 1


def _missing_inputs(evidence: Evidence) -> Iterable[tuple[str, str]]:
    """Yield a coup's tests, each with the reason against it.

    The reason is empty if the test could be made.
    """
    coup = evidence.coup
    no_bets = "" if any(coup.stakes.values()) else NO_BETS
    asked = {*coup.stakes, *(change.patron for change in coup.changes)}
    every = UNORDERED if asked and asked <= coup.unordered else "" if no_bets else coup.mixed
    if every:
        yield from ((test, every) for test in _OF_COUPS)
        return
    sides = any(on in ("player", "banker") for mine in coup.stakes.values() for on in mine)
    without = "" if sides else no_bets or NO_MAIN_BETS
    why = FACE_UP if evidence.first is not None and evidence.first.plain else NO_FIRST
    yield "next-card", without or ("" if evidence.card is not None else why)
    outcome = FACE_IN_SHOE if evidence.boxed else "" if evidence.outcome else MISSING
    yield "whole-coup", no_bets or outcome
    yield "first-four", no_bets or ("" if evidence.lead else NOT_DOWN)
    # a bet placed after a face is a change too
    late = "" if coup.changes else no_bets or NO_CHANGE
    yield "late-change", late or outcome
    yield "late-bets", late or outcome
    known = len(evidence.outcome) == 1 and evidence.came is not None
    yield "win-rate", without or ("" if known else MISSING)


def count_shoe_test(coverage: Coverage, test: str, why: str = "") -> None:
    """Count that a test of a shoe was made, or why not."""
    made = coverage.setdefault(test, Made())
    if why:
        made.lack(why)
    else:
        made.times += 1
