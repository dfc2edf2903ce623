"""Chemin de fer: turns, returned stakes, refusals and levies."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.patron_bank import (
    banco_claimant,
    bank_of,
    entitled_to_suivi,
    excess_due,
    levy_due,
    next_banker,
    open_bets,
    plays_player,
)
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.pack_sections import LevyRule
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import pack_text
from tests.support.bank_coups import SEATS, staked, table
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each

FRANCE = pack_text("chemin-de-fer-france")
OLD = pack_text("chemin-de-fer")


def changed(text, old, new):
    assert old in text
    return text.replace(old, new)


# -- Stakes -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("bets", "back"),
    [
        ((("p2", 6000), ("p3", 4000)), []),
        ((("p2", 6000), ("p3", 6000)), [("p3", 2000)]),
        # the order of play counts, and not the order in which the bets were placed
        ((("p3", 6000), ("p2", 6000)), [("p3", 2000)]),
        # who does not sit is the last of all, then p4, then p3
        ((("x", 3000), ("p4", 3000), ("p3", 9000)), [("x", 3000), ("p4", 2000)]),
        ((("p2", 25_000),), [("p2", 15_000)]),
    ],
)
def test_what_lies_beyond_the_bank_goes_back_last_in_order_first(bets, back):
    felt = staked(*bets)
    coup = felt.shoe.coups[1]
    assert [(each.bet.patron, each.amount) for each in excess_due(felt.shoe, coup)] == back


def test_who_goes_bank_plays_for_all_of_it_and_every_other_stake_goes_back():
    felt = staked(("p2", 6000), ("p3", 1000)).put(bank_ev.BancoCalled(1, "p3"))
    shoe, coup = felt.shoe, felt.shoe.coups[1]
    assert banco_claimant(shoe, coup) == "p3"
    assert next_action(shoe).payload == ev.BetPlaced(1, 3, "p3", "player", 10_000, 3)
    felt.due(ev.BetPlaced)
    back = [(each.bet.patron, each.amount) for each in excess_due(felt.shoe, felt.shoe.coups[1])]
    assert back == [("p3", 1000), ("p2", 6000)]
    felt.due(bank_ev.ExcessReturned, ev.NoMoreBets)
    assert [(bet.patron, bet.amount) for bet in open_bets(felt.shoe.coups[1])] == [("p3", 10_000)]
    assert violation(felt.shoe, ev.BetChanged(1, 3, 100)) is not None


def test_the_stake_of_a_banco_stands_and_is_staked_once():
    felt = staked(("p2", 6000)).put(bank_ev.BancoCalled(1, "p3")).due(ev.BetPlaced)
    for payload, why in (
        (ev.BetChanged(1, 2, 100), "p3 goes banco for the whole bank; the stake stands"),
        (ev.BetWithdrawn(1, 2), "p3 goes banco for the whole bank; the stake stands"),
        (ev.BetPlaced(1, 3, "p3", "player", 10_000), "p3 has staked what the bank holds"),
    ):
        assert why in violation(felt.shoe, payload)


def test_once_excess_went_back_the_stakes_stand():
    felt = staked(("p2", 6000), ("p3", 6000)).due(bank_ev.ExcessReturned)
    for payload in (
        ev.BetWithdrawn(1, 1),
        ev.BetChanged(1, 1, 5000),
        ev.BetPlaced(1, 3, "p4", "player", 1),
    ):
        assert "the stakes stand, except for a banco" in violation(felt.shoe, payload)
    assert violation(felt.shoe, bank_ev.BancoCalled(1, "p4")) is None


def test_why_a_bank_is_passed_is_told_as_it_is():
    """Whoever gives up a bank that won leaves it to be matched; one that lost is not."""
    won = table().coup("p2 player 4000 | P 4 2  B K 9").put(bank_ev.BankWithdrawn("p1", 14_000))
    assert "has not lost; type: passes chosen" in violation(won.shoe, ev.ShoePassed("p1", "lost"))
    assert violation(won.shoe, ev.ShoePassed("p1", "chosen")) is None
    assert "taken the bank out" in violation(won.shoe, bank_ev.BankRaised("p1", 10_000))
    lost = table().coup("p2 player 4000 | P 4 5  B K 6").put(bank_ev.BankWithdrawn("p1", 6000))
    assert "p1's bank lost; type: passes" in violation(lost.shoe, ev.ShoePassed("p1", "chosen"))
    assert violation(lost.shoe, ev.ShoePassed("p1", "lost")) is None


def test_a_false_draw_costs_the_banker_the_shoe_where_the_pack_says_so():
    for pack, due in (
        ("chemin-de-fer-france", bank_ev.BankWithdrawn("p1", 10_000)),
        ("chemin-de-fer", ev.CoupOpened(2)),
    ):
        felt = table(pack=pack).put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
        felt.put(ev.BetPlaced(1, 1, "p2", "player", 500), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
        felt.put(ev.CardDrawn(1, "player", "4", 1), ev.CardDrawn(1, "player", "5", 2))
        felt.put(ev.IrregularityNoted("wrong-draw", "void", 1), ev.CoupVoided(1, "false draw"))
        assert next_action(felt.shoe).payload == due
        felt.put(due)
    felt = table(pack="chemin-de-fer-france").put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(ev.IrregularityNoted("wrong-draw", "void", 1), ev.CoupVoided(1, "false draw"))
    felt.put(bank_ev.BankWithdrawn("p1", 10_000))
    assert "type: passes ruling" in violation(felt.shoe, ev.ShoePassed("p1", "chosen"))
    passed = ev.ShoePassed("p1", "ruling")
    assert next_action(felt.shoe).payload == passed
    assert violation(felt.shoe, passed) is None
    assert next_action(felt.put(passed).shoe).payload == ev.ShoeOffered("p2")


def test_who_has_the_bank_or_a_stake_that_a_tie_holds_does_not_leave():
    felt = table().coup("p2 player 4000 | P 4 5  B K 9")
    assert "withdraw it and pass the shoe first" in violation(felt.shoe, ev.PatronLeft("p1"))
    assert "a tie holds p2's stake" in violation(felt.shoe, ev.PatronLeft("p2"))
    assert violation(felt.shoe, ev.PatronLeft("p3")) is None


def test_an_unlimited_bank_returns_nothing():
    felt = staked(("p2", 60_000)).put(bank_ev.BankUnlimited("p1", 1))
    assert list(excess_due(felt.shoe, felt.shoe.coups[1])) == []


def test_a_bank_raised_in_the_coup_covers_as_much_more():
    felt = staked(("p2", 6000), ("p3", 6000)).put(bank_ev.BankRaised("p1", 2000, 1))
    coup = felt.shoe.coups[1]
    assert bank_of(coup) == 12_000
    assert list(excess_due(felt.shoe, coup)) == []
    assert isinstance(next_action(felt.shoe).payload, ev.NoMoreBets)


@pytest.mark.parametrize(
    ("bets", "plays"),
    [
        ((("p2", 3000), ("p3", 4000)), "p3"),
        ((("p4", 4000), ("p3", 4000)), "p3"),
        ((("x", 4000), ("p2", 3000)), "x"),
    ],
)
def test_the_highest_stake_plays_and_of_equals_the_first_in_order(bets, plays):
    felt = staked(*bets)
    assert plays_player(felt.shoe, felt.shoe.coups[1]) == plays


def test_banco_suivi_is_his_who_lost_it_in_the_coup_before():
    felt = table().coup("banco p3 | P 4 2  B K 9").put(ev.CoupOpened(2)).due(bank_ev.BankCalled)
    coup = felt.shoe.coups[2]
    assert entitled_to_suivi(felt.shoe, coup) == "p3"
    felt.put(bank_ev.BancoCalled(2, "p2"), bank_ev.BancoCalled(2, "p3", suivi=True))
    assert banco_claimant(felt.shoe, coup) == "p3"


def test_a_banco_that_tied_is_held_and_not_followed():
    felt = table().coup("banco p3 | P 4 5  B K 9").put(ev.CoupOpened(2)).due(bank_ev.BankCalled)
    assert entitled_to_suivi(felt.shoe, felt.shoe.coups[2]) is None
    assert next_action(felt.shoe).payload == ev.BetCarried(2, 1, "p3", "player", 10_000)


# -- The bank goes round ----------------------------------------------------------------------


def test_a_bank_that_was_given_up_goes_to_the_first_who_matches_it():
    felt = table().coup("p2 player 10000 | P 4 2  B K 9")
    felt.put(bank_ev.BankWithdrawn("p1", 20_000), ev.ShoePassed("p1", "chosen"))
    asked = []
    while (due := next_banker(felt.shoe)) is not None and len(asked) < 8:
        asked.append((due.patron, due.amount))
        felt.put(ev.ShoeOffered(due.patron, due.amount), ev.ShoeRefused(due.patron))
    at_any = [(who, None) for who in ("p2", "p3", "p4", "p1")]
    assert asked == [("p2", 20_000), ("p3", 20_000), ("p4", 20_000), *at_any]
    assert next_action(felt.shoe).text == "nobody takes the bank"


def test_where_any_amount_will_do_nobody_is_asked_to_match():
    text = changed(OLD, 'takeover = "match"', 'takeover = "any"')
    felt = Felt(text, seats=SEATS).ready().bank("p1", 10_000)
    felt.coup("p2 player 10000 | P 4 2  B K 9")
    felt.put(bank_ev.BankWithdrawn("p1", 20_000), ev.ShoePassed("p1", "chosen"))
    assert (next_banker(felt.shoe).patron, next_banker(felt.shoe).amount) == ("p2", None)


def test_a_bank_that_lost_goes_to_the_next_and_what_is_left_goes_back():
    felt = table().coup("p2 player 4000 | P 4 5  B K 6")
    assert next_action(felt.shoe).payload == bank_ev.BankWithdrawn("p1", 6000)
    felt.due(bank_ev.BankWithdrawn)
    assert next_action(felt.shoe).payload == ev.ShoePassed("p1", "lost")
    felt.due(ev.ShoePassed)
    assert next_action(felt.shoe).payload == ev.ShoeOffered("p2")


@pytest.mark.parametrize(
    ("winnings", "levy"), [(0, 0), (-5000, 0), (10_000, 500), (27_500, 1380), (27_400, 1370)]
)
def test_the_levy_is_five_per_cent_to_whole_ten_cents(winnings, levy):
    rule = LevyRule("1/20", "nearest", 10)
    assert rule.on(winnings) == levy


def test_the_bank_stays_for_what_a_tie_holds():
    felt = table().coup("p2 player 4000 | P 4 5  B K 9")
    why = violation(felt.shoe, bank_ev.BankWithdrawn("p1", 10_000))
    assert why == "a tie holds the stakes; the bank stays until they are settled"


def test_the_levy_is_of_what_the_bank_won_and_nothing_of_what_it_lost():
    won = table(pack="chemin-de-fer-france").coup("p2 player 4000 | P 4 2  B K 9").shoe
    lost = table(pack="chemin-de-fer-france").coup("p2 player 4000 | P 4 5  B K 6").shoe
    assert (levy_due(won, won.coups[1]), levy_due(lost, lost.coups[1])) == (200, 0)
    assert won.bank.amount == 13_800


# -- What is refused --------------------------------------------------------------------------

BETS = staked(("p2", 6000))
OPEN = staked()
DEALT = staked(("p2", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 3 2  B K 7")
WON = table().coup("p2 player 10000 | P 4 2  B K 9")


@for_each(
    ("felt", "payload", "why"),
    [
        (OPEN, bank_ev.BancoCalled(1, "p1"), "cannot go bank against it"),
        (OPEN, bank_ev.BancoCalled(1, "p2", on="right"), "has no right tableau"),
        (OPEN, ev.BetPlaced(1, 1, "p1", "player", 500), "cannot bet against it"),
        (OPEN, ev.NoMoreBets(1), "place your bets, or go banco"),
        (OPEN, bank_ev.BankRaised("p1", 500, 1), "no stake exceeds the bank"),
        (OPEN, bank_ev.BankRaised("p2", 500, 1), "p2 has no bank on the table"),
        (OPEN, bank_ev.BankBid("p2", 500), "chemin de fer has no bid for the bank"),
        (OPEN, bank_ev.BankUnlimited("p1", 1), "the banker raises the bank"),
        (BETS, bank_ev.HandGiven(1, "player", "p3"), "that is not due now"),
        (BETS, bank_ev.ExcessReturned(1, 1, 500), "that is not due now"),
        (DEALT, bank_ev.ChoiceMade(1, "banker", "draw"), "another hand decides now"),
        (
            DEALT,
            bank_ev.ChoiceMade(1, "player", "draw", "p3"),
            "p2 plays the hand of Player, not p3",
        ),
        (DEALT, ev.CardDrawn(1, "player", "2c"), "record the choice first"),
        (DEALT, ev.TotalsCalled(1, 5, 7), "chemin de fer has no call of the totals"),
        (WON, ev.ShoePassed("p1", "chosen"), "200.00 EUR is left in p1's bank"),
        (WON, bank_ev.BankWithdrawn("p1", 5000), "all 200.00 EUR, or nothing"),
        (WON, bank_ev.BankPosted("p1", 5000), "p1's bank is on the table"),
        (WON, ev.ShoeEnded(left=300, reason="closing"), "200.00 EUR is left in p1's bank"),
        (WON, ev.ShoeOffered("p2"), "p1 holds the shoe"),
    ],
)
def test_what_is_forbidden_is_refused_with_the_reason(felt, payload, why):
    said = violation(felt.shoe, payload)
    assert said is not None
    assert why in said


def test_what_a_bank_lacks_it_cannot_take_out_before_a_coup():
    felt = table()
    said = violation(felt.shoe, bank_ev.BankWithdrawn("p1", 10_000))
    assert said == "a banker deals 1 coup before taking anything out"


def test_part_of_a_bank_where_the_pack_lets_it():
    text = changed(OLD, "deals = 1", "deals = 1\npartial = true")
    felt = Felt(text, seats=SEATS).ready().bank("p1", 10_000)
    felt.coup("p2 player 10000 | P 4 2  B K 9")
    assert violation(felt.shoe, bank_ev.BankWithdrawn("p1", 5000)) is None
    assert "all 200.00 EUR" in violation(felt.shoe, bank_ev.BankWithdrawn("p1", 15_000))
    felt.put(bank_ev.BankWithdrawn("p1", 5000)).coup("p2 player 15000 | P 4 2  B K 9")
    assert felt.shoe.bank.amount == 30_000
    assert audit_shoe(felt.shoe).findings == []


# -- A banker bound by the tableau ------------------------------------------------------------

BOUND = changed(OLD, 'banco = "free"', 'banco = "tableau"')


@pytest.mark.parametrize(
    ("cards", "codes"),
    [
        # Banker 6 against a 7 draws; against an 8 it stands
        ("P 2 2 7  B K 6 2", []),
        ("P 2 2 7  B K 6", ["stand-on-mandatory-draw"]),
        ("P 2 2 8  B K 6", []),
        ("P 2 2 8  B K 6 2", ["draw-on-mandatory-stand"]),
    ],
)
def test_a_banker_whom_the_pack_binds_is_held_to_the_tableau(cards, codes):
    felt = Felt(BOUND, seats=SEATS).ready().bank("p1", 10_000)
    felt.coup(f"p2 player 4000 | {cards}")
    assert [found.code for found in audit_shoe(felt.shoe).findings] == codes


# -- Money ------------------------------------------------------------------------------------


def test_a_bank_that_pays_what_it_has_not_is_told_once():
    felt = staked(("p2", 6000), ("p3", 6000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    felt.cards("P 4 5  B K 6").due(ev.Event)
    (found,) = imbalances(felt.shoe)
    assert found.message == "p1's bank paid more than it held"
    assert (found.coup, found.patron) == (1, "p1")


def test_a_patron_who_loses_more_than_his_stake():
    felt = table().coup("p2 player 4000 | P 4 2  B K 9 | B 6-9 | 1 take 5000")
    (found,) = imbalances(felt.shoe)
    assert found.message == "p2 lost more on Player than was at risk"
    assert (found.expected, found.observed) == ("40.00 EUR at most", "50.00 EUR taken")


# -- The sections of a pack -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (changed(OLD, 'punto = "DDDDD*SS"', 'punto = "DDD"'), "do not fit"),
        (changed(OLD, 'banco = "free"', 'banco = ["S"]'), "do not fit"),
        (OLD.split("[bank]")[0] + "[[wagers]]" + OLD.split("[[wagers]]")[1], "played by [bank]"),
        (pack_text("mini") + "\n[levy]\nrate = '1/20'\n", "[levy] is not a section of punto-banco"),
        (changed(FRANCE, 'rate = "1/20"', 'rate = "5 %"'), "levy"),
        (changed(OLD, "minimum = 10_000", "smallest = 1"), "smallest"),
    ],
)
def test_a_pack_that_cannot_be_played_by_is_refused(text, why):
    with pytest.raises(BadRulePack) as caught:
        parse_pack(text)
    assert why in str(caught.value)
