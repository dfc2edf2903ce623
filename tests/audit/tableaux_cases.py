"""Shoes of two tableaux that break each rule of theirs, and shoes that nearly do."""

from collections.abc import Callable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from sabot.infrastructure.rule_packs import pack_text
from tests.audit import bank_cases
from tests.support.coup_notation import Felt, shoe_of
from tests.support.tableaux_coups import SEATS, bank, deal, finish, opened, play, table

Make = Callable[[], Shoe]
FRANCE, OPEN = "deux-tableaux-france", "deux-tableaux-france-open"
UNRULED = pack_text("banque").replace('wrong-draw = ["void", "restore-card", "burn-card"]', "")
"""The pack, but that it asks for no ruling on a wrong draw."""


def coups(*lines: str, pack: str = "banque", amount: int = 20_000) -> Make:
    """Coups against p11's bank."""

    def make() -> Shoe:
        felt = table(pack, amount=amount)
        for line in lines:
            play(felt, line)
        return felt.shoe

    return make


def recalled(amount: int) -> Make:
    """p7 goes bank for 20000, and the bank was called so."""

    def make() -> Shoe:
        payloads = play(table(), LOSES).payloads
        return shoe_of(
            replace(payload, amount=amount) if isinstance(payload, bank_ev.BankCalled) else payload
            for payload in payloads
        )

    return make


def order(*hands: str) -> Make:
    """Six first cards to these hands in turn: right 7, left 7, the banker 9."""

    def make() -> Shoe:
        felt = opened(table(), "p7 right 500, p5 left 500")
        cards = {"right": ["3", "4"], "left": ["2", "5"], "banker": ["9", "K"]}
        for hand in hands:
            place = len(felt.shoe.left) + 1
            felt.put(ev.CardDrawn(1, hand, cards[hand].pop(0), place))  # type: ignore[arg-type]
        return finish(felt).shoe

    return make


ROUND = ("right", "left", "banker")


def called(right: int) -> Make:
    """The right has 7, and is called so."""

    def make() -> Shoe:
        felt = deal(opened(table(), "p7 right 500"), "3 4; 2 4; 9 K")
        felt.due(ev.CardTurned)
        totals = (
            bank_ev.HandTotal("right", right),
            bank_ev.HandTotal("left", 6),
            bank_ev.HandTotal("banker", 9),
        )
        return finish(felt.put(bank_ev.HandsCalled(1, totals))).shoe

    return make


def natural(*, at_once: bool) -> Make:
    """The right alone has a natural, and is paid before the left draws, or after."""

    def make() -> Shoe:
        felt = opened(table(), "p7 right 500, p5 left 500")
        return finish(deal(felt, "9 K; 2 3 +4; 7 K =", at_once=at_once)).shoe

    return make


def chose(by: str) -> Make:
    """p5 plays the left; somebody chooses for it."""

    def make() -> Shoe:
        felt = deal(opened(table(), "p5 left 500"), "3 4; 2 3; 6 K")
        payloads = [
            replace(payload, by=by)
            if isinstance(payload, bank_ev.ChoiceMade) and payload.hand == "left"
            else payload
            for payload in finish(felt).payloads
        ]
        return shoe_of(payloads)

    return make


def given(to: str, first: str) -> Make:
    """The second coup's right hand goes to somebody; the first coup's lost or won."""

    def make() -> Shoe:
        felt = play(table(), f"p7 right 500, p8 right 500 | {first}; 2 4; 6 K")
        felt = opened(felt, "p7 right 500, p8 right 500")
        payloads = list(felt.payloads)
        at = next(
            n for n, payload in enumerate(payloads)
            if isinstance(payload, bank_ev.HandGiven)
            and (payload.coup, payload.hand) == (2, "right")
        )  # fmt: skip
        payloads[at] = bank_ev.HandGiven(2, "right", to)
        again = Felt.__new__(Felt)
        again.payloads, again.shoe = [], Shoe("shoe/test")
        again.put(*payloads)
        return finish(deal(again, "3 4; 2 4; 9 K")).shoe

    return make


def withheld(hands: str, right: int) -> Make:
    """A hand asks for a card and has none: the right is called so, the left 6, the banker 7."""

    def make() -> Shoe:
        felt = deal(opened(table(UNRULED), "p7 right 500"), hands)
        felt.put(*(ev.CardTurned(1, hand, nth) for hand in ROUND for nth in (1, 2)))
        totals = (
            bank_ev.HandTotal("right", right),
            bank_ev.HandTotal("left", 6),
            bank_ev.HandTotal("banker", 7),
        )
        felt.put(bank_ev.HandsCalled(1, totals), ev.BetTaken(1, 1, 500), ev.CoupClosed(1))
        return felt.shoe

    return make


def made_up(added: int, rest: int = 0) -> Make:
    """p7 wins 20000 but a rest; p11 adds so much, and a coup is played for it."""

    def make() -> Shoe:
        felt = play(table(), f"p7 right {20_000 - rest} | 9 K; 9 Q; 3 4")
        felt.put(*([bank_ev.BankRaised("p11", added)] if added else []), ev.CoupOpened(2))
        felt.put(bank_ev.BankCalled(2, rest + added), ev.BetPlaced(2, 1, "p7", "right", 500, 7))
        felt.put(ev.NoMoreBets(2)).due(bank_ev.HandGiven)
        return finish(deal(felt, "3 4; 2 4; 9 K")).shoe

    return make


def unlimited(by: str, staked: int = 21_000) -> Make:
    """So much is staked against 20000, and somebody takes it all on."""

    def make() -> Shoe:
        felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000))
        felt.put(ev.BetPlaced(1, 1, "p7", "right", staked, 7), bank_ev.BankUnlimited(by, 1))
        more = (
            [bank_ev.BankRaised(by, staked - 20_000, 1)] if by == "p11" and staked > 20_000 else []
        )
        felt.put(*more, ev.NoMoreBets(1))
        return finish(deal(felt.due(bank_ev.HandGiven), "3 4; 2 4; 9 K")).shoe

    return make


def newcomer(to: str) -> Make:
    """p5 loses the left hand; p4 leaves, and p12 sits down in his place, beside p5's."""

    def make() -> Shoe:
        felt = play(table(), "p7 right 500, p5 left 500 | 3 4; K K +2; 6 K")
        felt.put(ev.PatronLeft("p4"), ev.PatronSeated(4, "p12"), ev.CoupOpened(2)).due(
            bank_ev.BankCalled
        )
        felt.put(ev.BetPlaced(2, 1, "p7", "right", 500, 7), ev.NoMoreBets(2))
        felt.put(bank_ev.HandGiven(2, "right", "p7"), bank_ev.HandGiven(2, "left", to))
        return finish(deal(felt, "3 4; 2 4; 9 K")).shoe

    return make


def false_draw(hands: str, *then: ev.Event) -> Make:
    """A draw that nobody had a right to voids the first coup of p11's bank; a coup follows."""

    def make() -> Shoe:
        felt = deal(opened(table(FRANCE), "p7 right 500, p5 left 500"), hands)
        felt.put(ev.IrregularityNoted("wrong-draw", "void", 1, "sue"))
        felt.put(ev.CoupVoided(1, "a false draw"), *then)
        return play(felt, "p7 right 500, p5 left 500 | 3 4; 2 4; 9 K").shoe

    return make


def void_after(*numbers: int, left: int = 0) -> Make:
    """p7 and p8 won 500 each on a natural of the right, p5 lay 500 on the left; then it is void.

    These bets were paid before; so much is paid to p5.
    """

    def make() -> Shoe:
        felt = opened(table(), "p7 right 500, p8 right 500, p5 left 500")
        felt = deal(felt, "9 K; 2 3 =; 3 4", at_once=False)
        felt.put(*(ev.BetPaid(1, number, 500) for number in numbers))
        felt.put(*([ev.BetPaid(1, 3, left)] if left else []))
        felt.put(ev.IrregularityNoted("other", "void", 1, "sue", "the lights go out"))
        return felt.put(ev.CoupVoided(1, "the lights went out", "sue")).shoe

    return make


def void_between(*carried: ev.Event) -> Make:
    """p7's 1000 à cheval was split, the second coup is void; the third is dealt after these."""

    def make() -> Shoe:
        felt = play(table(), "p7 cheval 1000 | 9 K; 2 4; 8 K")
        felt.put(ev.CoupOpened(2), ev.IrregularityNoted("other", "void", 2, "sue"))
        felt.put(ev.CoupVoided(2, "alarm", "sue"), ev.CoupOpened(3), bank_ev.BankCalled(3, 20_000))
        felt.put(*carried, ev.BetPlaced(3, 2, "p8", "right", 500, 8), ev.NoMoreBets(3))
        return finish(deal(felt.due(bank_ev.HandGiven), "3 4; 2 4; 9 K")).shoe

    return make


PASSED = (
    bank_ev.BankWithdrawn("p11", 20_000),
    ev.ShoePassed("p11", "ruling"),
    ev.ShoeOffered("p7"),
    ev.ShoeRefused("p7"),
    ev.ShoeOffered("p5"),
    ev.ShoeRefused("p5"),
    ev.ShoeOffered("p8"),
    ev.ShoeTaken("p8"),
    ev.PatronMoved("p8", 6),
    bank_ev.BankPosted("p8", 20_000),
)
"""p8 has the bank after p11, who sat between the tableaux, and sits in p8's place now."""


def retires(split: str, *, voided: bool = False) -> Make:
    """p7 stakes 1000 à cheval, or the coup is void; then p11 retires, and p8 continues."""

    def make() -> Shoe:
        felt = table()
        if voided:
            felt = opened(felt, "p7 cheval 1000")
            felt.put(ev.CoupVoided(1, "alarm", "boss"))
        else:
            play(felt, f"p7 cheval 1000 | {split}")
        assert felt.shoe.bank is not None
        amount = felt.shoe.bank.amount
        felt.put(bank_ev.BankWithdrawn("p11", amount), ev.ShoePassed("p11", "chosen"))
        felt.put(ev.ShoeOffered("p7", amount), ev.ShoeTaken("p7"), ev.PatronMoved("p7", 6))
        return felt.put(bank_ev.BankPosted("p7", amount)).shoe

    return make


def ended_void() -> Shoe:
    """p11's first coup is void, and the shoe is taken away."""
    felt = opened(table(), "p7 cheval 1000")
    felt.put(ev.IrregularityNoted("other", "void", 1, "boss"), ev.CoupVoided(1, "alarm", "boss"))
    return felt.put(bank_ev.BankWithdrawn("p11", 20_000), ev.ShoeEnded(reason="closing")).shoe


def short(paid: int) -> Make:
    """An open bank of 100000 that nobody declared open: both tableaux of 80000 win, one is paid."""

    def make() -> Shoe:
        payloads = [
            payload for payload in table(OPEN, amount=100_000).payloads if not _declared(payload)
        ]
        felt = Felt.__new__(Felt)
        felt.payloads, felt.shoe = [], Shoe("shoe/test")
        felt.put(*payloads, ev.CoupOpened(1), bank_ev.BankCalled(1, 100_000))
        felt.put(ev.BetPlaced(1, 1, "p7", "right", 80_000, 7))
        felt.put(ev.BetPlaced(1, 2, "p5", "left", 80_000, 5))
        felt.put(bank_ev.BankRaised("p11", 60_000, 1), ev.NoMoreBets(1)).due(bank_ev.HandGiven)
        felt = deal(felt, "9 K; 8 K; 3 4").due(ev.CardTurned, bank_ev.HandsCalled)
        return finish(felt.put(ev.BetPaid(1, 1, 80_000), ev.BetPaid(1, 2, paid))).shoe

    return make


def lacking(rest: int) -> Make:
    """A bank of 20000: p5 and p4 win 15000 each on a natural of the left; p7 loses 18000.

    p5 has 15000 at once and p4 5000; of what p7 lost p4 is paid so much.
    """

    def make() -> Shoe:
        felt = opened(table(), "p7 right 18000, p5 left 15000, p4 left 15000")
        felt = deal(felt, "2 K +K; 9 K; 3 2").due(ev.CardTurned, bank_ev.HandsCalled, ev.BetTaken)
        felt.put(*([ev.BetPaid(1, 3, rest)] if rest else []), ev.CoupClosed(1))
        return felt.shoe

    return make


def _declared(payload: ev.Event) -> bool:
    return isinstance(payload, bank_ev.BankUnlimited)


def third(cards: str, *, bets: str = "p7 right 500, p5 left 500") -> Make:
    """A coup of these hands."""
    return coups(f"{bets} | {cards}", pack=UNRULED)


def paid(*numbers: int) -> Make:
    """Bets 1 (right, first in rotation) and 2 (left) are paid in this order."""

    def make() -> Shoe:
        felt = deal(opened(table(), "p7 right 500, p5 left 500"), "9 K; 8 K; 3 4")
        felt.due(ev.CardTurned, bank_ev.HandsCalled)
        return finish(felt.put(*(ev.BetPaid(1, number, 500) for number in numbers))).shoe

    return make


def frozen(*payloads: ev.Event) -> Make:
    """p7's 1000 à cheval was split; then these events, and p8's 500 on the right."""

    def make() -> Shoe:
        felt = play(table(), "p7 cheval 1000 | 9 K; 2 4; 8 K")
        felt.put(ev.CoupOpened(2), bank_ev.BankCalled(2, 20_000))
        felt.put(ev.BetCarried(2, 1, "p7", "cheval", 1000, 7), *payloads)
        felt.put(ev.BetPlaced(2, 2, "p8", "right", 500, 8), ev.NoMoreBets(2)).due(bank_ev.HandGiven)
        return finish(deal(felt, "3 4; 2 4; 9 K")).shoe

    return make


def carried(after: str) -> Make:
    """p7's 1000 on the right is carried into the second coup, whatever it came to."""

    def make() -> Shoe:
        felt = play(table(), f"p7 right 1000 | {after}; 2 4; 9 K")
        called_at = felt.shoe.bank.amount if felt.shoe.bank is not None else 0
        felt.put(ev.CoupOpened(2), bank_ev.BankCalled(2, called_at))
        felt.put(ev.BetCarried(2, 1, "p7", "right", 1000, 7), ev.NoMoreBets(2)).due(
            bank_ev.HandGiven
        )
        return finish(deal(felt, "3 4; 2 4; 9 K")).shoe

    return make


def limited(*payloads: ev.Event) -> Make:
    """These stakes, and what else, against p11's 20000, and no more bets; the banker wins."""

    def make() -> Shoe:
        felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000), *payloads)
        felt.put(ev.NoMoreBets(1)).due(bank_ev.HandGiven)
        return finish(deal(felt, "3 4; 2 4; 9 K")).shoe

    return make


def stakes(*bets: tuple[str, int]) -> tuple[ev.Event, ...]:
    """Stakes of those who sit on the right, and of x, who stands."""
    return tuple(
        ev.BetPlaced(1, n, who, "right", amount, int(who[1:]) if who != "x" else None)
        for n, (who, amount) in enumerate(bets, 1)
    )


def nobodys(*lacks: type, called: int | None = None, begun: int = 1) -> Make:
    """p7 wins 500, twice; the record lacks these events, and all before this coup was opened."""

    def make() -> Shoe:
        felt = table()
        for _ in range(2):
            play(felt, "p7 right 500 | 9 K; 2 4; 3 4")
        payloads = list(felt.payloads)
        at = next(
            n for n, x in enumerate(payloads) if isinstance(x, ev.CoupOpened) and x.coup == begun
        )
        payloads = [payloads[0], *(payloads[at:] if begun > 1 else payloads[1:])]
        return shoe_of(
            replace(x, amount=called)
            if isinstance(x, bank_ev.BankCalled) and called is not None
            else x
            for x in payloads
            if type(x) not in lacks
        )

    return make


NO_BANK = (bank_ev.BankBid, ev.ShoeOffered, ev.ShoeTaken, ev.PatronMoved, bank_ev.BankPosted)
"""The events by which a bank comes to be."""


def uncovered(*, raised: bool) -> Make:
    """The bank of 20000 has no limit; 20100 is staked, and covered or not."""

    def make() -> Shoe:
        felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000))
        felt.put(ev.BetPlaced(1, 1, "p7", "right", 20_100, 7), bank_ev.BankUnlimited("p11", 1))
        felt.put(*([bank_ev.BankRaised("p11", 100, 1)] if raised else []), ev.NoMoreBets(1))
        return finish(deal(felt.due(bank_ev.HandGiven), "3 4; 2 4; 9 K")).shoe

    return make


def awarded(
    *payloads: ev.Event, pack: str = "banque", amount: int = 20_000, by: str = "p11"
) -> Make:
    """The first bank, after these events; all that is not said is as it is due."""
    return lambda: bank(Felt(pack, seats=SEATS).put(*payloads), by, amount).shoe


BID = bank_ev.BankBid("p11", 20_000)
TAKEN = (ev.ShoeOffered("p11", 20_000), ev.ShoeTaken("p11"))
MOVED = ev.PatronMoved("p11", 6)
POSTED = bank_ev.BankPosted("p11", 20_000)
CUT = (ev.CutterNamed("p11", "p1"), ev.ShoeCut("p1", 60))
CALLED = bank_ev.SessionCalled("2026-01-01", 1, 1)
LISTED = (bank_ev.BankListed("p11"), ev.ShoeOffered("p11"), ev.ShoeTaken("p11"), MOVED)


def proven(amount: int) -> Make:
    """A bank of 100000, and so much proved."""
    funds = bank_ev.FundsProven("p11", amount)
    payloads = (CALLED, *LISTED, funds, bank_ev.BankPosted("p11", 100_000))
    return lambda: Felt(OPEN, seats=SEATS).put(*payloads).shoe


def retired(*, match: int) -> Make:
    """p11 retires with 20500, and p8 continues at so much."""

    def make() -> Shoe:
        felt = play(table(), "p7 right 500 | 3 4; 2 4; 9 K")
        felt.put(bank_ev.BankWithdrawn("p11", 20_500)).due(ev.ShoePassed)
        while (
            isinstance(offer := next_action(felt.shoe).payload, ev.ShoeOffered) and offer.to != "p8"
        ):
            felt.put(offer, ev.ShoeRefused(offer.to))
        felt.put(ev.ShoeOffered("p8", 20_500), ev.ShoeTaken("p8"), ev.PatronMoved("p8", 6))
        return felt.put(bank_ev.BankPosted("p8", match)).shoe

    return make


LOSES = "banco p7 | 3 4; 2 4; 9 K"
TIES = "p7 right 500, p5 left 500"

TABLEAU_CASES: list[tuple[str, int | None, Make, Make]] = [
    # what every hand obeys
    ("draw-on-mandatory-stand", 1, third("3 3 +2; 2 4; 7 K"), third("2 3 +2; 2 4; 7 K")),
    ("draw-on-mandatory-stand", 1, third("3 4; 2 4; 9 K +2"), third("3 4; 2 4; 6 K +2")),
    ("stand-on-mandatory-draw", 1, third("3 A =; 2 4; 7 K"), third("3 2 =; 2 4; 7 K")),
    ("unrequested-third-card", 1, third("2 3 !2; 2 4; 7 K"), third("2 3 +2; 2 4; 7 K")),
    ("unrequested-third-card", 1, third("3 4; 2 4; 6 K !2"), third("3 4; 2 4; 6 K +2")),
    ("decision-by-wrong-player", 1, chose("p7"), chose("p5")),
    ("requested-card-not-dealt", 1, withheld("2 3 ?; 2 4; 7 K", 5), third("2 3 +2; 2 4; 7 K")),
    ("requested-card-not-dealt", 1, withheld("2 3; 2 4; 7 K ?", 5), third("2 3; 2 4; 7 K +2")),
    # on 6 a tableau may not ask: it is right that it has none
    (
        "request-on-mandatory-stand",
        1,
        withheld("2 4 ?; 2 4; 7 K", 6),
        withheld("2 4; 2 4; 7 K", 6),
    ),
    # p7 plays the right; he keeps it while he wins, and loses it to p8
    ("wrong-player-for-hand", 2, given("p8", "3 4"), given("p7", "3 4")),
    ("wrong-player-for-hand", 2, given("p7", "K K +2"), given("p8", "K K +2")),
    # p5 lost the left hand and p4's place is another's since: the place beside his has it
    ("wrong-player-for-hand", 2, newcomer("p3"), newcomer("p12")),
    # their own
    (
        "tableaux-out-of-turn",
        1,
        order("left", "right", "banker", *ROUND),
        order(*ROUND, *ROUND),
    ),
    ("miscalled-tableau", 1, called(8), called(7)),
    ("unpaid-tableau-natural", 1, natural(at_once=False), natural(at_once=True)),
    # stakes
    (
        "miscalled-bank",
        1,
        recalled(20_001),
        recalled(20_000),
    ),
    (
        "banker-stake-against-own-bank",
        1,
        coups("p11 right 500, p5 left 500 | 3 4; 2 4; 9 K"),
        coups("p10 right 500, p5 left 500 | 3 4; 2 4; 9 K"),
    ),
    ("stakes-beyond-bank", 1, uncovered(raised=False), uncovered(raised=True)),
    # p7 and p5 claim from opposite sides: a half each, and p8 comes after p7
    (
        "stake-beside-banco",
        1,
        lambda: _gone_bank((("p7", "right", 20_000),)),
        lambda: _gone_bank((("p7", "right", 10_000), ("p5", "left", 10_000))),
    ),
    (
        "stake-beside-banco",
        1,
        lambda: _gone_bank((("p8", "right", 10_000), ("p5", "left", 10_000)), "p8"),
        coups("banco p7, banco p8, banco p5 | 3 4; 2 4; 9 K"),
    ),
    (
        "unjustified-banco",
        1,
        coups("banco p7, banco p11 | 3 4; 2 4; 9 K"),
        coups("banco p7, banco p10 | 3 4; 2 4; 9 K"),
    ),
    (
        "unjustified-banco",
        1,
        coups("banco p7 left | 3 4; 2 4; 9 K"),
        coups("banco p7 both | 3 4; 2 4; 9 K"),
    ),
    ("fourth-banco", 4, coups(*[LOSES] * 4), coups(*[LOSES] * 3)),
    (
        "fourth-banco",
        4,
        coups(*[LOSES] * 4),
        # a stake of his own between them, and it is no fourth in a row
        coups(*[LOSES] * 3, "p7 right 500 | 3 4; 2 4; 9 K", LOSES),
    ),
    ("held-stake-taken-up", 2, frozen(ev.BetWithdrawn(2, 1)), frozen()),
    ("carried-stake-not-held", 2, carried("3 4"), carried("9 K")),
    (
        "stake-not-whole-units",
        1,
        coups("p7 right 550, p5 left 500 | 3 4; 2 4; 9 K", pack=OPEN, amount=100_000),
        coups("p7 right 600, p5 left 500 | 3 4; 2 4; 9 K", pack=OPEN, amount=100_000),
    ),
    (
        "stake-not-whole-units",
        1,
        coups("p7 cheval 700, p5 left 500 | 9 K; 9 Q; 8 K", pack=OPEN, amount=100_000),
        coups("p7 cheval 800, p5 left 500 | 9 K; 9 Q; 8 K", pack=OPEN, amount=100_000),
    ),
    (
        "stake-on-wrong-tableau",
        1,
        coups("p7 left 500 | 3 4; 2 4; 9 K"),
        coups("p7 cheval 500 | 3 4; 2 4; 9 K"),
    ),
    ("payment-out-of-rotation", 1, paid(2, 1), paid(1, 2)),
    # the bank
    (
        "wrong-first-bank-award",
        None,
        awarded(bank_ev.BankBid("p7", 21_000), BID, *TAKEN),
        awarded(bank_ev.BankBid("p7", 19_000), BID, *TAKEN),
    ),
    (
        "wrong-first-bank-award",
        None,
        awarded(bank_ev.BankListed("p7"), *LISTED, pack="banque-list"),
        awarded(*LISTED[:1], bank_ev.BankListed("p7"), *LISTED[1:], pack="banque-list"),
    ),
    (
        "bank-below-bid",
        None,
        awarded(bank_ev.BankBid("p11", 20_001), amount=20_000),
        awarded(BID),
    ),
    (
        "banker-out-of-place",
        None,
        lambda: Felt("banque", seats=SEATS).put(BID, *TAKEN, POSTED).shoe,
        lambda: Felt("banque", seats=SEATS).put(BID, *TAKEN, MOVED, POSTED).shoe,
    ),
    # split, so that 1000 à cheval stays; lost on both, so that nothing does
    ("premature-bank-withdrawal", None, retires("9 K; 2 4; 8 K"), retires("3 4; 2 4; 8 K")),
    # a coup that was ruled void is none that he dealt
    ("premature-bank-withdrawal", None, retires("", voided=True), retires("3 4; 2 4; 8 K")),
    # the shoe is over: nothing more can be dealt for his bank
    ("premature-bank-withdrawal", None, retires("", voided=True), ended_void),
    ("play-on-broken-bank", 2, made_up(19_999), made_up(20_000)),
    # a rest of 300 is below the least stake of 500
    ("play-on-broken-bank", 2, made_up(0, rest=300), made_up(0, rest=500)),
    # the seated leave 500 of 20000; x stakes behind them, or before
    (
        "bystander-stake-before-seated",
        1,
        limited(*stakes(("p7", 19_500), ("x", 600))),
        limited(*stakes(("p7", 19_500), ("x", 500))),
    ),
    (
        "bystander-stake-before-seated",
        1,
        limited(*stakes(("x", 600), ("p7", 19_500))),
        limited(*stakes(("x", 600), ("p7", 19_500)), bank_ev.ExcessReturned(1, 1, 100)),
    ),
    # 100 lies beyond the bank, and is x's: of the seated nothing goes back, of x no more than that
    *(
        (
            "excess-returned-out-of-order",
            1,
            limited(*stakes(("x", 600), ("p7", 19_500)), *back),
            limited(*stakes(("x", 600), ("p7", 19_500)), bank_ev.ExcessReturned(1, 1, 100)),
        )
        for back in (
            (bank_ev.ExcessReturned(1, 2, 100),),
            (bank_ev.ExcessReturned(1, 1, 101),),
            (bank_ev.ExcessReturned(1, 1, 100), bank_ev.ExcessReturned(1, 1, 1)),
        )
    ),
    # x had his back while there was too much there: what p7 takes down afterwards undoes nothing
    (
        "excess-returned-out-of-order",
        1,
        limited(
            *stakes(("x", 600), ("p7", 19_500)),
            ev.BetChanged(1, 2, 19_400),
            bank_ev.ExcessReturned(1, 1, 100),
        ),
        limited(
            *stakes(("x", 600), ("p7", 19_500)),
            bank_ev.ExcessReturned(1, 1, 100),
            ev.BetChanged(1, 2, 19_400),
        ),
    ),
    # the seated alone may stake beyond the bank: it pays as far as it reaches
    (
        "bystander-stake-before-seated",
        1,
        limited(*stakes(("p7", 19_500), ("p8", 600), ("x", 500))),
        limited(*stakes(("p7", 19_500), ("p8", 1100))),
    ),
    (
        "mid-coup-bank-raise",
        1,
        limited(*stakes(("p7", 21_000)), bank_ev.BankRaised("p11", 1000, 1)),
        limited(*stakes(("p7", 21_000))),
    ),
    ("coup-without-bank", 1, nobodys(*NO_BANK, called=0), nobodys()),
    ("coup-without-bank", 1, nobodys(*NO_BANK), nobodys()),
    # nobody but the banker can take on all stakes: the bank stays limited
    ("unmatched-event", None, unlimited("p7"), unlimited("p11")),
    (
        "open-bank-without-excess",
        None,
        unlimited("p11", 20_000),
        unlimited("p11", 20_001),
    ),
    # no bank of chemin de fer holds more than lies in it
    (
        "open-bank-without-excess",
        None,
        lambda: (
            bank_cases.table()
            .put(bank_ev.BankUnlimited("p1"))
            .coup("p2 player 500 | P 4 2  B K 9")
            .shoe
        ),
        unlimited("p11"),
    ),
    # a bid that comes once the bank was given away
    (
        "wrong-first-bank-award",
        None,
        awarded(BID, bank_ev.BankBid("p7", 21_000), *TAKEN),
        awarded(BID, *TAKEN, bank_ev.BankBid("p7", 21_000)),
    ),
    # the banker draws after two naturals
    (
        "shoe-kept-after-wrong-draw",
        1,
        false_draw("9 K; 8 K; 3 4 !2"),
        false_draw("9 K; 8 K; 3 4 !2", *PASSED),
    ),
    # on 6 the left had no choice: that is no fault of who deals
    (
        "shoe-kept-after-wrong-draw",
        1,
        false_draw("3 4; 2 4 !2; 3 4"),
        false_draw("3 4; 2 4 +2; 3 4"),
    ),
    # a natural that was paid at once stands: one of two that was not paid lacks his money
    ("voided-bet-settled", 1, void_after(1), void_after(1, 2)),
    ("voided-bet-settled", 1, void_after(1, 2, left=500), void_after()),
    # what was frozen lies there still after a coup that was void
    (
        "held-stake-taken-up",
        3,
        void_between(),
        void_between(ev.BetCarried(3, 1, "p7", "cheval", 1000, 7)),
    ),
    ("wrong-payout", 1, lacking(0), lacking(10_000)),
    ("wrong-payout", 1, short(20_000), short(80_000)),
    ("wrong-bank-amount", None, retired(match=20_501), retired(match=20_500)),
    ("bank-beyond-proven-funds", None, proven(99_999), proven(100_000)),
    (
        "excess-sessions",
        None,
        awarded(bank_ev.SessionCalled("2026-01-01", 3, 1), pack=OPEN, amount=100_000),
        awarded(bank_ev.SessionCalled("2026-01-01", 2, 2), pack=OPEN, amount=100_000),
    ),
    (
        "excess-sessions",
        None,
        awarded(bank_ev.SessionCalled("2026-01-01", 1, 3), pack=OPEN, amount=100_000),
        awarded(bank_ev.SessionCalled("2026-01-01", 1, 2), pack=OPEN, amount=100_000),
    ),
    (
        "shuffle-after-banker",
        None,
        awarded(
            BID, *TAKEN, MOVED, POSTED, ev.ShoeShuffled("p11"), ev.ShoeShuffled("dealer"), *CUT
        ),
        awarded(BID, *TAKEN, MOVED, POSTED, ev.ShoeShuffled("dealer"), ev.ShoeShuffled("p11")),
    ),
    (
        "wrong-cutter",
        None,
        lambda: _cut_by("p2"),
        lambda: _cut_by("p1"),
    ),
    (
        "wrong-cutter",
        None,
        lambda: _cut_by("p1", named_by="p2"),
        lambda: _cut_by("p1", named_by="p11"),
    ),
]


def _gone_bank(stakes: tuple[tuple[str, str, int], ...], *more: str) -> Shoe:
    """p7, p5 and others claim; this is what lies there then."""
    claims = [bank_ev.BancoCalled(1, who) for who in ("p7", "p5", *more)]
    felt = table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 20_000), *claims)
    for number, (who, wager, amount) in enumerate(stakes, 1):
        felt.put(ev.BetPlaced(1, number, who, wager, amount, int(who[1:])))
    felt.put(ev.NoMoreBets(1))
    given = {"right": "p7", "left": "p5"}
    felt.put(*(bank_ev.HandGiven(1, tableau, who) for tableau, who in given.items()))  # type: ignore[arg-type]
    return finish(deal(felt, "3 4; 2 4; 9 K")).shoe


def _cut_by(who: str, named_by: str = "p11") -> Shoe:
    felt = Felt("banque", seats=SEATS).put(BID, *TAKEN, MOVED, POSTED, ev.ShoeShuffled("dealer"))
    return felt.put(ev.CutterNamed(named_by, "p1"), ev.ShoeCut(who, 60)).shoe
