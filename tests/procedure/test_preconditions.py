"""Events that the rule pack forbids are refused, with the reason.

Every message names the next step. What is refused can be recorded all the same; nothing here keeps
an event out of the log.
"""

import pytest

from sabot.domain import events as ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.procedure.preconditions import require, violation
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.errors import Refused
from sabot.infrastructure.rule_packs import pack_text
from tests.support.coup_notation import Felt, loaded
from tests.support.for_each import for_each


def betting(rules="mini", **more):
    """A shoe with its first coup open."""
    felt = Felt(rules, **more).ready()
    if felt.shoe.pack.table.shoe == "patron":
        felt.put(ev.ShoeTaken("house"))
    return felt.put(ev.CoupOpened(1))


def dealing(cards="", bets="p1 banker 1000", rules="mini", **more):
    felt = betting(rules, **more)
    for number, bet in enumerate(filter(None, bets.split(", ")), 1):
        patron, wager, amount = bet.split()
        felt.put(ev.BetPlaced(1, number, patron, wager, int(amount)))
    felt.put(ev.NoMoreBets(1))
    return felt.cards(cards) if cards else felt


def called(cards, bets="p1 banker 1000", rules="mini"):
    """A coup whose result is called and whose bets are not settled."""
    felt = dealing(cards, bets, rules)
    felt._call(1, None)
    return felt


def tied(rules="mini", **changes):
    text = pack_text(rules)
    for old, new in changes.items():
        text = text.replace(f"{old} = true", f"{old} = {new}")
    felt = Felt(text).ready().coup("p1 banker 1000 | P 4 5 B K 9").put(ev.CoupOpened(2))
    return felt.put(ev.BetCarried(2, 1, "p1", "banker", 1000))


NEW = Felt("mini")
SHUFFLED = Felt("mini").put(ev.ShoeShuffled("d"), ev.ShoeCut("d"))
BURNING = Felt("mini").put(
    ev.ShoeShuffled("d"), ev.ShoeCut("d"), ev.StopCardPlaced(14), ev.CardBurned("2c", 1)
)
READY = Felt("mini").ready()
PATRONS = Felt("france", seats=(ev.Seat(1, "a"), ev.Seat(2, "b"))).ready()
HELD = Felt("france", seats=(ev.Seat(1, "a"), ev.Seat(2, "b"))).ready().put(ev.ShoeTaken("a"))
OWING = Felt("midi", seats=(ev.Seat(1, "p1"),)).ready().put(ev.ShoeTaken("house"))
OWING.coup("p1 banker 1000 | P 6 K B 7 K")
ENDED = Felt("mini").ready().put(ev.ShoeEnded(left=400, reason="closing"))
RULED = dealing("P 9 K B 8 K").put(ev.IrregularityNoted("card-exposed", "play-on", 1))
MISDEAL = dealing("P 9 K B 8 K").put(ev.IrregularityNoted("misdeal", coup=1))
OFF_ITS_HAND = ev.CardBurned("Kc", 6, "ruling", 1)
NOTED = dealing("P 9 K B 8 K").put(ev.IrregularityNoted("misdeal", "void", 1))
VOIDED = called("P 9 K B 8 K").put(
    ev.BetTaken(1, 1, 1000), ev.IrregularityNoted("misdeal", "void", 1)
)
SEATED = tuple(ev.Seat(seat, patron) for seat, patron in ((1, "a"), (2, "b"), (3, "c")))
# clockwise is against the numbers of the seats: b's shoe goes to a
DEALT = Felt("classic-8", seats=SEATED).ready().put(ev.ShoeTaken("a")).coup("P 4 5  B K 8")
PASSED = Felt("classic-8", seats=SEATED).ready().put(ev.ShoeTaken("b")).coup("P 4 5  B K 8")
PASSED.put(ev.ShoePassed("b"))
ASKED = Felt("classic-8", seats=SEATED).ready().put(ev.ShoeTaken("b")).coup("P 4 5  B K 8")
ASKED.put(ev.ShoePassed("b"), ev.ShoeOffered("a"), ev.ShoeRefused("a"))
FREE = Felt(pack_text("mini").replace("[cards]", "free_hands = 1\n[cards]", 1)).ready()
FREE.coup("P 9 K B 8 K", free=True)
AFTER_A_TIE = Felt("midi").ready().coup("p1 player 500 | P 4 4  B K 8")
AFTER_A_TIE.put(ev.CoupOpened(2, free=True))
CAPPED = Felt(pack_text("mini") + "\n[limits]\ndifferential = 500\n").ready()
CAPPED.put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "a", "player", 900))
CAPPED.put(ev.BetPlaced(1, 2, "b", "banker", 300))

# (the shoe, the event, what is said)
REFUSED = [
    # before the first coup
    (NEW, loaded("mini"), "the shoe is loaded already; a new shoe needs a name of its own"),
    (SHUFFLED, ev.StopCardPlaced(13), "the cut card goes 14 to 16 from the end, not 13"),
    (SHUFFLED, ev.StopCardPlaced(17), "the cut card goes 14 to 16 from the end, not 17"),
    (NEW, ev.CardBurned("4c"), "no card is to be burned now; shuffle the cards"),
    (NEW, ev.CoupOpened(1), "no coup can be opened now; shuffle the cards"),
    (NEW, ev.OrderCommitted("0" * 64, 400), "the order has 400 cards, and 416 are in the shoe"),
    (BURNING, ev.CardBurned("4c", 2), "face down; its face is not looked at"),
    (
        Felt("mini").put(ev.ShoeShuffled("d"), ev.ShoeCut("d"), ev.StopCardPlaced(14)),
        ev.CardBurned(None, 1),
        "the first card is burned face up; name the card",
    ),
    (NEW, ev.ShoeCut("d"), "the cards are shuffled first; shuffle the cards"),
    (NEW, ev.StopCardPlaced(14), "the cut card goes in once the cards are cut; shuffle the cards"),
    (SHUFFLED, ev.ShoeShuffled("d"), "the cards were cut; place the cut card, 14 to 16 from"),
    (SHUFFLED, ev.ShoeCut("d"), "the cards are cut already; place the cut card, 14 to 16 from"),
    (READY, ev.ShoeShuffled("d"), "cards have left the shoe already"),
    (READY, ev.ShoeCut("d"), "cards have left the shoe already"),
    (READY, ev.StopCardPlaced(14), "cards have left the shoe already"),
    (READY, ev.CardBurned(None, 3), "no card is to be burned now; open coup 1"),
    # people
    (READY, ev.PatronSeated(8, "x"), "the table has 7 seats; give one of those"),
    (PATRONS, ev.PatronSeated(1, "x"), "a sits at 1; give another seat"),
    (PATRONS, ev.PatronLeft("x"), "x does not sit at this table"),
    (OWING, ev.PatronLeft("p1"), "p1 owes 0.50 USD of commission; collect it first"),
    (
        dealing(seats=(ev.Seat(1, "p1"),)),
        ev.PatronLeft("p1"),
        "p1 has a bet on the layout; settle it first",
    ),
    (READY, ev.ShoeOffered("a"), "the dealer deals at this table"),
    (HELD, ev.ShoeOffered("b"), "a holds the shoe and has to pass it first"),
    (PATRONS, ev.ShoeRefused("b"), "the shoe was not offered to b"),
    (
        PASSED,
        ev.ShoeOffered("c"),
        "the shoe goes clockwise: offer it to a first, who may refuse it",
    ),
    (ASKED, ev.ShoeOffered("a"), "the shoe goes clockwise: offer it to c first"),
    (HELD, ev.ShoePassed("b"), "b does not hold the shoe"),
    (
        HELD,
        ev.ShoePassed("a", "chosen"),
        "the new holder deals a coup before passing the shoe; open coup 1",
    ),
    (
        Felt("france").ready().put(ev.ShoeTaken("a"), ev.CoupOpened(1)),
        ev.ShoePassed("a"),
        "coup 1 is open; the shoe passes between coups",
    ),
    # opening and betting
    (READY, ev.CoupOpened(2), "the next coup is 1, not 2"),
    (betting(), ev.CoupOpened(2), "coup 1 is open; settle it first"),
    (PATRONS, ev.CoupOpened(1), "no coup can be opened now; offer the shoe to a"),
    (FREE, ev.CoupOpened(2, free=True), "the pack allows 1 free hands in a shoe"),
    (READY, ev.BetPlaced(1, 1, "a", "player", 100), "no coup is open; open one first"),
    (betting(), ev.BetPlaced(2, 1, "a", "player", 100), "coup 1 is in play, not 2"),
    (dealing(), ev.BetPlaced(1, 2, "a", "player", 100), "bets are closed"),
    (
        Felt("mini").ready().put(ev.CoupOpened(1, free=True)),
        ev.BetPlaced(1, 1, "a", "player", 100),
        "this is a free hand; nobody bets on it",
    ),
    (
        betting().put(ev.BetPlaced(1, 1, "a", "player", 100)),
        ev.BetPlaced(1, 1, "b", "player", 100),
        "bet 1 is on the table already",
    ),
    (betting(), ev.BetPlaced(1, 1, "a", "dragon-7", 100), "this table does not offer 'dragon-7'"),
    (betting(), ev.BetPlaced(1, 1, "a", "player", 0), "a bet needs a stake"),
    (
        betting(limits=(ev.Limit(1000, 5000),)),
        ev.BetPlaced(1, 1, "a", "player", 999),
        "the limits on Player are 10.00 EUR to 50.00 EUR, not 9.99 EUR",
    ),
    (
        betting(limits=(ev.Limit(1000, 5000), ev.Limit(100, 300, "tie"))),
        ev.BetPlaced(1, 1, "a", "tie", 301),
        "the limits on Tie are 1.00 EUR to 3.00 EUR, not 3.01 EUR",
    ),
    (
        CAPPED,
        ev.NoMoreBets(1),
        "Player and Banker bets differ by 6.00 EUR, and the table takes 5.00 EUR",
    ),
    (betting(), ev.BetChanged(1, 4, 100), "there is no bet 4 on the layout"),
    (dealing(), ev.BetChanged(1, 1, 2000), "bets are closed; the bet stands"),
    (dealing(), ev.BetWithdrawn(1, 1), "bets are closed; the bet stands"),
    (dealing(), ev.NoMoreBets(1), "bets are closed already"),
    # after a tie
    (tied(withdrawable="false"), ev.BetWithdrawn(2, 1), "this bet is frozen; it stands"),
    (tied(withdrawable="false"), ev.BetChanged(2, 1, 2000), "this bet is frozen; it stands"),
    (betting(), ev.BetCarried(1, 1, "p1", "banker", 100), "no tie left such a bet on the layout"),
    # cards
    (betting(), ev.CardDrawn(1, "player", "4c"), "no card is due; place your bets"),
    (dealing(), ev.CardDrawn(1, "banker", "4c"), "the card is for Player, not Banker"),
    (dealing(), ev.CardDrawn(2, "player", "4c"), "coup 1 is in play, not 2"),
    (dealing("P 9 K B 8 K"), ev.CardDrawn(1, "player", "4c"), "no card is due; call player wins"),
    (dealing("P 4 A B 3 K"), ev.CardDrawn(1, "banker", "4c"), "the card is for Player, not Banker"),
    (
        dealing("P 7c 7c B 7c", rules="mini", decks=3),
        ev.CardDrawn(1, "banker", "7c"),
        "all 3 copies of 7♣ have been seen; look at the card again",
    ),
    # calls
    (dealing("P 4"), ev.TotalsCalled(1, 4, 0), "that is not due now; a card for Banker"),
    (dealing("P 9 K B 8 K"), ev.ResultCalled(1, 9, 8, "B"), "the cards give another result"),
    (dealing("P 9 K B 8 K"), ev.ResultCalled(1, 9, 7, "P"), "the cards give another result"),
    (READY, ev.CutCardReached(3), "that is not due now; open coup 1"),
    (READY, ev.LastCoupCalled(1), "that is not due now; open coup 1"),
    # payments
    (dealing("P 9 K B 8 K"), ev.BetTaken(1, 1, 1000), "the result has not been called"),
    (called("P 9 K B 8 K"), ev.BetTaken(1, 1, 999), "bet 1 on Banker: lost; take 10.00 EUR is due"),
    (called("P 9 K B 8 K"), ev.BetPaid(1, 1, 1000), "bet 1 on Banker: lost; take 10.00 EUR is due"),
    (called("P 9 K B 8 K"), ev.BetPushed(1, 1), "bet 1 on Banker: lost; take 10.00 EUR is due"),
    (called("P 9 K B 9 K"), ev.BetTaken(1, 1, 1000), "on a tie the bet is pushed; a push is due"),
    (called("P 6 K B 7 K"), ev.BetPaid(1, 1, 950), "Banker pays 1 to 1; pay 10.00 EUR is due"),
    (called("P 6 K B 7 K"), ev.BetPaid(1, 7, 950), "there is no bet 7 on the layout"),
    (
        called("P 6 K B 7 K").put(ev.BetPaid(1, 1, 1000)),
        ev.BetPaid(1, 1, 1000),
        "collect 0.50 EUR commission is due",
    ),
    (
        called("P 6 K B 7 K", rules="midi").put(ev.BetPaid(1, 1, 1000)),
        ev.CommissionMarked(1, 1, 40),
        "mark 0.50 USD commission is due",
    ),
    (
        called("P 6 K B 7 K", "p1 banker 1000, p2 player 500"),
        ev.BetPaid(1, 1, 1000),
        "losers are taken first: take bet 2 of p2",
    ),
    (
        called("P 9 K B 8 K").put(ev.BetTaken(1, 1, 1000)),
        ev.BetTaken(1, 1, 1000),
        "bet 1 is settled already",
    ),
    (OWING, ev.CommissionCollected("p1", 60), "p1 owes 0.50 USD of commission, not 0.60 USD"),
    # the end of a coup, and of the shoe
    (
        called("P 9 K B 8 K"),
        ev.CoupClosed(1),
        "the coup cannot be closed; p1's bet on Banker: lost",
    ),
    (
        dealing("P 9 K B 8 K"),
        ev.CoupVoided(1),
        "a coup is voided on an irregularity; note it first",
    ),
    (RULED, ev.CoupVoided(1, by="d"), "no irregularity of this coup was ruled void"),
    (RULED, OFF_ITS_HAND, "no ruling of this coup burns one"),
    (MISDEAL, ev.CoupVoided(1), "no irregularity of this coup was ruled void"),
    (VOIDED, ev.CoupVoided(1), "bets of this coup were taken or paid; correct that first"),
    (betting(), ev.ShoeEnded(), "coup 1 is open; settle or void it first"),
    (OWING, ev.ShoeEnded(reason="closing"), "p1 owes 0.50 USD of commission; collect it first"),
    (READY, ev.ShoeEnded(), "the cut card has not come out; give the reason why the shoe ends"),
    (
        AFTER_A_TIE,
        ev.BetCarried(2, 1, "p1", "player", 500),
        "this is a free hand; no bet is carried",
    ),
    (ENDED, ev.CoupOpened(1), "the shoe has ended; load a new one"),
    (ENDED, ev.RequestMade("a", "other"), "the shoe has ended; load a new one"),
]


@for_each(
    ("felt", "payload", "said"), REFUSED, ids=[f"{type(x).__name__}: {w}" for _, x, w in REFUSED]
)
def test_it_is_refused_with_the_reason_and_the_next_step(felt, payload, said):
    reason = violation(felt.shoe, payload)
    assert reason is not None
    assert said in reason
    with pytest.raises(Refused, match=r"\w"):
        require(felt.shoe, payload)


# The same events where they belong, so that no refusal is one that always refuses.
ALLOWED = [
    (NEW, ev.ShoeShuffled("d")),
    (Felt("mini").put(ev.ShoeShuffled("d")), ev.ShoeCut("d")),
    (SHUFFLED, ev.StopCardPlaced(14)),
    (SHUFFLED, ev.StopCardPlaced(16)),
    (SHUFFLED, ev.OrderCommitted("0" * 64, 416)),
    (READY, ev.OrderCommitted("0" * 64, 414)),
    (BURNING, ev.CardBurned(None, 2)),
    (READY, ev.CardBurned("4c", 3, "relief")),
    (READY, ev.PatronSeated(7, "x")),
    (PATRONS, ev.PatronSeated(1, "a")),
    (PATRONS, ev.PatronLeft("a")),
    (PATRONS, ev.ShoeOffered("a")),
    (PASSED, ev.ShoeOffered("a")),
    (ASKED, ev.ShoeOffered("c")),
    (PASSED, ev.ShoeOffered("stranger")),
    (DEALT, ev.ShoePassed("a", "chosen")),
    (READY, ev.CoupOpened(1)),
    (READY, ev.CoupOpened(1, free=True)),
    (FREE, ev.CoupOpened(2)),
    (betting(), ev.BetPlaced(1, 1, "a", "player", 100)),
    (betting(limits=(ev.Limit(1000, 5000),)), ev.BetPlaced(1, 1, "a", "player", 5000)),
    (betting().put(ev.BetPlaced(1, 1, "a", "tie", 100)), ev.BetChanged(1, 1, 200)),
    (betting().put(ev.BetPlaced(1, 1, "a", "tie", 100)), ev.BetWithdrawn(1, 1)),
    (tied(), ev.BetWithdrawn(2, 1)),
    (tied(), ev.BetChanged(2, 1, 2000)),
    (betting(), ev.NoMoreBets(1)),
    (dealing(), ev.CardDrawn(1, "player", "4c")),
    (dealing("P 4 A B 3 K"), ev.CardDrawn(1, "player", "0")),
    (dealing("P 9 K B 8 K"), ev.ResultCalled(1, 9, 8, "P")),
    (called("P 9 K B 8 K"), ev.BetTaken(1, 1, 1000)),
    (called("P 6 K B 7 K"), ev.BetPaid(1, 1, 1000)),
    (
        called("P 6 K B 7 K").put(ev.BetPaid(1, 1, 1000)),
        ev.CommissionCollected("p1", 50, 1, 1),
    ),
    (called("P 9 K B 8 K").put(ev.BetTaken(1, 1, 1000)), ev.CoupClosed(1)),
    (NOTED, ev.CoupVoided(1)),
    (MISDEAL, ev.CoupVoided(1, by="d")),
    (MISDEAL, OFF_ITS_HAND),
    (OWING, ev.CommissionCollected("p1", 50)),
    (OWING, ev.CommissionCollected("p1", 20)),
    (READY, ev.ShoeEnded(reason="closing")),
    (ENDED, ev.OrderOpened("0" * 32, ())),
    (ENDED, ev.EventCorrected(1, "x")),
    (ENDED, ev.IrregularityNoted("other")),
    (READY, ev.RequestMade("a", "turn-card")),
    (READY, ev.CrewChanged("dealer", "b")),
    (READY, ev.LimitsChanged(())),
]


@for_each(
    ("felt", "payload"),
    ALLOWED,
    ids=[f"{n}: {type(x).__name__}" for n, (_, x) in enumerate(ALLOWED)],
)
def test_it_is_allowed_where_it_belongs(felt, payload):
    assert violation(felt.shoe, payload) is None


def test_a_shoe_is_loaded_first_with_decks_and_seats_that_the_pack_has():
    empty = Shoe("shoe/none")
    assert violation(empty, loaded("mini")) is None
    assert violation(empty, ev.CoupOpened(1)) == "no shoe is loaded; load one first"
    told = violation(empty, loaded("mini", 5))
    assert told == "the rule pack deals 3, 4, 6, 8 decks, not 5; choose one of these"
    beyond = loaded("mini", seats=(ev.Seat(8, "x"),))
    assert violation(empty, beyond) == "the table has 7 seats; give a seat from 1 to 7"


def test_nothing_is_decided_by_a_pack_that_cannot_be_read():
    felt = Felt("mini")
    felt.shoe.pack, felt.shoe.pack_fault = None, "it is not TOML"
    assert violation(felt.shoe, ev.ShoeShuffled("d")) == (
        "the shoe's rule pack cannot be read: it is not TOML"
    )


@pytest.mark.parametrize(
    "pack", ["chemin-de-fer", "chemin-de-fer-france", "macao-old", "macao-later", "victoria"]
)
def test_where_nothing_is_burned_the_cards_are_cut_once_all_the_same(pack):
    felt = Felt(pack, seats=(ev.Seat(1, "a"), ev.Seat(2, "b"))).ready()
    assert felt.shoe.left == []
    assert violation(felt.shoe, ev.ShoeCut("a", 50)).startswith("the cards are cut already; offer")
    assert violation(felt.shoe, ev.ShoeShuffled("d")).startswith("the cards were cut; offer")
    felt.put(ev.CoupOpened(1))
    for payload in (ev.ShoeShuffled("d"), ev.ShoeCut("a", 50), ev.StopCardPlaced(7)):
        assert violation(felt.shoe, payload).startswith("coup 1 was opened; the c")


def test_a_ruling_before_the_first_card_may_order_another_cut():
    felt = Felt("mini").put(ev.ShoeShuffled("d"), ev.ShoeCut("a", 2))
    again = ev.ShoeCut("a", 90)
    assert violation(felt.shoe, again).startswith("the cards are cut already")
    ruling = ev.IrregularityNoted("other", "other", by="sue")
    assert violation(felt.shoe, ruling) is None
    felt.put(ruling)
    assert violation(felt.shoe, again) is None
    felt.put(again)
    assert violation(felt.shoe, again).startswith("the cards are cut already")


def test_a_continuous_shuffler_is_not_cut():
    felt = Felt("france-continuous").put(ev.ShoeShuffled("d", "continuous"))
    for payload in (ev.ShoeCut("a", 50), ev.StopCardPlaced(7)):
        assert violation(felt.shoe, payload).startswith("a continuous shuffler ")


def test_nobody_who_refuses_the_dealers_shoe_is_said_to_hold_it():
    felt = Felt("mini", seats=(ev.Seat(1, "a"),)).ready()
    taken, refused = (violation(felt.shoe, kind("a")) for kind in (ev.ShoeTaken, ev.ShoeRefused))
    assert taken == refused
    assert (taken.rule, refused.rule) == ("H504", "")


def test_a_free_hand_after_a_tie_is_dealt_without_the_bets_that_the_tie_left():
    assert next_action(AFTER_A_TIE.shoe).payload == ev.NoMoreBets(2)
