"""Events of another game: one finding each, and refused by `sabot deal`."""

import random
from functools import cache

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent, first_of
from sabot.domain.procedure.games import GAMES, foreign_to
from sabot.domain.procedure.preconditions import Violation, violation
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.one_fault import found_in, recorded
from tests.support.rule_examples import with_key
from tests.support.thorough import slow

PACKS = ("classic-8", "chemin-de-fer", "banque", "macao-old", "victoria")
CODES = {True: "coup-event-of-another-game", False: "event-of-another-game"}
NUMBERS = {True: "R415", False: "R414"}
COUP = 3
TOLD = (
    *(bank_ev.SessionCalled("2026-01-01", 1, 1), bank_ev.BankBid("p1", 500)),
    *(bank_ev.BankListed("p1"), bank_ev.FundsProven("p1", 500), bank_ev.BankPosted("p1", 1000)),
    *(bank_ev.BankRaised("p1", 500), bank_ev.BankRaised("p1", 500, COUP)),
    *(bank_ev.BankWithdrawn("p1", 500), bank_ev.BankUnlimited("p1")),
    *(bank_ev.BankUnlimited("p1", COUP), ev.CutterNamed("p1", "p1")),
    *(bank_ev.BankCalled(COUP, 500), bank_ev.BancoCalled(COUP, "p1")),
    *(bank_ev.BancoCalled(COUP, "p1", on="left"), bank_ev.HandGiven(COUP, "player", "p1")),
    *(bank_ev.HandGiven(COUP, "left", "p1"), bank_ev.ChoiceMade(COUP, "player", "draw")),
    *(bank_ev.ChoiceMade(COUP, "right", "stand"), bank_ev.ChoiceMade(COUP, "patron", "stand")),
    *(bank_ev.CardRejected(COUP, "player"), bank_ev.CardRejected(COUP, "left")),
    bank_ev.HandsCalled(COUP, (bank_ev.HandTotal("right", 3), bank_ev.HandTotal("player", 4))),
    *(bank_ev.LevyAnnounced(COUP, 100), bank_ev.TicketsDetached(COUP, 100)),
    *(bank_ev.TicketsTorn(COUP), ev.TotalsCalled(COUP, 3, 4), ev.ResultCalled(COUP, 3, 4, "B")),
    *(ev.CardTurned(COUP, "left", 1), ev.CardTurned(COUP, "player", 1)),
    *(ev.IrregularityNoted("other", "card-to-banker", COUP, "sue"),),
    *(ev.IrregularityNoted("other", "card-to-banker", None, "sue"),),
)
"""Events that some games have and others have not, and that move no chips."""


@cache
def dealt(pack: str) -> list[RecordedEvent]:
    text = pack_text(pack)
    decks = parse_pack(text).cards.decks[-1]
    plan = ShoePlan(stream="shoe/t", pack=text, decks=decks, start_us=10**15, coups=4)
    return list(
        Dealer(
            plan,
            parse_lineup("flat:side=player,flat:unit=5000,flat:unit=7500", 9),
            random.Random(pack),
        ).deal()
    )


def told(pack: str, payload: ev.Event, *, before: type) -> Shoe:
    """Tell an event in a clean shoe, before a step of its third coup."""
    history: list[RecordedEvent] = []
    for event in dealt(pack):
        here = isinstance(event.payload, before) and getattr(event.payload, "coup", 0) == COUP
        for each in [payload, event.payload] if here else [event.payload]:
            place = len(history) + 1
            history.append(
                replace(event, payload=each, index=place, version=place, position=place, seq=None)
            )
    assert len(history) == len(dealt(pack)) + 1
    return fold("shoe/t", history)


FOREIGN = [
    pytest.param(pack, payload, id=f"{pack}-{ev.name_of(payload)}-{number}")
    for pack in PACKS
    for number, payload in enumerate(TOLD)
    if foreign_to(parse_pack(pack_text(pack)), payload) is not None
]


@slow
@pytest.mark.parametrize("before", [ev.NoMoreBets, (ev.ResultCalled, bank_ev.HandsCalled)])
@for_each(("pack", "payload"), FOREIGN)
def test_an_event_of_another_game_is_one_finding(pack, payload, before):
    of_coup = getattr(payload, "coup", None)
    (found,) = audit_shoe(told(pack, payload, before=before)).findings
    assert (found.code, found.coup) == (CODES[of_coup is not None], of_coup)


@slow
@for_each(("pack", "payload"), FOREIGN)
def test_dealing_refuses_an_event_of_another_game_by_the_same_rule(pack, payload):
    until = first_of(ev.NoMoreBets, [e for e in dealt(pack) if getattr(e.payload, "coup", 0) == 3])
    assert until is not None
    shoe = fold("shoe/t", [e for e in dealt(pack) if e.position < until.position])
    refused = violation(shoe, payload)
    assert isinstance(refused, Violation)
    assert refused.rule == NUMBERS[getattr(payload, "coup", None) is not None]


def test_every_kind_of_event_is_foreign_to_some_game_or_common_to_all():
    """What one game has and another has not is among the events that are tried above."""
    kinds = frozenset[type]().union(*(game.events for game in GAMES.values()))
    moves_chips = {bank_ev.ExcessReturned, bank_ev.LevyTaken, ev.BetCarried}
    assert {type(payload) for payload in TOLD} >= kinds - moves_chips


def test_an_event_that_names_a_coup_which_was_never_dealt_is_one_finding():
    (found,) = audit_shoe(
        told("classic-8", bank_ev.BankCalled(99, 500), before=ev.NoMoreBets)
    ).findings
    assert (found.number, found.coup) == ("R414", 99)


# -- Chips and cards -------------------------------------------------------------------------------


def coup_of(*steps: "ev.Event | str", pack: str = "classic-8") -> list[tuple[str, int | None, int]]:
    """Deal coup 1 of a bet of 100.00 on Banker. Return the findings with the house's amount."""
    bet = ev.BetPlaced(1, 1, "p1", "banker", 10_000, 1)
    felt = Felt(pack).ready().put(ev.CoupOpened(1), bet, ev.NoMoreBets(1))
    for step in steps:
        felt = felt.cards(step) if isinstance(step, str) else felt.put(step)
    found = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    return [(each.code, each.coup, each.money.house) for each in found]


LOST, RESULT = "P 4 5  B K 8", ev.ResultCalled(1, 9, 8, "P")
BACK = bank_ev.ExcessReturned


@pytest.mark.parametrize(
    ("steps", "house"),
    [
        # 90.00 of a stake of 100.00 are saved from a loss, or all of it
        ((LOST, RESULT, BACK(1, 1, 9000), ev.BetTaken(1, 1, 1000)), -9000),
        ((BACK(1, 1, 9000), LOST, RESULT, ev.BetTaken(1, 1, 1000)), -9000),
        ((LOST, RESULT, BACK(1, 1, 10_000)), -10_000),
        ((LOST, RESULT, BACK(1, 1, 4000), BACK(1, 1, 5000), ev.BetTaken(1, 1, 1000)), -9000),
        # the stake was taken already: the house gave chips away
        ((LOST, RESULT, ev.BetTaken(1, 1, 10_000), BACK(1, 1, 9000)), -9000),
        # all of it went back, and was taken all the same: it is as if it had stood
        ((LOST, RESULT, BACK(1, 1, 10_000), ev.BetTaken(1, 1, 10_000)), 0),
    ],
)  # fmt: skip
def test_a_stake_that_the_house_covers_is_not_returned(steps, house):
    assert coup_of(*steps) == [("coup-event-of-another-game", 1, house)]


WON = ("P 4 4  B K 9", ev.ResultCalled(1, 8, 9, "B"))


def test_a_winning_stake_that_was_returned_in_part_wins_too_little():
    """95.00 are due on 100.00, and 9.50 on the 10.00 that were left."""
    paid = (ev.BetPaid(1, 1, 1000), ev.CommissionCollected("p1", 50, 1, 1))
    found = coup_of(*WON, BACK(1, 1, 9000), *paid)
    assert found == [("coup-event-of-another-game", 1, 8550)]


@pytest.mark.parametrize(
    ("accepted", "maximum", "returned", "house"),
    [
        ("capped", 6000, 4000, None),  # the part above the maximum is returned
        ("capped", 6000, 9000, -5000),  # 60.00 are lost, and 10.00 are taken
        ("capped", 20_000, 9000, -9000),
        ("in-full", 20_000, 9000, -9000),
    ],
)
def test_what_lies_above_the_maximum_is_returned_and_no_more(accepted, maximum, returned, house):
    pack = with_key(pack_text("classic-8"), f'limits.accepted = "{accepted}"')
    felt = Felt(pack, limits=(ev.Limit(100, maximum),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 10_000, 1), ev.NoMoreBets(1))
    felt.put(BACK(1, 1, returned)).cards(LOST).put(RESULT, ev.BetTaken(1, 1, 10_000 - returned))
    found = audit_shoe(felt.put(ev.CoupClosed(1)).shoe).findings
    mine = [each.money.house for each in found if each.code == "coup-event-of-another-game"]
    assert mine == ([] if house is None else [house])


@pytest.mark.parametrize(("wager", "house"), [("banker", -4000), ("player", 0)])
@pytest.mark.parametrize("rules", ["classic-8", "macau"])
def test_a_bet_beyond_the_maximum_that_is_settled_in_full_gets_nothing_back_after_it(
    rules, wager, house
):
    """40.00 of a stake of 100.00 go back: after a loss of it, or from the chips of the winner."""
    pack = with_key(pack_text(rules), 'limits.accepted = "in-full"')
    felt = Felt(pack, limits=(ev.Limit(100, 6000),)).ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", wager, 10_000, 1), ev.NoMoreBets(1))
    felt.cards(LOST).put(RESULT, (ev.BetTaken if house else ev.BetPaid)(1, 1, 10_000))
    found = audit_shoe(felt.put(BACK(1, 1, 4000), ev.CoupClosed(1)).shoe).findings
    mine = [each.money.house for each in found if each.code != "bet-outside-limits"]
    assert mine == [house]


def drawn(hand: ev.Hand, card: str, place: int) -> ev.CardDrawn:
    return ev.CardDrawn(1, hand, card, place)


def test_a_card_to_a_hand_of_another_game_after_both_hands_are_complete():
    """It changes no payment: the coup was over."""
    lost = (LOST, drawn("left", "7", 7), RESULT, ev.BetTaken(1, 1, 10_000))
    assert coup_of(*lost) == [("coup-event-of-another-game", 1, 0)]


def test_the_card_that_was_due_goes_to_a_hand_of_another_game():
    """Player drew the 8 behind the 2, and won 8 to 7; with the 2, Banker would have won 7 to 2.

    100.00 on Banker were taken, and 95.00 were due.
    """
    steps = ("P K K  B K 7", drawn("left", "2", 7), drawn("player", "8", 8))
    settled = (ev.ResultCalled(1, 8, 7, "P"), ev.BetTaken(1, 1, 10_000))
    assert coup_of(*steps, *settled) == [("coup-event-of-another-game", 1, 19_500)]


def test_one_of_the_first_four_cards_goes_to_a_hand_of_another_game():
    """Dealt in turn, Player has 4 9 and draws the 8, Banker stands on K 5 and wins 5 to 1.

    As it was dealt, Player won 9 to 8: 100.00 on Banker were taken, and 95.00 were due.
    """
    first = (drawn("player", "4", 3), drawn("banker", "K", 4), drawn("left", "9", 5))
    rest = (drawn("player", "5", 6), drawn("banker", "8", 7), RESULT, ev.BetTaken(1, 1, 10_000))
    assert coup_of(*first, *rest) == [("coup-event-of-another-game", 1, 19_500)]


def test_a_levy_where_the_game_has_none_comes_out_of_the_bank():
    """The banker of macao pays 1.00 that nobody asks of him."""
    shoe = told("macao-old", bank_ev.LevyTaken(COUP, 100), before=ev.CoupClosed)
    assert shoe.coups[COUP].banked is not None
    banker = shoe.coups[COUP].banked.banker
    found = {each.code: each for each in audit_shoe(shoe).findings}
    levied = found["coup-event-of-another-game"]
    assert (levied.money.house, levied.patron) == (100, banker)


# -- Events of another game, a void without a witness, another currency ----------------------------


@pytest.mark.parametrize(
    ("record", "found"),
    [
        # ann's 100.00 on Banker lost; 90.00 of them went back
        ("excess-returned-at-punto-banco", ("coup-event-of-another-game", 3, "ann", -9000)),
        # Player won 9 to 2 before the card came, and was paid so
        ("card-to-the-left-tableau", ("coup-event-of-another-game", 3, None, 0)),
        # ann's 100.00 on Banker lost, and the dealer alone voided the coup
        ("voided-on-the-dealers-word", ("unjustified-void", 3, "ann", -10_000)),
    ],
)
def test_what_the_game_or_the_dealer_alone_cannot_do_is_one_finding(record, found):
    assert found_in(recorded(record)) == [found]
