"""Macao and victoria: totals, choices and refusals."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.own_hand_banks import bank_given_up_early
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import due_bets, next_action
from sabot.domain.procedure.macao import rules_of
from sabot.domain.procedure.own_hands import seats_clockwise
from sabot.domain.procedure.preconditions import violation
from sabot.domain.rules.macao_hands import CONDITIONS, compare_hands, score_of
from sabot.domain.rules.rule_pack import parse_pack
from sabot.domain.simulation.shoe_plan import shuffle_cards
from sabot.domain.state.shoe import fold
from sabot.domain.values.errors import BadRulePack
from sabot.infrastructure.rule_packs import of_game, pack_text
from tests.support.audited import codes
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each
from tests.support.own_hand_coups import deal, finish, hands, play, table
from tests.support.thorough import slow, tries

PACKS = (*of_game("macao"), *of_game("victoria"))

# pack | hand | banker | what 100 brings: won, lost or neither
WORTH = """
macao-old   | 9     | 8     | +300
macao-old   | 8     | 7     | +200
macao-old   | 7     | 6     | +100
macao-old   | 9     | 9     | =
macao-old   | 9     | 5 4   | +300
macao-old   | 5 4   | 9     | -100
macao-old   | 5 4   | 6 3   | =
macao-old   | 5 4   | 3 3 3 | +100
macao-old   | 4 4   | 7     | +100
macao-old   | 8     | 6 2   | +200
macao-old   | 5 5   | 9 9   | -100
macao-old   | 5 6   | K     | -100
macao-old   | K     | 9 A   | +100
macao-old   | K     | Q     | =
macao-old   | K K   | Q     | -100
macao-old   | 7     | 8     | -100
macao-later | 9     | 9     | -100
macao-later | 9     | 8     | +300
macao-later | 8     | 2     | +200
macao-later | 5 4   | 8     | +100
macao-later | 5 6   | K     | +100
macao-later | 6 9   | 7 8   | -100
macao-later | 6 9   | 5     | -100
macao-later | 5     | 6 9   | +100
macao-later | 9 9   | 7     | +100
macao-later | J J   | 4 6   | -100
victoria    | 5 4   | K 8   | +300
victoria    | 5 3   | K 7   | +200
victoria    | 4 4   | K 7   | +100
victoria    | 5 4   | K 9   | -100
victoria    | 5 4   | 5 2 2 | +300
victoria    | 5 2 2 | K 8   | +100
victoria    | K 6   | 7 9   | -100
"""


@for_each("line", WORTH.strip().splitlines())
def test_what_a_hand_brings(line):
    pack, mine, his, brings = (part.strip() for part in line.split("|"))
    assert said(pack, mine.split(), his.split()) == brings


def said(pack, mine, his):
    felt = table(pack, bank=1_000_000)
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "hand", 100, 1), ev.NoMoreBets(1))
    felt.put(*[ev.CardDrawn(1, "patron", card, seat=1) for card in mine])
    felt.put(*[ev.CardDrawn(1, "banker", card) for card in his])
    ((_, due),) = due_bets(felt.shoe, felt.shoe.coups[1])
    return {"pay": f"+{due.paid}", "take": f"-{due.taken}", "push": "="}[due.kind]


@pytest.mark.parametrize("name", PACKS)
def test_every_line_settles_some_hand(name):
    """No line is hidden behind those above it, but for a pair, which pays as any other hand."""
    pack = parse_pack(pack_text(name))
    rules = rules_of(pack)
    faces = ("K", "A", "2", "3", "4", "5", "6", "8", "9")
    held = [cards for n in (1, 2, 3) for cards in product(faces, repeat=n) if n >= rules.dealt]
    (wager,) = pack.wagers
    reached = {
        wager.line_where(lambda on, shown=shown: CONDITIONS[on](shown))
        for shown in (
            compare_hands(rules, score_of(rules, mine), score_of(rules, his))
            for mine in (*held[:81], *held[81::5])
            for his in held[::7]
        )
    }
    assert set(wager.lines) <= reached
    assert "unknown" not in reached


def test_a_pair_of_cards_that_only_count_ten_is_not_known():
    rules = rules_of(parse_pack(pack_text("victoria")))
    assert score_of(rules, ["0", "0"]).pair is None
    assert score_of(rules, ["K", "Q"]).pair is False
    assert score_of(rules, ["K", "K"]).pair is True


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (('game = "macao"', 'game = "punto-banco"'), "the section [macao] is for macao"),
        (("most_cards = 2", "most_cards = 0"), "most_cards"),
        (("dealt = 1", "dealt = 2\nx = 1"), "x"),
        (("dealt = 1\n", "dealt = 3\n"), "dealt"),
        (
            ("hand-wins-with-pair", "player-wins"),
            "which is not a condition; conditions are hand-ties",
        ),
    ],
)
def test_a_bad_pack_is_refused_with_the_reason(change, says):
    with pytest.raises(BadRulePack, match=says.replace("[", r"\[")):
        parse_pack(pack_text("macao-later").replace(*change))


def test_a_pack_of_punto_banco_cannot_pay_on_hands_of_ones_own():
    with pytest.raises(BadRulePack, match="'hand-wins', which is not a condition"):
        parse_pack(pack_text("uk").replace('"tie", "9:1"', '"hand-wins", "9:1"'))


def test_a_hand_may_not_have_fewer_cards_than_it_is_dealt():
    text = pack_text("victoria").replace("most_cards = 3", "most_cards = 1")
    with pytest.raises(BadRulePack, match="dealt 2 cards and may have 1"):
        parse_pack(text)


def test_the_turn_goes_clockwise_from_the_bankers_left():
    assert seats_clockwise({1, 2, 4, 5}, 3) == [2, 1, 5, 4]
    assert seats_clockwise({1, 2, 3}, None) == [3, 2, 1]


# -- What the table asks and refuses --------------------------------------------------------------


def test_a_rejected_ten_is_replaced_at_once_and_may_be_rejected_again():
    felt = deal(table(), "1 500 | 1: 3 +K- !Q-; B: 4")
    due = next_action(felt.shoe)
    assert (due.expects, due.hand, due.seat) == ("card", "patron", 1)
    assert felt.shoe.coups[1].hand("patron", 1) == ["3"]


@pytest.mark.parametrize(
    ("line", "payload", "says"),
    [
        ("1 500 | 1: 9", bank_ev.CardRejected(1, "patron", 1), "only a ten or face"),
        (
            "1 500 | 1: 9; B: 4",
            bank_ev.ChoiceMade(1, "patron", "draw", None, 1),
            "the hand stood and takes no more cards",
        ),
        ("1 500 | 1: 9; B: 4", ev.CardDrawn(1, "banker", "4", 3), "p3 has not asked"),
        ("1 500 | 1: 9", ev.CardDrawn(1, "patron", "4", 2, seat=1), "p1 has not asked"),
        (
            "1 500 | 1: 9; B: 4 =",
            bank_ev.HandsCalled(1, ()),
            "not due now; turn card 1 of p1 at seat 1",
        ),
        ("1 500 | 1: 9; B: 4 =", ev.ResultCalled(1, 9, 4, "P"), "macao has no call of the result"),
        ("1 500 | 1: 9; B: 4 =", ev.CoupOpened(2), "coup 1 is open"),
    ],
)
def test_what_comes_out_of_turn_is_refused(line, payload, says):
    assert says in violation(deal(table(), line).shoe, payload)


@pytest.mark.parametrize(
    ("payload", "says"),
    [
        (bank_ev.ChoiceMade(1, "patron", "draw", "p2", 1), "the hand is p1's, not p2's"),
        (bank_ev.CardRejected(1, "patron", 1), "only a ten or face that was just drawn"),
        (
            bank_ev.ChoiceMade(1, "banker", "draw"),
            "that hand has nothing to decide now; p1 at seat 1",
        ),
    ],
)
def test_a_choice_is_its_own_hands(payload, says):
    felt = opened()
    felt.put(ev.BetPlaced(1, 1, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    felt.put(ev.CardDrawn(1, "patron", "3", 1, seat=1), ev.CardDrawn(1, "banker", "K", 2))
    assert says in violation(felt.shoe, payload)


def test_a_ten_that_was_dealt_at_first_is_kept():
    felt = opened()
    felt.put(ev.BetPlaced(1, 1, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    felt.put(ev.CardDrawn(1, "patron", "K", 1, seat=1), ev.CardDrawn(1, "banker", "K", 2))
    reject = bank_ev.CardRejected(1, "patron", 1)
    assert "only a ten or face that was just drawn" in violation(felt.shoe, reject)
    assert next_action(felt.shoe).text == "p1 at seat 1: draw or stand?"
    felt.put(
        bank_ev.ChoiceMade(1, "patron", "draw", "p1", 1), ev.CardDrawn(1, "patron", "Q", 3, seat=1)
    )
    assert violation(felt.shoe, reject) is None


def opened(pack="macao-old", **more):
    return table(pack, **more).put(ev.CoupOpened(1))


def test_a_hand_that_has_all_its_cards_may_only_stand_or_reject():
    felt = deal(table("macao-later"), "1 500 | 1: 3; B: 8")
    felt = opened("macao-later").put(*felt.payloads[5:-2])
    for payload in (
        bank_ev.ChoiceMade(1, "patron", "draw", "p1", 1),
        ev.CardDrawn(1, "patron", "K", 3, seat=1),
    ):
        assert violation(felt.shoe, payload) is None
        felt.put(payload)
    due = next_action(felt.shoe)
    assert due.text == "p1 at seat 1: stand or reject the card?"
    assert "the most it may have" in violation(
        felt.shoe, bank_ev.ChoiceMade(1, "patron", "draw", "p1", 1)
    )
    assert violation(felt.shoe, bank_ev.ChoiceMade(1, "patron", "stand", "p1", 1)) is None
    assert violation(felt.shoe, bank_ev.CardRejected(1, "patron", 1)) is None


@pytest.mark.parametrize(
    ("bet", "says"),
    [
        (("p3", 500, 3), "p3 holds the bank and cannot bet against it"),
        (("p1", 500, None), "name the seat"),
        (("p1", 500, 9), "nobody sits at 9"),
        (("p1", 500, 2), "seat 2 has a stake already, bet 1"),
        (("p1", 499, 1), "the limits on the hand are"),
        (("p1", 100_000, 1), None),
    ],
)
def test_who_may_stake_on_what(bet, says):
    felt = opened().put(ev.BetPlaced(1, 1, "p2", "hand", 100_000, 2))
    patron, amount, seat = bet
    refused = violation(felt.shoe, ev.BetPlaced(1, 2, patron, "hand", amount, seat))
    assert (says is None and refused is None) or says in refused


def test_stakes_are_no_more_than_the_bank():
    felt = opened(seats=4).put(ev.BetPlaced(1, 1, "p2", "hand", 100_000, 2))
    felt.put(ev.BetPlaced(1, 2, "p1", "hand", 99_500, 1))
    refused = violation(felt.shoe, ev.BetPlaced(1, 3, "p3", "hand", 501, 3))
    assert "stake 5.00 EUR at most, or raise the bank" in refused
    assert "coup 1 is open; give its number" in violation(felt.shoe, bank_ev.BankRaised("p4", 1))
    assert violation(felt.shoe, bank_ev.BankRaised("p4", 1, 1)) is None
    felt.put(bank_ev.BankRaised("p4", 1, 1))
    assert violation(felt.shoe, ev.BetPlaced(1, 3, "p3", "hand", 501, 3)) is None
    felt.put(ev.BetPlaced(1, 3, "p3", "hand", 501, 3))
    assert "or raise the bank" in violation(felt.shoe, ev.BetChanged(1, 2, 99_501))


@for_each(
    ("payload", "says"),
    [
        (bank_ev.BankPosted("p1", 200_000), "the bank is p3's"),
        (bank_ev.BankPosted("p3", 200_000), "a bank of 2,000.00 EUR is on the table"),
        (bank_ev.BankRaised("p1", 100), "p1 has no bank on the table"),
        (bank_ev.BankRaised("p3", 0), "give the amount"),
        (bank_ev.BankRaised("p3", 100, 1), "no coup is open; leave its number out"),
        (ev.PatronLeft("p3"), "p3 has the bank until the pack is dealt out"),
        (bank_ev.BankWithdrawn("p1", 100), "p1 has no bank on the table"),
        (bank_ev.BankWithdrawn("p3", 100), "the whole bank, 2,000.00 EUR"),
        (bank_ev.BankWithdrawn("p3", 200_000), "keeps the bank until the pack is dealt out"),
        (ev.ShoePassed("p3", "chosen"), "2,000.00 EUR is left in the bank"),
        (ev.ShoeEnded(104, reason="closing"), "2,000.00 EUR is left in the bank"),
        (ev.CoupOpened(1, free=True), "no free hands"),
        (bank_ev.LevyTaken(1, 5), "macao has no taking of the levy"),
        (ev.ShoeOffered("p1"), "p3 holds the shoe|the bank goes to the left"),
    ],
)
def test_what_a_bank_does_not_allow(payload, says):
    refused = violation(table().shoe, payload)
    assert any(each in refused for each in says.split("|"))


def test_a_bank_has_its_least():
    refused = violation(table(bank=None).shoe, bank_ev.BankPosted("p3", 199_999))
    assert "a bank is 2,000.00 EUR at least, not 1,999.99 EUR" in refused


def test_a_broken_bank_is_raised_or_passed_to_the_left():
    felt = play(table(bank=50_000), "1 50000 | 1: 9; B: 5")
    due = next_action(felt.shoe)
    assert (due.expects, due.payload) == ("bank", ev.ShoePassed("p3", "lost"))
    assert violation(felt.shoe, bank_ev.BankRaised("p3", 500)) is None
    felt.put(due.payload)
    assert next_action(felt.shoe).payload == ev.ShoeOffered("p2")


def test_a_bank_pays_in_turn_as_far_as_it_goes():
    felt = play(table(bank=1500), "2 500, 1 1000 | 2: 9; 1: 8; B: 7")
    bets = felt.shoe.coups[1].bets
    assert [(bet.paid, bet.pushed) for bet in bets.values()] == [(1500, False), (0, True)]
    assert felt.shoe.bank.amount == 0
    assert audit_shoe(felt.shoe).findings[0].code == "bank-below-minimum"


def test_what_losers_leave_pays_winners():
    felt = play(table(bank=600), "2 500, 1 100 | 2: 3; 1: 9; B: 5")
    assert [bet.net for bet in felt.shoe.coups[1].bets.values()] == [-500, 300]
    assert felt.shoe.bank.amount == 800


def test_once_every_hand_is_bust_the_banker_has_nothing_to_decide():
    felt = deal(table(), "1 500 | 1: 9 +9; B: K")
    assert next_action(felt.shoe).expects == "turn"
    assert finish(felt).shoe.coups[1].bets[1].taken == 500


def test_a_pack_that_runs_out_within_a_coup_voids_it():
    felt = table().put(*[ev.CardBurned(reason="other") for _ in range(101)])
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    hands(felt, "1: 3 +K- ; B: 4")
    notes = []
    while felt.shoe.current is not None:
        notes.append(next_action(felt.shoe).payload)
        assert violation(felt.shoe, notes[-1]) is None
        felt.put(notes[-1])
    assert [type(payload) for payload in notes] == [ev.IrregularityNoted, ev.CoupVoided]
    codes = {found.code for found in audit_shoe(felt.shoe).findings}
    assert not codes & {
        "requested-card-not-dealt",
        "stake-without-hand",
        "unsettled-bet",
    }


def test_at_the_packs_end_the_banker_takes_his_bank_and_the_left_neighbour_has_the_next():
    felt = play(table(), "1 500 | 1: 3; B: 8")
    felt.put(*[ev.CardBurned(reason="other") for _ in range(91)])
    assert said_to_the_end(felt) == [
        bank_ev.BankWithdrawn("p3", 200_500),
        ev.ShoePassed("p3", "pack-ended"),
        ev.ShoeOffered("p2"),
        ev.ShoeEnded(11, reason="too-few-cards"),
    ]


def test_a_cut_card_ends_the_pack_of_the_bank_too():
    """The cut card showed in coup 1, so coup 2 is not dealt: the banker takes the bank."""
    felt = table(bank=None).put(ev.StopCardPlaced(10), bank_ev.BankPosted("p3", 200_000))
    felt = deal(felt, "1 500 | 1: 3; B: 8").put(ev.CutCardReached(95, 1))
    felt = finish(felt)
    assert said_to_the_end(felt)[:2] == [
        bank_ev.BankWithdrawn("p3", 200_500),
        ev.ShoePassed("p3", "pack-ended"),
    ]
    assert code_of(bank_given_up_early) not in codes(felt.shoe)


def test_the_bank_of_the_next_pack_is_to_the_left_of_who_had_the_last():
    """Seats 1, 2, 3 go counter-clockwise: to the left of seat 2 is seat 1."""
    seats = tuple(ev.Seat(n, f"p{n}") for n in (1, 2, 3))
    felt = Felt("macao-old", seats=seats, banked="p2").ready()
    assert next_action(felt.shoe).payload == ev.ShoeOffered("p1")
    assert "offer it to p1" in violation(felt.shoe, ev.ShoeOffered("p3"))
    felt.put(ev.ShoeOffered("p3"), ev.ShoeTaken("p3"))
    assert [each.code for each in audit_shoe(felt.shoe).findings] == ["bank-not-passed-left"]


def said_to_the_end(felt):
    done = []
    while (due := next_action(felt.shoe)).expects != "nothing":
        assert violation(felt.shoe, due.payload) is None
        done.append(due.payload)
        felt.put(due.payload)
    return done


# -- Random play ----------------------------------------------------------------------------------


@slow
@tries(15, 60)
@given(st.sampled_from(PACKS), st.integers(0, 2**32), st.integers(2, 6))
def test_whatever_is_played_money_is_conserved_and_the_replay_is_the_live_state(pack, seed, seats):
    """Stakes and choices by whim, within what the table takes. A small bank is often broken."""
    dice = random.Random(seed)
    felt = table(pack, seats, bank=None)
    cards = iter(shuffle_cards(2, dice))
    for _ in range(2000):
        due = next_action(felt.shoe)
        if due.expects == "nothing":
            break
        for payload in chosen_by(dice, felt.shoe, due, cards):
            if violation(felt.shoe, payload) is None:
                felt.put(payload)
    shoe = felt.shoe
    assert shoe.ended is not None
    assert fold(shoe.stream, shoe.history) == shoe
    assert audit_shoe(shoe).findings == []
    bets = [bet for coup in shoe.coups.values() for bet in coup.bets.values()]
    assert all(bet.taken in (0, bet.amount) and not (bet.taken and bet.paid) for bet in bets)
    assert all(not bank.below and bank.amount >= 0 for bank in shoe.banks)
    # what punters win the banks lose, and each banker takes up what is left
    assert sum(bet.net for bet in bets) + sum(bank.result for bank in shoe.banks) == 0
    assert all(bank.put_in + bank.result == bank.taken_out + bank.amount for bank in shoe.banks)
    assert all(bank.amount == 0 for bank in shoe.banks)


def chosen_by(dice, shoe, due, cards):
    coup = shoe.current.number if shoe.current is not None else 0
    match due.expects:
        case "card":
            return [ev.CardDrawn(coup, due.hand, next(cards), len(shoe.left) + 1, seat=due.seat)]
        case "bets":
            bets = [
                ev.BetPlaced(coup, seat, name, "hand", dice.choice((500, 999, 60_000)), seat)
                for seat, name in shoe.seats.items()
                if dice.random() < 0.8
            ]
            return [*bets, due.payload]
        case "choice":
            choice = bank_ev.ChoiceMade(
                coup, due.hand, dice.choice(("draw", "stand")), None, due.seat
            )
            first = dice.choice((choice, due.payload))
            return [first] if violation(shoe, first) is None else [due.payload]
        case _:
            return [due.payload]
