"""Money moved against a ruling or without one, counted once.

Player wins by 9 to 8 where nothing else is said: p1's 10.00 on Player win 10.00, p2's 20.00 on
Banker are lost, p3's 5.00 on Player win 5.00. On a ruling that the bets go back all of them are due
nothing. Commission is 5 %: 1.00 on 20.00.
"""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt
from tests.support.for_each import for_each

BETS = {1: ("p1", "player", 1000), 2: ("p2", "banker", 2000), 3: ("p3", "player", 500)}
LATE = ("p1", "player", 700)
WON = {1: 1000, 2: -2000, 3: 500, 4: 700}
"""What the bets win by 9 to 8."""
WON_3 = {number: WON[number] for number in BETS}
RULED, NO_BET = "ruling-not-carried-out", "no-bet-hand-not-played-out"


def opened(cards: str = "> P 4  B K  P 5  B 8", rules: str = "classic-8") -> Felt:
    felt = Felt(rules).ready().put(ev.CoupOpened(1))
    felt.put(*[ev.BetPlaced(1, n, *bet) for n, bet in BETS.items()], ev.NoMoreBets(1))
    return felt.cards(cards)


def noted(kind, ruling) -> ev.Event:
    return ev.IrregularityNoted(kind, ruling, 1, by="sue")


def settled(gains: dict[int, int | None]) -> list[ev.Event]:
    """Each bet taken or paid so much; 0 is pushed, None withdrawn; losers first."""
    moves: list[ev.Event] = [
        ev.BetTaken(1, n, -gain) for n, gain in gains.items() if gain is not None and gain < 0
    ]
    moves += [ev.BetPushed(1, n) for n, gain in gains.items() if gain == 0]
    moves += [ev.BetWithdrawn(1, n) for n, gain in gains.items() if gain is None]
    return moves + [ev.BetPaid(1, n, gain) for n, gain in gains.items() if gain and gain > 0]


def found(felt: Felt) -> list[Finding]:
    return [each for each in audit_shoe(felt.shoe).findings if each.coup == 1]


def codes(felt: Felt) -> list[str]:
    return [each.code for each in found(felt)]


def summed(felt: Felt) -> dict[str, int]:
    gains: Counter[str] = Counter()
    for each in found(felt):
        gains.update(each.money.patrons)
    return {patron: gain for patron, gain in gains.items() if gain}


# -- Rulings that bets go back --------------------------------------------------------------------


@for_each(
    ("gains", "patrons", "house"),
    [
        ({1: 0, 2: -2000, 3: 0}, {"p2": -2000}, 2000),
        ({1: None, 2: -2000, 3: None}, {"p2": -2000}, 2000),
        ({1: 1000, 2: 0, 3: 500}, {"p1": 1000, "p3": 500}, -1500),
        ({1: 1000, 2: -2000, 3: 500}, {"p1": 1000, "p2": -2000, "p3": 500}, 500),
        # whatever he was paid had to go back, be it what the cards say or not
        ({1: 700, 2: 0, 3: 0}, {"p1": 700}, -700),
    ],
)
@for_each("ruling", ["return-bets", "void", "no-bet-hand"])
def test_who_was_settled_against_the_ruling_is_the_one_finding(ruling, gains, patrons, house):
    felt = opened().put(noted("misdeal", ruling), ev.ResultCalled(1, 9, 8, "P"), *settled(gains))
    [each] = found(felt.put(ev.CoupClosed(1)))
    assert each.code == (NO_BET if ruling == "no-bet-hand" else RULED)
    assert (each.money.patrons, each.money.house) == (patrons, house)


@pytest.mark.parametrize("ruling", ["return-bets", "no-bet-hand"])
@pytest.mark.parametrize("back", [0, None])
def test_bets_that_all_went_back_as_ruled_are_clean(ruling, back):
    felt = opened().put(noted("misdeal", ruling), *settled(dict.fromkeys(BETS, back)))
    assert codes(felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))) == []


def test_what_goes_back_waits_for_no_result():
    """Two are pushed at once, on the ruling; the third is taken when the hand has been dealt."""
    felt = opened("> P 4  B K").put(noted("card-exposed", "no-bet-hand"), *settled({1: 0, 3: 0}))
    felt.cards("> P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"), *settled({2: -2000}))
    assert codes(felt.put(ev.CoupClosed(1))) == [NO_BET]
    assert summed(felt) == {"p2": -2000}


def test_a_bet_that_nobody_moved_is_told_once():
    felt = opened().put(noted("misdeal", "return-bets"), ev.ResultCalled(1, 9, 8, "P"))
    felt.put(*settled({1: 0, 3: 0}), ev.CoupClosed(1))
    assert (codes(felt), summed(felt)) == ([RULED], {})
    felt = opened().put(ev.ResultCalled(1, 9, 8, "P"), *settled({1: 1000, 3: 500}))
    assert codes(felt.put(ev.CoupClosed(1))) == ["unsettled-bet"]


@pytest.mark.parametrize("ruling", ["return-bets", "void", "no-bet-hand"])
def test_a_coup_that_nobody_closes_is_settled_against_the_ruling_all_the_same(ruling):
    felt = opened().put(noted("misdeal", ruling), ev.ResultCalled(1, 9, 8, "P"), *settled(WON_3))
    assert codes(felt) == []
    felt.coup("p1 player 500 | P 4 5  B K 8", 2)
    told = NO_BET if ruling == "no-bet-hand" else RULED
    assert set(codes(felt)) == {"unclosed-coup", told}
    assert summed(felt) == {"p1": 1000, "p2": -2000, "p3": 500}


def late(gains: dict[int, int | None]) -> Felt:
    felt = opened().put(ev.BetPlaced(1, 4, *LATE), noted("late-bet", "return-bets"))
    return felt.put(ev.ResultCalled(1, 9, 8, "P"), *settled(gains), ev.CoupClosed(1))


PLACED = "past-posted-bet"


@pytest.mark.parametrize(
    ("gains", "told", "patrons"),
    [
        # the late one alone goes back
        ({**WON, 4: 0}, {PLACED}, {}),
        ({**WON, 4: None}, {PLACED}, {}),
        (WON, {PLACED, RULED}, {"p1": 700}),
        # a bet that came in time does not go back with it, unless all do
        ({**WON, 1: 0}, {PLACED, RULED, "wrong-payout"}, {"p1": -300}),
        (dict.fromkeys(WON, 0), {PLACED}, {}),
    ],
)
def test_a_ruling_on_late_bets_is_of_those(gains, told, patrons):
    felt = late(gains)
    assert (set(codes(felt)), summed(felt)) == (told, patrons)


def test_a_ruling_on_late_bets_gives_nothing_back_where_none_was_late():
    felt = opened().put(noted("late-bet", "return-bets"), ev.ResultCalled(1, 9, 8, "P"))
    felt.put(*settled({1: 0, 2: -2000, 3: 500}), ev.CoupClosed(1))
    assert "wrong-payout" in codes(felt)
    assert summed(felt) == {"p1": -1000}


GAIN = st.none() | st.sampled_from([0, 0, 100]) | st.integers(-30, 30).map(lambda n: 100 * n)


@given(
    ruling=st.sampled_from(["return-bets", "void", "no-bet-hand"]),
    gains=st.lists(GAIN, min_size=4, max_size=4),
    late_one=st.booleans(),
    called=st.sampled_from("PB"),
    commission=st.none() | st.integers(1, 200),
    of_bet=st.booleans(),
)
def test_what_is_told_of_a_ruled_coup_adds_up_to_what_it_moved(
    *, ruling, gains, late_one, called, commission, of_bet
):
    """All go back: what each has of the coup in the end is what he has too much."""
    moves = dict(zip((1, 2, 3, 4)[: 3 + late_one], gains, strict=False))
    felt = opened()
    if late_one:
        felt.put(ev.BetPlaced(1, 4, *LATE))
    felt.put(noted("misdeal", ruling), ev.ResultCalled(1, 9, 8, called), *settled(moves))
    truth: Counter[str] = Counter()
    for number, gain in moves.items():
        truth[{**BETS, 4: LATE}[number][0]] += gain or 0
    if commission is not None:
        felt.put(ev.CommissionCollected("p2", commission, 1, 2 if of_bet else None))
        truth["p2"] -= commission
    felt.put(ev.CoupClosed(1))
    assert summed(felt) == {patron: gain for patron, gain in truth.items() if gain}


# -- Commission of a coup that is void ------------------------------------------------------------

UNOWED, VOIDED = "commission-not-due", "voided-bet-settled"


def void(*behind: ev.Event, before: tuple[ev.Event, ...] = ()) -> Felt:
    felt = opened("> P 4  B K  P 4  B 9").put(*before, noted("misdeal", "void"))
    return felt.put(ev.CoupVoided(1, by="sue"), *behind)


@pytest.mark.parametrize(
    ("felt", "told", "patrons"),
    [
        (void(ev.CommissionCollected("p2", 100, 1)), [UNOWED], {"p2": -100}),
        (void(ev.CommissionCollected("p2", 100, 1, 2)), [VOIDED], {"p2": -100}),
        (void(), [], {}),
        # what he was paid, less what was kept, is one thing: 19.00
        (
            void(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p2", 100, 1)),
            [VOIDED],
            {"p2": 1900},
        ),
        # paid, kept, and taken back in chips as they lay there: nothing is left of it
        (
            void(
                ev.BetTaken(1, 2, 1900),
                before=(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p2", 100, 1)),
            ),
            [],
            {},
        ),
        # another's commission is his, and not p2's
        (
            void(ev.BetPaid(1, 2, 2000), ev.CommissionCollected("p1", 100, 1)),
            [UNOWED, VOIDED],
            {"p1": -100, "p2": 2000},
        ),
    ],
)
def test_commission_of_a_void_coup_goes_back_as_the_bets_do(felt, told, patrons):
    of_coup = [code for code in codes(felt) if code in (UNOWED, VOIDED)]
    assert (sorted(of_coup), summed(felt)) == (told, patrons)


def test_commission_of_bets_that_went_back_as_ruled_was_not_owed():
    felt = opened("> P 4  B K  P 4  B 9").put(noted("misdeal", "return-bets"))
    felt.put(ev.ResultCalled(1, 8, 9, "B"), *settled(dict.fromkeys(BETS, 0)))
    felt.put(ev.CommissionCollected("p2", 100, 1), ev.CoupClosed(1))
    assert (codes(felt), summed(felt)) == ([UNOWED], {"p2": -100})


# -- Two slips that cancel ------------------------------------------------------------------------


def banker(moves: str, rules: str = "classic-8") -> Felt:
    """20.00 on Banker, who wins by 9 to 8: pay 20.00 less 1.00, net 19.00."""
    return Felt(rules).ready().coup(f"p1 banker 2000 | P 4 4  B K 9 | B 8-9 | {moves}")


@for_each("rules", ["classic-8", "nsw", "uk"])
@for_each(
    ("moves", "told"),
    [
        ("1 pay 2100, 1 collect 200", ["wrong-payout"]),
        ("1 pay 1950, 1 collect 50", ["wrong-payout"]),
        ("1 pay 2000, 1 collect 100", []),
        # paid less its commission, which nobody told of by itself
        ("1 pay 1900", []),
        # a unit too much was kept, and given back behind it; paid short, and the rest behind it
        ("1 pay 2000, 1 collect 200, 1 pay 100", []),
        ("1 pay 1900, 1 collect 100, 1 pay 100", []),
    ],
)
def test_a_payment_and_a_commission_that_cancel_are_both_wrong(rules, moves, told):
    felt = banker(moves, rules)
    assert (codes(felt), summed(felt)) == (told, {})


def test_marks_cancel_as_well():
    assert codes(banker("1 pay 2100, 1 mark 200", "midi")) == ["wrong-payout"]
    assert codes(banker("1 pay 2000, 1 mark 100", "midi")) == []


def test_a_push_that_was_paid_and_charged_as_much_is_moved():
    tie = "p1 banker 2000 | P 4 5  B K 9 | T 9-9 | "
    wrong = Felt().ready().coup(tie + "1 pay 100, 1 collect 100")
    assert (codes(wrong), summed(wrong)) == (["push-paid-or-taken"], {})
    assert codes(Felt().ready().coup(tie + "1 push")) == []


def test_a_record_of_winnings_after_commission_has_made_no_slip():
    felt = banker("-")
    payloads = [payload for payload in felt.payloads[1:] if not isinstance(payload, ev.CoupClosed)]
    after = Felt().put(*payloads, ev.BetPaid(1, 1, 1900, after_commission=True))
    after.put(ev.CommissionCollected("p1", 100, 1, 1), ev.CoupClosed(1))
    assert codes(after) == []


def test_rounding_that_the_pack_asks_for_is_no_slip():
    """5 % of 1.10 is 5.5 cents: 6 of 110 are kept, and 104 are left."""
    line = "p1 banker 110 | P 4 4  B K 9 | B 8-9 | "
    assert codes(Felt().ready().coup(line + "1 pay 110, 1 collect 6")) == []
    assert codes(Felt().ready().coup(line + "1 pay 109, 1 collect 5")) == ["wrong-payout"]


# -- Cards that were burned on the quiet ----------------------------------------------------------

BURNED = "dealt-card-burned-without-ruling"


def burned(before: str, behind: str, called: tuple[int, int], *ruling: ev.Event) -> Felt:
    """The last card before was drawn, and taken off its hand; the next came in its place."""
    felt = opened(before).put(*ruling)
    card = felt.shoe.coups[1].cards[-1].payload
    felt.put(ev.CardBurned(card.card, card.place, "ruling", 1)).cards(behind)
    felt.put(ev.ResultCalled(1, *called, "P"))
    return felt.put(*settled({1: 1000, 2: -2000, 3: 500}), ev.CoupClosed(1))


@pytest.mark.parametrize(
    ("before", "behind", "called"),
    [
        # Player 2 draws a 2, and stands at 4 against 7: 20.00 on Banker win 19.00
        ("> P 2  B 2  P K  B 5  P 2", "> P 7", (9, 7)),
        # 4 and 2 are Player's, 3 and 5 Banker's: a natural 8
        ("> P 4  B 3  P 2", "> P 5  B K", (9, 3)),
    ],
)
def test_a_card_that_was_switched_on_the_quiet_bears_what_it_moved(before, behind, called):
    felt = burned(before, behind, called)
    money = {each.code: each.money for each in found(felt)}
    assert money[BURNED].patrons == {"p1": 2000, "p2": -3900, "p3": 1000}
    assert money[BURNED].house == 900
    assert summed(felt) == money[BURNED].patrons


def test_a_card_that_was_burned_on_a_ruling_moved_nothing():
    """Player 6 stands, and drew a 2: burned as ruled. Banker 5 draws a K, and 6 wins."""
    ruled = noted("wrong-draw", "burn-card")
    felt = burned("> P 2  B 2  P 4  B 3  P 2", "> B K", (6, 5), ruled)
    assert (codes(felt), summed(felt)) == ([], {})


def test_a_card_that_was_burned_and_not_replaced_is_counted_with_the_stand():
    """Player 2 draws a 2, which is burned, and no other comes: 2 loses to 7 as 4 does."""
    felt = opened("> P 2  B 2  P K  B 5  P 2")
    card = felt.shoe.coups[1].cards[-1].payload
    felt.put(ev.CardBurned(card.card, card.place, "ruling", 1), ev.ResultCalled(1, 2, 7, "B"))
    felt.put(*settled({1: -1000, 3: -500, 2: 2000}), ev.CommissionCollected("p2", 100, 1, 2))
    assert BURNED in codes(felt.put(ev.CoupClosed(1)))
    assert summed(felt) == {}
    unknown = [each.code for each in found(felt) if each.money.house is None]
    assert len(unknown) == len(found(felt)) - 1


# -- Chips for no bet -----------------------------------------------------------------------------


def stray(*payloads: ev.Event, rules: str = pack_text("classic-8")) -> Shoe:
    felt = Felt(rules).ready().coup("p1 player 500 | P 4 5  B K 8 | P 9-8 | 1 pay 500")
    return felt.put(*payloads).shoe


@pytest.mark.parametrize(
    ("payload", "house", "patrons"),
    [
        (ev.BetPaid(1, 9, 1000), -1000, {}),
        (ev.BetTaken(1, 9, 1000), 1000, {}),
        (ev.CommissionCollected("p1", 100, 1, 9), 100, {"p1": -100}),
        (ev.BetPushed(1, 9), None, {}),
    ],
)
def test_chips_that_moved_for_no_bet_left_or_came_to_the_tray(payload, house, patrons):
    [each] = audit_shoe(stray(payload)).findings
    assert each.code == "unmatched-event"
    assert (each.money.house, each.money.patrons) == (house, patrons)
    assert ("the record does not say whose" in each.message) is (house is not None and not patrons)


def test_a_payment_of_a_bet_that_is_there_has_its_ground():
    assert audit_shoe(stray()).findings == []
