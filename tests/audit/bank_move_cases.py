"""Shoes of every game with a patron's bank in which another moved it, or a step was left out."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from sabot.domain import events as ev
from sabot.domain.events import bank as bank_ev
from sabot.domain.state.shoe import Shoe
from tests.audit import bank_cases
from tests.support.coup_notation import Felt, shoe_of
from tests.support.own_hand_coups import play as play_hands
from tests.support.own_hand_coups import table as table_of_hands
from tests.support.tableaux_coups import SEATS, deal, finish, opened
from tests.support.tableaux_coups import play as play_tableaux
from tests.support.tableaux_coups import table as table_of_tableaux

Make = Callable[[], Shoe]


def chemin(pack: str = "chemin-de-fer") -> Felt:
    """p1's bank of 10000 wins 6000 of p2, twice but for the second coup's 500."""
    felt = bank_cases.table(pack=pack).coup("p2 player 6000 | P 4 2  B K 9")
    return felt.coup("p2 player 500 | P 4 2  B K 9")


def banque(pack: str = "banque", amount: int = 20_000) -> Felt:
    """p11's bank wins 500 of p7, twice."""
    felt = table_of_tableaux(pack, amount=amount)
    for _ in range(2):
        play_tableaux(felt, "p7 right 500 | 3 4; 2 4; 9 K")
    return felt


def own_hands(pack: str = "macao-old") -> Felt:
    """p3's bank of 200000 wins 500 of p1, twice."""
    felt = table_of_hands(pack)
    hands = "1: 6; B: 8" if pack == "macao-old" else "1: K 6; B: 8 K"
    for _ in range(2):
        play_hands(felt, f"1 500 | {hands}")
    return felt


def then(felt: Callable[[], Felt], *payloads: ev.Event) -> Make:
    """What follows the second coup."""
    return lambda: felt().put(*payloads).shoe


def told(felt: Callable[[], Felt], kind: type, nth: int, **other: Any) -> Make:
    """An event of a kind (from 0) is told otherwise, or not at all."""

    def make() -> Shoe:
        payloads = felt().payloads
        places = [place for place, payload in enumerate(payloads) if isinstance(payload, kind)]
        at = places[nth]
        payloads[at : at + 1] = [replace(payloads[at], **other)] if other else []
        return shoe_of(payloads)

    return make


def added(*, late: bool) -> Make:
    """12000 is staked against 10000: the banker covers it before no more bets, or after it."""

    def make() -> Shoe:
        felt = bank_cases.table().put(ev.CoupOpened(1), bank_ev.BankCalled(1, 10_000))
        felt.put(ev.BetPlaced(1, 1, "p2", "player", 12_000))
        raised, call = bank_ev.BankRaised("p1", 2000, 1), ev.NoMoreBets(1)
        felt.put(*((call, raised) if late else (raised, call))).due(bank_ev.HandGiven)
        return felt.cards("P 4 2  B K 9").due(ev.Event).shoe

    return make


def in_case_of_loss(stake: int, *payloads: ev.Event) -> Make:
    """p7 wins so much of a bank of 20000; this comes once the hands were called (7, 6 and 6)."""

    def make() -> Shoe:
        felt = opened(table_of_tableaux(), f"p7 right {stake}")
        deal(felt, "3 4; 2 4; 6 K").due(ev.CardTurned, bank_ev.HandsCalled)
        return finish(felt.put(*payloads)).shoe

    return make


def shuffled(*by: str) -> Make:
    """p11 has the first bank, and these shuffle in turn."""
    bid = (bank_ev.BankBid("p11", 20_000), ev.ShoeOffered("p11", 20_000), ev.ShoeTaken("p11"))
    put_up = (ev.PatronMoved("p11", 6), bank_ev.BankPosted("p11", 20_000))
    cut = (ev.CutterNamed("p11", "p1"), ev.ShoeCut("p1", 60))
    return lambda: (
        Felt("banque", seats=SEATS).put(*bid, *put_up, *map(ev.ShoeShuffled, by), *cut).shoe
    )


def called_again(shoe: int) -> Make:
    """The first shoe of a session is called, and then as that shoe of it."""
    payloads = tuple(bank_ev.SessionCalled("2026-01-01", 1, nth) for nth in (1, shoe))
    return lambda: Felt("deux-tableaux-france-open", seats=SEATS).put(*payloads).shoe


def put_up(by: str) -> Make:
    """p3 has the first bank of macao, and somebody puts it up."""
    seats = tuple(ev.Seat(n, f"p{n}") for n in range(1, 4))
    payloads = (ev.ShoeOffered("p3"), ev.ShoeTaken("p3"), bank_ev.BankPosted(by, 200_000))
    return lambda: Felt("macao-old", seats=seats).ready().put(*payloads).shoe


RULED = (bank_ev.BankWithdrawn("p1", 10_000), ev.ShoePassed("p1", "ruling"), *bank_cases.GOES_ON)
ACCEPTED = bank_ev.BankUnlimited("p11", 1)


def open_bank() -> Felt:
    """An open bank of 100000 wins 500 twice; 1.25 %, 6, is levied as ten cents: 100980."""
    return banque("deux-tableaux-france-open", 100_000)


BANK_MOVE_CASES: list[tuple[str, int | None, Make, Make]] = [
    # 10000 and 6000 and 500 won
    (
        "bank-moved-by-wrong-person",
        None,
        then(chemin, bank_ev.BankWithdrawn("p2", 16_500), ev.ShoePassed("p1", "chosen")),
        then(chemin, bank_ev.BankWithdrawn("p1", 16_500), ev.ShoePassed("p1", "chosen")),
    ),
    (
        "bank-moved-by-wrong-person",
        None,
        then(banque, bank_ev.BankWithdrawn("p1", 21_000), ev.ShoePassed("p11", "chosen")),
        then(banque, bank_ev.BankWithdrawn("p11", 21_000), ev.ShoePassed("p11", "chosen")),
    ),
    (
        "bank-moved-by-wrong-person",
        None,
        then(own_hands, bank_ev.BankRaised("p1", 5000)),
        then(own_hands, bank_ev.BankRaised("p3", 5000)),
    ),
    (
        "bank-moved-by-wrong-person",
        None,
        then(lambda: own_hands("victoria"), bank_ev.BankRaised("p1", 5000)),
        then(lambda: own_hands("victoria"), bank_ev.BankRaised("p3", 5000)),
    ),
    # more than lies there of a bank without a limit
    (
        "chip-balance-mismatch",
        None,
        then(open_bank, bank_ev.BankWithdrawn("p11", 100_981), ev.ShoePassed("p11", "chosen")),
        then(open_bank, bank_ev.BankWithdrawn("p11", 100_980), ev.ShoePassed("p11", "chosen")),
    ),
    ("wrong-banker", None, told(chemin, ev.ShoeTaken, 0, by="p4"), then(chemin)),
    ("wrong-banker", None, told(banque, ev.ShoeTaken, 0, by="p1"), then(banque)),
    ("wrong-banker", None, told(own_hands, ev.ShoeTaken, 0, by="p1"), then(own_hands)),
    (
        "wrong-banker",
        None,
        then(banque, bank_ev.BankWithdrawn("p11", 21_000), ev.ShoePassed("p1", "chosen")),
        then(banque, bank_ev.BankWithdrawn("p11", 21_000), ev.ShoePassed("p11", "chosen")),
    ),
    # the bank was p3's, who had taken it: another puts it up, or he does
    ("wrong-banker", None, put_up("p1"), put_up("p3")),
    ("late-bank-raise", 1, added(late=True), added(late=False)),
    (
        "shuffle-after-banker",
        None,
        shuffled("p11", "dealer", "p11", "dealer"),
        # all is shuffled anew, and the banker is the last again
        shuffled("p11", "dealer", "p11"),
    ),
    # the same shoe is called twice: as another, or the same again
    ("excess-sessions", None, called_again(2), called_again(1)),
    # France: Player's false draw costs the banker nothing, and no ruling gives the bank up
    (
        "premature-bank-withdrawal",
        None,
        lambda: bank_cases.false_draw(*RULED, by_player=True),
        lambda: bank_cases.false_draw(*RULED),
    ),
    # what is called, given or turned in one coup, and not in the other
    ("result-not-called", 2, told(banque, bank_ev.HandsCalled, -1), then(banque)),
    ("result-not-called", 1, told(own_hands, bank_ev.HandsCalled, 0), then(own_hands)),
    (
        "result-not-called",
        2,
        told(lambda: own_hands("victoria"), bank_ev.HandsCalled, -1),
        lambda: own_hands("victoria").shoe,
    ),
    ("omitted-coup-step", 2, told(chemin, bank_ev.BankCalled, -1), then(chemin)),
    ("omitted-coup-step", 1, told(chemin, bank_ev.HandGiven, 0), then(chemin)),
    ("omitted-coup-step", 2, told(chemin, ev.CardTurned, -1), then(chemin)),
    ("omitted-coup-step", 2, told(banque, bank_ev.BankCalled, -1), then(banque)),
    ("omitted-coup-step", 2, told(banque, bank_ev.HandGiven, -1), then(banque)),
    ("omitted-coup-step", 1, told(banque, ev.CardTurned, 0), then(banque)),
    ("omitted-coup-step", 2, told(own_hands, ev.CardTurned, -1), then(own_hands)),
]
