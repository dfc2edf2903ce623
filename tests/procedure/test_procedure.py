"""Procedures: the hand that is due, the burn, the last coup, limits, the holder."""

from itertools import product

import pytest

from sabot.domain import events as ev
from sabot.domain.procedure.common import (
    BurnDue,
    burn_due,
    cards_before_cut_card,
    coup_differential,
    hand_due,
    last_coup,
    left_to_carry,
    limit_for,
    next_holder,
    opening_burn,
    shoe_passes,
    staying_bets,
)
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt, hands
from tests.support.for_each import for_each
from tests.support.thorough import slow

# -- Whose card it is ----------------------------------------------------------------------------


@for_each(
    ("cards", "hand"),
    [
        ("", "player"),
        ("P 4", "banker"),
        ("P 4 B 5", "player"),
        ("P 4 4 B 5", "banker"),
        # naturals end it
        ("P 9 K B 2 K", None),
        ("P 2 K B 8 K", None),
        # Player stands on 6 and 7; Banker then draws on 0 to 5
        ("P 6 K B 5 K", "banker"),
        ("P 7 K B 6 K", None),
        # Player draws, then Banker by Player's third card
        ("P 5 K B 7 K", "player"),
        ("P 5 K 8 B 3 K", None),
        ("P 5 K 9 B 3 K", "banker"),
        ("P 5 K 9 B 3 K 4", None),
        # whatever was dealt wrongly, nobody is due a fourth
        ("P 6 K 2 B 7 K", None),
        ("P 5 K 9 2 B 3 K 4", None),
    ],
)
def test_whose_card_it_is(cards, hand):
    assert hand_due(*hands(cards)) == hand


@slow
def test_every_coup_ends_as_the_rules_in_prose_say():
    """Every five values that can come first, against the third-card rules as ifs."""
    for five in product("KA23456789", repeat=5):
        player, banker = [five[0], five[2]], [five[1], five[3]]
        rest = [five[4], "K"]
        while (hand := hand_due(player, banker)) is not None:
            (player if hand == "player" else banker).append(rest.pop(0))
        assert (len(player), len(banker)) == in_prose(*five)


def in_prose(a, b, c, d, third):
    worth = {**{str(n): n for n in range(2, 10)}, "A": 1, "K": 0}
    player_total, banker_total = (worth[a] + worth[c]) % 10, (worth[b] + worth[d]) % 10
    if player_total >= 8 or banker_total >= 8:
        return 2, 2
    if player_total >= 6:
        return 2, 3 if banker_total <= 5 else 2
    drawn = worth[third]
    if banker_total <= 2:
        draws = True
    elif banker_total == 3:
        draws = drawn != 8
    elif banker_total == 4:
        draws = 2 <= drawn <= 7
    elif banker_total == 5:
        draws = 4 <= drawn <= 7
    elif banker_total == 6:
        draws = 6 <= drawn <= 7
    else:
        draws = False
    return 3, 3 if draws else 2


# -- The burn, the cut card, the last coup ---------------------------------------------------------


def test_the_burn_that_the_pack_asks_for():
    felt = Felt("mini", 8)
    assert burn_due(felt.shoe) == BurnDue(None, 1)
    assert burn_due(felt.put(ev.CardBurned("7c", 1)).shoe) == BurnDue(8, 1)
    assert burn_due(Felt("mini", 8).put(ev.CardBurned("Ks", 1)).shoe) == BurnDue(11, 1)
    # a first card that nobody saw decides nothing
    assert burn_due(Felt("mini", 8).put(ev.CardBurned(None, 1)).shoe) == BurnDue(None, 1)
    assert burn_due(Shoe("shoe/x")) is None


@pytest.mark.parametrize(
    ("option", "due"),
    [("deck-count", BurnDue(6, 0)), ("fixed", BurnDue(4, 0)), ("none", BurnDue(0, 0))],
)
def test_other_burns(option, due):
    text = pack_text("mini").replace('"first-card-value"', f'"{option}"\ncards = 4')
    assert burn_due(Felt(text, 6).shoe) == due


def test_cards_burned_later_are_no_part_of_the_opening_burn():
    felt = Felt("mini").put(ev.CardBurned("7c", 1), ev.CardBurned(None, 2, "relief"))
    assert [payload.place for payload in opening_burn(felt.shoe)] == [1]


def test_the_last_stop_card_counts():
    felt = Felt("mini", 6)
    assert cards_before_cut_card(felt.shoe) is None
    felt.put(ev.StopCardPlaced(20), ev.StopCardPlaced(14))
    assert cards_before_cut_card(felt.shoe) == 312 - 14


@pytest.mark.parametrize(
    ("rules", "payloads", "last"),
    [
        ("uk", (ev.CoupOpened(1),), None),
        ("uk", (ev.CutCardReached(),), 1),
        ("uk", (ev.CoupOpened(1), ev.CutCardReached()), 1),
        ("uk", (ev.CoupOpened(1), ev.CoupClosed(1), ev.CutCardReached()), 2),
        ("mini", (ev.CoupOpened(1), ev.CutCardReached()), 2),
        ("mini", (ev.CoupOpened(1), ev.CoupClosed(1), ev.CutCardReached()), 3),
        # coups dealt since do not move it
        (
            "uk",
            (
                *(ev.CoupOpened(1), ev.CardDrawn(1, "player", "4", 1), ev.CutCardReached()),
                *(ev.CoupClosed(1), ev.CoupOpened(2)),
            ),
            1,
        ),
        # a coup without a card is passed over once it has ended, and not before
        ("uk", (ev.CoupOpened(1), ev.CutCardReached(), ev.CoupVoided(1)), 2),
        ("uk", (ev.CutCardReached(), ev.CoupOpened(1)), 1),
        ("uk", (ev.CutCardReached(), ev.CoupOpened(1), ev.CoupVoided(1)), 2),
        ("mini", (ev.CutCardReached(), ev.CoupOpened(1), ev.CoupVoided(1)), 3),
        (
            "mini",
            (ev.CutCardReached(), ev.CoupOpened(1), ev.CoupOpened(2), ev.CoupVoided(2)),
            3,
        ),
    ],
)
def test_the_last_coup(rules, payloads, last):
    assert last_coup(Felt(rules).put(*payloads).shoe) == last


# -- Limits and sides ------------------------------------------------------------------------------


def test_a_wagers_own_limit_comes_before_the_tables_and_the_tables_before_the_packs():
    text = pack_text("mini") + "\n[limits]\nminimum = 100\nmaximum = 900\n"
    felt = Felt(text)
    assert limit_for(felt.shoe, "tie") == ev.Limit(100, 900)
    felt.put(ev.LimitsChanged((ev.Limit(5, 10), ev.Limit(1, 2, "tie"))))
    assert limit_for(felt.shoe, "tie") == ev.Limit(1, 2, "tie")
    assert limit_for(felt.shoe, "player") == ev.Limit(5, 10)
    assert limit_for(Felt("mini").shoe, "player") is None


def test_a_pack_may_set_the_least_or_the_most_alone():
    least = Felt(pack_text("mini") + "\n[limits]\nminimum = 100\n").shoe
    assert limit_for(least, "tie") == ev.Limit(100, 2**53 - 1)
    most = Felt(pack_text("mini") + "\n[limits]\nmaximum = 900\n").shoe
    assert limit_for(most, "tie") == ev.Limit(0, 900)


def test_what_the_two_sides_differ_by():
    felt = Felt("mini").put(
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "a", "player", 700),
        ev.BetPlaced(1, 2, "b", "banker", 200),
        ev.BetPlaced(1, 3, "c", "tie", 5000),
        ev.BetPlaced(1, 4, "d", "banker", 100),
        ev.BetWithdrawn(1, 4),
        ev.BetPlaced(1, 5, "e", "banker", 900),
    )
    assert coup_differential(felt.shoe.coups[1]) == 400


# -- After a tie -----------------------------------------------------------------------------------


def test_a_tie_leaves_main_bets_that_were_pushed():
    felt = Felt("mini").ready()
    felt.coup("p1 banker 10, p2 player 20, p3 tie 30 | P 4 5 B K 9").put(ev.CoupOpened(2))
    stays = [(bet.patron, bet.wager) for bet in staying_bets(felt.shoe, felt.shoe.coups[2])]
    assert stays == [("p1", "banker"), ("p2", "player")]
    felt.put(ev.BetCarried(2, 1, "p2", "player", 20))
    left = [bet.patron for bet in left_to_carry(felt.shoe, felt.shoe.coups[2])]
    assert left == ["p1"]


def test_two_bets_of_one_patron_on_one_wager_are_carried_apart():
    felt = Felt("mini").ready()
    felt.coup("p1 banker 10, p1 banker 20 | P 4 5 B K 9").put(ev.CoupOpened(2))
    assert [b.amount for b in left_to_carry(felt.shoe, felt.shoe.coups[2])] == [10, 20]
    felt.put(ev.BetCarried(2, 1, "p1", "banker", 10))
    assert [b.amount for b in left_to_carry(felt.shoe, felt.shoe.coups[2])] == [20]


@pytest.mark.parametrize(
    "line",
    [
        # no tie
        "p1 banker 10 | P 4 5 B K 8",
        # a push that is none of a tie: a winning three-card 7
        "p1 banker 10 | P 2 3 K B 3 K 4",
    ],
)
def test_without_a_tie_nothing_stays(line):
    felt = Felt("ez-baccarat").ready().coup(line).put(ev.CoupOpened(2))
    assert staying_bets(felt.shoe, felt.shoe.coups[2]) == []


def test_a_voided_tie_leaves_nothing():
    felt = Felt("mini").ready().coup("p1 banker 10 | P 4 5 B K 9")
    felt.put(ev.CoupVoided(1), ev.CoupOpened(2))
    assert staying_bets(felt.shoe, felt.shoe.coups[2]) == []


# -- Who holds the shoe ----------------------------------------------------------------------------


def round_table(rules, *payloads):
    seats = tuple(ev.Seat(2 * n, name) for n, name in enumerate("abcd", 1))
    return Felt(rules, seats=seats).put(*payloads).shoe


@pytest.mark.parametrize(
    ("payloads", "anti", "clock"),
    [
        ((), "a", "d"),
        ((ev.ShoeRefused("a"), ev.ShoeRefused("d")), "b", "c"),
        ((ev.ShoeTaken("b"), ev.ShoePassed("b")), "c", "a"),
        ((ev.ShoeTaken("d"), ev.ShoePassed("d")), "a", "c"),
        ((ev.ShoeTaken("d"), ev.ShoePassed("d"), ev.PatronLeft("a")), "b", "c"),
        (tuple(ev.ShoeRefused(name) for name in "abcd"), None, None),
    ],
)
def test_the_shoe_goes_round(payloads, anti, clock):
    assert next_holder(round_table("france", *payloads)) == anti
    assert next_holder(round_table("classic-8", *payloads)) == clock


def test_the_shoe_is_passed_on_a_loss_and_kept_otherwise():
    for cards, passes in (("P 9 K B 8 K", True), ("P 8 K B 9 K", False), ("P 9 K B 9 K", False)):
        felt = Felt("france").ready().put(ev.ShoeTaken("a")).coup(cards)
        assert shoe_passes(felt.shoe) is passes
    midi = Felt("midi").ready().put(ev.ShoeTaken("a")).coup("P 9 K B 8 K")
    assert not shoe_passes(midi.shoe)
    voided = Felt("france").ready().put(ev.ShoeTaken("a")).coup("P 9 K B 8 K")
    assert not shoe_passes(voided.put(ev.CoupVoided(1)).shoe)
