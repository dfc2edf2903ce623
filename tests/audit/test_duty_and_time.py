"""A finding names the people and the time of the breach."""

import pytest

from sabot.domain import events as ev
from sabot.domain.audit import Finding, audit_shoe
from sabot.domain.audit.rulebook import EXAMPLES
from sabot.domain.events import bank as bank_ev
from sabot.infrastructure.rule_packs import pack_text
from tests.support.audited import codes, finish, only
from tests.support.coup_notation import Felt, in_order
from tests.support.for_each import for_each
from tests.support.rule_cases import every_case
from tests.support.rule_examples import deal

CREW = (ev.Crew("dealer", "ann"), ev.Crew("supervisor", "sue"))
RELIEF = (ev.CrewChanged("dealer", "zoe"), ev.CrewChanged("supervisor", "sid"))


def opened(rules: str = "mini", *payloads: ev.Event) -> Felt:
    """A coup that is opened, with these events in it. Ann deals, under sue."""
    return Felt(rules, crew=CREW).ready().put(ev.CoupOpened(1), *payloads)


def drawn(felt: Felt, cards: str) -> Felt:
    """Draw cards as they are written, and call nothing."""
    for hand, card in in_order(cards):
        felt.put(ev.CardDrawn(1, hand, card, len(felt.shoe.left) + 1))
    return felt


def who(found: Finding) -> tuple[str | None, str | None]:
    """Who stood at the posts, by a finding."""
    return found.dealer, found.supervisor


# -- A hand that should have drawn: by what came instead of its card ------------------------------


def test_banker_is_passed_over_by_the_call_of_the_result() -> None:
    """Player draws a four on four; ann is relieved; zoe calls the result on Banker's two."""
    felt = drawn(opened("mini", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2")
    felt = drawn(felt.put(ev.TotalsCalled(1, 4, 2)), "> P 4").put(*RELIEF)
    called = felt.put(ev.ResultCalled(1, 8, 2, "P")).events[-1]
    found = only(finish(felt), "banker-stood-against-table")
    assert (found.at_us, who(found)) == (called.at_us, ("zoe", "sid"))


def test_player_is_passed_over_by_bankers_third_card() -> None:
    """Four and two: Player is due a card, and Banker has it; who is relieved then did it."""
    felt = drawn(opened("mini", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2")
    third = drawn(felt.put(ev.TotalsCalled(1, 4, 2)), "> B 3").events[-1]
    found = only(finish(felt.put(*RELIEF)), "player-stood-against-table")
    assert (found.at_us, who(found)) == (third.at_us, ("ann", "sue"))


def test_player_is_passed_over_by_the_result_where_banker_stands_too() -> None:
    """Two and three against seven. A result that was called before the cards passes nobody over."""
    felt = opened("mini", ev.NoMoreBets(1), ev.ResultCalled(1, 5, 7, "B"))
    felt = drawn(felt, "> P 2  B K  P 3  B 7").put(ev.TotalsCalled(1, 5, 7), *RELIEF)
    called = felt.put(ev.ResultCalled(1, 5, 7, "B")).events[-1]
    found = only(felt.put(ev.CoupClosed(1)), "player-stood-against-table")
    assert (found.at_us, who(found)) == (called.at_us, ("zoe", "sid"))


@pytest.mark.parametrize("end", [ev.BetTaken(1, 1, 500), ev.CoupClosed(1), ev.CoupOpened(2)])
def test_where_no_result_is_called_the_next_step_passes_a_hand_over(end) -> None:
    felt = opened("mini", ev.BetPlaced(1, 1, "p1", "player", 500), ev.NoMoreBets(1))
    felt = drawn(felt, "> P 2  B K  P 3  B 7").put(*RELIEF)
    at = felt.put(end).events[-1].at_us
    found = only(felt.put(ev.CoupOpened(2)), "player-stood-against-table")
    assert (found.at_us, who(found)) == (at, ("zoe", "sid"))


def test_player_is_passed_over_by_the_ruling_that_takes_its_card_away() -> None:
    """Player's third card was due, and is given to Banker."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2  P 4")
    given = felt.put(*RELIEF, ev.CardReassigned(1, "player", "banker")).events[-1]
    found = only(finish(felt), "player-stood-against-table")
    assert (found.at_us, who(found)) == (given.at_us, ("zoe", "sid"))


# -- A card that came by a ruling ---------------------------------------------------------------

TO_BANKER = ev.IrregularityNoted("wrong-draw", "card-to-banker", 1, "sue")


def given_over(cards: str) -> Felt:
    """Player's third card is given to Banker by zoe, who has relieved ann."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), cards).put(TO_BANKER, *RELIEF)
    return finish(felt.put(ev.CardReassigned(1, "player", "banker")))


def test_a_card_given_to_a_hand_that_stands_is_blamed_at_the_giving() -> None:
    """Player has six, and so has Banker, who stands against none."""
    felt = given_over("> P 2  B K  P 4  B 6  P 3")
    found = only(felt, "banker-drew-against-table")
    given = next(event for event in felt.events if isinstance(event.payload, ev.CardReassigned))
    card = next(event for event in felt.events if getattr(event.payload, "card", "") == "3")
    assert (found.at_us, who(found)) == (given.at_us, ("zoe", "sid"))
    assert found.events == (given.index, card.index)


def test_a_card_given_to_the_hand_that_it_was_due_to_is_no_breach() -> None:
    assert codes(given_over("> P 2  B K  P 4  B 5  P 3").shoe) == []


def test_a_fourth_card_that_was_given_is_blamed_at_the_giving() -> None:
    """Two against four: Player has a four and a five, the five is made Banker's fourth."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), "> P 2  B K  P K  B 4  P 4  B 2  P 5")
    given = felt.put(*RELIEF, ev.CardReassigned(1, "player", "banker")).events[-1]
    found = only(finish(felt), "fourth-card-drawn")
    assert (found.at_us, who(found)) == (given.at_us, ("zoe", "sid"))


def test_players_card_is_the_one_that_it_kept() -> None:
    """Six against two: an eight is given to Banker, then Player draws once more."""
    felt = drawn(opened("midi", ev.NoMoreBets(1)), "> P 2  B K  P 4  B 2  P 8").put(TO_BANKER)
    felt.put(ev.CardReassigned(1, "player", "banker"))
    again = drawn(felt, "> P 3").events[-1]
    assert only(finish(felt), "player-drew-against-table").events == (again.index,)


# -- The differential: the bet that exceeds it, as the bets lie when they are closed --------------

CAPPED = pack_text("nsw").replace("differential = 1_000_000", "differential = 1_000")
FAR = "table-differential-exceeded"


def bet(number: int, wager: str, amount: int, seat: int | None = None) -> ev.BetPlaced:
    """A bet of its own patron."""
    return ev.BetPlaced(1, number, f"p{number}", wager, amount, seat)


def dealt(*payloads: ev.Event, late: tuple[ev.Event, ...] = (), rules: str = CAPPED) -> Felt:
    """A coup whose bets are laid so, then perhaps late. Player wins nine to eight."""
    felt = opened(rules, *payloads, ev.NoMoreBets(1), *late).cards("P 4 5  B K 8")
    return finish(felt)


def test_the_differential_is_exceeded_by_the_bet_that_does() -> None:
    felt = dealt(bet(1, "player", 1000), bet(2, "banker", 500), *RELIEF, bet(3, "player", 501))
    found = only(felt, FAR)
    placed = next(event for event in felt.events if getattr(event.payload, "bet", 0) == 3)
    assert (found.patron, found.at_us, who(found)) == ("p3", placed.at_us, ("zoe", "sid"))


def test_what_lay_too_far_apart_on_the_way_only_is_no_breach() -> None:
    assert codes(dealt(bet(1, "player", 2000), bet(2, "banker", 1000)).shoe) == []
    assert codes(dealt(bet(1, "banker", 2000), *RELIEF, ev.BetChanged(1, 1, 1000)).shoe) == []


@pytest.mark.parametrize(
    ("payloads", "by"),
    [
        # it stays exceeded from the first bet on, whatever comes behind it
        ((bet(1, "player", 2001), bet(2, "banker", 500), bet(3, "player", 100)), "p1"),
        # made up for, and exceeded once more
        ((bet(1, "player", 1500), bet(2, "banker", 900), bet(3, "player", 401)), "p3"),
        # on the other side
        ((bet(1, "player", 1500), bet(2, "banker", 2501)), "p2"),
        # who takes his bet away in time leaves the others too far apart
        ((bet(1, "player", 1500), bet(2, "banker", 600), ev.BetWithdrawn(1, 2)), "p2"),
        ((bet(1, "tie", 9000), bet(2, "banker", 600), ev.BetChanged(1, 2, 1001)), "p2"),
    ],
)
def test_who_exceeds_the_differential(payloads, by) -> None:
    assert only(dealt(*payloads), FAR).patron == by


@pytest.mark.parametrize(
    ("late", "code"),
    [
        (ev.BetWithdrawn(1, 2), "late-bet-change"),
        (ev.BetChanged(1, 2, 100), "late-bet-change"),
        (ev.BetChanged(1, 1, 1501), "late-bet-change"),
        (bet(3, "player", 1), "past-posted-bet"),
    ],
)
def test_what_comes_late_is_late_and_nothing_else(late, code) -> None:
    """1500 against 500 at the call, a thousand apart."""
    assert codes(dealt(bet(1, "player", 1500), bet(2, "banker", 500), late=(late,)).shoe) == [code]


def test_what_is_taken_back_late_lay_too_far_apart_all_the_same() -> None:
    felt = dealt(bet(1, "player", 1501), bet(2, "banker", 500), late=(ev.BetChanged(1, 1, 1500),))
    assert sorted(codes(felt.shoe)) == ["late-bet-change", FAR]


# -- A seat -------------------------------------------------------------------------------------

SHARED = pack_text("mini").replace("seats = 7", "seats = 7\nper_seat = 2")
CROWDED = "excess-bettors-on-seat"


def test_the_first_bet_beyond_those_of_a_seat_is_one_too_many() -> None:
    lawful = (bet(1, "player", 500, 1), bet(2, "banker", 500, 1))
    beyond = (bet(3, "player", 500, 1), bet(4, "player", 500, 1))
    felt = dealt(*lawful, *RELIEF, *beyond, rules=SHARED)
    found = only(felt, CROWDED)
    placed = next(event for event in felt.events if getattr(event.payload, "bet", 0) == 3)
    assert (found.patron, found.at_us, who(found)) == ("p3", placed.at_us, ("zoe", "sid"))


def test_who_left_a_seat_in_time_crowds_nobody_and_who_leaves_it_late_did() -> None:
    bets = (bet(1, "player", 500, 1), bet(2, "banker", 500, 1), bet(3, "player", 500, 1))
    in_time = dealt(*bets[:2], ev.BetWithdrawn(1, 1), bets[2], rules=SHARED)
    assert codes(in_time.shoe) == []
    late = dealt(*bets, late=(ev.BetWithdrawn(1, 1),), rules=SHARED)
    assert set(codes(late.shoe)) == {"late-bet-change", CROWDED}
    assert codes(dealt(*bets[:2], late=bets[2:], rules=SHARED).shoe) == ["past-posted-bet"]


# -- Cards and the cut card ---------------------------------------------------------------------


def test_cards_are_out_of_order_from_the_first_that_went_wrong() -> None:
    """Banker's third card comes before Player's: the fifth, drawn by zoe; ann draws again."""
    felt = drawn(opened("mini", ev.NoMoreBets(1)), "> P 2  B K  P 2  B 2").put(*RELIEF)
    wrong = drawn(felt, "> B 3").events[-1]
    felt = drawn(felt.put(ev.CrewChanged("dealer", "ann")), "> P 4")
    found = only(finish(felt), "cards-out-of-order")
    assert (found.at_us, who(found)) == (wrong.at_us, ("zoe", "sid"))


def test_the_cut_card_shows_in_the_wrong_place_when_it_shows() -> None:
    deep = pack_text("mini").replace("stop_card_most = 16", "stop_card_most = 402")
    assert "402" in deep
    felt = Felt(deep, crew=CREW).put(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90))
    felt.put(ev.StopCardPlaced(402)).ready().coup("P 4 5  B K 8").put(*RELIEF)
    shown = felt.put(ev.CutCardReached(len(felt.shoe.left))).events[-1]
    found = only(felt, "wrong-cut-card-position")
    assert (found.at_us, who(found)) == (shown.at_us, ("zoe", "sid"))


# -- Every rule ---------------------------------------------------------------------------------


@for_each("case", every_case(), ids=lambda case: case.code)
def test_every_finding_is_shown_by_a_event_and_has_its_time(case) -> None:
    shoe = case.broken()
    indexes = {event.index for event in shoe.history}
    for found in audit_shoe(shoe).findings:
        assert found.events
        assert indexes.issuperset(found.events)
        assert found.at_us is not None


BLAMED_AT: dict[str, tuple[type, ...]] = {
    "stakes-beyond-bank": (ev.NoMoreBets,),
    "stake-beside-banco": (ev.NoMoreBets,),
    "play-on-broken-bank": (ev.CardDrawn,),
    "stand-on-mandatory-draw": (bank_ev.ChoiceMade, ev.ResultCalled),
    "card-order-mismatch": (ev.CardDrawn, ev.CardBurned),
    "committed-order-not-opened": (ev.ShoeEnded,),
    "no-bet-hand-not-played-out": (ev.CardBurned, ev.CoupClosed, ev.CoupVoided),
    "card-withheld-from-banker": (ev.ResultCalled,),
    "unreported-exposed-card": (ev.ResultCalled, ev.CoupClosed),
    "levy-out-of-order": (bank_ev.LevyTaken, bank_ev.TicketsDetached),
    "untorn-tickets": (ev.CoupOpened, ev.ShoeEnded),
}
"""Rules whose first event is none that broke them: by which kind of event they are broken."""


@for_each("code", BLAMED_AT)
def test_a_rule_is_broken_by_no_event_that_was_right(code) -> None:
    shoe = deal(EXAMPLES[code])
    (found,) = [found for found in audit_shoe(shoe).findings if found.code == code]
    (done,) = [event.payload for event in shoe.history if event.at_us == found.at_us]
    assert isinstance(done, BLAMED_AT[code])


@pytest.mark.parametrize(
    ("burned", "at"), [(1, ev.CardDrawn), (3, ev.CardBurned), (0, ev.CardDrawn)]
)
def test_a_burn_goes_wrong_by_one_card_too_many_or_by_the_first_that_is_dealt(burned, at) -> None:
    """An ace asks for one more. Zoe deals from the third card on, or where the burn falls short."""
    felt = Felt("mini", crew=CREW)
    felt.put(ev.ShoeShuffled("ann"), ev.ShoeCut("p1", 90), ev.StopCardPlaced(15))
    cards = [ev.CardBurned("Ac", 1), ev.CardBurned(None, 2), ev.CardBurned(None, 3)][:burned]
    felt.put(*cards[:2], *RELIEF, *cards[2:]).coup("P 4 5  B K 8")
    found = only(felt, "wrong-opening-burn")
    done = next(event for event in felt.events if event.at_us == found.at_us)
    assert isinstance(done.payload, at)
    assert who(found) == ("zoe", "sid")
