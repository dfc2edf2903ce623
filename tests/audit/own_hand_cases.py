"""Shoes of macao and victoria that break each of their rules, and shoes that nearly do."""

from collections.abc import Callable

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.procedure.dealing_order import next_action
from sabot.domain.state.shoe import Shoe
from tests.support.coup_notation import Felt
from tests.support.own_hand_coups import deal, finish, hands, play, table

Make = Callable[[], Shoe]


def coup(line: str, pack: str = "macao-old", limits: int | None = None) -> Make:
    """A coup against p3, who banks 2000; stakes may be as high as ``limits``."""

    def make() -> Shoe:
        felt = table(pack)
        if limits is not None:
            felt.put(ev.LimitsChanged((ev.Limit(500, limits),)))
        return play(felt, line).shoe

    return make


def called(more: int) -> Make:
    """The hand at seat 1, an eight, called so much higher; the rest as it is due."""

    def make() -> Shoe:
        felt = deal(table(), "1 500 | 1: 8; B: 7")
        while not isinstance(due := next_action(felt.shoe).payload, bank_ev.HandsCalled):
            felt.put(due)
        totals = (replace(due.totals[0], total=8 + more), *due.totals[1:])
        return finish(felt.put(bank_ev.HandsCalled(1, totals))).shoe

    return make


def chosen(by: str) -> Make:
    """Somebody draws for the hand at seat 1."""

    def make() -> Shoe:
        felt = deal(table(), "1 500 | 1: 3; B: 7")
        # the hand stood by itself; the coup is dealt anew up to there
        felt = Felt(felt.shoe.pack_text, 2, seats=_SEATS).put(*felt.payloads[1:-2])
        felt.put(bank_ev.ChoiceMade(1, "patron", "stand", by, 1))
        return finish(felt).shoe

    return make


_SEATS = tuple(ev.Seat(n, f"p{n}") for n in range(1, 4))


def staked(seat: int | None) -> Make:
    """p1 stakes beside p2, on the hand of some seat."""

    def make() -> Shoe:
        felt = table().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p2", "hand", 500, 2))
        felt.put(ev.BetPlaced(1, 2, "p1", "hand", 500, seat), ev.NoMoreBets(1))
        hands(felt, "2: 7; 1: 5; B: 8" if seat == 1 else "2: 7; B: 8")
        while (due := next_action(felt.shoe)).expects in ("turn", "call"):
            assert due.payload is not None
            felt.put(due.payload)
        return felt.put(ev.BetTaken(1, 1, 500), ev.BetTaken(1, 2, 500), ev.CoupClosed(1)).shoe

    return make


def given_up(cards: int) -> Make:
    """The bank is given up once so many cards have left the pack; three hands have 4 each left."""

    def make() -> Shoe:
        felt = table().put(*[ev.CardBurned(reason="other") for _ in range(cards)])
        return felt.put(bank_ev.BankWithdrawn("p3", 200_000), ev.ShoePassed("p3", "chosen")).shoe

    return make


def heir(who: str) -> Make:
    """The pack is dealt out, and the next bank is somebody's."""
    return lambda: (
        Felt("macao-old", seats=_SEATS).ready().put(ev.ShoeOffered(who), ev.ShoeTaken(who)).shoe
    )


def bank_of(amount: int) -> Make:
    """A bank of so much."""
    return lambda: play(table(bank=amount), "1 500 | 1: 8; B: 7").shoe


OWN_HAND_CASES: list[tuple[str, int | None, Make, Make]] = [
    (
        "unrequested-card",
        1,
        coup("1 500 | 1: 3 !4; B: 7"),
        coup("1 500 | 1: 3 +4; B: 7"),
    ),
    (
        "unrequested-card",
        1,
        coup("1 500 | 1: 3 +4 = !2; B: 7"),
        coup("1 500 | 1: 3 +4 +2; B: 7"),
    ),
    (
        "unrequested-card",
        1,
        coup("1 500 | 1: 3 +4; B: 7 !A"),
        # the card after one that was rejected was asked for once
        coup("1 500 | 1: 3 +K- !4; B: 7"),
    ),
    (
        "requested-card-not-dealt",
        1,
        lambda: _short("?"),
        lambda: _short("+2"),
    ),
    (
        "card-beyond-hand-end",
        1,
        coup("1 500 | 1: 3 +4 = +2; B: 7"),
        coup("1 500 | 1: 3 +4 +2 =; B: 7"),
    ),
    (
        "card-beyond-hand-end",
        1,
        coup("1 500 | 1: 8 +4 +2; B: 7"),
        coup("1 500 | 1: 8 +A +2; B: 7"),
    ),
    (
        "card-beyond-hand-end",
        1,
        coup("1 500 | 1: 3 +4 +2; B: 7", "macao-later"),
        # a rejected card is not one of those that it may have
        coup("1 500 | 1: 3 +K- !4; B: 7", "macao-later"),
    ),
    (
        "card-rejection-not-permitted",
        1,
        coup("1 500 | 1: 3 +9- !4; B: 7"),
        coup("1 500 | 1: 3 +T- !4; B: 7"),
    ),
    (
        "card-rejection-not-permitted",
        1,
        lambda: _first_rejected(again=False),
        lambda: _first_rejected(again=True),
    ),
    (
        "hand-out-of-turn",
        1,
        coup("1 500, 2 500 | 1: 6; 2: 7; B: 8"),
        coup("1 500, 2 500 | 2: 7; 1: 6; B: 8"),
    ),
    (
        "hand-out-of-turn",
        1,
        lambda: _banker_first(turned=True),
        lambda: _banker_first(turned=False),
    ),
    ("hand-played-by-wrong-player", 1, chosen("p2"), chosen("p1")),
    ("miscalled-hand", 1, called(1), called(0)),
    ("stake-without-hand", 1, staked(None), staked(1)),
    ("bank-given-up-early", None, given_up(92), given_up(93)),
    ("bank-not-passed-left", None, heir("p2"), heir("p3")),
    ("bank-below-minimum", None, bank_of(199_999), bank_of(200_000)),
    # the rules of every patron's bank hold here too
    (
        "stakes-beyond-bank",
        1,
        coup("2 100001, 1 100000 | 2: 7; 1: 6; B: 8", limits=100_001),
        coup("2 100000, 1 100000 | 2: 7; 1: 6; B: 8"),
    ),
    (
        "chip-balance-mismatch",
        None,
        lambda: play(table(), "1 500 | 1: 6; B: 8").put(ev.ShoePassed("p3", "left")).shoe,
        lambda: (
            play(table(), "1 500 | 1: 6; B: 8")
            .put(bank_ev.BankWithdrawn("p3", 200_500), ev.ShoePassed("p3", "left"))
            .shoe
        ),
    ),
]


def _short(word: str) -> Shoe:
    """The hand at seat 1 asks for a card, and gets it or not; the hands are called."""
    felt = deal(table(), f"1 500 | 1: 7 {word}; B: 8 =")
    if felt.shoe.coups[1].hand("patron", 1) == ["7"]:
        felt.put(ev.CardTurned(1, "patron", 1, 1), ev.CardTurned(1, "banker", 1))
        felt.put(
            bank_ev.HandsCalled(
                1, (bank_ev.HandTotal("patron", 7, 1), bank_ev.HandTotal("banker", 8))
            )
        )
    return finish(felt).shoe


def _first_rejected(*, again: bool) -> Shoe:
    """A king dealt at first is rejected, or one that was drawn."""
    felt = deal(table(), "1 500 | 1: K +K; B: 7") if again else deal(table(), "1 500 | 1: K; B: 7")
    felt = Felt(felt.shoe.pack_text, 2, seats=_SEATS).put(*felt.payloads[1:-2])
    place = len(felt.shoe.left) + 1
    felt.put(bank_ev.CardRejected(1, "patron", 1), ev.CardDrawn(1, "patron", "6", place, seat=1))
    return finish(felt).shoe


def _banker_first(*, turned: bool) -> Shoe:
    """The banker draws before the hand at seat 1 has stood, or after it."""
    felt = table().put(ev.CoupOpened(1), ev.BetPlaced(1, 1, "p1", "hand", 500, 1), ev.NoMoreBets(1))
    felt.put(ev.CardDrawn(1, "patron", "7", 1, seat=1), ev.CardDrawn(1, "banker", "2", 2))
    stands = bank_ev.ChoiceMade(1, "patron", "stand", "p1", 1)
    draws = (bank_ev.ChoiceMade(1, "banker", "draw", "p3"), ev.CardDrawn(1, "banker", "6", 3))
    return finish(felt.put(*draws, stands) if turned else felt.put(stands, *draws)).shoe
