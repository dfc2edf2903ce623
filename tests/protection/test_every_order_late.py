"""Events of late devices raise no mean above 1, over every order.

The chips' device bets 4 seconds before the reader's face, the dealer's says something 4 seconds
after it, where the face was bad, and reaches the log before it. No mean is above 1.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.protection.detection.subjects import Plan
from sabot.domain.protection.e_process.next_card_chances import coup_totals
from tests.support.every_order import HANDS, HIGH, VALUE_OF, means, third_of
from tests.support.thorough import FULL, slow

SHOE = HIGH if FULL else "KKKK999"


def told_late(then, *, pack="uk", opened_late=False, seated="pq"):
    """Two coups with q's bet on Player; ``then`` is what a bad first card leads to.

    It is told by device and event; an end by it leaves the coup's other cards in the shoe.
    """

    def script(deal):
        deal.open(pack=pack)
        deal.tell(ev.CrewChanged("dealer", "dora"), second=1)
        for seat, patron in enumerate(seated, 1):
            deal.tell(ev.PatronSeated(seat, patron), second=2)
        now = 10
        for coup in (1, 2):
            if not deal.has_more():
                break
            card = deal.draw()
            bad = VALUE_OF[card] == 0
            moved = then(coup, len(deal.events)) if bad else []
            before = [payload for payload in moved if opened_late]
            for payload in before:
                deal.tell(payload, second=now + 9)
            deal.tell(ev.CoupOpened(coup), device="chips", second=now)
            deal.tell(ev.BetPlaced(coup, 1, "q", "player", 100), device="chips", second=now + 1)
            for payload in moved if not before else ():
                deal.tell(payload, second=now + 9)
            deal.tell(ev.CardDrawn(coup, "player", card), device="reader", second=now + 5)
            ended = any(isinstance(one, (ev.CoupVoided, ev.CoupClosed)) for one in moved)
            values = [VALUE_OF[card]]
            while not ended and coup_totals(values) is None:
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                card = deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(coup, hand, card), device="reader", second=now + 12)
            if not ended:
                deal.tell(ev.CoupClosed(coup), second=now + 20)
            now += 30

    return script


def struck(_coup, told):
    return [ev.EventCorrected(told + 2, "misheard", "boss", None)]


def renamed(coup, told):
    instead = ev.BetPlaced(coup, 1, "z", "player", 100)
    return [ev.EventCorrected(told + 2, "misheard", "boss", instead)]


THEN = {
    "voids it": lambda coup, _: [ev.CoupVoided(coup)],
    "closes it": lambda coup, _: [ev.CoupClosed(coup)],
    "puts a card back": lambda coup, _: [ev.IrregularityNoted("wrong-draw", "restore-card", coup)],
    "shuffles": lambda _coup, _: [ev.ShoeShuffled("m1", "continuous")],
    "strikes the bet": struck,
    "names another": renamed,
    "sends him away": lambda _coup, _: [ev.PatronLeft("q")],
    "seats another": lambda _coup, _: [ev.PatronSeated(5, "r")],
}


@pytest.mark.parametrize("then", THEN.values(), ids=THEN.keys())
def test_what_a_dealer_says_by_a_face_that_is_told_late_lifts_no_mean(then):
    plan = Plan(groups={"both": ("p", "q")})
    for seated in ("pq", "p"):
        found = means(told_late(then, seated=seated), SHOE, plan, "side size")
        assert {("patron", "q"), ("dealer", "dora"), ("group", "both")} <= set(found)
        assert max(found.values()) <= 1


def test_whom_the_record_names_as_dealer_once_a_face_was_seen_lifts_no_mean():
    script = told_late(lambda coup, _: [ev.CrewChanged("dealer", f"dan{coup}")], opened_late=True)
    found = means(script, SHOE, accounts="side")
    assert {("dealer", "dora"), ("dealer", "dan1")} <= set(found)
    assert max(found.values()) <= 1


IGNORED = {
    "a bet told twice": lambda coup: ev.BetPlaced(coup, 1, "q", "player", 100),
    "a call": ev.NoMoreBets,
    "a bet that was not there": lambda coup: ev.BetWithdrawn(coup, 7),
}


@pytest.mark.parametrize("first", IGNORED.values(), ids=IGNORED.keys())
def test_a_event_that_moved_nothing_is_corrected_into_a_hedge(first):
    def script(deal):
        deal.open(pack="uk")
        deal.tell(ev.PatronSeated(1, "q"), second=2)
        now = 10
        for coup in (1, 2):
            if not deal.has_more():
                break
            deal.tell(ev.CoupOpened(coup), device="chips", second=now)
            bet = ev.BetPlaced(coup, 1, "q", "player", 100)
            deal.tell(bet, device="chips", second=now + 1)
            told = deal.tell(first(coup), device="chips", second=now + 2)
            card = deal.draw()
            if VALUE_OF[card] == 0:
                hedge = ev.BetPlaced(coup, 2, "q", "banker", 100)
                mended = ev.EventCorrected(told, "misheard", "boss", hedge)
                deal.tell(mended, device="chips", second=now + 9)
            deal.tell(ev.CardDrawn(coup, "player", card), device="reader", second=now + 5)
            values = [VALUE_OF[card]]
            while coup_totals(values) is None:
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                card = deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(coup, hand, card), device="reader", second=now + 12)
            deal.tell(ev.CoupClosed(coup), second=now + 20)
            now += 30

    assert max(means(script, SHOE, accounts="side").values()) <= 1


def face_down(deal, coup, act):
    """Four cards face down by one device; ``act`` tells of the bets, and of what follows."""
    cards = [deal.draw() for _ in HANDS]
    for hand, card in zip(HANDS, cards, strict=True):
        deal.tell(ev.CardDrawn(coup, hand, card))
    values = [VALUE_OF[card] for card in cards]
    act(values)
    return values


@slow
@pytest.mark.parametrize("pack", ["uk", "classic-8"])
def test_who_chooses_by_the_faces_whether_turns_are_put_on_record_lifts_no_mean(pack):
    """q moves from Player to Banker once the cards lay there; turns are told of a bad first one."""

    def script(deal):
        deal.open(pack=pack)
        for coup in (1, 2):
            if not deal.has_more():
                break
            deal.tell(ev.CoupOpened(coup))
            deal.tell(ev.BetPlaced(coup, 1, "q", "player", 100))

            def act(_values, coup=coup):
                deal.tell(ev.BetWithdrawn(coup, 1))
                deal.tell(ev.BetPlaced(coup, 2, "q", "banker", 100))
                deal.tell(ev.NoMoreBets(coup))

            values = face_down(deal, coup, act)
            turned = values[0] == 0
            for nth, hand in enumerate(HANDS if turned else ()):
                deal.tell(ev.CardTurned(coup, hand, 1 + nth // 2))
            while coup_totals(values) is None:
                hand, card = third_of(values), deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(coup, hand, card))
                if turned:
                    deal.tell(ev.CardTurned(coup, hand, 3))
            deal.tell(ev.CoupClosed(coup))

    found = means(script, HIGH, accounts="side")
    assert found["patron", "q"] <= 1
    assert found["late", "q"] <= 1


def test_who_closes_a_coup_by_its_faces_once_the_next_is_open_lifts_no_mean():
    def script(deal):
        deal.open(pack="france")
        opened = False
        for coup in (1, 2):
            if not deal.has_more():
                break
            if not opened:
                deal.tell(ev.CoupOpened(coup))
            deal.tell(ev.BetPlaced(coup, 1, "q", "player", 100))
            deal.tell(ev.NoMoreBets(coup))
            values = face_down(deal, coup, lambda _values: None)
            while coup_totals(values) is None:
                hand, card = third_of(values), deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(ev.CardDrawn(coup, hand, card))
            opened = values[0] == 0
            if opened:
                deal.tell(ev.CoupOpened(coup + 1))
            deal.tell(ev.CoupClosed(coup))

    assert max(means(script, SHOE, accounts="side").values()) <= 1


def test_who_calls_no_more_bets_by_the_faces_lifts_no_mean():
    shoe = "KKKK9999"

    def script(deal):
        deal.open(pack="france")
        deal.tell(ev.CoupOpened(1), device="chips", second=10)
        deal.tell(ev.BetPlaced(1, 1, "q", "player", 100), device="chips", second=11)
        cards = [deal.draw() for _ in HANDS]
        values = [VALUE_OF[card] for card in cards]
        bad = values[1] == 9
        if bad:
            deal.tell(ev.NoMoreBets(1), second=19)
        for hand, card in zip(HANDS, cards, strict=True):
            deal.tell(ev.CardDrawn(1, hand, card), device="reader", second=12)
        for nth, hand in enumerate(HANDS):
            deal.tell(ev.CardTurned(1, hand, 1 + nth // 2), device="reader", second=15)
        if not bad:
            deal.tell(ev.NoMoreBets(1), second=20)
        while coup_totals(values) is None:
            hand, card = third_of(values), deal.draw()
            values.append(VALUE_OF[card])
            deal.tell(ev.CardDrawn(1, hand, card), device="reader", second=22)
            deal.tell(ev.CardTurned(1, hand, 3), device="reader", second=23)
        deal.tell(ev.CoupClosed(1), second=30)

    for account in ("second", "third", "lead"):
        (mean,) = means(script, shoe, accounts=account).values()
        assert mean <= 1


def test_totals_called_before_a_bet_by_a_surely_earlier_clock_are_known():
    def script(deal):
        deal.open(pack="france")
        deal.tell(ev.CoupOpened(1), second=1)
        cards = [deal.draw() for _ in HANDS]
        for hand, card in zip(HANDS, cards, strict=True):
            deal.tell(ev.CardDrawn(1, hand, card), device="reader", second=2)
        values = [VALUE_OF[card] for card in cards]
        on = "player" if values[0] == 9 else "banker"
        deal.tell(ev.BetPlaced(1, 1, "p", on, 100), device="chips", second=9)
        deal.tell(ev.NoMoreBets(1), second=20)
        both = (values[0] + values[2]) % 10, (values[1] + values[3]) % 10
        deal.tell(ev.TotalsCalled(1, *both), device="reader", second=5)
        while coup_totals(values) is None:
            hand, card = third_of(values), deal.draw()
            values.append(VALUE_OF[card])
            deal.tell(ev.CardDrawn(1, hand, card), device="reader", second=30)
        deal.tell(ev.CoupClosed(1), second=40)

    assert max(means(script, SHOE, accounts="side").values()) <= 1
