"""Every order of small shoes, as facts through the engine: nobody's choice lifts a mean above 1.

What people choose by faces they have seen: to void, to burn, to change bets, to correct the record,
to sit out.
"""

from fractions import Fraction

import pytest

from domain import facts as f
from domain.protection.chances import coup_totals
from domain.protection.following import Stale
from domain.protection.subjects import Plan
from tests.protection.every_order import VALUE_OF, means

HANDS = ("player", "banker", "player", "banker")
HIGH = "KKKKK99999"


def thirds(deal, coup, values, name="S"):
    """Draw by the tableau until the coup is over."""
    while coup_totals(values) is None:
        punto = len(values) == 4 and coup_totals([*values, 0]) != coup_totals([*values, 9])
        hand = "player" if punto and drawn_by_player(values) else "banker"
        card = deal.draw(name)
        values.append(VALUE_OF[card])
        deal.tell(f.CardDrawn(coup, hand, card), name)


def drawn_by_player(values):
    return (values[0] + values[2]) % 10 <= 5


def face_down(deal, coup, bet, after=None, *, pack="classic-8"):
    """Four cards face down, bets, no more bets, and each card turned; ``after`` sees the faces.

    ``after`` is asked after each face, with all that were shown so far, and tells what follows:
    "void" or None.
    """
    deal.tell(f.CoupOpened(coup))
    cards = [deal.draw() for _ in HANDS]
    for hand, card in zip(HANDS, cards, strict=True):
        deal.tell(f.CardDrawn(coup, hand, card))
    if bet:
        deal.tell(f.BetPlaced(coup, 1, "p", bet, 100))
    deal.tell(f.NoMoreBets(coup))
    for nth, (hand, card) in enumerate(zip(HANDS, cards, strict=True)):
        deal.tell(f.CardTurned(coup, hand, 1 + nth // 2))
        if after is not None and after([VALUE_OF[c] for c in cards[: nth + 1]], card) == "void":
            deal.tell(f.CoupVoided(coup))
            return None
    values = [VALUE_OF[card] for card in cards]
    thirds(deal, coup, values)
    deal.tell(f.CoupClosed(coup))
    return values


CARDS = "side bold size second third fourth"
VOIDS = {
    "a high first card": lambda shown, _card: "void" if shown == [9] else None,
    "a low first card": lambda shown, _card: "void" if shown == [0] else None,
    "a low second card": lambda shown, _card: "void" if shown[1:] == [0] else None,
    "two alike": lambda shown, _card: "void" if len(shown) == 2 and len(set(shown)) == 1 else None,
    "a high third card": lambda shown, _card: "void" if shown[2:] == [9] else None,
}


@pytest.mark.parametrize("bet", ["player", "banker"])
@pytest.mark.parametrize("pack", ["classic-8", "france"])
@pytest.mark.parametrize("void", VOIDS.values(), ids=VOIDS.keys())
def test_whoever_voids_a_coup_by_its_faces_moves_no_mean_of_a_card(void, pack, bet):
    def script(deal):
        deal.open(pack=pack)
        face_down(deal, 1, bet, void)

    assert means(script, HIGH, accounts=CARDS) == {("patron", "p"): 1}
    assert means(script, HIGH)["patron", "p"] <= 1


@pytest.mark.parametrize("first", [0, 9])
def test_whether_cards_are_turned_or_only_called_moves_no_mean(first):
    """After a bad face the dealer calls the totals at once, after a good one he turns them all."""

    def script(deal):
        deal.open(pack="france")
        deal.tell(f.CoupOpened(1))
        cards = [deal.draw() for _ in HANDS]
        for hand, card in zip(HANDS, cards, strict=True):
            deal.tell(f.CardDrawn(1, hand, card))
        deal.tell(f.BetPlaced(1, 1, "p", "player", 100))
        deal.tell(f.CardTurned(1, "player", 1))
        values = [VALUE_OF[card] for card in cards]
        if values[0] != first:
            for hand, nth in (("banker", 1), ("player", 2), ("banker", 2)):
                deal.tell(f.CardTurned(1, hand, nth))
        deal.tell(f.TotalsCalled(1, (values[0] + values[2]) % 10, (values[1] + values[3]) % 10))
        thirds(deal, 1, values)
        deal.tell(f.ResultCalled(1))
        deal.tell(f.CoupClosed(1))

    assert means(script, HIGH) == {("patron", "p"): 1}


@pytest.mark.parametrize("called", [True, False])
def test_a_bet_moved_after_an_unrecorded_turning_is_no_knowledge(called):
    """Cards face down that nobody turned on record: he bets by them once bets are closed."""

    def script(deal):
        deal.open(pack="france")
        deal.tell(f.CoupOpened(1))
        deal.tell(f.BetPlaced(1, 1, "p", "player", 100))
        deal.tell(f.NoMoreBets(1))
        values = []
        for hand in HANDS:
            card = deal.draw()
            deal.tell(f.CardDrawn(1, hand, card))
            values.append(VALUE_OF[card])
        if values[0] == 0:
            deal.tell(f.BetWithdrawn(1, 1))
            deal.tell(f.BetPlaced(1, 2, "p", "banker", 100))
        if called:
            deal.tell(f.TotalsCalled(1, 0, 0))
        thirds(deal, 1, values)
        deal.tell(f.CoupClosed(1))

    assert means(script, HIGH, accounts="side bold size outcome") == {("patron", "p"): 1}


def test_a_card_that_nobody_saw_is_unseen_and_has_told_nothing():
    """A coup is voided with cards face down; the next bets are against what they were."""

    def script(deal):
        deal.open(pack="france")
        face_down(deal, 1, "player", lambda shown, _card: "void" if len(shown) == 2 else None)
        deal.tell(f.CoupOpened(2))
        deal.tell(f.BetPlaced(2, 1, "p", "banker", 100))
        values = []
        for hand in HANDS:
            values.append(VALUE_OF[card := deal.draw()])
            deal.tell(f.CardDrawn(2, hand, card))
            deal.tell(f.CardTurned(2, hand, 1 + (len(values) - 1) // 2))
        thirds(deal, 2, values)
        deal.tell(f.CoupClosed(2))

    assert means(script, HIGH, accounts=CARDS) == {("patron", "p"): 1}
    assert means(script, HIGH, accounts="side outcome streak")["patron", "p"] <= 1


def test_cards_of_a_voided_coup_that_are_turned_afterwards_are_seen():
    """What is turned over once the coup is void is seen, and counted, by everybody."""

    def script(deal):
        deal.open(pack="france")
        face_down(deal, 1, "player", lambda shown, _card: "void" if len(shown) == 1 else None)
        for hand, nth in (("banker", 1), ("player", 2), ("banker", 2)):
            deal.tell(f.CardTurned(1, hand, nth))
        high = sum(
            VALUE_OF[e.fact.card] == 9 for e in deal.events if isinstance(e.fact, f.CardDrawn)
        )
        face_down(deal, 2, "player" if high < 2 else "banker")

    assert means(script, HIGH, accounts=CARDS) == {("patron", "p"): 1}


def face_up(deal, coup, bets, name="S", between=None):
    """A coup with open cards; ``between`` sees each face after it is shown."""
    deal.tell(f.CoupOpened(coup), name)
    told = {bet: deal.tell(f.BetPlaced(coup, bet, *of), name) for bet, of in enumerate(bets, 1)}
    deal.tell(f.NoMoreBets(coup), name)
    values = []
    while coup_totals(values) is None:
        hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
        card = deal.draw(name)
        values.append(VALUE_OF[card])
        deal.tell(f.CardDrawn(coup, hand, card), name)
        if between is not None:
            between(values, told)
    deal.tell(f.CoupClosed(coup), name)
    return values, told


def third_of(values):
    return "player" if len(values) == 4 and drawn_by_player(values) else "banker"


def corrected(when, by, bad):
    """He bets on Banker; the record is corrected after this first card: at once, or in the end."""

    def script(deal):
        deal.open()

        def correct(values, told):
            if len(values) == when and values[0] == bad:
                deal.tell(f.FactCorrected(told[1], "misheard", "boss", by))

        values, told = face_up(deal, 1, [("p", "banker", 100)], between=correct if when else None)
        if not when and values[0] == bad:
            deal.tell(f.FactCorrected(told[1], "misheard", "boss", by))

    return script


MENDED = {
    "the other side": f.BetPlaced(1, 1, "p", "player", 100),
    "another's": f.BetPlaced(1, 1, "q", "player", 100),
    "more": f.BetPlaced(1, 1, "p", "banker", 900),
    "nothing": None,
}


@pytest.mark.parametrize("afterwards", [False, True])
@pytest.mark.parametrize("when", [0, 1, 4])
@pytest.mark.parametrize("by", MENDED.values(), ids=MENDED.keys())
def test_a_bet_that_was_corrected_after_a_face_counts_as_it_stood(by, when, afterwards):
    """What it said for him stands, as after the high card here; what it said against him does not.

    A correction makes the coup before it be read anew, so a log that is followed is so too.
    """
    script = corrected(when, by, 9)
    if afterwards or when:
        found = means(script, HIGH, accounts="side bold", afterwards=afterwards)
        assert found["patron", "p"] == 1
        assert set(found.values()) == {1}
        found = means(corrected(when, by, 0), HIGH, accounts="side bold", afterwards=afterwards)
        assert found["patron", "p"] < 1
        assert max(found.values()) <= 1
    else:
        with pytest.raises(Stale):
            means(script, HIGH)


def test_with_every_account_too():
    shoe = "KKKKKKK99AA"
    (mean,) = means(corrected(0, MENDED["the other side"], 9), shoe, afterwards=True).values()
    assert Fraction(9, 10) < mean <= 1


@pytest.mark.parametrize("afterwards", [False, True])
def test_whom_a_correction_puts_in_the_dealer_s_place_or_in_a_seat_was_not_there(afterwards):
    """After a bad first card the record says that another dealt, and that he had left."""

    def script(deal):
        deal.open(crew=(), seats=())
        dealt = deal.tell(f.CrewChanged("dealer", "dora"))
        seated = deal.tell(f.PatronSeated(1, "p"))
        values, _ = face_up(deal, 1, [("p", "player", 100)])
        if values[0] == 0:
            deal.tell(f.FactCorrected(dealt, "wrong name", "boss", f.CrewChanged("dealer", "dan")))
            deal.tell(f.FactCorrected(seated, "was gone", "boss", None))
        face_up(deal, 2, [("q", "banker", 100)])

    found = means(script, "KKKKKKKKK999", accounts="side bold size", afterwards=afterwards)
    assert found["dealer", "dora"] == 1
    assert found["patron", "p"] == 1
    assert set(found.values()) == {1}


def two_tables(names, bets):
    """Coups side by side at two tables, a card each in turn: the shorter one is over first."""

    def script(deal):
        for name in names:
            deal.open(name)
        for name in names:
            deal.tell(f.CoupOpened(1), name)
            for bet, of in enumerate(bets[name], 1):
                deal.tell(f.BetPlaced(1, bet, *of), name)
        dealt = {name: [] for name in names}
        playing = list(names)
        while playing:
            for name in list(playing):
                values = dealt[name]
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                card = deal.draw(name)
                values.append(VALUE_OF[card])
                deal.tell(f.CardDrawn(1, hand, card), name)
                if coup_totals(values) is not None:
                    deal.tell(f.CoupClosed(1), name)
                    playing.remove(name)

    return script


def test_coups_at_two_tables_at_once_have_a_mean_of_one_whichever_is_over_first():
    bets = {"S": [("p", "player", 100)], "T": [("p", "banker", 300), ("q", "player", 10)]}
    plan = Plan(groups={"both": ("p", "q")})
    found = means(two_tables("ST", bets), "KKKK99", plan)
    assert {("patron", "p"), ("patron", "q"), ("group", "both")} <= set(found)
    assert set(found.values()) == {1}


def boxed(look, bets, coups=1):
    """One card of the shoe lies face up; who looks at it sees it once it is next.

    ``look`` says what he does when he sees it: his bets then, in place of ``bets``.
    """

    def script(deal):
        deal.open()
        for seat, patron in enumerate("pq", 1):
            deal.tell(f.PatronSeated(seat, patron))
        for coup in range(1, coups + 1):
            deal.tell(f.CoupOpened(coup))
            # the card that is next is drawn already, and shown only where it lies face up
            card = deal.draw()
            for bet, of in enumerate(look(card) if card in "83" else bets, 1):
                deal.tell(f.BetPlaced(coup, bet, *of))
            deal.tell(f.NoMoreBets(coup))
            values = []
            while coup_totals(values) is None:
                hand = HANDS[len(values)] if len(values) < 4 else third_of(values)
                if values:
                    card = deal.draw()
                values.append(VALUE_OF[card])
                deal.tell(f.CardDrawn(coup, hand, card, face_up=card in "83"))
            deal.tell(f.CoupClosed(coup))

    return script


SEES = {
    "bets on as before": lambda _card, bets: bets,
    "bets by it": lambda card, _bets: [("p", "player" if card == "8" else "banker", 900)],
    "sits out": lambda _card, _bets: [],
}


@pytest.mark.parametrize("card", ["8", "3"])
@pytest.mark.parametrize("side", ["player", "banker"])
@pytest.mark.parametrize("sees", SEES.values(), ids=SEES.keys())
def test_a_card_that_lies_face_up_never_lifts_a_mean(sees, side, card):
    """Whichever card it is that came to lie so, and whatever is done by who sees it."""
    bets = [("p", side, 100), ("q", "banker", 50)]
    plan = Plan(groups={"both": ("p", "q")})
    script = boxed(lambda seen: sees(seen, bets), bets)
    shoe = "KKKKKK999" + card
    found = means(script, shoe, plan)
    assert {("patron", "p"), ("pair", "p", "q"), ("group", "both")} <= set(found)
    assert max(found.values()) <= 1
    assert min(found.values()) > Fraction(4, 5)
    assert max(means(script, shoe, plan, "side outcome tie streak").values()) <= 1


def test_which_of_two_burned_cards_counts_is_settled_before_the_first():
    """The dealer burns a second card after a low first one: the first is what was bet on."""

    def script(deal):
        deal.open()
        deal.tell(f.CoupOpened(1))
        deal.tell(f.BetPlaced(1, 1, "p", "player", 100))
        for _ in range(2):
            card = deal.draw()
            deal.tell(f.CardBurned(card, reason="ruling", coup=1))
            if VALUE_OF[card] == 9:
                break
        deal.tell(f.CoupVoided(1))

    assert means(script, HIGH, accounts=CARDS) == {("patron", "p"): 1}
