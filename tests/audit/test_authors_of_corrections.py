"""A finding that only the corrected record gives says who corrected it, and in which event.

The original record of each shoe breaks no rule, and no money moves by the correction. The audit
cannot tell which record is right. So the correction is no finding of its own.
"""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.events import bank as bank_ev
from tests.support import bank_coups, tableaux_coups
from tests.support.coup_notation import Felt
from tests.support.floor_notation import Pit

NUMBERS = {rule.code: rule.number for rule in RULES}


def limits(least: int) -> ev.LimitsChanged:
    return ev.LimitsChanged((ev.Limit(least, 100_000, "player"),))


def two_coups() -> Felt:
    """100.00 on Player win, then 5.00."""
    felt = Felt().ready().put(limits(100)).coup("p1 player 10000 | P 4 5  B K 8")
    return felt.coup("p1 player 500 | P 4 5  B K 8")


def two_tableaux() -> Felt:
    """The right tableau has 9, and the left 6 against the banker's 7."""
    return tableaux_coups.play(tableaux_coups.table(), "p7 right 500, p5 left 500 | 3 6; 2 4; 6 A")


def chemin_de_fer() -> Felt:
    """p2 has the highest stake against p1's bank, and plays Player's hand."""
    return bank_coups.table().coup("p2 player 5000, p3 player 4000 | P 4 5  B K 8")


def correct(felt: Felt, kind: type[ev.Event], by: str = "sue", **to: object) -> tuple[int, int]:
    """Correct the first event of a kind. Return the numbers of event and correction."""
    was = next(each for each in felt.payloads if isinstance(each, kind))
    named = felt.payloads.index(was) + 1
    felt.put(ev.EventCorrected(named, "misread", by, replace(was, **to)))
    return named, len(felt.payloads)


@pytest.mark.parametrize(
    ("play", "kind", "to", "number"),
    [
        (two_coups, ev.ResultCalled, {"player": 7}, "C102"),
        (two_coups, ev.ResultCalled, {"outcome": "B"}, "C103"),
        (two_coups, ev.LimitsChanged, {"limits": limits(1000).limits}, "L201"),
        (two_tableaux, ev.CardDrawn, {"card": "2"}, "W516"),
        (chemin_de_fer, bank_ev.HandGiven, {"to": "p3"}, "T110"),
    ],
)
def test_a_right_thing_that_looks_wrong_by_a_correction_names_its_author(
    play: Callable[[], Felt], kind: type[ev.Event], to: dict[str, object], number: str
) -> None:
    felt = play()
    assert audit_shoe(felt.shoe).findings == []
    _, at = correct(felt, kind, **to)
    (found,) = audit_shoe(felt.shoe).findings
    assert NUMBERS[found.code] == number
    assert found.message.endswith(f" (only as corrected by sue in event {at})")
    assert found.events[-1] == at


def test_of_two_people_only_the_one_is_named_by_whose_correction_it_looks_wrong():
    felt = two_coups()
    correct(felt, ev.CardDrawn, by="bill", card="4d")
    _, at = correct(felt, ev.ResultCalled, player=7)
    (found,) = audit_shoe(felt.shoe).findings
    assert found.message.endswith(f" (only as corrected by sue in event {at})")


def test_a_finding_of_the_first_record_names_nobody():
    """Player's 9 is called 7. A correction of another card changes nothing of it."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 7, 8, "P"), ev.CoupClosed(1))
    correct(felt, ev.CardDrawn, card="4d")
    (found,) = audit_shoe(felt.shoe).findings
    assert "corrected" not in found.message


def test_a_correction_in_time_is_not_named():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"))
    correct(felt, ev.ResultCalled, player=7)
    (found,) = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    assert "corrected" not in found.message


def test_a_finding_beyond_a_shoe_that_a_correction_gives_names_its_author():
    """The table is closed. Dora's coming then becomes a second closing."""
    pit = Pit.of("""
        table T1 table-opened {"inventory": 1000}
        table T1 table-closed {"inventory": 1000}
        table T1 crew-changed {"post": "dealer", "person": "dora"}
        table T1 crew-changed {"post": "supervisor", "person": "sue"}
        table T1 fact-corrected {"version": 1, "reason": "unread", "by": "bill", "instead": {"type": "table-opened", "inventory": 900}}
    """)  # noqa: E501 - an event and what it corrects
    assert audit_floor(pit.floor()).findings == []
    pit.put("table/T1", ev.EventCorrected(3, "misread", "sue", ev.TableClosed(1000)))
    (found,) = audit_floor(pit.floor()).findings
    assert found.message.endswith(f" (only as corrected by sue in event {len(pit.events)})")
