"""The case page: self-contained, safe for any text, with the right figures."""

import base64
import hashlib
import re
from functools import lru_cache
from html.parser import HTMLParser

import msgspec

from sabot.cli.console import printable
from sabot.domain import events as ev
from sabot.domain.events.points_in_time import format_time
from sabot.domain.protection.detection.follower import Follower
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.money.win_rate import MISSING
from sabot.domain.protection.reporting.case_file import (
    OnRecord,
    Recorder,
    by_first_card,
    case_of,
    cases_of,
    settled_money,
)
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.protection.shoe_tests.side_bets import SideBets, Spread
from sabot.domain.state.shoe import fold
from sabot.infrastructure.audits.audit_run import Provenance
from sabot.infrastructure.exports.case_page import CaseFile, case_page, money_row
from sabot.infrastructure.exports.charts import POINTS, thinned
from tests.support.simulated_shoes import HONEST, sorter, streams
from tests.support.thorough import slow

OF = Provenance("origin", 99, "sabot 0", "r" * 64, "s" * 64)
EVIL = "<script>alert(1)</script>\u202e"


@lru_cache(maxsize=2)
def told(name="cheat"):
    """What the engine says of two shoes, and the case of the one who sorts."""
    cheat = msgspec.structs.replace(sorter(1.0), name=name)
    events = [event for shoe in streams((*HONEST[:2], cheat), 2) for event in shoe]
    follower = Follower(Plan())
    follower.take(events)
    found = build_report(follower.kept.state, follower.tests())
    wanted = cases_of(follower.kept.state, found.findings, name)
    recorder = Recorder(wanted)
    again = Follower(Plan(), listen=recorder.hear)
    again.take(events)
    settled = settled_money(
        (shoe, coup) for shoe in shoes_of(events) for coup in shoe.coups.values()
    )
    state, findings = again.kept.state, found.findings
    cases = [case_of(state, key, recorder, findings, OnRecord(events, settled)) for key in wanted]
    return follower.kept.state, found, cases


def shoes_of(events):
    """The shoes of events, each folded from its own."""
    streams_of = dict.fromkeys(event.stream for event in events)
    return [fold(name, [one for one in events if one.stream == name]) for name in streams_of]


def page(name="cheat"):
    state, found, cases = told(name)
    bets = SideBets(name, "tie", Spread(3, 0.1, 0.02), Spread(9, -1.0, 0.3))
    file = CaseFile(found, found.findings, cases, [bets], state.wins, OF, "the whole log", name)
    return case_page(file, printable)


class Read(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.style, self.policy = [], set(), "", ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        given = dict(attrs)
        assert not {"style", "src", "href", "onload", "onclick"} & given.keys()
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy = given["content"]
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.handle_starttag(tag, attrs)
        self.open.pop()

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] == "style":
            self.style += data


@slow
def test_its_policy_lets_nothing_in_but_its_own_style():
    read = Read(page())
    digest = base64.b64encode(hashlib.sha256(read.style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in read.policy
    assert not {"script", "img", "link", "iframe"} & read.tags
    assert not re.search(r"url\(|@import|https?:", read.style)
    assert {"svg", "polyline", "circle"} <= read.tags


@slow
def test_names_are_text_and_never_markup():
    text = page(EVIL)
    assert "<script" not in text
    assert "\u202e" not in text
    assert "&lt;script&gt;" in text


@slow
def test_it_shows_what_the_engine_reckoned():
    state, _, (case,) = told()
    tally = state.patrons["cheat"].tally
    assert case.alarm is not None
    assert (case.alarm.shoe, case.alarm.coup) == (tally.alarm.shoe, tally.alarm.coup)
    assert len(case.steps) == tally.coups
    assert abs(sum(step.gained for step in case.steps) - case.steps[-1].log10_e) < 1e-9
    text = page()
    assert f"10^{case.steps[-1].log10_e:.1f}" in text
    assert f"at coup {case.alarm.coup} of shoe {case.alarm.shoe}" in text
    assert format_time(case.alarm.at_us // 1_000_000 * 1_000_000) in text
    cards = by_first_card(case.steps)
    assert sum(cards["Player"][:6]) == sum(cards["Banker"][6:]) == 0


@slow
def test_the_money_is_that_of_the_bets_that_were_settled():
    """A sorter who was dealt whole shoes: what he won is what the record says he won."""
    _, _, (case,) = told()
    (money,) = case.money
    staked = sum(
        abs(step.stakes.get("player", 0) - step.stakes.get("banker", 0)) for step in case.steps
    )
    assert money.staked == staked
    assert money.expected < 0 < money.worth
    assert money.worth_least < money.worth < money.worth_most


def test_the_whole_result_stands_beside_the_bets_that_are_compared():
    """A missing card leaves out the coups after it, but not their money."""
    events = [event for shoe in streams((*HONEST[:1], sorter(1.0)), 1) for event in shoe]
    drawn = [event for event in events if type(event.payload) is ev.CardDrawn]
    lost = drawn[len(drawn) // 2]
    kept = [event for event in events if event is not lost]
    (shoe,) = shoes_of(kept)
    name = next(one.patron for one in shoe.coups[1].bets.values() if one.patron != HONEST[0].name)
    follower = Follower(Plan())
    follower.take(kept)
    state = follower.look()
    recorder = Recorder({("patron", name): (name,)})
    settled = settled_money((shoe, coup) for coup in shoe.coups.values())
    (money,) = case_of(state, ("patron", name), recorder, [], OnRecord([], settled)).money
    bets = [
        bet
        for coup in shoe.coups.values()
        for bet in coup.bets.values()
        if bet.patron == name and not bet.withdrawn
    ]
    assert money.all_bets == len(bets)
    assert money.result == sum(bet.paid - bet.taken - bet.commission for bet in bets)
    assert MISSING in money.left_out
    assert money.bets + sum(money.left_out.values()) <= len(bets)
    row = money_row(money)
    assert row["left_out"].endswith(f"{money.left_out[MISSING]} left out: {MISSING}")


@slow
def test_requests_before_the_alarm_are_marked():
    _, _, (case,) = told()
    asked = [one for one in case.noted if one.who == "cheat" and "asked" in one.what]
    assert asked
    assert all(one.before_alarm == (one.event < case.alarm.event) for one in asked)
    assert any(one.before_alarm for one in asked)
    assert any(not one.before_alarm for one in asked)


@slow
def test_a_long_line_keeps_its_peaks():
    _, _, (case,) = told()
    steps = [
        msgspec.structs.replace(case.steps[0], coup=n, log10_e=(9.0 if n == 4321 else n % 7 / 10))
        for n in range(1, 9001)
    ]
    points = thinned(steps)
    assert len(points) <= POINTS + 2
    assert (4321, 9.0) in points
    assert points[0] == (0, 0.0)
    assert points[-1] == (9000, steps[-1].log10_e)
