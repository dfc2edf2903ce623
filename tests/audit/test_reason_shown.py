"""A rule that was not applied to any shoe shows the reason of the shoe nearest to it."""

from collections import Counter

from sabot.domain.audit.report import RuleReport
from sabot.domain.timeline.evidence import Reason

NO_RATE = Reason("not-required", "the pack has no commission")
STAYED = Reason("nothing-to-check", "nobody left the table")
NO_SEATS = Reason("record-incomplete", "the record names no seats")


def test_an_event_that_did_not_happen_is_nearer_than_a_pack_that_asks_for_nothing():
    rule = RuleReport("commission-unpaid", not_applicable=Counter({NO_RATE: 9, STAYED: 2}))
    assert rule.main_reason == STAYED


def test_an_incomplete_record_is_nearer_than_an_event_that_did_not_happen():
    rule = RuleReport("commission-unpaid", not_applicable=Counter({STAYED: 9, NO_SEATS: 1}))
    assert rule.main_reason == NO_SEATS


def test_a_rule_that_was_applied_shows_no_reason():
    rule = RuleReport("commission-unpaid", checked=1, not_applicable=Counter({NO_RATE: 9}))
    assert rule.main_reason is None
