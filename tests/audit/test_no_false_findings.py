"""Legal cases that look wrong have no findings, next to real breaches.

What is right is taken from the sources of the rules (docs/sources.md), not from the program;
amounts are worked out by hand: 19:20 on Banker, 8:1 on the tie.
"""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.explain.coup_reasons import explain
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes_and_coups, finished
from tests.support.coup_notation import Felt, loaded, shoe_of

DEEP = pack_text("classic-4").replace("stop_card_most = 7", "stop_card_most = 202")
"""A pack whose cut card may show after six cards: two burned, and a coup of four."""


def deep_shoe() -> Felt:
    """A shoe whose cut card is at the mouth once the first coup has been dealt."""
    opening = (ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(202))
    return Felt(DEEP).put(*opening).ready().coup("P 4 5  B K 8")


# -- A coup that nobody bets on, and that is not dealt --------------------------------------------


def undealt(*payloads: ev.Event) -> Shoe:
    """A coup is opened, then this; the next is dealt."""
    felt = Felt().ready().put(ev.CoupOpened(1), *payloads)
    return felt.coup("p1 tie 500 | P 4 5  B K 8", 2).shoe


@pytest.mark.parametrize("end", [ev.CoupClosed(1), ev.CoupVoided(1)])
def test_a_coup_without_a_bet_may_end_undealt(end):
    assert codes_and_coups(undealt(end)) == []
    assert codes_and_coups(undealt(ev.NoMoreBets(1), end)) == []
    staked = (ev.BetPlaced(1, 1, "p1", "tie", 500), ev.BetWithdrawn(1, 1))
    assert codes_and_coups(undealt(*staked, end)) == []


def test_a_coup_with_a_bet_may_not():
    staked = ev.BetPlaced(1, 1, "p1", "tie", 500)
    assert codes_and_coups(undealt(staked, ev.CoupVoided(1))) == [("unjustified-void", 1)]
    assert set(codes_and_coups(undealt(staked, ev.CoupClosed(1)))) == {
        ("coup-short-of-cards", 1),
        ("unsettled-bet", 1),
    }


def test_a_coup_may_be_called_off_before_its_first_card_by_somebody_who_answers_for_it():
    staked = ev.BetPlaced(1, 1, "p1", "tie", 500)
    called_off = ev.CoupVoided(1, "fire alarm", by="sue")
    assert codes_and_coups(undealt(staked, called_off)) == []
    assert codes_and_coups(undealt(staked, ev.NoMoreBets(1), called_off)) == []
    dealt = Felt().ready().put(ev.CoupOpened(1), staked, ev.NoMoreBets(1)).cards("> P 4")
    dealt.put(called_off)
    assert codes_and_coups(dealt.coup("P 4 5  B K 8", 2).shoe) == [("unjustified-void", 1)]


# -- Bets that a ruling gave back ------------------------------------------------------------------


def no_bet_hand(*back: ev.Event, then: tuple[ev.Event, ...] = ()) -> Shoe:
    """A card is seen too soon, the bets go back on the ruling, the cards are played out."""
    felt = Felt("ez-baccarat").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards("> P 4  B K")
    felt.put(ev.IrregularityNoted("card-exposed", "no-bet-hand", 1, by="sue"), *back)
    felt.cards("> P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"), *then, ev.CoupClosed(1))
    return felt.coup("P 4 5  B K 8", 2).shoe


def test_the_bets_of_a_no_bet_hand_may_be_withdrawn_or_pushed():
    assert codes_and_coups(no_bet_hand(ev.BetWithdrawn(1, 1))) == []
    assert codes_and_coups(no_bet_hand(ev.BetPushed(1, 1))) == []


def test_a_no_bet_hand_is_not_paid():
    """A stake of 500 on the winner, paid as if the hand counted: 500 too much."""
    [found] = audit_shoe(no_bet_hand(then=(ev.BetPaid(1, 1, 500),))).findings
    assert (found.code, found.coup) == ("no-bet-hand-not-played-out", 1)
    assert found.money.patrons == {"p1": 500}


def test_a_bet_is_not_raised_on_a_ruling_that_it_goes_back():
    said = codes_and_coups(no_bet_hand(ev.BetChanged(1, 1, 900), ev.BetWithdrawn(1, 1)))
    assert said == [("late-bet-change", 1)]


@pytest.mark.parametrize(
    ("ruling", "code"),
    [
        ("return-bets", "ruling-not-carried-out"),
        ("void", "ruling-not-carried-out"),
        ("no-bet-hand", "no-bet-hand-not-played-out"),
    ],
)
def test_where_one_patron_alone_has_his_bet_back_who_was_paid_was_paid_against_the_ruling(
    ruling, code
):
    """Player wins: p2 on Banker takes his 500 back as ruled, p1 is paid his 500 all the same."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500), ev.BetPlaced(1, 2, "p2", "banker", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(ev.IrregularityNoted("other", ruling, 1, by="sue"), ev.BetWithdrawn(1, 2))
    felt.put(ev.BetPaid(1, 1, 500), ev.CoupClosed(1))
    [found] = audit_shoe(felt.shoe).findings
    assert (found.code, found.money.patrons, found.money.house) == (code, {"p1": 500}, -500)


def taken_back(kind, back, *, late=False, after=()):
    """Player wins: p2, alone on Banker, takes his 500 back upon a ruling; perhaps p3 was late."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "banker", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(*[ev.BetPlaced(1, 2, "p3", "player", 500)] if late else [])
    felt.put(ev.IrregularityNoted(kind, "return-bets", 1, by="sue"), back)
    felt.put(*[ev.BetWithdrawn(1, 2)] if late else [], *after, ev.CoupClosed(1))
    return codes_and_coups(felt.shoe)


def test_a_ruling_on_late_bets_lets_nobody_take_his_back_where_none_was_late():
    changed = ("late-bet-change", 1)
    assert changed in taken_back("late-bet", ev.BetWithdrawn(1, 1))
    assert changed not in taken_back("late-bet", ev.BetWithdrawn(1, 1), late=True)
    assert changed not in taken_back("other", ev.BetWithdrawn(1, 1))


def test_a_bet_that_was_lowered_to_nothing_on_a_ruling_went_back():
    assert taken_back("other", ev.BetChanged(1, 1, 0)) == []
    assert ("late-bet-change", 1) in taken_back("other", ev.BetChanged(1, 1, 100))


def test_a_bet_that_was_paid_did_not_go_back():
    """Withdrawn as ruled, and paid all the same: the payment is what was against the ruling."""
    paid = taken_back("other", ev.BetWithdrawn(1, 1), after=(ev.BetPaid(1, 1, 500),))
    assert paid == [("ruling-not-carried-out", 1)]


def test_a_bet_withdrawn_before_the_ruling_is_late():
    felt = Felt("ez-baccarat").ready()
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt.cards("> P 4  B K").put(ev.BetWithdrawn(1, 1))
    felt.put(ev.IrregularityNoted("card-exposed", "no-bet-hand", 1, by="sue"))
    felt.cards("> P 5  B 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert codes_and_coups(felt.shoe) == [("late-bet-change", 1)]


def test_a_result_is_not_called_on_no_cards():
    said = codes_and_coups(undealt(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1)))
    assert said == [("coup-short-of-cards", 1)]


# -- Limits ---------------------------------------------------------------------------------------

LOW, HIGH = (ev.Limit(100, 500),), (ev.Limit(1000, 5000),)
TIE = "p1 player 500 | P 4 5  B K 9"


def limited(change: ev.Event, *payloads: ev.Event) -> Shoe:
    """A tie leaves 500 on the felt; the limits change; then the next coup."""
    felt = Felt(limits=LOW).ready().coup(TIE).put(change, ev.CoupOpened(2), *payloads)
    return finished(felt.put(ev.NoMoreBets(2)).cards("P 4 5  B K 8"))


CARRIED = ev.BetCarried(2, 1, "p1", "player", 500)
RAISED = ev.LimitsChanged(HIGH)


def test_a_bet_that_a_tie_holds_keeps_the_limits_that_it_was_made_under():
    assert codes_and_coups(limited(RAISED, CARRIED)) == []
    anew = ev.BetPlaced(2, 1, "p1", "player", 500)
    assert codes_and_coups(limited(RAISED, anew)) == [("bet-outside-limits", 2)]


def test_it_keeps_them_through_two_ties():
    felt = Felt(limits=LOW).ready().coup(TIE).put(RAISED).coup(f"+{TIE}")
    assert codes_and_coups(felt.coup("+p1 player 500 | P 4 5  B K 8").shoe) == []


def test_a_record_of_coups_may_lack_changes_of_limits_and_bets():
    capped = pack_text("classic-8") + "\n[limits]\ndifferential = 300\n"
    bets = (ev.BetPlaced(1, 1, "p1", "player", 600), ev.NoMoreBets(1))
    for coverage, found in (
        ("coups", set()),
        ("whole", {"bet-outside-limits", "table-differential-exceeded"}),
    ):
        felt = Felt(capped, limits=LOW, coverage=coverage).put(ev.CoupOpened(1), *bets)
        finished(felt.cards("P 4 5  B K 8"))
        about = {
            code for code, _ in codes_and_coups(felt.shoe) if "limits" in code or "differ" in code
        }
        assert about == found


def test_a_bet_that_was_made_before_the_record_is_held_to_no_limits():
    felt = Felt(limits=HIGH).ready().coup(TIE.replace("500", "1000"), 3)
    felt.put(ev.LimitsChanged((ev.Limit(2000, 5000),))).coup("+p1 player 1000 | P 4 5  B K 8")
    pushed = next(n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.BetPushed))
    assert codes_and_coups(shoe_of(felt.payloads[pushed:])) == []
    anew = felt.coup("p1 player 1000 | P 4 5  B K 8").payloads
    assert codes_and_coups(shoe_of(anew[pushed:])) == [("bet-outside-limits", 5)]


def test_a_stake_that_is_changed_is_held_to_the_limits_of_that_moment():
    bet = ev.BetPlaced(1, 1, "p1", "player", 500)
    for stake, found in ((2000, []), (600, [("bet-outside-limits", 1)])):
        felt = Felt(limits=LOW).ready().put(ev.CoupOpened(1), bet, RAISED)
        felt.put(ev.BetChanged(1, 1, stake), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
        assert codes_and_coups(finished(felt)) == found


# -- Payments that were put right at once ---------------------------------------------------------


def test_an_overpayment_that_is_taken_back_is_no_losers_take():
    line = "p1 player 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | "
    right = Felt().ready().coup(line + "2 take 100, 1 pay 700, 1 take 200").shoe
    assert codes_and_coups(right) == []
    late = Felt().ready().coup(line + "1 pay 700, 1 take 200, 2 take 100").shoe
    assert codes_and_coups(late) == [("winners-paid-before-losers-taken", 1)]


def test_a_loser_who_was_paid_and_then_taken_is_no_winner_paid_first():
    line = "p1 banker 500, p2 tie 100 | P 4 5  B K 8 | P 9-8 | "
    right = Felt().ready().coup(line + "1 pay 475, 1 take 975, 2 take 100").shoe
    assert codes_and_coups(right) == []
    wrong = Felt().ready().coup(line + "1 pay 475, 1 take 974, 2 take 100").shoe
    assert codes_and_coups(wrong) == [("losing-bet-not-taken", 1)]


def test_a_push_that_was_taken_and_given_back_moved_nothing():
    line = "p1 player 500 | P 4 5  B K 9 | T 9-9 | "
    assert codes_and_coups(Felt().ready().coup(line + "1 take 500, 1 pay 500").shoe) == []
    short = Felt().ready().coup(line + "1 take 500, 1 pay 400").shoe
    assert codes_and_coups(short) == [("push-paid-or-taken", 1)]


def lowered(amount: int) -> Shoe:
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.BetChanged(1, 1, amount), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    return felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1)).shoe


def test_a_bet_that_was_lowered_to_nothing_in_time_has_nothing_to_settle():
    assert codes_and_coups(lowered(0)) == []
    assert codes_and_coups(lowered(1)) == [("unsettled-bet", 1)]


def test_a_bet_that_was_lowered_to_nothing_too_late_is_late():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "tie", 500))
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").put(ev.BetChanged(1, 1, 0))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert codes_and_coups(felt.shoe) == [("late-bet-change", 1)]


def never_closed(*behind: ev.Event, moves: str = "1 take 500") -> Shoe:
    """Player's 500 lost, Banker's 300 won 285; the coup is not closed, and then this happens."""
    line = f"p1 player 500, p2 banker 300 | P 4 4  B K 9 | B 8-9 | {moves}"
    felt = Felt().ready().coup(line)
    payloads = [payload for payload in felt.payloads[1:] if not isinstance(payload, ev.CoupClosed)]
    return Felt().put(*payloads, *behind).shoe


@pytest.mark.parametrize("behind", [ev.CoupOpened(2), ev.ShoeEnded(left=410, reason="withdrawn")])
@pytest.mark.parametrize(
    ("moves", "patron", "gain"), [("1 take 500", "p2", -285), ("2 pay 285", "p1", 500)]
)
def test_a_bet_of_a_coup_that_nobody_closes_is_never_settled_once_the_table_goes_on(
    behind, moves, patron, gain
):
    findings = audit_shoe(never_closed(behind, moves=moves)).findings
    (found,) = [each for each in findings if each.code == "unsettled-bet"]
    assert found.money.patrons == {patron: gain}


def test_it_may_be_settled_as_long_as_the_table_waits():
    assert codes_and_coups(never_closed()) == []
    settled = never_closed(
        ev.ShoeEnded(left=410, reason="withdrawn"), moves="1 take 500, 2 pay 285"
    )
    assert "unsettled-bet" not in {code for code, _ in codes_and_coups(settled)}


# -- Commission -----------------------------------------------------------------------------------

TWO = "p1 banker 500, p1 banker 300 | P 4 4  B K 9 | B 8-9 | "
"""Two winners of one patron: 500 less 25, and 300 less 15, so 40 in all."""


@pytest.mark.parametrize("moves", ["1 collect 40", "2 collect 40", "1 collect 25, 2 collect 15"])
def test_commission_may_be_collected_once_for_two_bets(moves):
    shoe = Felt().ready().coup(f"{TWO}1 pay 500, 2 pay 300, {moves}").shoe
    assert codes_and_coups(shoe) == []
    assert not any(step.differs for step in explain(shoe, 1).steps)


def test_not_more_of_it_and_not_less():
    for moves, bets in (("1 collect 41", 2), ("1 collect 39", 2), ("1 collect 25", 1)):
        shoe = Felt().ready().coup(f"{TWO}1 pay 500, 2 pay 300, {moves}").shoe
        assert codes_and_coups(shoe) == [("wrong-commission", 1)] * bets, moves


def test_one_patron_does_not_pay_for_another():
    line = TWO.replace("p1 banker 300", "p2 banker 300")
    shoe = Felt().ready().coup(f"{line}1 pay 500, 2 pay 300, 1 collect 40").shoe
    assert codes_and_coups(shoe) == [("wrong-commission", 1)] * 2


def test_it_may_be_collected_for_the_coup_and_no_one_bet():
    for amount, found in ((40, []), (35, [("wrong-commission", 1)])):
        felt = Felt().ready().put(ev.CoupOpened(1))
        felt.put(*[ev.BetPlaced(1, n, "p1", "banker", stake) for n, stake in ((1, 500), (2, 300))])
        felt.put(ev.NoMoreBets(1)).cards("P 4 4  B K 9").put(ev.ResultCalled(1, 8, 9, "B"))
        felt.put(ev.BetPaid(1, 1, 500), ev.BetPaid(1, 2, 300))
        felt.put(ev.CommissionCollected("p1", amount, 1), ev.CoupClosed(1))
        assert codes_and_coups(felt.shoe) == found


def test_it_may_be_marked_once_and_collected_later():
    felt = Felt("midi").ready().coup(f"{TWO}1 pay 500, 2 pay 300, 1 mark 40")
    felt.put(ev.CommissionCollected("p1", 40, 1))
    assert codes_and_coups(felt.put(ev.ShoeEnded(left=410, reason="withdrawn")).shoe) == []


def test_rounding_all_of_it_once_is_as_good_as_rounding_each():
    # 5 % of 330 is 16.5, rounded 17 (half up) each; of 660 it is 33: both are 5 % to the unit
    line = TWO.replace("500", "330").replace("300", "330") + "1 pay 330, 2 pay 330, "
    each = [explain(Felt().ready().coup(line + "1 collect 1").shoe, 1).steps[-1].due]
    assert each == ["pay 3.30 EUR less 0.17 EUR, net 3.13 EUR"]
    for kept, bets in ((33, 0), (34, 0), (32, 2), (35, 2)):
        shoe = Felt().ready().coup(f"{line}1 collect {kept}").shoe
        assert codes_and_coups(shoe) == [("wrong-commission", 1)] * bets, kept


# -- Who holds the shoe ---------------------------------------------------------------------------


def held(*between: ev.Event) -> Shoe:
    felt = Felt().ready().put(ev.ShoeTaken("p1")).coup("P 4 5  B K 8").put(*between)
    return felt.coup("P 4 4  B K 9").shoe


def test_a_shoe_that_another_took_was_given_up():
    assert codes_and_coups(held(ev.ShoeTaken("p2"))) == []
    assert codes_and_coups(held(ev.ShoeTaken("p1"))) == [("shoe-kept-after-loss", 1)]


def test_the_house_deals_on_where_nobody_takes_the_shoe_and_no_crew_is_named():
    for holder, found in (("house", []), ("p1", [("shoe-kept-after-loss", 1)])):
        felt = Felt().ready().put(ev.ShoeTaken(holder)).coup("P 4 5  B K 8")
        assert codes_and_coups(felt.coup("P 4 4  B K 9").shoe) == found


def test_hands_that_the_record_lacks_in_part_lost_nothing():
    # the first coup of a record that begins in it: of its cards only the last two stand there
    felt = Felt().ready().put(ev.ShoeTaken("p1")).coup("P 2 3 4  B K 2 7").coup("P 4 4  B K 9")
    cards = [n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.CardDrawn)]
    shoe = shoe_of([*felt.payloads[cards[4] :]])
    assert codes_and_coups(shoe) == []


# -- The cut card ---------------------------------------------------------------------------------


@pytest.mark.parametrize("drawn", [None, 6])
@pytest.mark.parametrize("cards", ["> P 4", "> P 4  B K", "> P 4  B K  P 5  B 8"])
def test_the_cut_card_may_be_told_when_the_card_behind_it_lies_there(drawn, cards):
    felt = deep_shoe().put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards(cards)
    felt.put(ev.CutCardReached(drawn))
    rest = "> P 4  B K  P 5  B 8".removeprefix(cards).strip()
    assert codes_and_coups(finished(felt.cards(f"> {rest}") if rest else felt)) == []


@pytest.mark.parametrize(
    "payload", [ev.CutCardReached(), ev.CutCardReached(6), ev.CutCardReached(6, 2)]
)
def test_it_may_be_told_when_the_coup_is_closed_and_makes_that_one_the_last(payload):
    felt = deep_shoe().coup("P 4 5  B K 8").put(payload)
    assert felt.shoe.cut_card is not None
    assert felt.shoe.cut_card.during == 2
    assert codes_and_coups(felt.shoe) == []
    one_more = felt.coup("P 4 5  B K 8").shoe
    assert codes_and_coups(one_more) == [("coup-after-last", 3)]


def test_a_coup_that_finds_it_with_its_first_card_was_called_before_it_could_be_the_last():
    felt = deep_shoe().put(ev.CoupOpened(2), ev.NoMoreBets(2), ev.CutCardReached(6))
    assert codes_and_coups(finished(felt.cards("P 4 5  B K 8"))) == []
    between = deep_shoe().put(ev.CutCardReached(6)).coup("P 4 5  B K 8").shoe
    assert codes_and_coups(between) == [("last-coup-not-called", 2)]


def test_a_record_that_lacks_the_loading_does_not_know_where_it_should_show():
    felt = deep_shoe().coup("P 4 5  B K 8").coup("P 4 5  B K 8")
    placed = next(
        n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.StopCardPlaced)
    )
    assert codes_and_coups(shoe_of(felt.payloads[placed:])) == []


def test_naming_a_later_coup_with_it_wins_no_coup_more():
    # card 7 belongs to the second coup: where the cards tell, what is said does not
    felt = deep_shoe().put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards("> P 4  B K")
    felt.put(ev.CutCardReached(6, 3)).cards("> P 5  B 8")
    finished(felt)
    assert codes_and_coups(felt.shoe) == []
    assert ("coup-after-last", 3) in codes_and_coups(felt.coup("P 4 5  B K 8").shoe)
    # nor where they do not, yet
    felt = deep_shoe().put(ev.CoupOpened(2), ev.CutCardReached(6, 3), ev.NoMoreBets(2))
    finished(felt.cards("P 4 5  B K 8"))
    assert ("coup-after-last", 3) in codes_and_coups(felt.coup("P 4 5  B K 8").shoe)


def test_it_is_not_told_two_coups_late():
    felt = deep_shoe().coup("P 4 5  B K 8").coup("P 4 5  B K 8").put(ev.CutCardReached())
    assert ("wrong-cut-card-position", None) in codes_and_coups(felt.shoe)


# -- A card that a ruling burned ------------------------------------------------------------------

FRANCE = pack_text("france")
BURNED = ev.CardBurned("9", 7, "ruling", 1)


def wrong_draw(*ruled: ev.Event, rules: str = "classic-8", rest: str = "> B 2") -> Shoe:
    """Player has six and is given a nine, card 7 of the shoe; then what is ruled, then the rest."""
    felt = Felt(rules).ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500))
    felt.put(ev.NoMoreBets(1)).cards("> P 2  B K  P 4  B 5  P 9").put(*ruled)
    return finished(felt.cards(rest) if rest else felt)


NOTED = ev.IrregularityNoted("wrong-draw", "burn-card", 1, "sue")


@pytest.mark.parametrize(
    "burned", [BURNED, ev.CardBurned("9", None, "ruling", 1), ev.CardBurned(None, 7, "ruling", 1)]
)
def test_a_wrong_card_that_was_burned_is_off_its_hand(burned):
    # six to five, Player stands, so Banker draws on five: 5 + 2 = 7 wins, 500 less 25
    shoe = wrong_draw(NOTED, burned)
    assert codes_and_coups(shoe) == []
    coup = shoe.coups[1]
    assert (coup.player, coup.banker) == (["2", "4"], ["K", "5", "2"])
    assert (coup.bets[1].paid, coup.bets[1].commission) == (500, 25)
    assert len(shoe.left) == 2 + 6
    assert codes_and_coups(wrong_draw(NOTED, burned, ev.LimitsChanged(()))) == []


def test_the_count_at_the_end_counts_it_once():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 2  B K  P 4  B 5  P 9")
    felt.put(NOTED, BURNED).cards("> B 2")
    finished(felt)
    for left, found in ((408, []), (407, [("card-count-mismatch", None)])):
        ended = ev.ShoeEnded(left=left, reason="withdrawn")
        assert codes_and_coups(shoe_of([*felt.payloads, ended])) == found


def test_a_wrong_card_that_stays_is_wrong():
    assert ("player-drew-against-table", 1) in codes_and_coups(wrong_draw(rest=""))


def test_another_card_burned_by_the_ruling_leaves_the_wrong_one_there():
    shoe = wrong_draw(NOTED, ev.CardBurned("3", 8, "ruling", 1), rest="")
    assert ("player-drew-against-table", 1) in codes_and_coups(shoe)
    assert len(shoe.left) == 2 + 6


def test_a_burn_that_a_ruling_asked_for_needs_no_number_of_its_coup():
    misdeal = ev.IrregularityNoted("misdeal", "burn-card", 1, "sue")
    for reason, found in (("ruling", []), ("other", [("ruling-not-carried-out", 1)])):
        felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 8")
        felt.put(misdeal, ev.CardBurned("2", 7, reason))
        assert codes_and_coups(finished(felt)) == found


# -- Commission that a house does not mark ---------------------------------------------------------


def marked_at_once(*payloads: ev.Event) -> Shoe:
    """Where commission is due at once 25 is marked on winnings of 500, and then this happens."""
    felt = Felt().ready().coup("p1 banker 500 | P 4 4  B K 9 | B 8-9 | 1 pay 500, 1 mark 25")
    return felt.put(*payloads, ev.ShoeEnded(left=410, reason="withdrawn")).shoe


def test_a_mark_where_commission_is_due_at_once_is_commission_that_was_evaded():
    """Field-facts.md 4, commission evasion: 5 % of 500 stay with the patron."""
    [found] = audit_shoe(marked_at_once()).findings
    assert found.code == "commission-unpaid-at-shoe-end"
    assert found.money.patrons == {"p1": 25}
    assert found.money.house == -25


def test_who_leaves_with_a_mark_there_leaves_owing():
    found = codes_and_coups(marked_at_once(ev.PatronLeft("p1")))
    assert ("commission-unpaid-at-departure", None) in found


def test_a_mark_that_is_collected_after_all_is_paid():
    assert codes_and_coups(marked_at_once(ev.CommissionCollected("p1", 25))) == []


def test_commission_for_a_coup_without_a_mark_is_no_debt():
    felt = Felt().ready().coup("p1 banker 500 | P 4 4  B K 9")
    assert codes_and_coups(felt.put(ev.ShoeEnded(left=410, reason="withdrawn")).shoe) == []


# -- What is noted without the number of a coup ----------------------------------------------------

EXPOSED = ev.IrregularityNoted("card-exposed", "burn-card", by="sue")


def exposed(*behind: ev.Event, at: str) -> Shoe:
    """A card is seen between two coups, or in the second, and is to be burned (La. 42:III-3106)."""
    felt = Felt("louisiana").ready().coup("P 4 5  B K 8")
    if at == "between":
        return finished(
            felt.put(EXPOSED, *behind, ev.CoupOpened(2), ev.NoMoreBets(2)).cards(
                "> P 4  B K  P 5  B 8"
            )
        )
    felt.put(ev.CoupOpened(2), ev.NoMoreBets(2)).cards("> P 4  B K")
    return finished(felt.put(EXPOSED, *behind).cards("> P 5  B 8"))


@pytest.mark.parametrize(("at", "place"), [("between", 7), ("within", 9)])
def test_a_card_that_is_to_be_burned_is(at, place):
    assert codes_and_coups(exposed(at=at)) == [("ruling-not-carried-out", 2)]
    assert codes_and_coups(exposed(ev.CardBurned(None, place, "ruling"), at=at)) == []
    later = Felt("louisiana").ready().coup("P 4 5  B K 8").put(EXPOSED)
    assert codes_and_coups(later.shoe) == []


def machine_failed(*noted: ev.Event, void: bool = False) -> Shoe:
    """The machine fails to somebody's disadvantage in a coup whose number it does not know."""
    felt = Felt("nsw").ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K")
    felt.put(ev.ShufflerFailed(fault="jam", disadvantage=True), *noted)
    if void:
        return felt.put(ev.CoupVoided(1)).coup("P 4 5  B K 8", 2).shoe
    return finished(felt.cards("> P 5  B 8"))


def test_a_machine_does_not_know_the_number_of_the_coup():
    """NSW 12.4: the coup ends and its bets are returned."""
    noted = ev.IrregularityNoted("shuffler-fault", "play-on", 1, "sue")
    assert codes_and_coups(machine_failed(noted)) == [("play-after-shuffler-fault", 1)]
    ended = ev.IrregularityNoted("shuffler-fault", "return-bets", 1, "sue")
    assert codes_and_coups(machine_failed(ended, void=True)) == []
    between = (
        Felt("nsw")
        .ready()
        .coup("P 4 5  B K 8")
        .put(ev.ShufflerFailed(fault="jam", disadvantage=True), replace(noted, coup=None))
    )
    assert codes_and_coups(between.coup("P 4 5  B K 8", 2).shoe) == []


# -- A late bet that was given back ----------------------------------------------------------------


def late_bet(*behind: ev.Event) -> Shoe:
    """p2 bets behind the call, it is ruled that his bet goes back, and the coup is played on."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), ev.BetPlaced(1, 2, "p2", "tie", 500))
    felt.put(ev.IrregularityNoted("late-bet", "return-bets", 1, "sue"), *behind)
    return finished(felt.cards("P 4 5  B K 8"))


def test_the_late_bet_alone_goes_back():
    assert ("ruling-not-carried-out", 1) in codes_and_coups(late_bet())
    assert codes_and_coups(late_bet(ev.BetWithdrawn(1, 2))) == [("past-posted-bet", 1)]
    assert ("ruling-not-carried-out", 1) in codes_and_coups(late_bet(ev.BetWithdrawn(1, 1)))


def raised_late(*behind: ev.Event, ruling: str = "return-bets", before: tuple[ev.Event, ...] = (),
                paid: int = 500) -> Shoe:  # fmt: skip
    """p1's 500 on Player are 900 behind the call. It is ruled so, and then this happens."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), ev.BetChanged(1, 1, 900), *before)
    felt.put(ev.IrregularityNoted("late-bet", ruling, 1, "sue"), *behind)  # type: ignore[arg-type]
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, paid))
    return felt.put(ev.CoupClosed(1)).shoe


def moved(shoe: Shoe) -> list[tuple[str, object]]:
    return [(each.code, each.money.patrons or each.money.unknown)
            for each in audit_shoe(shoe).findings]  # fmt: skip


LATE_CHANGE = "late-bet-change"


@pytest.mark.parametrize("ruling", ["return-bets", "other", "none"])
def test_a_late_raise_that_is_put_back_is_told_once_and_moved_nothing(ruling):
    """Player wins even money: 500 on the 500 that lie there in the end."""
    shoe = raised_late(ev.BetChanged(1, 1, 500), ruling=ruling)
    assert [(code, gains) for code, gains in moved(shoe)] == [(LATE_CHANGE, {"p1": 0})]


def test_what_is_left_of_a_late_raise_that_went_back_in_part_is_its_money():
    """600 of the 900 lie there and win 600; 500 would have won 500."""
    shoe = raised_late(ev.BetChanged(1, 1, 600), ruling="other", paid=600)
    assert moved(shoe) == [(LATE_CHANGE, {"p1": 100})]
    shoe = raised_late(ev.BetChanged(1, 1, 600), paid=600)
    assert moved(shoe)[0] == (LATE_CHANGE, {"p1": 100})
    assert ("ruling-not-carried-out", 1) in codes_and_coups(shoe)


@pytest.mark.parametrize(
    "shoe",
    [
        # nobody had ruled yet, or it was ruled that it stands
        raised_late(before=(ev.BetChanged(1, 1, 500),), ruling="none"),
        raised_late(ev.BetChanged(1, 1, 500), ruling="stand"),
        # beyond what lay there before, or raised once more
        raised_late(ev.BetChanged(1, 1, 400), ruling="none", paid=400),
        raised_late(ev.BetChanged(1, 1, 1200), ruling="none", paid=1200),
    ],
)
def test_a_late_change_that_does_not_put_a_raise_back_on_a_ruling_is_told(shoe):
    assert [code for code, _ in codes_and_coups(shoe)] == [LATE_CHANGE] * 2


@pytest.mark.parametrize(("ruled", "told"), [(-300, 1), (-100, 0), (100, 0), (300, 2)])
def test_whether_a_raise_went_back_on_a_ruling_may_be_in_doubt(ruled, told):
    """The chip reader tells of the bet, the terminal of the ruling; the tolerance is 250 ms."""
    felt = Felt(pack_text("classic-8") + "\n[clocks]\ntolerance_ms = 250\n").ready()
    felt.tell("terminal", 30_000, ev.CoupOpened(1))
    felt.tell("chips", 31_000, ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.tell("terminal", 40_000, ev.NoMoreBets(1))
    felt.tell("chips", 41_000, ev.BetChanged(1, 1, 900))
    felt.tell("chips", 45_000, ev.BetChanged(1, 1, 500))
    felt.tell("terminal", 45_000 + ruled, ev.IrregularityNoted("late-bet", "none", 1, "sue"))
    audit = audit_shoe(felt.shoe)
    assert sum(each.code == LATE_CHANGE for each in audit.findings) == told
    (verdict,) = [each for each in audit.verdicts if each.code == LATE_CHANGE]
    assert any("doubtful" in reason for reason in verdict.reasons) == (told == 0)


def test_a_stake_that_was_lowered_late_and_put_back_is_told_once():
    """500 are 300 behind the call, and 500 again: the raise is the ruling's."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1), ev.BetChanged(1, 1, 300))
    felt.put(ev.IrregularityNoted("late-bet", "return-bets", 1, "sue"), ev.BetChanged(1, 1, 500))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 500))
    assert moved(felt.put(ev.CoupClosed(1)).shoe) == [(LATE_CHANGE, {"p1": 0})]


# -- Cards that are burned when none comes behind them ---------------------------------------------


def test_cards_burned_behind_the_last_coup_change_nothing():
    felt = Felt().ready().coup("P 4 5  B K 8")
    felt.put(*[ev.CardBurned(None, place, "other") for place in (7, 8)])
    assert codes_and_coups(felt.put(ev.ShoeEnded(left=408, reason="withdrawn")).shoe) == []


# -- Records that lack the beginning --------------------------------------------------------------


def test_a_record_that_begins_in_a_coup_may_lack_its_call():
    felt = Felt().ready().coup("P 4 5  B K 8", 3).coup("P 4 5  B K 8")
    calls = [n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.NoMoreBets)]
    assert codes_and_coups(shoe_of(felt.payloads[calls[0] + 1 :])) == []
    without = [
        payload for n, payload in enumerate(felt.payloads[calls[0] :], calls[0]) if n != calls[1]
    ]
    assert codes_and_coups(shoe_of(without)) == [("card-before-bets-closed", 4)]


def placed(*places: int) -> Shoe:
    hands = ("player", "banker", "player", "banker")
    payloads = [
        ev.CardDrawn(7, hand, card, place)
        for hand, card, place in zip(hands, "4K58", places, strict=True)
    ]
    return shoe_of([loaded(coverage="coups"), ev.CoupOpened(7), *payloads, ev.CoupClosed(7)])


def test_a_record_of_coups_need_not_hold_every_card():
    assert codes_and_coups(placed(3, 4, 6, 7)) == []
    assert codes_and_coups(placed(3, 4, 4, 5)) == [("skipped-card", 7)]


def test_a_coup_whose_beginning_was_not_recorded_is_explained_without_a_verdict():
    felt = Felt().ready().coup("p1 player 500 | P 2 A 4  B K 6", 3).coup("P 4 5  B K 8")
    cards = [n for n, payload in enumerate(felt.payloads) if isinstance(payload, ev.CardDrawn)]
    for begun in range(cards[1], cards[4] + 1):
        steps = explain(shoe_of(felt.payloads[begun:]), 3).steps
        assert not any(step.differs for step in steps), begun
        assert any("lacks the beginning" in step.why for step in steps)


def test_each_call_is_explained_and_a_card_that_was_burned():
    wrong, right = ev.ResultCalled(1, 7, 6, "P"), ev.ResultCalled(1, 6, 7, "B")
    shoe = wrong_draw(NOTED, BURNED, rest="> B 2")
    before = [
        payload for payload in shoe.history if not isinstance(payload.payload, ev.ResultCalled)
    ]
    payloads = [event.payload for event in before]
    paid = next(n for n, payload in enumerate(payloads) if isinstance(payload, ev.BetPaid))
    steps = explain(shoe_of([*payloads[:paid], wrong, right, *payloads[paid:]]), 1).steps
    assert [step.differs for step in steps if step.kind == "result"] == [True, False]
    assert [step.shown for step in steps if step.what == "player's 9"] == ["drawn, and burned"]
