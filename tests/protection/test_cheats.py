"""Cheats of every kind and honest patrons, from `sabot simulate` to detection.

Each row is a lineup beside two honest patrons, how many shoes are dealt, and what is to be found:
tests, each with the subject on whom it falls.
"""

import pytest

from sabot.domain.protection.detection.follower import Scope
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.money.information_value import by_first_card
from sabot.domain.simulation import Session, deal_shoe, draft_of, parse_lineup
from sabot.domain.simulation.cheats.knowledge import SORTED
from sabot.domain.simulation.patrons.patron_spec import HABITS
from sabot.infrastructure.detection.detect_run import Asked, look
from sabot.infrastructure.log.event_log import EventLog
from sabot.infrastructure.rule_packs import pack_text
from tests.support.thorough import FULL, a_part, slow

FRESH = (128, *(32,) * 9)
BACKS = ("backs-against-rank", "table")
SCHEMES = {
    "edge-sorter:accuracy=0.9": (1, [("next-card", "edge-sorter-1"), BACKS]),
    "edge-sorter:values=789:camouflage=0.25": (2, [("next-card", "edge-sorter-1"), BACKS]),
    "edge-sorter:works=0.5:spread=5": (2, [("next-card", "edge-sorter-1"), BACKS]),
    "spotter,edge-sorter:2:silent=1:relay=1": (
        3,
        [("next-card", "edge-sorter-1"), ("next-card", "edge-sorter-2")],
    ),
    "marked-cards:camouflage=0.25": (2, [("next-card", "marked-cards-1")]),
    "first-card-peek:accuracy=0.9": (1, [("next-card", "first-card-peek-1")]),
    "four-reader": (2, [("next-card", "four-reader-1"), BACKS]),
    "slug-tracker:cards=80": (2, [("order-of-the-shoe", "table")]),
    "unshuffled": (2, [("whole-coup", "unshuffled-1"), ("order-of-the-shoe", "table")]),
    "cooler": (4, [("whole-coup", "cooler-1"), ("order-of-the-shoe", "table")]),
    "cutter": (3, [("whole-coup", "cutter-1")]),
    "insider:accuracy=0.8": (1, [("whole-coup", "insider-1")]),
    "late-mover": (3, [("late-bets", "late-mover-1"), ("late-change", "late-mover-1")]),
    "capper:share=0.2": (2, [("late-bets", "capper-1")]),
    "friend:share=0.3": (2, [("payments-cluster", "friend-1")]),
}


def detected(folder, lineup, shoes, seed, dealers=()):
    """Deal shoes into a log of their own. Return what is found in it."""
    session = Session(
        pack=pack_text("classic-8"), decks=8, table="T1", patrons=parse_lineup(lineup, 14),
        start_us=1_800_000_000_000_000, seed=seed, dealers=dealers,
    )  # fmt: skip
    with EventLog.open(str(folder / "sabot.db")) as log:
        last = 0
        for number in range(1, shoes + 1):
            receipts = log.append([draft_of(event) for event in deal_shoe(session, number)])
            last = receipts[-1].index
        return look(log, Asked(Plan(), Scope(), last)).report


def test_every_cheat_is_tried():
    tried = {group.split(":")[0] for lineup in SCHEMES for group in lineup.split(",")}
    assert tried == {kind.name for kind in HABITS.values() if kind.seen_by}


@slow
@pytest.mark.parametrize("lineup", a_part(SCHEMES, of=5))
def test_a_cheat_is_found_and_nobody_honest_by_himself(tmp_path, lineup):
    shoes, expected = SCHEMES[lineup]
    found = detected(tmp_path, f"flat,trend,{lineup}", shoes, "evening").findings
    subjects = {
        (finding.test, subject) for finding in found for subject in finding.subject.values()
    } | {(finding.test, kind) for finding in found for kind in finding.subject}
    assert set(expected) <= subjects
    assert all(finding.events for finding in found if finding.test == BACKS[0])
    alone = {finding.subject.get("patron") for finding in found} - {None}
    assert not alone & {"flat-1", "trend-1"}


@slow
def test_a_sorter_of_stated_accuracy_is_found_in_time(tmp_path):
    """Of 1,000 runs at accuracy 0.9, alarm came after 30 coups on average, 51 in 19 of 20."""
    cards = [(value in SORTED, each) for value, each in enumerate(by_first_card(FRESH))]
    right = sum(chance * (player if high else banker) for high, (chance, player, banker) in cards)
    wrong = sum(chance * (banker if high else player) for high, (chance, player, banker) in cards)
    edge = (9 * right + wrong) / 10
    alarms = []
    seeds = 6 if FULL else 3
    for seed in range(seeds):
        folder = tmp_path / str(seed)
        folder.mkdir()
        report = detected(folder, "flat,edge-sorter:accuracy=0.9", 1, str(seed))
        (finding,) = (f for f in report.findings if f.subject == {"patron": "edge-sorter-1"})
        alarms.append(finding.first_alarm_coup)
        low, high = finding.interval
        assert low < edge < high
    assert max(alarms) < 81
    assert sorted(alarms)[seeds // 2] < 51


@slow
def test_a_friend_is_found_under_the_dealer_who_favours_him(tmp_path):
    lineup = "flat,trend,martingale,friend:share=0.4:dealer=ben"
    report = detected(tmp_path, lineup, 2, "evening", ("anna", "ben"))
    (finding,) = report.findings
    assert (finding.test, finding.subject) == (
        "payments-cluster",
        {"patron": "friend-1", "dealer": "ben"},
    )


@slow
@pytest.mark.parametrize("seed", ["monday", "wednesday"] if FULL else ["monday"])
def test_honest_evenings_have_no_finding(tmp_path, seed):
    honest = [kind.name for kind in HABITS.values() if not kind.seen_by]
    report = detected(tmp_path, ",".join(honest), 2, seed, ("anna", "ben"))
    assert report.findings == []
    assert report.subjects > len(honest)
