"""Reports on one patron and on one finding, compared with the events."""

from collections import Counter
from functools import lru_cache

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import name_of
from sabot.domain.protection.detection.follower import Follower
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.reporting.case_file import (
    OnRecord,
    Recorder,
    case_of,
    cases_of,
    settled_money,
)
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.state.shoe import fold
from sabot.domain.values.cards import VALUE
from sabot.infrastructure.reports.detection_case import detection_case
from sabot.infrastructure.reports.incident import Incident, incident
from sabot.infrastructure.reports.model import Curve, Money, Pictures
from tests.support.report_records import dealt, records, records_of, replaced, table_named
from tests.support.simulated_shoes import HONEST, sorter, streams
from tests.support.thorough import slow


@lru_cache(maxsize=1)
def sorted_shoe():
    """The events of a shoe at which one patron sorts, and the report of it."""
    cheat = msgspec.structs.replace(sorter(1.0), name="cheat")
    (events,) = streams((*HONEST[:2], cheat), 1)
    follower = Follower(Plan())
    follower.take(list(events))
    found = build_report(follower.kept.state, follower.tests())
    recorder = Recorder(wanted := cases_of(follower.kept.state, found.findings, "cheat"))
    again = Follower(Plan(), listen=recorder.hear)
    again.take(list(events))
    shoe = fold(events[0].stream, events)
    settled = settled_money((shoe, coup) for coup in shoe.coups.values())
    state, findings = again.kept.state, found.findings
    cases = [case_of(state, key, recorder, findings, OnRecord(events, settled)) for key in wanted]
    shown = [each for each in found.findings if each.subject == {"patron": "cheat"}]
    return events, detection_case(found, shown, cases)


@slow
def test_the_bets_against_the_first_card_are_those_of_the_events():
    events, report = sorted_shoe()
    sides, first = {}, {}
    for payload in (event.payload for event in events):
        if isinstance(payload, ev.BetPlaced | ev.BetCarried) and payload.patron == "cheat":
            if payload.wager in {"player", "banker"}:
                sides[payload.coup] = payload.wager
        elif isinstance(payload, ev.CardDrawn):
            first.setdefault(payload.coup, VALUE[payload.card])
    counted = Counter((side.capitalize(), first[coup]) for coup, side in sides.items())
    rows = records(table_named(report, "cards-cheat"))
    shown = Counter({
        (row["side"], value): row[f"card_{value}"] for row in rows for value in range(10)
    })  # fmt: skip
    assert +shown == counted
    # who sorts is on Player before a 6 to 9 and on Banker before the others
    assert {value for side, value in counted if side == "Player"} == {6, 7, 8, 9}


@slow
def test_the_evidence_is_drawn_to_its_first_alarm():
    _, report = sorted_shoe()
    curve = next(each for each in report.sections if isinstance(each, Curve))
    assert curve.alarm is not None
    assert curve.values[curve.alarm - 1] >= curve.level
    assert max(curve.values[: curve.alarm - 1]) < curve.level
    assert curve.level == pytest.approx(3)


def test_an_incident_has_the_coup_its_events_and_its_money():
    """Coup 2's first payment is 7.00 too much."""

    def change(payload):
        if type(payload) is ev.BetPaid and payload.coup == paid.coup and payload.bet == paid.bet:
            return ev.BetPaid(payload.coup, payload.bet, payload.amount + 700)
        return None

    events = dealt(("super-6", 8), coups=6)
    paid = next(event.payload for event in events if type(event.payload) is ev.BetPaid)
    (shoe,) = records_of(changed := replaced(events, change)).shoes
    (finding,) = (each for each in audit_shoe(shoe).findings if each.coup == paid.coup)
    of_coup = [event for event in changed if getattr(event.payload, "coup", None) == paid.coup]
    report = incident(
        Incident(finding, shoe=shoe, events=of_coup), lambda event: name_of(event.payload)
    )
    rows = records(table_named(report, "events"))
    assert [row["index"] for row in rows] == [event.index for event in of_coup]
    assert [row["index"] for row in rows if row["evidence"]] == sorted(finding.events)
    figures = dict(report.sections[0].figures)
    assert figures["house"] == Money(-700, "EUR")
    pictures = next(each for each in report.sections if isinstance(each, Pictures))
    assert [card.card for card in pictures.pictures[0].coup.player.cards] == [
        event.payload.card
        for event in of_coup
        if type(event.payload) is ev.CardDrawn and event.payload.hand == "player"
    ]
    assert table_named(report, "reviews").empty == "Nobody has reviewed the finding."
