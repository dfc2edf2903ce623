"""Rules of care and conduct: money, packs without the rule, working days."""

import re
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import ShoeAudit, audit_shoe
from sabot.domain.audit.engine import FloorAudit
from sabot.domain.audit.rule import Rule
from sabot.domain.audit.rulebook import EXAMPLES, SHOE_RULES
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.preconditions import violation
from sabot.domain.procedure.seating import from_the_dealer, seats_at
from sabot.domain.rules.pack_sections import Approval
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import result_on
from tests.support.coup_notation import Felt
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.rule_examples import deal

IN_FULL = EXAMPLES["accepted-bet-reduced"]
CAPPED = EXAMPLES["excess-over-limit-not-returned"]


def why(audit: ShoeAudit | FloorAudit, code: str) -> list[str]:
    """Why a rule did not apply."""
    return next(list(verdict.reasons) for verdict in audit.verdicts if verdict.code == code)


def test_an_accepted_bet_that_was_paid_in_full_is_only_outside_the_limits() -> None:
    near = IN_FULL.replace('excess-returned {"coup": 1, "bet": 1, "amount": 100}\n', "")
    audit = audit_shoe(deal(near))
    assert [each.code for each in audit.findings] == ["bet-outside-limits"]
    assert result_on(audit, "accepted-bet-reduced") == "pass"


def test_what_was_cut_off_a_winning_bet_is_what_the_patron_lacks() -> None:
    """600 accepted, 100 given back, 500 paid at 1:1 where 600 were due."""
    money = {each.code: each.money for each in audit_shoe(deal(IN_FULL)).findings}
    cost = money["accepted-bet-reduced"]
    assert (cost.house, cost.patron) == (100, -100)


def test_a_bet_that_was_capped_is_only_outside_the_limits() -> None:
    back = 'excess-returned {"coup": 1, "bet": 1, "amount": 100}\n'
    near = IN_FULL.replace("in-full", "capped")
    assert back in near
    audit = audit_shoe(deal(near))
    assert [each.code for each in audit.findings] == ["bet-outside-limits"]
    assert result_on(audit, "excess-over-limit-not-returned") == "pass"


def test_what_was_paid_beyond_the_maximum_is_what_the_house_lacks() -> None:
    """600 on Player won 600, where 500 were in play."""
    money = {each.code: each.money for each in audit_shoe(deal(CAPPED)).findings}
    cost = money["excess-over-limit-not-returned"]
    assert (cost.house, cost.patron) == (-100, 100)


def is_optional(rule: Rule) -> bool:
    """Whether the example of a rule adds a key to the pack, and the rule needs what it says."""
    added = re.findall(r"^with (?:\w+\.)?([\w-]+) =", rule.breaks, re.MULTILINE)
    known = any(f"\n{key} =" in pack_text("classic-8") for key in added)
    return bool(added) and not known and any(need.about == "rules" for need in rule.needs)


@for_each("code", [rule.code for rule in SHOE_RULES if is_optional(rule)])
def test_a_rule_that_the_pack_leaves_unsaid_does_not_apply_and_says_so(code: str) -> None:
    steps = [line for line in EXAMPLES[code].splitlines() if not line.startswith("with ")]
    audit = audit_shoe(deal("\n".join(steps)))
    assert result_on(audit, code) == "not-applicable"
    assert all("the pack" in reason for reason in why(audit, code))


@pytest.mark.parametrize(("more", "expected"), [([], True), ([ev.CardsCleared(1)], False)])
def test_cards_lie_there_until_the_close_or_until_it_is_told(
    more: list[ev.Event], expected: bool
) -> None:
    """A winner is paid once the coup was closed: without the cards, unless they still lay there."""
    felt = Felt(Pit().pack + "\n[settling]\ncards_stay = true\n").ready()
    felt.coup("p1 player 500 | P 4 5  B K 8 | P 9-8 | -").put(ev.BetPaid(1, 1, 500), *more)
    codes = [each.code for each in audit_shoe(felt.shoe).findings]
    assert ("cards-cleared-before-settlement" in codes) is expected


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(0, 40), st.integers(0, 40))
def test_working_days_are_weekdays_that_are_no_holidays(first: date, days: int, off: int) -> None:
    last, holiday = first + timedelta(days), first + timedelta(off)
    expected = 0
    day = first + timedelta(1)
    while day < last:
        expected += day.strftime("%a") not in ("Sat", "Sun") and day != holiday
        day += timedelta(1)
    asked = Approval("DICJ", 3, holidays=(holiday.isoformat(),))
    assert asked.working_days_between(first, last) == expected


def test_a_table_of_fourteen_has_seven_seats_on_either_side() -> None:
    shoe = Felt().shoe
    assert [from_the_dealer(shoe, seat) for seat in (1, 7, 8, 14)] == [
        (0, 1),
        (0, 7),
        (1, 7),
        (1, 1),
    ]
    # one dealer pays all seven seats of a mini table
    mini = Felt("mini").shoe
    assert [from_the_dealer(mini, seat) for seat in (1, 4, 5, 7)] == [
        (0, 1),
        (0, 4),
        (0, 3),
        (0, 1),
    ]


def test_two_who_swap_their_seats_never_share_one() -> None:
    felt = Felt(Pit().pack.replace("[table]\n", "[table]\nper_seat = 1\n"))
    felt.put(ev.PatronSeated(2, "p2"), ev.PatronSeated(5, "p5"), ev.PatronMoved("p2", 5))
    assert seats_at(felt.shoe) == {2: ["p5"], 5: ["p2"]}
    assert audit_shoe(felt.shoe).findings == []


def test_the_dealer_gives_back_what_lies_above_the_maximum_and_no_more() -> None:
    felt = Felt(Pit().pack + '\n[limits]\naccepted = "capped"\n', limits=(ev.Limit(100, 500),))
    felt.ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 600), ev.NoMoreBets(1))
    assert violation(felt.shoe, bank_ev.ExcessReturned(1, 1, 100)) is None
    assert (
        violation(felt.shoe, bank_ev.ExcessReturned(1, 1, 101)) == "1.00 EUR is above the maximum"
    )
    silent = Felt(limits=(ev.Limit(100, 500),)).ready().put(ev.CoupOpened(1)).shoe
    said = "punto banco has no return of part of the bet; place your bets"
    assert violation(silent, bank_ev.ExcessReturned(1, 1, 100)) == said


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 3)), max_size=12))
def test_nobody_sits_in_two_places(moves: list[tuple[str, int]]) -> None:
    felt = Felt()
    place: dict[str, int] = {}
    for who, seat in moves:
        felt.put(ev.PatronSeated(seat, who) if seat else ev.PatronLeft(who))
        place[who] = seat
    seats = seats_at(felt.shoe)
    assert {who: seat for seat, many in seats.items() for who in many} == {
        who: seat for who, seat in place.items() if seat
    }


def test_hands_without_a_bet_that_nobody_calls_free_are_told_of():
    """A free hand has no wagers (DESPACHO_55_2004_PLAY). One without need not be meant so."""
    felt = Felt("macau").ready().coup("P 4 5  B K 8").coup("p1 player 500 | P 4 5  B K 8")
    (verdict,) = [v for v in audit_shoe(felt.shoe).verdicts if v.code == "late-free-hand"]
    assert verdict.reasons == {
        "the record does not say whether coups that were dealt without a bet were free hands": 1
    }
    felt = Felt("macau").ready().coup("p1 player 500 | P 4 5  B K 8")
    (verdict,) = [v for v in audit_shoe(felt.shoe).verdicts if v.code == "late-free-hand"]
    assert verdict.reasons == {"no free hand was dealt": 1}
