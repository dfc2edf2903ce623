"""Incomplete records of games with a bank: missing events accuse nobody."""

import random
from collections.abc import Callable
from functools import cache
from itertools import pairwise

import pytest
from msgspec.structs import replace

from benchmarks.audit_clean import dealt
from benchmarks.audit_houses import House, houses
from benchmarks.audit_records import BANK_RECORDS, Record
from sabot.domain import events as ev
from sabot.domain.audit import find_rule
from sabot.domain.events import bank as bank_ev
from sabot.domain.events.envelope import RecordedEvent
from sabot.domain.rules.rule_pack import GameName, parse_pack
from sabot.domain.simulation import Dealer, ShoePlan, parse_lineup
from sabot.domain.state.shoe import Shoe, fold
from tests.faults import Fault, fault
from tests.support.audited import codes_and_coups, skipped
from tests.support.bank_coups import SEATS, staked
from tests.support.coup_notation import Felt, shoe_of
from tests.support.for_each import for_each
from tests.support.tableaux_coups import SEATS as SEATS_OF_TABLEAUX
from tests.support.tableaux_coups import bank as bank_of_tableaux
from tests.support.tableaux_coups import deal, finish, opened, play
from tests.support.tableaux_coups import table as table_of_tableaux
from tests.support.thorough import FULL, slow

Make = Callable[[], Shoe]


def natural(*, at_once: bool) -> Make:
    """The right alone has a natural, and is paid before the left draws, or after."""

    def make() -> Shoe:
        felt = opened(table_of_tableaux(), "p7 right 500, p5 left 500")
        return finish(deal(felt, "9 K; 2 3 +4; 7 K =", at_once=at_once)).shoe

    return make


GAMES: tuple[GameName, ...] = ("chemin-de-fer", "baccarat-banque", "macao", "victoria")
SHOES = 3 if FULL else 1
"""Shoes of each game, each with other patrons."""
STARTS_LATE = tuple(record for record in BANK_RECORDS if record.name.startswith("begun"))


def of(name: str) -> Record:
    return next(record for record in BANK_RECORDS if record.name == name)


def house_of(game: GameName) -> House:
    return next(iter(houses(game)))


@cache
def shoes(game: GameName) -> list[list[RecordedEvent]]:
    return [dealt(house_of(game), "lacking", number) for number in range(SHOES)]


@slow
@pytest.mark.parametrize("game", GAMES)
@for_each("record", BANK_RECORDS, ids=lambda record: record.name)
def test_clean_shoes_are_clean_whatever_their_record_lacks(game, record):
    for history in shoes(game):
        assert codes_and_coups(fold("shoe/S-1", record.of(history))) == []


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("record", STARTS_LATE, ids=lambda record: record.name)
def test_a_record_that_begins_late_does_not_say_which_game_it_is(game, record):
    late = fold("shoe/S-1", record.of(shoes(game)[0]))
    assert late.loaded is None or late.history[0].payload == shoes(game)[0][0].payload
    if late.loaded is None:
        reason = "the record does not say which game was dealt"
        assert reason in skipped(late, "cards-out-of-order")


WRONG: dict[GameName, str] = {
    "chemin-de-fer": "stood-where-none-may",
    "baccarat-banque": "stood-where-none-may",
    "macao": "stake-without-a-seat",
    "victoria": "hand-called-high",
}
"""A fault that can happen in every shoe of a game."""
HIDES: dict[GameName, set[str]] = {
    "chemin-de-fer": set(),
    "baccarat-banque": {"coups alone", "coups, begun late"},  # the order of choices is not told
    "macao": {"no bets"},
    "victoria": {"no calls", "coups alone", "coups, begun late"},
}
"""The records, beside those that begin late, that lack what the fault is seen by."""


@slow
@pytest.mark.parametrize("game", GAMES)
@for_each("record", BANK_RECORDS, ids=lambda record: record.name)
def test_a_fault_in_what_is_recorded_is_found(game, record):
    planted, history = with_fault(game)
    code = planted.kind.codes[0]
    told = fold("shoe/S-1", record.of(history))
    found = (code, planted.coup) in codes_and_coups(told)
    lacking = told.loaded is None or record.name in HIDES[game] or planted.coup not in told.coups
    assert found is not lacking


@cache
def with_fault(game: GameName) -> tuple[Fault, list[RecordedEvent]]:
    planted = fault(WRONG[game], 3)
    house = house_of(game)
    pack = parse_pack(house.pack)
    plan = ShoePlan(stream="shoe/S-1", pack=house.pack, decks=house.decks, start_us=10**15)
    lineup = parse_lineup("flat:side=player,tie-lover,flat:unit=5000", pack.table.seats)
    history = list(Dealer(plan, lineup, random.Random(7), (planted,)).deal())
    assert planted.coup is not None
    return planted, history


def test_stakes_of_one_coup_are_not_held_against_the_bank_where_those_before_lack():
    """A bank rests on its first coup, whose bets nobody told; a later bank is known again."""
    whole = shoes("chemin-de-fer")[0]
    moves = [
        e.payload for e in whole if isinstance(e.payload, bank_ev.BankCalled | bank_ev.BankPosted)
    ]
    first = next(
        one.coup
        for one, other in pairwise(moves)
        if isinstance(one, bank_ev.BankCalled) and isinstance(other, bank_ev.BankCalled)
    )
    lacks = [e for e in whole if not (_is_of_a_bet(e.payload) and e.payload.coup == first)]
    payloads = [event.payload for event in lacks]
    assert codes_and_coups(shoe_of(payloads)) == []
    reasons = skipped(shoe_of(payloads), "miscalled-bank")
    assert reasons["the record lacks bets against this bank"] >= 1
    # a miscall of a later bank, of which all is told, is found
    last = max(n for n, payload in enumerate(payloads) if isinstance(payload, bank_ev.BankPosted))
    at = next(n for n, x in enumerate(payloads) if n > last and isinstance(x, bank_ev.BankCalled))
    payloads[at] = replace(payloads[at], amount=payloads[at].amount + 100)
    assert codes_and_coups(shoe_of(payloads)) == [("miscalled-bank", payloads[at].coup)]


@pytest.mark.parametrize("record", ["no seats", "no bank"])
@pytest.mark.parametrize(("stake", "found"), [(5000, []), (4999, [("wrong-player-for-hand", 1)])])
def test_where_the_order_of_play_lacks_either_of_two_equal_stakes_holds_the_hand(
    record, stake, found
):
    felt = staked(("p2", 5000), ("p3", stake)).put(
        ev.NoMoreBets(1), bank_ev.HandGiven(1, "player", "p3")
    )
    history = felt.cards("P 4 2  B K 9").due(ev.Event).shoe.history
    assert codes_and_coups(fold("shoe/S-1", of(record).of(list(history)))) == found


@pytest.mark.parametrize(("record", "found"), [("no bank", 0), ("no seats", 1)])
def test_without_the_bank_nobody_knows_which_stakes_of_a_natural_it_reached(record, found):
    history = natural(at_once=False)().history
    told = codes_and_coups(fold("shoe/S-1", of(record).of(list(history))))
    assert told.count(("unpaid-tableau-natural", 1)) == found


def _is_of_a_bet(payload: ev.Event) -> bool:
    return isinstance(
        payload,
        ev.BetPlaced
        | ev.BetCarried
        | ev.BetPaid
        | ev.BetTaken
        | ev.BetPushed
        | bank_ev.ExcessReturned,
    )


ABOUT_NO_SEAT = {"shoe-procedure", "coup-sequence", "card-count", "record"}
"""The groups of rules that miss the first coups. None is judged by who sits where."""


def without_first(history: list[RecordedEvent], coups: int) -> Shoe:
    """A shoe that was loaded on record, and nothing is told from there to a coup's close."""
    ends = (n for n, e in enumerate(history) if e.payload == ev.CoupClosed(coups))
    return fold("shoe/S-1", [history[0], *history[next(ends) + 1 :]])


@pytest.mark.parametrize("house", list(houses("baccarat-banque")), ids=lambda house: house.name)
@pytest.mark.parametrize("coups", [3, 7])
def test_seats_are_unknown_where_the_coups_lack_in_which_bankers_changed_them(house, coups):
    for number in range(SHOES):
        shoe = without_first(dealt(house, "lacking", number), coups)
        assert {find_rule(code).group for code, _ in codes_and_coups(shoe)} <= ABOUT_NO_SEAT
        reasons = skipped(shoe, "payment-out-of-rotation")
        assert "the record lacks earlier coups, which may have changed the seats" in reasons


def test_a_number_that_was_passed_over_hides_nobodys_seat():
    """The second coup is called the third: its cards follow on those of the first."""
    felt = play(table_of_tableaux(), "p7 right 500 | 9 K; 2 4; 3 4")
    felt.put(
        ev.CoupOpened(3), bank_ev.BankCalled(3, 19_500), ev.BetPlaced(3, 1, "p7", "left", 500, 7)
    )
    felt.put(ev.NoMoreBets(3)).due(bank_ev.HandGiven)
    finish(deal(felt, "3 4; 2 4; 9 K"))
    assert ("stake-on-wrong-tableau", 3) in codes_and_coups(felt.shoe)


# -- Stakes of who goes bank, and the limits ------------------------------------------------------

OUTSIDE = "bet-outside-limits"


def goes_bank(claims: str) -> list[ev.Event]:
    """p1 banks for 10000, wins 500 twice, and is challenged for 11000: 8000 is the most else."""
    felt = Felt("chemin-de-fer", seats=SEATS, limits=(ev.Limit(200, 8_000),)).ready()
    felt.bank("p1", 10_000)
    for _ in range(2):
        felt.coup("p2 player 500 | P 4 2  B K 9")
    return felt.coup(f"{claims} | P 4 2  B K 9").payloads


def goes_bank_at_tableaux(claims: str) -> list[ev.Event]:
    """p11 banks for 20000, wins 500 twice, and is challenged for 21000: 15000 is the most else."""
    felt = Felt("banque", seats=SEATS_OF_TABLEAUX, limits=(ev.Limit(500, 15_000),))
    felt = bank_of_tableaux(felt, "p11", 20_000)
    for _ in range(2):
        play(felt, "p8 right 500 | 3 4; 2 4; 9 K")
    return play(felt, f"{claims} | 3 4; 2 4; 9 K").payloads


def without(payloads: list[ev.Event], *kinds: type) -> list[ev.Event]:
    return [payload for payload in payloads if not isinstance(payload, kinds)]


def from_coup_on(payloads: list[ev.Event], kind: type) -> list[ev.Event]:
    """The loading, and what was told from that event of the third coup on."""
    first = next(
        place
        for place, payload in enumerate(payloads)
        if isinstance(payload, kind) and getattr(payload, "coup", None) == 3
    )
    return [payloads[0], *payloads[first:]]


WHO_GOES_BANK = {
    "one": lambda: goes_bank("banco p2"),
    "two": lambda: goes_bank("banco p3, banco p2"),
    "of tableaux": lambda: goes_bank_at_tableaux("banco p7"),
    "of both tableaux": lambda: goes_bank_at_tableaux("banco p7 both"),
}
BANK_EVENTS = (bank_ev.BankPosted, bank_ev.BankCalled, bank_ev.BancoCalled)


@pytest.mark.parametrize("made", WHO_GOES_BANK.values(), ids=WHO_GOES_BANK)
def test_nobody_says_of_a_banco_that_it_is_outside_the_limits(made):
    payloads = made()
    for record in (
        payloads,
        without(payloads, bank_ev.BancoCalled),
        without(payloads, *BANK_EVENTS),
        from_coup_on(payloads, ev.CoupOpened),
        from_coup_on(payloads, ev.BetPlaced),
    ):
        assert (OUTSIDE, 3) not in codes_and_coups(shoe_of(record))
    late = shoe_of(from_coup_on(payloads, ev.BetPlaced))
    assert "the stake may have been the whole bank, whose amount is not on record" in skipped(
        late, OUTSIDE
    )


def test_of_two_claims_the_first_is_told_by_who_sits_where():
    unseated = [replace(payload, seats=()) if isinstance(payload, ev.ShoeLoaded) else payload
                for payload in goes_bank("banco p3, banco p2")]  # fmt: skip
    assert codes_and_coups(shoe_of(unseated)) == []


@pytest.mark.parametrize("lacking", [(), (bank_ev.BancoCalled,), BANK_EVENTS])
def test_a_stake_that_no_banco_is_of_is_held_against_the_limits(lacking):
    """p2 stakes 100, below the least, in the second coup. Who goes bank is told in the third."""
    payloads = [
        replace(payload, amount=100)
        if isinstance(payload, ev.BetPlaced | ev.BetTaken) and payload.coup == 2
        else payload
        for payload in goes_bank("banco p2")
    ]
    unknown = lacking == BANK_EVENTS
    assert ((OUTSIDE, 2) in codes_and_coups(shoe_of(without(payloads, *lacking)))) is not unknown
    # another than he goes bank: his stake is none of the bank, whatever lies there
    beside = from_coup_on(payloads, ev.CoupOpened)
    place = next(n for n, payload in enumerate(beside) if isinstance(payload, ev.BetPlaced))
    beside.insert(place, ev.BetPlaced(3, 9, "p4", "player", 9_000))
    assert (OUTSIDE, 3) in codes_and_coups(shoe_of(beside))


@pytest.mark.parametrize(
    "payloads",
    [
        goes_bank("p2 player 1000, p4 player 2000, banco p3"),
        goes_bank_at_tableaux("p8 right 1000, p9 right 2000, banco p7"),
    ],
    ids=["chemin-de-fer", "banque"],
)
def test_stakes_go_back_beside_a_banco_whose_claim_is_not_on_record(payloads):
    assert any(isinstance(payload, bank_ev.ExcessReturned) for payload in payloads)
    unclaimed = shoe_of(without(payloads, bank_ev.BancoCalled))
    assert codes_and_coups(shoe_of(payloads)) == codes_and_coups(unclaimed) == []
    assert skipped(unclaimed, "excess-returned-out-of-order") == {
        "no excess was returned": 2,
        "the record has no claims, and the stake may have been a banco": 1,
    }


def test_a_held_stake_is_free_under_another_bank_which_is_not_on_record():
    felt = play(table_of_tableaux(), "p7 cheval 1000 | 9 K; 2 4; 8 K")
    felt.put(bank_ev.BankWithdrawn("p11", 20_000), ev.ShoePassed("p11", "chosen"))
    payloads = play(bank_of_tableaux(felt, "p7", 20_000), "p8 right 500 | 3 4; 2 4; 9 K").payloads
    assert codes_and_coups(shoe_of(payloads)) == [("premature-bank-withdrawal", None)]
    assert codes_and_coups(shoe_of(without(payloads, *BANK_EVENTS, bank_ev.BankWithdrawn))) == []
