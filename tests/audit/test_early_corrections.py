"""A misread card that is put right before its result, or beside other corrections.

Nobody can gain by such a correction, so it is no finding. The same correction after the call of the
result is one.
"""

import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.card_count import excess_copies_of_card
from sabot.domain.audit.checks.corrections import breach_corrected_away
from sabot.domain.audit.rule_group import code_of
from sabot.domain.events import bank as bank_ev
from tests.support import bank_coups
from tests.support.coup_notation import Felt, correction

HIDDEN = code_of(breach_corrected_away)


def found_in(felt: Felt) -> list[tuple[str, int | None]]:
    return [(each.code, each.coup) for each in audit_shoe(felt.shoe).findings]


@pytest.mark.parametrize(
    ("cards", "misread", "right"),
    [
        # Player has 9 and 9, a natural; as misread 9 and 5, and a draw is mandatory
        ([("player", "9"), ("banker", "K"), ("player", "5"), ("banker", "2")], 2, "9"),
        # Banker has 8 and queen, a natural; as misread 8 and 3, while Player with 5 may choose
        ([("player", "A"), ("banker", "3"), ("player", "4"), ("banker", "8")], 1, "Q"),
    ],
)
@pytest.mark.parametrize("late", [False, True])
def test_a_natural_was_misread_as_a_hand_that_may_draw(cards, misread, right, late):
    """As first recorded, a hand stood that had to draw, or a losing stake was paid."""
    felt = bank_coups.staked(("p2", 5000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    first = len(felt.shoe.left) + 1
    for place, (hand, card) in enumerate(cards, first):
        felt.put(ev.CardDrawn(1, hand, card, place))
    wrong = felt.shoe.coup(1).cards[misread].payload
    put_right = correction(felt, wrong, ev.CardDrawn(1, wrong.hand, right, wrong.place))
    if not late:
        felt.put(put_right).due(ev.Event)
        assert found_in(felt) == []
        return
    totals = (8, 2) if right == "9" else (5, 8)
    outcome = "P" if right == "9" else "B"
    felt.put(ev.ResultCalled(1, *totals, outcome), put_right).due(ev.Event)
    assert found_in(felt) == [(HIDDEN, 1)]


def kings_of_clubs(felt: Felt, number: int, *, nine_misread: bool = False) -> None:
    """Player and Banker get a king of clubs each. A misread nine is put right before the totals."""
    bet = ev.BetPlaced(number, 1, "p1", "player", 1000, 1)
    felt.put(ev.CoupOpened(number), bet, ev.NoMoreBets(number))
    first = len(felt.shoe.left) + 1
    nine = ev.CardDrawn(number, "player", "9d", first + 2)
    misread = replace(nine, card="9h") if nine_misread else nine
    felt.put(ev.CardDrawn(number, "player", "Kc", first))
    felt.put(ev.CardDrawn(number, "banker", "Kc", first + 1))
    felt.put(misread, ev.CardDrawn(number, "banker", "8d", first + 3))
    if nine_misread:
        felt.put(correction(felt, misread, nine))
    felt.put(ev.TotalsCalled(number, 9, 8), ev.ResultCalled(number, 9, 8, "P"))
    felt.put(ev.BetPaid(number, 1, 1000), ev.CoupClosed(number))


def queens_instead(felt: Felt, number: int) -> None:
    """Correct the kings of a coup to queens, with which the result is the same."""
    for card in felt.shoe.coup(number).cards[:2]:
        felt.put(correction(felt, card.payload, replace(card.payload, card="Qc")))


def test_a_ninth_copy_by_cards_that_were_misread_in_two_coups():
    """The kings of coups 2 and 3 were put right before the ninth was drawn in coup 5."""
    felt = Felt().ready()
    for number in range(1, 6):
        kings_of_clubs(felt, number, nine_misread=number == 5)
        if number in (2, 3):
            queens_instead(felt, number)
    assert found_in(felt) == []


def test_a_seat_is_corrected_where_a_misread_card_makes_a_ninth_copy_of_the_next_coup():
    """The kings of coup 4 were put right before coup 5. The seat of coup 4 moves no money."""
    felt = Felt().ready()
    for number in range(1, 5):
        kings_of_clubs(felt, number)
    queens_instead(felt, 4)
    bet = ev.BetPlaced(4, 1, "p1", "player", 1000, 1)
    felt.put(correction(felt, bet, replace(bet, seat=2)))
    kings_of_clubs(felt, 5)
    assert found_in(felt) == []


@pytest.mark.parametrize("order", [(1, 5), (5, 1)])
def test_each_of_two_late_corrections_would_hide_a_ninth_copy_alone(order):
    """Nine kings of clubs were drawn, and one of coup 1 and one of coup 5 are corrected at the end.

    Another king of coup 5 had been corrected before.
    """
    felt = Felt().ready()
    for number in range(1, 6):
        kings_of_clubs(felt, number)
    last = felt.shoe.coup(5).cards[1].payload
    felt.put(correction(felt, last, replace(last, card="Qc")))
    for number in order:
        king = felt.shoe.coup(number).cards[0].payload
        felt.put(correction(felt, king, replace(king, card="Qc")))
    assert HIDDEN in [code for code, _ in found_in(felt)]


def test_another_correction_would_hide_a_carried_bet_that_no_tie_left_too():
    """A tie leaves 5.00, and 500.00 is carried and wins. The carried bet becomes a placed one.

    The house pays 495.00 for a stake that was never placed. Then the stake of coup 1 is raised.
    """
    stake, carried = (
        ev.BetPlaced(1, 1, "p1", "player", 500),
        ev.BetCarried(2, 1, "p1", "player", 50_000),
    )
    felt = Felt().ready().put(ev.CoupOpened(1), stake, ev.NoMoreBets(1)).cards("P 4 5  B K 9")
    felt.put(ev.ResultCalled(1, 9, 9, "T"), ev.BetPushed(1, 1), ev.CoupClosed(1))
    felt.put(ev.CoupOpened(2), carried, ev.NoMoreBets(2)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(2, 9, 8, "P"), ev.BetPaid(2, 1, 50_000), ev.CoupClosed(2))
    felt.put(correction(felt, carried, ev.BetPlaced(2, 1, "p1", "player", 50_000)))
    felt.put(correction(felt, stake, replace(stake, amount=50_000)))
    hidden = [each for each in audit_shoe(felt.shoe).findings if each.code == HIDDEN]
    assert [(each.coup, each.money.house) for each in hidden] == [(2, -49_500)]


def test_a_card_was_put_right_before_a_ninth_copy_that_is_corrected_away():
    """In coup 2 a king of clubs was misread. The ninth is drawn in coup 5, and corrected later."""
    felt = Felt().ready()
    for number in range(1, 6):
        kings_of_clubs(felt, number)
        if number == 2:
            queen = felt.shoe.coup(2).cards[0].payload
            felt.put(correction(felt, queen, replace(queen, card="Qc")))
    assert [code for code, _ in found_in(felt)] == [code_of(excess_copies_of_card)]
    ninth = felt.shoe.coup(5).cards[1].payload
    felt.put(correction(felt, ninth, replace(ninth, card="Qc")))
    assert found_in(felt) == [(HIDDEN, 5)]


@pytest.mark.parametrize("chosen", [0, 1, 2])
def test_a_card_of_a_hand_that_then_stands_is_put_right_before_the_last_choice(chosen):
    """Player's six was misread as a seven. Both hands stand, and Player wins with a seven alone."""
    felt = bank_coups.staked(("p2", 5000)).put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
    first = len(felt.shoe.left) + 1
    cards = [
        ("player", "7"),
        ("banker", "6"),
        ("player", "K"),
        ("banker", "Q"),
    ]
    for place, (hand, card) in enumerate(cards, first):
        felt.put(ev.CardDrawn(1, hand, card, place))
    stands = [
        bank_ev.ChoiceMade(1, "player", "stand", "p2"),
        bank_ev.ChoiceMade(1, "banker", "stand", "p1"),
    ]
    misread = felt.shoe.coup(1).cards[0].payload
    felt.put(
        *stands[:chosen], correction(felt, misread, replace(misread, card="6")), *stands[chosen:]
    )
    felt.due(ev.Event)
    assert found_in(felt) == ([] if chosen < 2 else [(HIDDEN, 1)])


def test_two_wrong_payments_of_a_patron_are_corrected_by_two_people():
    """p1 won 10.00 twice and got 8.00 and 7.00. Each correction hides what it names."""
    felt = Felt().ready().put(ev.CoupOpened(1))
    felt.put(ev.BetPlaced(1, 1, "p1", "player", 1000), ev.BetPlaced(1, 2, "p1", "player", 1000))
    felt.put(ev.NoMoreBets(1)).cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    paid = [ev.BetPaid(1, 1, 800), ev.BetPaid(1, 2, 700)]
    felt.put(*paid, ev.CoupClosed(1))
    for wrong, by in zip(paid, ("ann", "bob"), strict=True):
        made = correction(felt, wrong, replace(wrong, amount=1000))
        felt.put(replace(made, by=by))
    found = [each for each in audit_shoe(felt.shoe).findings if each.code == HIDDEN]
    assert sorted((each.message.split()[6], each.money.house) for each in found) == [
        ("ann", 200),
        ("bob", 300),
    ]
