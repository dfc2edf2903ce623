"""Baccarat banque: halves, frozen stakes, rotation, claims, the levy, the bank.

Every amount is worked out by hand beside its case.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.chip_flow import imbalances
from sabot.domain.procedure.dealing_order import due_bets, next_action
from sabot.domain.procedure.games import GAMES
from sabot.domain.procedure.patron_bank import levy_due
from sabot.domain.procedure.preconditions import violation
from sabot.domain.procedure.two_tableaux.banco_claims import (
    banco_claimants,
    holder_due,
    lost_bancos,
)
from sabot.domain.procedure.two_tableaux.held_stakes import coup_after, stakes_held_for
from sabot.domain.procedure.two_tableaux.tableaux import banker_choices
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.rules.tableau_hands import outcome_of
from sabot.domain.state.shoe import order_of_play, tableaux_of
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import pack_text
from tests.support.chip_transfers import nets, transfers
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each

SEATED = (2, 3, 4, 5, 7, 8, 9)
FRANCE, OPEN = "deux-tableaux-france", "deux-tableaux-france-open"


def table(pack="banque", amount=100_000, seats=SEATED, text=None):
    """p9 banks: he sits between the tableaux, with p7 and p8 on his right, p5 to p2 on his left."""
    felt = Felt(text or pack, seats=tuple(ev.Seat(n, f"p{n}") for n in seats))
    rule = felt.shoe.pack.tableaux
    if rule.sessions:
        felt.put(bank_ev.SessionCalled("2026-01-31", 1, 1))
    if rule.award == "auction":
        felt.put(bank_ev.BankBid("p9", max(amount, 20_000)))
    else:
        felt.put(bank_ev.BankListed("p9"))
    felt.due(ev.ShoeOffered, ev.ShoeTaken, ev.PatronMoved)
    if rule.proven:
        felt.put(bank_ev.FundsProven("p9", 10**9))
    felt.put(bank_ev.BankPosted("p9", amount)).due(bank_ev.BankUnlimited).put(
        ev.ShoeShuffled("dealer")
    )
    cutter = "p7"
    if rule.names_cutter:
        felt.put(ev.CutterNamed("p9", cutter))
    else:
        offer = next_action(felt.shoe).payload
        cutter = offer.to
        felt.put(offer)
    return felt.put(ev.ShoeCut(cutter, 50)).due(ev.StopCardPlaced)


def opened(felt, *bets):
    """Open the next coup, and place ``p7 right 5000`` and the like."""
    felt.due(ev.CoupOpened, bank_ev.BankCalled, ev.BetCarried)
    number = felt.shoe.current.number
    for bet in bets:
        who, on, amount = bet.split()
        felt.put(ev.BetPlaced(number, len(felt.shoe.current.bets) + 1, who, on, int(amount)))
    return felt


def dealt(felt, right, left, banker):
    """Deal the hands to the end of the coup. A third card was asked for, others stood."""
    felt.due(
        ev.BetPlaced, bank_ev.ExcessReturned, bank_ev.BankRaised, ev.NoMoreBets, bank_ev.HandGiven
    )
    number = felt.shoe.current.number
    hands = {"right": right.split(), "left": left.split(), "banker": banker.split()}
    while felt.shoe.current is not None:
        due = next_action(felt.shoe)
        if due.expects == "card":
            nth = sum(e.payload.hand == due.hand for e in felt.shoe.current.cards)
            place = len(felt.shoe.left) + 1
            felt.put(ev.CardDrawn(number, due.hand, hands[due.hand][nth], place))
        elif due.expects == "choice":
            choice = "draw" if len(hands[due.hand]) > 2 else "stand"
            felt.put(bank_ev.ChoiceMade(number, due.hand, choice))
        else:
            felt.put(felt._ticketed(due.payload))
    return felt


def moved(felt, coup=1):
    """What became of each bet: paid or taken, in minor units."""
    return [bet.paid - bet.taken for bet in felt.shoe.coups[coup].bets.values()]


def left_there(felt):
    """What is frozen for the coup that is opened next."""
    felt.due(ev.CoupOpened)
    waiting = stakes_held_for(felt.shoe, felt.shoe.current)
    return [(each.bet.patron, each.wager, each.amount, each.free) for each in waiting]


# -- Halves ---------------------------------------------------------------------------------------

WIN, TIE, LOSS = "2h 4h", "2c 3c", "2d 2s"
"""Six, five and four: won, tied and lost against a banker who stands on five."""
FIVE = "2s 3s"


@for_each(
    ("right", "left", "came", "stays"),
    [
        (WIN, WIN, 4000, []),
        (LOSS + " Kh", LOSS + " Kd", -4000, []),
        (WIN, LOSS + " Kd", 0, [("p7", "cheval", 4000, False)]),
        (LOSS + " Kh", WIN, 0, [("p7", "cheval", 4000, False)]),
        (WIN, TIE, 2000, [("p7", "left", 2000, False)]),
        (TIE, WIN, 2000, [("p7", "right", 2000, False)]),
        (LOSS + " Kh", TIE, -2000, [("p7", "left", 2000, False)]),
        (TIE, LOSS + " Kd", -2000, [("p7", "right", 2000, False)]),
        (TIE, TIE, 0, [("p7", "cheval", 4000, False)]),
    ],
)
def test_the_halves_of_a_stake_are_settled_apart(right, left, came, stays):
    felt = dealt(opened(table(), "p7 cheval 4000"), right, left, FIVE)
    assert moved(felt) == [came]
    assert felt.shoe.bank.amount == 100_000 - came
    assert left_there(felt) == stays


def test_what_is_frozen_is_carried_and_cannot_be_taken_back():
    felt = dealt(opened(table(), "p7 cheval 4000", "p5 left 1000"), WIN, TIE, FIVE)
    opened(felt)
    bets = felt.shoe.coups[2].bets
    assert [(b.patron, b.wager, b.amount) for b in bets.values()] == [
        ("p7", "left", 2000),
        ("p5", "left", 1000),
    ]
    assert all(
        "it stands for this coup" in violation(felt.shoe, ev.BetWithdrawn(2, n)) for n in bets
    )
    assert "stakes are frozen" in violation(felt.shoe, bank_ev.BancoCalled(2, "p8"))


def test_a_tie_may_be_taken_back_where_the_pack_says_so_but_not_what_was_a_cheval():
    text = pack_text("banque").replace("withdrawable = false", "withdrawable = true")
    felt = table(text=text)
    dealt(opened(felt, "p7 cheval 4000", "p5 left 1000"), WIN, TIE, FIVE)
    opened(felt)
    assert "frozen" in violation(felt.shoe, ev.BetWithdrawn(2, 1))
    assert violation(felt.shoe, ev.BetWithdrawn(2, 2)) is None


@pytest.mark.parametrize(
    ("pack", "amount", "says"),
    [
        ("banque", 1001, "à cheval is two equal halves"),
        ("banque", 1002, None),
        (OPEN, 300, "à cheval is two equal halves"),
        (OPEN, 400, None),
    ],
)
def test_a_half_is_a_whole_number_of_stake_units(pack, amount, says):
    felt = opened(table(pack))
    said = violation(felt.shoe, ev.BetPlaced(1, 1, "p7", "cheval", amount))
    assert (said is None) if says is None else (says in said)


def test_an_open_bank_takes_whole_euros():
    felt = opened(table(OPEN))
    assert "multiples of 1.00" in violation(felt.shoe, ev.BetPlaced(1, 1, "p7", "right", 150))
    assert violation(felt.shoe, ev.BetPlaced(1, 1, "p7", "right", 10**9)) is None


def test_an_open_bank_has_no_maximum():
    felt = table(OPEN)
    assert "no maximum may be set" in violation(felt.shoe, ev.LimitsChanged((ev.Limit(500, 9000),)))
    assert violation(felt.shoe, ev.LimitsChanged((ev.Limit(500, ev.MAX_INT),))) is None
    assert violation(table(FRANCE).shoe, ev.LimitsChanged((ev.Limit(500, 9000),))) is None
    # one that was set all the same has no effect
    felt.put(ev.LimitsChanged((ev.Limit(500, 9000),)))
    opened(felt)
    assert violation(felt.shoe, ev.BetPlaced(1, 1, "p7", "right", 10_000)) is None
    assert "is 5.00 EUR at least" in violation(felt.shoe, ev.BetPlaced(1, 1, "p7", "right", 400))


def test_an_odd_half_that_was_recorded_all_the_same_is_settled_by_no_pay_line():
    felt = opened(table(), "p7 cheval 4001")
    coup, bet = felt.shoe.coups[1], felt.shoe.coups[1].bets[1]
    coup.others.update({("right", None): ["2h", "4h"], ("left", None): ["2c", "4c"]})
    coup.banker.extend(("2s", "3s"))
    assert GAMES["baccarat-banque"].due(felt.shoe, coup, bet, 4001) is None
    assert due_bets(felt.shoe, coup) == []


# -- Naturals -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tableau", "banker", "came"),
    [
        ("4h 4d", "2s 3s 4c", "wins"),  # eight at once, though the banker came to nine later
        ("4h 4d", "4s 5s", "loses"),
        ("4h 4d", "4s 4c", "ties"),
        ("2h 5d", "4s 4c", "loses"),
        ("2h 2d 5s", "4s 4c", "loses"),
        ("2h 2d 5s", "2s 3s 3c", "wins"),
        ("2h 2d", "2s", None),
    ],
)
def test_a_natural_is_judged_on_two_cards(tableau, banker, came):
    assert outcome_of(tableau.split(), banker.split()) == came


def test_a_natural_of_the_banker_or_of_both_tableaux_ends_the_coup():
    for hands in (("2h 3h", "2c 3c", "4s 5s"), ("4h 4d", "4c 5c", "2s 3s")):
        felt = dealt(opened(table(), "p7 right 1000", "p5 left 1000"), *hands)
        assert felt.shoe.coups[1].banked.choices == []


def test_the_banker_has_no_card_to_ask_for_a_tableau_that_was_paid():
    """A banker who is bound draws by the tableau that is played on."""
    text = pack_text("banque").replace('banco = "free"', 'banco = "tableau"')
    felt = opened(table(text=text), "p7 right 1000", "p5 left 1000")
    felt.due(ev.NoMoreBets, bank_ev.HandGiven)
    coup = felt.shoe.coups[1]
    coup.others.update({("right", None): ["4h", "4d"], ("left", None): ["2c", "4c"]})
    coup.banker.extend(("2s", "4s"))
    # on six he stands where the left had no card, whatever the right has
    assert banker_choices(felt.shoe, coup) == ("stand",)
    # right drew a six, on which six draws; left had none, on which it stands: he is free
    coup.others[("right", None)] = ["2h", "2d", "6h"]
    assert banker_choices(felt.shoe, coup) == ("draw", "stand")


def test_where_the_banker_names_nobody_the_cut_is_offered_from_the_croupiers_left():
    felt = Felt(FRANCE, seats=tuple(ev.Seat(n, f"p{n}") for n in SEATED)).put(
        bank_ev.BankBid("p9", 30_000)
    )
    felt.due(ev.ShoeOffered, ev.ShoeTaken, ev.PatronMoved, bank_ev.BankPosted).put(
        ev.ShoeShuffled("dealer")
    )
    assert "does not let the banker name" in violation(felt.shoe, ev.CutterNamed("p9", "p7"))
    # p9 went to the middle: the highest seat, beside the croupier's left, is p8's
    assert next_action(felt.shoe).payload == ev.CutOffered("p8")
    felt.put(ev.CutOffered("p8"))
    assert violation(felt.shoe, ev.ShoeCut("p2", 50)) is not None
    assert violation(felt.shoe, ev.ShoeCut("p8", 50)) is None


def test_the_cut_card_goes_in_after_the_cut_and_neither_comes_in_a_coup():
    felt = Felt("banque", seats=tuple(ev.Seat(n, f"p{n}") for n in SEATED))
    assert "once the cards are cut" in violation(felt.shoe, ev.StopCardPlaced(10))
    felt = table()
    cutter = felt.shoe.cuts[-1].payload.by
    assert "are cut already; open coup 1" in violation(felt.shoe, ev.ShoeCut(cutter, 100))
    assert "is in the shoe already; open coup 1" in violation(felt.shoe, ev.StopCardPlaced(10))
    felt.put(ev.CoupOpened(1))
    assert "coup 1 was opened" in violation(felt.shoe, ev.ShoeCut(cutter, 100))
    assert "coup 1 was opened" in violation(felt.shoe, ev.StopCardPlaced(10))


# -- The bank's reach -----------------------------------------------------------------------------


def test_winners_are_paid_in_rotation_as_far_as_the_bank_reaches():
    """In the bank are 200.00, and p4's 50.00 are lost on the left: 250.00 for the right.

    p7 is first on the right (120.00), p3 à cheval has won and lost. p8 is second: 130.00 of 150.00.
    """
    felt = opened(
        table(amount=20_000), "p8 right 15000", "p7 right 12000", "p4 left 5000", "p3 cheval 2000"
    )
    dealt(felt, WIN, LOSS + " Kd", FIVE)
    assert moved(felt) == [13_000, 12_000, -5000, 0]
    assert felt.shoe.bank.amount == 0
    assert "the bank is broken" in next_action(felt.shoe).text
    assert imbalances(felt.shoe) == ()
    assert sum(nets(transfers(felt.shoe)).values()) == 0


def payments(felt, coup=1):
    """What was paid and taken, in the order in which it was: the bet and the amount."""
    moves = [event.payload for event in felt.shoe.coups[coup].events]
    return [
        (payload.bet, payload.amount if isinstance(payload, ev.BetPaid) else -payload.amount)
        for payload in moves
        if isinstance(payload, ev.BetPaid | ev.BetTaken)
    ]


def test_what_a_natural_at_once_lacked_is_paid_of_what_the_losers_leave():
    """The bank's 200.00 go to p7, 120.00, and p8, 80.00 of his 150.00; then p4's lost 50.00 too."""
    felt = opened(table(amount=20_000), "p8 right 15000", "p7 right 12000", "p4 left 5000")
    dealt(felt, "4h 4d", LOSS + " Kd", FIVE)
    assert payments(felt) == [(2, 12_000), (1, 8000), (3, -5000), (1, 5000)]
    assert moved(felt) == [13_000, 12_000, -5000]
    assert felt.shoe.bank.amount == 0
    assert audit_shoe(felt.shoe).findings == []


def test_a_natural_that_the_bank_never_reached_is_told_nothing_before_the_losers_are_taken():
    """All of the bank's 200.00 is p7's; p4 then loses 90.00, of which p8 has 50.00, p10 40.00."""
    bets = ("p10 right 5000", "p8 right 5000", "p7 right 20000", "p4 left 9000")
    felt = dealt(
        opened(table(amount=20_000, seats=(*SEATED, 10)), *bets), "4h 4d", LOSS + " K", FIVE
    )
    assert payments(felt) == [(3, 20_000), (4, -9000), (2, 5000), (1, 4000)]
    felt = dealt(opened(table(amount=20_000), *bets[1:3]), "4h 4d", TIE, FIVE)
    assert payments(felt) == [(2, 20_000)]
    assert felt.shoe.coups[1].bets[1].pushed


def test_nobody_is_paid_more_at_once_than_lies_there_nor_less_later_than_the_bank_has():
    felt = opened(table(amount=20_000), "p8 right 15000", "p7 right 12000", "p4 left 5000")
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    for hand, card in zip(
        ("right", "left", "banker") * 2, ("4", "2", "2", "4", "2", "3"), strict=True
    ):
        felt.put(ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1))
    felt.due(ev.CardTurned)
    assert next_action(felt.shoe).payload == ev.BetPaid(1, 2, 12_000)
    felt.put(ev.BetPaid(1, 2, 12_000))
    assert "80.00 EUR is due to that bet now" in violation(felt.shoe, ev.BetPaid(1, 1, 15_000))
    felt.put(ev.BetPaid(1, 1, 8000)).put(bank_ev.ChoiceMade(1, "left", "draw"))
    felt.put(ev.CardDrawn(1, "left", "K", 7), bank_ev.ChoiceMade(1, "banker", "stand"))
    felt.due(ev.CardTurned, bank_ev.HandsCalled, ev.BetTaken)
    assert "50.00 EUR is due to that bet now" in violation(felt.shoe, ev.BetPaid(1, 1, 7000))
    assert violation(felt.shoe, ev.CoupClosed(1)) is not None
    assert violation(felt.shoe, ev.BetPaid(1, 1, 5000)) is None


def test_a_banker_who_accepts_all_stakes_pays_all_and_holds_every_stake_from_then_on():
    felt = opened(table(amount=20_000), "p8 right 15000", "p7 right 12000")
    felt.put(bank_ev.BankUnlimited("p9", 1))
    assert next_action(felt.shoe).payload == bank_ev.BankRaised("p9", 7000, 1)
    dealt(felt, WIN, TIE, FIVE)
    assert moved(felt) == [15_000, 12_000]
    felt.put(bank_ev.BankRaised("p9", 20_000))
    opened(felt, "p8 right 30000")
    assert next_action(felt.shoe).payload == bank_ev.BankRaised("p9", 10_000, 2)
    assert "no limit" in violation(felt.shoe, bank_ev.BancoCalled(2, "p7"))


def test_a_broken_bank_is_made_up_to_the_minimum_or_given_up():
    felt = dealt(opened(table(amount=20_000), "p7 right 20000"), WIN, LOSS + " Kd", FIVE)
    assert next_action(felt.shoe).payload == bank_ev.BankRaised("p9", 20_000)
    assert "at least" in violation(felt.shoe, bank_ev.BankRaised("p9", 19_999))
    assert violation(felt.shoe, ev.ShoePassed("p9", "chosen")) is not None
    felt.put(ev.ShoePassed("p9", "lost"))
    # nothing to match: the next in rotation, at any amount
    assert next_action(felt.shoe).payload == ev.ShoeOffered("p7")


def test_who_retires_says_how_much_and_takes_his_successors_seat():
    felt = table()
    assert "plays 1 coup before" in violation(felt.shoe, bank_ev.BankWithdrawn("p9", 100_000))
    dealt(opened(felt, "p7 right 5000"), LOSS + " Kh", TIE, FIVE)
    assert "takes all 1,050.00 EUR" in violation(felt.shoe, bank_ev.BankWithdrawn("p9", 5000))
    felt.put(bank_ev.BankWithdrawn("p9", 105_000)).due(ev.ShoePassed)
    for who in ("p7", "p5"):
        assert next_action(felt.shoe).payload == ev.ShoeOffered(who, 105_000)
        felt.due(ev.ShoeOffered).put(ev.ShoeRefused(who))
    felt.due(ev.ShoeOffered, ev.ShoeTaken, ev.PatronMoved)
    assert (felt.shoe.seats[6], felt.shoe.seats[8]) == ("p8", "p9")
    assert "post that amount" in violation(felt.shoe, bank_ev.BankPosted("p8", 105_001))
    assert next_action(felt.shoe).payload == bank_ev.BankPosted("p8", 105_000)


def test_nobody_retires_while_stakes_are_frozen():
    felt = dealt(opened(table(), "p7 cheval 4000"), WIN, LOSS + " Kd", FIVE)
    assert "frozen" in violation(felt.shoe, bank_ev.BankWithdrawn("p9", 100_000))
    assert "frozen" in violation(felt.shoe, ev.PatronLeft("p7"))


# -- Rotation, and who holds a hand ---------------------------------------------------------------


def test_the_order_is_right_and_left_in_turn_from_beside_the_banker():
    felt = table()
    assert tableaux_of(felt.shoe) == (["p7", "p8"], ["p5", "p4", "p3", "p2"])
    assert order_of_play(felt.shoe, None) == ["p7", "p5", "p8", "p4", "p3", "p2", "p9"]


def test_a_tableaux_hand_stays_until_it_loses_and_then_goes_to_the_next_on_that_tableau():
    felt = table()
    given = []
    for right, left in ((WIN, TIE), (TIE, LOSS + " Kd"), (LOSS + " Kh", WIN), (LOSS + " Kh", WIN)):
        dealt(opened(felt, "p7 right 1000", "p4 left 1000"), right, left, FIVE)
        number = max(felt.shoe.coups)
        given.append([e.payload.to for e in felt.shoe.coups[number].banked.given])
    # the left lost with p5, so p4 has it; the right lost with p7, then with p8: p7 again
    assert given == [["p7", "p5"], ["p7", "p5"], ["p7", "p4"], ["p8", "p4"]]
    opened(felt)
    assert holder_due(felt.shoe, felt.shoe.current, "right") == "p7"


def test_a_holder_who_leaves_is_followed_by_the_next_and_an_empty_tableau_by_who_staked_on_it():
    felt = dealt(opened(table(), "p7 right 1000"), WIN, WIN, FIVE)
    felt.put(ev.PatronLeft("p5"))
    opened(felt)
    assert holder_due(felt.shoe, felt.shoe.current, "left") == "p4"
    empty = opened(table(seats=(7, 8, 9)), "x left 1000")
    assert holder_due(empty.shoe, empty.shoe.current, "left") == "x"
    nobody = opened(table(seats=(7, 8, 9)), "p7 right 1000")
    assert holder_due(nobody.shoe, nobody.shoe.current, "left") is None
    dealt(nobody, WIN, WIN, FIVE)
    assert nobody.shoe.coups[1].closed is not None


# -- Going bank -----------------------------------------------------------------------------------


def claimed(felt, *claims):
    opened(felt)
    number = felt.shoe.current.number
    for claim in claims:
        who, _, on = claim.partition(" ")
        felt.put(bank_ev.BancoCalled(number, who, on=on or None))
    takers = banco_claimants(felt.shoe, felt.shoe.current)
    return [(taker.patron, taker.wager, taker.amount) for taker in takers]


@for_each(
    ("claims", "takers"),
    [
        (("p8",), [("p8", "right", 100_001)]),
        (("p8", "p7"), [("p7", "right", 100_001)]),
        (("p8 both",), [("p8", "cheval", 100_000)]),
        # p5 is before p8 in rotation, and they sit on opposite sides: half of 1,000.01 each
        (("p8", "p5"), [("p5", "left", 50_000), ("p8", "right", 50_000)]),
        (("p4 both", "p7", "p5"), [("p7", "right", 50_000), ("p5", "left", 50_000)]),
        # who stands comes last, and is on the side that he names
        (("x left", "p5"), [("p5", "left", 100_001)]),
        (("x right", "p5"), [("p5", "left", 50_000), ("x", "right", 50_000)]),
        (("x both", "p5"), [("p5", "left", 100_001)]),
    ],
)
def test_the_first_claim_in_rotation_counts_and_opposite_ones_go_halves(claims, takers):
    assert claimed(table(amount=100_001), *claims) == takers


def test_who_lost_three_times_in_a_row_goes_bank_no_further():
    felt = table(amount=20_000)
    for number, hands in enumerate(
        ((LOSS + " Kh", WIN), (TIE, WIN), (LOSS + " Kh", WIN), (LOSS + " Kh", WIN)), 1
    ):
        opened(felt)
        if number != 3:  # the stake that tied in the second coup is played again in the third
            assert lost_bancos(felt.shoe, felt.shoe.current, "p7") == (0, 1, 1, 2)[number - 1]
            felt.put(bank_ev.BancoCalled(number, "p7"))
        dealt(felt, *hands, FIVE)
    opened(felt)
    assert lost_bancos(felt.shoe, felt.shoe.current, "p7") == 3
    assert "3 times in a row" in violation(felt.shoe, bank_ev.BancoCalled(5, "p7"))
    assert violation(felt.shoe, bank_ev.BancoCalled(5, "p8")) is None
    dealt(opened(felt, "p8 right 500"), WIN, WIN, FIVE)
    opened(felt)
    assert violation(felt.shoe, bank_ev.BancoCalled(6, "p7")) is None


def test_beside_a_banco_nobody_stakes_and_it_is_given_the_hand():
    felt = opened(table(), "p8 right 3000", "p5 cheval 2000")
    felt.put(bank_ev.BancoCalled(1, "p7")).due(ev.BetPlaced)
    back = []
    while isinstance(payload := next_action(felt.shoe).payload, bank_ev.ExcessReturned):
        back.append((felt.shoe.coups[1].bets[payload.bet].patron, payload.amount))
        felt.put(payload)
    # last in rotation first: p8 is the second on the right, behind p5, the first on the left
    assert back == [("p8", 3000), ("p5", 2000)]
    assert "nobody else stakes" in violation(felt.shoe, ev.BetPlaced(1, 9, "p8", "right", 3000))
    dealt(felt, WIN, WIN, FIVE)
    assert [e.payload.to for e in felt.shoe.coups[1].banked.given] == ["p7", "p5"]
    assert moved(felt) == [0, 0, 100_000]


# -- The levy -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pack", "right", "left", "levy"),
    [
        # both won: 410.50 + 200.00 = 610.50, of which 2 % are 12.21, to ten cents 12.20
        (FRANCE, LOSS + " Kh", LOSS + " Kd", 1220),
        # split: 210.50 is the difference, of which 2 % are 4.21, to ten cents 4.20
        (FRANCE, LOSS + " Kh", WIN, 420),
        (FRANCE, WIN, LOSS + " Kd", 0),
        # one tied: the winner only, 410.50: 8.21, 8.20
        (FRANCE, LOSS + " Kh", TIE, 820),
        # 1.25 %: of 610.00 7.625, of 210.00 2.625, of 410.00 5.125
        (OPEN, LOSS + " Kh", LOSS + " Kd", 760),
        (OPEN, LOSS + " Kh", WIN, 260),
        (OPEN, LOSS + " Kh", TIE, 510),
    ],
)
def test_the_levy_is_on_what_the_bank_won_on_both_tableaux_together(pack, right, left, levy):
    stakes = ("p7 right 41050" if pack == FRANCE else "p7 right 41000", "p5 left 20000")
    felt = dealt(opened(table(pack), *stakes), right, left, FIVE)
    assert levy_due(felt.shoe, felt.shoe.coups[1]) == levy
    taken = [event.payload.amount for event in felt.shoe.coups[1].banked.levies]
    assert taken == ([levy] if levy else [])
    assert nets(transfers(felt.shoe)).get("house", 0) == levy


def test_half_of_ten_cents_goes_up():
    # 62.50 at 2 % are 1.25: 1.30
    felt = dealt(opened(table(FRANCE), "p7 right 6250"), LOSS + " Kh", TIE, FIVE)
    assert levy_due(felt.shoe, felt.shoe.coups[1]) == 130


# -- Packs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("seats = 11", "seats = 10", "give an odd number of seats"),
        ('name = "cheval"', 'name = "tie"', "not a wager on a tableau"),
        ('"rotation-or-accept"', '"return"', "paid in rotation"),
        ("[tableaux]", "[tableau]", "tableau"),
        ('["wing-wins"', '["player-wins"', "which is not a condition"),
        ('game = "baccarat-banque"', 'game = "chemin-de-fer"', "chemin-de-fer"),
        ("stake_unit = 1", "stake_unit = 0", "stake_unit"),
    ],
)
def test_a_bad_pack_is_refused_with_the_reason(old, new, says):
    text = pack_text("banque")
    assert old in text
    with pytest.raises(BadRulePack, match=says):
        parse_pack(text.replace(old, new))


def test_other_games_take_no_tableaux():
    text = pack_text("chemin-de-fer")
    with pytest.raises(BadRulePack, match="not a section of chemin-de-fer"):
        parse_pack(text + '\n[tableaux]\naward = "list"\n')
    with pytest.raises(BadRulePack, match="for two tableaux"):
        parse_pack(text.replace('"raise-or-return"', '"rotation"'))


# -- A false draw ---------------------------------------------------------------------------------


def false_draw(pack):
    """The banker draws behind two naturals, and the coup is void."""
    felt = opened(table(pack), "p7 right 5000")
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    cards = zip(("right", "left", "banker") * 2, ["9", "8", "3", "Kh", "Kd", "4"], strict=True)
    felt.put(*(ev.CardDrawn(1, hand, card, n) for n, (hand, card) in enumerate(cards, 1)))
    felt.put(ev.CardDrawn(1, "banker", "2", 7), ev.IrregularityNoted("wrong-draw", "void", 1))
    return felt.put(ev.CoupVoided(1, "a false draw"))


def test_a_false_draw_costs_the_banker_the_bank_where_the_pack_says_so():
    felt = false_draw(FRANCE)
    assert next_action(felt.shoe).payload == bank_ev.BankWithdrawn("p9", 100_000)
    assert "open coup" not in next_action(felt.shoe).text
    assert violation(felt.shoe, ev.CoupOpened(2)) is not None
    felt.put(bank_ev.BankWithdrawn("p9", 100_000))
    assert "by a ruling; type: passes ruling" in violation(felt.shoe, ev.ShoePassed("p9", "chosen"))
    assert next_action(felt.shoe).payload == ev.ShoePassed("p9", "ruling")
    # nobody has to match it
    assert next_action(felt.put(ev.ShoePassed("p9", "ruling")).shoe).payload == ev.ShoeOffered("p7")
    assert next_action(false_draw("banque").shoe).payload == ev.CoupOpened(2)


# -- A coup that is void --------------------------------------------------------------------------


def void(felt, coup=1):
    """Something happens, and the coup is void."""
    felt.put(ev.IrregularityNoted("other", "void", coup, "sue", "the lights go out"))
    return felt.put(ev.CoupVoided(coup, "the lights went out", "sue"))


def natural_on_the_right(felt):
    """Eight on the right, four and five elsewhere; nothing has been paid yet."""
    felt.put(ev.NoMoreBets(felt.shoe.current.number)).due(bank_ev.HandGiven)
    for hand, card in zip(("right", "left", "banker") * 2, "422423", strict=True):
        place = len(felt.shoe.left) + 1
        felt.put(ev.CardDrawn(felt.shoe.current.number, hand, card, place))
    return felt.due(ev.CardTurned)


def test_a_natural_that_was_paid_stands_when_the_coup_is_void_and_all_else_goes_back():
    felt = natural_on_the_right(opened(table(), "p7 right 5000", "p8 right 3000", "p5 left 2000"))
    felt.put(ev.BetPaid(1, 1, 5000), ev.IrregularityNoted("other", "void", 1, "sue"))
    assert "pay all of it first" in violation(felt.shoe, ev.CoupVoided(1, "fire"))
    felt.put(ev.BetPaid(1, 2, 3000))
    assert violation(felt.shoe, ev.CoupVoided(1, "fire")) is None
    felt.put(ev.CoupVoided(1, "fire"))
    assert moved(felt) == [5000, 3000, 0]
    assert felt.shoe.bank.amount == 92_000
    assert sum(nets(transfers(felt.shoe)).values()) == 0
    assert imbalances(felt.shoe) == ()
    assert audit_shoe(felt.shoe).findings == []
    assert next_action(felt.due(ev.CoupOpened).shoe).payload == bank_ev.BankCalled(2, 92_000)


def test_a_natural_that_was_not_paid_yet_goes_back_with_all_else():
    felt = natural_on_the_right(opened(table(), "p7 right 5000"))
    assert violation(felt.shoe, ev.CoupVoided(1, "fire")) is not None  # nothing was noted
    felt.put(ev.IrregularityNoted("other", "void", 1, "sue"))
    assert violation(felt.shoe, ev.CoupVoided(1, "fire")) is None
    assert audit_shoe(felt.put(ev.CoupVoided(1, "fire")).shoe).findings == []
    assert felt.shoe.bank.amount == 100_000


def test_who_was_paid_at_once_before_a_coup_was_void_has_not_lost_his_bancos():
    felt = table(amount=20_000)
    for number in (1, 2, 3):
        felt.due(ev.CoupOpened, bank_ev.BankCalled).put(bank_ev.BancoCalled(number, "p7"))
        dealt(felt, "3 K K", "4 2", "4 5")
    felt.due(ev.CoupOpened, bank_ev.BankCalled)
    assert lost_bancos(felt.shoe, felt.shoe.current, "p7") == 3
    # nobody goes bank, and the coup is void: as if it had not been dealt
    void(felt.put(ev.BetPlaced(4, 1, "p8", "right", 500)), 4).due(ev.CoupOpened, bank_ev.BankCalled)
    assert lost_bancos(felt.shoe, felt.shoe.current, "p7") == 3
    felt = table(amount=20_000)
    for number in (1, 2):
        felt.due(ev.CoupOpened, bank_ev.BankCalled).put(bank_ev.BancoCalled(number, "p7"))
        dealt(felt, "3 K K", "4 2", "4 5")
    felt.due(ev.CoupOpened, bank_ev.BankCalled).put(bank_ev.BancoCalled(3, "p7")).due(ev.BetPlaced)
    natural_on_the_right(felt).due(ev.BetPaid)
    void(felt, 3)
    assert lost_bancos(felt.shoe, coup_after(felt.shoe.coups[3], 1), "p7") == 0


def test_what_was_frozen_before_a_void_coup_is_frozen_after_it():
    felt = dealt(opened(table(), "p7 cheval 4000", "p5 left 1000"), WIN, TIE, FIVE)
    opened(felt, "p8 cheval 2000")
    void(felt, 2)
    before = [("p7", "left", 2000, False), ("p5", "left", 1000, False)]
    assert left_there(felt) == before
    assert "frozen" in violation(felt.shoe, ev.PatronLeft("p7"))
    # a second void coup, in which nobody had come to carry them
    void(felt, 3)
    assert left_there(felt) == before


def test_what_was_frozen_is_won_where_it_lay_on_a_natural_that_was_paid():
    felt = dealt(opened(table(), "p7 cheval 4000", "p8 cheval 2000"), TIE, WIN, FIVE)
    opened(felt)  # a half of each lies on the right
    natural_on_the_right(felt).due(ev.BetPaid)
    assert [event.payload.amount for event in felt.shoe.coups[2].bets[1].moves] == [2000]
    assert left_there(void(felt, 2)) == []
    assert audit_shoe(felt.shoe).findings == []
    # the whole that was split lies on both, and neither half is settled without the other
    felt = dealt(opened(table(), "p7 cheval 4000", "p8 right 500"), WIN, LOSS + " K", FIVE)
    natural_on_the_right(opened(felt, "p8 right 500")).due(ev.BetPaid)
    assert left_there(void(felt, 2)) == [("p7", "cheval", 4000, False)]


def test_a_tie_that_was_taken_back_before_the_coup_was_void_is_gone():
    text = pack_text("banque").replace("withdrawable = false", "withdrawable = true")
    felt = dealt(opened(table(text=text), "p5 left 1000", "p4 left 1000"), WIN, TIE, FIVE)
    opened(felt).put(ev.BetWithdrawn(2, 1))
    assert left_there(void(felt, 2)) == [("p4", "left", 1000, True)]
