"""Messages name the event, the card, the bet and the people that a finding is about."""

import re
from inspect import cleandoc
from typing import get_args

from sabot.domain import events as ev
from sabot.domain.audit import RULES, audit_shoe, find_rule
from sabot.domain.audit.engine import audit_floor
from sabot.domain.audit.event_words import event_in_words
from sabot.domain.audit.findings import Finding
from sabot.domain.events import (
    BetPaid,
    BetPlaced,
    CardDrawn,
    CommissionCollected,
    EndOfShoe,
    Event,
    Irregularity,
    ResultCalled,
    Ruling,
)
from sabot.domain.events.bank import BankUnlimited, BankWithdrawn, ExcessReturned
from sabot.domain.events.labels import EVENT_NOUNS, event_noun
from sabot.domain.events.review import ReviewEvent
from sabot.domain.events.shoe import BurnReason
from sabot.domain.rules.labels import CONDITION_LABELS
from sabot.domain.rules.rule_pack import GameName
from sabot.infrastructure.rule_packs import shipped_packs
from tests.support.floor_notation import Pit
from tests.support.for_each import for_each
from tests.support.own_hand_coups import finish, hands
from tests.support.own_hand_coups import table as macao
from tests.support.rule_cases import every_case
from tests.support.rule_examples import deal
from tests.support.tableaux_coups import play
from tests.support.tableaux_coups import table as banque
from tests.support.thorough import slow
from tests.support.told_shoes import dealt

_TAGS = (
    *(payload.__struct_config__.tag for payload in get_args(Event)),
    *(*get_args(Irregularity), *get_args(Ruling), *get_args(BurnReason), *get_args(EndOfShoe)),
    *(*get_args(GameName), *CONDITION_LABELS, "payer-1", "payer-2"),
    *(wager.name for pack in shipped_packs() for wager in pack.wagers),
)
_CODES = re.compile(
    rf"(?<![\w-])({'|'.join(sorted({str(tag) for tag in _TAGS if '-' in str(tag)}))})(?![\w-])"
)
"""Stored names with a hyphen. A message says what they mean."""


def example(number: str) -> list[Finding]:
    rule = find_rule(number)
    if rule.of_the_floor:
        return list(audit_floor(Pit.of(rule.breaks).floor()).findings)
    return list(audit_shoe(deal(rule.breaks)).findings)


def messages(shoe: str) -> list[str]:
    return [finding.message for finding in audit_shoe(deal(cleandoc(shoe))).findings]


MESSAGES = [
    ("D104", "9 was removed from Player and burned, and no irregularity was noted"),
    ("D101", "card 2 (5) went to Player, not to Banker"),
    ("C104", "the call of the totals came before a card that it counts: 8 to Banker"),
    ("E203", "the taking of 5.00 EUR for p1's 5.00 EUR on Tie came before the call of the result"),
    ("I301", "a wrong draw or stand was not noted: Player drew K on 6"),
    ("I302", "a card face up in the shoe was not noted: 4 to Player"),
    ("Q104", "the drawing of 2 to Banker came after the coup"),
    ("R405", "a correction of event 1 by dealer (another shoe) changed the loading of the shoe"),
    ("B202", "4 to Player was the first card, and no more bets was called after it"),
    ("D103", "card 5 of the shoe was skipped: card 6 came after card 4"),
    ("E206", "p5's 5.00 EUR on Player was paid before p2's 5.00 EUR on Player"),
    ("F607", "bet 1 of coup 1 was abandoned, and its 10.00 EUR was not kept for p1"),
    ("I307", "a fault of the shuffler in coup 1 (card jam, machine SM-0417) was not noted"),
    ("K509", "p2 went banco for 100.00 EUR, but p3's 40.00 EUR on Player stayed on the layout"),
    ("K514", "p1 put up a bank of 99.99 EUR, below the minimum of 100.00 EUR"),
    ("L201", "p1's 5.01 EUR on Player is above the maximum of 5.00 EUR"),
    ("M613", "the video recording of a pre-shuffle is kept for 3 days, not 7"),
    ("N301", "7♣ seen 2 times, 1 deck holds 1"),
    ("P203", "p1's 5.00 EUR on Player: due a push, but taken 5.00 EUR"),
    ("R411", "terminal: message 2 is missing"),
    ("S306", "another dealer took over before coup 2, and no card was burned before its first"),
    ("T105", "Player took 4 cards (2 3 K 4)"),
    ("W510", "p7's 10.00 EUR on both tableaux, a held stake, was withdrawn"),
    ("B205", "p9 was seated at seat 15; the table has seats 1 to 14"),
    ("B207", "free hand 2 of the shoe, 1 permitted"),
    ("B212", "p1's 6.00 EUR on Player was carried over; coup 1 left 5.00 EUR of p1's"),
    ("I303", "the ruling by sue on a wrong draw was: play on; permitted: void the coup"),
    ("K505", "p2 took the bank; it was due to p1, to whom it was offered"),
    ("K510", "p2 went banco suivi without the right to it"),
    ("K513", "the bank was offered to p2 at any amount; it was due to p1, at any amount"),
    ("L203", "limits of 1.00 EUR to 49.00 EUR were set, not 50 or 100 or 200 times the minimum"),
    ("O502", "the hand at seat 1 was called on 7, before it got its last card"),
    ("O503", "the hand at seat 1 (8 4) asked for a card, though it could take no more"),
    ("O504", "the hand at seat 1 rejected 9, which it may not"),
    ("O510", "the bank was offered to p2; it was due to p3"),
    ("S302", "decks with backs of 1 colour were loaded, not 2"),
    ("S310", "the cut was offered to p2, not to p5"),
    ("S313", "the cut card went in 8 cards from the end, not 7"),
    ("T107", "Player stood on 4; a draw was due"),
    ("W501", "the bank was offered to p11; it was due to p7, first on the list"),
    ("W505", "session 3 of 2026-01-01 was called; 2 sessions a day at most"),
    ("W507", "p2 cut the cards, not p1, whom the banker named"),
    ("W511", "p7's 10.00 EUR on the right tableau was carried over; the last coup left no such"),
    ("Y501", "the levy was 5.10 EUR, 5.00 EUR was due"),
    ("Y502", "tickets for 4.00 EUR were detached for a levy of 5.00 EUR"),
    ("R415", "90.00 EUR of p1's 100.00 EUR on Banker was returned, although the house covers"),
]


@for_each(("number", "said"), MESSAGES)
def test_a_message_names_what_it_is_about(number: str, said: str) -> None:
    (found,) = [each for each in example(number) if each.number == number]
    assert found.message.startswith(said)


def test_a_withdrawal_from_a_bank_names_the_patron_who_took_the_chips() -> None:
    shoe = """
        load chemin-de-fer
        seats p1 p2 p3
        bank p1 10000
        bank-withdrawn {"by": "p2", "amount": 5000}
        coup p2 player 500 | P 4 2  B K 9
    """
    assert {each.patron for each in audit_shoe(dealt(shoe)).findings} == {"p2"}
    assert sorted(messages(shoe)) == [
        "p2 took 50.00 EUR out of p1's bank",
        "p2 took 50.00 EUR out of the bank after 0 coups",
    ]


NUMBERED = """
coup-opened {"coup": N}
no-more-bets {"coup": N}
deal P 4 5  B K 8
"""


@for_each(
    ("numbers", "end", "said"),
    [
        ((2, 9, 4), "due", "coup 9 was dealt after the last"),
        ((9, 3), "due", "coup 9 was not announced as the last before its first card"),
        ((9, 3), 'coup-closed {"coup": N}', "the result of coup 9 was not called before the close"),
        ((9, 3), "", "coup 9 was neither closed nor voided when coup 3 began"),
    ],
)
def test_a_message_gives_the_recorded_number_of_a_coup_out_of_place(
    numbers: tuple[int, ...], end: str, said: str
) -> None:
    coups = [(NUMBERED + end).replace("N", str(number)) for number in numbers]
    shoe = """
        load classic-4
        with end.stop_card_most = 202
        bare
        shoe-shuffled {"by": "ann"}
        shoe-cut {"by": "p1", "depth": 90}
        stop-card-placed {"behind": 202}
        ready
        coup P 4 5  B K 8
        cut-card-reached {"drawn": 6}
    """
    assert said in [each.message for each in audit_shoe(dealt(shoe + "\n".join(coups))).findings]


def test_an_award_at_another_amount_than_the_bid_names_both_amounts() -> None:
    (found,) = audit_shoe(
        deal(
            cleandoc("""
            load banque
            bare
            tableaux-seats
            bank-bid {"by": "p11", "amount": 30000}
            shoe-offered {"to": "p11", "amount": 20000}
            shoe-taken {"by": "p11"}
            tableaux-bank p11 30000
            """)
        )
    ).findings
    assert found.message == (
        "the bank was offered to p11 at 200.00 EUR; it was due to p11, at the bid of 300.00 EUR"
    )
    assert found.expected == "p11, at the bid of 300.00 EUR"


def test_a_stake_returned_at_macao_names_the_patron_who_covers_it() -> None:
    felt = macao("macao-old").put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "hand", 1000, 1))
    felt.put(ExcessReturned(1, 1, 400), ev.NoMoreBets(1))
    (found,) = audit_shoe(finish(hands(felt, "1: 4; B: 6")).shoe).findings
    assert found.message.endswith("was returned, although p3's bank covers the whole stake")


@for_each(
    ("by", "said"), [("p7", "came from somebody else than p11"), ("p11", "bank had been given")]
)
def test_a_move_of_no_bank_names_the_bank_on_record(by: str, said: str) -> None:
    felt = play(banque(), "p7 right 500 | 3 4; 2 4; 9 K")
    if by == "p11":
        felt.put(BankWithdrawn("p11", 20_500), ev.ShoePassed("p11", "chosen"))
    audit = audit_shoe(felt.put(BankUnlimited(by)).shoe)
    (found,) = [each for each in audit.findings if each.number == "R401"]
    assert said in found.message


EXPECTED = [
    ("C101", "Player 9, Banker 8", "Player 9, Banker 7"),
    ("P201", "pay 40.00 EUR (Tie pays 8 to 1)", "paid 45.00 EUR"),
    (
        "B201",
        "bets stand from the call of no more bets, or from the first card",
        'the placing of the bet came after the call "no more bets"',
    ),
    (
        "R413",
        "as first recorded: ann's 10.00 EUR on Banker",
        "by the correction: ann's 10.00 EUR on Player",
    ),
]


@for_each(("number", "expected", "observed"), EXPECTED)
def test_a_requirement_and_a_deviation_are_in_words(
    number: str, expected: str, observed: str
) -> None:
    (found,) = [each for each in example(number) if each.number == number]
    assert (found.expected, found.observed) == (expected, observed)


def codes_in(found: Finding) -> list[str]:
    """Return the stored names in what a finding says. The code of a rule that it names is none."""
    told = f"{found.message} {found.expected} {found.observed}"
    for rule in RULES:
        told = told.replace(f"{rule.number} {rule.code}", rule.number)
    return [f"{found.number}: {told}" for code in _CODES.findall(told) if code]


@slow
def test_no_finding_of_a_case_has_a_code_in_place_of_a_word() -> None:
    found = [each for case in every_case() for each in audit_shoe(case.broken()).findings]
    assert [said for each in found for said in codes_in(each)] == []


@slow
def test_no_example_of_a_rule_has_a_code_in_place_of_a_word() -> None:
    found = [each for rule in RULES for each in example(rule.number)]
    assert [said for each in found for said in codes_in(each)] == []


@slow
def test_every_rule_has_an_example_of_its_message() -> None:
    assert all(example(rule.number) for rule in RULES)


def test_an_event_names_its_bet_amount_and_card() -> None:
    shoe = deal("coup p1 banker 500 | P 4 5  B K 8")
    assert event_in_words(shoe, BetPlaced(1, 1, "ann", "tie", 1000)) == "ann's 10.00 EUR on Tie"
    assert event_in_words(shoe, CardDrawn(1, "banker", "9c")) == "9♣ to Banker"
    assert event_in_words(shoe, BetPaid(1, 1, 500)) == (
        "the payment of 5.00 EUR for p1's 5.00 EUR on Banker"
    )
    assert event_in_words(shoe, BetPaid(1, 7, 500)) == (
        "the payment of 5.00 EUR for bet 7, which is not on record"
    )
    assert event_noun(ResultCalled(1)) == "the call of the result"
    assert event_noun(BankUnlimited(1, "p7")) == "the acceptance of all stakes"
    assert event_in_words(shoe, CommissionCollected("p1", 25)) == (
        "the collection of commission (0.25 EUR, p1)"
    )


def test_every_event_of_play_has_a_noun() -> None:
    for kind in set(get_args(Event)) - set(get_args(ReviewEvent)):
        assert kind.__struct_config__.tag in EVENT_NOUNS, kind


REPEATED = """
    coup-opened {"coup": 1}
    bet-placed {"coup": 1, "bet": 1, "patron": "bob", "wager": "player", "amount": 2500}
    bet-placed {"coup": 1, "bet": 1, "patron": "ann", "wager": "banker", "amount": 1000}
    no-more-bets {"coup": 1}
    deal P 4 5  B K 8
    bet-paid {"coup": 1, "bet": 1, "amount": 2500}
    bet-paid {"coup": 1, "bet": 7, "amount": 2500}
    coup-closed {"coup": 1}
    coup-closed {"coup": 1}
"""


def test_an_event_without_a_basis_says_what_happened() -> None:
    found = [
        each.message
        for each in audit_shoe(deal(cleandoc(REPEATED))).findings
        if each.number == "R401"
    ]
    assert sorted(found) == [
        (
            "25.00 EUR was paid for bet 7 in coup 1, and nobody placed it; the record does not say "
            "whose chips moved"
        ),
        (
            "bet number 1 was used twice in coup 1: ann's 10.00 EUR on Banker has the number of "
            "bob's 25.00 EUR on Player"
        ),
        "coup 1 was closed twice",
    ]
