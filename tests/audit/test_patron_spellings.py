"""A patron is one person, however the name is spelled.

Case, character width and spaces differ between the devices of a table.
"""

import re

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.live import LiveAudit
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt, shoe_of
from tests.support.floor_notation import Pit
from tests.support.rule_examples import deal
from tests.support.thorough import slow

_NAME = re.compile(r'"(patron|by|to|cutter|banked)":"(?!player"|banker"|house")([a-z]+[0-9]*)"')


def respelled(shoe: Shoe) -> Shoe:
    """Every second event of a shoe has its names in capital letters, behind a space."""
    spelled = []
    for nth, payload in enumerate(event.payload for event in shoe.history):
        text = msgspec.json.encode(payload).decode()
        if nth % 2:
            text = _NAME.sub(lambda found: f'"{found[1]}":" {found[2].upper()}"', text)
        spelled.append(msgspec.json.decode(text, type=ev.Event))
    return shoe_of(spelled)


def found_in(shoe: Shoe) -> list[tuple[str, int | None, int | None, str]]:
    found = audit_shoe(shoe).findings
    return sorted((each.code, each.coup, each.money.house, each.severity) for each in found)


@slow
@pytest.mark.parametrize("kept", [False, True])
def test_every_example_has_the_same_findings_if_names_are_spelled_otherwise(kept):
    others = []
    for rule in RULES:
        if rule.looks_at in ("shoe", "coup", "correction"):
            shoe = shoe_of(
                event.payload for event in deal(rule.keeps if kept else rule.breaks).history
            )
            again = respelled(shoe)
            others += [again.history != shoe.history]
            assert (rule.code, found_in(again)) == (rule.code, found_in(shoe))
    assert sum(others) > len(others) / 2


def left_and_bet(*names: str) -> Felt:
    """A patron sits down, leaves and bets 5.00 on Player, who wins 9 to 8."""
    sat, left, bet = names
    felt = Felt().ready(cutter="eve")
    return felt.put(ev.PatronSeated(1, sat), ev.PatronLeft(left)).coup(
        f"{bet} player 500 | P 4 5  B K 8"
    )


@pytest.mark.parametrize("names", [("P1", "P1", "p1"), ("p1", "P1", "p1"), ("ｐ１", "P1", "p1")])  # noqa: RUF001 - letters of full width
def test_a_patron_who_left_bets_under_another_spelling(names):
    felt = left_and_bet(*names)
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.number, found.patron, found.money.house) == ("B215", names[0], -500)
    live = LiveAudit(Shoe(felt.shoe.stream))
    for event in felt.events:
        live.add(event)
        live.changes()
    assert [each.fingerprint for each in live.standing.findings] == [found.fingerprint]


def test_a_patron_who_came_back_under_another_spelling_bets():
    felt = (
        Felt().ready().put(ev.PatronSeated(1, "p1"), ev.PatronLeft("P1"), ev.PatronSeated(2, "P1"))
    )
    assert found_in(felt.coup("p1 player 500 | P 4 5  B K 8").shoe) == []


def test_commission_is_collected_under_another_spelling():
    felt = Felt().ready().coup("p1 banker 500 | P 4 4  B K 9 | B | 1 pay 500")
    assert found_in(felt.put(ev.CommissionCollected("P1", 25, 1, 1)).shoe) == []


@pytest.mark.parametrize(("to", "found"), [("P1", []), ("p2", ["F609"])])
def test_an_abandoned_bet_is_paid_to_its_owner_under_another_spelling(to, found):
    pit = Pit.of(
        f"""
        with abandoned_bets = "kept"
        shoe H-1 {{"table": "T1"}} open
        shoe H-1 bet-abandoned {{"coup": 1, "bet": 1}}
        table T1 abandoned-kept {{"slip": "A", "amount": 1000, "shoe": "H-1", "coup": 1, "bet": 1}}
        table T1 abandoned-claimed {{"slip": "A", "amount": 1000, "to": "{to}"}}
        """
    )
    assert [each.number for each in audit_floor(pit.floor()).findings] == found


def test_a_supervisor_of_an_open_table_watches_under_another_spelling():
    pit = Pit.of(
        """
        with custody.free_supervisor = true
        table T1 table-opened {"inventory": 1, "crew": [{"post": "supervisor", "person": "Sue"}]}
        +1h
        cards B-1 cards-preshuffled {"by": "dora", "supervisor": "sue"}
        shoe H-1 {"batch": "B-1"}
        """
    )
    assert "M611" in [each.number for each in audit_floor(pit.floor()).findings]
