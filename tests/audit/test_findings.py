"""The people, time, money and name of a finding."""

import hashlib
import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_part, audit_shoe
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.state.shoe import fold
from sabot.infrastructure.rule_packs import pack_text
from tests.support import any_events
from tests.support.audited import only
from tests.support.coup_notation import START_US, Felt, shoe_of

CREW = (ev.Crew("caller", "ann"), ev.Crew("supervisor", "sue"))


# -- Who answers for it: who stood there when the rule was broken ---------------------------------


@pytest.mark.parametrize(
    ("line", "relieved"),
    [
        ("p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 900", ev.ResultCalled),
        ("p1 player 500 | P 4 5  B K 8 | P 9-8 | -", ev.ResultCalled),
        ("p1 player 500 | P 4 5  B K 8 | B 9-8 | 1 pay 500", ev.NoMoreBets),
        ("p1 player 500 | P 2 3  B K 7 | B 5-7 | 1 take 500", ev.NoMoreBets),
    ],
)
def test_who_relieved_the_dealer_before_the_breach_answers_for_it(line, relieved) -> None:
    """A payment, a bet left there, a call and a stand go wrong, each as the only breach."""
    crew = (ev.Crew("dealer", "ann"), ev.Crew("supervisor", "sue"))
    felt = Felt("mini", crew=crew).ready().coup(line)
    payloads: list[ev.Event] = []
    for payload in felt.payloads[1:]:
        payloads.append(payload)
        if isinstance(payload, relieved):
            payloads += [ev.CrewChanged("dealer", "zoe"), ev.CrewChanged("supervisor", "sid")]
    (found,) = audit_shoe(Felt("mini", crew=crew).put(*payloads).shoe).findings
    assert (found.dealer, found.supervisor) == ("zoe", "sid")


# -- Money: each amount worked out by hand ------------------------------------------------------


def test_what_moves_no_money_says_so() -> None:
    felt = Felt(limits=(ev.Limit(100, 500),)).ready().coup("p1 player 900 | P 4 5  B K 8")
    effect = only(felt, "bet-outside-limits").money
    assert (effect.house, effect.patron) == (None, None)
    assert effect.unknown


# -- Who, and when ------------------------------------------------------------------------------


def test_the_crew_is_that_of_the_moment() -> None:
    felt = Felt(crew=CREW).ready().coup("P 2 4 K  B 3 4")
    felt.put(ev.CrewChanged("dealer", "dan"), ev.CrewChanged("supervisor", None))
    felt.coup("P 2 4 K  B 3 4")
    felt.put(ev.CrewChanged("dealer", "eve"), ev.CrewChanged("supervisor", "sid"))
    first, second = audit_shoe(felt.shoe).findings
    assert (first.coup, first.dealer, first.supervisor) == (1, "ann", "sue")
    assert (second.coup, second.dealer, second.supervisor) == (2, "dan", None)


def test_a_crew_that_was_corrected_is_the_crew_that_was_there() -> None:
    felt = Felt(crew=CREW).ready().put(ev.CrewChanged("caller", "dan"))
    wrong = felt.shoe.version
    felt.coup("P 2 4 K  B 3 4").put(
        ev.EventCorrected(wrong, "misread", instead=ev.CrewChanged("caller", "eve"))
    )
    assert only(felt, "player-drew-against-table").dealer == "eve"


def test_the_time_is_the_tables_or_else_the_logs() -> None:
    felt = Felt().ready().coup("P 2 4 K  B 3 4")
    found = only(felt, "player-drew-against-table")
    (index,) = found.events
    assert (found.at_us, found.clock) == (START_US + index * 1_000_000, "table")
    assert found.at == f"2026-01-01T20:00:{index:02d}Z"
    unclocked = [msgspec.structs.replace(e, at_us=None, recorded_us=7) for e in felt.events]
    (found,) = audit_shoe(fold("shoe/test", unclocked)).findings
    assert (found.at, found.at_us, found.clock) == ("1970-01-01T00:00:00.000007Z", 7, "recorded")


def test_what_is_done_to_the_stake_later_settles_no_bet() -> None:
    """A winner is overpaid, and then stakes more for the next coup: the payment was wrong."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    paid = felt.put(ev.BetPaid(1, 1, 900)).events[-1]
    felt.put(ev.BetChanged(1, 1, 600), ev.CoupClosed(1))
    assert only(felt, "wrong-payout").at_us == paid.at_us


@pytest.mark.parametrize(
    ("code", "kind"),
    [("bet-outside-limits", ev.BetChanged), ("unclosed-coup", ev.CoupOpened)],
)
def test_a_breach_is_of_the_moment_in_which_it_was_done(code, kind) -> None:
    """A stake is raised beyond the limit; the next coup is opened before this one is closed."""
    felt = Felt(limits=(ev.Limit(100, 500),)).ready().put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 300), ev.BetChanged(1, 1, 900), ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 900))
    felt.put(ev.CoupOpened(2))
    last = [event for event in felt.events if isinstance(event.payload, kind)][-1]
    assert only(felt, code).at_us == last.at_us


# -- The fingerprint ----------------------------------------------------------------------------


def prints(events: list[RecordedEvent], stream: str = "shoe/test") -> dict[str, int | None]:
    """Fingerprints of all that is found, with their coups; none stands twice."""
    found = audit_shoe(fold(stream, events)).findings
    marks = {each.fingerprint: each.coup for each in found}
    assert len(marks) == len(found)
    return marks


def faulty() -> Felt:
    """Coups with several breaches, some of them alike."""
    felt = Felt(crew=CREW).ready()
    felt.coup("p1 player 500, p2 player 500 | P 4 4  B K 9 | B | 1 push, 2 push")
    felt.coup("p1 tie 500 | P 2 4 K 2 3  B 3 4 | P 1-9 | 1 pay 1")
    return felt.coup("p1 player 500, p1 player 500 | P 4 4  B K 9 | B | 1 push, 2 push")


def test_a_breach_has_one_fingerprint_wherever_it_is_recorded() -> None:
    events = faulty().events
    there = [
        msgspec.structs.replace(
            event, index=event.index * 3 + 90, at_us=None, recorded_us=event.index,
            actor="x", device="y", seq=None, event_id=str(event.index),
        )
        for event in events
    ]  # fmt: skip
    assert prints(events) == prints(there)
    assert len(prints(events)) > 6


def test_a_breach_keeps_its_fingerprint_while_the_shoe_goes_on() -> None:
    """What is found after any event is known by the same name at the end."""
    events = faulty().events
    last = prints(events)
    for cut in range(1, len(events)):
        assert prints(events[:cut]).keys() <= last.keys()


def test_a_breach_keeps_its_fingerprint_when_events_are_put_before_it() -> None:
    """The same coups after another preparation: versions differ, breaches do not."""
    more = Felt(crew=CREW).put(ev.CardsInspected("ann"), ev.CrewChanged("payer-1", "pam")).ready()
    felt = Felt(crew=CREW).ready()
    for table in (more, felt):
        table.coup("p1 player 500, p2 player 500 | P 4 4  B K 9 | B | 1 push, 2 push")
    assert prints(more.events) == prints(felt.events)


def test_a_mistake_mended_in_passing_keeps_the_name_of_another() -> None:
    felt = faulty()
    before = prints(felt.events)
    wrong = next(e for e in felt.events if isinstance(e.payload, ev.BetPushed))
    felt.put(ev.EventCorrected(wrong.version, "misread", instead=ev.BetTaken(1, 1, 500)))
    after = prints(felt.events)
    (added,) = after.keys() - before.keys()
    assert after[added] is not None
    assert len(before.keys() - after.keys()) == 1


def test_another_shoe_coup_or_rule_has_another_fingerprint() -> None:
    events = faulty().events
    other = [msgspec.structs.replace(event, stream="shoe/other") for event in events]
    assert not prints(events).keys() & prints(other, "shoe/other").keys()


def test_the_fingerprint_is_the_hash_that_is_documented() -> None:
    """Worked out with the standard library alone."""

    felt = Felt().ready().coup("P 2 4 K  B 3 4")
    text = json.dumps(
        ["sabot-finding/2", "player-drew-against-table", "test", 1, ["card", "player", 3], 1],
        separators=(",", ":"),
    )
    due = hashlib.sha256(text.encode()).hexdigest()
    assert only(felt, "player-drew-against-table").fingerprint == due


def test_the_first_keys_of_a_finding_are_those_of_the_first_release() -> None:
    felt = Felt().ready().coup("P 2 4 K  B 3 4")
    keys = list(msgspec.to_builtins(only(felt, "player-drew-against-table")))
    assert keys[:10] == [
        "code", "family", "severity", "shoe", "coup", "message", "required", "shown", "cites",
        "events",
    ]  # fmt: skip


@given(st.lists(any_events.payloads(), max_size=40))
def test_findings_of_any_history_are_told_apart_and_found_again(payloads: list[ev.Event]) -> None:
    shoe = shoe_of(payloads)
    audit = audit_shoe(shoe)
    marks = [found.fingerprint for found in audit.findings]
    assert len(set(marks)) == len(marks)
    assert audit_part(shoe, shoe.coups) == audit.findings
    assert msgspec.json.decode(msgspec.json.encode(audit.findings), type=list[Finding]) == (
        audit.findings
    )


@pytest.mark.parametrize("coup", [1, 2, 3])
def test_one_coup_looked_at_again_says_the_same_of_it(coup: int) -> None:
    shoe = faulty().shoe
    of_coup = [found for found in audit_shoe(shoe).findings if found.coup == coup]
    assert [found for found in audit_part(shoe, [coup]) if found.coup == coup] == of_coup


def test_amounts_are_told_in_the_packs_currency() -> None:
    paid = Felt().ready().coup("p1 tie 500 | P 4 5  B K 9 | T | 1 pay 125050")
    found = only(paid, "wrong-payout")
    assert found.message == "p1's 5.00 EUR on Tie: overpaid by 1,210.50 EUR"
    assert found.expected == "pay 40.00 EUR (Tie pays 8 to 1)"
    assert found.observed == "paid 1,250.50 EUR"
    yen = pack_text("classic-8").replace('currency = "EUR"', 'currency = "JPY"')
    yen = yen.replace("minor_units = 2", "minor_units = 0")
    staked = Felt(yen, limits=(ev.Limit(1000, 50_000),)).ready().coup("p1 tie 999 | P 4 5  B K 8")
    found = only(staked, "bet-outside-limits")
    assert (found.message, found.expected, found.observed) == (
        "p1's 999 JPY on Tie is below the minimum of 1,000 JPY",
        "1,000 JPY to 50,000 JPY",
        "999 JPY",
    )


def test_a_table_without_a_maximum_says_the_minimum_alone() -> None:
    felt = Felt(limits=(ev.Limit(1000, ev.MAX_INT),)).ready().coup("p1 tie 999 | P 4 5  B K 8")
    assert only(felt, "bet-outside-limits").expected == "10.00 EUR at least"
