"""Corrections that hide a breach, or change money after the result, are found.

Those that are made before anything rests on what they change are nobody's concern. The amounts are
worked out by hand beside each.
"""

from collections import Counter
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.audit import audit_shoe
from sabot.domain.audit.checks.bank.banco import fourth_banco
from sabot.domain.audit.checks.voids import unfinished_coup_not_voided, unjustified_void
from sabot.domain.audit.live import LiveAudit
from sabot.domain.audit.rule_group import code_of
from sabot.domain.audit.table_order import at_the_table
from sabot.domain.audit.uncorrected_records import as_loaded
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.rules.rule_pack import pack_sha256
from sabot.domain.state.shoe import Shoe, fold
from sabot.domain.values.cards import Card
from sabot.infrastructure.rule_packs import pack_text
from tests.support import bank_coups, own_hand_coups
from tests.support.audited import codes
from tests.support.ceased_bets import (
    AWAY,
    MOVED,
    bet_of_500,
    moved_by,
)
from tests.support.coup_notation import Felt, correction, shoe_of
from tests.support.device_records import (
    CALL,
    CLASSIC,
    CLOCKS,
)
from tests.support.irregular_coups import drawn
from tests.support.told_shoes import dealt

DATA = Path(__file__).parents[1] / "data" / "corrections"
CODE = "breach-corrected-away"


def recorded(name: str) -> Shoe:
    lines = (DATA / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    return shoe_of(msgspec.convert(msgspec.json.decode(each)["fact"], ev.Event) for each in lines)


def found_in(shoe: Shoe) -> list[tuple[str, int | None, str | None, int | None]]:
    found = audit_shoe(shoe).findings
    return [(each.code, each.coup, each.patron, each.money.house) for each in found]


@pytest.mark.parametrize(
    ("record", "found"),
    [
        # a losing bet of 10.00 was not taken, and paid 10.00
        ("bet-moved-to-the-winning-side", [(CODE, 3, "ann", -2000)]),
        # the late bet of 50.00 won
        (
            "call-moved-behind-a-late-bet",
            [(CODE, 3, "bob", -5000)],
        ),
        # 100.00 were paid to a bet that nobody had placed
        ("request-made-a-bet", [(CODE, 3, "bob", -10_000)]),
        (
            "record-declared-coups-alone",
            [("late-loading-change", None, None, None), ("past-posted-bet", 3, "bob", -5000)],
        ),
        # Banker won 8 to 0: ann's 100.00 on Banker are owed 95.00, and were taken
        (
            "third-card-changed-after-a-wrong-draw",
            [(CODE, 3, "ann", 19_500)],
        ),
    ],
)
def test_a_correction_hides_nothing(record, found):
    assert found_in(recorded(record)) == found


@pytest.mark.parametrize(
    ("bet", "settled", "amount", "house"),
    [
        ("banker", ev.BetTaken(1, 1, 2500), None, -2500),  # never happened: 25.00 were lost
        ("banker", ev.BetTaken(1, 1, 2500), 1000, -1500),  # 10.00 were lost instead
        ("player", ev.BetPaid(1, 1, 2500), 5000, -2500),  # 50.00 were won instead
        ("player", ev.BetPaid(1, 1, 2500), None, 2500),  # 25.00 were never won
    ],
)
def test_a_bet_and_its_settlement_are_not_corrected_together(bet, settled, amount, house):
    """Player wins 9 to 8. Either record is right by itself, and the patron's money is not."""
    placed = ev.BetPlaced(1, 1, "p1", bet, 2500)
    felt = Felt().ready().coup(f"p1 {bet} 2500 | P 4 5  B K 8")
    for first in (placed, settled):
        at = next(e for e in felt.shoe.history if type(e.payload) is type(first))
        instead = None if amount is None else msgspec.structs.replace(at.payload, amount=amount)
        felt.put(ev.EventCorrected(at.position, "typing error", instead=instead, by="carl"))
    assert found_in(felt.shoe) == [(CODE, 1, "p1", house)]


BET = ev.BetPlaced(1, 1, "p1", "banker", 1000, 1)
OTHER_SIDE = ev.BetPlaced(1, 1, "p1", "player", 1000, 1)
FIRST = ev.CardDrawn(1, "player", "4", 3)


def played(*, after: str, of: ev.Event, instead: ev.Event | None) -> Shoe:
    """Player wins 9 to 8. One event is corrected behind the step that is named."""
    felt = Felt().ready().put(ev.CoupOpened(1), BET)
    steps: list[tuple[str, tuple[ev.Event, ...] | str]] = [
        ("bets", ()),
        ("call", (ev.NoMoreBets(1),)),
        ("cards", "P 4 5  B K 8"),
        ("result", (ev.ResultCalled(1, 9, 8, "P"),)),
        ("settled", (ev.BetPaid(1, 1, 1000),)),
        ("closed", (ev.CoupClosed(1),)),
    ]
    for name, events in steps:
        felt = felt.cards(events) if isinstance(events, str) else felt.put(*events)
        if name == after:
            felt.put(correction(felt, of, instead))
    return felt.shoe


@pytest.mark.parametrize("after", ["bets", "call"])
def test_a_bet_is_corrected_before_the_cards(after):
    assert found_in(played(after=after, of=BET, instead=OTHER_SIDE)) == []


@pytest.mark.parametrize("after", ["cards", "result", "settled", "closed"])
def test_a_bet_is_corrected_to_the_winning_side(after):
    """Without the correction a losing bet of 10.00 was not taken, and paid 10.00."""
    assert found_in(played(after=after, of=BET, instead=OTHER_SIDE)) == [(CODE, 1, "p1", -2000)]


def corrected_behind(cards, event):
    """A coup in which an event becomes a bet on the winner, once so many of four cards are dealt.

    Player has 9 and Banker 8, and 10.00 is paid.
    """
    felt = Felt().ready().put(ev.CoupOpened(1), event, ev.NoMoreBets(1))
    dealt = (("player", "4"), ("banker", "K"), ("player", "5"), ("banker", "8"))
    for place, (hand, card) in enumerate(dealt, start=3):
        if place == 3 + cards:
            felt.put(correction(felt, event, OTHER_SIDE))
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    return felt.shoe


@pytest.mark.parametrize(("cards", "found"), [(0, []), (1, [(CODE, 1, "p1", -2000)])])
def test_a_stake_is_corrected_before_the_first_card_or_never(cards, found):
    """Behind the first card of four it is as good as a late bet."""
    assert found_in(corrected_behind(cards, BET)) == found


@pytest.mark.parametrize(("cards", "found"), [(0, []), (1, [(CODE, 1, "p1", -1000)])])
def test_a_request_becomes_a_bet_before_the_first_card_or_never(cards, found):
    """The bets are closed. Before a card nobody can gain by it."""
    assert found_in(corrected_behind(cards, ev.RequestMade("p1", "other"))) == found


def test_of_many_corrections_the_one_is_named_that_hides_a_breach():
    """Six seats are corrected, and the first burned card: a 2 asks for two more, an ace for one."""
    ready = Felt().ready("Ac").payloads
    ace = next(event for event in ready if isinstance(event, ev.CardBurned))
    two = msgspec.structs.replace(ace, card="2c")
    felt = Felt().put(*[two if event == ace else event for event in ready[1:]])
    for coup in range(1, 7):
        bet = ev.BetPlaced(coup, 1, "p1", "player", 1000, 1)
        felt.put(ev.CoupOpened(coup), bet, ev.NoMoreBets(coup)).cards("P 4 5  B K 8")
        felt.put(ev.ResultCalled(coup, 9, 8, "P"), ev.BetPaid(coup, 1, 1000), ev.CoupClosed(coup))
        felt.put(correction(felt, bet, msgspec.structs.replace(bet, seat=2)))
    felt.put(of_the_burn := correction(felt, two, ace))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup) == (CODE, None)
    assert [felt.payloads[index - 1] for index in found.events] == [of_the_burn]


def test_a_misread_card_is_corrected_before_totals_are_called():
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1))
    cards = [("player", "5"), ("banker", "K"), ("player", "5"), ("banker", "8")]
    for place, (hand, card) in enumerate(cards, start=3):
        felt.put(ev.CardDrawn(1, hand, card, place))
    misread = ev.CardDrawn(1, "player", "5", 3)
    felt.put(correction(felt, misread, FIRST))
    felt.put(ev.TotalsCalled(1, 9, 8), ev.ResultCalled(1, 9, 8, "P"), ev.CoupClosed(1))
    assert found_in(felt.shoe) == []


def misread_first_card(of_banker: Card) -> tuple[Felt, ev.CoupClosed]:
    """Player has nine and king, and ten and king until the first card is put right after the last.

    Banker has king and another card.
    """
    felt = Felt().ready().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "player", 1000))
    misread, closed = ev.CardDrawn(1, "player", "T", 3), ev.CoupClosed(1)
    felt.put(ev.NoMoreBets(1), misread, ev.CardDrawn(1, "banker", "K", 4))
    felt.put(ev.CardDrawn(1, "player", "K", 5), ev.CardDrawn(1, "banker", of_banker, 6))
    felt.put(correction(felt, misread, ev.CardDrawn(1, "player", "9", 3)))
    total = int(of_banker)
    felt.put(ev.TotalsCalled(1, 9, total), ev.ResultCalled(1, 9, total, "P"))
    return felt.put(ev.BetPaid(1, 1, 1000), closed), closed


def test_a_misread_card_is_corrected_while_a_third_card_is_due_by_the_first_record():
    felt, closed = misread_first_card("2")
    assert found_in(felt.shoe) == []
    felt.coup("p1 player 500 | P 4 5  B K 8", 2).put(correction(felt, closed, closed))
    assert found_in(felt.shoe) == []


def test_a_misread_card_is_corrected_when_banker_has_won_by_the_first_record():
    felt, _ = misread_first_card("8")
    assert [each[:2] for each in found_in(felt.shoe)] == [("breach-corrected-away", 1)]


def test_a_misread_card_is_corrected_before_the_third_card_in_two_coups_that_follow_each_other():
    """Player has nine, and king king with the card as it was misread."""
    felt = Felt().ready()
    for coup, place in ((1, 3), (2, 7)):
        felt.put(ev.CoupOpened(coup), ev.BetPlaced(coup, 1, "p1", "player", 1000))
        felt.put(ev.NoMoreBets(coup))
        misread = ev.CardDrawn(coup, "player", "K", place)
        felt.put(misread, ev.CardDrawn(coup, "banker", "K", place + 1))
        felt.put(correction(felt, misread, ev.CardDrawn(coup, "player", "9", place)))
        felt.put(ev.CardDrawn(coup, "player", "K", place + 2))
        felt.put(ev.CardDrawn(coup, "banker", "2", place + 3))
        felt.put(ev.TotalsCalled(coup, 9, 2), ev.ResultCalled(coup, 9, 2, "P"))
        felt.put(ev.BetPaid(coup, 1, 1000), ev.CoupClosed(coup))
    assert found_in(felt.shoe) == []


def test_the_seat_of_a_bet_is_corrected_after_the_result():
    """No money and no breach hangs on it."""
    shoe = played(after="result", of=BET, instead=msgspec.structs.replace(BET, seat=2))
    without = played(after="result", of=BET, instead=BET)
    assert found_in(shoe) == found_in(without)


@pytest.mark.parametrize("instead", [OTHER_SIDE, None])
def test_a_correction_that_is_made_twice_hides_nothing(instead):
    """Each of the two would do alone. Without both, a losing bet of 10.00 was not taken."""
    felt = Felt().ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(correction(felt, BET, instead), correction(felt, BET, instead))
    felt.put(*[ev.BetPaid(1, 1, 1000)] * (instead is not None), ev.CoupClosed(1))
    house = -1000 if instead is None else -2000
    assert found_in(felt.shoe) == [(CODE, 1, "p1", house)]


def test_a_correction_of_a_correction_hides_nothing():
    """An event of no meaning becomes a correction at once: it is as late as its own place."""
    felt = Felt().ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.RequestMade("p1", "other"))
    moved = correction(felt, BET, OTHER_SIDE)
    felt.put(correction(felt, ev.RequestMade("p1", "other"), moved))
    felt.put(ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    assert found_in(felt.shoe) == [(CODE, 1, "p1", -2000)]


def test_a_request_that_becomes_a_correction_of_the_bet_before_it_hides_nothing():
    """The request stands right behind the bet, so a correction there would be in time."""
    asked = ev.RequestMade("p1", "other")
    felt = Felt().ready().put(ev.CoupOpened(1), BET, asked, ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(correction(felt, asked, correction(felt, BET, OTHER_SIDE)))
    felt.put(ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    assert found_in(felt.shoe) == [(CODE, 1, "p1", -2000)]


@pytest.mark.parametrize("seat_of_next", [None, 3])
@pytest.mark.parametrize(
    ("was", "now", "moves", "gains"),
    [
        # p2's 10.00 were on Player, and p1 won or lost with them instead of p2
        (("p2", 1000), ("p1", 1000), "P 4 5  B K 8", {"p1": 1000, "p2": -1000}),
        (("p2", 1000), ("p1", 1000), "P 4 4  B K 9", {"p1": -1000, "p2": 1000}),
        # 5.00 were on Player, and 10.00 won
        (("p1", 500), ("p1", 1000), "P 4 5  B K 8", {"p1": 500}),
        # another tie: the stake is at risk for longer
        (("p2", 1000), ("p1", 1000), "P 4 5  B K 9", {}),
    ],
)
def test_a_bet_that_a_tie_holds_is_not_corrected(was, now, moves, gains, seat_of_next):
    """The bet pushed, so its correction changes only what the next coup decides.

    A harmless correction of the next coup does not hide it.
    """
    first, then = (ev.BetPlaced(1, 1, who, "player", amount, 1) for who, amount in (was, now))
    felt = Felt().ready().put(ev.CoupOpened(1), first, ev.NoMoreBets(1)).cards("P 4 5  B K 9")
    felt.put(ev.ResultCalled(1, 9, 9, "T"), ev.BetPushed(1, 1), ev.CoupClosed(1))
    felt.put(correction(felt, first, then)).coup(f"+{now[0]} player {now[1]} | {moves}")
    if seat_of_next is not None:
        carried = next(each for each in felt.payloads if isinstance(each, ev.BetCarried))
        felt.put(correction(felt, carried, replace(carried, seat=seat_of_next)))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup, found.money.patrons) == (CODE, 1, gains)


def test_the_stake_of_a_bet_that_went_back_is_corrected():
    """The tie gave the bet back: nothing depends on it any more."""
    first, then = (ev.BetPlaced(1, 1, who, "player", 1000, 1) for who in ("p2", "p1"))
    felt = Felt().ready().put(ev.CoupOpened(1), first, ev.NoMoreBets(1)).cards("P 4 5  B K 9")
    felt.put(ev.ResultCalled(1, 9, 9, "T"), ev.BetPushed(1, 1), ev.CoupClosed(1))
    felt.put(correction(felt, first, then)).coup("p1 player 500 | P 4 5  B K 8")
    assert found_in(felt.shoe) == []


@pytest.mark.parametrize("wrong", ["sue", "pam"])
def test_a_chain_of_corrections_by_two_people_names_the_one_who_changed_something(wrong):
    """One confirms the bet, and the other turns that correction into another bet."""
    felt = Felt().ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"))
    confirmed = replace(correction(felt, BET, BET), by="bill")
    felt.put(confirmed)
    of_the_bet = replace(correction(felt, BET, OTHER_SIDE), by=wrong)
    felt.put(replace(correction(felt, confirmed, of_the_bet), by=wrong))
    felt.put(ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup, found.money.house) == (CODE, 1, -2000)
    assert f" by {wrong} " in found.message


@pytest.mark.parametrize("of_correction", [False, True])
@pytest.mark.parametrize("first", [replace(BET, amount=500), replace(OTHER_SIDE, amount=500)])
def test_the_correction_that_stands_is_named_and_not_the_one_that_it_replaced(first, of_correction):
    """Sue corrects the bet, and then Tom does: the event once more, or Sue's correction of it."""
    felt = Felt().ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"))
    by_sue = replace(correction(felt, BET, first), by="sue", reason="misheard")
    by_tom = replace(correction(felt, BET, OTHER_SIDE), by="tom")
    felt.put(by_sue)
    if of_correction:
        by_tom = replace(correction(felt, by_sue, by_tom), by="tom")
    made = felt.put(by_tom).events[-1]
    felt.put(ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    (found,) = audit_shoe(felt.shoe).findings
    assert " by tom (misread) " in found.message
    assert (found.code, found.at_us) == (CODE, made.at_us)


@pytest.mark.parametrize("undone", ["bet-placed", "fact-corrected"])
def test_a_late_correction_that_is_undone_is_no_finding(undone):
    """The correction is corrected away, or the bet is corrected to what it was at first."""
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE, ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    felt.put(wrong := correction(felt, OTHER_SIDE, BET))
    of, instead = (OTHER_SIDE, OTHER_SIDE) if undone == "bet-placed" else (wrong, None)
    felt.put(correction(felt, of, instead), ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    assert found_in(felt.shoe) == []


@pytest.mark.parametrize(
    ("end", "hidden"),
    [
        (ev.CoupVoided(1, "", "p1"), code_of(unjustified_void)),
        (ev.ShoeEnded(None), code_of(unfinished_coup_not_voided)),
    ],
)
def test_a_stake_of_a_coup_without_a_call_is_not_corrected_after_its_end(end, hidden):
    felt = Felt().ready().put(ev.CoupOpened(1), BET, end)
    assert hidden in codes(felt.shoe)
    *before, made = felt.put(correction(felt, BET, None)).events
    two_minutes = 120_000_000
    later = replace(made, at_us=made.at_us + two_minutes, recorded_us=made.at_us + two_minutes)
    found = codes(fold(made.stream, [*before, later]))
    assert hidden not in found
    assert CODE in found


def test_a_finding_of_corrections_names_the_person_who_made_it():
    """A tie leaves 10.00 for coup 2. Sue corrects them to 5.00; Carl corrects a call to itself."""
    felt = (
        Felt().ready().coup("p1 player 1000 | P 4 5  B K 9").coup("+p1 player 1000 | P 4 5  B K 8")
    )
    tied = ev.BetPlaced(1, 1, "p1", "player", 1000)
    felt.put(replace(correction(felt, tied, replace(tied, amount=500)), by="sue"))
    felt.put(replace(correction(felt, ev.NoMoreBets(2), ev.NoMoreBets(2)), by="carl"))
    (found,) = (each for each in audit_shoe(felt.shoe).findings if each.explained_by is None)
    assert found.code == CODE
    assert " by sue " in found.message
    assert "carl" not in found.message


@pytest.mark.parametrize("of_correction", [False, True])
@pytest.mark.parametrize(
    ("paid", "second", "is_found"),
    [(0, "tom", True), (1, "tom", True), (2, "tom", False), (0, "sue", False), (1, "sue", True)],
)
def test_a_breach_that_a_correction_put_on_record_is_removed_again(
    of_correction, paid, second, is_found
):
    """Sue corrects a bet to the losing side, and a second correction changes it back.

    The bet is paid before the first correction, between the two, or after the second. There is no
    finding if it is paid after the second, or if Sue makes both as successive events.
    """
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE, ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"))
    by_sue = replace(correction(felt, OTHER_SIDE, BET), by="sue")
    back = (by_sue, None) if of_correction else (OTHER_SIDE, OTHER_SIDE)
    for step in range(3):
        if step == paid:
            felt.put(ev.BetPaid(1, 1, 1000))
        if step == 0:
            felt.put(by_sue)
        if step == 1:
            felt.put(replace(correction(felt, *back), by=second))
    felt.put(ev.CoupClosed(1))
    found = audit_shoe(felt.shoe).findings
    said = [(each.code, each.coup, each.patron, each.money.house, each.severity) for each in found]
    assert said == [(CODE, 1, "p1", None, "note")] * is_found
    assert all(f" by {second} " in each.message for each in found)


@pytest.mark.parametrize("beside", [(), (ev.BetPaid(1, 9, 1),), (ev.RequestMade("p1", "other"),)])
@pytest.mark.parametrize("paid", [1000, 1001])
def test_another_error_of_the_coup_hides_no_part_of_a_correction(beside, paid):
    """The losing bet of 10.00 and its collection are corrected into a win, paid right or not.

    A unit too much, or a unit paid for a bet that is not on record, is a finding of its own.
    """
    taken = ev.BetTaken(1, 1, 1000)
    felt = Felt().ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), taken, *beside, ev.CoupClosed(1))
    for was, instead in (BET, OTHER_SIDE), (taken, ev.BetPaid(1, 1, paid)):
        felt.put(correction(felt, was, instead))
    if any(isinstance(each, ev.RequestMade) for each in beside):
        felt.put(correction(felt, beside[0], ev.BetPaid(1, 9, 1)))
    found = {each.code: each.money for each in audit_shoe(felt.shoe).findings}
    assert found[CODE].house == -2000
    beyond = paid - 1000 + sum(isinstance(each, ev.BetPaid | ev.RequestMade) for each in beside)
    assert sum(money.house or 0 for money in found.values()) == -2000 - beyond


@pytest.mark.parametrize("named", [None, 1, 2, 99])
def test_a_request_becomes_a_winning_bet_whatever_coup_it_names(named):
    """100 units were paid for a bet that nobody had placed, and p1 has them."""
    asked = ev.RequestMade("p1", "other", coup=named)
    placed = ev.BetPlaced(2, 1, "p1", "player", 100)
    felt = Felt().ready().coup("P 4 5  B K 8").put(ev.CoupOpened(2), asked, ev.NoMoreBets(2))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(2, 9, 8, "P"))
    felt.put(correction(felt, asked, placed), ev.BetPaid(2, 1, 100), ev.CoupClosed(2))
    assert found_in(felt.shoe) == [(CODE, 2, "p1", -100)]


def test_the_last_event_of_a_coup_is_not_corrected_in_the_next():
    """A settlement of 10.00 becomes one of 10.01 during the next coup: the unit is p1's."""
    paid = ev.BetPaid(1, 1, 1000)
    felt = Felt().ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), paid, ev.CoupOpened(2))
    felt.put(correction(felt, paid, ev.BetTaken(1, 1, 1000)))
    assert (CODE, 1, "p1", -2000) in found_in(felt.shoe)


def test_a_misread_stake_is_corrected_while_the_bets_are_open():
    """Recorded as above the maximum of 5000.00, and corrected behind another bet."""
    high = msgspec.structs.replace(BET, amount=100_000_000)
    felt = Felt().ready().put(ev.CoupOpened(1), high, ev.BetPlaced(1, 2, "p2", "tie", 500))
    felt.put(correction(felt, high, OTHER_SIDE), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetTaken(1, 2, 500), ev.BetPaid(1, 1, 1000))
    felt.put(ev.CoupClosed(1))
    assert found_in(felt.shoe) == []


def test_wrong_limits_are_taken_back_after_some_of_the_bets_that_exceed_them():
    """A maximum of 5.00 is recorded after coup 1 and taken back after 12 of 13 higher bets."""
    low = ev.LimitsChanged((ev.Limit(100, 500),))
    felt = Felt().ready().coup("p1 player 500 | P 4 5  B K 8").put(low)
    for high in (600, 700, 800, 900):
        felt.coup(f"p1 player {high}, p2 player {high}, p3 player {high} | P 4 5  B K 8")
    felt.put(correction(felt, low, None)).coup("p1 player 1000 | P 4 5  B K 8")
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.coup) == (CODE, None)
    assert found.message.count("bet-outside-limits") == 10
    assert found.message.endswith("and 2 more")


def test_payments_are_judged_by_the_pack_with_which_the_shoe_was_loaded():
    """Tie pays 8 to 1. A pack by which it pays 9 to 1 is put in its place after the coup."""
    felt = Felt().ready().coup("p1 tie 1000 | P 4 5  B K 9")
    loaded = next(each for each in felt.payloads if isinstance(each, ev.ShoeLoaded))
    other = pack_text("uk")
    felt.put(
        correction(
            felt,
            loaded,
            replace(loaded, pack=other, pack_sha256=pack_sha256(other)),
        )
    )
    assert found_in(felt.shoe) == [("late-loading-change", None, None, None)]


def test_two_cards_that_are_changed_together_move_their_money_once():
    """Player lost 7 to 8 as first recorded, and won 9 to 8 as corrected: p1's 10.00 were lost."""
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE, ev.NoMoreBets(1))
    first = [("player", "3"), ("banker", "K"), ("player", "4"), ("banker", "8")]
    for place, (hand, card) in enumerate(first, start=3):
        felt.put(ev.CardDrawn(1, hand, card, place))
    felt.put(ev.TotalsCalled(1, 9, 8), ev.ResultCalled(1, 9, 8, "P"))
    for was, card in (first[0], "4"), (first[2], "5"):
        place = 3 + first.index(was)
        drawn = ev.CardDrawn(1, was[0], was[1], place)
        felt.put(correction(felt, drawn, msgspec.structs.replace(drawn, card=card)))
    felt.put(ev.BetPaid(1, 1, 1000), ev.CoupClosed(1))
    (found,) = audit_shoe(felt.shoe).findings
    assert (found.code, found.money.house) == (CODE, -2000)


def test_a_follower_is_told_of_the_correction_when_the_breach_is_gone():
    shoe = recorded("call-moved-behind-a-late-bet")
    live = LiveAudit(Shoe(shoe.stream))
    told = []
    for event in shoe.history:
        live.add(event)
        told += live.changes()
    changes = [(each.told, each.finding.code) for each in told]
    assert changes[:3] == [
        ("found", "past-posted-bet"),
        ("withdrawn", "past-posted-bet"),
        ("found", CODE),
    ]
    assert live.standing.findings == audit_shoe(shoe).findings


@pytest.mark.parametrize("between", [(), (ev.CrewChanged("dealer", "bea"),)])
def test_a_slip_of_the_hand_that_is_corrected_at_once_is_no_finding(between):
    """As recorded first, bet 1 was paid one unit too much; nothing of the coup lies between."""
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE, ev.NoMoreBets(1))
    felt.cards("P 4 5  B K 8").put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 1001), *between)
    felt.put(correction(felt, ev.BetPaid(1, 1, 1001), ev.BetPaid(1, 1, 1000)), ev.CoupClosed(1))
    assert found_in(felt.shoe) == []


def money_of(shoe: Shoe) -> list[tuple[str, dict[str, int], int | None]]:
    """Return the findings that stand by themselves: code, money of each patron, of the house."""
    found = [each for each in audit_shoe(shoe).findings if each.explained_by is None]
    return [(each.code, each.money.patrons, each.money.house) for each in found]


def at_macao(*, first: int, instead: int, hands: str) -> Shoe:
    """p1's stake is corrected once the hands were called; p3 banks."""
    felt = own_hand_coups.deal(own_hand_coups.table(), f"2 500, 1 {first} | {hands}")
    while felt.shoe.current.result_called is None:
        felt.put(next_action(felt.shoe).payload)
    (bet,) = [each for each in felt.payloads if getattr(each, "patron", None) == "p1"]
    felt.put(correction(felt, bet, msgspec.structs.replace(bet, amount=instead)))
    return own_hand_coups.finish(felt).shoe


@pytest.mark.parametrize(
    ("first", "instead", "hands", "won"),
    [
        # p1 loses 7 to 9: 100.00 were lost, and 25.00 are taken
        (10_000, 2500, "2: 6; 1: 7; B: 9", 7500),
        # p1's natural 8 wins twice the stake: 50.00 were due, and 200.00 are paid
        (2500, 10_000, "2: 6; 1: 8; B: 3", 15_000),
    ],
)
def test_a_stake_is_corrected_against_a_patrons_bank(first, instead, hands, won):
    """The house has no part in it: the banker loses what the patron wins."""
    shoe = at_macao(first=first, instead=instead, hands=hands)
    assert money_of(shoe) == [(CODE, {"p1": won, "p3": -won}, 0)]


@pytest.mark.parametrize("levied", [False, True])
def test_a_bet_and_its_collection_are_corrected_against_a_bank(levied):
    """The bank won 100.00 and paid a levy of 5.00; 20.00 and 1.00 are recorded in their place.

    So p2 has 80.00 too much, the banker 76.00 too little and the house 4.00. It follows that the
    levy is wrong if it stays at 5.00, that the bank is called too high in the next coup, and that
    p1 takes out more than the bank holds.
    """
    felt = bank_coups.table(pack="chemin-de-fer-france").put(ev.CoupOpened(1))
    felt.due(bank_ev.BankCalled).put(bet := ev.BetPlaced(1, 1, "p2", "player", 10_000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    felt.due(ev.CardTurned, ev.ResultCalled).put(taken := ev.BetTaken(1, 1, 10_000))
    felt.put(*(steps := bank_coups.stepped(500, 500)), ev.CoupClosed(1), ev.CoupOpened(2))
    felt.due(bank_ev.BankCalled).put(ev.BetPlaced(2, 1, "p2", "player", 2000), ev.NoMoreBets(2))
    felt.due(bank_ev.HandGiven).cards("P 4 5  B K 9").due(ev.CardTurned, ev.ResultCalled)
    felt.put(ev.BetPushed(2, 1), ev.CoupClosed(2), bank_ev.BankWithdrawn("p1", 19_500))
    felt.put(ev.ShoePassed("p1", "given-up"))
    for each in (bet, taken):
        felt.put(correction(felt, each, msgspec.structs.replace(each, amount=2000)))
    for each in steps if levied else ():
        if hasattr(each, "amount"):
            felt.put(correction(felt, each, msgspec.structs.replace(each, amount=100)))
    own = [each for each in audit_shoe(felt.shoe).findings if each.explained_by is None]
    assert [(each.code, each.money.patrons, each.money.house) for each in own] == [
        (CODE, {"p2": 8000, "p1": -7600}, -400)
    ]
    assert "p2's 100.00 EUR on Player settled otherwise" in own[0].message


@pytest.mark.parametrize("levy", [500, 100])
def test_a_levy_goes_with_the_stake_that_was_corrected(levy):
    """The bank wins 100.00 and pays a levy of 5.00; p2's stake is corrected to 20.00.

    On the corrected record the bank wins 20.00, of which a levy of 1.00 is due. So p2 has 80.00 too
    much, the house 4.00 too little, and the banker 76.00. That a levy of 5.00 was taken all the
    same is no fault of its own.
    """
    felt = bank_coups.table(pack="chemin-de-fer-france").put(ev.CoupOpened(1))
    felt.due(bank_ev.BankCalled).put(bet := ev.BetPlaced(1, 1, "p2", "player", 10_000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    felt.due(ev.CardTurned, ev.ResultCalled)
    felt.put(correction(felt, bet, msgspec.structs.replace(bet, amount=2000)))
    felt.put(ev.BetTaken(1, 1, 2000), *bank_coups.stepped(levy, levy), ev.CoupClosed(1))
    assert money_of(felt.shoe) == [(CODE, {"p2": 8000, "p1": -7600}, -400)]


@pytest.mark.parametrize("closed", [False, True])
def test_a_winning_bet_is_given_to_another_patron(closed):
    """Banker wins: 10.00 less 5 % are p1's, and p2 has them on the corrected record.

    Once the coup is closed, p1 has paid the commission. That p2 did not is no fault of its own.
    """
    felt = Felt("classic-4").ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1))
    felt.cards("P 4 3  B K 8").put(ev.ResultCalled(1, 7, 8, "B"))
    to_p2 = msgspec.structs.replace(BET, patron="p2", seat=2)
    if not closed:
        felt.put(correction(felt, BET, to_p2))
    felt.put(ev.BetPaid(1, 1, 1000), ev.CommissionCollected("p1" if closed else "p2", 50, 1, 1))
    felt.put(ev.CoupClosed(1))
    if closed:
        felt.put(correction(felt, BET, to_p2))
    assert money_of(felt.shoe) == [(CODE, {"p1": -950, "p2": 950}, 0)]


def test_a_banco_is_given_to_another_patron():
    """p2 went banco and won 100.00. That p3 had neither claim nor hand follows from it."""
    felt = bank_coups.table().put(ev.CoupOpened(1)).due(bank_ev.BankCalled)
    felt.put(bank_ev.BancoCalled(1, "p2"), bet := ev.BetPlaced(1, 1, "p2", "player", 10_000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 5  B K 8")
    felt.due(ev.CardTurned, ev.ResultCalled)
    felt.put(correction(felt, bet, msgspec.structs.replace(bet, patron="p3")))
    felt.put(ev.BetPaid(1, 1, 10_000), ev.CoupClosed(1))
    assert money_of(felt.shoe) == [(CODE, {"p2": -10_000, "p3": 10_000}, 0)]


def test_the_patron_of_a_bet_is_corrected_before_the_cards():
    to_p2 = msgspec.structs.replace(BET, patron="p2", wager="player")
    assert found_in(played(after="call", of=BET, instead=to_p2)) == []


# -- Who holds the bank ----------------------------------------------------------------------------


def bank_given_to_p3(*, after_the_coup: bool) -> Shoe:
    """P1's bank of 100.00 wins p2's 100.00, less a levy of 5.00; p3 is recorded as banker then."""
    felt = bank_coups.table(pack="chemin-de-fer-france")
    posted = next(each for each in felt.payloads if isinstance(each, bank_ev.BankPosted))
    fix = correction(felt, posted, msgspec.structs.replace(posted, by="p3"))
    felt.put(ev.CoupOpened(1))
    if not after_the_coup:
        felt.put(fix)
    felt.due(bank_ev.BankCalled).put(ev.BetPlaced(1, 1, "p2", "player", 10_000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    felt.due(ev.CardTurned, ev.ResultCalled)
    felt.put(ev.BetTaken(1, 1, 10_000), *bank_coups.stepped(500, 500), ev.CoupClosed(1))
    return felt.put(*[fix] * after_the_coup).shoe


def test_a_bank_is_given_to_another_patron_after_its_result():
    """P1's 95.00 are p3's on the corrected record."""
    found = audit_shoe(bank_given_to_p3(after_the_coup=True)).findings
    moved = [each for each in found if each.code == CODE]
    assert [(each.money.patrons, each.money.house) for each in moved] == [
        ({"p1": -9500, "p3": 9500}, 0)
    ]
    assert "p1's bank in coup 1 given to p3" in moved[0].message


def test_who_holds_the_bank_is_corrected_before_the_coup_is_played():
    found = audit_shoe(bank_given_to_p3(after_the_coup=False)).findings
    assert CODE not in {each.code for each in found}


def test_a_commission_that_named_no_coup_is_corrected_at_once():
    """No event lies between it and its correction, though it belonged to no coup at first."""
    paid = ev.CommissionCollected("p1", 50, 1, 1)
    felt = Felt("classic-4").ready().put(ev.CoupOpened(1), BET, ev.NoMoreBets(1))
    felt.cards("P 4 3  B K 8").put(ev.ResultCalled(1, 7, 8, "B"), ev.BetPaid(1, 1, 1000))
    first = msgspec.structs.replace(paid, coup=None, bet=None)
    felt.put(first)
    felt.put(correction(felt, first, paid), ev.CoupClosed(1))
    assert found_in(felt.shoe) == []


@pytest.mark.parametrize("named", [None, 2])
@pytest.mark.parametrize("first", [50, 40])
def test_the_bet_that_a_commission_names_moves_no_money(named, first):
    """P1 gave 0.50 for bet 1, whatever bet it named first; 0.40 at first was 0.10 short."""
    paid = ev.CommissionCollected("p1", 50, 1, 1)
    felt = Felt("classic-4").ready().put(ev.CoupOpened(1), BET)
    felt.put(ev.BetPlaced(1, 2, "p2", "banker", 2000), ev.NoMoreBets(1)).cards("P 4 3  B K 8")
    felt.put(ev.ResultCalled(1, 7, 8, "B"), ev.BetPaid(1, 1, 1000))
    felt.put(wrong := replace(paid, bet=named, amount=first), ev.BetPaid(1, 2, 2000))
    felt.put(ev.CommissionCollected("p2", 100, 1, 2), ev.CoupClosed(1))
    felt.put(correction(felt, wrong, paid))
    money = [each.money.house for each in audit_shoe(felt.shoe).findings if each.code == CODE]
    assert sum(money) == first - 50


@pytest.mark.parametrize("overpaid", [0, 1])
def test_a_whole_coup_is_corrected_away(overpaid):
    """P1 won 10.00 and p2 lost 5.00 in a coup that the corrected record does not have."""
    paid = f"| P 4 5  B K 8 | P 9-8 | 1 pay {1000 + overpaid}, 2 take 500"
    felt = Felt().ready().coup("P 4 5  B K 8").coup(f"p1 player 1000, p2 banker 500 {paid}")
    of_coup = [each for each in felt.payloads if getattr(each, "coup", None) == 2]
    felt.put(*[correction(felt, each, None) for each in of_coup])
    assert money_of(felt.shoe) == [(CODE, {"p1": -1000, "p2": 500}, 500)]


def test_a_whole_coup_against_a_bank_is_corrected_away():
    """The bank of p1 won 100.00 and paid a levy of 5.00."""
    felt = bank_coups.table(pack="chemin-de-fer-france").put(ev.CoupOpened(1))
    felt.due(bank_ev.BankCalled).put(ev.BetPlaced(1, 1, "p2", "player", 10_000))
    felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven).cards("P 4 2  B K 9")
    felt.due(ev.CardTurned, ev.ResultCalled).put(ev.BetTaken(1, 1, 10_000))
    felt.put(*bank_coups.stepped(500, 500), ev.CoupClosed(1))
    of_coup = [each for each in felt.payloads if getattr(each, "coup", None) == 1]
    felt.put(*[correction(felt, each, None) for each in of_coup])
    moved = [each.money for each in audit_shoe(felt.shoe).findings if each.code == CODE]
    assert [(each.patrons, each.house) for each in moved] == [({"p2": 10_000, "p1": -9500}, -500)]


def overpaid_twice(*fixes: tuple[str, ev.Event, ev.Event | None]) -> list[tuple[str, int | None]]:
    """Return who is named, with the house's money. Two winners of 10.00 got 0.01 and 0.02 more."""
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE)
    felt.put(ev.BetPlaced(1, 2, "p2", "player", 1000, 2), ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), ev.BetPaid(1, 1, 1001), ev.BetPaid(1, 2, 1002))
    felt.put(ev.CoupClosed(1))
    for by, was, instead in fixes:
        felt.put(replace(correction(felt, was, instead), by=by))
    found = [each for each in audit_shoe(felt.shoe).findings if each.code == CODE]
    return [
        (each.message.split("(")[0].split(" by ")[1].strip(), each.money.house) for each in found
    ]


HARMLESS = ("sue", ev.NoMoreBets(1), ev.NoMoreBets(1))
FIRST_PAID = ev.BetPaid(1, 1, 1001), ev.BetPaid(1, 1, 1000)
SECOND_PAID = ev.BetPaid(1, 2, 1002), ev.BetPaid(1, 2, 1000)


@pytest.mark.parametrize("order", [1, -1])
def test_who_corrected_nothing_away_is_not_named(order):
    fixes = [("pam", *FIRST_PAID), ("pam", *SECOND_PAID), HARMLESS][::order]
    assert [who for who, _ in overpaid_twice(*fixes)] == ["pam"]


@pytest.mark.parametrize("by", ["pam", "sue"])
@pytest.mark.parametrize("to", [{"seat": None}, {}])
def test_a_correction_that_leaves_the_bet_as_it_was_hides_no_amount(by, to):
    """Pam corrects the payment of a winner who got 0.01 more. The seat of the bet is struck too."""
    found = overpaid_twice(("pam", *FIRST_PAID), (by, OTHER_SIDE, replace(OTHER_SIDE, **to)))
    assert found == [("pam", -1)]


@pytest.mark.parametrize("by", ["pam", "sue"])
def test_a_change_to_the_stake_that_a_bet_has_hides_no_amount(by):
    """P1 lost 10.00 and 9.00 were taken. The change of the bet to 10.00, its stake, is struck."""
    changed = ev.BetChanged(1, 1, 1000)
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE, changed, ev.NoMoreBets(1))
    felt.cards("P K 8  B 4 5").put(ev.ResultCalled(1, 8, 9, "B"), lost := ev.BetTaken(1, 1, 900))
    felt.put(ev.CoupClosed(1))
    felt.put(replace(correction(felt, lost, replace(lost, amount=1000)), by="pam"))
    felt.put(replace(correction(felt, changed, None), by=by))
    (found,) = [each for each in audit_shoe(felt.shoe).findings if each.code == CODE]
    assert (found.money.patrons, "sue" in found.message) == ({"p1": 100}, False)


@pytest.mark.parametrize(
    ("instead", "said"),
    [
        (1001, "changed the amount of P201 "),
        (998, "changed the amount of P201 "),
        (1000, "removed P201 "),
    ],
)
def test_a_breach_that_is_found_with_another_amount_was_not_removed(instead, said):
    """P1 was due 10.00 and got 10.02."""
    paid = ev.BetPaid(1, 1, 1002)
    felt = Felt().ready().put(ev.CoupOpened(1), OTHER_SIDE, ev.NoMoreBets(1)).cards("P 4 5  B K 8")
    felt.put(ev.ResultCalled(1, 9, 8, "P"), paid, ev.CoupClosed(1))
    felt.put(correction(felt, paid, replace(paid, amount=instead)))
    found = audit_shoe(felt.shoe).findings
    (away,) = [each for each in found if each.code == CODE]
    assert f"(misread) {said}" in away.message
    assert "overpaid by 0.02" in away.message
    assert sum(each.money.house or 0 for each in found) == -2


def test_a_correction_hides_a_breach_of_three_coups_later():
    """p7 went bank four times in a row; the first banco is corrected away in coup 4 (W509)."""
    lost = "tableaux banco p7 | 3 4; 2 4; 9 K\n"
    shoe = dealt("load banque\nbare\ntableaux-bank p11 20000\n" + 4 * lost)
    assert codes(shoe) == [code_of(fourth_banco)]
    banco = next(each for each in shoe.history if isinstance(each.payload, bank_ev.BancoCalled))
    away = ev.EventCorrected(banco.position, "typing error", instead=None, by="carl")
    corrected = shoe_of([*(each.payload for each in shoe.history), away])
    assert found_in(corrected) == [(CODE, 1, "p7", None)]


def test_two_people_who_corrected_breaches_away_have_a_finding_each():
    found = overpaid_twice(("pam", *FIRST_PAID), HARMLESS, ("bill", *SECOND_PAID))
    assert sorted(found) == [("bill", -2), ("pam", -1)]


@pytest.mark.parametrize("order", [1, -1])
def test_who_corrected_another_event_of_a_coup_that_was_renumbered_is_not_named(order):
    """Coup 2 was opened as coup 3. Sue corrects its number, and carl records a bet of it again."""
    felt = Felt().ready()
    for _ in range(3):
        felt.coup("p1 player 1000 | P 4 5  B K 8")
    fixes = []
    for by, kind in (("sue", ev.CoupOpened), ("carl", ev.BetPlaced)):
        (was,) = (e for e in felt.payloads if isinstance(e, kind) and e.coup == 2)
        fixes.append(replace(correction(felt, was, was), by=by))
    payloads = [replace(e, coup=3) if e == ev.CoupOpened(2) else e for e in felt.payloads]
    away = audit_shoe(shoe_of([*payloads, *fixes[::order]])).findings
    assert [(each.code, " by sue (" in each.message) for each in away] == [(CODE, True)]


@pytest.mark.parametrize("harmless", [(), (HARMLESS,)])
def test_people_who_correct_the_same_breach_away_are_named_together(harmless):
    """Either correction alone hides it."""
    found = overpaid_twice(("pam", *FIRST_PAID), *harmless, ("bill", *FIRST_PAID))
    assert [who for who, _ in found] == ["bill and pam"]


def test_what_else_a_late_correction_of_the_loading_changes_is_in_effect():
    """The decks stay as loaded; who deals is corrected."""
    felt = Felt().ready().coup("P 4 5  B K 8")
    loaded = next(each for each in felt.payloads if isinstance(each, ev.ShoeLoaded))
    crew = (ev.Crew("dealer", "bea"),)
    felt.put(correction(felt, loaded, replace(loaded, decks=6, crew=crew)))
    declared = as_loaded(felt.shoe).loaded.payload
    assert (declared.decks, declared.crew) == (loaded.decks, crew)
    assert [code for code, *_ in found_in(felt.shoe)] == ["late-loading-change"]


# -- Events of several devices ---------------------------------------------------------------------


def test_a_correction_takes_effect_where_its_event_stands_in_the_order():
    felt = Felt(CLASSIC + CLOCKS).ready().put(ev.CoupOpened(1))
    felt.tell("chips", CALL + 300, ev.BetPlaced(1, 1, "p1", "tie", 500), recorded_ms=CALL + 9000)
    placed = felt.shoe.version
    felt.tell("terminal", CALL, ev.NoMoreBets(1), recorded_ms=CALL + 9001)
    felt.put(ev.EventCorrected(placed, "p2 bet", instead=ev.BetPlaced(1, 1, "p2", "tie", 500)))
    (found,) = [each for each in audit_shoe(felt.shoe).findings if each.code == "past-posted-bet"]
    assert found.patron == "p2"
    felt.put(ev.EventCorrected(placed, "nobody bet"))
    codes = [each.code for each in audit_shoe(felt.shoe).findings]
    assert set(codes) == {"breach-corrected-away"}
    assert len(at_the_table(felt.shoe).corrections) == 2


# -- Bets that were withdrawn and settled ----------------------------------------------------------


def test_a_correction_that_takes_the_payment_back_is_found_itself():
    felt = bet_of_500(AWAY[0], MOVED[0][0])
    paid = next(e for e in felt.events if isinstance(e.payload, ev.BetPaid))
    assert len(moved_by(felt.shoe)) == 1
    again = fold("shoe/test", felt.put(ev.EventCorrected(paid.version, "a slip")).events)
    assert moved_by(again) == [("breach-corrected-away", 1, "p1", -500)]


# -- Cards after the close -------------------------------------------------------------------------


def test_a_close_that_was_a_slip_of_the_terminal_takes_no_card_from_its_hand():
    """Banker draws on five to a six that stood; the close before it never was, as is told later."""
    felt = Felt().ready().put(ev.CoupOpened(1), ev.NoMoreBets(1)).cards("P 2 4  B K 5")
    closed = len(felt.put(ev.CoupClosed(1)).payloads)
    drawn(felt, "banker", "2c").put(ev.EventCorrected(closed, "a slip"))
    felt.put(ev.ResultCalled(1, 6, 7, "B"), ev.CoupClosed(1))
    assert felt.shoe.coups[1].banker == ["K", "5", "2c"]
    assert codes(felt.shoe) == ["breach-corrected-away"]


@pytest.mark.parametrize("paid", [2000, 6000, 9000])
def test_a_bet_and_its_payment_are_given_to_another_patron_against_a_bank(paid):
    """P2 won 60.00 against p1's bank. As corrected p3 won them, and was paid another amount."""
    felt = bank_coups.table().coup("p2 player 6000, p3 player 4000 | P 4 5  B K 8")
    bet = next(each for each in felt.payloads if isinstance(each, ev.BetPlaced))
    payment = ev.BetPaid(1, 1, 6000)
    felt.put(correction(felt, bet, replace(bet, patron="p3")))
    felt.put(correction(felt, payment, replace(payment, amount=paid)))
    gains = Counter[str]()
    for found in audit_shoe(felt.shoe).findings:
        gains.update(found.money.patrons)
        assert found.money.house in (0, None)
    assert gains == Counter({"p1": 6000 - paid, "p2": -6000, "p3": paid})
