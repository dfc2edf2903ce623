"""What everybody had seen before each card, and the bets at that time."""

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.e_process.bet_signals import Custom, signals_of
from sabot.domain.protection.e_process.coup_evidence import evidence_of
from sabot.domain.protection.observation.knowledge_at import CorrectedView
from sabot.domain.protection.observation.watcher import Watcher, observe_shoe
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.state.shoe import fold
from tests.support.coup_notation import Felt, events_of, loaded, shoe_of

FRESH = (128, *[32] * 9)


def gone(unseen, fresh=FRESH):
    """Which values were seen, and how many of each."""
    return {value: a - b for value, (a, b) in enumerate(zip(fresh, unseen, strict=True)) if a != b}


def test_the_burn_is_seen_face_up_and_unseen_face_down():
    felt = Felt("classic-8").ready("7c").coup("p1 banker 500 | P 4 5  B K 9")
    (coup,) = observe_shoe(felt.shoe).coups
    assert gone(coup.unseen) == {7: 1}
    assert len(felt.shoe.left) == 8 + 4
    assert coup.lacking == 0


def test_each_face_is_unseen_until_it_is_shown():
    felt = Felt("classic-8").ready("Ac").coup("p1 player 500 | P 4 2  B K 3")
    looks = observe_shoe(felt.shoe).coups[0].looks
    assert [look.value for look in looks] == [4, 0, 2, 3]
    assert [gone(look.unseen) for look in looks] == [
        {1: 1},
        {1: 1, 4: 1},
        {0: 1, 1: 1, 4: 1},
        {0: 1, 1: 1, 2: 1, 4: 1},
    ]
    assert all(look.stakes == {"p1": {"player": 500}} for look in looks)


def test_cards_of_a_voided_coup_stay_seen():
    felt = Felt("classic-8").ready("Ac")
    felt.put(ev.CoupOpened(1), ev.NoMoreBets(1), ev.CardDrawn(1, "player", "9s"), ev.CoupVoided(1))
    felt.coup("p1 player 500 | P 4 5  B K 9", number=2)
    first, second = observe_shoe(felt.shoe).coups
    assert first.voided
    assert gone(second.unseen) == {1: 1, 9: 1}
    assert second.lacking == 0


@pytest.mark.parametrize("place", [None, 7])
def test_a_card_that_was_drawn_and_that_a_ruling_burned_left_the_shoe_once(place):
    felt = Felt("classic-8").ready("Ac").put(ev.CoupOpened(1), ev.NoMoreBets(1))
    felt.cards("> P 2  B K  P 4  B 5  P 9").put(ev.IrregularityNoted("wrong-draw", "burn-card", 1))
    felt.put(ev.CardBurned("9", place, "ruling", 1)).cards("> B 2").put(ev.CoupVoided(1))
    (coup,) = observe_shoe(felt.coup("p1 player 500 | P 4 5  B K 9").shoe).coups[1:]
    assert gone(coup.unseen) == {0: 1, 1: 1, 2: 2, 4: 1, 5: 1, 9: 1}
    assert coup.lacking == 0


def late(*payloads):
    """A coup in which the events come after the first face."""
    felt = Felt("classic-8").ready("Ac")
    felt.put(
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "p1", "banker", 500),
        ev.NoMoreBets(1),
        ev.CardDrawn(1, "player", "9s"),
        *payloads,
        ev.CardDrawn(1, "banker", "2s"),
    )
    return observe_shoe(felt.shoe).coups[0]


def test_a_bet_placed_after_a_face_is_no_evidence_about_that_face():
    coup = late(ev.BetPlaced(1, 2, "p2", "player", 900))
    assert coup.stakes == {"p1": {"banker": 500}}
    assert coup.looks[0].stakes == {"p1": {"banker": 500}}
    assert coup.looks[1].stakes["p2"] == {"player": 900}
    (change,) = coup.changes
    assert (change.patron, change.before, change.after) == ("p2", {}, {"player": 900})
    assert change.known == ((1, 9),)


@pytest.mark.parametrize(
    ("payload", "after"),
    [(ev.BetChanged(1, 1, 100), {"banker": 100}), (ev.BetWithdrawn(1, 1), {})],
)
def test_a_bet_changed_or_withdrawn_after_a_face_counts_as_it_lay_before(payload, after):
    coup = late(payload)
    assert coup.looks[0].stakes == {"p1": {"banker": 500}}
    assert coup.changes[0].after == after


def test_a_bet_changed_before_the_first_face_counts_as_it_was_changed():
    felt = Felt("classic-8").ready("Ac")
    felt.put(
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "p1", "banker", 500),
        ev.BetChanged(1, 1, 900),
        ev.CardDrawn(1, "player", "9s"),
    )
    coup = observe_shoe(felt.shoe).coups[0]
    assert coup.looks[0].stakes == {"p1": {"banker": 900}}
    assert coup.changes == []


def corrected(place, instead):
    """A bet on Banker corrected before (0) the first face, or after so many cards."""
    felt = Felt("classic-8").ready("Ac")
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "banker", 500))
    payload = ev.EventCorrected(len(felt.payloads), "misheard", None, instead)
    cards = [ev.CardDrawn(1, hand, "4s") for hand in ("player", "banker", "player", "banker")]
    felt.put(*cards[:place], payload, *cards[place:])
    return observe_shoe(felt.shoe).coups[0]


def test_a_bet_corrected_before_the_first_face_counts_as_it_was_corrected():
    coup = corrected(0, ev.BetPlaced(1, 1, "p2", "player", 700))
    assert coup.stakes == {"p2": {"player": 700}}
    assert coup.patrons == ("p2",)
    assert coup.disputed == frozenset()
    assert corrected(0, None).stakes == {}


@pytest.mark.parametrize("place", [1, 4])
def test_a_bet_corrected_after_a_face_counts_as_it_stood_and_is_disputed(place):
    coup = corrected(place, ev.BetPlaced(1, 1, "p2", "player", 700))
    assert coup.stakes == {"p1": {"banker": 500}}
    assert coup.changes == []
    assert coup.disputed == {"p1", "p2"}
    assert corrected(place, None).disputed == {"p1"}


def test_what_a_card_was_counts_from_where_it_was_seen():
    felt = Felt("classic-8").ready("Ac").coup("p1 player 500 | P 4 2  B K 3")
    drawn = next(e for e in felt.events if isinstance(e.payload, ev.CardDrawn))
    felt.put(ev.EventCorrected(drawn.version, "misread", None, ev.CardDrawn(1, "player", "9s")))
    assert [look.value for look in observe_shoe(felt.shoe).coups[0].looks] == [9, 0, 2, 3]


def face_down(*between):
    """French dealing: four cards face down; the events come before they are turned."""
    felt = Felt("france", 6).ready("Ac")
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    hands = ("player", "banker", "player", "banker")
    for hand, card in zip(hands, ("9s", "2s", "Kd", "6h"), strict=True):
        felt.put(ev.CardDrawn(1, hand, card))
    felt.put(*between)
    for hand, nth in (("banker", 1), ("banker", 2), ("player", 1), ("player", 2)):
        felt.put(ev.CardTurned(1, hand, nth))
    return observe_shoe(felt.shoe).coups[0]


def test_cards_dealt_face_down_are_seen_when_they_are_turned():
    coup = face_down(ev.BetChanged(1, 1, 900), ev.NoMoreBets(1))
    assert [look.place for look in coup.looks] == [2, 4, 1, 3]
    assert [look.value for look in coup.looks] == [2, 6, 9, 0]
    assert coup.stakes == {"p1": {"player": 900}}
    assert all(look.early for look in coup.looks)
    evidence = evidence_of(coup)
    assert evidence.lead
    assert [look.place for look in evidence.others] == [2, 3, 4]


def test_cards_out_after_the_bets_closed_are_not_early_but_lay_unseen():
    felt = Felt("france", 6).ready("Ac")
    felt.coup("p1 player 500 | P 4 5  B K 9")
    evidence = evidence_of(observe_shoe(felt.shoe).coups[0])
    assert not evidence.lead
    assert [(look.place, look.early) for look in evidence.others] == [
        (2, False),
        (3, False),
        (4, False),
    ]
    assert evidence.first.value == 4


def test_a_card_never_turned_in_a_voided_coup_stays_unseen():
    felt = Felt("france", 6).ready("Ac")
    felt.put(ev.CoupOpened(1), ev.NoMoreBets(1), ev.CardDrawn(1, "player", "9s"), ev.CoupVoided(1))
    felt.coup("p1 player 500 | P 4 5  B K 9", number=2)
    unseen = observe_shoe(felt.shoe).coups[1].unseen
    assert gone(unseen, (96, *[24] * 9)) == {1: 1}


def test_another_record_without_its_burn_card_lacks_one():
    shoe = shoe_of(
        [
            loaded("classic-8", coverage="coups"),
            ev.CoupOpened(1),
            ev.BetPlaced(1, 1, "p1", "player", 500),
            *[ev.CardDrawn(1, hand, card) for hand, card in (("player", "9"), ("banker", "2"))],
            *[ev.CardDrawn(1, hand, card) for hand, card in (("player", "K"), ("banker", "6"))],
            ev.CoupClosed(1),
            ev.CoupOpened(4),
            ev.CardDrawn(4, "player", "9"),
        ]
    )
    first, fourth = observe_shoe(shoe).coups
    assert first.lacking == 1
    # coups 2 and 3 may have shown six cards each
    assert fourth.lacking == 1 + 12
    assert len(evidence_of(first).outcome) == 10
    assert evidence_of(fourth).outcome == []


def test_a_burn_card_that_the_record_names_is_not_lacking():
    shoe = shoe_of(
        [
            loaded("classic-8", coverage="coups"),
            ev.CardBurned("7"),
            ev.CoupOpened(1),
            ev.CardDrawn(1, "player", "9"),
        ]
    )
    (coup,) = observe_shoe(shoe).coups
    assert coup.lacking == 0
    assert gone(coup.unseen) == {7: 1}


def test_a_gap_in_the_places_is_cards_that_may_have_been_seen():
    felt = Felt("classic-8").ready("Ac")
    left = len(felt.shoe.left)
    felt.put(ev.CoupOpened(1), ev.CardDrawn(1, "player", "9s", left + 4))
    assert observe_shoe(felt.shoe).coups[0].lacking == 3


def test_a_card_face_up_in_the_shoe_is_no_test():
    felt = Felt("classic-8").ready("Ac")
    felt.put(
        ev.CoupOpened(1),
        ev.BetPlaced(1, 1, "p1", "player", 500),
        ev.CardDrawn(1, "player", "9s", face_up=True),
    )
    evidence = evidence_of(observe_shoe(felt.shoe).coups[0])
    assert evidence.card is None
    assert evidence.came is None
    assert evidence.boxed


def test_a_bet_that_a_tie_holds_on_the_felt_is_no_signal_where_it_cannot_be_withdrawn():
    rules = Felt("classic-8").shoe.pack_text
    assert "withdrawable = true" in rules
    held = rules.replace("withdrawable = true", "withdrawable = false")
    for text, side in ((rules, 0), (held, None)):
        felt = Felt(text, 8).ready("Ac")
        felt.coup("p1 player 500 | P 4 5  B K 9").coup("+p1 player 500 | P 4 2  B K 7")
        evidence = evidence_of(observe_shoe(felt.shoe).coups[1])
        assert signals_of(evidence, ("p1",), Custom(500, 0, 1)).side == side


def test_a_record_that_contradicts_itself_says_nothing_from_there():
    payloads = [loaded("classic-8", 1), ev.CoupOpened(1)]
    payloads += [ev.CardDrawn(1, "player", "9s") for _ in range(5)]
    assert "more cards" in observe_shoe(shoe_of(payloads)).broken


def test_the_result_is_the_tableau_s_even_where_the_dealer_erred():
    felt = Felt("classic-8").ready("Ac")
    felt.coup("p1 player 500 | P 4 5  B K 2  | P 9-2 | -")
    felt.coup("p1 player 500 | > P 9 B 2 P K B 5 B 4")
    natural, wrong = observe_shoe(felt.shoe).coups
    assert natural.totals == (9, 2)
    # Banker drew against a natural; what the next cards came to is what the tableau says
    assert wrong.totals == (9, 7)


def test_events_of_the_same_moment_are_numbered():
    felt = Felt("classic-8").ready("Ac").coup("p1 player 500 | P 4 5  B K 9")
    drawn = [e.index for e in events_of(felt.payloads) if isinstance(e.payload, ev.CardDrawn)]
    assert [look.event for look in observe_shoe(felt.shoe).coups[0].looks] == drawn


def test_stakes_of_the_patron_s_own_past_scale_his_size():
    felt = Felt("classic-8").ready("Ac").coup("p1 player 500 | P 4 5  B K 9")
    evidence = evidence_of(observe_shoe(felt.shoe).coups[0])
    assert signals_of(evidence, ("p1",), Custom(1000, 0, 4)).size is True
    assert signals_of(evidence, ("p1",), Custom(2000, 0, 4)).size is None
    assert signals_of(evidence, ("p1",), Custom(4000, 0, 4)).size is False
    # somebody present who sits out made a bet of zero
    assert signals_of(evidence, ("p2",), Custom(4000, 0, 4)).size is False


def test_cards_that_go_back_into_the_shoe_end_what_can_be_said():
    continuous = [loaded("classic-8"), ev.ShoeShuffled("m1", "continuous"), ev.CoupOpened(1)]
    continuous.append(ev.CardDrawn(1, "player", "9s"))
    seen = observe_shoe(shoe_of(continuous))
    assert seen.coups == []
    assert "continuous" in seen.broken
    felt = Felt("classic-8").ready("Ac").coup("p1 player 500 | P 4 5  B K 9")
    felt.put(ev.ShoeShuffled("dealer")).coup("p1 player 500 | P 4 5  B K 9")
    seen = observe_shoe(felt.shoe)
    assert [coup.number for coup in seen.coups] == [1]
    assert "again" in seen.broken


def overlapping(ends):
    """Three coups; the end of each but the last is told when the next one has been opened."""
    felt = Felt("classic-8").ready("Ac")
    waits = []
    for number in (1, 2, 3):
        felt.put(ev.CoupOpened(number), *waits, ev.BetPlaced(number, 1, "p1", "player", 100))
        felt.put(ev.NoMoreBets(number)).cards("P 4 5  B K 9")
        waits = [ends(number)]
    return felt.put(*waits).shoe


@pytest.mark.parametrize("ends", [ev.CoupClosed, ev.CoupVoided])
def test_a_coup_s_end_that_is_told_late_ends_no_coup_after_it(ends):
    shoe = overlapping(ends)
    whole = observe_shoe(shoe).coups
    assert [(coup.number, len(coup.looks), coup.stakes) for coup in whole] == [
        (number, 4, {"p1": {"player": 100}}) for number in (1, 2, 3)
    ]
    handed = []
    watcher = None
    for event in shoe.history:
        if watcher is None:
            watcher = Watcher(fold(shoe.stream, [event]), CorrectedView())
        handed += [(coup.number, len(coup.looks)) for coup in watcher.take(event)]
    handed += [(coup.number, len(coup.looks)) for coup in watcher.finish()]
    assert handed == [(1, 4), (2, 4), (3, 4)]


def test_a_coup_that_is_dealt_again_under_its_number_is_a_coup_of_its_own():
    felt = Felt("classic-8").ready("Ac")
    felt.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 100), ev.CoupVoided(1))
    felt.coup("p1 player 500 | P 4 5  B K 9", number=1)
    state = detect([felt.shoe])
    assert build_report(state).skipped == []
    assert (state.coups, state.patrons["p1"].tally.coups) == (1, 1)
    void, again = observe_shoe(felt.shoe).coups
    assert (void.number, void.looks, again.number) == (1, [], 1)
    assert again.stakes == {"p1": {"player": 500}}
    felt = Felt("classic-8").ready("Ac").coup("p1 player 500 | P 4 5  B K 9", number=1)
    assert build_report(detect([felt.shoe])).skipped == []


def test_who_goes_to_another_place_is_there_and_so_is_who_takes_his():
    felt = Felt("classic-8").put(ev.PatronSeated(1, "p"), ev.PatronSeated(5, "r"))
    felt.put(
        ev.PatronMoved("p", 5),
        ev.PatronMoved("r", 1),
        ev.PatronMoved("r", 3),
        ev.PatronMoved("p", 5),
        ev.PatronSeated(1, "q"),
    )
    felt.coup("| P 4 5  B K 9")
    assert set(observe_shoe(felt.shoe).coups[0].patrons) == {"p", "q", "r"}
