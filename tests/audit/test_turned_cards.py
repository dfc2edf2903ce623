"""Cards that are dealt face down are turned before they are called and paid."""

from itertools import pairwise

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import Finding, ShoeAudit, audit_shoe, find_rule
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import fold
from tests.support.bank_coups import SEATS, table
from tests.support.coup_notation import Felt, in_order

CODE = "result-before-cards-exposed"
PLACES: list[tuple[ev.Hand, int]] = [("player", 1), ("player", 2), ("banker", 1), ("banker", 2)]
BETS = "p1 player 500, p2 banker 500"


def turned(*places: tuple[ev.Hand, int], coup: int = 2) -> list[ev.CardTurned]:
    """Turn these cards, or the first four."""
    return [ev.CardTurned(coup, hand, nth) for hand, nth in places or PLACES]


def before(rules: str = "france") -> Felt:
    """A coup whose cards are turned in time, and the cards of the next; none of them is turned."""
    crew = (ev.Crew("caller", "ann"), ev.Crew("supervisor", "sue"))
    felt = Felt(rules, crew=crew).ready().coup(f"{BETS} | P 4 5  B K 8")
    felt.put(ev.CoupOpened(2), ev.BetPlaced(2, 1, "p1", "player", 500), ev.NoMoreBets(2))
    return dealt(felt, "P 4 5  B K 8")


def dealt(felt: Felt, cards: str) -> Felt:
    """Draw cards of coup 2 and do nothing else."""
    for hand, card in in_order(cards):
        felt.put(ev.CardDrawn(2, hand, card, len(felt.shoe.left) + 1))
    return felt


def finish(felt: Felt) -> Felt:
    """Do what is due until the coup is closed, but turn no card."""
    while felt.shoe.current is not None:
        due = next_action(felt.shoe)
        assert due.payload is not None, due
        assert not isinstance(due.payload, ev.CardTurned)
        felt.put(due.payload)
    return felt


def found(felt: Felt) -> list[Finding]:
    """All that is found."""
    return audit_shoe(felt.shoe).findings


TOTALS, RESULT = ev.TotalsCalled(2, 9, 8), ev.ResultCalled(2, 9, 8, "P")
PAID = ev.BetPaid(2, 1, 500)


@pytest.mark.parametrize(
    "payloads",
    [
        # called, and turned then; all of them, or one
        (TOTALS, *turned(), RESULT, PAID),
        (*turned(*PLACES[:3]), TOTALS, *turned(*PLACES[3:]), RESULT, PAID),
        # totals and result called and paid, and turned then: one slip
        (TOTALS, RESULT, PAID, *turned()),
        (RESULT, *turned(), PAID),
        # nothing was called: paid, and turned then
        (PAID, *turned()),
        # never turned at all
        (TOTALS, RESULT, PAID),
    ],
)
def test_what_is_called_or_paid_on_cards_that_nobody_has_seen(
    payloads: tuple[ev.Event, ...],
) -> None:
    """Coup 2 is decided with cards face down: told once, at what decided it first."""
    felt = before().put(ev.CrewChanged("caller", "zoe"))
    rest = iter(payloads)
    decided = next(payload for payload in rest if not isinstance(payload, ev.CardTurned))
    told = felt.put(*payloads, ev.CardsCleared(2, covered=True), ev.CoupClosed(2)).events
    (one,) = [each for each in found(felt) if each.code == CODE]
    at = next(event.at_us for event in told if event.payload == decided)
    assert (one.coup, one.at_us, one.dealer) == (2, at, "zoe")
    beside = {each.code for each in found(felt)} - {CODE}
    assert beside == ({find_rule("C105").code} if RESULT not in payloads else set())


@pytest.mark.parametrize(
    "payloads",
    [
        (*turned(), TOTALS, RESULT, PAID),
        # in any order, and one of them twice
        (*reversed(turned()), *turned(("player", 1)), TOTALS, *turned(("player", 1)), RESULT, PAID),
        # no totals are called on two cards
        (*turned(), RESULT, PAID),
        # called too early, noted, and called again
        (
            *(TOTALS, ev.IrregularityNoted("wrong-call", "stand", 2, "sue"), *turned()),
            *(TOTALS, RESULT, PAID),
        ),
    ],
)
def test_what_is_turned_in_time_is_no_breach(payloads: tuple[ev.Event, ...]) -> None:
    felt = before().put(*payloads, ev.CardsCleared(2, covered=True), ev.CoupClosed(2))
    assert found(felt) == []


@pytest.mark.parametrize(("late", "told"), [(True, [CODE]), (False, [])])
def test_a_third_card_need_not_be_turned_but_not_behind_the_call(late, told) -> None:
    """Player draws a four on five; the arrêté has two cards each dealt face down."""
    felt = Felt("france").ready().coup(f"{BETS} | P 4 5  B K 8")
    felt.put(ev.CoupOpened(2), ev.BetPlaced(2, 1, "p1", "player", 500), ev.NoMoreBets(2))
    dealt(felt, "P 2 3  B K 7").put(*turned(), ev.TotalsCalled(2, 5, 7))
    felt.put(ev.CardDrawn(2, "player", "4", len(felt.shoe.left) + 1))
    result, turning = ev.ResultCalled(2, 9, 7, "P"), ev.CardTurned(2, "player", 3)
    felt.put(*((result, turning) if late else (turning, result)), PAID)
    felt.put(ev.CardsCleared(2, covered=True), ev.CoupClosed(2))
    assert [each.code for each in found(felt)] == told


def test_a_call_before_its_cards_were_drawn_is_that_alone() -> None:
    """The totals are called when three cards lie there, all face down."""
    felt = Felt("france").ready().coup(f"{BETS} | P 4 5  B K 8")
    felt.put(ev.CoupOpened(2), ev.BetPlaced(2, 1, "p1", "player", 500), ev.NoMoreBets(2))
    dealt(dealt(felt, "> P 4  B K  P 5").put(TOTALS), "> B 8").put(*turned(), RESULT, PAID)
    felt.put(ev.CardsCleared(2, covered=True), ev.CoupClosed(2))
    assert [each.code for each in found(felt)] == [find_rule("C104").code]


def test_bets_that_go_back_on_a_ruling_are_paid_on_no_card() -> None:
    felt = before().put(ev.IrregularityNoted("misdeal", "return-bets", 2, "sue"))
    felt.put(ev.BetPushed(2, 1), *turned(), ev.CoupVoided(2, "misdeal", "sue"))
    assert CODE not in [each.code for each in found(felt)]


# -- Records that tell less ---------------------------------------------------------------------


def reason(audit: ShoeAudit) -> set[str]:
    """Why the rule did not apply to coups."""
    (verdict,) = [each for each in audit.verdicts if each.code == CODE]
    return set(verdict.reasons)


def shoe_of_coups(*untold: ev.CardTurned) -> Felt:
    """Twelve coups; nobody tells that these cards were turned."""
    felt = Felt("france").ready()
    for _ in range(12):
        felt.coup(f"{BETS} | P 4 5  B K 8").due(ev.ShoePassed, ev.ShoeOffered, ev.ShoeTaken)
    kept = [event for event in felt.events if event.payload not in untold]
    again = Felt("france")
    return again.put(*[event.payload for event in kept[1:]])


def turns_of(*coups: int, places: list[tuple[ev.Hand, int]] = PLACES) -> list[ev.CardTurned]:
    """The turns of these cards in these coups."""
    return [ev.CardTurned(coup, hand, nth) for coup in coups for hand, nth in places]


def test_a_record_without_turns_is_not_judged() -> None:
    felt = shoe_of_coups(*turns_of(*range(1, 13)))
    assert found(felt) == []
    assert "the record has no turned card" in reason(audit_shoe(felt.shoe))


def test_a_card_whose_turn_is_never_recorded_is_not_judged() -> None:
    """The record has the turns of Player's cards only: whoever staked most turns them."""
    assert found(shoe_of_coups(*turns_of(*range(1, 13), places=PLACES[2:]))) == []


@pytest.mark.parametrize("coups", [(7,), (1,), (1, 2, 3, 6, 9)])
def test_each_coup_without_its_turns_is_found_if_other_coups_have_them(coups) -> None:
    felt = shoe_of_coups(*turns_of(*coups))
    assert [(each.code, each.coup) for each in found(felt)] == [(CODE, coup) for coup in coups]


@pytest.mark.parametrize("coup", [1, 10, 12])
def test_one_card_that_was_not_turned_is_found(coup) -> None:
    felt = shoe_of_coups(*turned(("banker", 2), coup=coup))
    assert [(each.code, each.coup) for each in found(felt)] == [(CODE, coup)]


def test_houses_that_deal_face_up_and_records_of_coups_are_not_held_to_it() -> None:
    up = Felt("classic-8").ready().coup(f"{BETS} | P 4 5  B K 8")
    assert reason(audit_shoe(up.shoe)) == {"the pack does not deal cards face down"}
    alone = Felt("france", coverage="coups").coup("p1 player 500 | P 4 5  B K 8")
    assert reason(audit_shoe(alone.shoe)) == {"the record holds only coups"}


def test_two_devices_within_the_tolerance_accuse_nobody() -> None:
    """The table's clock is a second an event; the caller's is 50 ms before the last turning."""
    felt = before().put(*turned(*PLACES[:3]))
    at = 1000 * len(felt.payloads)
    felt.tell("caller", at + 1950, TOTALS, recorded_ms=at + 1950)
    felt.tell("d", at + 2000, turned(*PLACES[3:])[0])
    felt.tell("d", at + 3000, RESULT).tell("d", at + 4000, PAID)
    felt.tell("d", at + 5000, ev.CardsCleared(2, covered=True)).tell(
        "d", at + 6000, ev.CoupClosed(2)
    )
    assert CODE not in [each.code for each in found(felt)]
    assert any("is doubtful" in each for each in reason(audit_shoe(felt.shoe)))


# -- Where a patron banks -----------------------------------------------------------------------


@pytest.mark.parametrize(("late", "told"), [(True, [CODE]), (False, [])])
def test_against_a_patrons_bank_too(late, told) -> None:
    payloads = [event.payload for event in table().coup("p2 player 500 | P 4 5  B K 8").events]
    if late:
        call = next(i for i, payload in enumerate(payloads) if isinstance(payload, ev.ResultCalled))
        first = next(i for i, payload in enumerate(payloads) if isinstance(payload, ev.CardTurned))
        payloads.insert(first, payloads.pop(call))
    again = Felt("chemin-de-fer", seats=SEATS).put(*payloads[1:])
    assert [each.code for each in found(again)] == told


# -- A card that is not there -------------------------------------------------------------------

GROUND = "unmatched-event"


@pytest.mark.parametrize(
    ("place", "told"),
    [(("player", 7), [GROUND]), (("banker", 3), [GROUND]), (("player", 2), [])],
)
def test_a_card_that_no_hand_has_cannot_be_turned(place, told) -> None:
    felt = before().put(*turned(), ev.CardTurned(2, *place), TOTALS, RESULT, PAID)
    felt.put(ev.CardsCleared(2, covered=True), ev.CoupClosed(2))
    assert [each.code for each in found(felt)] == told


def test_a_card_cannot_be_turned_before_it_is_drawn() -> None:
    felt = (
        Felt("france")
        .ready()
        .put(ev.CoupOpened(1), ev.NoMoreBets(1), ev.CardTurned(1, "player", 1))
    )
    assert [each.code for each in found(felt)] == [GROUND]


def test_a_card_that_a_ruling_took_off_its_hand_was_there() -> None:
    """Player's third card is burned by a ruling, and turned on its way."""
    felt = before().put(*turned(), TOTALS)
    place = len(felt.shoe.left) + 1
    felt.put(ev.CardDrawn(2, "player", "2", place))
    felt.put(ev.IrregularityNoted("wrong-draw", "burn-card", 2, "sue"))
    felt.put(ev.CardBurned("2", place, "ruling", 2), ev.CardTurned(2, "player", 3))
    assert GROUND not in [each.code for each in found(felt)]


def test_a_record_of_coups_and_one_without_cards_are_not_held_to_cards() -> None:
    alone = Felt("france", coverage="coups").put(ev.CoupOpened(1), ev.CardTurned(1, "player", 1))
    assert GROUND not in [each.code for each in found(alone)]
    cardless = Felt("france").put(ev.CoupOpened(1), ev.CardTurned(1, "player", 1))
    assert GROUND not in [each.code for each in found(cardless)]


def test_a_turning_that_came_to_the_log_before_its_card_is_doubtful() -> None:
    """Two devices, 100 ms apart: within the tolerance of the pack nobody knows."""
    felt = Felt("france").ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    at = 1000 * len(felt.payloads) + 1000
    felt.tell("eye", at, ev.CardTurned(1, "player", 1), recorded_ms=at)
    felt.tell("d", at + 100, ev.CardDrawn(1, "player", "4", len(felt.shoe.left) + 1))
    assert GROUND not in [each.code for each in found(felt)]


def test_versions_are_those_of_the_felt() -> None:
    """What these tests lean on: events lie a second apart, so that no order is in doubt."""
    events = before().events
    assert all(later.at_us - one.at_us == 1_000_000 for one, later in pairwise(events))
    assert fold("shoe/test", [replace(each) for each in events]) == before().shoe
