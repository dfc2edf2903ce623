"""Incomplete records: rules are applied where possible, and the report names the others."""

import random

import pytest
from msgspec.structs import replace

from benchmarks.audit_clean import block
from benchmarks.audit_clean import dealt as dealt_at
from benchmarks.audit_houses import houses
from benchmarks.audit_records import RECORDS
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.record import card_order_mismatch
from sabot.domain.audit.checks.third_card import OF_DRAWS
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.commitment import order_sha256
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from sabot.infrastructure.rule_packs import pack_text
from tests.faults import fault
from tests.support.audited import codes_and_coups, coups_alone, looked, skipped
from tests.support.coup_notation import Felt, loaded, shoe_of
from tests.support.for_each import for_each
from tests.support.thorough import slow

# -- Records of coups alone, which may lack anything (`ShoeLoaded.scope`) --------------------------


@pytest.mark.parametrize("lacks", [ev.CoupOpened, ev.BetPlaced, ev.CommissionCollected])
def test_nothing_follows_from_what_a_record_of_coups_lacks(lacks):
    assert codes_and_coups(coups_alone(lacks)) == []


def test_a_committed_order_is_not_compared_where_a_burn_may_be_missing():
    """The shoe began with a burned ace, which a record of coups alone need not have."""
    salt, order = "00" * 16, ("Ac", "2c", "4c", "Kc", "5c", "8c")
    hands = ("player", "banker", "player", "banker")
    dealt = [
        ev.CardDrawn(coup=1, hand=hand, card=card, place=place)
        for place, (hand, card) in enumerate(zip(hands, order[2:], strict=True), 3)
    ]
    committed = ev.OrderCommitted(sha256=order_sha256(salt, order), cards=len(order))
    opened = ev.OrderOpened(salt=salt, order=order)
    shoe = shoe_of([loaded(coverage="coups"), committed, *dealt, opened])
    assert codes_and_coups(shoe) == []
    assert skipped(shoe, code_of(card_order_mismatch)) != {}


def test_what_a_record_of_coups_holds_is_held_against_it():
    ghost = ("p1 banker 500 | P 4 4  B K 9 | B 8-9 | 1 pay 500, 1 collect 25, 2 pay 100",)
    assert codes_and_coups(coups_alone(coups=ghost)) == [("unmatched-event", 1)]
    assert skipped(coups_alone(ev.BetPlaced), "unmatched-event") != {}


# -- Cards and beginnings that nobody recorded ----------------------------------------------------


def begun_at(kind: type, nth: int, *more: ev.Event) -> Shoe:
    """A record of coups that begins with the nth event of a kind, in coup 3; coup 4 follows."""
    felt = Felt().ready().coup("p1 player 500, p2 tie 500 | P 2 A 4  B K 6", 3)
    felt.coup("p1 player 500 | P 4 5  B K 8")
    kinds = [place for place, payload in enumerate(felt.payloads) if isinstance(payload, kind)]
    return shoe_of([loaded(coverage="coups"), *felt.payloads[kinds[nth] :], *more])


STARTS_BEFORE_RECORD = "the record lacks the beginning of the coup"


@for_each(
    ("kind", "nth"),
    [
        *((ev.CardDrawn, nth) for nth in range(1, 5)),
        (ev.TotalsCalled, 0),
        (ev.ResultCalled, 0),
        (ev.BetTaken, 0),
        (ev.BetPaid, 0),
        (ev.CoupClosed, 0),
    ],
)
def test_a_record_that_begins_in_a_coup_holds_nothing_against_it(kind, nth):
    shoe = begun_at(kind, nth)
    assert codes_and_coups(shoe) == []
    assert skipped(shoe, "unmatched-event") == {STARTS_BEFORE_RECORD: 1}
    assert skipped(shoe, "player-stood-against-table") == {STARTS_BEFORE_RECORD: 1}
    assert looked(shoe, "player-stood-against-table") == 1


@pytest.mark.parametrize(
    ("kind", "nth"), [(ev.BetPlaced, 0), (ev.BetPlaced, 1), (ev.NoMoreBets, 0), (ev.CardDrawn, 0)]
)
def test_a_coup_that_is_not_seen_opened_is_judged_where_its_first_card_is_surely_there(kind, nth):
    """A bet or the call lies before it, or five cards begin in turn: six come at the most."""
    shoe = begun_at(kind, nth)
    assert codes_and_coups(shoe) == []
    assert skipped(shoe, "unmatched-event") == {STARTS_BEFORE_RECORD: 1}
    assert looked(shoe, "player-stood-against-table") == 2


def unopened(line: str, *, placed: bool) -> Shoe:
    """A record of coups without openings and calls of no more bets, from the first coup on."""
    felt = Felt(coverage="coups").ready().coup(line)
    payloads = [x for x in felt.payloads if not isinstance(x, (ev.CoupOpened, ev.NoMoreBets))]
    if not placed:
        payloads = [replace(x, place=None) if isinstance(x, ev.CardDrawn) else x for x in payloads]
        payloads = [x for x in payloads if not isinstance(x, ev.BetPlaced)]
    return shoe_of(payloads)


def test_the_first_coup_of_a_record_is_judged_as_any_other():
    wrong = "p1 player 500 | P 2 3  B K 7 | B 5-7 | 1 pay 900"
    found = ["losing-bet-not-taken", "player-stood-against-table"]
    assert sorted(code for code, _ in codes_and_coups(unopened(wrong, placed=True))) == found
    # four cards may be the last of six, where nothing lies before them and none tells its place
    bare = unopened(wrong, placed=False)
    assert codes_and_coups(bare) == []
    assert skipped(bare, "player-stood-against-table") == {STARTS_BEFORE_RECORD: 1}


def test_what_is_told_of_a_coup_before_the_record_has_its_ground_there():
    late = ev.CommissionCollected("p1", 25, 2, 1)
    shoe = begun_at(ev.CoupOpened, 0, late)
    assert codes_and_coups(shoe) == []
    assert skipped(shoe, "unmatched-event") == {STARTS_BEFORE_RECORD: 1}


def test_a_coup_within_the_record_needs_its_opening():
    shoe = begun_at(ev.NoMoreBets, 0, ev.BetPaid(5, 1, 500))
    assert codes_and_coups(shoe) == [("unmatched-event", 5)] * 2


@pytest.mark.parametrize("name", ["classic-8", "chemin-de-fer", "banque", "macao-old", "victoria"])
def test_a_coup_without_its_opening_is_in_play_until_it_is_closed(name):
    """Its next steps are not yet due: neither a third card nor a call, nor a settlement."""
    house = next(each for each in houses() if each.name == name)
    payloads = [event.payload for event in dealt_at(house, "begun", 1)]
    payloads = payloads[: payloads.index(ev.CoupClosed(2)) + 1]
    (begun,) = [
        place
        for place, each in enumerate(payloads)
        if isinstance(each, ev.CoupOpened) and each.coup == 2
    ]
    del payloads[begun]
    for end in range(begun + 1, len(payloads) + 1):
        found = codes_and_coups(shoe_of(payloads[:end]))
        assert found in ([], [("unmatched-event", 2)]), end


def test_a_bank_may_have_been_put_up_before_the_record():
    raised = bank_ev.BankRaised("p1", 50_000)
    posted = [bank_ev.BankPosted("p1", 50_000), ev.ShoePassed("p1", "chosen")]
    record = [loaded("chemin-de-fer", coverage="coups"), raised]
    code = ("unmatched-event", None)
    assert code not in codes_and_coups(shoe_of(record))
    assert code in codes_and_coups(shoe_of([*record, *posted, raised]))
    assert code in codes_and_coups(shoe_of([loaded("chemin-de-fer"), raised]))


def test_a_bet_told_twice_has_no_ground_where_the_record_begins_in_its_coup():
    payloads = [ev.BetPlaced(4, 1, "p1", "tie", 500), ev.BetPlaced(4, 1, "p1", "tie", 500)]
    shoe = shoe_of([loaded(coverage="coups"), *payloads, ev.NoMoreBets(4)])
    assert codes_and_coups(shoe) == [("unmatched-event", 4)]


# -- The middle of a shoe -------------------------------------------------------------------------


def dealt(*planted) -> list:
    plan = ShoePlan(stream="shoe/S-1", pack=pack_text("classic-8"), decks=8, start_us=10**15)
    lineup = parse_lineup("flat:side=player,tie-lover,flat:unit=5000", 9)
    return list(Dealer(plan, lineup, random.Random(4), planted).deal())


@pytest.mark.parametrize("record", RECORDS, ids=lambda record: record.name)
def test_a_wrong_stand_is_found_in_every_record_that_has_its_cards(record):
    stood = fault("banco-stood", 30)
    history = record.of(dealt(stood))
    found = codes_and_coups(fold("shoe/S-1", history))
    due = [] if record.name == "broken off" else [(stood.kind.codes[0], stood.coup)]
    assert found == due


def test_a_record_that_begins_in_the_middle_is_judged_coup_by_coup():
    begun = next(record for record in RECORDS if record.name == "begun late")
    shoe = fold("shoe/S-1", begun.of(dealt()))
    assert codes_and_coups(shoe) == []
    assert min(shoe.coups) == 20
    draws = [rule.code for rule in OF_DRAWS if rule.is_of("punto-banco")]
    assert {looked(shoe, code) for code in draws} == {len(shoe.coups)}
    unloaded = "the record does not begin with the loading of the shoe"
    for code in ("missing-shuffle", "missing-cut", "unreadable-rule-pack"):
        assert skipped(shoe, code) == {unloaded: 1}
    assert skipped(shoe, "card-count-mismatch") == {
        "the record does not say how many decks were loaded": 1
    }
    assert set(skipped(shoe, "wrong-payout")) <= {
        "the rule pack cannot be read",
        "the coup has no bets",
    }


def test_a_record_that_breaks_off_is_judged_up_to_there():
    broken = next(record for record in RECORDS if record.name == "broken off")
    shoe = fold("shoe/S-1", broken.of(dealt()))
    assert codes_and_coups(shoe) == []
    assert looked(shoe, "player-stood-against-table") == len(shoe.coups) - 1
    assert skipped(shoe, "card-count-mismatch") == {"the shoe has not ended": 1}
    assert skipped(shoe, "unfinished-coup-not-voided") == {
        "the shoe has not ended": len(shoe.coups)
    }


@slow
def test_clean_shoes_of_every_house_are_clean_in_every_record():
    tally = block(("a few", 1, 14, ""))
    assert tally.found == []
    assert tally.coups["whole"] > 600
    assert tally.coups["three devices"] > 100


def test_a_shoe_without_a_loading_is_not_judged_for_want_of_a_pack_and_not_of_a_word_in_it():
    felt = Felt().ready().coup("p1 player 500 | P 4 5  B K 8")
    reasons = {why for v in audit_shoe(shoe_of(felt.payloads[1:])).verdicts for why in v.reasons}
    assert "the rule pack cannot be read" in reasons
    assert [why for why in reasons if why.startswith("the pack ")] == []
