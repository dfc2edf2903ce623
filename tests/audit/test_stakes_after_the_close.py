"""A stake that is changed once its coup is decided is found, in every game.

The bet wins or loses by the cards, whether it is settled yet or not.
"""

import pytest

from benchmarks.audit_clean import dealt
from benchmarks.audit_houses import houses
from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe, find_rule
from sabot.domain.events.bank import BankCalled, HandGiven
from sabot.domain.state.shoe import fold
from tests.faults.fault import told_with
from tests.support.ceased_bets import PLAYER_LOSES, PLAYER_WINS, moved_by
from tests.support.coup_notation import Felt
from tests.support.tableaux_coups import deal, finish, play, table

LATE = find_rule("B203").code
CLOSED = ev.CoupClosed(1)
LATE_PAYMENT = (find_rule("E204").code, 1, "p1", None)
TIE = "P 4 4  B K 8"


def decided(*after: ev.Event, cards: str = PLAYER_WINS) -> Felt:
    """500 of p1 on Player, a call, and this."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 500))
    felt.put(ev.NoMoreBets(1)).cards(cards)
    (called,) = [each for each in Felt().ready().coup(cards).payloads if is_result(each)]
    return felt.put(called, *after)


def is_result(payload: ev.Event) -> bool:
    return isinstance(payload, ev.ResultCalled)


@pytest.mark.parametrize(
    ("change", "cards", "house"),
    [
        (ev.BetWithdrawn(1, 1), PLAYER_LOSES, -500),
        (ev.BetWithdrawn(1, 1), PLAYER_WINS, 500),
        (ev.BetChanged(1, 1, 0), PLAYER_LOSES, -500),
    ],
)
def test_a_bet_that_is_withdrawn_between_the_close_and_its_settlement(change, cards, house):
    assert moved_by(decided(CLOSED, change, cards=cards).shoe) == [(LATE, 1, "p1", house)]


@pytest.mark.parametrize(
    ("stake", "move", "cards", "house"),
    [
        (100, ev.BetTaken(1, 1, 100), PLAYER_LOSES, -400),
        (5000, ev.BetPaid(1, 1, 5000), PLAYER_WINS, -4500),
        (5000, ev.BetPaid(1, 1, 500), PLAYER_WINS, 0),
    ],
)
def test_a_stake_that_is_changed_between_the_close_and_its_settlement(stake, move, cards, house):
    felt = decided(CLOSED, ev.BetChanged(1, 1, stake), move, cards=cards)
    assert moved_by(felt.shoe) == [(LATE, 1, "p1", house), LATE_PAYMENT]


@pytest.mark.parametrize("closed", [(), (CLOSED,)])
@pytest.mark.parametrize(
    ("move", "cards"),
    [(ev.BetPaid(1, 1, 500), PLAYER_WINS), (ev.BetTaken(1, 1, 500), PLAYER_LOSES)],
)
def test_a_stake_that_is_raised_after_its_settlement_moves_nothing(move, cards, closed):
    felt = decided(move, *closed, ev.BetChanged(1, 1, 5000), cards=cards)
    assert moved_by(felt.shoe) == [(LATE, 1, "p1", 0)]


def test_a_winner_that_was_taken_up_and_laid_again_moves_nothing():
    felt = decided(ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1), ev.BetChanged(1, 1, 500), CLOSED)
    assert moved_by(felt.shoe) == [(LATE, 1, "p1", 0)]


@pytest.mark.parametrize(
    ("after", "cards"),
    [
        ((ev.BetPaid(1, 1, 500), ev.BetWithdrawn(1, 1), CLOSED), PLAYER_WINS),
        ((ev.BetPaid(1, 1, 500), CLOSED, ev.BetChanged(1, 1, 300)), PLAYER_WINS),
        ((CLOSED, ev.BetWithdrawn(1, 1)), TIE),
        ((ev.BetPushed(1, 1), CLOSED, ev.BetChanged(1, 1, 5000)), TIE),
        ((ev.CoupVoided(1, "misdeal", "sue"), ev.BetWithdrawn(1, 1)), PLAYER_LOSES),
    ],
)
def test_a_patron_takes_up_what_is_left(after, cards):
    assert LATE not in [code for code, *_ in moved_by(decided(*after, cards=cards).shoe)]


@pytest.mark.parametrize("house", [*houses()], ids=lambda house: house.name)
def test_a_bet_that_is_taken_up_in_place_of_its_settlement_in_every_game(house):
    """The first losing bet is not taken, and is withdrawn when its coup is closed."""
    history = dealt(house, "taken up", 1)
    payloads = [event.payload for event in history]
    lost = next(each for each in payloads if isinstance(each, ev.BetTaken))
    end = payloads.index(ev.CoupClosed(lost.coup))
    payloads[end + 1 :] = [ev.BetWithdrawn(lost.coup, lost.bet)]
    payloads.remove(lost)
    findings = audit_shoe(fold(history[0].stream, told_with(history, payloads))).findings
    (found,) = [each for each in findings if each.code == LATE]
    assert found.patron is not None
    assert (found.coup, found.money.patrons[found.patron]) == (lost.coup, lost.amount)
    moved = [each.code for each in findings if each.money.patrons.get(found.patron)]
    assert moved == [LATE]


def test_a_held_stake_that_is_withdrawn_after_the_call_is_one_finding():
    """10.00 on the right tied, and lose to Banker's 9 in coup 2."""
    felt = play(table(), "p7 right 1000 | 3 4; 2 4; 9 8").put(ev.CoupOpened(2))
    felt.due(BankCalled).put(ev.BetCarried(2, 1, "p7", "right", 1000, 7), ev.NoMoreBets(2))
    felt.put(ev.BetWithdrawn(2, 1)).due(HandGiven)
    found = audit_shoe(finish(deal(felt, "3 4; 2 4; 9 K")).shoe).findings
    money = {each.code: each.money.patrons for each in found if each.money.moved}
    assert money == {LATE: {"p7": 1000, "p11": -1000}}
