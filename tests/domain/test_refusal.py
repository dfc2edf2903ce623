"""What the pack forbids: given a shoe, when this is tried, then it is refused, and told why.

Every message names the next step. What is refused can be recorded all the same; nothing here
keeps an event out of the log.
"""

import pytest

from sabot.domain import events as f
from sabot.domain.procedure.preconditions import require, violation
from sabot.domain.state.shoe import Shoe
from sabot.domain.values.errors import Refused
from sabot.infrastructure.rule_packs import pack_text
from tests.notation import Felt, loaded


def betting(rules="mini", **more):
    """A shoe with its first coup open."""
    felt = Felt(rules, **more).ready()
    if felt.shoe.pack.table.shoe == "patron":
        felt.put(f.ShoeTaken("house"))
    return felt.put(f.CoupOpened(1))


def dealing(cards="", bets="p1 banker 1000", rules="mini", **more):
    felt = betting(rules, **more)
    for number, bet in enumerate(filter(None, bets.split(", ")), 1):
        patron, wager, amount = bet.split()
        felt.put(f.BetPlaced(1, number, patron, wager, int(amount)))
    felt.put(f.NoMoreBets(1))
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
    felt = Felt(text).ready().coup("p1 banker 1000 | P 4 5 B K 9").put(f.CoupOpened(2))
    return felt.put(f.BetCarried(2, 1, "p1", "banker", 1000))


NEW = Felt("mini")
SHUFFLED = Felt("mini").put(f.ShoeShuffled("d"), f.ShoeCut("d"))
BURNING = Felt("mini").put(
    f.ShoeShuffled("d"), f.ShoeCut("d"), f.StopCardPlaced(14), f.CardBurned("2c", 1)
)
READY = Felt("mini").ready()
PATRONS = Felt("france", seats=(f.Seat(1, "a"), f.Seat(2, "b"))).ready()
HELD = Felt("france", seats=(f.Seat(1, "a"), f.Seat(2, "b"))).ready().put(f.ShoeTaken("a"))
OWING = Felt("midi", seats=(f.Seat(1, "p1"),)).ready().put(f.ShoeTaken("house"))
OWING.coup("p1 banker 1000 | P 6 K B 7 K")
ENDED = Felt("mini").ready().put(f.ShoeEnded(left=400, reason="closing"))
RULED = dealing("P 9 K B 8 K").put(f.IrregularityNoted("card-exposed", "play-on", 1))
MISDEAL = dealing("P 9 K B 8 K").put(f.IrregularityNoted("misdeal", coup=1))
OFF_ITS_HAND = f.CardBurned("Kc", 6, "ruling", 1)
NOTED = dealing("P 9 K B 8 K").put(f.IrregularityNoted("misdeal", "void", 1))
VOIDED = called("P 9 K B 8 K").put(
    f.BetTaken(1, 1, 1000), f.IrregularityNoted("misdeal", "void", 1)
)
SEATED = tuple(f.Seat(seat, patron) for seat, patron in ((1, "a"), (2, "b"), (3, "c")))
# clockwise is against the numbers of the seats: b's shoe goes to a
PASSED = Felt("classic-8", seats=SEATED).ready().put(f.ShoeTaken("b")).coup("P 4 5  B K 8")
PASSED.put(f.ShoePassed("b"))
ASKED = Felt("classic-8", seats=SEATED).ready().put(f.ShoeTaken("b")).coup("P 4 5  B K 8")
ASKED.put(f.ShoePassed("b"), f.ShoeOffered("a"), f.ShoeRefused("a"))
FREE = Felt(pack_text("mini").replace("[cards]", "free_hands = 1\n[cards]", 1)).ready()
FREE.coup("P 9 K B 8 K", free=True)
CAPPED = Felt(pack_text("mini") + "\n[limits]\ndifferential = 500\n").ready()
CAPPED.put(f.CoupOpened(1), f.BetPlaced(1, 1, "a", "player", 900))
CAPPED.put(f.BetPlaced(1, 2, "b", "banker", 300))

# (the shoe, the event, what is said)
REFUSED = [
    # before the first coup
    (NEW, loaded("mini"), "the shoe is loaded already; a new shoe needs a name of its own"),
    (SHUFFLED, f.StopCardPlaced(13), "the cut card goes 14 to 16 from the end, not 13"),
    (SHUFFLED, f.StopCardPlaced(17), "the cut card goes 14 to 16 from the end, not 17"),
    (NEW, f.CardBurned("4c"), "no card is to be burned now; shuffle the cards"),
    (NEW, f.CoupOpened(1), "no coup can be opened now; shuffle the cards"),
    (NEW, f.OrderCommitted("0" * 64, 400), "the order has 400 cards, and 416 are in the shoe"),
    (BURNING, f.CardBurned("4c", 2), "face down; its face is not looked at"),
    (
        Felt("mini").put(f.ShoeShuffled("d"), f.ShoeCut("d"), f.StopCardPlaced(14)),
        f.CardBurned(None, 1),
        "the first card is burned face up; say which it is",
    ),
    (NEW, f.ShoeCut("d"), "the cards are shuffled first; shuffle the cards"),
    (NEW, f.StopCardPlaced(14), "the cut card goes in once the cards are cut; shuffle the cards"),
    (SHUFFLED, f.ShoeShuffled("d"), "the cards were cut; place the cut card, 14 to 16 from"),
    (SHUFFLED, f.ShoeCut("d"), "the cards are cut already; place the cut card, 14 to 16 from"),
    (READY, f.ShoeShuffled("d"), "cards have left the shoe already"),
    (READY, f.ShoeCut("d"), "cards have left the shoe already"),
    (READY, f.StopCardPlaced(14), "cards have left the shoe already"),
    (READY, f.CardBurned(None, 3), "no card is to be burned now; open coup 1"),
    # people
    (READY, f.PatronSeated(8, "x"), "the table has 7 seats; give one of those"),
    (PATRONS, f.PatronSeated(1, "x"), "a sits at 1; give another seat"),
    (PATRONS, f.PatronLeft("x"), "x does not sit at this table"),
    (OWING, f.PatronLeft("p1"), "p1 owes 0.50 of commission; collect it first"),
    (
        dealing(seats=(f.Seat(1, "p1"),)),
        f.PatronLeft("p1"),
        "p1 has a bet on the felt; settle it first",
    ),
    (READY, f.ShoeOffered("a"), "the dealer deals at this table"),
    (HELD, f.ShoeOffered("b"), "a holds the shoe; he passes it first"),
    (PATRONS, f.ShoeRefused("b"), "the shoe was not offered to b"),
    (PASSED, f.ShoeOffered("c"), "the shoe goes clockwise: offer it to a first, who may refuse it"),
    (ASKED, f.ShoeOffered("a"), "the shoe goes clockwise: offer it to c first"),
    (HELD, f.ShoePassed("b"), "b does not hold the shoe"),
    (
        Felt("france").ready().put(f.ShoeTaken("a"), f.CoupOpened(1)),
        f.ShoePassed("a"),
        "coup 1 is open; the shoe passes between coups",
    ),
    # opening and betting
    (READY, f.CoupOpened(2), "the next coup is 1, not 2"),
    (betting(), f.CoupOpened(2), "coup 1 is open; settle it first"),
    (PATRONS, f.CoupOpened(1), "no coup can be opened now; offer the shoe to a"),
    (FREE, f.CoupOpened(2, free=True), "the pack allows 1 free hands in a shoe"),
    (READY, f.BetPlaced(1, 1, "a", "player", 100), "no coup is open; open one first"),
    (betting(), f.BetPlaced(2, 1, "a", "player", 100), "coup 1 is in play, not 2"),
    (dealing(), f.BetPlaced(1, 2, "a", "player", 100), "no more bets was called"),
    (
        Felt("mini").ready().put(f.CoupOpened(1, free=True)),
        f.BetPlaced(1, 1, "a", "player", 100),
        "this is a free hand; nobody bets on it",
    ),
    (
        betting().put(f.BetPlaced(1, 1, "a", "player", 100)),
        f.BetPlaced(1, 1, "b", "player", 100),
        "bet 1 lies there already",
    ),
    (betting(), f.BetPlaced(1, 1, "a", "dragon-7", 100), "this table does not offer 'dragon-7'"),
    (betting(), f.BetPlaced(1, 1, "a", "player", 0), "a bet needs a stake"),
    (
        betting(limits=(f.Limit(1000, 5000),)),
        f.BetPlaced(1, 1, "a", "player", 999),
        "the limits on player are 10.00 to 50.00, not 9.99",
    ),
    (
        betting(limits=(f.Limit(1000, 5000), f.Limit(100, 300, "tie"))),
        f.BetPlaced(1, 1, "a", "tie", 301),
        "the limits on tie are 1.00 to 3.00, not 3.01",
    ),
    (CAPPED, f.NoMoreBets(1), "Player and Banker bets differ by 6.00, and the table takes 5.00"),
    (betting(), f.BetChanged(1, 4, 100), "there is no bet 4 on the felt"),
    (dealing(), f.BetChanged(1, 1, 2000), "no more bets was called; the bet stands"),
    (dealing(), f.BetWithdrawn(1, 1), "no more bets was called; the bet stands"),
    (dealing(), f.NoMoreBets(1), "no more bets was called already"),
    # after a tie
    (tied(withdrawable="false"), f.BetWithdrawn(2, 1), "this bet is frozen; it stands"),
    (tied(withdrawable="false"), f.BetChanged(2, 1, 2000), "this bet is frozen; it stands"),
    (betting(), f.BetCarried(1, 1, "p1", "banker", 100), "no tie left such a bet on the felt"),
    # cards
    (betting(), f.CardDrawn(1, "player", "4c"), "no card is due; place your bets"),
    (dealing(), f.CardDrawn(1, "banker", "4c"), "the card is for player, not banker"),
    (dealing(), f.CardDrawn(2, "player", "4c"), "coup 1 is in play, not 2"),
    (dealing("P 9 K B 8 K"), f.CardDrawn(1, "player", "4c"), "no card is due; call player wins"),
    (dealing("P 4 A B 3 K"), f.CardDrawn(1, "banker", "4c"), "the card is for player, not banker"),
    (
        dealing("P 7c 7c B 7c", rules="mini", decks=3),
        f.CardDrawn(1, "banker", "7c"),
        "all 3 copies of 7♣ have been seen; look at the card again",
    ),
    # calls
    (dealing("P 4"), f.TotalsCalled(1, 4, 0), "that is not due now; a card for banker"),
    (dealing("P 9 K B 8 K"), f.ResultCalled(1, 9, 8, "B"), "that is not what the cards say"),
    (dealing("P 9 K B 8 K"), f.ResultCalled(1, 9, 7, "P"), "that is not what the cards say"),
    (READY, f.CutCardReached(3), "that is not due now; open coup 1"),
    (READY, f.LastCoupCalled(1), "that is not due now; open coup 1"),
    # payments
    (dealing("P 9 K B 8 K"), f.BetTaken(1, 1, 1000), "the result has not been called"),
    (called("P 9 K B 8 K"), f.BetTaken(1, 1, 999), "bet 1 on banker: lost; take 10.00 is due"),
    (called("P 9 K B 8 K"), f.BetPaid(1, 1, 1000), "bet 1 on banker: lost; take 10.00 is due"),
    (called("P 9 K B 8 K"), f.BetPushed(1, 1), "bet 1 on banker: lost; take 10.00 is due"),
    (called("P 9 K B 9 K"), f.BetTaken(1, 1, 1000), "tie pays push; a push is due"),
    (called("P 6 K B 7 K"), f.BetPaid(1, 1, 950), "banker-wins pays 1:1; pay 10.00 is due"),
    (called("P 6 K B 7 K"), f.BetPaid(1, 7, 950), "there is no bet 7 on the felt"),
    (
        called("P 6 K B 7 K").put(f.BetPaid(1, 1, 1000)),
        f.BetPaid(1, 1, 1000),
        "collect 0.50 commission is due",
    ),
    (
        called("P 6 K B 7 K", rules="midi").put(f.BetPaid(1, 1, 1000)),
        f.CommissionMarked(1, 1, 40),
        "mark 0.50 commission is due",
    ),
    (
        called("P 6 K B 7 K", "p1 banker 1000, p2 player 500"),
        f.BetPaid(1, 1, 1000),
        "losers are taken first: take bet 2 of p2",
    ),
    (
        called("P 9 K B 8 K").put(f.BetTaken(1, 1, 1000)),
        f.BetTaken(1, 1, 1000),
        "bet 1 is settled already",
    ),
    (OWING, f.CommissionCollected("p1", 60), "p1 owes 0.50 of commission, not 0.60"),
    # the end of a coup, and of the shoe
    (called("P 9 K B 8 K"), f.CoupClosed(1), "the coup cannot be closed; p1, banker: lost"),
    (dealing("P 9 K B 8 K"), f.CoupVoided(1), "a coup is voided on an irregularity; note it first"),
    (RULED, f.CoupVoided(1, by="d"), "no irregularity of this coup was ruled void"),
    (RULED, OFF_ITS_HAND, "no ruling of this coup burns one"),
    (MISDEAL, f.CoupVoided(1), "no irregularity of this coup was ruled void"),
    (VOIDED, f.CoupVoided(1), "bets of this coup were taken or paid; correct that first"),
    (betting(), f.ShoeEnded(), "coup 1 is open; settle or void it first"),
    (OWING, f.ShoeEnded(reason="closing"), "p1 owes 0.50 of commission; collect it first"),
    (READY, f.ShoeEnded(), "the cut card has not come out; say why the shoe ends"),
    (ENDED, f.CoupOpened(1), "the shoe has ended; load a new one"),
    (ENDED, f.RequestMade("a", "other"), "the shoe has ended; load a new one"),
]


@pytest.mark.parametrize(
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
    (NEW, f.ShoeShuffled("d")),
    (Felt("mini").put(f.ShoeShuffled("d")), f.ShoeCut("d")),
    (SHUFFLED, f.StopCardPlaced(14)),
    (SHUFFLED, f.StopCardPlaced(16)),
    (SHUFFLED, f.OrderCommitted("0" * 64, 416)),
    (READY, f.OrderCommitted("0" * 64, 414)),
    (BURNING, f.CardBurned(None, 2)),
    (READY, f.CardBurned("4c", 3, "relief")),
    (READY, f.PatronSeated(7, "x")),
    (PATRONS, f.PatronLeft("a")),
    (PATRONS, f.ShoeOffered("a")),
    (PASSED, f.ShoeOffered("a")),
    (ASKED, f.ShoeOffered("c")),
    (PASSED, f.ShoeOffered("stranger")),
    (HELD, f.ShoePassed("a", "chosen")),
    (READY, f.CoupOpened(1)),
    (READY, f.CoupOpened(1, free=True)),
    (FREE, f.CoupOpened(2)),
    (betting(), f.BetPlaced(1, 1, "a", "player", 100)),
    (betting(limits=(f.Limit(1000, 5000),)), f.BetPlaced(1, 1, "a", "player", 5000)),
    (betting().put(f.BetPlaced(1, 1, "a", "tie", 100)), f.BetChanged(1, 1, 200)),
    (betting().put(f.BetPlaced(1, 1, "a", "tie", 100)), f.BetWithdrawn(1, 1)),
    (tied(), f.BetWithdrawn(2, 1)),
    (tied(), f.BetChanged(2, 1, 2000)),
    (betting(), f.NoMoreBets(1)),
    (dealing(), f.CardDrawn(1, "player", "4c")),
    (dealing("P 4 A B 3 K"), f.CardDrawn(1, "player", "0")),
    (dealing("P 9 K B 8 K"), f.ResultCalled(1, 9, 8, "P")),
    (called("P 9 K B 8 K"), f.BetTaken(1, 1, 1000)),
    (called("P 6 K B 7 K"), f.BetPaid(1, 1, 1000)),
    (
        called("P 6 K B 7 K").put(f.BetPaid(1, 1, 1000)),
        f.CommissionCollected("p1", 50, 1, 1),
    ),
    (called("P 9 K B 8 K").put(f.BetTaken(1, 1, 1000)), f.CoupClosed(1)),
    (NOTED, f.CoupVoided(1)),
    (MISDEAL, f.CoupVoided(1, by="d")),
    (MISDEAL, OFF_ITS_HAND),
    (OWING, f.CommissionCollected("p1", 50)),
    (OWING, f.CommissionCollected("p1", 20)),
    (READY, f.ShoeEnded(reason="closing")),
    (ENDED, f.OrderOpened("0" * 32, ())),
    (ENDED, f.EventCorrected(1, "x")),
    (ENDED, f.IrregularityNoted("other")),
    (READY, f.RequestMade("a", "turn-card")),
    (READY, f.CrewChanged("dealer", "b")),
    (READY, f.LimitsChanged(())),
]


@pytest.mark.parametrize(
    ("felt", "payload"),
    ALLOWED,
    ids=[f"{n}: {type(x).__name__}" for n, (_, x) in enumerate(ALLOWED)],
)
def test_it_is_allowed_where_it_belongs(felt, payload):
    assert violation(felt.shoe, payload) is None


def test_a_shoe_is_loaded_first_with_decks_and_seats_that_the_pack_has():
    empty = Shoe("shoe/none")
    assert violation(empty, loaded("mini")) is None
    assert violation(empty, f.CoupOpened(1)) == "no shoe is loaded; load one first"
    told = violation(empty, loaded("mini", 5))
    assert told == "the rule pack deals 3, 4, 6, 8 decks, not 5; load as many as it says"
    beyond = loaded("mini", seats=(f.Seat(8, "x"),))
    assert violation(empty, beyond) == "the table has 7 seats; seat nobody beyond"


def test_nothing_is_decided_by_a_pack_that_cannot_be_read():
    felt = Felt("mini")
    felt.shoe.pack, felt.shoe.pack_fault = None, "it is not TOML"
    assert violation(felt.shoe, f.ShoeShuffled("d")) == (
        "the shoe's rule pack cannot be read: it is not TOML"
    )


@pytest.mark.parametrize(
    "pack", ["chemin-de-fer", "chemin-de-fer-france", "macao-old", "macao-later", "victoria"]
)
def test_where_nothing_is_burned_the_cards_are_cut_once_all_the_same(pack):
    felt = Felt(pack, seats=(f.Seat(1, "a"), f.Seat(2, "b"))).ready()
    assert felt.shoe.left == []
    assert violation(felt.shoe, f.ShoeCut("a", 50)).startswith("the cards are cut already; offer")
    assert violation(felt.shoe, f.ShoeShuffled("d")).startswith("the cards were cut; offer")
    felt.put(f.CoupOpened(1))
    for payload in (f.ShoeShuffled("d"), f.ShoeCut("a", 50), f.StopCardPlaced(7)):
        assert violation(felt.shoe, payload).startswith("coup 1 was opened; the c")


def test_a_continuous_shuffler_is_not_cut():
    felt = Felt("france-continuous").ready()
    for payload in (f.ShoeCut("a", 50), f.StopCardPlaced(7)):
        assert violation(felt.shoe, payload).startswith("a continuous shuffler ")
