"""One fault of a shoe is one finding.

The amounts are worked out by hand beside each.
"""

from typing import get_args

import msgspec
import pytest

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.live import LiveAudit
from sabot.domain.audit.rule import ANY_RULE
from sabot.domain.events.shoe import BurnReason
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt, shoe_of
from tests.support.floor_notation import Pit
from tests.support.one_fault import DATA, Found, found_in, own_and_explained, recorded
from tests.support.rule_examples import deal

# -- A dealt card that is burned -------------------------------------------------------------------

TAKEN_OFF: Found = [("dealt-card-burned-without-ruling", 3, "ann", -19_500)]
"""Player's 9 ended the coup: ann's 100.00 on Banker were lost, and she was paid 95.00."""
RULED = ev.IrregularityNoted("card-exposed", "burn-card", 3, by="sue")


def with_burned(*before: ev.Event, **told: object) -> list[ev.Event]:
    """Player's 9 is taken off the layout and burned, and Player draws an ace instead."""
    events = recorded("dealt-card-burned")
    (at,) = [nth for nth, each in enumerate(events) if getattr(each, "reason", None) == "other"]
    burned = msgspec.structs.replace(events[at], **told)
    return [*events[:at], *before, burned, *events[at + 1 :]]


@pytest.mark.parametrize("coup", [3, None])
@pytest.mark.parametrize("reason", get_args(BurnReason))
def test_a_dealt_card_that_is_burned_is_one_finding(reason, coup):
    assert found_in(with_burned(reason=reason, coup=coup)) == TAKEN_OFF


@pytest.mark.parametrize("reason", get_args(BurnReason))
def test_a_dealt_card_that_is_burned_on_a_ruling_is_no_finding(reason):
    """Nor are the cards out of order that come instead."""
    assert found_in(with_burned(RULED, reason=reason)) == []


def test_a_card_that_comes_too_early_is_out_of_order_beside_a_burned_one():
    """Once Player's 9 is burned, Player is due a card. Banker draws it."""
    events = with_burned(RULED, reason="ruling")
    at = next(nth for nth, each in enumerate(events) if getattr(each, "place", None) == 17)
    drawn = msgspec.structs.replace(events[at], hand="banker")
    found = found_in([*events[:at], drawn, *events[at + 1 :]])
    assert "cards-out-of-order" in {code for code, *_ in found}


# -- Events of another game, a void without a witness, another currency ----------------------------


def test_a_shoe_in_another_currency_than_its_table_is_one_finding():
    pit = Pit()
    lines = (DATA / "table-in-another-currency.jsonl").read_text(encoding="utf-8").splitlines()
    for line in map(msgspec.json.decode, lines):
        pit.put(line["stream"], msgspec.convert(line["fact"], ev.Event))
    found = [*audit_floor(pit.floor()).findings]
    found += [each for shoe in pit.shoes() for each in audit_shoe(shoe).findings]
    assert [(each.code, each.message) for each in found] == [
        ("currency-of-another-table", "shoe y14 was played in USD at a table of EUR")
    ]


# -- A shoe that is followed -----------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(path.stem for path in DATA.iterdir()))
def test_a_follower_is_told_the_same(name):
    shoe = shoe_of(recorded(name))
    live = LiveAudit(Shoe(shoe.stream))
    for event in shoe.history:
        live.add(event)
        live.changes()
    assert sorted(each.fingerprint for each in live.standing.findings) == sorted(
        each.fingerprint for each in audit_shoe(shoe).findings
    )


# -- Findings that follow from another ----------------------------------------------------------


def test_every_rule_follows_from_rules_that_there_are():
    codes = {rule.code for rule in RULES}
    assert all({*codes, ANY_RULE}.issuperset(rule.follows_from) for rule in RULES)


# -- A wrong call that the settlement followed -----------------------------------------------------

TIE_CALLED_AS_PLAYER = "P 4 5  B K 9 | P 9-9"
NUMBERS = {rule.code: rule.number for rule in RULES}
CALL, PUSHED, PAID = "C103", "P203", "P201"


@pytest.mark.parametrize(
    ("settled", "own", "explained"),
    [
        ("1 pay 500, 2 take 100", [CALL], [(PAID, CALL), (PUSHED, CALL)]),
        # neither the call nor the cards let ann's stake be taken
        ("1 take 500, 2 take 100", [CALL, PUSHED], [(PAID, CALL)]),
        ("1 push, 2 pay 700", [CALL, PAID], []),
    ],
)
def test_a_settlement_that_followed_a_wrong_call_is_explained_by_it(settled, own, explained):
    shoe = deal(f"coup ann player 500, bob tie 100 | {TIE_CALLED_AS_PLAYER} | {settled}")
    alone, follow = own_and_explained(shoe)
    assert sorted(NUMBERS[code] for code in alone) == own
    assert sorted((NUMBERS[code], NUMBERS[cause]) for code, cause in follow) == explained


# -- What earlier faults leave behind --------------------------------------------------------------


def test_bets_on_an_overfull_seat_are_explained_by_the_seating():
    shoe = deal(
        "with table.per_seat = 1\n"
        'patron-seated {"seat": 2, "patron": "p1"}\npatron-seated {"seat": 2, "patron": "p2"}\n'
        "coup p1 player 500, p2 player 500 | P 4 5  B K 8"
    )
    sat, bet = audit_shoe(shoe).findings
    assert (sat.code, bet.code) == ("excess-patrons-at-seat", "excess-bettors-on-seat")
    assert (sat.explained_by, bet.explained_by) == (None, sat.fingerprint)


# -- The number of the last coup -------------------------------------------------------------------


@pytest.mark.parametrize("number", [3, 102, 1])
def test_a_wrong_number_of_the_last_coup_is_one_finding(number):
    """The cut card shows behind coup 1, so coup 2 is the last, whatever its number on record."""
    felt = Felt().ready().coup("P 4 5  B K 8")
    felt.put(ev.CutCardReached(len(felt.shoe.left)), ev.LastCoupCalled(number))
    felt.coup("P 4 5  B K 8", number)
    numbers = [each.number for each in audit_shoe(felt.shoe).findings]
    assert [each for each in numbers if each in ("Q102", "Z301", "Z303")] == ["Q102"]


# -- A void by a ruling that the rule pack does not permit -----------------------------------------


@pytest.mark.parametrize("ruling", ["play-on", "burn-card"])
def test_a_void_by_a_ruling_that_is_not_permitted_is_one_finding_with_its_money(ruling):
    """EZ baccarat has a misdeal dealt as a no-bet hand. Voided, ann's 5.00 won nothing."""
    felt = (
        Felt("ez-baccarat").ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "ann", "player", 500))
    )
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").due(ev.ResultCalled)
    note = ev.IrregularityNoted("misdeal", ruling, 1)
    own, explained = own_and_explained(felt.put(note, ev.CoupVoided(1)))
    assert own == [find_rule("I305").code]
    assert {cause for _, cause in explained} == set(own)
    assert sum(each.money.house or 0 for each in audit_shoe(felt.shoe).findings) == 500
