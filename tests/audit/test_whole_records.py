"""In a complete record, events that are missing did not happen.

Macao and victoria: the banker takes the shoe, puts up his bank and keeps it for the pack; nobody
calls it. Two tableaux: p7 to p11 sit on the right, p1 to p5 on the left, p11 banks 20000.
"""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support import own_hand_coups, tableaux_coups
from tests.support.coup_notation import loaded, shoe_of

NO_BANK = "coup-without-bank"
GIVEN = "wrong-player-for-hand"
LINE = "1 500 | 1: 6; B: 8"
VICTORIA = "1 500 | 1: 2 4; B: 3 5"
SEATS = own_hand_coups.table().payloads[0].seats  # type: ignore[union-attr]

Events = list[ev.Event]


def verdict(shoe: Shoe, code: str) -> tuple[list[tuple[str, int | None]], dict[str, int]]:
    """What is found, and why a rule could not look."""
    audit = audit_shoe(shoe)
    (of_rule,) = [each for each in audit.verdicts if each.code == code]
    return [(each.code, each.coup) for each in audit.findings], of_rule.reasons


def macao(pack: str = "macao-old", line: str = LINE, *, bank: bool = False) -> Events:
    """Two coups that p3 banks; he puts nothing up."""
    felt = own_hand_coups.table(pack, bank=200_000 if bank else None)
    return own_hand_coups.play(own_hand_coups.play(felt, line), line).payloads


@pytest.mark.parametrize(
    ("pack", "line"), [("macao-old", LINE), ("macao-later", LINE), ("victoria", VICTORIA)]
)
def test_a_bank_of_a_pack_that_nobody_put_up_is_told_once(pack, line):
    (found,) = audit_shoe(shoe_of(macao(pack, line))).findings
    assert (found.code, found.coup) == (NO_BANK, 1)
    assert found.message == (
        "stakes were settled in coup 1, and in 1 more coup, although nobody had put up a bank"
    )
    assert found.observed == "no bank was put up"
    assert verdict(shoe_of(macao(pack, line, bank=True)), NO_BANK) == ([], {})


def posted_late(payloads: Events) -> Events:
    """The bank is put up when the cards lie there, before the first stake is taken."""
    at = next(n for n, payload in enumerate(payloads) if isinstance(payload, bank_ev.HandsCalled))
    return [*payloads[:at], bank_ev.BankPosted("p3", 200_000), *payloads[at:]]


def without(*kinds: type) -> Callable[[Events], Events]:
    return lambda payloads: [payload for payload in payloads if not isinstance(payload, kinds)]


def coups_alone(payloads: Events) -> Events:
    return [replace(payloads[0], coverage="coups"), *payloads[1:]]


def begun_in_the_second_coup(payloads: Events) -> Events:
    at = next(n for n, payload in enumerate(payloads) if payload == ev.CoupOpened(2))
    return [*payloads[:1], ev.ShoeTaken("p3"), *payloads[at:]]


def unloaded(payloads: Events) -> Events:
    return payloads[1:]


def house_banks(payloads: Events) -> Events:
    text = pack_text("macao-old").replace('shoe = "patron"', 'shoe = "dealer"')
    return [loaded(text, seats=SEATS), *payloads[1:]]


@pytest.mark.parametrize(
    ("lacks", "reason"),
    [
        (without(ev.ShoeOffered, ev.ShoeTaken), "the record has no bank"),
        (without(ev.BetTaken, ev.BetPaid), "no stake was settled"),
        (coups_alone, "the record holds only coups"),
        (begun_in_the_second_coup, "the record lacks coups"),
        (unloaded, None),
        (house_banks, "the record has no bank"),
    ],
    ids=lambda each: getattr(each, "__name__", ""),
)
def test_a_record_that_may_lack_the_bank_of_a_pack_is_not_judged(lacks, reason):
    found, skipped = verdict(shoe_of(lacks(macao())), NO_BANK)
    assert NO_BANK not in {code for code, _ in found}
    assert len(skipped) == 1
    assert reason is None or skipped == {reason: 1}


def test_a_bank_that_was_put_up_late_is_there_when_it_pays():
    found, skipped = verdict(shoe_of(posted_late(macao())), NO_BANK)
    assert NO_BANK not in {code for code, _ in found}
    assert skipped == {}


# -- A stranger who is given a hand ---------------------------------------------------------------


def at_tableaux(**given: str) -> Events:
    """A stake as large as the bank on the right, and the hands given so."""
    felt = tableaux_coups.opened(tableaux_coups.table(), "p7 right 20000")
    payloads = tableaux_coups.finish(tableaux_coups.deal(felt, "9 K; 2 4; 3 5")).payloads
    return [
        replace(payload, to=given.get(payload.hand, payload.to))
        if isinstance(payload, bank_ev.HandGiven)
        else payload
        for payload in payloads
    ]


def of_given(payloads: Events) -> list[Finding]:
    return [each for each in audit_shoe(shoe_of(payloads)).findings if each.code == GIVEN]


UNTOLD = {"the record has no claims, and the stake may have been a banco": 1}


@pytest.mark.parametrize("tableau", ["right", "left"])
def test_a_hand_given_to_who_has_neither_seat_nor_stake_is_told_in_a_whole_record(tableau):
    payloads = at_tableaux(**{tableau: "stranger"})
    (found,) = of_given(payloads)
    assert (found.coup, found.patron) == (1, "stranger")
    assert found.message == f"the hand of the {tableau} tableau was given to stranger"


@pytest.mark.parametrize(("tableau", "who"), [("left", "p2"), ("right", "p9"), ("left", "p7")])
def test_who_sits_or_staked_may_have_gone_bank_untold(tableau, who):
    found, skipped = verdict(shoe_of(at_tableaux(**{tableau: who})), GIVEN)
    assert GIVEN not in {code for code, _ in found}
    assert skipped == UNTOLD


def stands_and_stakes(payloads: Events) -> Events:
    """He stands, and has a stake of his own, though it was taken back again."""
    at = next(n for n, payload in enumerate(payloads) if isinstance(payload, ev.NoMoreBets))
    more = (ev.BetPlaced(1, 9, "stranger", "left", 500), ev.BetWithdrawn(1, 9))
    return [*payloads[:at], *more, *payloads[at:]]


def sat_down(payloads: Events) -> Events:
    at = next(n for n, payload in enumerate(payloads) if isinstance(payload, ev.CoupOpened))
    return [*payloads[: at + 1], ev.PatronSeated(6, "stranger"), *payloads[at + 1 :]]


@pytest.mark.parametrize(
    "lacks",
    [
        stands_and_stakes,
        sat_down,
        coups_alone,
        unloaded,
        without(bank_ev.BankPosted, bank_ev.BankCalled),
    ],
)
def test_a_record_that_may_lack_his_seat_or_stake_does_not_make_him_a_stranger(lacks):
    assert of_given(lacks(at_tableaux(left="stranger"))) == []


@pytest.mark.parametrize(("bets", "found"), [(True, ["stranger"]), (False, [])])
def test_a_coup_that_lacks_its_bets_makes_nobody_a_stranger(bets, found):
    """In the coup before a stake was as large as the bank; he may have gone bank on the left."""
    felt = tableaux_coups.opened(tableaux_coups.table(), "p7 right 20000")
    tableaux_coups.finish(tableaux_coups.deal(felt, "2 4; 3 5; 9 K"))
    tableaux_coups.finish(
        tableaux_coups.deal(tableaux_coups.opened(felt, "p5 left 500"), "9 K; 2 4; 3 5")
    )
    of_bets = () if bets else (ev.BetPlaced, ev.BetTaken, ev.BetPaid)
    payloads = [
        replace(payload, to="stranger") if _is_left_of_coup_2(payload) else payload
        for payload in felt.payloads
        if not (isinstance(payload, of_bets) and getattr(payload, "coup", 0) == 2)
    ]
    assert [each.patron for each in of_given(payloads)] == found


def _is_left_of_coup_2(payload: ev.Event) -> bool:
    return isinstance(payload, bank_ev.HandGiven) and (payload.coup, payload.hand) == (2, "left")


def test_who_sat_down_behind_the_hand_that_he_was_given_is_a_stranger():
    payloads = at_tableaux(left="stranger")
    at = next(n for n, payload in enumerate(payloads) if isinstance(payload, ev.CardDrawn))
    later = [*payloads[:at], ev.PatronSeated(6, "stranger"), *payloads[at:]]
    assert [each.patron for each in of_given(later)] == ["stranger"]


def test_where_no_claim_may_lack_everybody_is_judged():
    felt = tableaux_coups.opened(tableaux_coups.table(), "p7 right 500")
    payloads = tableaux_coups.finish(tableaux_coups.deal(felt, "9 K; 2 4; 3 5")).payloads
    given = [
        replace(payload, to="p2")
        if isinstance(payload, bank_ev.HandGiven) and payload.hand == "right"
        else payload
        for payload in payloads
    ]
    assert [each.patron for each in of_given(given)] == ["p2"]
