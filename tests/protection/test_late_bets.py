"""Bets that may come after a card was shown: late devices and exposed cards."""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.protection.detection.detection import detect
from sabot.domain.protection.detection.follower import Follower
from sabot.domain.protection.e_process.coup_evidence import count_from
from sabot.domain.protection.observation.watcher import observe_shoe
from sabot.domain.protection.reporting.coverage import UNORDERED
from sabot.domain.protection.reporting.detection_report import build_report
from sabot.domain.state.shoe import fold
from tests.support.coup_notation import Felt
from tests.support.every_order import HANDS, HIGH, VALUE_OF, means, thirds
from tests.support.for_each import for_each
from tests.support.thorough import FULL, slow


@pytest.mark.parametrize(
    ("pack", "bet_ms", "unordered"),
    [
        # the pack states a tolerance of 250 ms
        ("uk", 8_749, set()),
        ("uk", 8_750, {"p1"}),
        ("uk", 11_000, {"p1"}),
        # it states none: two devices' events have no known order
        ("classic-8", 2_000, {"p1"}),
        ("classic-8", 11_000, {"p1"}),
    ],
)
def test_a_bet_of_another_device_counts_if_it_was_surely_made_before_the_face(
    pack, bet_ms, unordered
):
    """It was in the log before the card: the card reader's event may have been on its way."""
    felt = Felt(pack).ready("Ac")
    felt.put(ev.CoupOpened(1))
    felt.tell("chips", bet_ms, ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.tell("reader", 9_000, ev.CardDrawn(1, "player", "9s"))
    felt.tell("chips", 12_000, ev.BetPlaced(1, 2, "p2", "player", 500))
    coup = observe_shoe(felt.shoe).coups[0]
    assert coup.stakes == {"p1": {"player": 500}}
    assert [change.patron for change in coup.changes] == ["p2"]
    assert coup.unordered == coup.disputed == unordered


def test_a_bet_corrected_by_another_device_before_or_after_the_face_is_unordered():
    felt = Felt("uk").ready("Ac").put(ev.CoupOpened(1))
    felt.tell("chips", 1_000, ev.BetPlaced(1, 1, "p1", "player", 500))
    version = felt.shoe.history[-1].version
    felt.tell("chips", 1_000, ev.BetPlaced(1, 2, "p2", "player", 500))
    instead = ev.BetPlaced(1, 1, "p1", "banker", 500)
    felt.tell("chips", 9_000, ev.EventCorrected(version, "misread", "boss", instead))
    felt.tell("reader", 9_000, ev.CardDrawn(1, "player", "9s"))
    assert observe_shoe(felt.shoe).coups[0].unordered == {"p1"}


def test_the_numbers_of_one_device_tell_the_order_of_its_events():
    felt = Felt("classic-8").ready("Ac").put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500), ev.CardDrawn(1, "player", "9s"))
    assert observe_shoe(felt.shoe).coups[0].unordered == set()
    bet, card = felt.shoe.history[-2:]
    late = [replace(bet, seq=card.seq), replace(card, seq=bet.seq)]
    shoe = fold("shoe/test", [*felt.shoe.history[:-2], *late])
    assert observe_shoe(shoe).coups[0].unordered == {"p1"}


@for_each("pack", ["uk", "classic-8"])
@for_each(
    ("bet_s", "face_s", "unordered"),
    [(12, 9, {"p1"}), (9, 12, set()), (9, 9, set()), (None, 9, set()), (9, None, set())],
)
def test_a_device_that_numbers_nothing_is_held_to_its_own_clock(pack, bet_s, face_s, unordered):
    felt = Felt(pack).ready("Ac").put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 500), ev.CardDrawn(1, "player", "9s"))
    start = felt.shoe.history[-3].at_us
    told = [
        replace(event, seq=None, at_us=None if at is None else start + 1_000_000 * at)
        for event, at in zip(felt.shoe.history[-2:], (bet_s, face_s), strict=True)
    ]
    shoe = fold("shoe/test", [*felt.shoe.history[:-2], *told])
    assert observe_shoe(shoe).coups[0].unordered == unordered


@pytest.mark.parametrize(
    ("recorded_ms", "unordered"), [(10_200, {"p1"}), (10_250, {"p1"}), (10_251, set())]
)
def test_no_face_came_after_the_log_had_it_whatever_its_device_s_clock_says(recorded_ms, unordered):
    """The reader's clock says 11 s, and the log had the face before: the bet came at 10 s."""
    felt = Felt("uk").ready("Ac").put(ev.CoupOpened(1))
    felt.tell("chips", 10_000, ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.tell("reader", 11_000, ev.CardDrawn(1, "player", "9s"))
    face = felt.shoe.history[-1]
    start = face.at_us - 11_000_000
    late = replace(face, recorded_us=start + 1000 * recorded_ms)
    shoe = fold("shoe/test", [*felt.shoe.history[:-1], late])
    assert observe_shoe(shoe).coups[0].unordered == unordered


@pytest.mark.parametrize(("when", "doubtful"), [("coup 1", [1, 1]), ("before", [1, 0]),
    ("between", [1, 1]), ("after its cards", [1, 1])])  # fmt: skip
def test_an_exposed_card_makes_doubtful_the_coup_that_may_be_bet_on_by_it(when, doubtful):
    noted = ev.IrregularityNoted("card-exposed", "play-on", 1 if when == "coup 1" else None)
    felt = Felt("classic-8").ready("Ac")
    if when in ("coup 1", "before"):
        felt.put(noted)
    if when == "after its cards":
        felt.put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("> P 4  B K  P 5  B 9").put(noted)
        felt.put(ev.CoupClosed(1))
    else:
        felt.coup("p1 player 500 | P 4 5  B K 9", number=1)
    if when == "between":
        felt.put(noted)
    felt.coup("p1 player 500 | P 4 5  B K 9", number=2)
    assert [coup.doubtful for coup in observe_shoe(felt.shoe).coups] == doubtful


def late_and_in_time(pack="uk"):
    """Of two coups the bet of the first came within a second after its first face."""
    felt = Felt(pack).ready("Ac")
    for coup, bet_ms in ((1, 13_000), (2, 31_000)):
        felt.tell("table", coup * 20_000 - 12_000, ev.CoupOpened(coup))
        felt.tell("chips", bet_ms, ev.BetPlaced(coup, 1, "p1", "player", 500))
        face_ms = coup * 20_000 - 11_000 + 3000 * coup
        for at, (hand, card) in enumerate(zip(HANDS, ("9s", "Kd", "Kh", "5c"), strict=True)):
            felt.tell("reader", face_ms + at, ev.CardDrawn(coup, hand, card))
        felt.tell("table", coup * 20_000, ev.CoupClosed(coup))
    return felt.shoe


def test_a_coup_whose_bets_have_no_known_order_is_told_as_such():
    shoe = late_and_in_time()
    state = detect([shoe])
    for test in ("next-card", "whole-coup"):
        assert state.coverage[test].times == 1
        assert state.coverage[test].lacked == {UNORDERED: 1}
    first, second = observe_shoe(shoe).coups
    assert (first.unordered, second.unordered) == ({"p1"}, set())


@pytest.mark.parametrize(
    ("pack", "bets", "why"),
    [("uk", 1, "at a tolerance of 250 ms"), ("classic-8", 2, "and the pack states no tolerance")],
)
def test_bets_that_are_no_evidence_are_counted_with_the_reason(pack, bets, why):
    """Where no tolerance is stated nothing of two devices is sure: all bets are told of."""
    state = detect([late_and_in_time(pack)])
    (one,) = build_report(state).left_out
    assert (one.patron, one.bets) == ("p1", bets)
    assert one.why.startswith(f"chips reported the bet, reader the face, {why}")
    assert state.coverage["next-card"].times == 2 - bets


def test_who_follows_the_log_holds_the_same_bets_to_be_sure():
    shoe = late_and_in_time()
    whole = detect([shoe])
    for cut in range(len(shoe.history)):
        follower = Follower()
        follower.take(shoe.history[:cut])
        again = Follower.again(follower.kept, {shoe.stream: shoe.history[:cut]})
        again.take(shoe.history[cut:])
        assert again.look().patrons == whole.patrons
        assert again.look().coverage["next-card"] == whole.coverage["next-card"]


def bets_by_the_face(deal, coup, noted):
    """All see the next card of the shoe. He bets by it, and then it is dealt."""
    card = deal.draw()
    deal.tell(ev.IrregularityNoted("card-exposed", "play-on", noted))
    deal.tell(ev.CoupOpened(coup))
    side = "player" if VALUE_OF[card] == 9 else "banker"
    deal.tell(ev.BetPlaced(coup, 1, "p", side, 100))
    deal.tell(ev.NoMoreBets(coup))
    values = []
    for hand in HANDS:
        drawn = deal.draw() if values else card
        values.append(VALUE_OF[drawn])
        deal.tell(ev.CardDrawn(coup, hand, drawn))
    thirds(deal, coup, values)
    deal.tell(ev.CoupClosed(coup))


@pytest.mark.parametrize("noted", [1, None])
def test_bets_by_a_card_exposed_before_the_coup_have_no_mean_above_one(noted):
    def script(deal):
        deal.open()
        bets_by_the_face(deal, 1, noted)

    assert 0 < means(script, HIGH)["patron", "p"] <= 1


def all_turned_but_the_thirds(deal, *, told, seen, at=(4, 5, 6)):
    """He moves once all cards are drawn; ``seen`` to him, or the side; ``told`` are turns."""
    deal.tell(ev.PatronSeated(1, "p"))
    deal.tell(ev.CoupOpened(1))
    cards = [deal.draw() for _ in HANDS]
    for hand, card in zip(HANDS, cards, strict=True):
        deal.tell(ev.CardDrawn(1, hand, card))
    for nth, hand in enumerate(HANDS):
        deal.tell(ev.CardTurned(1, hand, 1 + nth // 2))
    values = [VALUE_OF[card] for card in cards]
    thirds(deal, 1, values)
    drawn = [e.payload.hand for e in deal.events if isinstance(e.payload, ev.CardDrawn)][4:]
    by = values if seen is True else values[:4]
    player, banker = sum(by[:4:2]), sum(by[1:4:2])
    for hand, value in zip(drawn, by[4:], strict=False):
        player, banker = (player + value, banker) if hand == "player" else (player, banker + value)
    side = "player" if player % 10 >= banker % 10 else "banker"
    side = seen if isinstance(seen, str) else side
    if len(values) in at:
        deal.tell(ev.BetPlaced(1, 1, "p", side, 100))
    if told:
        for hand in drawn:
            deal.tell(ev.CardTurned(1, hand, 3))
    deal.tell(ev.CoupClosed(1))


THIRDS = "KKK336688"


@slow
@pytest.mark.parametrize(
    ("pack", "told", "seen"),
    [("classic-8", True, False), ("france", False, False), ("classic-8", False, True)]
    + ([("france", True, False), ("classic-8", False, False), ("france", False, True)] * FULL),
)
def test_how_many_cards_were_drawn_is_no_secret_and_thirds_may_have_been_seen(pack, told, seen):
    def script(deal):
        deal.open(pack=pack)
        all_turned_but_the_thirds(deal, told=told, seen=seen)

    assert 0 < means(script, THIRDS, accounts="change")["patron", "p"] <= 1


@slow
@pytest.mark.parametrize("side", ["player", "banker"])
def test_who_waits_for_the_sixth_card_has_a_mean_of_exactly_one(side):
    """Six cards say that the Banker drew: that all could see, and it is reckoned with."""

    def script(deal):
        deal.open(pack="france")
        all_turned_but_the_thirds(deal, told=True, seen=side, at=(6,))

    assert means(script, THIRDS, accounts="change")["patron", "p"] == 1


@slow
@pytest.mark.parametrize("side", ["player", "banker"])
def test_who_waits_until_no_sixth_card_comes_has_no_mean_above_one(side):
    def script(deal):
        deal.open(pack="france")
        all_turned_but_the_thirds(deal, told=True, seen=side, at=(5,))

    assert 0 < means(script, THIRDS, accounts="change")["patron", "p"] <= 1


def test_the_drawn_third_of_the_banker_excludes_thirds_of_the_player():
    """Player 0, Banker 6 drew: the Player's third is 6 or 7 (ARRETE_2007_ART_55_14)."""
    known = {1: 0, 2: 3, 3: 0, 4: 3}
    left = [0, 0, 0, 0, 0, 1, 1, 1, 0, 0]
    hands = (*HANDS, "player", "banker")
    # (6,5): 6-1, (6,7): 6-3, (7,5): 7-1, (7,6): 7-2
    assert count_from(known, left, hands) == [4, 0, 0]
    # and (5, ·): the Banker stands on 6 against 5
    assert count_from(known, left) == [4, 2, 0]
    assert count_from(known, left, (*HANDS, "banker")) == [0, 0, 0]
    # the Banker stood: the Player has 5 against 6
    assert count_from(known, left, (*HANDS, "player"), over=True) == [0, 2, 0]
