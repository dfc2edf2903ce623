"""The next action that is due in a shoe."""

import pytest

from sabot.domain import events as ev
from sabot.domain.procedure.common import last_coup
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.values.cards import FULL_DECK
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.support.coup_notation import Felt, hands
from tests.support.for_each import for_each


def due(felt):
    return next_action(felt.shoe)


def opened(cards="", bets="p1 banker 1000", rules="classic-8"):
    """A first coup with bets closed and some cards out."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1))
    for number, bet in enumerate(filter(None, bets.split(", ")), 1):
        patron, wager, amount = bet.split()
        felt.put(ev.BetPlaced(1, number, patron, wager, int(amount)))
    felt.put(ev.NoMoreBets(1))
    return felt.cards(cards) if cards else felt


# -- Before the first coup ---------------------------------------------------------------------


def test_nothing_is_loaded():
    felt = Felt()
    empty = type(felt.shoe)("shoe/none")
    assert next_action(empty).expects == "shoe"


def test_the_shoe_is_shuffled_cut_stopped_and_burned_in_this_order():
    felt = Felt("classic-8")
    assert due(felt).expects == "shuffle"
    assert due(felt.put(ev.ShoeShuffled("d"))).expects == "cut"
    assert due(felt.put(ev.ShoeCut("p1", 50))).payload == ev.StopCardPlaced(7)
    assert due(felt.put(ev.StopCardPlaced(7))).expects == "burn-up"


@pytest.mark.parametrize(
    ("first", "more"), [("Ac", 1), ("2h", 2), ("9d", 9), ("Ts", 10), ("Jh", 10), ("Kc", 10)]
)
def test_the_first_card_burned_says_how_many_follow(first, more):
    felt = Felt("mini", 8)
    felt.put(ev.ShoeShuffled("d"), ev.ShoeCut("d"), ev.StopCardPlaced(14), ev.CardBurned(first, 1))
    for place in range(2, more + 2):
        assert due(felt).payload == ev.CardBurned(None, place)
        assert f"burn {more + 2 - place} more" in due(felt).text
        felt.put(due(felt).payload)
    assert due(felt).expects == "coup"


@pytest.mark.parametrize(("option", "cards"), [("deck-count", 8), ("fixed", 3), ("none", 0)])
def test_other_burns_are_face_down(option, cards):
    text = pack_text("mini").replace('"first-card-value"', f'"{option}"\ncards = 3')
    felt = Felt(text, 8).put(ev.ShoeShuffled("d"), ev.ShoeCut("d"), ev.StopCardPlaced(14))
    for _ in range(cards):
        assert due(felt).expects == "burn-down"
        felt.put(due(felt).payload)
    assert due(felt).payload == ev.CoupOpened(1)


# -- Who deals ---------------------------------------------------------------------------------


def seated(rules, *names):
    seats = tuple(ev.Seat(3 * number, name) for number, name in enumerate(names, 1))
    return Felt(rules, seats=seats, crew=(ev.Crew("caller", "carla"),)).ready()


def test_the_shoe_is_offered_round_the_table_the_way_the_pack_says():
    counter_clockwise = seated("france", "a", "b", "c")
    assert due(counter_clockwise).payload == ev.ShoeOffered("a")
    clockwise = seated("classic-8", "a", "b", "c")
    assert due(clockwise).payload == ev.ShoeOffered("c")
    clockwise.put(ev.ShoeOffered("c"))
    assert due(clockwise).payload == ev.ShoeTaken("c")
    clockwise.put(ev.ShoeRefused("c"))
    assert due(clockwise).payload == ev.ShoeOffered("b")


def test_where_all_refuse_the_house_deals():
    felt = seated("france", "a", "b")
    felt.put(ev.ShoeRefused("a"), ev.ShoeRefused("b"))
    assert due(felt).payload == ev.ShoeTaken("carla")
    assert due(felt.put(ev.ShoeTaken("carla"))).payload == ev.CoupOpened(1)


@pytest.mark.parametrize(
    ("cards", "passes"), [("P 9 K B 8 K", True), ("P 8 K B 9 K", False), ("P 9 K B 9 K", False)]
)
def test_the_holder_passes_the_shoe_when_the_bank_loses(cards, passes):
    felt = seated("france", "a", "b").put(ev.ShoeOffered("a"), ev.ShoeTaken("a")).coup(cards)
    if passes:
        assert due(felt).payload == ev.ShoePassed("a", "lost")
        assert due(felt.put(ev.ShoePassed("a", "lost"))).payload == ev.ShoeOffered("b")
    else:
        assert due(felt).payload == ev.CoupOpened(2)


def test_a_new_holder_does_not_answer_for_the_coup_before_him():
    felt = seated("france", "a", "b").put(ev.ShoeTaken("a")).coup("P 9 K B 8 K")
    felt.put(ev.ShoePassed("a", "lost"), ev.ShoeTaken("b"))
    assert due(felt).payload == ev.CoupOpened(2)


def test_the_dealer_deals_where_the_pack_says_so():
    assert due(Felt("mini", seats=(ev.Seat(1, "a"),)).ready()).payload == ev.CoupOpened(1)


# -- A coup ------------------------------------------------------------------------------------


def test_bets_are_awaited_until_no_more_bets():
    felt = Felt("mini").ready().put(ev.CoupOpened(1))
    assert due(felt).payload == ev.NoMoreBets(1)
    assert due(felt.put(ev.NoMoreBets(1))).expects == "card"


@pytest.mark.parametrize(
    ("out", "hand"),
    [("", "player"), ("P 4", "banker"), ("P 4 B 5", "player"), ("P 4 6 B 5", "banker")],
)
def test_the_first_four_cards_go_player_banker_player_banker(out, hand):
    said = due(opened(out))
    assert (said.expects, said.hand) == ("card", hand)


def test_the_two_card_totals_are_called_before_anybody_draws():
    felt = Felt("mini").ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    felt.put(
        ev.CardDrawn(1, "player", "4c"),
        ev.CardDrawn(1, "banker", "Kd"),
        ev.CardDrawn(1, "player", "Ac"),
        ev.CardDrawn(1, "banker", "3d"),
    )
    said = due(felt)
    assert said.payload == ev.TotalsCalled(1, 5, 3)
    assert said.text == "call five player, three banker"


# the two hands as far as they are, what is due, and why
THIRD_CARDS = """
P 4 A  B 3 K     | player | Player 5 draws: Player draws on 0 to 5
P 4 2  B 3 K     | banker | Banker 3 draws with no third card to Player: when Player stands, \
Banker draws on 0 to 5 and stands on 6 and 7
P 4 2  B 6 K     | call   | player 6, banker 6
P 9 K  B 3 K     | call   | player 9, banker 3
P 2 K  B 8 K     | call   | player 2, banker 8
P 4 A 8  B 3 K   | call   | player 3, banker 3
P 4 A 9  B 3 K   | banker | Banker 3 draws against a third card 9: it draws unless that \
card is 8
P 4 A K  B 4 K   | call   | player 5, banker 4
P 4 A 2  B 4 K   | banker | Banker 4 draws against a third card 2: it draws against 2 to 7
P 4 A 3  B 5 K   | call   | player 8, banker 5
P 4 A 4  B 5 K   | banker | Banker 5 draws against a third card 4: it draws against 4 to 7
P 4 A 5  B 6 K   | call   | player 0, banker 6
P 4 A 6  B 6 K   | banker | Banker 6 draws against a third card 6: it draws against 6 to 7
P 4 A 7  B 7 K   | call   | player 2, banker 7
P 4 A 8  B 2 K   | banker | Banker 2 draws against a third card 8: Banker 0 to 2 always draws
P 4 A 9  B 3 K 5 | call   | player 4, banker 8
"""


@for_each("row", THIRD_CARDS.strip().splitlines())
def test_the_tableau_decides_who_draws_and_the_caller_says_why(row):
    cards, expected, why = (part.strip() for part in row.split("|"))
    said = due(opened(cards))
    if expected == "call":
        called = said.payload
        assert isinstance(called, ev.ResultCalled)
        assert f"player {called.player}, banker {called.banker}" == why
    else:
        assert (said.expects, said.hand) == ("card", expected)
        assert said.text == f"a card for {expected.title()}: {why}"


def test_cards_dealt_face_down_are_turned_before_they_are_called():
    felt = Felt("france").ready().put(ev.ShoeTaken("house"), ev.CoupOpened(1), ev.NoMoreBets(1))
    for hand, card in (("player", "4c"), ("banker", "Kd"), ("player", "Ac"), ("banker", "3d")):
        assert due(felt).expects == "card"
        felt.put(ev.CardDrawn(1, hand, card))
    turned = []
    while due(felt).expects == "turn":
        turned.append(due(felt).payload)
        felt.put(due(felt).payload)
    assert turned == [
        ev.CardTurned(1, "player", 1),
        ev.CardTurned(1, "player", 2),
        ev.CardTurned(1, "banker", 1),
        ev.CardTurned(1, "banker", 2),
    ]
    assert due(felt).payload == ev.TotalsCalled(1, 5, 3)


@pytest.mark.parametrize(
    ("cards", "text", "call"),
    [
        ("P 9 K B 8 K", "call player wins, 9 to 8", ev.ResultCalled(1, 9, 8, "P")),
        ("P 6 K B 7 K", "call banker wins, 6 to 7", ev.ResultCalled(1, 6, 7, "B")),
        ("P 4 5 B K 9", "call tie, 9 to 9", ev.ResultCalled(1, 9, 9, "T")),
    ],
)
def test_the_result_is_called_by_the_cards(cards, text, call):
    said = due(opened(cards))
    assert (said.expects, said.text, said.payload) == ("call", text, call)


# -- Settling ----------------------------------------------------------------------------------


def settled(line, rules="classic-8"):
    """Every move that is asked for, in order, once the result is called."""
    felt = Felt(rules).ready().coup(line + " | B 0-0 | -")
    shoe = felt.shoe
    shoe.current, shoe.coups[1].closed = shoe.coups[1], None
    moves = []
    while (said := due(felt)).expects == "settle":
        moves.append(said.payload)
        felt.put(said.payload)
    assert due(felt).payload == ev.CoupClosed(1)
    return moves


def test_losers_are_taken_then_pushes_left_then_winners_paid_with_their_commission():
    moves = settled("p1 banker 1000, p2 player 500, p3 banker 250, p4 tie 100 | P 6 K B 7 K")
    assert moves == [
        ev.BetTaken(1, 2, 500),
        ev.BetTaken(1, 4, 100),
        ev.BetPaid(1, 1, 1000),
        ev.CommissionCollected("p1", 50, 1, 1),
        ev.BetPaid(1, 3, 250),
        ev.CommissionCollected("p3", 13, 1, 3),
    ]


def test_a_tie_pushes_the_main_bets_and_pays_the_tie():
    moves = settled("p1 banker 1000, p2 player 500, p4 tie 100 | P 4 5 B K 9")
    assert moves == [ev.BetPushed(1, 1), ev.BetPushed(1, 2), ev.BetPaid(1, 3, 800)]


def test_commission_is_marked_where_the_pack_marks_it():
    moves = settled("p1 banker 1000 | P 6 K B 7 K", "midi")
    assert moves == [ev.BetPaid(1, 1, 1000), ev.CommissionMarked(1, 1, 50)]


def test_a_winning_three_card_seven_pushes_in_ez_baccarat_and_pays_the_dragon():
    moves = settled("p1 banker 1000, p2 dragon-7 100 | P 2 3 K B 3 K 4", "ez-baccarat")
    assert moves == [ev.BetPushed(1, 1), ev.BetPaid(1, 2, 4000)]


def test_a_winning_six_is_paid_half_in_super_6():
    moves = settled("p1 banker 1001, p2 super-6 100 | P K 3 2 B 2 A 3", "super-6")
    assert moves == [ev.BetPaid(1, 1, 500), ev.BetPaid(1, 2, 1200)]


def test_a_bet_that_no_line_settles_waits_for_somebody_to_say():
    felt = Felt().ready().coup("p1 royal 100 | P 9 K B 8 K | - | -")
    felt.shoe.current, felt.shoe.coups[1].closed = felt.shoe.coups[1], None
    felt.put(ev.ResultCalled(1, 9, 8, "P"))
    said = due(felt)
    assert (said.expects, said.payload) == ("settle", None)
    assert "p1's bet on Royal is settled by no pay line" in said.text


# -- After a tie -------------------------------------------------------------------------------


def test_bets_that_a_tie_left_are_carried_one_by_one():
    felt = Felt("mini").ready()
    felt.coup("p1 banker 1000, p2 player 500, p3 tie 100 | P 4 5 B K 9").put(ev.CoupOpened(2))
    assert due(felt).payload == ev.BetCarried(2, 1, "p1", "banker", 1000)
    felt.put(due(felt).payload)
    assert due(felt).payload == ev.BetCarried(2, 2, "p2", "player", 500)
    felt.put(due(felt).payload)
    assert due(felt).payload == ev.NoMoreBets(2)


def test_no_bet_stays_where_the_pack_lets_none_stay():
    text = pack_text("mini").replace("bets_stay = true", "bets_stay = false")
    felt = Felt(text).ready().coup("p1 banker 1000 | P 4 5 B K 9").put(ev.CoupOpened(2))
    assert due(felt).payload == ev.NoMoreBets(2)


def test_a_side_bet_that_pushed_does_not_stay():
    felt = Felt("midi").ready().put(ev.ShoeTaken("house"))
    felt.coup("p1 dragon-bonus-player 1000 | P 4 5 B K 9").put(ev.CoupOpened(2))
    assert felt.shoe.coups[1].bets[1].pushed
    assert due(felt).payload == ev.NoMoreBets(2)


# -- The end of the shoe -----------------------------------------------------------------------


def near_the_end(rules, behind, before_cut):
    """A shoe in which so many cards lie before the cut card, between coups."""
    felt = Felt(rules, 8).put(ev.ShoeShuffled("d"), ev.ShoeCut("d"), ev.StopCardPlaced(behind))
    felt.put(ev.CardBurned("Ac", 1), ev.CardBurned(None, 2))
    # burned away, so that the shoe is short
    for place in range(3, 416 - behind - before_cut + 1):
        felt.put(ev.CardBurned(None, place, "other"))
    if felt.shoe.pack.table.shoe == "patron":
        felt.put(ev.ShoeTaken("house"))
    return felt


FOUR = "P 9c Kd B 8h Ks"
FIVE = "P 2c 3d Kh B 7h Ks"


@pytest.mark.parametrize(
    ("rules", "behind", "cards_before", "first", "last", "called"),
    [
        # it lies before the coup's first card: that coup is the last
        ("uk", 7, 0, FOUR, 1, [1]),
        # it comes out with the third card of the coup, too late to call it
        ("uk", 7, 2, FOUR, 1, []),
        # the coup ended on the card before it: the next coup finds it
        ("uk", 7, 4, FOUR, 2, [2]),
        ("uk", 7, 5, FIVE, 2, [2]),
        # and where one more is dealt
        ("mini", 14, 0, FOUR, 2, [2]),
        ("mini", 14, 2, FOUR, 2, [2]),
        ("mini", 14, 4, FOUR, 3, [3]),
    ],
)
def test_the_coup_in_which_the_cut_card_is_drawn_decides_the_last(  # noqa: PLR0917
    rules, behind, cards_before, first, last, called
):
    felt = near_the_end(rules, behind, cards_before)
    heard = []
    while (said := due(felt)).expects != "nothing":
        if said.expects == "card":
            coup = felt.shoe.current
            felt.put(next_card(coup, said.hand, first if coup.number == 1 else FOUR))
        else:
            felt.put(said.payload)
        if isinstance(said.payload, ev.LastCoupCalled):
            heard.append(said.payload.coup)
    assert max(felt.shoe.coups) == last == last_coup(felt.shoe)
    assert heard == called


def next_card(coup, hand, cards):
    """The card that a hand of the coup takes next."""
    player, banker = hands(cards)
    given, out = (player, coup.player) if hand == "player" else (banker, coup.banker)
    return ev.CardDrawn(coup.number, hand, given[len(out)])


def test_the_cut_card_is_said_to_be_out_where_it_lies():
    felt = near_the_end("uk", 7, 2)
    felt.put(ev.CoupOpened(1), ev.NoMoreBets(1))
    felt.put(ev.CardDrawn(1, "player", "9c", 408), ev.CardDrawn(1, "banker", "8c", 409))
    assert due(felt).payload == ev.CutCardReached(409, 1)


def test_marked_commission_is_collected_before_the_shoe_is_counted():
    felt = near_the_end("midi", 14, 4).put(ev.CommissionCollected("p9", 0))
    felt.coup("p1 banker 1000 | P 6 K B 7 K")
    felt.put(due(felt).payload)
    for _ in range(2):
        while due(felt).expects != "coup":
            felt.put(due(felt).payload)
        felt.coup("P 8 K B 9 K")
    said = due(felt)
    assert said.text == "p1 owes 0.50 USD of commission: collect it"
    assert said.payload == ev.CommissionCollected("p1", 50)
    said = due(felt.put(said.payload))
    assert isinstance(said.payload, ev.ShoeEnded)
    assert said.payload.left == 416 - len(felt.shoe.left)


def test_a_continuous_shuffler_has_no_last_coup():
    text = pack_text("uk").replace('"finish"', '"never"')
    felt = near_the_end(text, 7, 0)
    felt.put(due(felt).payload)
    assert due(felt).payload == ev.CoupOpened(1)


ENDING = [name for name in of_game("punto-banco") if not parse_pack(pack_text(name)).endless]
ENDLESS = [name for name in of_game("punto-banco") if name not in ENDING]


def dealt_as_due(rules, cards):
    """Do what is due until nothing is, or all the cards given are out."""
    felt = Felt(rules)
    while cards:
        said = due(felt)
        match said.expects:
            case "nothing":
                break
            case "shuffle":
                felt.put(ev.ShoeShuffled("d"))
            case "cut":
                felt.put(ev.ShoeCut("d"))
            case "burn-up":
                felt.put(ev.CardBurned(cards.pop(), 1))
            case "card":
                coup = felt.shoe.current.number
                felt.put(ev.CardDrawn(coup, said.hand, cards.pop(), len(felt.shoe.left) + 1))
            case _:
                if said.expects == "burn-down":
                    cards.pop()
                felt.put(said.payload)
    return felt.shoe


@pytest.mark.parametrize("rules", ENDING)
def test_whatever_is_due_leads_to_the_end_of_the_shoe(rules):
    """From the loading on, doing what is due ends every pack's shoe, and not too soon."""
    decks = Felt(rules).shoe.decks
    shoe = dealt_as_due(rules, list(FULL_DECK) * decks)
    assert shoe.ended is not None
    assert len(shoe.coups) > 7 * decks


@pytest.mark.parametrize("rules", ENDLESS)
def test_whatever_is_due_at_a_continuous_shuffler_goes_on(rules):
    """Twice the cards that are in the machine come out of it, and coup still follows on coup."""
    decks = Felt(rules).shoe.decks
    shoe = dealt_as_due(rules, list(FULL_DECK) * (2 * decks))
    assert shoe.ended is None
    assert len(shoe.left) == 2 * 52 * decks
